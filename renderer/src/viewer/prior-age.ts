import { dayText } from '../format/dates.ts'
import { t } from '../i18n/t.ts'

const DAY_MS = 86_400_000

/**
 * How much earlier a prior study is, such as `14 months earlier`; empty where a date is not known.
 * @param prior,current DA
 */
export function ageText(prior: string, current: string): string {
  const [from, to] = [dateOf(prior), dateOf(current)]
  if (!from || !to) return ''
  const days = Math.round((to.getTime() - from.getTime()) / DAY_MS)
  if (days === 0) return t('ui.viewer.priors.sameDay')
  if (days < 0) return t('ui.viewer.priors.later', { days: -days })
  if (days < 60) return t('ui.viewer.priors.daysEarlier', { days })
  const isMonthBegun = to.getUTCDate() >= from.getUTCDate()
  const months =
    (to.getUTCFullYear() - from.getUTCFullYear()) * 12 +
    (to.getUTCMonth() - from.getUTCMonth()) -
    (isMonthBegun ? 0 : 1)
  if (months < 24) return t('ui.viewer.priors.monthsEarlier', { months })
  return t('ui.viewer.priors.yearsEarlier', { years: Math.floor(months / 12), months: months % 12 })
}

function dateOf(day: string): Date | undefined {
  const [, year, month, date] = /^(\d{4})(\d\d)(\d\d)$/.exec(day.trim()) ?? []
  return year ? new Date(Date.UTC(Number(year), Number(month) - 1, Number(date))) : undefined
}

/** The heading of a prior study: `Prior, 20 Nov 2025, 12 months earlier`. */
export function priorText(studyDate: string, currentDate: string): string {
  const day = dayText(studyDate)
  if (!day) return t('ui.viewer.rail.priorUndated')
  const age = ageText(studyDate, currentDate)
  return age ? t('ui.viewer.rail.priorAged', { day, age }) : t('ui.viewer.rail.prior', { day })
}
