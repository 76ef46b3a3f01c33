import { instantOf, msOf } from '#server/platform/clock.ts'
import type { BackupKind } from '#shared/contract/dashboard-backups.ts'

/** The attributes of a backup on which retention depends. */
export interface RetainedBackup {
  readonly name: string
  readonly madeAt: string
  readonly kind: BackupKind
}

export interface RetentionPlan {
  /**
   * Number of days, weeks (Monday to Sunday) and months whose last backup is kept. Periods without
   * a backup do not count.
   */
  readonly keepDaily: number
  readonly keepWeekly: number
  readonly keepMonthly: number
}

const HOUR_MS = 60 * 60_000
const DAY_MS = 24 * HOUR_MS
const BEFORE_UPDATE_RETENTION_MS = 30 * DAY_MS
/**
 * Minimum age of a scheduled backup before it is deleted because a newer one of the same day
 * exists: someone may be copying it to another disk.
 */
const MIN_AGE_MS = HOUR_MS

// A day, week or month of the clinic is identified by its first day, `YYYY-MM-DD`. `later` returns
// the first day of the period that begins `count` periods later.
const PERIODS = [
  {
    keep: 'keepDaily',
    of: (day: string) => day,
    later: (day: string, count: number) => addDays(day, count),
  },
  {
    keep: 'keepWeekly',
    of: mondayOf,
    later: (day: string, count: number) => addDays(day, 7 * count),
  },
  { keep: 'keepMonthly', of: (day: string) => `${day.slice(0, 7)}-01`, later: addMonths },
] as const

/**
 * For each backup, when it expires if one is made every day from now on (RFC 3339); `null` if it is
 * kept until a user deletes it. A time that is not after `now` means that it is deleted after the
 * next backup. Periods without a backup do not count, so a PC that was off for a month keeps its
 * backups.
 * @param timeZone IANA time zone of the clinic, which determines its days
 */
export function expiryTimes(
  backups: readonly RetainedBackup[],
  plan: RetentionPlan,
  timeZone: string,
  now: number,
): ReadonlyMap<string, string | null> {
  const calendar = calendarOf(timeZone)
  const slots = slotsOf(backups, plan, calendar)
  const days = new Set(
    backups
      .filter(({ kind }) => kind === 'scheduled')
      .map(({ madeAt }) => calendar.dayOf(msOf(madeAt))),
  )
  const today = calendar.dayOf(now)
  /** The next day on which a backup will be made. */
  const nextDay = days.has(today) ? addDays(today, 1) : today

  /**
   * When enough newer periods have begun that this one is no longer kept; `undefined` if a later
   * backup of the same period will replace it.
   */
  function slotEndOf({ period, first, remaining }: RetentionSlot): number | undefined {
    const next = period.of(nextDay)
    if (next === first) return undefined
    const isPeriodCovered = [...days].some((day) => period.of(day) === next)
    return calendar.startOf(period.later(isPeriodCovered ? period.later(next, 1) : next, remaining))
  }

  function expiryOf({ name, kind, madeAt }: RetainedBackup): string | null {
    if (kind === 'by-hand') return null
    if (kind === 'before-update') return instantOf(msOf(madeAt) + BEFORE_UPDATE_RETENTION_MS)
    const ends = (slots.get(name) ?? []).map(slotEndOf).filter((end) => end !== undefined)
    return instantOf(Math.max(msOf(madeAt) + MIN_AGE_MS, ...ends))
  }

  return new Map(backups.map((backup) => [backup.name, expiryOf(backup)]))
}

/** Names of the expired backups. The newest backup is never one of them. */
export function expiredBackups(
  backups: readonly RetainedBackup[],
  plan: RetentionPlan,
  timeZone: string,
  now: number,
): string[] {
  const slots = slotsOf(backups, plan, calendarOf(timeZone))
  const newest = newestFirst(backups)[0]
  const isKept: Readonly<Record<BackupKind, (backup: RetainedBackup) => boolean>> = {
    'by-hand': () => true,
    'before-update': ({ madeAt }) => msOf(madeAt) + BEFORE_UPDATE_RETENTION_MS > now,
    scheduled: ({ name, madeAt }) => slots.has(name) || msOf(madeAt) + MIN_AGE_MS > now,
  }
  return backups
    .filter((backup) => backup !== newest && !isKept[backup.kind](backup))
    .map(({ name }) => name)
}

/**
 * A day, week or month that is represented by a backup, and how many newer ones the plan allows
 * before this one expires.
 */
interface RetentionSlot {
  readonly period: (typeof PERIODS)[number]
  readonly first: string
  readonly remaining: number
}

/** The slots of each scheduled backup that has any. */
function slotsOf(
  backups: readonly RetainedBackup[],
  plan: RetentionPlan,
  calendar: Calendar,
): Map<string, RetentionSlot[]> {
  const scheduled = newestFirst(backups.filter(({ kind }) => kind === 'scheduled'))
  const dated = scheduled.map(({ name, madeAt }) => ({ name, day: calendar.dayOf(msOf(madeAt)) }))
  const slots = new Map<string, RetentionSlot[]>()
  for (const period of PERIODS) {
    const seen = new Set<string>()
    for (const { name, day } of dated) {
      const first = period.of(day)
      if (seen.has(first)) continue
      if (seen.size >= plan[period.keep]) break
      seen.add(first)
      slots.set(name, [
        ...(slots.get(name) ?? []),
        { period, first, remaining: plan[period.keep] - seen.size },
      ])
    }
  }
  return slots
}

const newestFirst = <T extends RetainedBackup>(backups: readonly T[]): T[] =>
  [...backups].sort((one, other) =>
    one.madeAt < other.madeAt ? 1 : one.madeAt > other.madeAt ? -1 : 0,
  )

interface Calendar {
  dayOf(ms: number): string
  /** The first instant of the day (ms). */
  startOf(day: string): number
}

function calendarOf(timeZone: string): Calendar {
  const format = new Intl.DateTimeFormat('sv-SE', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  })
  const dayOf = (ms: number) => format.format(ms)
  return {
    dayOf,
    startOf(day) {
      // Time zones range from UTC−12 to UTC+14.
      const midnight = Date.parse(`${day}T00:00:00Z`)
      let [before, after] = [midnight - 15 * HOUR_MS, midnight + 15 * HOUR_MS]
      while (after - before > 1) {
        const middle = Math.floor((before + after) / 2)
        if (dayOf(middle) < day) before = middle
        else after = middle
      }
      return after
    },
  }
}

// The days have no time zone, so UTC arithmetic is exact.
const addDays = (day: string, count: number): string =>
  instantOf(Date.parse(`${day}T00:00:00Z`) + count * DAY_MS).slice(0, 10)

function mondayOf(day: string): string {
  const weekday = new Date(`${day}T00:00:00Z`).getUTCDay()
  return addDays(day, -((weekday + 6) % 7))
}

function addMonths(day: string, count: number): string {
  const [year = 0, month = 1] = day.split('-').map(Number)
  return instantOf(Date.UTC(year, month - 1 + count, 1)).slice(0, 10)
}
