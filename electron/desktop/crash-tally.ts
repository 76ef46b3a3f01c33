/** So many crashes within so long are no chance. */
const CRASHES = 3
const WITHIN_MS = 10 * 60_000

/**
 * Counts crashes of the gateway's process: after three within ten minutes it starts in safe mode.
 * Ten minutes without one, and it does not.
 */
export function crashTally(clock: () => number): {
  crashed(): void
  isSafe(): boolean
  clear(): void
} {
  let crashes: readonly number[] = []
  const recent = () => crashes.filter((at) => clock() - at < WITHIN_MS)
  return {
    crashed() {
      crashes = [...recent(), clock()]
    },
    isSafe: () => recent().length >= CRASHES,
    clear() {
      crashes = []
    },
  }
}
