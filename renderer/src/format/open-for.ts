import type { CriticalResult } from '#shared/contract/reports.ts'
import { t } from '../i18n/t.ts'

interface OpenDuration {
  /** `4 min`, `1 h 05 min`, `2 days 3 h`. */
  readonly text: string
  readonly isOverdue: boolean
}

const hoursText = (hours: number, minutes: number) =>
  t('ui.critical-results.hours', { hours, minutes: String(minutes).padStart(2, '0') })

/** How long a critical result waits to be communicated, and whether it is past its time. */
export function openDurationOf(
  { openedAt, dueAt }: Pick<CriticalResult, 'openedAt' | 'dueAt'>,
  now: Date,
): OpenDuration {
  const minutes = Math.max(0, Math.floor((now.getTime() - new Date(openedAt).getTime()) / 60_000))
  const isOverdue = now.getTime() >= new Date(dueAt).getTime()
  if (minutes < 60) return { text: t('ui.critical-results.minutes', { minutes }), isOverdue }
  const hours = Math.floor(minutes / 60)
  if (hours < 24) return { text: hoursText(hours, minutes % 60), isOverdue }
  const days = Math.floor(hours / 24)
  return { text: t('ui.critical-results.days', { days, hours: hours % 24 }), isOverdue }
}
