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
 * A facet combines area, status, severity and cancellation in one number, so that an index needs
 * one column for them and a filter becomes a short list of numbers. The order of the statuses is
 * part of the database schema: append only.
 */
const STATUSES = [...VIEWER_STATUSES, ...REPORT_STUDY_STATUSES] as const
export const STATUSES_BY_AREA: Readonly<Record<Area, readonly StudyStatus[]>> = {
  viewer: VIEWER_STATUSES,
  scribe: REPORT_STUDY_STATUSES,
}
const CANCELLED_VALUES = [false, true] as const

export interface FacetFilter {
  readonly statuses?: readonly StudyStatus[] | undefined
  /** One severity, or any of several. */
  readonly severity?: Severity | readonly Severity[] | undefined
  readonly isCancelled?: boolean | undefined
}

export const facetOf = (status: StudyStatus, severity: Severity, isCancelled: boolean): number =>
  (STATUSES.indexOf(status) * SEVERITIES.length + SEVERITIES.indexOf(severity)) *
    CANCELLED_VALUES.length +
  Number(isCancelled)

/** The facets of the area that match the filter. */
export function facetsOf(area: Area, { statuses, severity, isCancelled }: FacetFilter): number[] {
  const wanted = STATUSES_BY_AREA[area].filter(
    (status) => statuses === undefined || statuses.includes(status),
  )
  const severities =
    severity === undefined
      ? SEVERITIES
      : SEVERITIES.filter((one) => [severity].flat().includes(one))
  const states = isCancelled === undefined ? CANCELLED_VALUES : [isCancelled]
  return wanted.flatMap((status) =>
    severities.flatMap((of) => states.map((state) => facetOf(status, of, state))),
  )
}
