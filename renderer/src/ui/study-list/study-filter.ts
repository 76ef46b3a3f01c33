import type { StudyListFilter } from '#shared/contract/dashboard-studies.ts'
import type { StudyArea } from '#shared/contract/settings.ts'
import { SEVERITIES, type Severity } from '#shared/contract/values.ts'
import type { ExpressCustomerId, UserId } from '#shared/ids.ts'
import { REPORT_STUDY_STATUSES, VIEWER_STATUSES } from '#shared/lifecycle.ts'
import { dayBefore, isDay } from './days.ts'

export type StudyStatus = NonNullable<StudyListFilter['status']>[number]
export type Order = 'newest' | 'priority'
/**
 * Words for days that move on with the calendar, so that a link of yesterday means today's list.
 */
export const PRESETS = ['today', 'yesterday', 'week'] as const
export type Preset = (typeof PRESETS)[number]

/** What narrows a list, without what is searched for. Days are presets, or days of the clinic. */
export interface ListFilter {
  readonly severity?: readonly Severity[]
  readonly status?: readonly StudyStatus[]
  readonly assignedTo?: NonNullable<StudyListFilter['assignedTo']>
  readonly expressCustomerId?: NonNullable<StudyListFilter['expressCustomerId']>
  readonly cancelled: StudyListFilter['cancelled']
  readonly addendum?: NonNullable<StudyListFilter['addendum']>
  readonly days?: Preset | { readonly from?: string; readonly to?: string }
}

/** The address of a list, as the router has it: text, and no patient in it. */
export interface ListAddress {
  readonly area?: string
  readonly view?: string
  readonly severity?: string
  readonly status?: string
  readonly assignedTo?: string
  readonly customer?: string
  readonly cancelled?: string
  readonly addendum?: string
  readonly from?: string
  readonly to?: string
  readonly order?: string
  readonly study?: string
}

export const STATUSES: Readonly<Record<StudyArea, readonly StudyStatus[]>> = {
  scribe: REPORT_STUDY_STATUSES,
  viewer: VIEWER_STATUSES,
}

const NARROWING_FIELDS = [
  'severity',
  'status',
  'assignedTo',
  'customer',
  'cancelled',
  'addendum',
  'from',
  'to',
] as const

/**
 * The filter that an address names; undefined where it names none, and the view's own counts. What
 * it cannot read narrows nothing.
 */
export function filterOf(address: ListAddress, area: StudyArea): ListFilter | undefined {
  if (!NARROWING_FIELDS.some((name) => address[name] !== undefined)) return undefined
  const severity = listed(address.severity, SEVERITIES)
  const status = listed(address.status, STATUSES[area])
  const { assignedTo, customer, cancelled, addendum, from, to } = address
  const preset = PRESETS.find((one) => one === from)
  const days = preset ?? { ...(isDay(from) && { from }), ...(isDay(to) && { to }) }
  return {
    ...(severity.length > 0 && { severity }),
    ...(status.length > 0 && { status }),
    ...((assignedTo === 'me' || assignedTo === 'nobody') && { assignedTo }),
    ...(isUserId(assignedTo) && { assignedTo }),
    ...(customer === 'none' && { expressCustomerId: customer }),
    ...(isCustomerId(customer) && { expressCustomerId: customer }),
    cancelled: (['hide', 'only', 'all'] as const).find((one) => one === cancelled) ?? 'all',
    ...(addendum === 'needed' && { addendum }),
    ...((typeof days === 'string' || days.from !== undefined || days.to !== undefined) && { days }),
  }
}

const isUserId = (text: string | undefined): text is UserId => /^usr_[0-9a-f]{32}$/.test(text ?? '')
const isCustomerId = (text: string | undefined): text is ExpressCustomerId =>
  /^cus_[0-9a-f]{32}$/.test(text ?? '')

const listed = <T extends string>(text: string | undefined, of: readonly T[]): T[] =>
  of.filter((one) => text?.split(',').includes(one))

/**
 * The filter as an address has it; `cancelled` always, so that it is told from no filter at all.
 */
export function addressOf(filter: ListFilter): ListAddress {
  const { severity, status, assignedTo, expressCustomerId, cancelled, addendum, days } = filter
  return {
    // In one order, so that two filters that are the same have the same address.
    ...(severity && { severity: severity.toSorted().join(',') }),
    ...(status && { status: status.toSorted().join(',') }),
    ...(assignedTo && { assignedTo }),
    ...(expressCustomerId && { customer: expressCustomerId }),
    cancelled,
    ...(addendum && { addendum }),
    ...(typeof days === 'string' ? { from: days } : days),
  }
}

/** The filter as the gateway is asked. @param today of the clinic, `YYYY-MM-DD` */
export function queryOf(filter: ListFilter, today: string): Omit<StudyListFilter, 'search'> {
  const { severity, status, assignedTo, expressCustomerId, cancelled, addendum, days } = filter
  return {
    ...(severity && { severity: [...severity] }),
    ...(status && { status: [...status] }),
    ...(assignedTo && { assignedTo }),
    ...(expressCustomerId && { expressCustomerId }),
    cancelled,
    ...(addendum && { addendum }),
    ...daysOf(days, today),
  }
}

export function daysOf(
  days: ListFilter['days'],
  today: string,
): { readonly from?: string; readonly to?: string } {
  if (days === undefined || typeof days === 'object') return days ?? {}
  const yesterday = dayBefore(today)
  return {
    today: { from: today, to: today },
    yesterday: { from: yesterday, to: yesterday },
    week: { from: dayBefore(today, 6), to: today },
  }[days]
}

/** The filter of a kept view. Its days are days, not presets. */
export function filterOfSavedView(kept: StudyListFilter): ListFilter {
  const { severity, status, assignedTo, expressCustomerId, cancelled, addendum, from, to } = kept
  return {
    ...(severity && { severity }),
    ...(status && { status }),
    ...(assignedTo && { assignedTo }),
    ...(expressCustomerId && { expressCustomerId }),
    cancelled,
    ...(addendum && { addendum }),
    ...((from !== undefined || to !== undefined) && {
      days: { ...(from && { from }), ...(to && { to }) },
    }),
  }
}

/** The filter without one of its parts. */
export function withoutPart(filter: ListFilter, part: keyof ListFilter): ListFilter {
  if (part === 'cancelled') return { ...filter, cancelled: 'all' }
  const { [part]: _, ...rest } = filter
  return rest as ListFilter
}

/** Whether the list is not narrowed at all. */
export const isOpen = (filter: ListFilter): boolean =>
  Object.keys(addressOf(filter)).length === 1 && filter.cancelled === 'all'

export const isSame = (one: ListFilter, other: ListFilter): boolean =>
  JSON.stringify(Object.entries(addressOf(one)).sort()) ===
  JSON.stringify(Object.entries(addressOf(other)).sort())
