const wanted = Number(process.env.ISTHMUS_RUNS)

/** Of the usual runs, so that a change is told by what it breaks and not by luck. */
const USUAL_SEED = 20_261_122

/**
 * How often a property is tried: as often as it says, always with the same seed, or `ISTHMUS_RUNS` times with a new one. `ISTHMUS_SEED` and
 * `ISTHMUS_PATH` are what fast-check printed of a failure: with both the same counterexample is tried again, and nothing else.
 */
export function runs(usual: number): {
  readonly numRuns: number
  readonly seed?: number
  readonly path?: string
  readonly endOnFailure?: boolean
} {
  const { ISTHMUS_SEED: seed, ISTHMUS_PATH: path } = process.env
  return {
    ...(wanted > 0 ? { numRuns: wanted } : { numRuns: usual, seed: USUAL_SEED }),
    ...(seed && { seed: Number(seed) }),
    ...(path && { path, endOnFailure: true }),
  }
}

/** Milliseconds that a test of properties may take: 0 is for ever. */
export const RUNS_TIMEOUT_MS = wanted > 0 ? 0 : 60_000
