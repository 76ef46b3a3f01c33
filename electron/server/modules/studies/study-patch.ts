import { differences } from '#server/audit-log/audit.ts'
import type { AuditDetail } from '#server/audit-log/audit-entry.ts'
import type { StudyReportMetadata } from '#shared/contract/scribe.ts'
import type { Metadata, Severity } from '#shared/contract/values.ts'
import { moved, type StudyReportStatus, type ViewerStatus } from '#shared/lifecycle.ts'
import { message } from '#shared/messages/message.ts'
import type { StudyDetail, StudyRecord } from './study-queries.ts'
import { refused } from './study-references.ts'

export type MetadataPatch = {
  readonly [K in keyof StudyReportMetadata]?: StudyReportMetadata[K] | null | undefined
}

/**
 * Fields of a detail that null clears as if they had never been given, and those that keep the
 * null.
 */
const CLEARED = [
  'metadata',
  'priorReportTexts',
  'priorStudyIds',
  'technologistNotes',
  'priorReports',
] as const
const NULLED = ['externalPatientId', 'clinicalIndication', 'technologistTechnique'] as const

/**
 * What is absent stays, null clears; `reportMetadata` is merged field by field, everything else
 * replaced.
 */
export interface StudyPatch {
  readonly studyDescription?: string | undefined
  readonly severity?: Severity | undefined
  readonly assignedTo?: string | null | undefined
  readonly expressCustomerId?: string | null | undefined
  /** Of a viewer study; the status of a scribe study moves by what is done. */
  readonly studyViewerStatus?: ViewerStatus | undefined
  readonly metadata?: Metadata | null | undefined
  readonly reportMetadata?: MetadataPatch | undefined
  readonly priorReportTexts?: readonly string[] | null | undefined
  readonly priorStudyIds?: readonly string[] | null | undefined
  readonly externalPatientId?: string | null | undefined
  readonly clinicalIndication?: string | null | undefined
  readonly technologistTechnique?: string | null | undefined
  readonly technologistNotes?: StudyDetail['technologistNotes']
  readonly priorReports?: StudyDetail['priorReports']
}

/**
 * The study with the patch on it. What does not differ from
 * before is the same object.
 * @throws ApiError refused: the study cannot be reassigned in its state
 */
export function patched(
  before: StudyRecord,
  patch: StudyPatch,
): { readonly study: StudyRecord; readonly changes: Changes } {
  const was = openFieldsOf(before)
  const assignedTo = patch.assignedTo === undefined ? was.assignedTo : patch.assignedTo
  const open: typeof was = {
    studyDescription: patch.studyDescription ?? was.studyDescription,
    severity: patch.severity ?? was.severity,
    expressCustomerId:
      patch.expressCustomerId === undefined ? was.expressCustomerId : patch.expressCustomerId,
    assignedTo,
    status: statusAfter(before, patch, assignedTo),
  }
  const detail = patchedDetail(before.detail, patch)
  // A field that was cleared is a key of the one before only.
  const sealed = Object.keys(
    differences(before.detail, { ...mapOfNothing(before.detail), ...detail }),
  )
  const changes = { ...differences(was, open), ...(sealed.length > 0 && { detail: sealed }) }
  return {
    study: {
      ...before,
      ...open,
      detail: sealed.length > 0 ? detail : before.detail,
    } as StudyRecord,
    changes,
  }
}

/**
 * Names of the fields that the patch sets, to whatever value; those of the report's metadata by
 * their own names.
 */
export function fieldsOf({ reportMetadata, ...patch }: StudyPatch): string[] {
  return [patch, reportMetadata ?? {}].flatMap((part) =>
    Object.entries(part).flatMap(([name, value]) => (value === undefined ? [] : [name])),
  )
}

/** What differs, for the audit trail: values of the open fields, names of the sealed ones. */
type Changes = Extract<AuditDetail, Record<string, unknown>>

const openFieldsOf = ({
  studyDescription,
  severity,
  expressCustomerId,
  assignedTo,
  status,
}: StudyRecord) => ({
  studyDescription,
  severity,
  expressCustomerId,
  assignedTo,
  status,
})
const mapOfNothing = (detail: StudyDetail): StudyDetail =>
  Object.fromEntries(Object.keys(detail).map((name) => [name, undefined]))

function statusAfter(
  before: StudyRecord,
  patch: StudyPatch,
  assignedTo: string | null,
): StudyRecord['status'] {
  const isReassigned = assignedTo !== before.assignedTo
  if (isReassigned && before.cancelledAt !== null)
    throw refused('body.assignedTo', message('studies.must-stay-cancelled'))
  if (before.area === 'viewer') return patch.studyViewerStatus ?? before.status
  return isReassigned ? reassigned(before.status, assignedTo) : before.status
}

/** @throws ApiError refused */
function reassigned(status: StudyReportStatus, assignedTo: string | null): StudyReportStatus {
  const next = moved(assignedTo === null ? 'unassign' : 'assign', status)
  if (next === undefined) throw refused('body.assignedTo', message('studies.must-stay', { status }))
  return next
}

function patchedDetail(before: StudyDetail, patch: StudyPatch): StudyDetail {
  const after: Record<string, unknown> = { ...before }
  for (const name of CLEARED) {
    if (patch[name] === null) delete after[name]
    else if (patch[name] !== undefined) after[name] = patch[name]
  }
  for (const name of NULLED) if (patch[name] !== undefined) after[name] = patch[name]
  if (patch.reportMetadata)
    after.reportMetadata = mergedMetadata(before.reportMetadata ?? {}, patch.reportMetadata)
  return after
}

/** Null clears one field, absence leaves it. */
function mergedMetadata(before: StudyReportMetadata, patch: MetadataPatch): StudyReportMetadata {
  const after: Record<string, unknown> = { ...before }
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete after[name]
    else if (value !== undefined) after[name] = value
  }
  return after
}
