/** How far the simulation looks ahead; a disk that is not full by then counts as never full. */
export const HORIZON_DAYS = 3650
/** Weeks that are listed one by one. */
const LISTED_WEEKS = 8
const DAYS_PER_WEEK = 7

/** Files that the rules will remove. */
export interface PlannedRemoval {
  /** Whole days from now. */
  readonly inDays: number
  readonly bytes: number
  /** Whether they go earlier while the disk is nearly full. */
  readonly isEarlierWhenLow: boolean
}

/** What becomes of the images of a day: a share of their bytes, removed so many days later. */
export interface Lifetime {
  readonly days: number
  readonly share: number
  readonly isEarlierWhenLow: boolean
}

/** The disk, what arrives, and what the rules will remove. */
export interface DiskModel {
  readonly freeBytes: number
  /** Free space below which images are refused. */
  readonly stopBytes: number
  /** Free space below which some rules ignore the age. */
  readonly lowBytes: number
  readonly receivedPerDay: number
  /** Of the files that are on the disk now. */
  readonly leaving: readonly PlannedRemoval[]
  /** Of the files that will be received. */
  readonly lifetimes: readonly Lifetime[]
}

export interface SimulatedWeek {
  readonly receivedBytes: number
  readonly freedBytes: number
  /** At its end. */
  readonly freeBytes: number
}

export interface DiskSimulation {
  /** Whole days until images are refused; null if that is not within ten years. */
  readonly fullInDays: number | null
  /** The coming weeks, up to the one in which the disk is full. */
  readonly weeks: readonly SimulatedWeek[]
}

/**
 * Simulates the coming days, each of 24 hours from now: the rules remove what is due, then the
 * images of the day arrive.
 */
export function simulateDisk(model: DiskModel): DiskSimulation {
  const { stopBytes, receivedPerDay, lifetimes } = model
  const dueBytes = {
    fixed: new Float64Array(HORIZON_DAYS + 1),
    early: new Float64Array(HORIZON_DAYS + 1),
  }
  const schedule = (day: number, bytes: number, isEarlierWhenLow: boolean) => {
    const at = Math.min(Math.max(day, 0), HORIZON_DAYS)
    dueBytes[isEarlierWhenLow ? 'early' : 'fixed'][at] =
      bytesAt(dueBytes, at, isEarlierWhenLow) + bytes
  }
  for (const { inDays, bytes, isEarlierWhenLow } of model.leaving)
    schedule(inDays, bytes, isEarlierWhenLow)
  const weeks: { receivedBytes: number; freedBytes: number; freeBytes: number }[] = []
  let freeBytesLeft = model.freeBytes
  for (let day = 0; day < HORIZON_DAYS; day++) {
    const freed = freeOnDay(dueBytes, day, model.lowBytes - freeBytesLeft)
    freeBytesLeft += freed
    const isFull = freeBytesLeft - receivedPerDay < stopBytes
    const received = isFull ? Math.max(0, freeBytesLeft - stopBytes) : receivedPerDay
    freeBytesLeft -= received
    if (day < LISTED_WEEKS * DAYS_PER_WEEK) {
      if (day % DAYS_PER_WEEK === 0) weeks.push({ receivedBytes: 0, freedBytes: 0, freeBytes: 0 })
      const week = weeks.at(-1)
      if (week) {
        week.receivedBytes += received
        week.freedBytes += freed
        week.freeBytes = freeBytesLeft
      }
    }
    if (isFull) return { fullInDays: day, weeks }
    // What is removed on the day of its arrival is counted on the next one.
    for (const { days, share, isEarlierWhenLow } of lifetimes)
      schedule(day + Math.max(1, days), receivedPerDay * share, isEarlierWhenLow)
  }
  return { fullInDays: null, weeks }
}

interface Due {
  readonly fixed: Float64Array
  readonly early: Float64Array
}

const bytesAt = ({ fixed, early }: Due, day: number, isEarly: boolean): number =>
  (isEarly ? early : fixed)[day] ?? 0

/**
 * What is removed on a day: what is due, and of the rest of what may go early, soonest due first, as
 * much as `wanted` still needs.
 */
function freeOnDay(due: Due, day: number, wanted: number): number {
  let freed = bytesAt(due, day, false) + bytesAt(due, day, true)
  due.early[day] = 0
  for (let later = day + 1; later <= HORIZON_DAYS && freed < wanted; later++) {
    const removedBytes = Math.min(bytesAt(due, later, true), wanted - freed)
    due.early[later] = bytesAt(due, later, true) - removedBytes
    freed += removedBytes
  }
  return freed
}
