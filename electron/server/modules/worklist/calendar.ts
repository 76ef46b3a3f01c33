import { daysBetween } from '#server/platform/clinic-day.ts'

/** `20261120` of `2026-11-20`. */
export const daOf = (day: string): string => day.replaceAll('-', '')

/** `2026-11-20` of `20261120`. */
export const dayOf = (da: string): string => `${da.slice(0, 4)}-${da.slice(4, 6)}-${da.slice(6)}`

/** Seconds of clinic-local text, `YYYYMMDD` and `HHMMSS`, for distances only. */
export const secondsAt = (da: string, time: string): number =>
  daysBetween('2000-01-01', dayOf(da)) * 86_400 +
  Number(time.slice(0, 2)) * 3600 +
  Number(time.slice(2, 4)) * 60 +
  Number(time.slice(4, 6))

/**
 * AS (PS3.5 Table 6.2-1): whole years from two years on, months from one, days before; empty where
 * no age can be told.
 */
export function ageAt(birthDate: string, da: string): string {
  if (birthDate === '' || birthDate > da) return ''
  const number = (from: number, to: number) =>
    Number(da.slice(from, to)) - Number(birthDate.slice(from, to))
  const months = number(0, 4) * 12 + number(4, 6) - (da.slice(6) < birthDate.slice(6) ? 1 : 0)
  const days = daysBetween(dayOf(birthDate), dayOf(da))
  const [count, unit] =
    months >= 24 ? [Math.floor(months / 12), 'Y'] : months >= 1 ? [months, 'M'] : [days, 'D']
  return count > 999 ? '' : `${String(count).padStart(3, '0')}${unit}`
}
