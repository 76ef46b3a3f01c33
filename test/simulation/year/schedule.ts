/** What a simulated year of so many days does on which of them. */
export interface Schedule {
  /** Days on which the archive cannot be reached, under its address. */
  readonly isArchiveAway: (day: number) => boolean
  /** Days on which the object stores answer no request. */
  readonly areStoresAway: (day: number) => boolean
  /** Whether new images are forwarded to the archive. Otherwise they are only in a store. */
  readonly isForwarding: (day: number) => boolean
  /** First days of the migrations to the two stores. */
  readonly migrations: readonly [number, number]
  /** A step of a migration is waited for until it came for the n-th time, n from 1 to this. */
  readonly mostTimes: number
  /** A legal hold is placed on a study of this day. */
  readonly heldDay: number
}

/** Of each migration; on each of them the gateway is killed at its share of the steps. */
export const MIGRATION_DAYS = 4

const DAYS_AWAY = 5

export function scheduleOf(days: number): Schedule {
  const at = (share: number) => Math.max(1, Math.round(days * share))
  const length = Math.min(DAYS_AWAY, at(0.03))
  const isIn = (...shares: number[]) => {
    const firsts = shares.map(at)
    return (day: number) => firsts.some((first) => day >= first && day < first + length)
  }
  const first = at(0.25)
  const second = Math.max(at(0.6), first + MIGRATION_DAYS + 1)
  return {
    isArchiveAway: isIn(0.11, 0.8),
    areStoresAway: isIn(0.45, 0.9),
    isForwarding: (day) => day < at(0.4) || day >= Math.max(at(0.7), second + MIGRATION_DAYS),
    migrations: [first, second],
    mostTimes: Math.max(2, Math.round(days / 30)),
    heldDay: Math.min(10, at(0.1)),
  }
}
