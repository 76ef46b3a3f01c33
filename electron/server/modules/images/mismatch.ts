import type {
  ImageHeader,
  Mismatch,
  SentWorklistRow,
} from '#server/modules/studies/image-study-row.ts'
import { isSameName } from './person-name.ts'

type Difference = Mismatch['fields'][number]
type ImagesDifference = Mismatch['amongImages'][number]
type Field = Difference['field']

/**
 * What is kept of images that differ among themselves: enough to look for, and no list of a whole
 * ward.
 */
const MOST_AMONG_IMAGES = 20

interface Compared<F extends Field = Field> {
  readonly field: F
  readonly handedOut: (row: SentWorklistRow) => string
  readonly received: (header: ImageHeader, studyInstanceUid: string) => string
  readonly isSame: (handedOut: string, received: string) => boolean
  /** Every console copies it: that it is missing is a difference. */
  readonly isAlwaysCopied?: true
}

const isEqual = (one: string, other: string) => one === other
const isEqualInAnyCase = (one: string, other: string) => one.toUpperCase() === other.toUpperCase()

const IDENTITY: readonly Compared<ImagesDifference['field']>[] = [
  {
    field: 'patientName',
    handedOut: (row) => row.patientName,
    received: (header) => header.patientName,
    isSame: isSameName,
    isAlwaysCopied: true,
  },
  {
    field: 'patientId',
    handedOut: (row) => row.patientId,
    received: (header) => header.patientId,
    isSame: isEqual,
    isAlwaysCopied: true,
  },
  {
    field: 'patientBirthDate',
    handedOut: (row) => row.patientBirthDate,
    received: (header) => header.patientBirthDate.replaceAll('.', ''),
    isSame: isEqual,
  },
  {
    field: 'patientSex',
    handedOut: (row) => row.patientSex,
    received: (header) => header.patientSex,
    isSame: isEqualInAnyCase,
  },
  {
    field: 'accessionNumber',
    handedOut: (row) => row.accessionNumber,
    received: (header) => header.accessionNumber,
    isSame: isEqual,
  },
]
const COMPARED: readonly Compared[] = [
  ...IDENTITY,
  {
    field: 'studyInstanceUid',
    handedOut: (row) => row.studyInstanceUid,
    received: (_, studyInstanceUid) => studyInstanceUid,
    isSame: isEqual,
  },
]

/**
 * Where the images speak of another patient or order than the row that was handed out (dicom-field
 * §5.7). What the row leaves open, and what not every console copies into its images, is no
 * difference where it is missing.
 */
export function differencesOf(
  row: SentWorklistRow,
  header: ImageHeader,
  studyInstanceUid: string,
): Difference[] {
  return COMPARED.flatMap(
    ({ field, handedOut: ofRow, received: ofImages, isSame, isAlwaysCopied }) => {
      const handedOut = ofRow(row).trim()
      const received = ofImages(header, studyInstanceUid).trim()
      const isComparable = handedOut !== '' && (received !== '' || isAlwaysCopied === true)
      return isComparable && !isSame(handedOut, received) ? [{ field, handedOut, received }] : []
    },
  )
}

/**
 * Where an image speaks of another patient or order than the first images of its study do
 * (dicom-field §5.7).
 */
export function differencesAmong(first: ImageHeader, other: ImageHeader): ImagesDifference[] {
  return IDENTITY.flatMap(({ field, received, isSame, isAlwaysCopied }) => {
    const ofFirst = received(first, '').trim()
    const ofOther = received(other, '').trim()
    const isComparable = (ofFirst !== '' && ofOther !== '') || isAlwaysCopied === true
    return isComparable && !isSame(ofFirst, ofOther)
      ? [{ field, first: ofFirst, other: ofOther }]
      : []
  })
}

/** The mismatch with what images of the study now differ from its row in. */
export const withRow = (
  before: Mismatch | null,
  fields: readonly Difference[],
  now: string,
): Mismatch | null =>
  mismatchOf(before, { fields: [...fields], amongImages: before?.amongImages ?? [] }, now)

/** The mismatch with what one more image differs in from the first: what was found stays. */
export function withImage(
  before: Mismatch | null,
  differences: readonly ImagesDifference[],
  now: string,
): Mismatch | null {
  const known = new Map((before?.amongImages ?? []).map((each) => [JSON.stringify(each), each]))
  for (const each of differences)
    if (known.size < MOST_AMONG_IMAGES) known.set(JSON.stringify(each), each)
  return mismatchOf(before, { fields: before?.fields ?? [], amongImages: [...known.values()] }, now)
}

/** The mismatch once the images that differed count no more. */
export const withoutImages = (before: Mismatch | null, now: string): Mismatch | null =>
  mismatchOf(before, { fields: before?.fields ?? [], amongImages: [] }, now)

function mismatchOf(
  before: Mismatch | null,
  found: Pick<Mismatch, 'fields' | 'amongImages'>,
  now: string,
): Mismatch | null {
  const { fields, amongImages } = found
  if (fields.length === 0 && amongImages.length === 0) return null
  if (
    before &&
    JSON.stringify([before.fields, before.amongImages]) === JSON.stringify([fields, amongImages])
  )
    return before
  return { fields, amongImages, foundAt: now }
}
