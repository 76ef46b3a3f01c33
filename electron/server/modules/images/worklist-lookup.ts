import type { Context } from '#server/context.ts'
import { findImageStudy } from '#server/modules/studies/image-study-queries.ts'
import type { ImageStudyRecord, SentWorklistRow } from '#server/modules/studies/image-study-row.ts'
import { OWN_ADDRESS } from '#server/modules/studies/study-identity.ts'
import { instantOf } from '#server/platform/clock.ts'
import { reportError } from '#server/platform/log.ts'
import { message } from '#shared/messages/message.ts'
import { appendStudyEntry, notifyImagesChanged } from './image-feed.ts'
import { updateImageStudy } from './image-study-writing-queries.ts'
import { listPatientNames } from './instance-queries.ts'
import { differencesOf, withImage, withRow } from './mismatch.ts'
import { isSameName } from './person-name.ts'

/** Values of images or of a performed step that identify their worklist row; empty if unknown. */
export interface WorklistRowQuery {
  readonly callingAeTitle: string
  readonly studyInstanceUid: string
  readonly scheduledProcedureStepId: string
  readonly requestedProcedureId: string
  readonly accessionNumber: string
  readonly patientId: string
}

/**
 * Finds the worklist row that was sent to the device and to which images belong: by study UID, by
 * step or procedure, by accession number and patient.
 */
export type FindWorklistRow = (query: WorklistRowQuery) => Promise<SentWorklistRow | undefined>

/** The row; `undefined` if there is none or the lookup fails. */
export async function findRowOrNone(
  context: Context,
  findRow: FindWorklistRow,
  query: WorklistRowQuery,
): Promise<SentWorklistRow | undefined> {
  try {
    return await findRow(query)
  } catch (error) {
    reportError(context, error)
    return undefined
  }
}

/**
 * Looks up the worklist row of the images, unless it is already known, and compares both. Returns
 * whether there is a row.
 */
export async function lookUpRow(
  context: Context,
  findRow: FindWorklistRow,
  studyInstanceUid: string,
): Promise<boolean> {
  const { database, clock } = context
  const study = findImageStudy(database, studyInstanceUid)
  if (!study) return false
  const row = study.handedOut ?? (await rowOf(context, findRow, study))
  if (!row) return false
  const isNew = database.transaction(() => {
    const now = findImageStudy(database, studyInstanceUid)
    if (!now) return false
    const differences = differencesOf(row, now.header, studyInstanceUid)
    const mismatch = withRow(now.mismatch, differences, instantOf(clock()))
    if (now.handedOut !== null && mismatch === now.mismatch) return false
    updateImageStudy(database, studyInstanceUid, { handedOut: row, mismatch })
    return mismatch !== null && mismatch !== now.mismatch && mismatch.fields.length > 0
  })
  if (isNew) appendStudyEntry(context, study, 'images', 'danger', message('images.row-differs'))
  notifyImagesChanged(context)
  return true
}

/**
 * Searches by study UID, by step or procedure, by accession number and patient, and then by the
 * study UID in the request attributes.
 */
async function rowOf(
  context: Context,
  findRow: FindWorklistRow,
  { callingAeTitle, studyInstanceUid, header }: ImageStudyRecord,
): Promise<SentWorklistRow | undefined> {
  const { scheduledProcedureStepId, requestedProcedureId, accessionNumber, patientId } = header
  const ids = { scheduledProcedureStepId, requestedProcedureId, accessionNumber, patientId }
  const find = (uid: string) =>
    findRowOrNone(context, findRow, { callingAeTitle, studyInstanceUid: uid, ...ids })
  const row = await find(studyInstanceUid)
  // Some modalities generate a new UID and store that of the row in RequestAttributesSequence.
  const requestedStudyUid = header.requestStudyInstanceUid
  const isSame = requestedStudyUid === '' || requestedStudyUid === studyInstanceUid
  return row?.studyInstanceUid === studyInstanceUid || isSame ? row : await find(requestedStudyUid)
}

/**
 * Compares the names of the current images. If a device corrects only some images, the others still
 * identify another patient.
 */
export function compareNames(context: Context, studyInstanceUid: string): void {
  const { database, clock } = context
  const study = findImageStudy(database, studyInstanceUid)
  if (!study) return
  const first = study.header.patientName
  const others = listPatientNames(database, studyInstanceUid, OWN_ADDRESS).filter(
    (name) => !isSameName(first, name),
  )
  if (others.length === 0) return
  const differences = others.map((other) => ({ field: 'patientName', first, other }) as const)
  const mismatch = withImage(study.mismatch, differences, instantOf(clock()))
  if (mismatch === study.mismatch) return
  updateImageStudy(database, studyInstanceUid, { mismatch })
  appendStudyEntry(context, study, 'images', 'danger', message('images.names-differ'))
  notifyImagesChanged(context)
}
