import type { dashboardEvents } from '#shared/contract/events.ts'
import type { InputOf } from '#shared/operation.ts'

export type ReplayBody = InputOf<typeof dashboardEvents.replay>['body']

/** What is chosen in the form; times as a field of the browser has them, `2026-11-20T10:30`. */
export interface ReplayForm {
  readonly which: ReplayBody['which']
  readonly from: string
  readonly to: string
  readonly only: 'failed' | 'all'
}

/** The body of the call; undefined while the span is not one. */
export function bodyOf(
  { which, from, to, only }: ReplayForm,
  eventIds: readonly string[],
): ReplayBody | undefined {
  if (which === 'these') return { which, eventIds: [...eventIds] }
  if (which === 'since-outage') return { which }
  const [begin, end] = [Date.parse(from), Date.parse(to)]
  if (Number.isNaN(begin) || Number.isNaN(end) || begin >= end) return undefined
  return { which, from: new Date(begin).toISOString(), to: new Date(end).toISOString(), only }
}

/** An instant as a field for date and time has it, in the zone of this PC. */
export function localTime(at: Date): string {
  const twoDigits = (value: number) => String(value).padStart(2, '0')
  return `${at.getFullYear()}-${twoDigits(at.getMonth() + 1)}-${twoDigits(at.getDate())}T${twoDigits(at.getHours())}:${twoDigits(at.getMinutes())}`
}
