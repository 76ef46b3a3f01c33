const SECOND_MS = 1000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS

/** When work that failed is tried again. */
export interface RetrySchedule {
  /** Milliseconds after the first, second … failed attempt. */
  readonly waits: readonly number[]
  /** After the last of them: it is given up, or tried again after the same wait each time. */
  readonly atEnd: 'give-up' | 'repeat-last'
}

/** Every retry schedule of the gateway. */
export const RETRY_SCHEDULES = {
  /** A signed report on its way to the partner: only a person gives it up. */
  reportDelivery: {
    waits: [
      ...[5 * SECOND_MS, 5 * MINUTE_MS, 30 * MINUTE_MS],
      ...[2 * HOUR_MS, 5 * HOUR_MS, 10 * HOUR_MS, 14 * HOUR_MS, 20 * HOUR_MS, 24 * HOUR_MS],
    ],
    atEnd: 'repeat-last',
  },
  /** A capture on its way to the partner. */
  captureUpload: {
    waits: [
      ...[5 * SECOND_MS, MINUTE_MS, 5 * MINUTE_MS, 30 * MINUTE_MS],
      ...[2 * HOUR_MS, 5 * HOUR_MS, 10 * HOUR_MS],
    ],
    atEnd: 'give-up',
  },
  /** An invitation by mail. */
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
  /** The question to the partner about a study that arrived as images. */
  enrichment: {
    waits: [
      ...[MINUTE_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS],
      ...[6 * HOUR_MS, 12 * HOUR_MS, 24 * HOUR_MS],
    ],
    atEnd: 'give-up',
  },
  /** The result of a storage commitment on its way to the device, which is given up by its age. */
  commitmentResult: {
    waits: [MINUTE_MS, 5 * MINUTE_MS, 15 * MINUTE_MS, HOUR_MS, 2 * HOUR_MS, 4 * HOUR_MS],
    atEnd: 'repeat-last',
  },
  /**
   * An instance on its way to a destination, which is given up by `forwarding.giveUpHours`, and a
   * destination that takes nothing.
   */
  forwarding: {
    waits: [1, 2, 4, 8, 16, 32, 60].map((minutes) => minutes * MINUTE_MS),
    atEnd: 'repeat-last',
  },
  /** Work that an internal error ended. */
  internalError: {
    waits: [MINUTE_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, HOUR_MS],
    atEnd: 'repeat-last',
  },
} as const satisfies Readonly<Record<string, RetrySchedule>>

/** Milliseconds until the next attempt; undefined where it is given up. @param failed from 1 */
export function waitAfter(
  schedule: RetrySchedule & { readonly atEnd: 'repeat-last' },
  failed: number,
): number
export function waitAfter(schedule: RetrySchedule, failed: number): number | undefined
export function waitAfter({ waits, atEnd }: RetrySchedule, failed: number): number | undefined {
  return waits[failed - 1] ?? (atEnd === 'repeat-last' ? waits.at(-1) : undefined)
}

/**
 * Whether the waits after so many failed attempts come to more than that: the time for which a
 * destination was down does not count.
 */
export function isGivenUp(schedule: RetrySchedule, failed: number, hours: number): boolean {
  let waitedMs = 0
  for (let attempt = 1; attempt <= failed; attempt++) {
    waitedMs += waitAfter(schedule, attempt) ?? 0
    if (waitedMs > hours * HOUR_MS) return true
  }
  return false
}
