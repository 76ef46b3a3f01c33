import type { Context } from '#server/context.ts'
import { isGivenUp, RETRY_SCHEDULES, waitAfter } from '#server/jobs/retry-schedules.ts'
import { instantOf, msOf } from '#server/platform/clock.ts'
import { diskFaultKind } from '#server/platform/disk-fault.ts'
import { tryWrite } from '#server/platform/write-health.ts'
import {
  type DestinationRecord,
  findDestination,
  noteError,
  noteSent,
} from './destination-queries.ts'
import {
  countForwardsTo,
  nextForwardDue,
  postponeForward,
  settleForward,
} from './forward-queries.ts'
import { type Due, takeDue } from './queue.ts'
import type { Attempt, Sender } from './sender.ts'
import { sentenceOf } from './sentence.ts'

/** Instances of one association. */
export const BATCH = 200
/** A timer of Node holds 24.8 days at most, and the clock of the PC may be set. */
const LONGEST_SLEEP_MS = 5 * 60_000
/** Within which images that arrive one by one are gathered for one association. */
const GATHER_MS = 1000
const SCHEDULE = RETRY_SCHEDULES.forwarding
const LONGEST_PAUSE_MS = Math.max(...SCHEDULE.waits)
/** Between two rounds while the disk takes no records. */
const UNWRITTEN_MS = 60_000
/** Instances whose record the disk did not take; with so many of them a round ends. */
export const MOST_UNWRITTEN = 5000

/** What became of a queue, for the feed; nothing in it names a person. */
export type WorkerNews =
  | { readonly kind: 'down'; readonly reason: string; readonly waiting: number }
  | { readonly kind: 'up' }
  | { readonly kind: 'sent'; readonly instances: number; readonly studies: readonly string[] }
  | {
      readonly kind: 'failed'
      readonly instances: number
      readonly studies: readonly string[]
      readonly reason: string
    }

/** Who hears what becomes of a queue. */
export interface WorkerListeners {
  readonly onNews: (news: WorkerNews) => void
  readonly onChanged: () => void
  /** Instances were sent to the destination. */
  readonly onSent: () => void
  /** A fault of ours. */
  readonly onError: (error: unknown) => void
}

export type Worker = ReturnType<typeof openWorker>

/**
 * The queue of one destination, sent batch by batch over one association each. While the
 * destination takes nothing, what waits goes on waiting without an attempt of its own, and one
 * association at a time tries whether it is back.
 */
export function openWorker(
  context: Context,
  destinationId: string,
  send: Sender,
  giveUpHours: () => number,
  listeners: WorkerListeners,
) {
  const { database, clock, isSafe } = context
  const closing = new AbortController()
  let association = new AbortController()
  let timer: NodeJS.Timeout | undefined
  let wakesAt = Number.POSITIVE_INFINITY
  let running: Promise<void> | undefined
  let downs = 0
  let pausedUntilMs = 0
  let sent = new Tally()
  /**
   * Instances that were sent and whose record the disk did not take: they are not sent again, the
   * others go out meanwhile, and the records are written once that is possible.
   */
  const unwritten = new Map<number, Attempt>()
  /** Instances of this round that were not sent, and whose record the disk did not take. */
  const unrecorded = new Set<number>()

  /** Undefined once it is removed. */
  const destination = () => findDestination(database, destinationId)

  // Images are sent without these records where the disk takes none, or only one of them.
  function recordSent(): void {
    tryWrite(() => noteSent(database, destinationId, instantOf(clock())))
    listeners.onSent()
  }
  const recordError = (lastError: string) =>
    void tryWrite(() => noteError(database, destinationId, lastError))

  function wakeIn(ms: number): void {
    if (closing.signal.aborted) return
    const now = clock()
    const at = now + ms
    // A timer that should have fired was set before the clock was set forward: it is late now.
    if (timer !== undefined && wakesAt >= now && wakesAt <= at) return
    clearTimeout(timer)
    wakesAt = at
    timer = setTimeout(start, ms).unref()
  }

  function start(): void {
    clearTimeout(timer)
    timer = undefined
    if (isSafe || closing.signal.aborted || running) return
    running = sendDue()
      .catch((error: unknown) => {
        // A fault of ours: what waits is safe, and trying again at once would only repeat it.
        pausedUntilMs = clock() + LONGEST_SLEEP_MS
        listeners.onError(error)
      })
      .then(() => {
        running = undefined
        sleep()
      })
      .catch((error: unknown) => {
        wakeIn(LONGEST_SLEEP_MS)
        listeners.onError(error)
      })
  }

  /** Sleeps until the next one is due, and the destination is tried again. */
  function sleep(): void {
    if (closing.signal.aborted || !destination()?.isEnabled) return
    const next = nextForwardDue(database, destinationId)
    if (next !== undefined)
      wakeIn(Math.min(LONGEST_SLEEP_MS, Math.max(GATHER_MS, pauseMs(), msOf(next) - clock())))
  }

  /**
   * What is left of the pause; a clock that was set back does not make it longer than it can be.
   */
  function pauseMs(): number {
    const left = pausedUntilMs - clock()
    return left > LONGEST_PAUSE_MS ? 0 : Math.max(0, left)
  }

  const isDue = () => {
    const next =
      !isSafe && pauseMs() === 0 && destination()?.isEnabled
        ? nextForwardDue(database, destinationId)
        : undefined
    return next !== undefined && msOf(next) <= clock()
  }

  function flush(): void {
    const all = [...unwritten]
    if (all.length === 0) return
    const write = () =>
      database.transaction(() => {
        for (const [, attempt] of all) keep(attempt)
        // The caller's transaction may be rolled back after this.
        database.afterCommit(() => {
          for (const [forwardId] of all) unwritten.delete(forwardId)
          recordSent()
        })
      })
    // The caller must not go on in a transaction that SQLite has rolled back.
    if (database.inTransaction) write()
    else tryWrite(write)
  }

  async function sendDue(): Promise<void> {
    flush()
    unrecorded.clear()
    const left = () => unwritten.size + unrecorded.size
    const isKept = (forwardId: number) => unwritten.has(forwardId) || unrecorded.has(forwardId)
    for (
      let isFull = true;
      isFull && left() < MOST_UNWRITTEN && isDue() && !closing.signal.aborted;
    ) {
      const to = destination()
      const due = takeDue(context, destinationId, instantOf(clock()), BATCH + left())
        .filter(({ forward }) => !isKept(forward.forwardId))
        .slice(0, BATCH)
      if (!to || due.length === 0) break
      isFull = due.length === BATCH
      association = new AbortController()
      await sendBatch(to, due, AbortSignal.any([closing.signal, association.signal]))
      listeners.onChanged()
    }
    // A round that begins within the pause does not make it longer.
    if (left() > 0 && pauseMs() === 0) pausedUntilMs = clock() + UNWRITTEN_MS
    // One line for a study that comes image by image.
    if (!isDue() && sent.instances > 0) {
      listeners.onNews({ kind: 'sent', instances: sent.instances, studies: sent.studies })
      sent = new Tally()
    }
  }

  async function sendBatch(
    to: DestinationRecord,
    due: readonly Due[],
    signal: AbortSignal,
  ): Promise<void> {
    const writes: Promise<void>[] = []
    const failed = new Tally()
    let [reason, failedFor] = ['', '']
    let answered = 0
    let stored = 0
    let fault: string | undefined
    try {
      for await (const attempt of send(to, due, signal)) {
        const { forward, verdict, status } = attempt
        // Ended by ourselves: it waits as before.
        if (signal.aborted && status === '') break
        const write = database
          .commitSoon(() => keep(attempt))
          .then(
            () => {
              if (!isLost(attempt)) return
              failed.add(forward)
              failedFor = verdict.reason
            },
            (error: unknown) => {
              if (diskFaultKind(error) === undefined) throw error
              if (verdict.kind === 'sent') unwritten.set(forward.forwardId, attempt)
              // It was not sent, so it is tried again in a later round.
              else unrecorded.add(forward.forwardId)
            },
          )
        // Waited for below; until then nobody hears it fail.
        write.catch(() => {})
        writes.push(write)
        if (verdict.kind === 'sent') {
          sent.add(forward)
          stored++
        } else reason = verdict.reason
        if (verdict.kind === 'pausing') {
          fault = verdict.reason
          break
        }
        if (status !== '' || verdict.kind === 'refused') answered++
      }
    } catch (error) {
      const sentence = sentenceOf(error)
      if (sentence === undefined && !signal.aborted) throw error
      // An association that ends when it has done something is opened anew at once: the next one
      // shows whether the destination is there.
      if (answered === 0) fault = sentence
    } finally {
      await Promise.all(writes)
      if (failed.instances > 0)
        listeners.onNews({
          kind: 'failed',
          instances: failed.instances,
          studies: failed.studies,
          reason: failedFor,
        })
    }
    if (stored > 0) recordSent()
    if (reason !== '') recordError(reason)
    if (fault !== undefined && !signal.aborted) isDown(fault)
    else if (answered > 0) isBack()
  }

  /** Whether this attempt ends the tries. */
  const isLost = ({ forward, verdict }: Attempt) =>
    verdict.kind === 'refused' ||
    (verdict.kind !== 'sent' && isGivenUp(SCHEDULE, forward.attempts + 1, giveUpHours()))

  function keep(attempt: Attempt): void {
    const { forward, verdict, status, comment, sentAs } = attempt
    const now = clock()
    const lastError =
      comment === '' || verdict.reason === '' ? verdict.reason : `${verdict.reason}: ${comment}`
    const said = { at: instantOf(now), status, lastError }
    if (verdict.kind === 'sent')
      settleForward(database, forward.forwardId, 'sent', { ...said, sentAs })
    else if (isLost(attempt)) settleForward(database, forward.forwardId, 'failed', said)
    else
      postponeForward(database, forward.forwardId, {
        ...said,
        nextAt: instantOf(now + waitAfter(SCHEDULE, forward.attempts + 1)),
      })
  }

  function isBack(): void {
    if (downs > 0) listeners.onNews({ kind: 'up' })
    downs = 0
    pausedUntilMs = 0
  }

  function isDown(reason: string): void {
    downs++
    pausedUntilMs = clock() + waitAfter(SCHEDULE, downs)
    recordError(reason)
    if (downs === 1)
      listeners.onNews({
        kind: 'down',
        reason,
        waiting: countForwardsTo(database, destinationId).waiting,
      })
  }

  return {
    /** Something was queued: looks in a second, with what came by then. */
    wake: () => wakeIn(GATHER_MS),
    /**
     * Ends the association under way and begins anew: the destination was changed, or a person
     * wants it tried now.
     */
    restart() {
      pausedUntilMs = 0
      // The pauses begin anew, and the feed has said already that it is down.
      downs = Math.min(downs, 1)
      association.abort()
      wakeIn(0)
    },
    /**
     * Writes the records that are in memory. Call it before the states of the queue are read for a
     * decision. In a transaction of the caller they are written with it, or not.
     * @throws the error of the disk, in a transaction of the caller alone
     */
    flush,
    /** When the next association is tried, where the destination takes nothing now. */
    pausedUntil: () => (pauseMs() > 0 ? instantOf(pausedUntilMs) : undefined),
    /** Sends what is due; resolves when nothing is, or the destination takes nothing now. */
    async settled() {
      do {
        start()
        await running
      } while (isDue() && !closing.signal.aborted)
    },
    async [Symbol.asyncDispose]() {
      closing.abort()
      clearTimeout(timer)
      await running
      // What a restart finds without its record is sent again.
      flush()
    },
  }
}

/** Instances, and the studies they are of. */
class Tally {
  instances = 0
  readonly #studies = new Set<string>()
  get studies(): readonly string[] {
    return [...this.#studies]
  }
  add({ studyInstanceUid }: { readonly studyInstanceUid: string }): void {
    this.instances++
    this.#studies.add(studyInstanceUid)
  }
}
