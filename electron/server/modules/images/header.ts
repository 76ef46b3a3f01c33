import {
  HeaderReader,
  type HeaderResult,
  type HeaderValues,
  textOf,
  type Wanted,
} from '#server/dicom/data-set/header-reader.ts'
import { withoutPadding } from '#server/dicom/data-set/vr.ts'
import type { ImageHeader } from '#server/modules/studies/image-study-row.ts'
import { Uid } from '#shared/dicom-values.ts'
import { type Message, message } from '#shared/messages/message.ts'
import type { ImageAttributes } from './instance-queries.ts'

/** PS3.6: attributes that are read while a data set is received. */
export const TAG = {
  sopClassUid: 0x00080016,
  sopInstanceUid: 0x00080018,
  studyDate: 0x00080020,
  studyTime: 0x00080030,
  accessionNumber: 0x00080050,
  modality: 0x00080060,
  institutionName: 0x00080080,
  referringPhysicianName: 0x00080090,
  studyDescription: 0x00081030,
  seriesDescription: 0x0008103e,
  referencedPerformedProcedureStepSequence: 0x00081111,
  referencedSopInstanceUid: 0x00081155,
  patientName: 0x00100010,
  patientId: 0x00100020,
  patientBirthDate: 0x00100030,
  patientSex: 0x00100040,
  patientAge: 0x00101010,
  patientSize: 0x00101020,
  patientWeight: 0x00101030,
  studyInstanceUid: 0x0020000d,
  seriesInstanceUid: 0x0020000e,
  studyId: 0x00200010,
  seriesNumber: 0x00200011,
  instanceNumber: 0x00200013,
  samplesPerPixel: 0x00280002,
  photometricInterpretation: 0x00280004,
  numberOfFrames: 0x00280008,
  rows: 0x00280010,
  columns: 0x00280011,
  bitsAllocated: 0x00280100,
  bitsStored: 0x00280101,
  highBit: 0x00280102,
  pixelRepresentation: 0x00280103,
  requestedProcedureDescription: 0x00321060,
  scheduledProcedureStepId: 0x00400009,
  requestAttributesSequence: 0x00400275,
  requestedProcedureId: 0x00401001,
} as const

const {
  requestAttributesSequence,
  referencedPerformedProcedureStepSequence,
  referencedSopInstanceUid,
  scheduledProcedureStepId,
} = TAG
const NESTED_TAGS: ReadonlySet<number> = new Set([
  requestAttributesSequence,
  referencedPerformedProcedureStepSequence,
  referencedSopInstanceUid,
  scheduledProcedureStepId,
])
const WANTED_ELEMENTS: readonly Wanted[] = [
  ...Object.values(TAG).filter((tag) => !NESTED_TAGS.has(tag)),
  { sequence: referencedPerformedProcedureStepSequence, tags: [referencedSopInstanceUid] },
  {
    sequence: requestAttributesSequence,
    tags: [
      TAG.studyInstanceUid,
      TAG.accessionNumber,
      TAG.requestedProcedureDescription,
      TAG.scheduledProcedureStepId,
      TAG.requestedProcedureId,
    ],
  },
]

/** The header of an instance. */
export interface InstanceHeader {
  readonly sopClassUid: string
  readonly sopInstanceUid: string
  readonly studyInstanceUid: string
  readonly seriesInstanceUid: string
  readonly instanceNumber: string
  readonly seriesNumber: string
  readonly seriesDescription: string
  /** SOP Instance UID of the performed procedure step; empty if there is none. */
  readonly performedStepUid: string
  readonly study: ImageHeader
  /** Whether the header exceeds the limit of what is read. */
  readonly isCut: boolean
  /** Null if the instance is not an image. */
  readonly image: ImageAttributes | null
}

/** Reads the header of a data set and verifies its structure to the end. */
export const fullReaderOf = (transferSyntax: string): HeaderReader =>
  new HeaderReader(transferSyntax, WANTED_ELEMENTS, { walks: true })

/** Reads only the header of a data set. */
export const headerReaderOf = (transferSyntax: string): HeaderReader =>
  new HeaderReader(transferSyntax, WANTED_ELEMENTS)

/**
 * `deviceSet` is the Specific Character Set configured for the device; it applies to data sets that
 * declare none.
 */
export function headerOf(found: HeaderResult, deviceSet: readonly string[]): InstanceHeader {
  const text = (tag: number) => textOf(found, tag, deviceSet)
  const request = found.first(requestAttributesSequence)
  const requestAttribute = (tag: number) =>
    request ? textOf(request, tag, found.characterSet ?? deviceSet) : ''
  const performed = found.first(referencedPerformedProcedureStepSequence)
  return {
    sopClassUid: uidOf(found, TAG.sopClassUid),
    sopInstanceUid: uidOf(found, TAG.sopInstanceUid),
    studyInstanceUid: uidOf(found, TAG.studyInstanceUid),
    seriesInstanceUid: uidOf(found, TAG.seriesInstanceUid),
    instanceNumber: text(TAG.instanceNumber),
    seriesNumber: text(TAG.seriesNumber),
    seriesDescription: text(TAG.seriesDescription),
    performedStepUid: performed ? uidOf(performed, referencedSopInstanceUid) : '',
    study: {
      patientName: text(TAG.patientName),
      patientId: text(TAG.patientId),
      patientBirthDate: text(TAG.patientBirthDate),
      patientSex: text(TAG.patientSex),
      patientSize: text(TAG.patientSize),
      patientWeight: text(TAG.patientWeight),
      patientAge: text(TAG.patientAge),
      accessionNumber: text(TAG.accessionNumber) || requestAttribute(TAG.accessionNumber),
      studyDescription: text(TAG.studyDescription),
      requestedProcedureDescription:
        text(TAG.requestedProcedureDescription) ||
        requestAttribute(TAG.requestedProcedureDescription),
      studyDate: text(TAG.studyDate),
      studyTime: text(TAG.studyTime),
      referringPhysicianName: text(TAG.referringPhysicianName),
      institutionName: text(TAG.institutionName),
      studyId: text(TAG.studyId),
      modality: text(TAG.modality),
      requestedProcedureId:
        requestAttribute(TAG.requestedProcedureId) || text(TAG.requestedProcedureId),
      scheduledProcedureStepId: requestAttribute(scheduledProcedureStepId),
      requestStudyInstanceUid: request ? uidOf(request, TAG.studyInstanceUid) : '',
      characterSetRule: characterSetSource(found, deviceSet),
    },
    isCut: found.isCut,
    image: imageOf(found),
  }
}

/**
 * usable: valid according to PS3.5 §9.1. odd: invalid, but usable as a distinct identifier. unfit:
 * unusable.
 */
export function classifyUid(uid: string): 'usable' | 'odd' | 'unfit' {
  if (Uid.safeParse(uid).success) return 'usable'
  return /^[\x21-\x7e]{1,64}$/.test(uid) ? 'odd' : 'unfit'
}

const NAMED_UIDS = {
  sopInstanceUid: 'SOP Instance UID',
  studyInstanceUid: 'Study Instance UID',
  seriesInstanceUid: 'Series Instance UID',
  sopClassUid: 'SOP Class UID',
} as const satisfies Partial<Record<keyof InstanceHeader, string>>

/** Describes the first identifier that violates PS3.5 §9.1; null if there is none. */
export function uidFault(header: InstanceHeader): Message | null {
  const invalidUidName = (Object.keys(NAMED_UIDS) as (keyof typeof NAMED_UIDS)[]).find(
    (name) => classifyUid(header[name]) !== 'usable',
  )
  return invalidUidName ? message('images.odd-uid', { name: NAMED_UIDS[invalidUidName] }) : null
}

const uidOf = (values: HeaderValues, tag: number): string =>
  withoutPadding(values.get(tag)?.toString('latin1') ?? '').trimStart()

// Records which character set rule was used to decode the text.
function characterSetSource(found: HeaderValues, deviceSet: readonly string[]): string {
  if (found.characterSet) return `declared: ${found.characterSet.join('\\')}`
  return deviceSet.length > 0 ? `device: ${deviceSet.join('\\')}` : 'default'
}

// PS3.3 C.7.6.3: every image has Rows and Columns, and no other stored object has.
function imageOf(found: HeaderValues): ImageAttributes | null {
  const number = (tag: number): number | null => {
    const bytes = found.get(tag)
    return bytes && bytes.length >= 2 ? bytes.readUInt16LE() : null
  }
  const rows = number(TAG.rows)
  const columns = number(TAG.columns)
  if (rows === null && columns === null) return null
  const frames = Number.parseInt(textOf(found, TAG.numberOfFrames), 10)
  return {
    rows,
    columns,
    bitsAllocated: number(TAG.bitsAllocated),
    bitsStored: number(TAG.bitsStored),
    highBit: number(TAG.highBit),
    pixelRepresentation: number(TAG.pixelRepresentation),
    samplesPerPixel: number(TAG.samplesPerPixel),
    photometricInterpretation: textOf(found, TAG.photometricInterpretation),
    numberOfFrames: frames > 0 ? frames : 1,
  }
}

/** Key of the patient and the order that a header identifies. */
export const identityKeyOf = ({
  patientName,
  patientId,
  patientBirthDate,
  patientSex,
  accessionNumber,
}: ImageHeader): string =>
  JSON.stringify([patientName, patientId, patientBirthDate, patientSex, accessionNumber])
