import { expect, it, vi } from 'vitest'
import { openContext } from '#server/context.ts'
import { listInspections } from '#server/modules/worklist/inspection-queries.ts'
import {
  ask,
  identifierOf,
  item,
  openPartner,
} from '../electron/server/modules/worklist/worklist-fixture.ts'
import { isthmus, serving } from '../support/command-line.ts'
import { webhookSecret } from '../support/gateway.ts'
import { associated } from '../support/requestor.ts'
import { tempFolder } from '../support/temp-store.ts'
import { worklistOf } from '../support/worklist-client.ts'

// The gateway as a service: `serve` in a process of its own, ended by SIGTERM.

const until = (check: () => unknown) => vi.waitFor(check, { timeout: 20_000, interval: 10 })

it('answers the query in flight when it is told to stop, refuses new callers, and ends with 0', async () => {
  using temp = tempFolder()
  const release = Promise.withResolvers<void>()
  await using partner = await openPartner({ wait: release.promise, items: [item(1)] })
  const target = ['--partner-url', partner.url, '--partner-secret', webhookSecret()]
  await using gateway = await serving(temp.folder, '--allow-unknown-devices', ...target)
  await using console = await associated(gateway.dimsePort)
  await using idle = await associated(gateway.dimsePort)
  console.sendFind(identifierOf(ask({}, { ScheduledProcedureStepStartDate: '20261120' })))
  await until(() => expect(partner.questions).toHaveLength(1))

  const ended = gateway.end('SIGTERM')
  await until(() => expect(gateway.stderr.some((line) => line.includes('"stopping"'))).toBe(true))
  await expect(associated(gateway.dimsePort)).rejects.toThrow(/ECONNREFUSED|closed|reset/)
  release.resolve()
  expect(worklistOf(await console.found())).toMatchObject({
    status: '0000',
    accessionNumbers: ['A001'],
  })
  expect(await idle.next()).toMatchObject({ type: 'A-ABORT' })
  expect(await ended).toBe(0)

  expect(gateway.stdout).toHaveLength(1)
  expect(gateway.ready).toEqual({
    ready: true,
    http: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    dimse: expect.stringMatching(/^ISTHMUS@127\.0\.0\.1:\d+$/),
  })
  for (const line of gateway.stderr)
    expect(JSON.parse(line)).toMatchObject({ level: expect.any(String), time: expect.any(String) })
  using context = openContext({ folder: temp.folder })
  expect(listInspections(context.database, { limit: 10, outcome: 'all' }).items).toMatchObject([
    { status: '0000', sent: 1 },
  ])
})

it('keeps the record of a query that had to be broken off at the stop', async () => {
  using temp = tempFolder()
  await using partner = await openPartner({ hang: true })
  const target = ['--partner-url', partner.url, '--partner-secret', webhookSecret()]
  await isthmus(['config', 'set', '--data', temp.folder, 'worklist.budgetSeconds', '60'])
  await using gateway = await serving(temp.folder, '--allow-unknown-devices', ...target)
  await using console = await associated(gateway.dimsePort)
  console.sendFind(identifierOf(ask()))
  await until(() => expect(partner.questions).toHaveLength(1))
  expect(await gateway.end('SIGTERM')).toBe(0)
  expect(await console.next()).toMatchObject({ type: 'A-ABORT' })
  using context = openContext({ folder: temp.folder })
  expect(listInspections(context.database, { limit: 10, outcome: 'all' }).items).toMatchObject([
    { status: 'FE00', sent: 0 },
  ])
})
