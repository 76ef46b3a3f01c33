import type { Context } from '#server/context.ts'
import { Worker } from '#server/jobs/worker.ts'
import { requireDestination } from '#server/modules/forwarding/destinations.ts'
import type { Forwarding } from '#server/modules/forwarding/forwarding.ts'
import { instantOf } from '#server/platform/clock.ts'
import { listReadBackSources } from './fact-queries.ts'

const HOUR_MS = 60 * 60_000
/** A study whose copies were not all confirmed by it is read back again after a day. */
const RETRY_MS = 24 * HOUR_MS
/** While too many retrievals are running that people have started. */
const BUSY_RETRY_MS = 60_000

/**
 * Retrieves studies that lack confirmed copies from the destinations that they were sent to, one
 * after the other and at most `lifecycle.readBackPerHour` studies an hour. What comes back is
 * compared with the files here, as if a person had retrieved it. The rules find the studies again
 * every hour, so after a restart it goes on with those that are still not confirmed.
 */
export class ReadBacks implements AsyncDisposable {
  readonly #context: Context
  readonly #forwarding: Pick<Forwarding, 'pull' | 'pulls'>
  readonly #worker: Worker
  readonly #waiting = new Set<string>()
  /** When the retrievals of the last hour began (ms). */
  #begun: readonly number[] = []
  /** When studies were read back (ms). */
  readonly #triedAt = new Map<string, number>()
  #pausedUntil = 0

  constructor(context: Context, forwarding: Pick<Forwarding, 'pull' | 'pulls'>) {
    this.#context = context
    this.#forwarding = forwarding
    this.#worker = new Worker(
      context,
      () => (this.#waiting.size === 0 ? undefined : instantOf(this.#mayBeginAt())),
      async (signal) => {
        while (!signal.aborted && this.#waiting.size > 0 && this.#mayBeginAt() <= context.clock())
          await this.#next(signal)
      },
    )
  }

  /** Queues a study, unless it was read back recently or no destination can return it. */
  offer(studyInstanceUid: string): void {
    const { clock, database } = this.#context
    const triedAt = this.#triedAt.get(studyInstanceUid) ?? Number.NEGATIVE_INFINITY
    if (this.#waiting.size >= this.#perHour() || clock() - triedAt < RETRY_MS) return
    if (listReadBackSources(database, studyInstanceUid).length === 0) return
    this.#waiting.add(studyInstanceUid)
  }

  /** Starts what is queued, as far as the rate permits. */
  begin(): void {
    this.#worker.wake()
  }

  /** Resolves when nothing is due. */
  settled(): Promise<void> {
    return this.#worker.settled()
  }

  #perHour(): number {
    return this.#context.settings.get('lifecycle.readBackPerHour')
  }

  /** When the next retrieval may begin (ms). */
  #mayBeginAt(): number {
    const recent = this.#begun.slice(-this.#perHour())
    const isFull = recent.length >= this.#perHour()
    return Math.max(this.#pausedUntil, isFull ? (recent[0] ?? 0) + HOUR_MS : 0)
  }

  async #next(signal: AbortSignal): Promise<void> {
    const { clock, database } = this.#context
    const [studyInstanceUid = ''] = this.#waiting
    const [destinationId] = listReadBackSources(database, studyInstanceUid)
    if (destinationId === undefined) return void this.#waiting.delete(studyInstanceUid)
    const destination = requireDestination(database, destinationId)
    const { pulls } = this.#forwarding
    const now = clock()
    if (!pulls.mayStart(destination, studyInstanceUid)) {
      this.#pausedUntil = now + BUSY_RETRY_MS
      return
    }
    this.#waiting.delete(studyInstanceUid)
    this.#begun = [...this.#begun.filter((at) => now - at < HOUR_MS), now]
    for (const [uid, at] of this.#triedAt) if (now - at >= RETRY_MS) this.#triedAt.delete(uid)
    this.#triedAt.set(studyInstanceUid, now)
    const { pullId } = this.#forwarding.pull(destinationId, studyInstanceUid, 'gateway')
    const stopped = Promise.withResolvers<void>()
    const stop = () => stopped.resolve()
    signal.addEventListener('abort', stop, { once: true })
    await Promise.race([pulls.ended(pullId), stopped.promise])
    signal.removeEventListener('abort', stop)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#worker[Symbol.asyncDispose]()
  }
}
