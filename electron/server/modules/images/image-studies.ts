import { note } from '#server/audit-log/audit.ts'
import type { Context } from '#server/context.ts'
import type { Slice, SliceQuery } from '#server/database/page.ts'
import { listPerformedSteps } from '#server/modules/procedure-steps/performed-step-queries.ts'
import { findImageStudy } from '#server/modules/studies/image-study-queries.ts'
import type { ImageStudyRecord } from '#server/modules/studies/image-study-row.ts'
import { isVisible, visibleCustomerIds } from '#server/modules/studies/study-access.ts'
import { identityOf, isUnscheduled } from '#server/modules/studies/study-identity.ts'
import { findStudyByUid } from '#server/modules/studies/study-queries.ts'
import {
  actorOf,
  type Caller,
  requirePermission,
  type UserCaller,
} from '#server/modules/users/caller.ts'
import { instantOf } from '#server/platform/clock.ts'
import type { ImageStudy, ImageStudySummary } from '#shared/contract/images.ts'
import type { QuarantinedInstance, QuarantineGroup } from '#shared/contract/quarantine.ts'
import { STUDY_AREAS } from '#shared/contract/settings.ts'
import { ApiError } from '#shared/errors.ts'
import { message } from '#shared/messages/message.ts'
import { countExpectedBySeries } from './announced-instance-queries.ts'
import { listStudyCommitments } from './commitment-queries.ts'
import {
  type ImageStudyQuery,
  listImageSeries,
  listImageStudyRecords,
} from './image-study-list-queries.ts'
import {
  commitmentView,
  linkedOrderOf,
  performedStepView,
  quarantinedView,
  quarantineGroupView,
  seriesViews,
  summaryView,
  versionView,
} from './image-study-view.ts'
import {
  countUnreviewedReplacements,
  listReplacements,
  reviewReplacements,
} from './image-version-queries.ts'
import { findInstance } from './instance-queries.ts'
import { listQuarantined, listQuarantinedGroups } from './quarantine-queries.ts'

// Image studies as the window shows them. Access depends on the API studies with the same UID: a
// member who is linked to customers sees only images of those customers' studies, and none without
// an API study.

/**
 * Maximum number of batches that are read for one page if the caller may see only a few of many
 * studies.
 */
const MAX_READS = 50
/** Maximum number of versions shown with a study. */
const MAX_VERSIONS = 200

/** Studies that most recently received an instance first. */
export function listImageStudies(
  context: Context,
  caller: Caller,
  { show, search, ...page }: ImageStudyQuery & SliceQuery,
): Slice<ImageStudySummary> {
  requirePermission(caller, 'readStudies')
  const readPart = (after: string | undefined, limit: number) =>
    listImageStudyRecords(context.database, { show, search }, after, limit)
  const { items, ...rest } = visiblePage(context, caller, page, readPart)
  return {
    items: items.map((record) => {
      const rows = visibleRows(context, caller, record.studyInstanceUid)
      const { identity, isUnscheduled } = identityStateOf(context, record)
      return summaryView(record, rows, identity, isUnscheduled)
    }),
    ...rest,
  }
}

/**
 * Reads a study.
 * @throws ApiError not-found
 */
export function readImageStudy(
  context: Context,
  caller: Caller,
  studyInstanceUid: string,
): ImageStudy {
  requirePermission(caller, 'readStudies')
  return studyView(context, caller, requireStudy(context, caller, studyInstanceUid))
}

/**
 * Records that a user has reviewed the replaced images of the study, and changes nothing else.
 * Idempotent.
 * @throws ApiError not-permitted, not-found
 */
export const reviewVersions = (
  context: Context,
  caller: UserCaller,
  studyInstanceUid: string,
  text: string,
): ImageStudy =>
  context.database.transaction(() => {
    requirePermission(caller, 'manageStudies')
    requireStudy(context, caller, studyInstanceUid)
    const images = reviewReplacements(
      context.database,
      studyInstanceUid,
      instantOf(context.clock()),
    )
    if (images > 0)
      note(context, actorOf(caller), 'images.review-versions', studyInstanceUid, {
        images,
        note: text,
      })
    return studyView(context, caller, requireStudy(context, caller, studyInstanceUid))
  })

/**
 * Requires that the caller may decide which version of the instance is shown.
 * @throws ApiError not-permitted; not-found if the caller may not see the instance
 */
export function demandVersionAccess(context: Context, caller: Caller, instanceId: number): void {
  requirePermission(caller, 'manageStudies')
  const instance = findInstance(context.database, instanceId)
  if (
    !instance ||
    instance.state === 'quarantined' ||
    !canSeeImages(context, caller, instance.studyInstanceUid)
  )
    throw new ApiError('not-found', message('images.no-version'))
}

/** Quarantined instances, newest first. */
export function listQuarantine(
  context: Context,
  caller: Caller,
  { studyInstanceUid, ...page }: SliceQuery & { readonly studyInstanceUid?: string | undefined },
): Slice<QuarantinedInstance> {
  requirePermission(caller, 'readStudies')
  const readPart = (after: string | undefined, limit: number) =>
    listQuarantined(context.database, { studyInstanceUid, after, limit })
  const { items, ...rest } = visiblePage(context, caller, page, readPart)
  return { items: items.map(quarantinedView), ...rest }
}

/** Whether the caller may see images of the study; there may be none. */
export const canSeeImages = (context: Context, caller: Caller, studyInstanceUid: string): boolean =>
  canSeeAll(caller) || rowsOf(context, studyInstanceUid).some((row) => isVisible(caller, row))

/**
 * Requires that the caller may manage the images of the study or, without a UID, of all studies.
 * @throws ApiError not-permitted; not-found if the caller may not see the study
 */
export function requireCanManageImages(
  context: Context,
  caller: Caller,
  studyInstanceUid?: string,
): void {
  requirePermission(caller, 'manageStudies')
  if (studyInstanceUid === undefined) {
    if (!canSeeAll(caller)) throw new ApiError('not-permitted', message('images.name-a-study'))
  } else if (!canSeeImages(context, caller, studyInstanceUid)) throw noStudyError()
}

/**
 * Requires that the caller may decide about the quarantined instance.
 * @throws ApiError not-permitted; not-found if it is not in quarantine or the caller may not see it
 */
export function requireQuarantineAccess(
  context: Context,
  caller: Caller,
  instanceId: number,
): void {
  requirePermission(caller, 'manageStudies')
  const instance = findInstance(context.database, instanceId)
  if (
    instance?.state !== 'quarantined' ||
    !canSeeImages(context, caller, instance.studyInstanceUid)
  )
    throw new ApiError('not-found', message('images.image-not-set-aside'))
}

/**
 * Quarantined instances of a study, grouped by reason.
 * @throws ApiError not-found if the caller may not see the study
 */
export function listQuarantineGroups(
  context: Context,
  caller: Caller,
  studyInstanceUid: string,
): QuarantineGroup[] {
  requirePermission(caller, 'readStudies')
  requireStudy(context, caller, studyInstanceUid)
  return listQuarantinedGroups(context.database, studyInstanceUid).map(quarantineGroupView)
}

/**
 * Requires that the caller may decide about the quarantined instances of the study.
 * @throws ApiError not-permitted; not-found if there are none or the caller may not see the study
 */
export function demandQuarantineAccess(
  context: Context,
  caller: Caller,
  studyInstanceUid: string,
): void {
  requirePermission(caller, 'manageStudies')
  const hasQuarantined =
    listQuarantined(context.database, { studyInstanceUid, limit: 1 }).items.length > 0
  if (!hasQuarantined || !canSeeImages(context, caller, studyInstanceUid))
    throw new ApiError('not-found', message('images.study-not-set-aside'))
}

const canSeeAll = (caller: Caller) =>
  caller.kind === 'api-key' ? caller.scope === 'all' : visibleCustomerIds(caller) === undefined

const rowsOf = (context: Context, studyInstanceUid: string) =>
  STUDY_AREAS.flatMap((area) => findStudyByUid(context.database, area, studyInstanceUid) ?? [])

const visibleRows = (context: Context, caller: Caller, studyInstanceUid: string) =>
  rowsOf(context, studyInstanceUid).filter((row) => isVisible(caller, row))

function requireStudy(
  context: Context,
  caller: Caller,
  studyInstanceUid: string,
): ImageStudyRecord {
  const record = findImageStudy(context.database, studyInstanceUid)
  if (!record || !canSeeImages(context, caller, studyInstanceUid)) throw noStudyError()
  return record
}

/** A page of the items that the caller may see; it is full if there are enough of them. */
function visiblePage<T extends { readonly studyInstanceUid: string }>(
  context: Context,
  caller: Caller,
  { after, limit }: SliceQuery,
  readPart: (after: string | undefined, limit: number) => Slice<T>,
): Slice<T> {
  const items: T[] = []
  let from = after
  for (let reads = 0; reads < MAX_READS && items.length < limit; reads += 1) {
    const part = readPart(from, limit - items.length)
    items.push(
      ...part.items.filter(({ studyInstanceUid }) =>
        canSeeImages(context, caller, studyInstanceUid),
      ),
    )
    if (part.next === undefined) return { items }
    from = part.next
  }
  return from === undefined ? { items } : { items, next: from }
}

function studyView(context: Context, caller: Caller, record: ImageStudyRecord): ImageStudy {
  const { database } = context
  const { studyInstanceUid: uid } = record
  const { identity, isUnscheduled } = identityStateOf(context, record)
  return {
    ...summaryView(record, visibleRows(context, caller, uid), identity, isUnscheduled),
    seriesList: seriesViews(listImageSeries(database, uid), countExpectedBySeries(database, uid)),
    identityCheck: identity,
    linkedOrder: linkedOrderOf(record),
    performedSteps: listPerformedSteps(database, uid).map((step) => performedStepView(step, uid)),
    commitments: listStudyCommitments(database, uid).map(commitmentView),
    versions: listReplacements(database, uid, MAX_VERSIONS).map(versionView),
    unreviewedVersions: countUnreviewedReplacements(database, uid),
  }
}

function identityStateOf(context: Context, record: ImageStudyRecord) {
  const study = findStudyByUid(context.database, 'scribe', record.studyInstanceUid)
  return { identity: identityOf(record, study), isUnscheduled: isUnscheduled(record, study) }
}

const noStudyError = () => new ApiError('not-found', message('images.no-study'))
