/** Tags of the keys by which studies are looked up (PS3.6). */
export const KEY = {
  sopInstanceUid: 0x00080018,
  studyDate: 0x00080020,
  studyTime: 0x00080030,
  accessionNumber: 0x00080050,
  modality: 0x00080060,
  modalitiesInStudy: 0x00080061,
  studyDescription: 0x00081030,
  patientName: 0x00100010,
  patientId: 0x00100020,
  patientBirthDate: 0x00100030,
  studyInstanceUid: 0x0020000d,
  seriesInstanceUid: 0x0020000e,
  studyId: 0x00200010,
} as const
