import type { Context } from '#server/context.ts'
import { findImageStudy } from '#server/modules/studies/image-study-queries.ts'
import type { ImageStudyRecord, SentWorklistRow } from '#server/modules/studies/image-study-row.ts'
import { OWN_ADDRESS } from '#server/modules/studies/study-identity.ts'
import { instantOf } from '#server/platform/clock.ts'
import { reportError } from '#server/platform/log.ts'
import { message } from '#shared/messages/message.ts'
import { noteImagesChanged, noteStudy } from './image-feed.ts'
import { updateImageStudy } from './image-study-writing-queries.ts'
import { listPatientNames } from './instance-queries.ts'
import { differencesOf, withImage, withRow } from './mismatch.ts'
import { isSameName } from './person-name.ts'

/**
 * What images, or a performed step, say of the worklist row they belong to; '' where they say
 * nothing.
 */
export interface WorklistRowQuery {
  readonly callingAeTitle: string
  readonly studyInstanceUid: string
  readonly scheduledProcedureStepId: string
  readonly requestedProcedureId: string
  readonly accessionNumber: string
  readonly patientId: string
}

/**
 * Finds the row that was handed out to the device and that images belong to: by study UID, by step
 * or procedure, by accession number and patient.
 */
export type FindWorklistRow = (query: WorklistRowQuery) => Promise<SentWorklistRow | undefined>

/** The row; undefined where there is none, or where it cannot be found out. */
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
 * Finds the row of the worklist that the images were made for where it is not known yet, and
 * compares. Whether there is one.
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
  if (isNew) noteStudy(context, study, 'images', 'danger', message('images.row-differs'))
  noteImagesChanged(context)
  return true
}

/**
 * By study UID, by step or procedure, by accession number and patient; then again by the study UID
 * that the images say was requested.
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
  // Some consoles make a UID of their own and keep that of the row in RequestAttributesSequence.
  const requested = header.requestStudyInstanceUid
  const isSame = requested === '' || requested === studyInstanceUid
  return row?.studyInstanceUid === studyInstanceUid || isSame ? row : await find(requested)
}

/**
 * Compares the images that count now: a device that corrects some of them leaves others that name
 * another patient.
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
  noteStudy(context, study, 'images', 'danger', message('images.names-differ'))
  noteImagesChanged(context)
}
