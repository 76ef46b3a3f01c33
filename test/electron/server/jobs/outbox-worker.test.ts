import { afterEach, describe, expect, it, vi } from 'vitest'
import * as outboxQueries from '#server/jobs/outbox-queries.ts'
import {
  addOutboxJob,
  deferOutboxJob,
  dropOutboxJobs,
  findLatestOutboxJob,
  type OutboxRow,
  outboxSummary,
  postponeOutboxJob,
} from '#server/jobs/outbox-queries.ts'
import { type HeldJob, OutboxWorker, type Settlement } from '#server/jobs/outbox-worker.ts'
import { verbatim } from '#shared/messages/message.ts'
import { reportedErrors, tempStore, withoutRoom } from '../../../support/temp-store.ts'

vi.mock('#server/jobs/outbox-queries.ts', { spy: true })

const kind = 'report.delivered'
const SENT: Settlement = { outcome: 'sent' }

interface Options {
  readonly deliver?: () => Promise<Settlement>
  readonly atOnce?: number
  readonly groupOf?: (row: { readonly subject: string }) => string | HeldJob
  readonly isIdle?: () => boolean
}

/** A worker on a real store, whose deliveries end when the test says so. */
function openWorker({ deliver, atOnce, groupOf, isIdle }: Options = {}) {
  const temp = tempStore()
  const { store, clock } = temp
  const errors = reportedErrors(store)
  const underWay = new Map<string, PromiseWithResolvers<Settlement>>()
  const begun: string[] = []
  function begin({ subject }: OutboxRow<unknown>, signal: AbortSignal) {
    const ends = Promise.withResolvers<Settlement>()
    begun.push(subject)
    underWay.set(subject, ends)
    signal.addEventListener('abort', () => ends.reject(signal.reason))
    return ends.promise
  }
  const worker = new OutboxWorker(store, kind, deliver ?? begin, atOnce, groupOf, isIdle)
  return {
    ...{ temp, store, clock, errors, begun, worker },
    append: (subject: string, lane?: string) =>
      addOutboxJob(store.database, {
        kind,
        subject,
        payload: { subject },
        at: new Date(clock()).toISOString(),
        ...(lane && { lane }),
      }),
    end: (subject: string, settlement: Settlement = SENT) =>
      underWay.get(subject)?.resolve(settlement),
    fail: (subject: string) => underWay.get(subject)?.reject(new Error('a fault of ours')),
    row: (subject: string) => findLatestOutboxJob(store.database, kind, subject),
    async [Symbol.asyncDispose]() {
      await worker[Symbol.asyncDispose]()
      temp[Symbol.dispose]()
    },
  }
}
const turns = async () => {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
}
const byLetter = ({ subject }: { readonly subject: string }) => subject.charAt(0)

describe('an outbox worker', () => {
  it('takes up as many rows of a group as it has places, and others beside them', async () => {
    await using out = openWorker({ groupOf: byLetter, atOnce: 2 })
    for (const subject of ['a1', 'a2', 'a3', 'b1']) out.append(subject)
    await turns()
    expect(out.begun).toEqual(['a1', 'a2', 'b1'])
    out.end('a2')
    await turns()
    expect(out.begun).toEqual(['a1', 'a2', 'b1', 'a3'])
    for (const subject of ['a1', 'a3', 'b1']) out.end(subject)
    await out.worker.settled()
    expect(['a1', 'a2', 'a3', 'b1'].map((subject) => out.row(subject)?.state)).toEqual([
      'sent',
      'sent',
      'sent',
      'sent',
    ])
  })

  it('delivers a row once, and the rows after it, while the disk takes no record of it', async () => {
    await using out = openWorker({ atOnce: 2 })
    for (const subject of ['a1', 'b1']) out.append(subject)
    await turns()
    const disk = withoutRoom(out.store, 'read-only')
    out.end('a1')
    out.end('b1', { outcome: 'postponed', until: out.clock() + 5000, fault: verbatim('no answer') })
    await turns()
    out.worker.wake()
    await turns()
    // What was not taken is tried again at its time, what was delivered is not.
    expect(out.begun).toEqual(['a1', 'b1'])
    out.clock.pass(5000)
    out.worker.wake()
    await turns()
    expect(out.begun).toEqual(['a1', 'b1', 'b1'])
    expect(out.row('a1')?.state).toBe('waiting')
    disk[Symbol.dispose]()
    out.end('b1')
    out.worker.wake()
    await out.worker.settled()
    expect(out.begun).toEqual(['a1', 'b1', 'b1'])
    expect(['a1', 'b1'].map((subject) => out.row(subject))).toMatchObject([
      { state: 'sent', attempts: 1 },
      { state: 'sent', attempts: 1 },
    ])
  })

  it('delivers all rows of a group, each once, while the disk takes no record of them', async () => {
    await using out = openWorker({ atOnce: 2 })
    const all = ['a1', 'a2', 'a3', 'a4', 'a5', 'a6']
    for (const subject of all) out.append(subject)
    const told: boolean[] = []
    await turns()
    {
      using _ = withoutRoom(out.store, 'read-only')
      for (let row = 0; row < all.length; row += 2) {
        expect(out.begun).toEqual(all.slice(0, row + 2))
        for (const subject of all.slice(row, row + 2))
          out.end(subject, {
            outcome: 'sent',
            onRecorded: (stillWaited) => void told.push(stillWaited),
          })
        await turns()
      }
      out.worker.wake()
      await out.worker.settled()
      expect(all.map((subject) => out.row(subject)?.state)).toEqual(all.map(() => 'waiting'))
    }
    told.length = 0
    out.worker.wake()
    await out.worker.settled()
    expect(out.begun).toEqual(all)
    expect(all.map((subject) => out.row(subject))).toMatchObject(
      all.map(() => ({ state: 'sent', attempts: 1 })),
    )
    expect(told).toEqual(all.map(() => true))
  })

  it('writes what is in memory when it ends, and what one row cannot write keeps no other waiting', async () => {
    await using out = openWorker({ atOnce: 2 })
    for (const subject of ['a1', 'a2']) out.append(subject)
    await turns()
    {
      using _ = withoutRoom(out.store, 'read-only')
      out.end('a1', {
        outcome: 'sent',
        onRecorded() {
          throw new Error('the record cannot be written')
        },
      })
      out.end('a2')
      await turns()
    }
    await out.worker[Symbol.asyncDispose]()
    expect(['a1', 'a2'].map((subject) => out.row(subject)?.state)).toEqual(['waiting', 'sent'])
    expect(out.errors.map(String).at(-1)).toBe('Error: the record cannot be written')
  })

  it('takes up a thousand rows at most while the disk takes no record of them', async () => {
    await using out = openWorker({ atOnce: 2000 })
    out.store.database.transaction(() => {
      for (let row = 0; row < 1010; row++) out.append(`a${row}`)
    })
    await turns()
    await turns()
    expect(out.begun).toHaveLength(1000)
    {
      using _ = withoutRoom(out.store, 'read-only')
      for (const subject of out.begun) out.end(subject)
      await out.worker.settled()
      out.worker.wake()
      await out.worker.settled()
      expect(out.begun).toHaveLength(1000)
    }
    out.worker.wake()
    await turns()
    expect(new Set(out.begun).size).toBe(1010)
    for (const subject of out.begun) out.end(subject)
    await out.worker.settled()
    expect(out.begun).toHaveLength(1010)
    expect(outboxSummary(out.store.database, kind)).toMatchObject({ waiting: 0, failed: 0 })
  })

  it('reaches a group behind a thousand rows of one that is stuck', async () => {
    await using out = openWorker({ groupOf: byLetter, atOnce: 2 })
    out.store.database.transaction(() => {
      for (let row = 0; row < 1000; row++) out.append(`a${row}`)
      out.append('b1')
    })
    for (let wait = 0; wait < 50 && out.begun.length < 3; wait++) await turns()
    expect(out.begun).toEqual(['a0', 'a1', 'b1'])
  })

  it('keeps the order of a lane, also past a failure, and lets no lane wait for another', async () => {
    await using out = openWorker({ atOnce: 10 })
    for (const [subject, lane] of [
      ['a1', 'a'],
      ['a2', 'a'],
      ['b1', 'b'],
    ] as const)
      out.append(subject, lane)
    await turns()
    expect(out.begun).toEqual(['a1', 'b1'])
    out.end('a1', { outcome: 'postponed', until: out.clock() + 5000, fault: verbatim('no answer') })
    await turns()
    expect(out.begun).toEqual(['a1', 'b1'])
    out.clock.pass(5000)
    out.worker.wake()
    await turns()
    expect(out.begun).toEqual(['a1', 'b1', 'a1'])
    out.end('a1')
    out.end('b1')
    await turns()
    expect(out.begun).toEqual(['a1', 'b1', 'a1', 'a2'])
    expect(out.row('a1')).toMatchObject({ state: 'sent', attempts: 2 })
    out.end('a2', { outcome: 'failed', fault: verbatim('never') })
    await out.worker.settled()
    expect(out.row('a2')).toMatchObject({ state: 'failed', lastError: 'never' })
  })

  it('holds rows that have nowhere to go, without an attempt, until it is told to try', async () => {
    let isOff = true
    await using out = openWorker({
      groupOf: () =>
        isOff
          ? { until: out.clock() + 3_600_000, fault: verbatim('its endpoint is disabled') }
          : 'on',
    })
    out.append('a1')
    await out.worker.settled()
    expect(out.begun).toEqual([])
    expect(out.row('a1')).toMatchObject({
      state: 'waiting',
      attempts: 0,
      lastError: 'its endpoint is disabled',
    })
    isOff = false
    out.worker.wake()
    await out.worker.settled()
    expect(out.begun).toEqual([])
    out.worker.retry()
    await turns()
    expect(out.begun).toEqual(['a1'])
    out.end('a1')
  })

  it('tries again after a fault of its own, whose words stay out of the row', async () => {
    await using out = openWorker()
    out.append('a1')
    await turns()
    out.fail('a1')
    await out.worker.settled()
    expect(out.errors).toEqual([expect.objectContaining({ message: 'a fault of ours' })])
    expect(out.row('a1')).toMatchObject({
      state: 'waiting',
      attempts: 1,
      lastError: 'an internal error; see the log',
    })
    expect(Date.parse(out.row('a1')?.notBefore ?? '') - out.clock()).toBe(60_000)
  })

  it('does what belongs to the end of a row in one transaction with it, or neither', async () => {
    await using out = openWorker()
    out.append('a1')
    await turns()
    out.end('a1', {
      outcome: 'sent',
      onRecorded() {
        throw new Error('the record cannot be written')
      },
    })
    await turns()
    expect(out.row('a1')).toMatchObject({ state: 'waiting', attempts: 0 })
    expect(out.errors).toEqual([
      expect.objectContaining({ message: 'the record cannot be written' }),
    ])
    expect(out.begun).toEqual(['a1'])
  })

  it('tells that a row was dropped while it was under way', async () => {
    await using out = openWorker()
    out.append('a1')
    await turns()
    dropOutboxJobs(out.store.database, kind, 'a1', new Date(out.clock()).toISOString())
    const told: boolean[] = []
    out.end('a1', {
      outcome: 'postponed',
      until: out.clock() + 1,
      fault: verbatim('no answer'),
      onRecorded: (stillWaited) => void told.push(stillWaited),
    })
    await out.worker.settled()
    expect(told).toEqual([false])
    expect(out.row('a1')).toMatchObject({ state: 'dropped', attempts: 0, lastError: null })
  })

  it('that ends in the middle leaves its row waiting for the next one', async () => {
    await using out = openWorker()
    out.append('a1')
    await turns()
    await out.worker[Symbol.asyncDispose]()
    expect(out.row('a1')).toMatchObject({ state: 'waiting', attempts: 0, lastError: null })
    expect(out.errors).toEqual([])
    const next = new OutboxWorker(out.store, kind, async () => SENT)
    await next.settled()
    expect(out.row('a1')?.state).toBe('sent')
    await next[Symbol.asyncDispose]()
  })

  it('takes nothing up while it is idle', async () => {
    let isIdle = true
    await using out = openWorker({ isIdle: () => isIdle })
    out.append('a1')
    await out.worker.settled()
    expect(out.begun).toEqual([])
    isIdle = false
    out.worker.wake()
    await turns()
    expect(out.begun).toEqual(['a1'])
    out.end('a1')
    await out.worker.settled()
  })
})

describe('a row', () => {
  const MINUTE = 60_000

  it('is tried again after a fault of ours in a minute, five, thirty, and then each hour', async () => {
    await using out = openWorker({ deliver: () => Promise.reject(new Error('a fault of ours')) })
    out.append('a1')
    await out.worker.settled()
    const waits: number[] = []
    for (let attempt = 0; attempt < 6; attempt++) {
      const wait = Date.parse(out.row('a1')?.notBefore ?? '') - out.clock()
      waits.push(wait / MINUTE)
      out.clock.pass(wait)
      out.worker.wake()
      await out.worker.settled()
    }
    expect(waits).toEqual([1, 5, 30, 60, 60, 60])
    expect(out.errors).toHaveLength(7)
  })

  it('is taken up alone where there are no groups', async () => {
    await using out = openWorker()
    for (const subject of ['a1', 'a2']) out.append(subject)
    await turns()
    expect(out.begun).toEqual(['a1'])
    out.end('a1')
    await turns()
    expect(out.begun).toEqual(['a1', 'a2'])
    out.end('a2')
  })

  it('is not taken up twice while it is under way', async () => {
    await using out = openWorker({ atOnce: 2 })
    out.append('a1')
    await turns()
    out.worker.wake()
    out.worker.retry()
    await turns()
    expect(out.begun).toEqual(['a1'])
    out.end('a1')
  })

  it('is told that it still waited when its end is written', async () => {
    await using out = openWorker()
    out.append('a1')
    await turns()
    const told: boolean[] = []
    out.end('a1', { outcome: 'sent', onRecorded: (stillWaited) => void told.push(stillWaited) })
    await out.worker.settled()
    expect([told, out.row('a1')?.state]).toEqual([[true], 'sent'])
  })

  it('that is held says why and until when', async () => {
    await using out = openWorker({
      deliver: async () => ({
        outcome: 'held',
        until: out.clock() + MINUTE,
        fault: verbatim('no endpoint'),
      }),
    })
    out.append('a1')
    await out.worker.settled()
    const notBefore = new Date(out.clock() + MINUTE).toISOString()
    expect(out.row('a1')).toMatchObject({
      state: 'waiting',
      attempts: 0,
      notBefore,
      lastError: 'no endpoint',
    })
  })

  it('alone goes out when it alone is asked for', async () => {
    await using out = openWorker({ groupOf: byLetter })
    const rows = ['a1', 'b1'].map((subject) => out.append(subject))
    for (const row of rows) {
      const notBefore = new Date(out.clock() + MINUTE).toISOString()
      deferOutboxJob(out.store.database, row, {
        notBefore,
        lastError: verbatim('no endpoint'),
        at: notBefore,
      })
    }
    out.worker.retry([rows[1] ?? 0])
    await turns()
    expect(out.begun).toEqual(['b1'])
    out.end('b1')
  })
})

describe('between two looks', () => {
  const SECOND = 1000
  const MINUTE = 60 * SECOND
  afterEach(() => void vi.useRealTimers())

  /** A worker on timers of the test, and how often it looked for rows. */
  async function openTimed(options: Options = {}) {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const out = openWorker(options)
    const looks = vi.mocked(outboxQueries.listDueOutboxJobs).mockReset()
    await out.worker.settled()
    return {
      ...out,
      looks,
      /** Both clocks go on. */
      async pass(ms: number) {
        out.clock.pass(ms)
        vi.advanceTimersByTime(ms)
        await turns()
      },
      postpone(subject: string, ms: number) {
        const notBefore = new Date(out.clock() + ms).toISOString()
        postponeOutboxJob(out.store.database, out.row(subject)?.outboxId ?? 0, {
          notBefore,
          lastError: verbatim('no answer'),
          at: notBefore,
        })
        out.worker.wake()
        return out.worker.settled()
      },
      [Symbol.asyncDispose]: () => out[Symbol.asyncDispose](),
    }
  }

  it('a worker sleeps until the next row is due', async () => {
    let isIdle = true
    await using out = await openTimed({ isIdle: () => isIdle })
    out.append('a1')
    await turns()
    isIdle = false
    await out.postpone('a1', 90 * SECOND)
    await out.pass(89 * SECOND)
    expect(out.begun).toEqual([])
    await out.pass(SECOND)
    expect(out.begun).toEqual(['a1'])
    out.end('a1')
  })

  it('a row that falls due while the worker looks for rows is sent a second later, not five minutes later', async () => {
    let isIdle = true
    await using out = await openTimed({ isIdle: () => isIdle })
    out.append('a1')
    await turns()
    isIdle = false
    const { listDueOutboxJobs: due } = await vi.importActual<typeof outboxQueries>(
      '#server/jobs/outbox-queries.ts',
    )
    // The timer was a millisecond early, and the row's time comes right after the query.
    out.looks.mockImplementationOnce((...query) => {
      const rows = due(...query)
      out.clock.pass(1)
      return rows
    })
    await out.postpone('a1', 1)
    expect(out.begun).toEqual([])
    await out.pass(SECOND)
    expect(out.begun).toEqual(['a1'])
    out.end('a1')
  })

  it('a row that was postponed while the disk took no record of it is tried again at its time', async () => {
    await using out = await openTimed()
    out.append('a1')
    await turns()
    using _ = withoutRoom(out.store, 'read-only')
    out.end('a1', {
      outcome: 'postponed',
      until: out.clock() + 30 * SECOND,
      fault: verbatim('no answer'),
    })
    await turns()
    await out.pass(30 * SECOND - 1)
    expect(out.begun).toEqual(['a1'])
    await out.pass(1)
    expect(out.begun).toEqual(['a1', 'a1'])
    out.end('a1')
    await turns()
  })

  it('it sleeps five minutes at most, as the clock may be set, and a second at least', async () => {
    let isIdle = true
    await using out = await openTimed({ isIdle: () => isIdle })
    out.append('a1')
    await turns()
    isIdle = false
    await out.postpone('a1', 60 * MINUTE)
    out.looks.mockClear()
    await out.pass(5 * MINUTE - 1)
    expect(out.looks).not.toHaveBeenCalled()
    await out.pass(1)
    expect(out.looks).toHaveBeenCalledTimes(1)
    await out.postpone('a1', 1)
    out.looks.mockClear()
    await out.pass(SECOND - 1)
    expect(out.looks).not.toHaveBeenCalled()
    await out.pass(1)
    expect(out.begun).toEqual(['a1'])
    out.end('a1')
  })

  it('it looks every five minutes while there is nothing to do, or while it is idle', async () => {
    let isIdle = false
    await using out = await openTimed({ isIdle: () => isIdle })
    out.looks.mockClear()
    await out.pass(5 * MINUTE - 1)
    expect(out.looks).not.toHaveBeenCalled()
    await out.pass(1)
    expect(out.looks).toHaveBeenCalledTimes(1)
    isIdle = true
    out.append('a1')
    await turns()
    await out.postpone('a1', 10 * SECOND)
    await out.pass(5 * MINUTE - 1)
    isIdle = false
    expect(out.begun).toEqual([])
    await out.pass(1)
    expect(out.begun).toEqual(['a1'])
    out.end('a1')
  })

  it('a fault of the database is told of, and looked past at the next look', async () => {
    await using out = await openTimed()
    out.looks.mockImplementationOnce(() => {
      throw new Error('the disk is full')
    })
    const nextDue = vi.mocked(outboxQueries.nextOutboxDue).mockImplementationOnce(() => {
      throw new Error('and stays so')
    })
    out.append('a1')
    await turns()
    expect(out.errors.map(String)).toEqual(['Error: the disk is full', 'Error: and stays so'])
    expect(out.begun).toEqual([])
    nextDue.mockRestore()
    await out.pass(5 * MINUTE)
    expect(out.begun).toEqual(['a1'])
    out.end('a1')
  })

  it('a worker that was ended looks no more', async () => {
    await using out = await openTimed()
    await out.worker[Symbol.asyncDispose]()
    expect(vi.getTimerCount()).toBe(0)
    out.looks.mockClear()
    out.append('a1')
    out.worker.wake()
    await out.pass(10 * MINUTE)
    expect(out.looks).not.toHaveBeenCalled()
    expect(vi.getTimerCount()).toBe(0)
  })

  it('one timer runs, however often it is woken', async () => {
    await using out = await openTimed()
    for (let time = 0; time < 3; time++) {
      out.worker.wake()
      await turns()
    }
    expect(vi.getTimerCount()).toBe(1)
  })

  it('a row whose end could not be written is looked at again', async () => {
    await using out = await openTimed()
    out.append('a1')
    await turns()
    vi.mocked(outboxQueries.settleOutboxJob).mockImplementationOnce(() => {
      throw new Error('the disk is full')
    })
    out.end('a1')
    await turns()
    expect([out.errors.map(String), out.begun]).toEqual([['Error: the disk is full'], ['a1']])
    await out.pass(5 * MINUTE)
    expect(out.begun).toEqual(['a1', 'a1'])
    out.end('a1')
  })
})
