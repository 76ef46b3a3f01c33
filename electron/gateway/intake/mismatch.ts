import type { HandedOutRow, ImageHeader } from '#gateway/store/image-studies.ts'
import type { Mismatch } from '#shared/contract/images.ts'
import { isSameName } from './name.ts'

type Difference = Mismatch['fields'][number]
type Field = Difference['field']

interface Compared {
  readonly field: Field
  readonly handedOut: (row: HandedOutRow) => string
  readonly received: (header: ImageHeader, studyInstanceUid: string) => string
  readonly isSame: (handedOut: string, received: string) => boolean
  /** Every console copies it: that it is missing is a difference. */
  readonly isAlwaysCopied?: true
}

const isEqual = (one: string, other: string) => one === other
const isEqualInAnyCase = (one: string, other: string) => one.toUpperCase() === other.toUpperCase()

const COMPARED: readonly Compared[] = [
  {
    field: 'patientName',
    handedOut: (row) => row.patientName,
    received: (header) => header.patientName,
    isSame: isSameName,
    isAlwaysCopied: true,
  },
  { field: 'patientId', handedOut: (row) => row.patientId, received: (header) => header.patientId, isSame: isEqual, isAlwaysCopied: true },
  {
    field: 'patientBirthDate',
    handedOut: (row) => row.patientBirthDate,
    received: (header) => header.patientBirthDate.replaceAll('.', ''),
    isSame: isEqual,
  },
  { field: 'patientSex', handedOut: (row) => row.patientSex, received: (header) => header.patientSex, isSame: isEqualInAnyCase },
  { field: 'accessionNumber', handedOut: (row) => row.accessionNumber, received: (header) => header.accessionNumber, isSame: isEqual },
  {
    field: 'studyInstanceUid',
    handedOut: (row) => row.studyInstanceUid,
    received: (_, studyInstanceUid) => studyInstanceUid,
    isSame: isEqual,
  },
]

/**
 * Where the images speak of another patient or order than the row that was handed out (dicom-field §5.7). What the row leaves open, and what
 * not every console copies into its images, is no difference where it is missing.
 */
export function differencesOf(row: HandedOutRow, header: ImageHeader, studyInstanceUid: string): Difference[] {
  return COMPARED.flatMap(({ field, handedOut: ofRow, received: ofImages, isSame, isAlwaysCopied }) => {
    const handedOut = ofRow(row).trim()
    const received = ofImages(header, studyInstanceUid).trim()
    const isComparable = handedOut !== '' && (received !== '' || isAlwaysCopied === true)
    return isComparable && !isSame(handedOut, received) ? [{ field, handedOut, received }] : []
  })
}

/** The mismatch as it is kept: one that a person has looked at stays looked at until other fields or values differ. */
export function mismatchOf(fields: readonly Difference[], before: Mismatch | null, now: string): Mismatch | null {
  if (fields.length === 0) return null
  if (before && JSON.stringify(before.fields) === JSON.stringify(fields)) return before
  return { fields: [...fields], foundAt: now, acknowledgedAt: null, acknowledgedBy: '', note: '' }
}
