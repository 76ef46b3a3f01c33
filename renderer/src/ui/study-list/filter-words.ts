import { dayText } from '../../format/dates.ts'
import { t } from '../../i18n/t.ts'
import type { ListFilter } from './study-filter.ts'

/** `20 Nov 2026`, `20 Nov 2026 – 22 Nov 2026`, `since 20 Nov 2026`. */
export function daysText({ from, to }: { readonly from?: string; readonly to?: string }): string {
  if (from !== undefined && to !== undefined)
    return from === to ? dayText(from) : `${dayText(from)} – ${dayText(to)}`
  if (from !== undefined) return t('ui.study-list.filter.chip.since', { day: dayText(from) })
  return to === undefined
    ? t('ui.study-list.filter.anyDay')
    : t('ui.study-list.filter.chip.until', { day: dayText(to) })
}

/**
 * One thing that narrows a list, as its chip says it. Names of people and customers are asked for
 * by whoever draws it.
 */
export interface Chip {
  readonly part: keyof ListFilter
  readonly text: string
}

/** @param names of a person and of a customer by id, where they are known */
export function chipsOf(
  filter: ListFilter,
  names: { readonly person: string; readonly customer: string },
): readonly Chip[] {
  const { severity, status, assignedTo, expressCustomerId, cancelled, addendum, days } = filter
  const person = assignedTo === 'me' ? t('ui.study-list.filter.me') : names.person
  const chips: readonly (Chip | false | undefined)[] = [
    severity && {
      part: 'severity',
      text: severity.map((one) => t(`ui.study-list.severities.${one}.label`)).join(', '),
    },
    status && {
      part: 'status',
      text: status.map((one) => t(`ui.study-list.statuses.${one}.label`)).join(', '),
    },
    assignedTo && {
      part: 'assignedTo',
      text:
        assignedTo === 'nobody'
          ? t('ui.study-list.views.names.unassigned')
          : t('ui.study-list.filter.chip.assigned', { name: person }),
    },
    expressCustomerId && {
      part: 'expressCustomerId',
      text:
        expressCustomerId === 'none'
          ? t('ui.study-list.filter.noCustomer')
          : t('ui.study-list.filter.chip.customer', { name: names.customer }),
    },
    cancelled !== 'all' && {
      part: 'cancelled',
      text: t(`ui.study-list.filter.chip.cancelled.${cancelled}`),
    },
    addendum && { part: 'addendum', text: t('ui.study-list.filter.chip.addendum') },
    days && {
      part: 'days',
      text: t('ui.study-list.filter.chip.came', {
        days: typeof days === 'string' ? t(`ui.study-list.filter.presets.${days}`) : daysText(days),
      }),
    },
  ]
  return chips.filter((chip): chip is Chip => Boolean(chip))
}
