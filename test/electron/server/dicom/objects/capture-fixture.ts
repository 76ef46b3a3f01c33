import { writeDataSet } from '#server/dicom/data-set/data-set.ts'
import { fileMeta } from '#server/dicom/data-set/file-meta.ts'
import { TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import {
  type CaptureHeader,
  type CaptureImage,
  SECONDARY_CAPTURE,
  secondaryCapture,
} from '#server/dicom/objects/secondary-capture.ts'

/** Of a patient who does not exist, with as little known as may be. */
export const CAPTURE: CaptureHeader = {
  patientName: 'Пробная^Анна',
  patientId: 'P-1',
  patientBirthDate: '',
  patientSex: '',
  studyInstanceUid: '2.25.1',
  studyDate: '',
  studyTime: '',
  studyId: '',
  studyDescription: '',
  accessionNumber: '',
  referringPhysicianName: '',
  institutionName: '',
  seriesInstanceUid: '2.25.2',
  seriesNumber: '9001',
  seriesDescription: 'Captures',
  modality: 'MR',
  bodyPartExamined: '',
  laterality: '',
  sopInstanceUid: '2.25.3',
  instanceNumber: '1',
  made: { date: '20261122', time: '101500.000', offset: '+0100' },
  derivationDescription: 'Window 40/400',
  source: { sopClassUid: '1.2.840.10008.5.1.4.1.1.4.1', sopInstanceUid: '2.25.4', frame: 3 },
}

export function captureFile(header: CaptureHeader, image: CaptureImage): Buffer {
  const transferSyntaxUid = TRANSFER_SYNTAX.explicitLittleEndian
  const meta = fileMeta({
    sopClassUid: SECONDARY_CAPTURE,
    sopInstanceUid: header.sopInstanceUid,
    transferSyntaxUid,
    sourceAeTitle: '',
  })
  return Buffer.concat([meta, writeDataSet(secondaryCapture(header, image), transferSyntaxUid)])
}
