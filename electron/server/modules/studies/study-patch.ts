import { differences } from '#server/audit-log/audit.ts'
import type { AuditDetail } from '#server/audit-log/audit-entry.ts'
import type { StudyReportMetadata } from '#shared/contract/scribe.ts'
import type { Metadata, Severity } from '#shared/contract/values.ts'
import { nextStatus, type StudyReportStatus, type ViewerStatus } from '#shared/lifecycle.ts'
import { message } from '#shared/messages/message.ts'
import type { StudyDetail, StudyRecord } from './study-queries.ts'
import { refused } from './study-references.ts'

export type MetadataPatch = {
  readonly [K in keyof StudyReportMetadata]?: StudyReportMetadata[K] | null | undefined
}

/** Detail fields that null removes, and detail fields that keep the null. */
const CLEARABLE_FIELDS = [
  'metadata',
  'priorReportTexts',
  'priorStudyIds',
  'technologistNotes',
  'priorReports',
] as const
const NULLABLE_FIELDS = [
  'externalPatientId',
  'clinicalHistory',
  'clinicalIndication',
  'modality',
  'technologistTechnique',
] as const

/**
 * A patch: missing fields are unchanged, null clears a field. `reportMetadata` is merged field by
 * field; all other values are replaced.
 */
export interface StudyPatch {
  readonly studyDescription?: string | undefined
  readonly severity?: Severity | undefined
  readonly assignedTo?: string | null | undefined
  readonly expressCustomerId?: string | null | undefined
  /** Of a viewer study only; the status of a scribe study follows from actions. */
  readonly studyViewerStatus?: ViewerStatus | undefined
  readonly metadata?: Metadata | null | undefined
  readonly reportMetadata?: MetadataPatch | undefined
  readonly priorReportTexts?: readonly string[] | null | undefined
  readonly priorStudyIds?: readonly string[] | null | undefined
  readonly externalPatientId?: string | null | undefined
  readonly clinicalHistory?: string | null | undefined
  readonly clinicalIndication?: string | null | undefined
  readonly modality?: string | null | undefined
  readonly technologistTechnique?: string | null | undefined
  readonly technologistNotes?: StudyDetail['technologistNotes'] | null
  readonly priorReports?: StudyDetail['priorReports'] | null
}

/**
 * Applies a patch to a study. If the detail is unchanged, it stays the same object.
 * @throws ApiError refused: the study cannot be reassigned in its state
 */
export function applyPatch(
  before: StudyRecord,
  patch: StudyPatch,
): { readonly study: StudyRecord; readonly changes: Changes } {
  const former = unencryptedFieldsOf(before)
  const assignedTo = patch.assignedTo === undefined ? former.assignedTo : patch.assignedTo
  const open: typeof former = {
    studyDescription: patch.studyDescription ?? former.studyDescription,
    severity: patch.severity ?? former.severity,
    expressCustomerId:
      patch.expressCustomerId === undefined ? former.expressCustomerId : patch.expressCustomerId,
    assignedTo,
    status: statusAfter(before, patch, assignedTo),
  }
  const detail = patchedDetail(before.detail, patch)
  // A cleared field exists only in the former detail.
  const sealed = Object.keys(
    differences(before.detail, { ...withUndefinedValues(before.detail), ...detail }),
  )
  const changes = { ...differences(former, open), ...(sealed.length > 0 && { detail: sealed }) }
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
 * Names of the fields that the patch sets, to whatever value, including those of the report
 * metadata.
 */
export function fieldsOf({ reportMetadata, ...patch }: StudyPatch): string[] {
  return [patch, reportMetadata ?? {}].flatMap((part) =>
    Object.entries(part).flatMap(([name, value]) => (value === undefined ? [] : [name])),
  )
}

/** The changes for the audit log: values of unencrypted fields, names of encrypted ones. */
type Changes = Extract<AuditDetail, Record<string, unknown>>

const unencryptedFieldsOf = ({
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
const withUndefinedValues = (detail: StudyDetail): StudyDetail =>
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
  return isReassigned ? statusAfterReassignment(before.status, assignedTo) : before.status
}

/** @throws ApiError refused: the study cannot be reassigned in its state */
function statusAfterReassignment(
  status: StudyReportStatus,
  assignedTo: string | null,
): StudyReportStatus {
  const next = nextStatus(assignedTo === null ? 'unassign' : 'assign', status)
  if (next === undefined) throw refused('body.assignedTo', message('studies.must-stay', { status }))
  return next
}

function patchedDetail(before: StudyDetail, patch: StudyPatch): StudyDetail {
  const after: Record<string, unknown> = { ...before }
  for (const name of CLEARABLE_FIELDS) {
    if (patch[name] === null) delete after[name]
    else if (patch[name] !== undefined) after[name] = patch[name]
  }
  for (const name of NULLABLE_FIELDS) if (patch[name] !== undefined) after[name] = patch[name]
  if (patch.reportMetadata)
    after.reportMetadata = mergedMetadata(before.reportMetadata ?? {}, patch.reportMetadata)
  return after
}

/** Merges metadata; null clears a field, and missing fields are unchanged. */
function mergedMetadata(before: StudyReportMetadata, patch: MetadataPatch): StudyReportMetadata {
  const after: Record<string, unknown> = { ...before }
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete after[name]
    else if (value !== undefined) after[name] = value
  }
  return after
}
