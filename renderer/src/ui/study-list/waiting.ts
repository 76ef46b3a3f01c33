import { t } from '../../i18n/t.ts'

const MINUTE = 60_000

/**
 * How long a study has waited since it came: `4 min`, `3 h 20 min`, `2 days`. A clock that is
 * behind makes it `0 min`.
 */
export function waitingText(since: string, now: Date): string {
  const minutes = Math.max(0, Math.floor((now.getTime() - new Date(since).getTime()) / MINUTE))
  if (Number.isNaN(minutes)) return ''
  if (minutes < 60) return t('ui.study-list.waited.minutes', { count: minutes })
  if (minutes < 48 * 60)
    return t('ui.study-list.waited.hours', {
      hours: Math.floor(minutes / 60),
      minutes: minutes % 60,
    })
  return t('ui.study-list.waited.days', { count: Math.floor(minutes / (24 * 60)) })
}

/** The first letters of a person's names, at most two. */
export const initialsOf = (name: string): string => {
  const names = name.trim().split(/\s+/)
  return [names[0], names.length > 1 ? names.at(-1) : '']
    .map((one) => [...(one ?? '')][0]?.toLocaleUpperCase() ?? '')
    .join('')
}
