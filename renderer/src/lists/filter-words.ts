import { dayText } from '../display/dates.ts'
import type { ListFilter } from './study-filter.ts'
import { words } from './words.ts'

const { filter: texts } = words

/** `20 Nov 2026`, `20 Nov 2026 – 22 Nov 2026`, `since 20 Nov 2026`. */
export function daysText({ from, to }: { readonly from?: string; readonly to?: string }): string {
  if (from !== undefined && to !== undefined)
    return from === to ? dayText(from) : `${dayText(from)} – ${dayText(to)}`
  if (from !== undefined) return texts.chip.since(dayText(from))
  return to === undefined ? texts.anyDay : texts.chip.until(dayText(to))
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
  const person =
    assignedTo === 'me' ? texts.me : assignedTo === 'nobody' ? texts.nobody : names.person
  const chips: readonly (Chip | false | undefined)[] = [
    severity && {
      part: 'severity',
      text: severity.map((one) => words.severities[one][0]).join(', '),
    },
    status && { part: 'status', text: status.map((one) => words.statuses[one][0]).join(', ') },
    assignedTo && { part: 'assignedTo', text: texts.chip.assigned(person) },
    expressCustomerId && {
      part: 'expressCustomerId',
      text: expressCustomerId === 'none' ? texts.noCustomer : texts.chip.customer(names.customer),
    },
    cancelled !== 'all' && { part: 'cancelled', text: texts.chip.cancelled[cancelled] },
    addendum && { part: 'addendum', text: texts.chip.addendum },
    days && {
      part: 'days',
      text: texts.chip.came(typeof days === 'string' ? texts.presets[days] : daysText(days)),
    },
  ]
  return chips.filter((chip): chip is Chip => Boolean(chip))
}
