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

const MOST_PRIORS = 50

/**
 * Earlier studies that can be put beside, the newest first: those that the study's row names
 * (`priorStudyIds`) of what the view may show; and in the window those of the archive that are of
 * the same patient and that the person may see. A link is bound to its study: it shows only what
 * the row names.
 */
export function priorsOf(
  context: Context,
  view: OpenView,
  isOpen: (studyInstanceUid: string) => boolean,
): ViewedPrior[] {
  const { database } = context
  if (view.studyInstanceUid === null) return []
  const uids = new Set([...namedByRow(context, view), ...inArchive(context, view)])
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
  return priors.sort((a, b) => b.studyDate.localeCompare(a.studyDate)).slice(0, MOST_PRIORS)
}

function namedByRow(context: Context, view: OpenView): string[] {
  const { database } = context
  const seer = seerOf(context, view)
  const isShown = (row: StudyRecord | undefined) =>
    row !== undefined && row.cancelledAt === null && (seer === undefined || isVisible(seer, row))
  // Only rows of scribe studies name priors, and one may be of another partner than the view.
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
 * Whose studies the view may show besides its own: those of the person at the window,
 * else of whoever gave the link.
 */
function seerOf(context: Context, view: OpenView): Caller | undefined {
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

function inArchive(context: Context, { kind, user, studyInstanceUid }: OpenView): string[] {
  if (kind !== 'window' || !user || studyInstanceUid === null) return []
  const { database } = context
  const header = findImageStudy(database, studyInstanceUid)?.header
  if (!header || header.patientId.trim() === '') return []
  const caller = windowCaller(context)(user)
  return listImageStudyRecords(
    database,
    { show: 'all', search: header.patientId.trim() },
    undefined,
    2 * MOST_PRIORS,
  )
    .items.filter(
      (other) =>
        isSamePatient(header, other.header) &&
        canSeeImages(context, caller, other.studyInstanceUid),
    )
    .map((other) => other.studyInstanceUid)
}

/** The same ID, and the same birth date or name: numbers of two clinics meet in one archive. */
function isSamePatient(
  one: ImageStudyRecord['header'],
  other: ImageStudyRecord['header'],
): boolean {
  if (one.patientId.trim() !== other.patientId.trim()) return false
  if (one.patientBirthDate !== '' && one.patientBirthDate === other.patientBirthDate) return true
  return isSamePerson(one.patientName, other.patientName) && differencesOf(one, other).length === 0
}
