import { isNightly } from './tier.ts'

const wanted = Number(process.env.ISTHMUS_RUNS)

/** Of the full tier, so that whether a test fails depends on the change and not on luck. */
const USUAL_SEED = 20_261_122

/**
 * How often a property is tried: as often as it says, always with the same seed; in the nightly
 * tier ten times as often with a new seed, and with `ISTHMUS_RUNS` that often with a new one.
 * `ISTHMUS_SEED` and `ISTHMUS_PATH` are what fast-check printed of a failure: with both, the same
 * counterexample is tried again and nothing else.
 */
export function runs(usual: number): {
  readonly numRuns: number
  readonly seed?: number
  readonly path?: string
  readonly endOnFailure?: boolean
} {
  const { ISTHMUS_SEED: seed, ISTHMUS_PATH: path } = process.env
  return {
    ...(wanted > 0
      ? { numRuns: wanted }
      : isNightly
        ? { numRuns: usual * 10 }
        : { numRuns: usual, seed: USUAL_SEED }),
    ...(seed && { seed: Number(seed) }),
    ...(path && { path, endOnFailure: true }),
  }
}

/** The seed of a test that makes its own values: always the same, but a new one in the nightly tier. */
export const seedOfRun = (): number =>
  Number(process.env.ISTHMUS_SEED ?? (isNightly ? Date.now() % 2 ** 31 : USUAL_SEED))

/** Milliseconds that a test of properties may take; 0 is without limit. */
export const RUNS_TIMEOUT_MS = wanted > 0 || isNightly ? 0 : 60_000
