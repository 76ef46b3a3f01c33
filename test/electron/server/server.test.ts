import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { openContext } from '#server/context.ts'
import { acquireLock } from '#server/database/lock.ts'
import { StartError } from '#server/http/start-error.ts'
import type { GatewayOptions } from '#server/modules/control/gateway-options.ts'
import { targetFor } from '#server/modules/partners/targets.ts'
import { openLog } from '#server/platform/log.ts'
import { openGateway } from '#server/server.ts'
import { webhookSecret } from '../../support/gateway.ts'
import { httpCall } from '../../support/http-call.ts'
import { tempFolder } from '../../support/temp-store.ts'

const LOCAL = {
  ...{
    'http.host': '127.0.0.1',
    'http.port': 0,
    'dimse.host': '127.0.0.1',
    'dimse.port': 0,
    'dimse.tlsPort': null,
  },
  ...{ 'intake.stopGigabytes': 0, 'intake.warnGigabytes': 0 },
} as const
const open = (folder: string, more: Partial<GatewayOptions> = {}) =>
  openGateway({
    folder,
    log: openLog('silent'),
    version: '0.0.0',
    pageFolder: join(folder, 'no-page'),
    overrides: LOCAL,
    ...more,
  })

function isFree(folder: string): boolean {
  using lock = acquireLock(folder)
  return lock !== undefined
}

async function busyPort(): Promise<{ readonly port: number } & AsyncDisposable> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  return {
    port,
    [Symbol.asyncDispose]: () => new Promise((resolve) => void server.close(() => resolve())),
  }
}

it('is up when it is opened, and leaves nothing behind when it is closed', async () => {
  using temp = tempFolder()
  const gateway = await open(temp.folder)
  expect(gateway.dimse).toMatch(/^ISTHMUS@127\.0\.0\.1:[1-9]\d*$/)
  expect((await httpCall(`${gateway.http}/dashboard/session`)).json).toMatchObject({
    needsOwner: true,
    version: '0.0.0',
  })
  expect(isFree(temp.folder)).toBe(false)
  await gateway[Symbol.asyncDispose]()
  expect(isFree(temp.folder)).toBe(true)
  await expect(httpCall(gateway.http)).rejects.toThrow('ECONNREFUSED')
})

it('lets go of what it has opened when a listener cannot be', async () => {
  using temp = tempFolder()
  await using busy = await busyPort()
  await expect(
    open(temp.folder, { overrides: { ...LOCAL, 'dimse.port': busy.port } }),
  ).rejects.toThrow(`The DIMSE listener cannot use 127.0.0.1:${busy.port}`)
  await expect(
    open(temp.folder, { overrides: { ...LOCAL, 'http.port': busy.port } }),
  ).rejects.toThrow(StartError)
  expect(isFree(temp.folder)).toBe(true)
  await using gateway = await open(temp.folder)
  expect(gateway.http).toContain('127.0.0.1')
})

it('waits for a command that has the folder for a moment', async () => {
  using temp = tempFolder()
  const lock = acquireLock(temp.folder)
  const opening = open(temp.folder)
  await wait(150)
  lock?.[Symbol.dispose]()
  await using gateway = await opening
  expect(gateway.http).toContain('127.0.0.1')
})

it('refuses a folder that another one has', async () => {
  using temp = tempFolder()
  await using _ = await open(temp.folder)
  await expect(open(temp.folder)).rejects.toThrow(
    `Another instance of Isthmus is already using the data folder ${temp.folder}.`,
  )
})

it('keeps the partner that is given at the start, and changes nothing when the same is given again', async () => {
  using temp = tempFolder()
  const secret = webhookSecret()
  const url = 'http://127.0.0.1:9/hook'
  await expect(open(temp.folder, { partner: { url } })).rejects.toThrow(
    '--partner-url needs the secret',
  )
  await expect(open(temp.folder, { partner: { url: 'hook', secret } })).rejects.toThrow(
    'The partner was not configured. The address must be a URL.',
  )
  for (const partner of [{ url, secret }, { url, secret }, { url }])
    await (await open(temp.folder, { partner }))[Symbol.asyncDispose]()
  await (await open(temp.folder))[Symbol.asyncDispose]()

  using context = openContext({ folder: temp.folder })
  expect(targetFor(context, 'modality_worklist.requested')).toMatchObject({
    url,
    secrets: [secret],
  })
  const actions = context.audit
    .list({ limit: 20 })
    .items.map(({ actor, action }) => `${actor} ${action}`)
  expect(actions.filter((action) => action === 'command-line partner.set')).toHaveLength(1)
})
