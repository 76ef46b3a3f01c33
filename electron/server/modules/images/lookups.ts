import { instantOf } from '#server/platform/clock.ts'
import type { HandedOutRow, ImageStudyRecord } from './image-study-queries.ts'
import { differencesOf, withImage, withRow } from './mismatch.ts'
import { isSameName } from './person-name.ts'
import type { IntakeDeps } from './ports.ts'
import { OWN_ADDRESS } from './study-identity.ts'

/**
 * Which row of the worklist images were made for, and whether they say the same (dicom-field §5.7).
 */
export interface Lookups {
  /** Finds the row where it is not known yet, and compares. */
  lookUp(studyInstanceUid: string): Promise<void>
  /**
   * Compares the images that count now: a device that corrects some of them leaves others that name
   * another patient.
   */
  compare(studyInstanceUid: string): void
}

export function openLookups(
  deps: IntakeDeps,
  onFound: (studyInstanceUid: string) => void,
): Lookups {
  const { store, clock, uuid, handedOut, onNews, onChanged, onError } = deps
  const { database, imageStudies, instances } = store

  /**
   * By study UID, by step or procedure, by accession number and patient; then again by the study
   * UID that the images say was requested.
   */
  async function rowOf({
    callingAeTitle,
    studyInstanceUid,
    header,
  }: ImageStudyRecord): Promise<HandedOutRow | undefined> {
    const {
      scheduledProcedureStepId,
      requestedProcedureId,
      accessionNumber,
      patientId,
      requestStudyInstanceUid,
    } = header
    const query = {
      callingAeTitle,
      studyInstanceUid,
      scheduledProcedureStepId,
      requestedProcedureId,
      accessionNumber,
      patientId,
    }
    try {
      const row = await handedOut(query)
      // Some consoles make a UID of their own and keep that of the row in
      // RequestAttributesSequence.
      if (
        row?.studyInstanceUid === studyInstanceUid ||
        requestStudyInstanceUid === '' ||
        requestStudyInstanceUid === studyInstanceUid
      )
        return row
      return await handedOut({ ...query, studyInstanceUid: requestStudyInstanceUid })
    } catch (error) {
      onError(uuid().slice(0, 8), error)
      return undefined
    }
  }

  return {
    async lookUp(studyInstanceUid) {
      const study = imageStudies.get(studyInstanceUid)
      if (!study) return
      const row = study.handedOut ?? (await rowOf(study))
      if (!row) return
      const isNew = database.transaction(() => {
        const now = imageStudies.get(studyInstanceUid)
        if (!now) return false
        const mismatch = withRow(
          now.mismatch,
          differencesOf(row, now.header, studyInstanceUid),
          instantOf(clock()),
        )
        if (now.handedOut !== null && mismatch === now.mismatch) return false
        imageStudies.update(studyInstanceUid, { handedOut: row, mismatch })
        // The row's step is received where the study is settled.
        deps.performedSteps.changed()
        return mismatch !== null && mismatch !== now.mismatch && mismatch.fields.length > 0
      })
      onFound(studyInstanceUid)
      if (isNew) {
        const { callingAeTitle: aeTitle, remoteAddress: address } = study
        const text =
          'The images name another patient or order than the worklist row they were made for.'
        onNews({
          kind: 'images',
          tone: 'danger',
          text,
          aeTitle,
          address,
          associationId: '',
          studyInstanceUid,
        })
      }
      onChanged()
    },

    compare(studyInstanceUid) {
      const study = imageStudies.get(studyInstanceUid)
      if (!study) return
      const first = study.header.patientName
      const others = instances
        .patientNames(studyInstanceUid, OWN_ADDRESS)
        .filter((name) => !isSameName(first, name))
      const differences = others.map((other) => ({ field: 'patientName', first, other }) as const)
      const mismatch =
        others.length === 0
          ? study.mismatch
          : withImage(study.mismatch, differences, instantOf(clock()))
      if (mismatch === study.mismatch) return
      database.transaction(() => imageStudies.update(studyInstanceUid, { mismatch }))
      const { callingAeTitle: aeTitle, remoteAddress: address } = study
      const text = 'Images of one study name different patients: what the device said last is used.'
      onNews({
        kind: 'images',
        tone: 'danger',
        text,
        aeTitle,
        address,
        associationId: '',
        studyInstanceUid,
      })
      onChanged()
    },
  }
}
