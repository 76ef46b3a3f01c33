import type { Context } from '#server/context.ts'
import type { OpenView } from '#server/http/callers.ts'
import { findApiKey } from '#server/modules/api-keys/queries.ts'
import { canSeeImages } from '#server/modules/images/image-studies.ts'
import { listImageStudyRecords } from '#server/modules/images/image-study-list-queries.ts'
import { findImageStudy } from '#server/modules/studies/image-study-queries.ts'
import type { ImageStudyRecord } from '#server/modules/studies/image-study-row.ts'
import { differencesOf, isSamePerson } from '#server/modules/studies/same-patient.ts'
import { isVisible } from '#server/modules/studies/study-access.ts'
import {
  findStudy,
  findStudyByUid,
  type StudyRecord,
} from '#server/modules/studies/study-queries.ts'
import { type Caller, windowCaller } from '#server/modules/users/caller.ts'
import { findUser } from '#server/modules/users/queries.ts'
import { signedInUser } from '#server/modules/users/sessions.ts'
import type { ViewedPrior } from '#shared/contract/viewed-images.ts'

const MAX_PRIORS = 50

/**
 * Prior studies for comparison, newest first: those in the study's `priorStudyIds` that the view
 * may show, and in the window also those in the archive of the same patient that the user may see.
 * A link is limited to its study and `priorStudyIds`.
 */
export function priorsOf(
  context: Context,
  view: OpenView,
  isOpen: (studyInstanceUid: string) => boolean,
): ViewedPrior[] {
  const { database } = context
  if (view.studyInstanceUid === null) return []
  const uids = new Set([...listedPriors(context, view), ...archivedPriors(context, view)])
  uids.delete(view.studyInstanceUid)
  const priors = [...uids].map((studyInstanceUid): ViewedPrior => {
    const record = findImageStudy(database, studyInstanceUid)
    const row =
      findStudyByUid(database, 'scribe', studyInstanceUid) ??
      findStudyByUid(database, 'viewer', studyInstanceUid)
    return {
      studyInstanceUid,
      studyDescription: record?.header.studyDescription || row?.studyDescription || '',
      modalities: [...(record?.modalities ?? [])],
      studyDate:
        record?.header.studyDate || row?.detail.reportMetadata?.scanDate?.replaceAll('-', '') || '',
      instances: record?.instances ?? null,
      isOpen: isOpen(studyInstanceUid),
    }
  })
  return priors.sort((a, b) => b.studyDate.localeCompare(a.studyDate)).slice(0, MAX_PRIORS)
}

function listedPriors(context: Context, view: OpenView): string[] {
  const { database } = context
  const viewer = viewerOf(context, view)
  const isShown = (row: StudyRecord | undefined) =>
    row !== undefined &&
    row.cancelledAt === null &&
    (viewer === undefined || isVisible(viewer, row))
  // Only scribe studies have priors, and the study may belong to another partner than the view.
  const row =
    view.studyInstanceUid === null
      ? undefined
      : findStudyByUid(database, 'scribe', view.studyInstanceUid)
  if (!row || !isShown(row)) return []
  return (row.detail.priorStudyIds ?? []).flatMap((studyId) => {
    const prior = findStudy(database, studyId)
    return prior && isShown(prior) ? [prior.studyInstanceUid] : []
  })
}

/**
 * The caller whose permissions determine which other studies the view may show: the user of the
 * window, otherwise the creator of the link.
 */
function viewerOf(context: Context, view: OpenView): Caller | undefined {
  const { kind, user, createdByApiKeyId, createdByUserId } = view
  const key =
    createdByApiKeyId === null ? undefined : findApiKey(context.database, createdByApiKeyId)
  if (key)
    return {
      kind: 'api-key',
      apiKeyId: key.apiKeyId,
      scope: key.scope,
      isViewerEnabled: key.isViewerEnabled,
    }
  const maker = createdByUserId === null ? undefined : findUser(context.database, createdByUserId)
  const person = kind === 'window' ? user : maker && signedInUser(maker)
  return person && windowCaller(context)(person)
}

function archivedPriors(context: Context, { kind, user, studyInstanceUid }: OpenView): string[] {
  if (kind !== 'window' || !user || studyInstanceUid === null) return []
  const { database } = context
  const header = findImageStudy(database, studyInstanceUid)?.header
  if (!header || header.patientId.trim() === '') return []
  const caller = windowCaller(context)(user)
  return listImageStudyRecords(
    database,
    { show: 'all', search: header.patientId.trim() },
    undefined,
    2 * MAX_PRIORS,
  )
    .items.filter(
      (other) =>
        isSamePatient(header, other.header) &&
        canSeeImages(context, caller, other.studyInstanceUid),
    )
    .map((other) => other.studyInstanceUid)
}

/**
 * Compares the patient ID and the birth date or name, because an archive may contain IDs of
 * different clinics.
 */
function isSamePatient(
  one: ImageStudyRecord['header'],
  other: ImageStudyRecord['header'],
): boolean {
  if (one.patientId.trim() !== other.patientId.trim()) return false
  if (one.patientBirthDate !== '' && one.patientBirthDate === other.patientBirthDate) return true
  return isSamePerson(one.patientName, other.patientName) && differencesOf(one, other).length === 0
}
