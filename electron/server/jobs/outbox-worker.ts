import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Context } from '#server/context.ts'
import { instantOf } from '#server/platform/clock.ts'
import { diskFaultKind } from '#server/platform/disk-fault.ts'
import { reportError } from '#server/platform/log.ts'
import { tryWrite } from '#server/platform/write-health.ts'
import { type Message, message } from '#shared/messages/message.ts'
import {
  deferOutboxJob,
  expediteOutboxJobs,
  findOutboxJob,
  listDueOutboxJobs,
  nextOutboxDue,
  type OutboxRecord,
  type OutboxRow,
  postponeOutboxJob,
  settleOutboxJob,
} from './outbox-queries.ts'
import { RETRY_SCHEDULES, retryDelayMs } from './retry-schedules.ts'
import { EVERY_GROUP, Worker } from './worker.ts'

/** Number of jobs read before the event loop continues. */
const PAGE_SIZE = 200
/**
 * Results kept in memory while the disk cannot be written to. At this number no further job is
 * started.
 */
const MAX_UNSAVED_RESULTS = 1000
const INTERNAL_ERROR = message('jobs.internal-error')

/** A job must not be sent before this time, in milliseconds since 1970. */
export interface HeldJob {
  readonly until: number
  readonly fault: Message
}

/**
 * The result of a delivery. sent and failed end the job; postponed counts an attempt; held does
 * not, because the job cannot be sent yet. An error must not name a patient or an address. `within`
 * runs in the transaction that records the result, with whether the job was still waiting, since a
 * person may have dropped it in the meantime.
 */
export type Settlement = (
  | { readonly outcome: 'sent' }
  | { readonly outcome: 'failed'; readonly fault: Message }
  | ({ readonly outcome: 'postponed' | 'held' } & HeldJob)
) & { readonly onRecorded?: (wasWaiting: boolean) => void }

type Deliver = (row: OutboxRow<unknown>, signal: AbortSignal) => Promise<Settlement>

interface FinishedJob {
  readonly row: OutboxRecord
  readonly settlement: Settlement
}

/**
 * Delivers the jobs of one kind, each until it is sent, dropped or failed. A job that is being
 * delivered when the gateway stops is delivered again after the next start.
 */
export class OutboxWorker implements AsyncDisposable {
  readonly #context: Context
  readonly #kind: string
  readonly #deliver: Deliver
  readonly #concurrency: number
  readonly #groupOf: (row: OutboxRecord) => string | HeldJob
  readonly #isIdle: () => boolean
  readonly #worker: Worker
  /**
   * Results by job id that could not be written yet. A job that was sent or failed is not delivered
   * again, and one that was postponed or held not before its time.
   */
  readonly #unsavedResults = new Map<number, FinishedJob>()
  readonly #inProgress = new Map<number, { readonly group: string; readonly done: Promise<void> }>()
  /**
   * When the last search for due jobs began. The next wake-up is for the first job due after it, so
   * a job that becomes due during the search is not missed.
   */
  #scannedAt = ''

  /**
   * @param deliver delivers one job; if it throws, the job is retried as after an internal error
   * @param concurrency jobs of one group delivered concurrently
   * @param groupOf the group whose concurrency limit the job shares, such as its destination
   * @param isIdle while true, no job is started; `retry` starts jobs again
   */
  constructor(
    context: Context,
    kind: string,
    deliver: Deliver,
    concurrency = 1,
    groupOf: (row: OutboxRecord) => string | HeldJob = () => '',
    isIdle = () => false,
  ) {
    this.#context = context
    this.#kind = kind
    this.#deliver = deliver
    this.#concurrency = concurrency
    this.#groupOf = groupOf
    this.#isIdle = isIdle
    this.#worker = new Worker(
      context,
      () => this.#nextDue(),
      (signal, groups) => this.#startDueJobs(signal, groups),
      `outbox ${kind}`,
    )
    this.#worker.wake()
  }

  #nextDue(): string | undefined {
    if (this.#isIdle() || this.#unsavedResults.size >= MAX_UNSAVED_RESULTS) return undefined
    const next = nextOutboxDue(this.#context.database, this.#kind, this.#scannedAt)
    const dueTimes = [...this.#unsavedResults.values()].flatMap(({ settlement }) =>
      'until' in settlement ? [instantOf(settlement.until)] : [],
    )
    return [...(next === undefined ? [] : [next]), ...dueTimes].sort()[0]
  }

  /** Starts due jobs while one of the groups has capacity. */
  async #startDueJobs(signal: AbortSignal, groups: ReadonlySet<string>): Promise<void> {
    const { database, clock } = this.#context
    let after: OutboxRecord | undefined
    this.#scannedAt = instantOf(clock())
    this.#saveUnsaved()
    while (!signal.aborted && !this.#isIdle() && this.#unsavedResults.size < MAX_UNSAVED_RESULTS) {
      const rows = listDueOutboxJobs(database, this.#kind, this.#scannedAt, PAGE_SIZE, after)
      const held = rows
        .filter(
          ({ outboxId }) => !this.#inProgress.has(outboxId) && !this.#hasUnsavedResult(outboxId),
        )
        .flatMap((row) => this.#start(row, signal))
      // If this write fails, they are read again; other jobs need not wait for it.
      if (held.length > 0)
        tryWrite(() => database.transaction(() => held.forEach((one) => void this.#write(one))))
      after = rows.at(-1)
      const hasAnyCapacity =
        groups.has(EVERY_GROUP) || [...groups].some((group) => this.#hasCapacity(group))
      if (rows.length < PAGE_SIZE || !hasAnyCapacity) return
      await nextTurn()
    }
  }

  #hasCapacity = (group: string) =>
    [...this.#inProgress.values()].filter((one) => one.group === group).length < this.#concurrency

  /** Writes the results kept in memory, all or none. */
  #saveUnsaved(): void {
    const { database } = this.#context
    // In a caller's transaction the write could still be rolled back.
    if (this.#unsavedResults.size === 0 || database.inTransaction) return
    const isSaved = tryWrite(() =>
      database.transaction(() => {
        for (const finished of this.#unsavedResults.values())
          try {
            this.#write(finished)
          } catch (error) {
            if (diskFaultKind(error) !== undefined) throw error
            // After an internal error the job keeps waiting unchanged, and the others are written.
            reportError(this.#context, error)
          }
      }),
    )
    if (isSaved) this.#unsavedResults.clear()
  }

  /** Whether a result in memory prevents the job from being delivered now. */
  #hasUnsavedResult(outboxId: number): boolean {
    const kept = this.#unsavedResults.get(outboxId)
    if (kept && dueTimeOf(kept.settlement) <= this.#context.clock())
      this.#unsavedResults.delete(outboxId)
    return this.#unsavedResults.has(outboxId)
  }

  /** Starts the job, or returns the result that makes it wait. */
  #start(row: OutboxRow<unknown>, signal: AbortSignal): readonly FinishedJob[] {
    const group = this.#groupOf(row)
    if (typeof group !== 'string') return [{ row, settlement: { outcome: 'held', ...group } }]
    const isFull = this.#unsavedResults.size + this.#inProgress.size >= MAX_UNSAVED_RESULTS
    if (!this.#hasCapacity(group) || isFull) return []
    const completion = this.#run(row, signal).then((isSettled) => {
      this.#inProgress.delete(row.outboxId)
      // A job left unchanged is read again at the next timer.
      if (isSettled) this.#worker.wake(group)
    })
    this.#inProgress.set(row.outboxId, { group, done: completion })
    return []
  }

  /**
   * False if the job keeps waiting unchanged, because the worker is closing or after an internal
   * error.
   */
  async #run(row: OutboxRow<unknown>, signal: AbortSignal): Promise<boolean> {
    let settlement: Settlement | undefined
    try {
      settlement = await this.#settlementOf(row, signal)
      this.#write({ row, settlement })
      return true
    } catch (error) {
      if (!signal.aborted) reportError(this.#context, error)
      if (!settlement || diskFaultKind(error) === undefined) return false
      const { payload: _, ...record } = row
      this.#unsavedResults.set(row.outboxId, { row: record, settlement })
      return true
    }
  }

  async #settlementOf(row: OutboxRow<unknown>, signal: AbortSignal): Promise<Settlement> {
    try {
      return await this.#deliver(row, signal)
    } catch (error) {
      if (signal.aborted) throw error
      reportError(this.#context, error)
      const wait = retryDelayMs(RETRY_SCHEDULES.internalError, row.attempts + 1)
      return { outcome: 'postponed', until: this.#context.clock() + wait, fault: INTERNAL_ERROR }
    }
  }

  #write({ row: { outboxId }, settlement }: FinishedJob): void {
    const { database, clock } = this.#context
    const at = instantOf(clock())
    database.transaction(() => {
      const wasWaiting = findOutboxJob(database, outboxId)?.state === 'waiting'
      if (settlement.outcome === 'sent') settleOutboxJob(database, outboxId, 'sent', at)
      else if (settlement.outcome === 'failed')
        settleOutboxJob(database, outboxId, 'failed', at, settlement.fault)
      else {
        const postponement = {
          notBefore: instantOf(settlement.until),
          lastError: settlement.fault,
          at,
        }
        if (settlement.outcome === 'held') deferOutboxJob(database, outboxId, postponement)
        else postponeOutboxJob(database, outboxId, postponement)
      }
      settlement.onRecorded?.(wasWaiting)
    })
  }

  /** Looks for due jobs now. */
  wake(): void {
    this.#worker.wake()
  }

  /** Makes all waiting jobs, or the given ones, due now. */
  retry(outboxIds?: readonly number[]): void {
    const { database, clock } = this.#context
    expediteOutboxJobs(database, this.#kind, instantOf(clock()), outboxIds)
    for (const [outboxId, { settlement }] of this.#unsavedResults)
      if ('until' in settlement && (!outboxIds || outboxIds.includes(outboxId)))
        this.#unsavedResults.delete(outboxId)
    this.#worker.wake()
  }

  /** Resolves when no job is due or being delivered. */
  async settled(): Promise<void> {
    await this.#worker.settled()
    while (this.#inProgress.size > 0) {
      await this.#allDone()
      await this.#worker.settled()
    }
  }

  #allDone = () => Promise.all([...this.#inProgress.values()].map(({ done }) => done))

  async [Symbol.asyncDispose]() {
    await this.#worker[Symbol.asyncDispose]()
    await this.#allDone()
    // A result that cannot be written now is lost, and the job is delivered again after the
    // restart.
    this.#saveUnsaved()
  }
}

/** When the job is to be delivered again; infinity if it was sent or failed. */
const dueTimeOf = (settlement: Settlement): number =>
  'until' in settlement ? settlement.until : Number.POSITIVE_INFINITY
