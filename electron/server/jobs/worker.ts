import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Context } from '#server/context.ts'
import type { Topic } from '#server/database/database.ts'
import { msOf } from '#server/platform/clock.ts'
import { reportError } from '#server/platform/log.ts'
import type { Instant } from '#shared/contract/conventions.ts'

/** Node's timers are limited to 24.8 days, and the PC's clock may be changed. */
const MAX_SLEEP_MS = 5 * 60_000
const MIN_SLEEP_MS = 1000
/**
 * Delay after an internal error such as a full disk. What was done could not be recorded, so the
 * job would be due again immediately.
 */
const FAULT_DELAY_MS = 60_000
/** Stands for all groups. */
export const EVERY_GROUP = '*'

/**
 * Runs the jobs of one queue in rounds, one round at a time: when woken, when the next job is due,
 * and every five minutes. Jobs are rows with a due time, so none is lost by a restart. In safe mode
 * no round runs. Disposing aborts the current round through its signal and waits for it.
 */
export class Worker implements AsyncDisposable {
  readonly #context: Context
  readonly #nextDue: () => Instant | undefined
  readonly #work: (signal: AbortSignal, groups: ReadonlySet<string>) => Promise<void>
  readonly #batchingDelayMs: number
  readonly #stopListening: (() => void) | undefined
  readonly #closing = new AbortController()
  readonly #requested = new Set<string>()
  #timer: NodeJS.Timeout | undefined
  #wakesAt = 0
  #running: Promise<void> | undefined

  /**
   * @param nextDue when the next job is due; undefined if none is waiting
   * @param work runs one round for the groups that were woken; if it throws, the next round runs a
   * minute later
   * @param topic wakes the worker when notified
   * @param gatherMs how long a woken worker waits for further jobs before it starts a round
   */
  constructor(
    context: Context,
    nextDue: () => Instant | undefined,
    work: (signal: AbortSignal, groups: ReadonlySet<string>) => Promise<void>,
    topic?: Topic,
    gatherMs = 0,
  ) {
    this.#context = context
    this.#nextDue = nextDue
    this.#work = work
    this.#batchingDelayMs = gatherMs
    this.#stopListening = topic && context.database.subscribe(topic, () => this.wake())
  }

  /** Looks for jobs of every group, or of one group after one of its jobs has ended. */
  wake(group = EVERY_GROUP): void {
    this.#requested.add(group)
    if (this.#batchingDelayMs === 0) this.begin()
    else if (!this.#running) this.#beginIn(this.#batchingDelayMs)
  }

  /** Starts a round now, or after the current one. */
  begin(): void {
    if (this.#context.isSafe || this.#running || this.#closing.signal.aborted) return
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#running = this.#round()
  }

  async #round(): Promise<void> {
    const requested = this.#requested
    const { signal } = this.#closing
    // Never runs within the caller's transaction, nor in the turn in which a job was added.
    if (requested.size === 0 || requested.has(EVERY_GROUP)) await nextTurn()
    else await undefined
    const groups = new Set(requested.size > 0 ? requested : [EVERY_GROUP])
    requested.clear()
    let minSleepMs = MIN_SLEEP_MS
    try {
      if (!signal.aborted) await this.#work(signal, groups)
    } catch (error) {
      minSleepMs = FAULT_DELAY_MS
      if (!signal.aborted) reportError(this.#context, error)
    }
    this.#running = undefined
    if (requested.size > 0 && this.#batchingDelayMs === 0) this.begin()
    else this.#sleep(minSleepMs)
  }

  #sleep(leastMs: number): void {
    if (this.#closing.signal.aborted) return
    let due: Instant | undefined
    try {
      due = this.#nextDue()
    } catch (error) {
      reportError(this.#context, error)
    }
    const waitMs =
      due === undefined ? MAX_SLEEP_MS : Math.max(leastMs, msOf(due) - this.#context.clock())
    this.#beginIn(Math.min(MAX_SLEEP_MS, waitMs))
  }

  #beginIn(ms: number): void {
    if (this.#context.isSafe || this.#closing.signal.aborted) return
    const now = this.#context.clock()
    // A timer that is overdue was set before the clock was set forward.
    if (this.#timer !== undefined && this.#wakesAt >= now && this.#wakesAt <= now + ms) return
    clearTimeout(this.#timer)
    this.#wakesAt = now + ms
    this.#timer = setTimeout(() => this.begin(), ms).unref()
  }

  /** Resolves when no round is running. */
  async settled(): Promise<void> {
    while (this.#running) await this.#running
  }

  async [Symbol.asyncDispose]() {
    this.#stopListening?.()
    this.#closing.abort()
    clearTimeout(this.#timer)
    await this.#running
  }
}
