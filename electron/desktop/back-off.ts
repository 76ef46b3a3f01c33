const FIRST_MS = 500
const MOST_MS = 30_000
const STEADY_MS = 60_000

/**
 * Waits between restarts of a process that ended unasked: 0.5 s, doubling to 30 s; a run of a
 * minute starts over. Times in milliseconds.
 */
export function backOff(clock: () => number): { started(): void; next(): number } {
  let startedAt = clock()
  let failures = 0
  return {
    started() {
      startedAt = clock()
    },
    next() {
      failures = clock() - startedAt >= STEADY_MS ? 1 : failures + 1
      return Math.min(MOST_MS, FIRST_MS * 2 ** (failures - 1))
    },
  }
}
