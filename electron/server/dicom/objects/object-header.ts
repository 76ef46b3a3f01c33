import type { NamedValues } from '#server/dicom/data-set/named-data-set.ts'
import { IMPLEMENTATION } from '#server/dicom/data-set/uids.ts'

/**
 * An instant in the clinic's local time: DA, TM, and the UTC offset in the form used by DT
 * (`+0100`).
 */
export interface ClinicTime {
  readonly date: string
  readonly time: string
  readonly offset: string
}

/**
 * Patient, study and series attributes of an object created by the gateway. Text in DICOM format
 * (PN, DA, TM, CS), empty if unknown.
 */
export interface ObjectHeader {
  readonly patientName: string
  readonly patientId: string
  readonly patientBirthDate: string
  readonly patientSex: string
  readonly studyInstanceUid: string
  readonly studyDate: string
  readonly studyTime: string
  readonly studyId: string
  readonly studyDescription: string
  readonly accessionNumber: string
  readonly referringPhysicianName: string
  readonly institutionName: string
  readonly seriesInstanceUid: string
  readonly seriesNumber: string
  readonly seriesDescription: string
  readonly sopInstanceUid: string
}

/**
 * Attributes common to all such objects: SOP Common, Patient, General Study, Series and Equipment
 * modules (PS3.3 C.7, C.12.1).
 */
export const commonAttributes = (
  header: ObjectHeader,
  sopClassUid: string,
  made: ClinicTime,
): NamedValues => ({
  SpecificCharacterSet: 'ISO_IR 192',
  InstanceCreationDate: made.date,
  InstanceCreationTime: made.time,
  InstanceCreatorUID: IMPLEMENTATION.classUid,
  SOPClassUID: sopClassUid,
  SOPInstanceUID: header.sopInstanceUid,
  StudyDate: header.studyDate,
  StudyTime: header.studyTime,
  AccessionNumber: header.accessionNumber,
  Manufacturer: 'Isthmus',
  ManufacturerModelName: 'Isthmus',
  SoftwareVersions: IMPLEMENTATION.versionName,
  InstitutionName: header.institutionName || undefined,
  ReferringPhysicianName: header.referringPhysicianName,
  StudyDescription: header.studyDescription || undefined,
  SeriesDescription: header.seriesDescription,
  PatientName: header.patientName,
  PatientID: header.patientId,
  PatientBirthDate: header.patientBirthDate,
  PatientSex: header.patientSex,
  StudyInstanceUID: header.studyInstanceUid,
  SeriesInstanceUID: header.seriesInstanceUid,
  StudyID: header.studyId,
  SeriesNumber: header.seriesNumber,
})
