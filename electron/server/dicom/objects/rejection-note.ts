import type { DataSet } from '#server/dicom/data-set/coding.ts'
import { type NamedValues, namedDataSet } from '#server/dicom/data-set/named-data-set.ts'
import { type ClinicTime, commonAttributes, type ObjectHeader } from './object-header.ts'

/** Key Object Selection Document Storage (PS3.4 Table B.5-1). */
export const KEY_OBJECT_SELECTION = '1.2.840.10008.5.1.4.1.1.88.59'

/** Document titles of rejection notes (PS3.16 CID 7011; IHE RAD TF-2 4.66.4.1.3). */
const TITLES = {
  'patient-safety': { value: '113037', meaning: 'Rejected for Patient Safety Reasons' },
  'wrong-worklist-entry': { value: '113038', meaning: 'Incorrect Modality Worklist Entry' },
} as const
export type RejectionCause = keyof typeof TITLES

export interface RejectedInstance {
  readonly seriesInstanceUid: string
  readonly sopClassUid: string
  readonly sopInstanceUid: string
  /** Whether the instance has pixel data. */
  readonly isImage: boolean
}

/**
 * A Key Object Selection Document (PS3.3 A.35.4, PS3.16 TID 2010) that rejects instances of one
 * study. `header` must have the patient and study of the rejected instances, because archives file
 * the note with them.
 */
export function rejectionNote(
  header: ObjectHeader,
  created: ClinicTime,
  {
    cause,
    rejected,
  }: { readonly cause: RejectionCause; readonly rejected: readonly RejectedInstance[] },
): DataSet {
  const { value, meaning } = TITLES[cause]
  return namedDataSet({
    ...commonAttributes(header, KEY_OBJECT_SELECTION, created),
    Modality: 'KO',
    ReferencedPerformedProcedureStepSequence: [],
    InstanceNumber: '1',
    ContentDate: created.date,
    ContentTime: created.time,
    CurrentRequestedProcedureEvidenceSequence: [
      {
        StudyInstanceUID: header.studyInstanceUid,
        ReferencedSeriesSequence: [...Map.groupBy(rejected, (one) => one.seriesInstanceUid)].map(
          ([seriesInstanceUid, instances]) => ({
            SeriesInstanceUID: seriesInstanceUid,
            ReferencedSOPSequence: instances.map(reference),
          }),
        ),
      },
    ],
    ValueType: 'CONTAINER',
    ConceptNameCodeSequence: [dcmCode(value, meaning)],
    ContinuityOfContent: 'SEPARATE',
    ContentTemplateSequence: [{ MappingResource: 'DCMR', TemplateIdentifier: '2010' }],
    ContentSequence: rejected.map((instance) => ({
      RelationshipType: 'CONTAINS',
      ValueType: valueTypeOf(instance),
      ReferencedSOPSequence: [reference(instance)],
    })),
  })
}

const dcmCode = (value: string, meaning: string): NamedValues => ({
  CodeValue: value,
  CodingSchemeDesignator: 'DCM',
  CodeMeaning: meaning,
})

const reference = ({ sopClassUid, sopInstanceUid }: RejectedInstance): NamedValues => ({
  ReferencedSOPClassUID: sopClassUid,
  ReferencedSOPInstanceUID: sopInstanceUid,
})

/** PS3.4 Table B.5-1: waveform storage classes. */
const WAVEFORM_ROOT = '1.2.840.10008.5.1.4.1.1.9.'

/** PS3.3 Table A.35.4-2: the value type of a reference in a key object selection. */
function valueTypeOf({ sopClassUid, isImage }: RejectedInstance): string {
  if (isImage) return 'IMAGE'
  return sopClassUid.startsWith(WAVEFORM_ROOT) ? 'WAVEFORM' : 'COMPOSITE'
}
