import { SEVERITIES, type Severity } from '#shared/contract/values.ts'
import {
  REPORT_STUDY_STATUSES,
  type StudyReportStatus,
  VIEWER_STATUSES,
  type ViewerStatus,
} from '#shared/lifecycle.ts'

export type Area = 'viewer' | 'scribe'
export type StudyStatus = ViewerStatus | StudyReportStatus

/**
 * Area, status, severity and whether it is cancelled as one number: what few values can say is one
 * column of an index, and a filter is the short list of the numbers it lets through. The order of
 * the statuses is in the schema: append only.
 */
const STATUSES = [...VIEWER_STATUSES, ...REPORT_STUDY_STATUSES] as const
export const STATUSES_OF: Readonly<Record<Area, readonly StudyStatus[]>> = {
  viewer: VIEWER_STATUSES,
  scribe: REPORT_STUDY_STATUSES,
}
const CANCELLED = [false, true] as const

export interface FacetFilter {
  readonly statuses?: readonly StudyStatus[] | undefined
  /** One, or any of these. */
  readonly severity?: Severity | readonly Severity[] | undefined
  readonly isCancelled?: boolean | undefined
}

export const facetOf = (status: StudyStatus, severity: Severity, isCancelled: boolean): number =>
  (STATUSES.indexOf(status) * SEVERITIES.length + SEVERITIES.indexOf(severity)) * CANCELLED.length +
  Number(isCancelled)

/** The facets of the area that the filter lets through. */
export function facetsOf(area: Area, { statuses, severity, isCancelled }: FacetFilter): number[] {
  const wanted = STATUSES_OF[area].filter(
    (status) => statuses === undefined || statuses.includes(status),
  )
  const severities =
    severity === undefined
      ? SEVERITIES
      : SEVERITIES.filter((one) => [severity].flat().includes(one))
  const states = isCancelled === undefined ? CANCELLED : [isCancelled]
  return wanted.flatMap((status) =>
    severities.flatMap((of) => states.map((state) => facetOf(status, of, state))),
  )
}
