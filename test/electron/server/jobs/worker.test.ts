import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { openContext } from '#server/context.ts'
import {
  addOutboxJob,
  listDueOutboxJobs,
  listWaitingOutboxJobs,
} from '#server/jobs/outbox-queries.ts'
import { OutboxWorker } from '#server/jobs/outbox-worker.ts'
import { Worker } from '#server/jobs/worker.ts'
import { instantOf } from '#server/platform/clock.ts'
import { reportedErrors, tempFolder, tempStore } from '../../../support/temp-store.ts'

const NOW = Date.parse('2026-03-10T09:00:00.000Z')

/** A worker on a clock that stands at 9:00. */
function openTestWorker(
  work: () => Promise<void>,
  nextDue: () => string | undefined = () => undefined,
  gatherMs?: number,
) {
  const { store, [Symbol.dispose]: remove } = tempStore()
  onTestFinished(remove)
  const context = { ...store, clock: () => NOW }
  const errors = reportedErrors(context)
  const worker = new Worker(context, nextDue, work, undefined, gatherMs)
  return Object.assign(worker, { errors })
}

describe('a worker', () => {
  it('works at one round at a time, and once more for what came meanwhile', async () => {
    const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    let rounds = 0
    let running = 0
    await using worker = openTestWorker(async () => {
      expect(++running).toBe(1)
      await gates[rounds++]?.promise
      running--
    })
    worker.wake()
    await new Promise((resolve) => setImmediate(resolve))
    worker.wake()
    worker.wake()
    gates[0]?.resolve()
    gates[1]?.resolve()
    await worker.settled()
    expect(rounds).toBe(2)
  })

  it('begins by itself when something is due', async () => {
    const done = Promise.withResolvers<void>()
    let rounds = 0
    await using worker = openTestWorker(
      async () => {
        if (++rounds === 2) done.resolve()
      },
      () => (rounds < 2 ? '2026-03-10T09:00:00.001Z' : undefined),
    )
    worker.wake()
    await done.promise
    expect(rounds).toBe(2)
  })

  it('goes on after a fault, in a minute: on a full disk nothing that was done can be written, and it is not to be done each second', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    let rounds = 0
    await using worker = openTestWorker(
      async () => {
        rounds++
        throw new Error('broken')
      },
      () => '2026-03-10T08:00:00.000Z',
    )
    worker.wake()
    await worker.settled()
    vi.advanceTimersByTime(59_000)
    await worker.settled()
    expect(rounds).toBe(1)
    vi.advanceTimersByTime(1_000)
    await worker.settled()
    expect(rounds).toBe(2)
    worker.wake()
    await worker.settled()
    expect(rounds).toBe(3)
    expect(worker.errors).toHaveLength(3)
  })

  it('gathers what comes within its time into one round', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    let rounds = 0
    await using worker = openTestWorker(async () => void rounds++, undefined, 1000)
    worker.wake()
    vi.advanceTimersByTime(600)
    worker.wake()
    vi.advanceTimersByTime(399)
    await worker.settled()
    expect(rounds).toBe(0)
    vi.advanceTimersByTime(1)
    await worker.settled()
    expect(rounds).toBe(1)
    worker.begin()
    await worker.settled()
    expect(rounds).toBe(2)
  })

  it('is silent once it is disposed of', async () => {
    let rounds = 0
    const worker = openTestWorker(async () => void rounds++)
    await worker[Symbol.asyncDispose]()
    worker.wake()
    await worker.settled()
    expect(rounds).toBe(0)
  })
})

describe('safe mode', () => {
  it('lets nothing that waits be taken up, and loses none of it', async () => {
    using temp = tempFolder()
    using context = openContext({ folder: temp.folder, isSafe: true })
    const { database, clock } = context
    const at = instantOf(clock())
    const append = (subject: string) =>
      addOutboxJob(database, { kind: 'report.delivered', subject, payload: {}, at })
    const delivered: string[] = []
    append('rep_before')
    await using worker = new OutboxWorker(context, 'report.delivered', async ({ subject }) => {
      delivered.push(subject)
      return { outcome: 'sent' }
    })
    append('rep_meanwhile')
    worker.retry()
    await worker.settled()
    expect(delivered).toEqual([])
    expect(
      listWaitingOutboxJobs(database, 'report.delivered').map(({ subject, attempts }) => ({
        subject,
        attempts,
      })),
    ).toEqual([
      { subject: 'rep_before', attempts: 0 },
      { subject: 'rep_meanwhile', attempts: 0 },
    ])
    expect(listDueOutboxJobs(database, 'report.delivered', at, 10)).toHaveLength(2)
  })

  it('lets no worker begin, however it is woken', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    using temp = tempFolder()
    using context = openContext({ folder: temp.folder, isSafe: true })
    let rounds = 0
    for (const gatherMs of [0, 1000]) {
      await using worker = new Worker(
        context,
        () => '2026-03-10T08:00:00.000Z',
        async () => void rounds++,
        'forwards',
        gatherMs,
      )
      context.database.notify('forwards')
      worker.wake()
      worker.begin()
      vi.advanceTimersByTime(600_000)
      await worker.settled()
    }
    expect(rounds).toBe(0)
  })
})
