const wanted = Number(process.env.ISTHMUS_RUNS)

/**
 * How often a property is tried: as often as it says, or `ISTHMUS_RUNS` times. `ISTHMUS_SEED` and `ISTHMUS_PATH` are what fast-check printed
 * of a failure: with both the same counterexample is tried again, and nothing else.
 */
export function runs(usual: number): {
  readonly numRuns: number
  readonly seed?: number
  readonly path?: string
  readonly endOnFailure?: boolean
} {
  const { ISTHMUS_SEED: seed, ISTHMUS_PATH: path } = process.env
  return {
    numRuns: wanted > 0 ? wanted : usual,
    ...(seed && { seed: Number(seed) }),
    ...(path && { path, endOnFailure: true }),
  }
}

/** Milliseconds that a test of properties may take: 0 is for ever. */
export const RUNS_TIMEOUT_MS = wanted > 0 ? 0 : 60_000
