import type { Context } from '#server/context.ts'
import { isExhausted, RETRY_SCHEDULES, retryDelayMs } from '#server/jobs/retry-schedules.ts'
import { Worker } from '#server/jobs/worker.ts'
import { instantOf, msOf } from '#server/platform/clock.ts'
import { diskFaultKind } from '#server/platform/disk-fault.ts'
import { tryWrite } from '#server/platform/write-health.ts'
import { type Message, message, storedOrEmpty } from '#shared/messages/message.ts'
import {
  type DestinationRecord,
  findDestination,
  recordError,
  recordSent,
} from './destination-queries.ts'
import { appendQueueChange } from './feed-lines.ts'
import {
  countForwardsTo,
  nextForwardDue,
  postponeForward,
  settleForward,
} from './forward-queries.ts'
import { type DueForward, takeDueForwards } from './queue.ts'
import type { SendAttempt, Sender } from './sender.ts'
import { networkFault } from './verdict.ts'

/** Instances per association. */
export const BATCH_SIZE = 200
/** Pause after an internal error, which an immediate retry would only repeat. */
const FAULT_PAUSE_MS = 5 * 60_000
/** Images that arrive within this time are sent over the same association. */
const BATCH_DELAY_MS = 1000
const RETRY_SCHEDULE = RETRY_SCHEDULES.forwarding
const MAX_PAUSE_MS = Math.max(...RETRY_SCHEDULE.waits)
/** Pause between two rounds while the database is not writable. */
const UNWRITTEN_PAUSE_MS = 60_000
/** Maximum number of unrecorded instances; a round ends when it is reached. */
export const MAX_UNRECORDED = 5000

/**
 * Sends the queue of one destination in batches, each over one association. While the destination
 * is paused, waiting forwards get no failed attempts, and one association at a time tests whether
 * it is available again.
 */
export class ForwardingWorker implements AsyncDisposable {
  readonly #context: Context
  readonly #destinationId: string
  readonly #sender: Sender
  readonly #onSent: () => void
  readonly #worker: Worker
  #association = new AbortController()
  #isClosed = false
  #failedAssociations = 0
  #pausedUntilMs = 0
  /** Instances sent since the last feed entry. */
  #sent = new InstanceCount()
  /**
   * Instances that were sent but could not be recorded. They are not sent again; the others are
   * sent in the meantime, and the records are written as soon as possible.
   */
  readonly #unwritten = new Map<number, SendAttempt>()
  /** Instances of this round that were not sent and could not be recorded. */
  readonly #unrecorded = new Set<number>()

  /** @param onSent called when instances were sent to the destination */
  constructor(context: Context, destinationId: string, sender: Sender, onSent: () => void) {
    this.#context = context
    this.#destinationId = destinationId
    this.#sender = sender
    this.#onSent = onSent
    this.#worker = new Worker(
      context,
      () => this.#nextDue(),
      (signal) => this.#round(signal),
      'forwards',
      BATCH_DELAY_MS,
    )
    this.#worker.wake()
  }

  /** The destination; `undefined` after it was deleted. */
  #destination(): DestinationRecord | undefined {
    return findDestination(this.#context.database, this.#destinationId)
  }

  #nextInQueue(): string | undefined {
    return this.#destination()?.isEnabled
      ? nextForwardDue(this.#context.database, this.#destinationId)
      : undefined
  }

  #nextDue(): string | undefined {
    const next = this.#nextInQueue()
    const pausedUntil = instantOf(this.#context.clock() + this.#pauseMs())
    return next !== undefined && next < pausedUntil ? pausedUntil : next
  }

  #isDue(): boolean {
    const { isSafe, clock } = this.#context
    const next = !isSafe && this.#pauseMs() === 0 ? this.#nextInQueue() : undefined
    return next !== undefined && msOf(next) <= clock()
  }

  /** The remaining pause (ms). Setting the clock back does not extend it beyond its maximum. */
  #pauseMs(): number {
    const remainingMs = this.#pausedUntilMs - this.#context.clock()
    return remainingMs > MAX_PAUSE_MS ? 0 : Math.max(0, remainingMs)
  }

  async #round(closing: AbortSignal): Promise<void> {
    try {
      await this.#sendDue(closing)
    } catch (error) {
      this.#pausedUntilMs = this.#context.clock() + FAULT_PAUSE_MS
      throw error
    }
  }

  async #sendDue(closing: AbortSignal): Promise<void> {
    const { clock, feed } = this.#context
    this.flush()
    this.#unrecorded.clear()
    const pendingCount = () => this.#unwritten.size + this.#unrecorded.size
    for (
      let isFull = true;
      isFull && pendingCount() < MAX_UNRECORDED && this.#isDue() && !closing.aborted;
    ) {
      const to = this.#destination()
      const due = this.#takeDue(pendingCount())
      if (!to || due.length === 0) break
      isFull = due.length === BATCH_SIZE
      this.#association = new AbortController()
      await this.#sendBatch(to, due, AbortSignal.any([closing, this.#association.signal]))
      feed.noteImages()
      feed.noteStatus()
    }
    // A round that starts during the pause does not extend it.
    if (pendingCount() > 0 && this.#pauseMs() === 0)
      this.#pausedUntilMs = clock() + UNWRITTEN_PAUSE_MS
    // One feed entry for a study that arrives image by image.
    if (!this.#isDue() && this.#sent.instances > 0) {
      const { instances, studies } = this.#sent
      appendQueueChange(this.#context, this.#destinationId, { kind: 'sent', instances, studies })
      this.#sent = new InstanceCount()
    }
  }

  #takeDue(pendingCount: number): DueForward[] {
    const now = instantOf(this.#context.clock())
    return takeDueForwards(this.#context, this.#destinationId, now, BATCH_SIZE + pendingCount)
      .filter(
        ({ forward: { forwardId } }) =>
          !this.#unwritten.has(forwardId) && !this.#unrecorded.has(forwardId),
      )
      .slice(0, BATCH_SIZE)
  }

  async #sendBatch(
    to: DestinationRecord,
    due: readonly DueForward[],
    signal: AbortSignal,
  ): Promise<void> {
    const records: Promise<void>[] = []
    const failed = new InstanceCount()
    let [answered, stored] = [0, 0]
    let reason: Message | null = null
    let fault: Message | null = null
    try {
      for await (const attempt of this.#sender.send(to, due, signal)) {
        const { forward, verdict, status } = attempt
        // The gateway ended the association; the instance keeps waiting.
        if (signal.aborted && status === '') break
        const record = this.#record(attempt, failed)
        // Awaited below; this prevents an unhandled rejection until then.
        record.catch(() => {})
        records.push(record)
        if (verdict.kind === 'sent') {
          this.#sent.add(forward.studyInstanceUid)
          stored++
        } else reason = verdict.reason
        if (verdict.kind === 'pausing') {
          fault = verdict.reason
          break
        }
        if (status !== '' || verdict.kind === 'refused') answered++
      }
    } catch (error) {
      const networkReason = networkFault(error)
      if (networkReason === undefined && !signal.aborted) throw error
      // If an association made progress before it failed, a new one is opened immediately; it will
      // show whether the destination is available.
      if (answered === 0) fault = networkReason ?? null
    } finally {
      await Promise.all(records)
      if (failed.reason)
        appendQueueChange(this.#context, this.#destinationId, {
          kind: 'failed',
          instances: failed.instances,
          studies: failed.studies,
          reason: failed.reason,
        })
    }
    if (stored > 0) this.#recordSent()
    if (reason) this.#recordError(reason)
    if (fault && !signal.aborted) this.#markDown(fault)
    else if (answered > 0) this.#markUp()
  }

  /** Writes the outcome of an attempt. A final failure is counted in `failed`. */
  async #record(attempt: SendAttempt, failed: InstanceCount): Promise<void> {
    const { forward, verdict } = attempt
    try {
      await this.#context.database.commitSoon(() => this.#write(attempt))
      if (this.#isFinalFailure(attempt)) failed.add(forward.studyInstanceUid, verdict.reason)
    } catch (error) {
      if (diskFaultKind(error) === undefined) throw error
      if (verdict.kind === 'sent') this.#unwritten.set(forward.forwardId, attempt)
      // It was not sent, so it is tried again in a later round.
      else this.#unrecorded.add(forward.forwardId)
    }
  }

  /** Whether this failed attempt is the last. */
  #isFinalFailure({ forward, verdict }: SendAttempt): boolean {
    const giveUpHours = this.#context.settings.get('forwarding.giveUpHours')
    return (
      verdict.kind === 'refused' ||
      (verdict.kind !== 'sent' && isExhausted(RETRY_SCHEDULE, forward.attempts + 1, giveUpHours))
    )
  }

  #write(attempt: SendAttempt): void {
    const { database, clock } = this.#context
    const { forward, verdict, status, comment, sentAs } = attempt
    const now = clock()
    const { reason } = verdict
    const error =
      comment === '' || !reason ? reason : message('forwarding.with-comment', { reason, comment })
    const outcome = { at: instantOf(now), status, lastError: storedOrEmpty(error) }
    if (verdict.kind === 'sent')
      settleForward(database, forward.forwardId, 'sent', { ...outcome, sentAs })
    else if (this.#isFinalFailure(attempt))
      settleForward(database, forward.forwardId, 'failed', outcome)
    else {
      const nextAt = instantOf(now + retryDelayMs(RETRY_SCHEDULE, forward.attempts + 1))
      postponeForward(database, forward.forwardId, { ...outcome, nextAt })
    }
  }

  // Sending continues even if these records cannot be written.
  #recordSent(): void {
    const { database, clock } = this.#context
    tryWrite(() => recordSent(database, this.#destinationId, instantOf(clock())))
    this.#onSent()
  }

  #recordError(lastError: Message): void {
    tryWrite(() => recordError(this.#context.database, this.#destinationId, lastError))
  }

  #markUp(): void {
    if (this.#failedAssociations > 0)
      appendQueueChange(this.#context, this.#destinationId, { kind: 'up' })
    this.#failedAssociations = 0
    this.#pausedUntilMs = 0
  }

  #markDown(reason: Message): void {
    const { database, clock } = this.#context
    this.#failedAssociations++
    this.#pausedUntilMs = clock() + retryDelayMs(RETRY_SCHEDULE, this.#failedAssociations)
    this.#recordError(reason)
    if (this.#failedAssociations > 1) return
    const { waiting } = countForwardsTo(database, this.#destinationId)
    appendQueueChange(this.#context, this.#destinationId, { kind: 'down', reason, waiting })
  }

  /**
   * Writes records that are in memory. Must be called before decisions are based on the states in
   * the queue. Within a transaction of the caller, they are part of it.
   * @throws the error of the disk, only within a transaction of the caller
   */
  flush(): void {
    const { database } = this.#context
    const all = [...this.#unwritten]
    if (all.length === 0) return
    const write = () =>
      database.transaction(() => {
        for (const [, attempt] of all) this.#write(attempt)
        // The caller's transaction may still be rolled back.
        database.afterCommit(() => {
          for (const [forwardId] of all) this.#unwritten.delete(forwardId)
          this.#recordSent()
        })
      })
    // The caller must not continue in a transaction that SQLite has rolled back.
    if (database.inTransaction) write()
    else tryWrite(write)
  }

  /**
   * Ends the current association and starts again, because the destination was changed or a user
   * requested a retry.
   */
  restart(): void {
    this.#pausedUntilMs = 0
    // The pauses start again from the first; the feed has already reported that the destination is
    // down.
    this.#failedAssociations = Math.min(this.#failedAssociations, 1)
    this.#association.abort()
    this.#worker.begin()
  }

  /** End of the pause, if the destination is paused. */
  pausedUntil(): string | undefined {
    return this.#pauseMs() > 0 ? instantOf(this.#pausedUntilMs) : undefined
  }

  /** Sends what is due; resolves when nothing is due or the destination is paused. */
  async settled(): Promise<void> {
    do {
      this.#worker.begin()
      await this.#worker.settled()
    } while (this.#isDue() && !this.#isClosed)
  }

  async [Symbol.asyncDispose]() {
    this.#isClosed = true
    await this.#worker[Symbol.asyncDispose]()
    // Instances without a record are sent again after a restart.
    this.flush()
  }
}

/** Counts instances and their studies, and holds the reason of the last failure. */
class InstanceCount {
  instances = 0
  reason: Message | null = null
  readonly #studies = new Set<string>()
  get studies(): readonly string[] {
    return [...this.#studies]
  }
  add(studyInstanceUid: string, reason: Message | null = null): void {
    this.instances++
    this.#studies.add(studyInstanceUid)
    this.reason = reason
  }
}
