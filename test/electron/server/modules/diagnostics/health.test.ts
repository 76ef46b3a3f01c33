import { describe, expect, it } from 'vitest'
import { addOutboxJob } from '#server/jobs/outbox-queries.ts'
import { openHealth } from '#server/modules/diagnostics/health.ts'
import { instantOf } from '#server/platform/clock.ts'
import type { Status } from '#shared/contract/dashboard.ts'
import { verbatim } from '#shared/messages/message.ts'
import { tempStore } from '../../../../support/temp-store.ts'

const UP: Status['listeners'] = [
  { name: 'dimse', address: '0.0.0.0:11112', aeTitle: 'ISTHMUS', isUp: true, detail: null },
  {
    name: 'http',
    address: 'http://127.0.0.1:8042',
    aeTitle: null,
    isUp: true,
    detail: null,
  },
]
const ROOM: Status['storage'] = { state: 'ok', freeBytes: 9, totalBytes: 9, detail: null }

function watched(
  more: { isSafe?: boolean; listeners?: Status['listeners']; storage?: Status['storage'] } = {},
) {
  const temp = tempStore()
  const { store, clock } = temp
  const { isSafe = false, listeners = UP, storage = ROOM } = more
  const checks = openHealth(
    { ...store, isSafe },
    () => listeners,
    () => storage,
  )
  const faults = () =>
    Object.fromEntries(checks().flatMap(({ name, isOk, detail }) => (isOk ? [] : [[name, detail]])))
  return { store, clock, checks, faults, [Symbol.dispose]: () => temp[Symbol.dispose]() }
}

describe('whether the gateway can do its work', () => {
  it('names each check, and nothing is wrong with a gateway that is well', () => {
    using gateway = watched()
    expect(gateway.checks().map(({ name }) => name)).toEqual([
      'database',
      'listeners',
      'disk',
      'outbox',
    ])
    expect(gateway.faults()).toEqual({})
  })

  it('proves that the database can be written to, at most every five seconds', () => {
    using gateway = watched()
    expect(gateway.faults()).toEqual({})
    gateway.store.database[Symbol.dispose]()
    expect(gateway.faults()).toEqual({ outbox: 'The check failed.' })
    gateway.clock.pass(5000)
    expect(gateway.faults()).toMatchObject({
      database: 'The database cannot be written to (closed).',
    })
  })

  it('says which listeners are down, and that a gateway that starts or is in safe mode serves no device', () => {
    using down = watched({ listeners: UP.map((one) => ({ ...one, isUp: one.name !== 'dimse' })) })
    expect(down.faults()).toEqual({ listeners: 'Down: dimse.' })
    using starting = watched({ listeners: UP.filter(({ name }) => name === 'http') })
    expect(starting.faults()).toEqual({
      listeners: 'The gateway is starting and does not serve devices yet.',
    })
    using safe = watched({ isSafe: true })
    expect(safe.faults()).toEqual({
      listeners: 'The gateway is in safe mode and serves no devices.',
    })
  })

  it.each(['full', 'read-only'] as const)('is not ready while the disk is %s', (state) => {
    using gateway = watched({ storage: { ...ROOM, state, detail: verbatim('0.2 GB are free') } })
    expect(Object.keys(gateway.faults())).toEqual(['disk'])
  })

  it('is not ready while something waits for more than an hour to leave the gateway', () => {
    using gateway = watched()
    const { store, clock } = gateway
    addOutboxJob(store.database, {
      kind: 'report.delivered',
      subject: 'rep_1',
      payload: {},
      at: instantOf(clock()),
    })
    clock.pass(59 * 60_000)
    expect(gateway.faults()).toEqual({})
    clock.pass(2 * 60_000)
    expect(gateway.faults()).toEqual({ outbox: 'Waiting for more than an hour: report.delivered.' })
  })
})
