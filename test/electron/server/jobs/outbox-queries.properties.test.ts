import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Context, openContext } from '#server/context.ts'
import type { Database } from '#server/database/database.ts'
import {
  addOutboxJob,
  deferOutboxJob,
  dropOutboxJobs,
  expediteOutboxJobs,
  findLatestOutboxJob,
  findOutboxJob,
  listDueOutboxJobs,
  listWaitingOutboxJobs,
  nextOutboxDue,
  type OutboxRecord,
  type OutboxRow,
  type OutboxState,
  outboxSummary,
  postponeOutboxJob,
  purgeOutbox,
  settleOutboxJob,
} from '#server/jobs/outbox-queries.ts'
import { OutboxWorker, type Settlement } from '#server/jobs/outbox-worker.ts'
import { instantOf } from '#server/platform/clock.ts'
import { verbatim } from '#shared/messages/message.ts'
import { RUNS_TIMEOUT_MS, runs } from '../../../support/property-runs.ts'
import { reportedErrors, standingClock, tempFolder } from '../../../support/temp-store.ts'

// Compares the outbox (jobs/outbox-queries.ts) with a model, which is an array. Each run uses its own
// kind of job in one database.

const MINUTE = 60_000

/** One row as the model has it. */
interface Row {
  readonly outboxId: number
  readonly subject: string
  readonly lane: string | null
  readonly payload: unknown
  state: OutboxState
  attempts: number
  notBefore: number
  lastError: string | null
  updatedAt: number
}

const place = fc.nat({ max: 30 })
const later = fc.constantFrom(0, 1, MINUTE, 90 * MINUTE)
const stepArbitrary = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('append' as const),
      subject: fc.nat({ max: 3 }),
      lane: fc.nat({ max: 3 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('pass' as const), ms: later }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('settle' as const),
      at: place,
      state: fc.constantFrom('sent' as const, 'failed' as const, 'dropped' as const),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constantFrom('postpone' as const, 'hold' as const),
      at: place,
      ms: later,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('hasten' as const),
      some: fc.option(fc.array(place, { maxLength: 3 }), { nil: undefined }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('drop' as const), subject: fc.nat({ max: 3 }) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('purge' as const), ms: later }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('reopen' as const) }) },
)
type Step = typeof stepArbitrary extends fc.Arbitrary<infer T> ? T : never

/**
 * Rows of the model that are due, as the outbox promises them: of a lane only the first that waits.
 */
function dueOf(rows: readonly Row[], now: number): Row[] {
  const isFirst = (row: Row) =>
    row.lane === null ||
    !rows.some(
      (other) =>
        other.lane === row.lane && other.outboxId < row.outboxId && other.state === 'waiting',
    )
  return rows
    .filter((row) => row.state === 'waiting' && row.notBefore <= now && isFirst(row))
    .sort((a, b) => a.notBefore - b.notBefore || a.outboxId - b.outboxId)
}

const recordOf = (kind: string, { payload: _, ...row }: Row, createdAt: string) => ({
  ...{ kind, ...row, createdAt },
  ...{ notBefore: instantOf(row.notBefore), updatedAt: instantOf(row.updatedAt) },
})

describe('the outbox', () => {
  it(
    'is what a list would be, by any sequence of calls and through any restart',
    () => {
      using temp = tempFolder()
      const clock = standingClock()
      const open = () =>
        openContext({ folder: temp.folder, clock, uuid: randomUUID, check: 'done' })
      let store = open()
      let kinds = 0
      fc.assert(
        fc.property(
          fc.array(stepArbitrary, { maxLength: 40 }),
          fc.integer({ min: 1, max: 4 }),
          (steps, limit) => {
            const kind = `kind-${++kinds}`
            const rows: Row[] = []
            const createdAt = new Map<number, string>()
            for (const step of steps) {
              store = taken(step, { kind, rows, createdAt, store, open, clock })
              const { database } = store
              const now = clock()
              const waiting = rows.filter(({ state }) => state === 'waiting')
              expect(listWaitingOutboxJobs(database, kind)).toEqual(
                waiting.map((row) => recordOf(kind, row, createdAt.get(row.outboxId) ?? '')),
              )
              for (const row of rows)
                expect(findOutboxJob(database, row.outboxId)).toEqual(
                  recordOf(kind, row, createdAt.get(row.outboxId) ?? ''),
                )
              expect(nextOutboxDue(database, kind)).toBe(
                waiting.length === 0
                  ? undefined
                  : instantOf(Math.min(...waiting.map(({ notBefore }) => notBefore))),
              )
              expect(outboxSummary(database, kind)).toMatchObject({
                waiting: waiting.length,
                failed: rows.filter(({ state }) => state === 'failed').length,
              })
              const due = pages(database, kind, instantOf(now), limit)
              expect(due.map(({ outboxId, payload }) => [outboxId, payload])).toEqual(
                dueOf(rows, now).map(({ outboxId, payload }) => [outboxId, payload]),
              )
            }
          },
        ),
        runs(40),
      )
      store[Symbol.dispose]()
    },
    RUNS_TIMEOUT_MS,
  )
})

function pages(database: Database, kind: string, now: string, limit: number): OutboxRow<unknown>[] {
  const all: OutboxRow<unknown>[] = []
  let after: OutboxRecord | undefined
  do {
    const page = listDueOutboxJobs(database, kind, now, limit, after)
    all.push(...page)
    after = page.length < limit ? undefined : page.at(-1)
  } while (after)
  return all
}

interface Run {
  readonly kind: string
  readonly rows: Row[]
  readonly createdAt: Map<number, string>
  readonly store: Context
  readonly open: () => Context
  readonly clock: ReturnType<typeof standingClock>
}

/** Takes the step in both; the store, which is another one after a restart. */
function taken(step: Step, run: Run): Context {
  if (step.do === 'reopen') {
    run.store[Symbol.dispose]()
    return run.open()
  }
  const take = TAKES[step.do] as (step: Step, run: Run) => void
  take(step, run)
  return run.store
}

const rowAt = ({ rows }: Run, at: number) => rows[at % Math.max(1, rows.length)]
const ifWaiting = (row: Row, change: (row: Row) => void): void => {
  if (row.state === 'waiting') change(row)
}

function putOff(
  run: Run,
  step: { readonly do: 'postpone' | 'hold'; readonly at: number; readonly ms: number },
): void {
  const now = run.clock()
  const row = rowAt(run, step.at)
  if (!row) return
  const lastError = verbatim(`${step.do} of ${row.outboxId}`)
  const write = step.do === 'hold' ? deferOutboxJob : postponeOutboxJob
  write(run.store.database, row.outboxId, {
    notBefore: instantOf(now + step.ms),
    lastError,
    at: instantOf(now),
  })
  ifWaiting(row, (it) => {
    Object.assign(it, {
      notBefore: now + step.ms,
      updatedAt: now,
      lastError,
      attempts: it.attempts + (step.do === 'hold' ? 0 : 1),
    })
  })
}

const TAKES: {
  readonly [D in Exclude<Step['do'], 'reopen'>]: (step: Step & { readonly do: D }, run: Run) => void
} = {
  append(step, { kind, rows, createdAt, store, clock }) {
    const at = instantOf(clock())
    const subject = `subject-${step.subject}`
    const lane = step.lane === 3 ? undefined : `lane-${step.lane}`
    const payload = { subject, text: `Zażółć ${rows.length}`, nothing: null }
    const outboxId = addOutboxJob(store.database, {
      kind,
      subject,
      payload,
      at,
      ...(lane && { lane }),
    })
    const fresh = { state: 'waiting', attempts: 0, lastError: null } as const
    rows.push({
      outboxId,
      subject,
      lane: lane ?? null,
      payload,
      ...fresh,
      notBefore: clock(),
      updatedAt: clock(),
    })
    createdAt.set(outboxId, at)
  },
  pass: ({ ms }, { clock }) => clock.pass(ms),
  settle(step, run) {
    const now = run.clock()
    const row = rowAt(run, step.at)
    if (!row) return
    const wasWaiting = row.state === 'waiting'
    const fault = step.state === 'failed' ? verbatim('given up') : null
    expect(
      settleOutboxJob(run.store.database, row.outboxId, step.state, instantOf(now), fault),
    ).toBe(wasWaiting)
    ifWaiting(row, (it) => {
      Object.assign(it, {
        state: step.state,
        updatedAt: now,
        lastError: fault,
        attempts: it.attempts + (step.state === 'dropped' ? 0 : 1),
      })
    })
  },
  postpone: (step, run) => putOff(run, step),
  hold: (step, run) => putOff(run, step),
  hasten(step, run) {
    const { kind, rows, store, clock } = run
    const some = step.some?.flatMap((place) => rowAt(run, place) ?? [])
    const now = clock()
    expediteOutboxJobs(
      store.database,
      kind,
      instantOf(now),
      some?.map(({ outboxId }) => outboxId),
    )
    for (const row of some ?? rows)
      ifWaiting(row, (it) => {
        it.notBefore = Math.min(it.notBefore, now)
      })
  },
  drop(step, { kind, rows, store, clock }) {
    const subject = `subject-${step.subject}`
    const dropped = rows.filter((row) => row.subject === subject && row.state === 'waiting')
    expect(dropOutboxJobs(store.database, kind, subject, instantOf(clock()))).toBe(dropped.length)
    for (const row of dropped) Object.assign(row, { state: 'dropped', updatedAt: clock() })
  },
  purge(step, { rows, store, clock }) {
    const before = clock() - step.ms
    purgeOutbox(store.database, instantOf(before))
    const kept = rows.filter(({ state, updatedAt }) => state === 'waiting' || updatedAt >= before)
    for (const { outboxId } of rows.filter((row) => !kept.includes(row)))
      expect(findOutboxJob(store.database, outboxId)).toBeUndefined()
    rows.splice(0, rows.length, ...kept)
  },
}

/** How an attempt ends; `fault`: it throws. */
const ENDS = ['sent', 'postponed', 'held', 'failed', 'fault'] as const
type End = (typeof ENDS)[number]

const turns = async () => {
  for (let turn = 0; turn < 4; turn++) await new Promise((resolve) => setImmediate(resolve))
}

describe('an outbox worker', () => {
  it(
    'settles each row exactly once, in the order of its lane and within the places of its group, however its attempts end',
    async () => {
      using temp = tempFolder()
      const clock = standingClock()
      using store = openContext({ folder: temp.folder, clock, uuid: randomUUID })
      let kinds = 0
      const rowsArbitrary = fc.array(
        fc.record({
          lane: fc.nat({ max: 2 }),
          group: fc.nat({ max: 1 }),
          ends: fc.array(fc.constantFrom(...ENDS), { maxLength: 3 }),
        }),
        { minLength: 1, maxLength: 8 },
      )
      const events = fc.array(
        fc.constantFrom('end', 'end', 'end', 'pass', 'restart', 'append') as fc.Arbitrary<
          'end' | 'pass' | 'restart' | 'append'
        >,
        {
          maxLength: 25,
        },
      )
      await fc.assert(
        fc.asyncProperty(
          fc.scheduler(),
          rowsArbitrary,
          events,
          fc.integer({ min: 1, max: 3 }),
          async (s, drawn, events, atOnce) => {
            const kind = `work-${++kinds}`
            const laneOf = ({ lane }: { readonly lane: number }) =>
              lane === 2 ? undefined : `lane-${lane}`
            const left = drawn.map(({ ends }) => [...ends])
            const settled = new Map<string, number>()
            const underWay = new Set<string>()
            const order: string[] = []
            let appended = 0
            let isLiving = true

            const append = () => {
              const row = drawn[appended]
              if (!row) return
              const lane = laneOf(row)
              addOutboxJob(store.database, {
                kind,
                subject: `row-${appended}`,
                payload: { row: appended },
                at: instantOf(clock()),
                ...(lane && { lane }),
              })
              appended++
            }
            const numberOf = (subject: string) => Number(subject.slice(4))
            const groupOf = ({ subject }: OutboxRecord) =>
              `group-${drawn[numberOf(subject)]?.group}`

            async function deliver(
              row: OutboxRow<unknown>,
              signal: AbortSignal,
            ): Promise<Settlement> {
              const { subject } = row
              const number = numberOf(subject)
              expect(row.payload).toEqual({ row: number })
              expect(settled.get(subject)).toBeUndefined()
              expect(underWay.has(subject)).toBe(false)
              underWay.add(subject)
              expect(
                [...underWay].filter(
                  (other) => drawn[numberOf(other)]?.group === drawn[number]?.group,
                ).length,
              ).toBeLessThanOrEqual(atOnce)
              const lane = laneOf(drawn[number] ?? { lane: 2 })
              if (lane !== undefined)
                for (let earlier = 0; earlier < number; earlier++)
                  if (laneOf(drawn[earlier] ?? { lane: 2 }) === lane)
                    expect(settled.get(`row-${earlier}`)).toBe(1)
              const cut = Promise.withResolvers<never>()
              signal.addEventListener('abort', () => cut.reject(signal.reason))
              try {
                const end = await Promise.race([
                  s.schedule(Promise.resolve(left[number]?.[0] ?? ('sent' as End)), subject),
                  cut.promise,
                ])
                left[number]?.shift()
                if (end === 'fault') throw new Error('a fault of ours')
                const until = clock() + MINUTE
                const within = (stillWaited: boolean) => {
                  expect(stillWaited).toBe(true)
                  expect(store.database.inTransaction).toBe(true)
                  if (end !== 'sent' && end !== 'failed') return
                  settled.set(subject, (settled.get(subject) ?? 0) + 1)
                  order.push(subject)
                }
                if (end === 'sent') return { outcome: 'sent', onRecorded: within }
                return end === 'failed'
                  ? { outcome: end, fault: verbatim(end), onRecorded: within }
                  : { outcome: end, until, fault: verbatim(end), onRecorded: within }
              } finally {
                underWay.delete(subject)
              }
            }
            const faults = reportedErrors(store)
            const open = () => new OutboxWorker(store, kind, deliver, atOnce, groupOf)
            let worker = open()
            append()
            for (const event of events) {
              await turns()
              if (event === 'end' && s.count() > 0) await s.waitOne()
              if (event === 'pass') {
                clock.pass(61 * MINUTE)
                worker.wake()
              }
              if (event === 'append') append()
              if (event === 'restart') {
                await worker[Symbol.asyncDispose]()
                worker = open()
              }
            }
            while (appended < drawn.length) append()
            for (let rounds = 0; isLiving; rounds++) {
              // Every attempt ends, and each row has three that fail at most.
              expect(rounds).toBeLessThan(200)
              await turns()
              while (s.count() > 0) {
                await s.waitOne()
                await turns()
              }
              isLiving = listWaitingOutboxJobs(store.database, kind).length > 0
              clock.pass(61 * MINUTE)
              worker.wake()
            }
            await worker.settled()
            await worker[Symbol.asyncDispose]()
            expect([...settled.values()]).toEqual(drawn.map(() => 1))
            for (const [number, { ends }] of drawn.entries()) {
              const wasFailed =
                findLatestOutboxJob(store.database, kind, `row-${number}`)?.state === 'failed'
              if (!ends.includes('failed')) expect(wasFailed).toBe(false)
            }
            for (const lane of ['lane-0', 'lane-1']) {
              const ofLane = order
                .map(numberOf)
                .filter((number) => laneOf(drawn[number] ?? { lane: 2 }) === lane)
              expect(ofLane).toEqual(ofLane.toSorted((a, b) => a - b))
            }
            for (const error of faults) expect(error).toMatchObject({ message: 'a fault of ours' })
          },
        ),
        runs(40),
      )
    },
    RUNS_TIMEOUT_MS,
  )
})
