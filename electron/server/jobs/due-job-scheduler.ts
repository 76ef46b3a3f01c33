import { type Clock, msOf } from '#server/platform/clock.ts'
import type { Instant } from '#shared/contract/conventions.ts'

/** A timer of Node holds 24.8 days at most, and the clock of the PC may be set. */
const LONGEST_SLEEP_MS = 5 * 60_000
/** Between two rounds of work, where the one before left something due. */
const SHORTEST_SLEEP_MS = 250
/**
 * After a fault of ours, such as a full disk: what was done (a question to the partner) could not
 * be written, and is due again at once.
 */
const AFTER_FAULT_MS = 60_000

export interface AlarmOptions {
  readonly clock: Clock
  /** When something is due next, from the rows; undefined: nothing waits. */
  readonly next: () => Instant | undefined
  /** Does everything that is due. Where it throws it is asked again a minute later. */
  readonly work: (signal: AbortSignal) => Promise<void>
  readonly onError: (error: unknown) => void
}

/** Does what rows say is due, when it is due, one round at a time: a restart forgets nothing. */
export interface Alarm extends AsyncDisposable {
  /** Looks at once: a row was written, the clock or a setting changed. */
  wake(): void
  /** Resolves when no round is running. */
  settled(): Promise<void>
}

export function openAlarm({ clock, next, work, onError }: AlarmOptions): Alarm {
  const closing = new AbortController()
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> | undefined
  let isAskedAgain = false

  function wake(): void {
    if (closing.signal.aborted) return
    if (running) {
      isAskedAgain = true
      return
    }
    clearTimeout(timer)
    running = round()
      .catch((error: unknown) => onError(error))
      .finally(() => {
        running = undefined
        if (isAskedAgain) wake()
      })
  }

  async function round(): Promise<void> {
    // Never within the caller's transaction.
    await new Promise((resolve) => setImmediate(resolve))
    isAskedAgain = false
    let least = SHORTEST_SLEEP_MS
    await work(closing.signal).catch((error: unknown) => {
      least = AFTER_FAULT_MS
      if (!closing.signal.aborted) onError(error)
    })
    sleep(least)
  }

  function sleep(least: number): void {
    if (closing.signal.aborted) return
    const due = next()
    if (due === undefined) return
    const wait = Math.min(LONGEST_SLEEP_MS, Math.max(least, msOf(due) - clock()))
    timer = setTimeout(wake, wait).unref()
  }

  return {
    wake,
    async settled() {
      while (running) await running
    },
    async [Symbol.asyncDispose]() {
      closing.abort()
      clearTimeout(timer)
      await running
    },
  }
}
