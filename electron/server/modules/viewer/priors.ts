import type { Context } from '#server/context.ts'
import type { OpenView } from '#server/http/callers.ts'
import { findApiKey } from '#server/modules/api-keys/queries.ts'
import { canSeeImages } from '#server/modules/images/image-studies.ts'
import { listImageStudyRecords } from '#server/modules/images/image-study-list-queries.ts'
import { findImageStudy } from '#server/modules/studies/image-study-queries.ts'
import { differencesOf, isSamePerson, type Patient } from '#server/modules/studies/same-patient.ts'
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
import type { viewing } from '#shared/contract/viewing.ts'
import type { ReplyOf } from '#shared/operation.ts'

const MAX_PRIORS = 50
/** The search for studies of the patient reads this many pages at most. */
const MAX_PAGES = 20
const PAGE_SIZE = 100

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
  const creatingUser =
    createdByUserId === null ? undefined : findUser(context.database, createdByUserId)
  const person = kind === 'window' ? user : creatingUser && signedInUser(creatingUser)
  return person && windowCaller(context)(person)
}

function archivedPriors(context: Context, view: OpenView): string[] {
  const { kind, user } = view
  if (kind !== 'window' || !user) return []
  const { database } = context
  const patient = patientOfView(context, view)
  if (!patient || patient.patientId.trim() === '') return []
  const caller = windowCaller(context)(user)
  const found: string[] = []
  // A page may be short or empty although later ones have studies of the patient: others can have
  // the ID as a word of a name or description.
  let cursor: string | undefined
  for (let page = 0; page < MAX_PAGES && found.length < MAX_PRIORS; page++) {
    const { items, next } = listImageStudyRecords(
      database,
      { show: 'all', search: patient.patientId.trim() },
      cursor,
      PAGE_SIZE,
    )
    for (const { header, studyInstanceUid } of items)
      if (isSamePatient(patient, header) && canSeeImages(context, caller, studyInstanceUid))
        found.push(studyInstanceUid)
    if (next === undefined) break
    cursor = next
  }
  return found
}

/**
 * Where `priorsOf` looked, so that a page can say what an empty list means.
 */
export function priorScope(
  context: Context,
  view: OpenView,
): ReplyOf<(typeof viewing)['priors']>['scope'] {
  if (view.kind !== 'window' || !view.user) return 'link'
  return patientOfView(context, view)?.patientId.trim() ? 'archive' : 'unidentified'
}

/**
 * The patient of the view's study: by its images, or before any has been received, by the partner's
 * metadata. Undefined if neither is known.
 */
export function patientOfView(
  { database }: Context,
  { studyInstanceUid }: Pick<OpenView, 'studyInstanceUid'>,
): Patient | undefined {
  if (studyInstanceUid === null) return undefined
  const header = findImageStudy(database, studyInstanceUid)?.header
  if (header && header.patientId.trim() !== '') return header
  const metadata = findStudyByUid(database, 'scribe', studyInstanceUid)?.detail.reportMetadata
  if (!metadata) return header
  return {
    patientName: metadata.patientName ?? '',
    patientId: metadata.mrn ?? '',
    patientBirthDate: metadata.dateOfBirth?.replaceAll('-', '') ?? '',
  }
}

/**
 * Compares the patient ID and the birth date or name, because an archive may contain IDs of
 * different clinics.
 */
export function isSamePatient(one: Patient, other: Patient): boolean {
  if (one.patientId.trim() !== other.patientId.trim()) return false
  if (one.patientBirthDate !== '' && one.patientBirthDate === other.patientBirthDate) return true
  return isSamePerson(one.patientName, other.patientName) && differencesOf(one, other).length === 0
}
