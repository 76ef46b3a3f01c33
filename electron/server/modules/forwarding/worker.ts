import type { Context } from '#server/context.ts'
import { isExhausted, RETRY_SCHEDULES, waitAfter } from '#server/jobs/retry-schedules.ts'
import { Worker } from '#server/jobs/worker.ts'
import { instantOf, msOf } from '#server/platform/clock.ts'
import { diskFaultKind } from '#server/platform/disk-fault.ts'
import { tryWrite } from '#server/platform/write-health.ts'
import { type Message, message, storedOrEmpty } from '#shared/messages/message.ts'
import {
  type DestinationRecord,
  findDestination,
  noteError,
  noteSent,
} from './destination-queries.ts'
import { appendQueueChange } from './feed-lines.ts'
import {
  countForwardsTo,
  nextForwardDue,
  postponeForward,
  settleForward,
} from './forward-queries.ts'
import { type Due, takeDue } from './queue.ts'
import type { Attempt, Sender } from './sender.ts'
import { networkFault } from './verdict.ts'

/** Instances of one association. */
export const BATCH = 200
/** After an internal error: what waits is safe, and trying again at once would only repeat it. */
const AFTER_FAULT_MS = 5 * 60_000
/** Within which images that arrive one by one are gathered for one association. */
const GATHER_MS = 1000
const SCHEDULE = RETRY_SCHEDULES.forwarding
const LONGEST_PAUSE_MS = Math.max(...SCHEDULE.waits)
/** Between two rounds while the disk takes no records. */
const UNWRITTEN_MS = 60_000
/** Instances whose record the disk did not take; with so many of them a round ends. */
export const MOST_UNWRITTEN = 5000

/**
 * The queue of one destination, sent batch by batch over one association each. While the
 * destination takes nothing, what waits goes on waiting without an attempt of its own, and one
 * association at a time tries whether it is back.
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
  /** Sent since the last line in the feed. */
  #sent = new InstanceCount()
  /**
   * Instances that were sent and whose record the disk did not take: they are not sent again, the
   * others go out meanwhile, and the records are written once that is possible.
   */
  readonly #unwritten = new Map<number, Attempt>()
  /** Instances of this round that were not sent, and whose record the disk did not take. */
  readonly #unrecorded = new Set<number>()

  /** `onSent`: instances were sent to the destination. */
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
      GATHER_MS,
    )
    this.#worker.wake()
  }

  /** Undefined once it is removed. */
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

  /**
   * What is left of the pause; a clock that was set back does not make it longer than it can be.
   */
  #pauseMs(): number {
    const left = this.#pausedUntilMs - this.#context.clock()
    return left > LONGEST_PAUSE_MS ? 0 : Math.max(0, left)
  }

  async #round(closing: AbortSignal): Promise<void> {
    try {
      await this.#sendDue(closing)
    } catch (error) {
      this.#pausedUntilMs = this.#context.clock() + AFTER_FAULT_MS
      throw error
    }
  }

  async #sendDue(closing: AbortSignal): Promise<void> {
    const { clock, feed } = this.#context
    this.flush()
    this.#unrecorded.clear()
    const left = () => this.#unwritten.size + this.#unrecorded.size
    for (
      let isFull = true;
      isFull && left() < MOST_UNWRITTEN && this.#isDue() && !closing.aborted;
    ) {
      const to = this.#destination()
      const due = this.#takeDue(left())
      if (!to || due.length === 0) break
      isFull = due.length === BATCH
      this.#association = new AbortController()
      await this.#sendBatch(to, due, AbortSignal.any([closing, this.#association.signal]))
      feed.noteImages()
      feed.noteStatus()
    }
    // A round that begins within the pause does not make it longer.
    if (left() > 0 && this.#pauseMs() === 0) this.#pausedUntilMs = clock() + UNWRITTEN_MS
    // One line for a study that comes image by image.
    if (!this.#isDue() && this.#sent.instances > 0) {
      const { instances, studies } = this.#sent
      appendQueueChange(this.#context, this.#destinationId, { kind: 'sent', instances, studies })
      this.#sent = new InstanceCount()
    }
  }

  #takeDue(left: number): Due[] {
    const now = instantOf(this.#context.clock())
    return takeDue(this.#context, this.#destinationId, now, BATCH + left)
      .filter(
        ({ forward: { forwardId } }) =>
          !this.#unwritten.has(forwardId) && !this.#unrecorded.has(forwardId),
      )
      .slice(0, BATCH)
  }

  async #sendBatch(to: DestinationRecord, due: readonly Due[], signal: AbortSignal): Promise<void> {
    const records: Promise<void>[] = []
    const failed = new InstanceCount()
    let [answered, stored] = [0, 0]
    let reason: Message | null = null
    let fault: Message | null = null
    try {
      for await (const attempt of this.#sender.send(to, due, signal)) {
        const { forward, verdict, status } = attempt
        // Ended by ourselves: it waits as before.
        if (signal.aborted && status === '') break
        const record = this.#record(attempt, failed)
        // Waited for below; until then nobody hears it fail.
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
      const ofNetwork = networkFault(error)
      if (ofNetwork === undefined && !signal.aborted) throw error
      // An association that ends when it has done something is opened anew at once: the next one
      // shows whether the destination is there.
      if (answered === 0) fault = ofNetwork ?? null
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
    if (stored > 0) this.#noteSent()
    if (reason) this.#noteError(reason)
    if (fault && !signal.aborted) this.#noteDown(fault)
    else if (answered > 0) this.#noteUp()
  }

  /** Writes what became of an instance; one that is given up is counted in `failed`. */
  async #record(attempt: Attempt, failed: InstanceCount): Promise<void> {
    const { forward, verdict } = attempt
    try {
      await this.#context.database.commitSoon(() => this.#write(attempt))
      if (this.#isLost(attempt)) failed.add(forward.studyInstanceUid, verdict.reason)
    } catch (error) {
      if (diskFaultKind(error) === undefined) throw error
      if (verdict.kind === 'sent') this.#unwritten.set(forward.forwardId, attempt)
      // It was not sent, so it is tried again in a later round.
      else this.#unrecorded.add(forward.forwardId)
    }
  }

  /** Whether this attempt ends the tries. */
  #isLost({ forward, verdict }: Attempt): boolean {
    const giveUpHours = this.#context.settings.get('forwarding.giveUpHours')
    return (
      verdict.kind === 'refused' ||
      (verdict.kind !== 'sent' && isExhausted(SCHEDULE, forward.attempts + 1, giveUpHours))
    )
  }

  #write(attempt: Attempt): void {
    const { database, clock } = this.#context
    const { forward, verdict, status, comment, sentAs } = attempt
    const now = clock()
    const { reason } = verdict
    const error =
      comment === '' || !reason ? reason : message('forwarding.with-comment', { reason, comment })
    const outcome = { at: instantOf(now), status, lastError: storedOrEmpty(error) }
    if (verdict.kind === 'sent')
      settleForward(database, forward.forwardId, 'sent', { ...outcome, sentAs })
    else if (this.#isLost(attempt)) settleForward(database, forward.forwardId, 'failed', outcome)
    else {
      const nextAt = instantOf(now + waitAfter(SCHEDULE, forward.attempts + 1))
      postponeForward(database, forward.forwardId, { ...outcome, nextAt })
    }
  }

  // Images are sent without these records where the disk takes none, or only one of them.
  #noteSent(): void {
    const { database, clock } = this.#context
    tryWrite(() => noteSent(database, this.#destinationId, instantOf(clock())))
    this.#onSent()
  }

  #noteError(lastError: Message): void {
    tryWrite(() => noteError(this.#context.database, this.#destinationId, lastError))
  }

  #noteUp(): void {
    if (this.#failedAssociations > 0)
      appendQueueChange(this.#context, this.#destinationId, { kind: 'up' })
    this.#failedAssociations = 0
    this.#pausedUntilMs = 0
  }

  #noteDown(reason: Message): void {
    const { database, clock } = this.#context
    this.#failedAssociations++
    this.#pausedUntilMs = clock() + waitAfter(SCHEDULE, this.#failedAssociations)
    this.#noteError(reason)
    if (this.#failedAssociations > 1) return
    const { waiting } = countForwardsTo(database, this.#destinationId)
    appendQueueChange(this.#context, this.#destinationId, { kind: 'down', reason, waiting })
  }

  /**
   * Writes the records that are in memory. Call it before the states of the queue are read for a
   * decision. In a transaction of the caller they are written with it, or not.
   * @throws the error of the disk, in a transaction of the caller alone
   */
  flush(): void {
    const { database } = this.#context
    const all = [...this.#unwritten]
    if (all.length === 0) return
    const write = () =>
      database.transaction(() => {
        for (const [, attempt] of all) this.#write(attempt)
        // The caller's transaction may be rolled back after this.
        database.afterCommit(() => {
          for (const [forwardId] of all) this.#unwritten.delete(forwardId)
          this.#noteSent()
        })
      })
    // The caller must not go on in a transaction that SQLite has rolled back.
    if (database.inTransaction) write()
    else tryWrite(write)
  }

  /**
   * Ends the association under way and begins anew: the destination was changed, or a person wants
   * it tried now.
   */
  restart(): void {
    this.#pausedUntilMs = 0
    // The pauses begin anew, and the feed has said already that it is down.
    this.#failedAssociations = Math.min(this.#failedAssociations, 1)
    this.#association.abort()
    this.#worker.begin()
  }

  /** When the next association is tried, where the destination takes nothing now. */
  pausedUntil(): string | undefined {
    return this.#pauseMs() > 0 ? instantOf(this.#pausedUntilMs) : undefined
  }

  /** Sends what is due; resolves when nothing is, or the destination takes nothing now. */
  async settled(): Promise<void> {
    do {
      this.#worker.begin()
      await this.#worker.settled()
    } while (this.#isDue() && !this.#isClosed)
  }

  async [Symbol.asyncDispose]() {
    this.#isClosed = true
    await this.#worker[Symbol.asyncDispose]()
    // What a restart finds without its record is sent again.
    this.flush()
  }
}

/** Instances, the studies they are of, and why the last one failed. */
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
