import { note } from '#server/audit-log/audit.ts'
import type { Context } from '#server/context.ts'
import type { Slice, SliceQuery } from '#server/database/page.ts'
import { actorOf, type Caller, creatorOf, requirePermission } from '#server/modules/users/caller.ts'
import { instantOf } from '#server/platform/clock.ts'
import type { Outcome } from '#shared/contract/conventions.ts'
import type {
  APIKeyReference,
  ExpressCustomerReference,
  UserReference,
} from '#shared/contract/references.ts'
import type { Severity } from '#shared/contract/values.ts'
import { idFromUuid } from '#shared/ids.ts'
import type { StudyReportStatus, ViewerStatus } from '#shared/lifecycle.ts'
import { message } from '#shared/messages/message.ts'
import { noteTouchedFields } from './created-study-queries.ts'
import { openReferences, type References } from './reference-queries.ts'
import {
  requireVisibleStudy,
  requireVisibleStudyByUid,
  resolveStudy,
  type StudyIdentifiers,
  visibleCustomerIds,
} from './study-access.ts'
import { applyPatch, fieldsOf, type StudyPatch } from './study-patch.ts'
import {
  type Area,
  findStudyByUid,
  listStudyRecords,
  type NewStudyRecord,
  type ScribeStudyRecord,
  type StudyDetail,
  type StudyRecord,
  type ViewerStudyRecord,
} from './study-queries.ts'
import { checkCustomer, checkPriors, refused, requireAssignee } from './study-references.ts'
import { insertStudy, saveStudy } from './study-writing-queries.ts'

// Studies of both areas. Studies that the caller may not see are treated as not existing.

/** A study with the records that it refers to. */
export interface Study<A extends Area = Area> {
  readonly record: A extends 'viewer' ? ViewerStudyRecord : ScribeStudyRecord
  readonly assignedTo: UserReference | null
  readonly createdByApiKey: APIKeyReference | null
  readonly createdByUser: UserReference | null
  readonly expressCustomer: ExpressCustomerReference | null
}

/** A new study. In the viewer area, `metadata` is the only detail. */
export interface NewStudy extends StudyDetail {
  readonly studyInstanceUid: string
  readonly studyDescription: string
  readonly severity: Severity
  readonly assignedTo?: string | undefined
  readonly expressCustomerId?: string | undefined
}

/** Filters of a list of studies; null matches studies without a value. */
export interface StudyListQuery extends SliceQuery {
  readonly assignedTo?: string | null | undefined
  readonly expressCustomerId?: string | null | undefined
  readonly isCancelled?: boolean | undefined
  readonly severity?: Severity | undefined
  /** Substring of the description, ignoring case and accents. */
  readonly studyDescription?: string | undefined
  readonly studyViewerStatus?: ViewerStatus | undefined
  readonly studyReportStatus?: readonly StudyReportStatus[] | undefined
}

/**
 * Creates a study.
 * @throws ApiError not-permitted; refused: the UID exists in the area, or a reference is invalid;
 *   the error names the field
 */
export const createStudy = <A extends Area>(
  context: Context,
  caller: Caller,
  area: A,
  study: NewStudy,
): Study<A> =>
  context.database.transaction(() => {
    requirePermission(caller, 'manageStudies')
    if (findStudyByUid(context.database, area, study.studyInstanceUid))
      throw refused('body.studyInstanceUid', message('studies.uid-taken'))
    if (study.assignedTo !== undefined)
      requireAssignee(context, study.assignedTo, 'body.assignedTo')
    if (study.expressCustomerId !== undefined)
      checkCustomer(context, caller, study.expressCustomerId)
    if (study.priorStudyIds) checkPriors(context, caller, study.priorStudyIds)
    const record = insertStudy(context.database, newRecord(context, caller, area, study))
    const { studyInstanceUid, severity, assignedTo, expressCustomerId } = record
    const detail = { area, studyInstanceUid, severity, assignedTo, expressCustomerId }
    note(context, actorOf(caller), 'study.create', record.studyId, detail)
    return studyOf<A>(context, record)
  })

/** @throws ApiError not-found */
export function readStudy<A extends Area>(
  context: Context,
  caller: Caller,
  area: A,
  studyId: string,
): Study<A> {
  requirePermission(caller, 'readStudies')
  return studyOf(context, requireVisibleStudy(context, caller, area, studyId))
}

/** @throws ApiError not-found */
export function readStudyByUid<A extends Area>(
  context: Context,
  caller: Caller,
  area: A,
  studyInstanceUid: string,
): Study<A> {
  requirePermission(caller, 'readStudies')
  return studyOf(context, requireVisibleStudyByUid(context, caller, area, studyInstanceUid))
}

/** Lists the studies of an area, newest first. */
export function listStudies<A extends Area>(
  context: Context,
  caller: Caller,
  area: A,
  {
    after,
    limit,
    expressCustomerId,
    studyViewerStatus,
    studyReportStatus,
    ...filters
  }: StudyListQuery,
): Slice<Study<A>> {
  requirePermission(caller, 'readStudies')
  const visibleIds = visibleCustomerIds(caller)
  const asked = expressCustomerId === undefined ? visibleIds : [expressCustomerId]
  const expressCustomerIds = visibleIds
    ? asked?.filter((id) => id !== null && visibleIds.includes(id))
    : asked
  const createdByApiKeyId =
    caller.kind === 'api-key' && caller.scope === 'self' ? caller.apiKeyId : undefined
  const statuses = area === 'scribe' ? studyReportStatus : studyViewerStatus && [studyViewerStatus]
  const query = { area, ...filters, statuses, expressCustomerIds, createdByApiKeyId }
  const { items, ...rest } = listStudyRecords(context.database, query, after, limit)
  const known = openReferences(context.database)
  return { items: items.map((record) => studyOf<A>(context, record, known)), ...rest }
}

/**
 * Changes the given fields of a study.
 * @throws ApiError not-permitted, not-found; refused: a reference is invalid, or the study cannot
 *   be reassigned in its state
 */
export const updateStudy = <A extends Area>(
  context: Context,
  caller: Caller,
  area: A,
  studyId: string,
  patch: StudyPatch,
): Study<A> =>
  context.database.transaction(() => {
    requirePermission(caller, 'manageStudies')
    const before = requireVisibleStudy(context, caller, area, studyId)
    if (patch.assignedTo && patch.assignedTo !== before.assignedTo)
      requireAssignee(context, patch.assignedTo, 'body.assignedTo')
    if (patch.expressCustomerId && patch.expressCustomerId !== before.expressCustomerId)
      checkCustomer(context, caller, patch.expressCustomerId)
    if (patch.priorStudyIds)
      checkPriors(context, caller, patch.priorStudyIds, before.detail.priorStudyIds)
    const { study, changes } = applyPatch(before, patch)
    // A field that is set explicitly, even to its original value, is no longer updated
    // automatically.
    noteTouchedFields(context.database, studyId, fieldsOf(patch))
    if (Object.keys(changes).length === 0) return studyOf<A>(context, before)
    const changed = { ...study, updatedAt: instantOf(context.clock()) }
    saveStudy(context.database, changed, before)
    note(context, actorOf(caller), 'study.update', studyId, changes)
    return studyOf<A>(context, changed)
  })

/**
 * Cancels a study. Succeeds if it is cancelled already.
 * @throws ApiError malformed, not-permitted, not-found
 */
export const cancelStudy = (
  context: Context,
  caller: Caller,
  area: Area,
  either: StudyIdentifiers,
): Outcome =>
  context.database.transaction(() => {
    requirePermission(caller, 'manageStudies')
    const study = resolveStudy(context, caller, area, either)
    if (study.cancelledAt !== null)
      return { success: true, message: message('studies.cancelled-already') }
    setCancelled(context, caller, study, true)
    return { success: true, message: message('studies.cancelled') }
  })

/**
 * Reinstates a cancelled study. Fails (`success: false`) if it is not cancelled.
 * @throws ApiError malformed, not-permitted, not-found
 */
export const uncancelStudy = (
  context: Context,
  caller: Caller,
  area: Area,
  either: StudyIdentifiers,
): Outcome =>
  context.database.transaction(() => {
    requirePermission(caller, 'manageStudies')
    const study = resolveStudy(context, caller, area, either)
    if (study.cancelledAt === null)
      return { success: false, message: message('studies.not-cancelled') }
    setCancelled(context, caller, study, false)
    return { success: true, message: message('studies.active-again') }
  })

const studyOf = <A extends Area>(
  { database }: Context,
  record: StudyRecord,
  known: References = openReferences(database),
): Study<A> => ({
  record: record as Study<A>['record'],
  assignedTo: known.user(record.assignedTo),
  createdByApiKey: known.apiKey(record.createdByApiKeyId),
  createdByUser: known.user(record.createdByUserId),
  expressCustomer: known.expressCustomer(record.expressCustomerId),
})

function newRecord(
  { clock, uuid }: Context,
  caller: Caller,
  area: Area,
  study: NewStudy,
): NewStudyRecord {
  const {
    studyInstanceUid,
    studyDescription,
    severity,
    assignedTo = null,
    expressCustomerId = null,
    ...detail
  } = study
  const now = instantOf(clock())
  const fields = {
    ...{ studyInstanceUid, studyDescription, severity, assignedTo, expressCustomerId, detail },
    ...creatorOf(caller),
    ...{ studyId: idFromUuid('stu', uuid()), cancelledAt: null, createdAt: now, updatedAt: now },
  }
  return area === 'viewer'
    ? { ...fields, area, status: 'incomplete' }
    : { ...fields, area, status: assignedTo === null ? 'unassigned' : 'assigned' }
}

function setCancelled(
  context: Context,
  caller: Caller,
  study: StudyRecord,
  isCancelled: boolean,
): void {
  const now = instantOf(context.clock())
  const changed = { ...study, cancelledAt: isCancelled ? now : null, updatedAt: now }
  saveStudy(context.database, changed, study)
  const action = isCancelled ? 'study.cancel' : 'study.uncancel'
  note(context, actorOf(caller), action, study.studyId)
}
