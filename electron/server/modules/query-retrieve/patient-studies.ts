import type { Context } from '#server/context.ts'
import { DimseError } from '#server/dicom/dimse/status.ts'
import { message } from '#shared/messages/message.ts'
import { findEntities } from './find-entities.ts'

const PATIENT_ID = 0x00100020
const STUDY_INSTANCE_UID = 0x0020000d

/**
 * The studies of a patient among the given ones, or all of them if none are given.
 * @throws DimseError A701 if they cannot all be found; a part of them must not look like everything
 */
export async function studiesOfPatient(
  context: Context,
  patientId: string,
  studyInstanceUids: readonly string[],
  signal: AbortSignal,
): Promise<string[]> {
  const keys = [
    { tag: PATIENT_ID, text: patientId },
    ...(studyInstanceUids.length > 0
      ? [{ tag: STUDY_INSTANCE_UID, text: studyInstanceUids.join('\\') }]
      : []),
  ]
  const found: string[] = []
  const entities = findEntities(context, { level: 'STUDY', keys, returnKeys: [] }, signal)
  for (;;) {
    const step = await entities.next()
    if (!step.done) found.push(step.value.studyInstanceUid)
    else if (step.value.outcome === 'complete') return found
    else
      throw new DimseError(
        0xa701,
        message(
          step.value.outcome === 'cut'
            ? 'query-retrieve.too-many-studies'
            : 'query-retrieve.studies-not-indexed',
        ),
      )
  }
}
