import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import Sqlite from 'better-sqlite3'
import { expect, it, vi } from 'vitest'
import { localDay, openPartnerSimulator } from '#electron/simulator/partner.ts'
import { worklistDay } from '#electron/simulator/worklist-day.ts'
import { openContext } from '#server/context.ts'
import { DATABASE_FILE } from '#server/database/data-directory.ts'
import { acquireLock } from '#server/database/lock.ts'
import { openApiKeys } from '#server/modules/api-keys/api-keys.ts'
import { listDevices } from '#server/modules/devices/device-queries.ts'
import { listInspections } from '#server/modules/worklist/inspection-queries.ts'
import { ask, type Keys } from '../electron/server/modules/worklist/worklist-fixture.ts'
import { isthmus, type Serving, serving } from '../support/command-line.ts'
import { webhookSecret } from '../support/gateway.ts'
import { associated } from '../support/requestor.ts'
import { tempFolder } from '../support/temp-store.ts'
import { perTier } from '../support/tier.ts'
import { findWorklist, queryWorklist } from '../support/worklist-client.ts'

// The gateway as a service: `serve` in a process of its own, ended by SIGKILL.

/**
 * When a kill comes after the first change of its round was acknowledged, ms: while a change is
 * waited for, while the next process of the command line starts, and while it is served. Queries
 * are answered and recorded in each of them.
 */
const DELAYS = [0, 120, 400] as const
const ROUNDS = perTier(DELAYS.length, 20)
const CLIENTS = 8
/** What is stored is not served for a day that is over: at midnight, this one begins. */
const TOMORROW = localDay(Date.now() + 24 * 60 * 60_000)
const ON_DAY = { ScheduledProcedureStepStartDate: TOMORROW }
const DAY = ask({}, ON_DAY)
const DAY_OF_CT = ask({}, { ...ON_DAY, Modality: 'CT' })
/**
 * What clients ask, one after the other: a change makes a record each time, a repeat is counted on
 * the one record (decision 0026).
 */
const CHANGING = [DAY, DAY_OF_CT]
const REPEATING = [DAY]

const until = (check: () => unknown) => vi.waitFor(check, { timeout: 20_000, interval: 10 })

/** What a client was told is done, and must be there after the next start. */
interface Told {
  /** Records that the final responses seen are owed, by AE title. */
  readonly answers: Map<string, number>
  readonly devices: string[]
  readonly keys: string[]
  clinicName: string
  /** The name being set; whether that was done nobody was told. */
  nextClinicName: string
}

/** Asks without end until the gateway is gone, and counts the final responses that came. */
async function askAway(
  port: number,
  callingAeTitle: string,
  queries: readonly Keys[],
  told: Told,
): Promise<void> {
  try {
    await using console = await associated(port, { callingAeTitle })
    for (let messageId = 1; ; messageId++) {
      const { status } = await findWorklist(console, queries[messageId % queries.length], messageId)
      expect(status).toBe('0000')
      told.answers.set(callingAeTitle, queries.length > 1 ? messageId : 1)
    }
  } catch (error) {
    // The connection ends with the gateway; anything else is a wrong answer.
    if (!/instead of|ECONN|EPIPE/.test(String(error))) throw error
  }
}

/**
 * Changes the configuration by the command line, one command after the other, until the gateway is
 * gone.
 */
async function configure(
  folder: string,
  round: number,
  { child }: Serving,
  told: Told,
): Promise<void> {
  for (let turn = 0; ; turn++) {
    const name = `R${round}T${turn}`
    told.nextClinicName = name
    const changes = [
      { words: ['device', 'add', '--ae-title', name], done: () => told.devices.push(name) },
      {
        words: ['api-key', 'create', '--description', name],
        done: (key: string) => told.keys.push(key),
      },
      { words: ['config', 'set', 'clinic.name', name], done: () => (told.clinicName = name) },
    ]
    for (const { words, done } of changes) {
      if (child.signalCode !== null) return
      const { exitCode, stdout } = await isthmus([...words, '--data', folder])
      if (exitCode === 0) done(stdout.trim())
    }
  }
}

vi.setConfig({ testTimeout: 60_000 + ROUNDS * 20_000 })

it('loses no answer that a console has seen and no acknowledged change when it is killed at any moment', async () => {
  using temp = tempFolder()
  const { folder } = temp
  const secret = webhookSecret()
  await using partner = await openPartnerSimulator({
    port: 0,
    secret,
    clock: Date.now,
    worklist: worklistDay(TOMORROW, { withBadRows: true }),
  })
  const args = [
    '--allow-unknown-devices',
    '--partner-url',
    partner.url,
    '--partner-secret',
    secret,
    '--log-level',
    'warn',
  ]
  const told: Told = {
    answers: new Map(),
    devices: [],
    keys: [],
    clinicName: '',
    nextClinicName: '',
  }

  for (let round = 1; round <= ROUNDS; round++) {
    partner.setScenario('normal')
    await using gateway = await serving(folder, ...args)
    const before = await queryWorklist(gateway.dimsePort, { keys: DAY, callingAeTitle: 'FIRST' })
    expect(before.rows).toHaveLength(25)
    const clients = Array.from({ length: CLIENTS }, (_, client) =>
      askAway(
        gateway.dimsePort,
        `R${round}C${client}`,
        client % 2 === 0 ? CHANGING : REPEATING,
        told,
      ),
    )
    const changes = configure(folder, round, gateway, told)
    await until(() => {
      expect(told.answers.size).toBe(round * CLIENTS)
      expect(told.devices.at(-1)).toContain(`R${round}T`)
    })
    await wait(DELAYS[round - 1] ?? Math.random() * 600)
    await gateway.end('SIGKILL')
    await Promise.all([...clients, changes])

    // Nothing of the killed process is in the way of the next.
    {
      using lock = acquireLock(folder)
      expect(lock).toBeDefined()
      using sqlite = disposable(new Sqlite(join(folder, DATABASE_FILE)))
      expect(sqlite.database.pragma('integrity_check', { simple: true })).toBe('ok')
    }
    partner.setScenario('down')
    await using next = await serving(folder, ...args)
    const stored = await queryWorklist(next.dimsePort, { keys: DAY, callingAeTitle: 'FIRST' })
    expect(stored.bytes).toEqual(before.bytes)
    expect(await next.end('SIGTERM')).toBe(0)
  }

  using context = openContext({ folder })
  const count = (aeTitle: string) => {
    let [inspections, cursor] = [0, undefined as string | undefined]
    do {
      const page = listInspections(context.database, {
        limit: 100,
        outcome: 'all',
        aeTitle,
        cursor,
      })
      inspections += page.items.length
      cursor = page.cursor
    } while (cursor !== undefined)
    return inspections
  }
  const lost = [...told.answers].filter(([aeTitle, seen]) => count(aeTitle) < seen)
  expect(lost).toEqual([])
  expect(told.answers.size).toBe(ROUNDS * CLIENTS)
  expect(listDevices(context.database).map(({ aeTitle }) => aeTitle)).toEqual(
    expect.arrayContaining(told.devices),
  )
  expect(told.keys.filter((key) => openApiKeys(context).authenticate(key) === undefined)).toEqual(
    [],
  )
  expect(new Set(told.keys).size).toBe(told.keys.length)
  expect([told.clinicName, told.nextClinicName]).toContain(context.settings.get('clinic.name'))
  expect(context.audit.verify().isIntact).toBe(true)
})

const disposable = (database: Sqlite.Database) => ({
  database,
  [Symbol.dispose]: () => void database.close(),
})
