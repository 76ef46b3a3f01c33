import { t } from '../i18n/t.ts'

/**
 * From here on it is shown as overdue. ACR Practice Parameter for Communication: findings of
 * immediate risk are told within minutes.
 */
export const OVERDUE_MINUTES = 60

interface OpenFor {
  /** `4 min`, `1 h 05 min`, `2 days 3 h`. */
  readonly text: string
  readonly isOverdue: boolean
}

const openHours = (hours: number, minutes: number) =>
  t('ui.critical-results.hours', { hours, minutes: String(minutes).padStart(2, '0') })

/** How long a critical result waits for somebody to be told. */
export function openFor(openedAt: string, now: Date): OpenFor {
  const minutes = Math.max(0, Math.floor((now.getTime() - new Date(openedAt).getTime()) / 60_000))
  const isOverdue = minutes >= OVERDUE_MINUTES
  if (minutes < 60) return { text: t('ui.critical-results.minutes', { minutes }), isOverdue }
  const hours = Math.floor(minutes / 60)
  if (hours < 24) return { text: openHours(hours, minutes % 60), isOverdue }
  const days = Math.floor(hours / 24)
  return { text: t('ui.critical-results.days', { days, hours: hours % 24 }), isOverdue }
}
