const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

export const LONGEST_BACK_OFF_MS = HOUR_MS

/** How long after the nth failed attempt, from 1, the next one comes: 1, 2, 4 … 60 minutes. */
export const backOffMs = (attempts: number): number =>
  Math.min(LONGEST_BACK_OFF_MS, MINUTE_MS * 2 ** Math.min(attempts - 1, 30))

/**
 * Whether an instance that failed so many times is given up. Counted are the pauses between its own
 * attempts, so that the time a destination was down does not count.
 */
export function isGivenUp(attempts: number, giveUpHours: number): boolean {
  let waitedMs = 0
  for (let attempt = 1; attempt <= attempts; attempt++) {
    waitedMs += backOffMs(attempt)
    if (waitedMs > giveUpHours * HOUR_MS) return true
  }
  return false
}
