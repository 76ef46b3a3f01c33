/**
 * The three test tiers. `quick` checks types, lint and unit tests; `full` is `npm test`; `nightly`
 * runs the same tests as `full` with more rounds, and the ones that take minutes on their own.
 * `scripts/test.mjs` sets `ISTHMUS_TIER`; a test run by hand is `full`.
 */
export const TIERS = ['quick', 'full', 'nightly'] as const
export type Tier = (typeof TIERS)[number]

const wanted = process.env.ISTHMUS_TIER ?? 'full'
const found = TIERS.find((name) => name === wanted)
if (!found) throw new Error(`ISTHMUS_TIER must be one of ${TIERS.join(', ')}, not "${wanted}".`)

export const tier: Tier = found
export const isNightly = tier === 'nightly'

/** The amount of work for this tier, such as a number of rounds or bytes. */
export const perTier = <T>(full: T, nightly: T): T => (isNightly ? nightly : full)
