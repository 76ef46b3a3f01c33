/** An advisory that is known and accepted for a while. */
export interface AcceptedAdvisory {
  /** `GHSA-…`. */
  readonly advisory: string
  readonly package: string
  readonly reason: string
  /** YYYY-MM-DD; from the next day on it is a fault again. */
  readonly until: string
}

/**
 * Advisories against packages we ship that do not hold for us, with the reason, until a day at most
 * half a year ahead (`npm run audit`).
 */
export const ACCEPTED: readonly AcceptedAdvisory[] = []
