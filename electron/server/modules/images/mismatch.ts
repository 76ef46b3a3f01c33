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
 * Maximum number of stored differences among images: enough to investigate, without storing the
 * patients of a whole ward.
 */
const MAX_IMAGE_DIFFERENCES = 20

interface ComparedField<F extends Field = Field> {
  readonly field: F
  readonly handedOut: (row: SentWorklistRow) => string
  readonly received: (header: ImageHeader, studyInstanceUid: string) => string
  readonly isSame: (handedOut: string, received: string) => boolean
  /** Every modality copies it, so a missing value is a difference. */
  readonly isAlwaysCopied?: true
}

const isEqual = (one: string, other: string) => one === other
const isEqualIgnoringCase = (one: string, other: string) =>
  one.toUpperCase() === other.toUpperCase()

const IDENTITY_FIELDS: readonly ComparedField<ImagesDifference['field']>[] = [
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
    isSame: isEqualIgnoringCase,
  },
  {
    field: 'accessionNumber',
    handedOut: (row) => row.accessionNumber,
    received: (header) => header.accessionNumber,
    isSame: isEqual,
  },
]
const COMPARED_FIELDS: readonly ComparedField[] = [
  ...IDENTITY_FIELDS,
  {
    field: 'studyInstanceUid',
    handedOut: (row) => row.studyInstanceUid,
    received: (_, studyInstanceUid) => studyInstanceUid,
    isSame: isEqual,
  },
]

/**
 * Differences between the images and their worklist row. Values that the row
 * does not have, or that not every modality copies, are not differences if they are missing.
 */
export function differencesOf(
  row: SentWorklistRow,
  header: ImageHeader,
  studyInstanceUid: string,
): Difference[] {
  return COMPARED_FIELDS.flatMap(
    ({ field, handedOut: ofRow, received: ofImages, isSame, isAlwaysCopied }) => {
      const handedOut = ofRow(row).trim()
      const received = ofImages(header, studyInstanceUid).trim()
      const isComparable = handedOut !== '' && (received !== '' || isAlwaysCopied === true)
      return isComparable && !isSame(handedOut, received) ? [{ field, handedOut, received }] : []
    },
  )
}

/** Differences between an image and the first images of its study. */
export function differencesBetween(first: ImageHeader, other: ImageHeader): ImagesDifference[] {
  return IDENTITY_FIELDS.flatMap(({ field, received, isSame, isAlwaysCopied }) => {
    const firstValue = received(first, '').trim()
    const otherValue = received(other, '').trim()
    const isComparable = (firstValue !== '' && otherValue !== '') || isAlwaysCopied === true
    return isComparable && !isSame(firstValue, otherValue)
      ? [{ field, first: firstValue, other: otherValue }]
      : []
  })
}

/** Replaces the differences from the worklist row. */
export const withRow = (
  before: Mismatch | null,
  fields: readonly Difference[],
  now: string,
): Mismatch | null =>
  mismatchOf(before, { fields: [...fields], amongImages: before?.amongImages ?? [] }, now)

/** Adds the differences of one more image; previous ones are kept. */
export function withImage(
  before: Mismatch | null,
  differences: readonly ImagesDifference[],
  now: string,
): Mismatch | null {
  const known = new Map((before?.amongImages ?? []).map((each) => [JSON.stringify(each), each]))
  for (const each of differences)
    if (known.size < MAX_IMAGE_DIFFERENCES) known.set(JSON.stringify(each), each)
  return mismatchOf(before, { fields: before?.fields ?? [], amongImages: [...known.values()] }, now)
}

/** Removes the differences among images, because the differing ones are no longer current. */
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
