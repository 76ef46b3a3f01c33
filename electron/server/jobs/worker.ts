import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Context } from '#server/context.ts'
import type { Topic } from '#server/database/database.ts'
import { msOf } from '#server/platform/clock.ts'
import { reportError } from '#server/platform/log.ts'
import type { Instant } from '#shared/contract/conventions.ts'

/** A timer of Node holds 24.8 days at most, and the clock of the PC may be set. */
const LONGEST_SLEEP_MS = 5 * 60_000
const SHORTEST_SLEEP_MS = 1000
/**
 * After an internal error, such as a full disk: what was done (a question to the partner) could not
 * be written, and is due again at once.
 */
const AFTER_FAULT_MS = 60_000
/** Stands for every group. */
export const EVERY_GROUP = '*'

/**
 * Takes up the jobs of one queue in rounds, one round at a time: when it is woken, when the next
 * job is due, and every five minutes. Jobs are rows with the time they are due, so that a restart
 * forgets none. In safe mode it takes nothing up. Disposing of it ends the round that is under way
 * by its signal, and waits for it.
 */
export class Worker implements AsyncDisposable {
  readonly #context: Context
  readonly #nextDue: () => Instant | undefined
  readonly #work: (signal: AbortSignal, groups: ReadonlySet<string>) => Promise<void>
  readonly #gatherMs: number
  readonly #stopListening: (() => void) | undefined
  readonly #closing = new AbortController()
  readonly #wanted = new Set<string>()
  #timer: NodeJS.Timeout | undefined
  #wakesAt = 0
  #running: Promise<void> | undefined

  /**
   * `nextDue`: when the next job is due; undefined where none waits. `work` is one round, of the
   * groups that the worker was woken for; where it throws, the next round is a minute later.
   * `topic` wakes the worker. `gatherMs`: how long a worker that is woken waits for more jobs before
   * it takes them up together.
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
    this.#gatherMs = gatherMs
    this.#stopListening = topic && context.database.subscribe(topic, () => this.wake())
  }

  /** Looks for jobs: of every group, or of one group, of which a job has ended just now. */
  wake(group = EVERY_GROUP): void {
    this.#wanted.add(group)
    if (this.#gatherMs === 0) this.begin()
    else if (!this.#running) this.#beginIn(this.#gatherMs)
  }

  /** Begins a round now, or after the one that is under way. */
  begin(): void {
    if (this.#context.isSafe || this.#running || this.#closing.signal.aborted) return
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#running = this.#round()
  }

  async #round(): Promise<void> {
    const wanted = this.#wanted
    const { signal } = this.#closing
    // Never within the caller's transaction, and not in the turn of whoever added a job.
    if (wanted.size === 0 || wanted.has(EVERY_GROUP)) await nextTurn()
    else await undefined
    const groups = new Set(wanted.size > 0 ? wanted : [EVERY_GROUP])
    wanted.clear()
    let leastMs = SHORTEST_SLEEP_MS
    try {
      if (!signal.aborted) await this.#work(signal, groups)
    } catch (error) {
      leastMs = AFTER_FAULT_MS
      if (!signal.aborted) reportError(this.#context, error)
    }
    this.#running = undefined
    if (wanted.size > 0 && this.#gatherMs === 0) this.begin()
    else this.#sleep(leastMs)
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
      due === undefined ? LONGEST_SLEEP_MS : Math.max(leastMs, msOf(due) - this.#context.clock())
    this.#beginIn(Math.min(LONGEST_SLEEP_MS, waitMs))
  }

  #beginIn(ms: number): void {
    if (this.#context.isSafe || this.#closing.signal.aborted) return
    const now = this.#context.clock()
    // A timer that should have fired was set before the clock was set forward: it is late now.
    if (this.#timer !== undefined && this.#wakesAt >= now && this.#wakesAt <= now + ms) return
    clearTimeout(this.#timer)
    this.#wakesAt = now + ms
    this.#timer = setTimeout(() => this.begin(), ms).unref()
  }

  /** Resolves when no round is under way. */
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
