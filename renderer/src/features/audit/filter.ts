import type { AuditFilter } from '#shared/contract/dashboard.ts'

/** The filters as their fields hold them; days as `2026-11-20`, of this PC. */
export interface AuditFilterSelection {
  /** The actor as the trail says it, `user:usr_…`; empty for anyone. */
  readonly actor: string
  readonly action: string
  readonly target: string
  readonly fromDay: string
  readonly toDay: string
}

export const EMPTY_FILTER: AuditFilterSelection = {
  actor: '',
  action: '',
  target: '',
  fromDay: '',
  toDay: '',
}

/** What of the filters an address has; ids of what was changed are not among it. */
interface AuditSearch {
  readonly actor?: string
  readonly action?: string
  readonly from?: string
  readonly to?: string
}

export const selectionOf = ({
  actor = '',
  action = '',
  from = '',
  to = '',
}: AuditSearch): Omit<AuditFilterSelection, 'target'> => ({
  ...{ actor: actor.slice(0, 100), action: action.slice(0, 100), fromDay: from, toDay: to },
})

export const searchOf = ({ actor, action, fromDay, toDay }: AuditFilterSelection): AuditSearch => ({
  ...(actor && { actor }),
  ...(action && { action }),
  ...(fromDay && { from: fromDay }),
  ...(toDay && { to: toDay }),
})

/** What the gateway is asked for; both days are whole ones. */
export function filterOf({
  actor,
  action,
  target,
  fromDay,
  toDay,
}: AuditFilterSelection): AuditFilter {
  const from = startOf(fromDay)
  const to = startOf(toDay, 1)
  return {
    ...(actor && { actor }),
    ...(action.trim() && { action: action.trim() }),
    ...(target.trim() && { target: target.trim() }),
    ...(from && { from }),
    ...(to && { to }),
  }
}

/** The instant at which a day of this PC begins, `days` later; undefined where there is none. */
function startOf(day: string, days = 0): string | undefined {
  const [year, month, date] = day.split('-').map(Number)
  if (!year || !month || !date) return undefined
  const at = new Date(year, month - 1, date + days)
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString()
}

/** Where the trail is downloaded from. */
export function exportAddress(
  format: 'csv' | 'jsonl',
  { from, to }: Pick<AuditFilter, 'from' | 'to'>,
): string {
  const query = new URLSearchParams({ format, ...(from && { from }), ...(to && { to }) })
  return `/dashboard/audit/export?${query}`
}
