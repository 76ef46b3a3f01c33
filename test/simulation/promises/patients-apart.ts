import { listStudyInstances } from '#server/modules/images/instance-queries.ts'
import { findImageStudy } from '#server/modules/studies/image-study-queries.ts'
import type { Promised } from '../promise.ts'

/**
 * Images that name another patient than their study or the row they were made for are shown side by
 * side with them, never taken in silently.
 */
export const patientsApart: Promised = {
  name: 'Images of another patient are never merged silently',
  when: 'day',
  check({ ledger, reader: { store } }) {
    const studies = [...new Set(ledger.instances.map(({ studyInstanceUid }) => studyInstanceUid))]
    return studies.flatMap((studyInstanceUid) => {
      const study = findImageStudy(store.database, studyInstanceUid)
      if (!study) return [`${studyInstanceUid} has images and is not there`]
      // What the gateway made itself names the patient of the report.
      const ofDevices = listStudyInstances(store.database, studyInstanceUid).filter(
        ({ callingAeTitle }) => callingAeTitle.startsWith('CT'),
      )
      const names = new Set(ofDevices.map(({ patientName }) => patientName))
      const { handedOut, header, mismatch } = study
      // While images come it is not known yet what they are.
      if (study.state !== 'settled') return []
      const isOfRow =
        !handedOut || handedOut.patientId === '' || handedOut.patientId === header.patientId
      return [
        ...(names.size > 1 && !mismatch
          ? [`${studyInstanceUid} has images of ${names.size} patients and says nothing of it`]
          : []),
        ...(isOfRow || mismatch?.fields.length
          ? []
          : [`${studyInstanceUid} is of another patient than its row and says nothing of it`]),
        ...(ofDevices.length === 0 || ledger.sent.has(`${studyInstanceUid} ${header.patientId}`)
          ? []
          : [`${studyInstanceUid} is of a patient that no image names`]),
      ]
    })
  },
}
