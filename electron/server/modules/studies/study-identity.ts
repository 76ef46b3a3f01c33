import type { StudyRecord } from '#server/modules/studies/study-queries.ts'
import {
  IDENTITY_FIELDS,
  type IdentityDifference,
  type StudyIdentity,
} from '#shared/contract/images.ts'
import type { StudyReportMetadata } from '#shared/contract/scribe.ts'
import type { ImageHeader, ImageStudyRecord } from './image-study-row.ts'
import { differencesOf, rowDifferencesOf } from './same-patient.ts'

/**
 * `remoteAddress` of objects that the gateway created itself; the address of a device is never
 * empty.
 */
export const OWN_ADDRESS = ''

type Images = Pick<
  ImageStudyRecord,
  'header' | 'handedOut' | 'mismatch' | 'override' | 'instances' | 'remoteAddress'
> &
  Partial<Pick<ImageStudyRecord, 'isCorrected' | 'inDoubt' | 'studyInstanceUid'>>
type Study = Pick<StudyRecord, 'detail' | 'createdByApiKeyId' | 'createdByUserId'>

/**
 * Determines the identity state of a study from stored data. This is the only place where it is
 * determined.
 *
 * Differences from the worklist row and among the images are found when images arrive
 * (`modules/images/mismatch.ts`). The study of the interface may change at any time, so it is
 * compared here.
 * @param study the scribe study with the same Study Instance UID; viewer studies have no patient
 *   data
 */
export function identityOf(images: Images | undefined, study: Study | undefined): StudyIdentity {
  // Reports and captures that the gateway created are not evidence about a device's images.
  if (!images || images.instances === 0 || images.remoteAddress === OWN_ADDRESS) return UNVERIFIED
  const differences = differencesIn(images, study)
  // A device that generates its own Study Instance UID was matched by step or accession number.
  if (!images.inDoubt && differences.every(({ field }) => field === 'studyInstanceUid')) {
    // A study that was created from its own images is not independent evidence.
    const isIndependent =
      study !== undefined && (study.createdByApiKeyId !== null || study.createdByUserId !== null)
    const isCompared =
      images.handedOut !== null || (isIndependent && namesPatient(study.detail.reportMetadata))
    const state = images.isCorrected ? 'resolved' : isCompared ? 'matched' : 'unverified'
    return { state, differences, override: null }
  }
  const { override } = images
  if (!override || !areSameDifferences(override.differences, differences))
    return { state: 'mismatch', differences, override: null }
  const { at, name, reason } = override
  return { state: 'overridden', differences, override: { at, name, reason } }
}

/**
 * Whether a device made the images without an order: no worklist row was sent or linked for them,
 * and neither a partner nor a user created a study for them. `reconciliation-queries.ts` contains
 * the same rule as a query.
 */
export function isUnscheduled(
  images:
    | Pick<ImageStudyRecord, 'handedOut' | 'instances' | 'remoteAddress' | 'isFetched' | 'state'>
    | undefined,
  study: Pick<StudyRecord, 'createdByApiKeyId' | 'createdByUserId'> | undefined,
): boolean {
  if (!images || images.instances === 0 || images.remoteAddress === OWN_ADDRESS) return false
  if (images.isFetched || images.state !== 'settled' || images.handedOut !== null) return false
  return !study || (study.createdByApiKeyId === null && study.createdByUserId === null)
}

export const areSameDifferences = (
  one: readonly IdentityDifference[],
  other: readonly IdentityDifference[],
): boolean => JSON.stringify(one.map(valuesOf)) === JSON.stringify(other.map(valuesOf))
const valuesOf = ({ from, field, expected, received }: IdentityDifference) => [
  from,
  field,
  expected,
  received,
]

const UNVERIFIED: StudyIdentity = { state: 'unverified', differences: [], override: null }

const namesPatient = (metadata: StudyReportMetadata | undefined): boolean =>
  Boolean(metadata?.patientName || metadata?.mrn)

function differencesIn(
  { header, mismatch, inDoubt, studyInstanceUid = '' }: Images,
  study: Study | undefined,
): IdentityDifference[] {
  return [
    ...(inDoubt ? versionDifferencesOf({ header, studyInstanceUid }, inDoubt) : []),
    ...(mismatch?.fields ?? []).map(({ field, handedOut, received }) => ({
      ...({ from: 'worklist', field } as const),
      ...{ expected: handedOut, received },
    })),
    ...studyDifferencesOf(header, study?.detail.reportMetadata ?? {}),
    ...(mismatch?.amongImages ?? []).map(({ field, first, other }) => ({
      ...({ from: 'images', field } as const),
      ...{ expected: first, received: other },
    })),
  ]
}

type ImageVersion = NonNullable<ImageStudyRecord['inDoubt']>

/** All fields that differ, including missing values, because one of the two versions is wrong. */
function versionDifferencesOf(own: ImageVersion, found: ImageVersion): IdentityDifference[] {
  const value = (one: ImageVersion, field: IdentityDifference['field']) =>
    field === 'studyInstanceUid' ? one.studyInstanceUid : one.header[field]
  return IDENTITY_FIELDS.flatMap((field) => {
    const [expected, received] = [value(found, field), value(own, field)]
    return expected === received ? [] : [{ from: 'version' as const, field, expected, received }]
  })
}

type HeaderPatient = Pick<
  ImageHeader,
  'patientName' | 'patientId' | 'patientBirthDate' | 'patientSex'
>

/**
 * The fields in which the header of an image and the study of the interface name different
 * patients. Values that only one of them has are ignored. The name of a study is free text in any
 * order.
 */
export function studyDifferencesOf(
  header: HeaderPatient,
  metadata: StudyReportMetadata,
): IdentityDifference[] {
  const { patientName = '', mrn = '', dateOfBirth = '', sex } = metadata
  const named = rowDifferencesOf(header, { patientName, mrn })
  const bornOn = dateOfBirth.replaceAll('-', '')
  const born = differencesOf(header, { patientName: '', patientId: '', patientBirthDate: bornOn })
  const [expectedSex, headerSex] = [SEX[sex ?? ''] ?? '', header.patientSex.trim().toUpperCase()]
  const isDifferentSex =
    expectedSex !== '' && (headerSex === 'M' || headerSex === 'F') && expectedSex !== headerSex
  const studyDifference = (
    field: IdentityDifference['field'],
    expected: string,
    received: string,
  ) => ({ from: 'study', field, expected, received }) as const
  return [
    ...(named.includes('name')
      ? [studyDifference('patientName', patientName, header.patientName)]
      : []),
    ...(named.includes('patient ID') ? [studyDifference('patientId', mrn, header.patientId)] : []),
    ...(born.length > 0
      ? [studyDifference('patientBirthDate', bornOn, header.patientBirthDate)]
      : []),
    ...(isDifferentSex ? [studyDifference('patientSex', expectedSex, headerSex)] : []),
  ]
}

/** `other` has no value in DICOM that every device uses. */
const SEX: Readonly<Record<string, 'M' | 'F'>> = { male: 'M', female: 'F' }
