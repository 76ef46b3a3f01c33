const SECOND_MS = 1000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS

/** When failed work is retried. */
export interface RetrySchedule {
  /** Milliseconds to wait after the first, second, … failed attempt. */
  readonly waits: readonly number[]
  /** After the last wait: no further attempts, or the last wait is repeated. */
  readonly atEnd: 'give-up' | 'repeat-last'
}

/** All retry schedules of the gateway. */
export const RETRY_SCHEDULES = {
  /** Delivery of a signed report to the partner; only a person can stop it. */
  reportDelivery: {
    waits: [
      ...[5 * SECOND_MS, 5 * MINUTE_MS, 30 * MINUTE_MS],
      ...[2 * HOUR_MS, 5 * HOUR_MS, 10 * HOUR_MS, 14 * HOUR_MS, 20 * HOUR_MS, 24 * HOUR_MS],
    ],
    atEnd: 'repeat-last',
  },
  /** Upload of a capture to the partner. */
  captureUpload: {
    waits: [
      ...[5 * SECOND_MS, MINUTE_MS, 5 * MINUTE_MS, 30 * MINUTE_MS],
      ...[2 * HOUR_MS, 5 * HOUR_MS, 10 * HOUR_MS],
    ],
    atEnd: 'give-up',
  },
  /** Sending an invitation by mail. */
  mail: {
    waits: [
      ...[MINUTE_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS, 6 * HOUR_MS],
      ...[12 * HOUR_MS, 24 * HOUR_MS, 36 * HOUR_MS],
    ],
    atEnd: 'give-up',
  },
  /**
   * The mail about critical results that were not communicated in time: it is tried again until
   * they are.
   */
  escalationMail: {
    waits: [1, 2, 5, 10, 15].map((minutes) => minutes * MINUTE_MS),
    atEnd: 'repeat-last',
  },
  /** Asking the partner for the details of a study that was created from received images. */
  enrichment: {
    waits: [
      ...[MINUTE_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS],
      ...[6 * HOUR_MS, 12 * HOUR_MS, 24 * HOUR_MS],
    ],
    atEnd: 'give-up',
  },
  /** Sending a storage commitment result to the device; stopped at a maximum age. */
  commitmentResult: {
    waits: [MINUTE_MS, 5 * MINUTE_MS, 15 * MINUTE_MS, HOUR_MS, 2 * HOUR_MS, 4 * HOUR_MS],
    atEnd: 'repeat-last',
  },
  /** Asking a destination to confirm what it was sent, and asking again for what it refused. */
  destinationCommitment: {
    waits: [
      ...[MINUTE_MS, 10 * MINUTE_MS, HOUR_MS, 4 * HOUR_MS],
      ...[12 * HOUR_MS, 24 * HOUR_MS, 24 * HOUR_MS, 24 * HOUR_MS],
    ],
    atEnd: 'give-up',
  },
  /**
   * Forwarding an instance to a destination, which stops after `forwarding.giveUpHours`, and
   * probing an unreachable destination.
   */
  forwarding: {
    waits: [1, 2, 4, 8, 16, 32, 60].map((minutes) => minutes * MINUTE_MS),
    atEnd: 'repeat-last',
  },
  /**
   * Copying an instance to a tier. Time during which the tier cannot be reached does not count; the
   * schedule of forwarding applies to it.
   */
  tierCopy: {
    waits: [1, 5, 30, 120].map((minutes) => minutes * MINUTE_MS),
    atEnd: 'give-up',
  },
  /** Work that failed with an internal error. */
  internalError: {
    waits: [MINUTE_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, HOUR_MS],
    atEnd: 'repeat-last',
  },
} as const satisfies Readonly<Record<string, RetrySchedule>>

/**
 * Milliseconds until the next attempt; undefined if there is none. @param failed number of failed
 * attempts, starting at 1
 */
export function retryDelayMs(
  schedule: RetrySchedule & { readonly atEnd: 'repeat-last' },
  failed: number,
): number
export function retryDelayMs(schedule: RetrySchedule, failed: number): number | undefined
export function retryDelayMs({ waits, atEnd }: RetrySchedule, failed: number): number | undefined {
  return waits[failed - 1] ?? (atEnd === 'repeat-last' ? waits.at(-1) : undefined)
}

/**
 * Whether the total wait after this many failed attempts exceeds the given hours. Time during which
 * the destination was down does not count.
 */
export function isExhausted(schedule: RetrySchedule, failed: number, hours: number): boolean {
  let waitedMs = 0
  for (let attempt = 1; attempt <= failed; attempt++) {
    waitedMs += retryDelayMs(schedule, attempt) ?? 0
    if (waitedMs > hours * HOUR_MS) return true
  }
  return false
}
