import type { AttributeValues } from '#server/dicom/data-set/attribute-values.ts'
import { tagsByKeyword } from '#server/dicom/data-set/dictionary.ts'
import { trimTrailing } from '#server/dicom/data-set/vr.ts'
import type { CodedConcept, ObjectContext } from '#shared/contract/viewed-objects.ts'

const TAG = tagsByKeyword([
  'PatientName',
  'PatientID',
  'PatientBirthDate',
  'PatientSex',
  'StudyDescription',
  'StudyDate',
  'AccessionNumber',
  'ReferringPhysicianName',
  'SeriesDescription',
  'InstitutionName',
  'Manufacturer',
  'ManufacturerModelName',
  'CodeValue',
  'LongCodeValue',
  'URNCodeValue',
  'CodingSchemeDesignator',
  'CodeMeaning',
])

/** A person name without its empty component groups (PS3.5 §6.2.1.1). */
export const personName = (values: AttributeValues, tag: number): string =>
  trimTrailing(values.text(tag), '= ')

/** The patient and the study of an object. */
export const objectContext = (values: AttributeValues): ObjectContext => ({
  patientName: personName(values, TAG.PatientName),
  patientId: values.text(TAG.PatientID),
  patientBirthDate: values.text(TAG.PatientBirthDate),
  patientSex: values.text(TAG.PatientSex),
  studyDescription: values.text(TAG.StudyDescription),
  studyDate: values.text(TAG.StudyDate),
  accessionNumber: values.text(TAG.AccessionNumber),
  referringPhysician: personName(values, TAG.ReferringPhysicianName),
  seriesDescription: values.text(TAG.SeriesDescription),
  institution: values.text(TAG.InstitutionName),
  manufacturer: values.text(TAG.Manufacturer),
  model: values.text(TAG.ManufacturerModelName),
})

/** The first item of a code sequence (PS3.3 §8.8); null if there is none. */
export function codedConcept(values: AttributeValues, sequence: number): CodedConcept | null {
  const [item] = values.items(sequence)
  if (!item) return null
  return {
    value: item.text(TAG.CodeValue) || item.text(TAG.LongCodeValue) || item.text(TAG.URNCodeValue),
    scheme: item.text(TAG.CodingSchemeDesignator),
    meaning: item.text(TAG.CodeMeaning),
  }
}
