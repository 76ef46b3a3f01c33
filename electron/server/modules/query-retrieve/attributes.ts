import { tagOf, vrOf } from '#server/dicom/data-set/dictionary.ts'
import type { ImageAttributes } from '#server/modules/images/instance-queries.ts'
import type { ImageHeader } from '#server/modules/studies/image-study-row.ts'
import { isAtOrAbove, type QueryLevel } from './entity-query.ts'
import type { CandidateFacts, FoundInstance, FoundSeries } from './found.ts'

/** An attribute that is supported for matching and as a return key. */
export interface RetrievalAttribute {
  readonly tag: number
  readonly keyword: string
  readonly vr: string
  /** Its level in the Patient Root model; in the Study Root model PATIENT means STUDY. */
  readonly level: QueryLevel
  /** Key type of PS3.4 Tables C.6-1 to C.6-5: unique, required or optional. */
  readonly key: 'U' | 'R' | 'O'
  /** The value of an entity; several values are separated by `\`. */
  readonly read: (found: CandidateFacts) => string
}

type Row = readonly [string, RetrievalAttribute['key'], RetrievalAttribute['read']]

const headerValue =
  (field: keyof ImageHeader) =>
  ({ study }: CandidateFacts): string =>
    study.header[field]
const seriesValue =
  (of: (series: FoundSeries) => string | number) =>
  ({ series }: CandidateFacts): string =>
    series ? String(of(series)) : ''
const instanceValue =
  (of: (instance: FoundInstance) => string) =>
  ({ instance }: CandidateFacts): string =>
    instance ? of(instance) : ''
const imageValue = (field: keyof ImageAttributes) =>
  instanceValue(({ image }) =>
    image === null ? '' : String((JSON.parse(image) as ImageAttributes)[field] ?? ''),
  )

const PATIENT_ATTRIBUTES: readonly Row[] = [
  ['PatientName', 'R', headerValue('patientName')],
  ['PatientID', 'U', headerValue('patientId')],
  ['PatientBirthDate', 'O', headerValue('patientBirthDate')],
  ['PatientSex', 'O', headerValue('patientSex')],
  [
    'NumberOfPatientRelatedStudies',
    'O',
    ({ study, lookups }) => String(lookups.patientTotalsOf(study).studies),
  ],
  [
    'NumberOfPatientRelatedSeries',
    'O',
    ({ study, lookups }) => String(lookups.patientTotalsOf(study).series),
  ],
  [
    'NumberOfPatientRelatedInstances',
    'O',
    ({ study, lookups }) => String(lookups.patientTotalsOf(study).instances),
  ],
  // PS3.4 C.4.1.1.3.2: returned at every level.
  ['RetrieveAETitle', 'O', ({ lookups }) => lookups.aeTitle()],
  ['InstanceAvailability', 'O', () => 'ONLINE'],
]

const STUDY_ROWS: readonly Row[] = [
  ['StudyInstanceUID', 'U', ({ study }) => study.studyInstanceUid],
  ['StudyDate', 'R', headerValue('studyDate')],
  ['StudyTime', 'R', headerValue('studyTime')],
  ['AccessionNumber', 'R', headerValue('accessionNumber')],
  ['StudyID', 'R', headerValue('studyId')],
  ['StudyDescription', 'O', headerValue('studyDescription')],
  ['ReferringPhysicianName', 'O', headerValue('referringPhysicianName')],
  ['InstitutionName', 'O', headerValue('institutionName')],
  ['PatientAge', 'O', headerValue('patientAge')],
  ['PatientSize', 'O', headerValue('patientSize')],
  ['PatientWeight', 'O', headerValue('patientWeight')],
  ['ModalitiesInStudy', 'O', ({ study }) => study.modalities],
  ['SOPClassesInStudy', 'O', ({ study, lookups }) => lookups.sopClassesOf(study)],
  ['NumberOfStudyRelatedSeries', 'O', ({ study }) => String(study.series)],
  ['NumberOfStudyRelatedInstances', 'O', ({ study }) => String(study.instances)],
]

const SERIES_ATTRIBUTES: readonly Row[] = [
  ['SeriesInstanceUID', 'U', seriesValue(({ seriesInstanceUid }) => seriesInstanceUid)],
  ['Modality', 'R', seriesValue(({ modality }) => modality)],
  ['SeriesNumber', 'R', seriesValue(({ seriesNumber }) => seriesNumber)],
  ['SeriesDescription', 'O', seriesValue(({ seriesDescription }) => seriesDescription)],
  ['NumberOfSeriesRelatedInstances', 'O', seriesValue(({ instances }) => instances)],
]

const IMAGE_ATTRIBUTES: readonly Row[] = [
  ['SOPInstanceUID', 'U', instanceValue(({ sopInstanceUid }) => sopInstanceUid)],
  ['SOPClassUID', 'O', instanceValue(({ sopClassUid }) => sopClassUid)],
  ['InstanceNumber', 'R', instanceValue(({ instanceNumber }) => instanceNumber)],
  ['Rows', 'O', imageValue('rows')],
  ['Columns', 'O', imageValue('columns')],
  ['BitsAllocated', 'O', imageValue('bitsAllocated')],
  ['NumberOfFrames', 'O', imageValue('numberOfFrames')],
  ['AvailableTransferSyntaxUID', 'O', instanceValue(({ transferSyntaxUid }) => transferSyntaxUid)],
]

function attributeOf(level: QueryLevel, [keyword, key, read]: Row): RetrievalAttribute {
  const tag = tagOf(keyword)
  if (tag === undefined) throw new RangeError(`no such attribute: ${keyword}`)
  return { tag, keyword, vr: vrOf(tag), level, key, read }
}

/** The supported attributes by tag, from the PATIENT to the IMAGE level. */
export const RETRIEVAL_ATTRIBUTES: ReadonlyMap<number, RetrievalAttribute> = new Map(
  Object.entries({
    PATIENT: PATIENT_ATTRIBUTES,
    STUDY: STUDY_ROWS,
    SERIES: SERIES_ATTRIBUTES,
    IMAGE: IMAGE_ATTRIBUTES,
  })
    .flatMap(([level, rows]) => rows.map((row) => attributeOf(level as QueryLevel, row)))
    .map((attribute) => [attribute.tag, attribute]),
)

/** The supported attributes of a level and those above it. */
export const attributesAt = (level: QueryLevel): RetrievalAttribute[] =>
  [...RETRIEVAL_ATTRIBUTES.values()].filter((attribute) => isAtOrAbove(attribute.level, level))
