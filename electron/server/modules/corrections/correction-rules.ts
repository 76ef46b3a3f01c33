import type { CorrectedItem, CorrectedValue } from '#server/dicom/data-set/corrected-copy.ts'
import { isSameName } from '#server/modules/images/person-name.ts'
import type { ImageHeader, SentWorklistRow } from '#server/modules/studies/image-study-row.ts'
import type { CorrectedPatient, CorrectionKind } from '#shared/contract/corrections.ts'

/** What an order determines, of the worklist row as it is known here; '' where it says nothing. */
export interface Order extends CorrectedPatient {
  readonly orderId: string
  readonly studyInstanceUid: string
  readonly requestedProcedureId: string
  readonly requestedProcedureDescription: string
  readonly scheduledProcedureStepId: string
  readonly scheduledProcedureStepDescription: string
  readonly studyDescription: string
  readonly referringPhysicianName: string
  readonly admissionId: string
  readonly modality: string
  /** YYYYMMDD and HHMMSS of its step. */
  readonly date: string
  readonly time: string
}

/** Where images belong, as it is known here. */
export interface Target {
  readonly patient: CorrectedPatient
  /** Undefined: a new study, or the same where the patient alone is corrected. */
  readonly studyInstanceUid: string | undefined
  readonly order: Order | undefined
  /** Of a study that has images. */
  readonly header: ImageHeader | undefined
  /** The worklist row that a study with images was made for. */
  readonly row: SentWorklistRow | undefined
}

const TAG = {
  accessionNumber: 0x00080050,
  studyDate: 0x00080020,
  studyTime: 0x00080030,
  referringPhysicianName: 0x00080090,
  studyDescription: 0x00081030,
  patientName: 0x00100010,
  patientId: 0x00100020,
  patientBirthDate: 0x00100030,
  patientSex: 0x00100040,
  patientAge: 0x00101010,
  studyInstanceUid: 0x0020000d,
  studyId: 0x00200010,
  requestedProcedureDescription: 0x00321060,
  admissionId: 0x00380010,
  scheduledProcedureStepDescription: 0x00400007,
  scheduledProcedureStepId: 0x00400009,
  requestAttributesSequence: 0x00400275,
  requestedProcedureId: 0x00401001,
} as const

/**
 * What else a console copies of a patient (PS3.3 C.2.3, C.7.1.1, C.7.1.3 and C.7.2.2): of the wrong
 * one, it is wrong as well. Species stays.
 */
const OF_PATIENT: readonly number[] = [
  ...[
    0x00081120, 0x00100021, 0x00100022, 0x00100024, 0x00100026, 0x00100027, 0x00100028, 0x00100032,
    0x00100033, 0x00100034,
  ],
  ...[
    0x00100035, 0x00100050, 0x00100101, 0x00100102, 0x00101000, 0x00101001, 0x00101002, 0x00101005,
    0x00101010, 0x00101020,
  ],
  ...[
    0x00101021, 0x00101030, 0x00101040, 0x00101050, 0x00101060, 0x00101080, 0x00101081, 0x00101090,
    0x00101100, 0x00102000,
  ],
  ...[
    0x00102110, 0x00102150, 0x00102152, 0x00102154, 0x00102155, 0x00102160, 0x00102180, 0x001021a0,
    0x001021b0, 0x001021c0,
  ],
  ...[
    0x001021d0, 0x001021f0, 0x00102203, 0x00102297, 0x00102298, 0x00102299, 0x00104000, 0x00120040,
    0x00120042, 0x00380050,
  ],
]
/**
 * What else a console copies of an order (PS3.17 J, IHE RAD TF-2 4.6): physicians, diagnoses,
 * codes, admission, references.
 */
const OF_ORDER: readonly number[] = [
  ...[
    0x00080051, 0x00080092, 0x00080094, 0x00080096, 0x0008009c, 0x0008009d, 0x00081032, 0x00081048,
    0x00081049, 0x00081060,
  ],
  ...[
    0x00081062, 0x00081080, 0x00081084, 0x00081110, 0x00081111, 0x00321031, 0x00321032, 0x00321033,
    0x00321034, 0x00321064,
  ],
  ...[
    0x00380011, 0x00380014, 0x00380060, 0x00380062, 0x00380064, 0x00380300, 0x00380400, 0x00380500,
    0x00400100, 0x00401002,
  ],
  ...[
    0x00401003, 0x00401004, 0x00401005, 0x00401008, 0x0040100a, 0x00401012, 0x00401400, 0x00402001,
    0x00402004, 0x00402005,
  ],
  ...[0x00402016, 0x00402017, 0x00402400, 0x00403001],
]

/** Whom an order, or a worklist row, is for. */
export const patientOf = <Sex extends string>({
  patientName,
  patientId,
  patientBirthDate,
  patientSex,
  accessionNumber,
}: Omit<CorrectedPatient, 'patientSex'> & { readonly patientSex: Sex }) => ({
  ...{ patientName, patientId, patientBirthDate, patientSex, accessionNumber },
})

/** What an image says of its patient and its order. */
export const identityOfHeader = (header: ImageHeader): CorrectedPatient => ({
  patientName: header.patientName,
  patientId: header.patientId,
  patientBirthDate: /^\d{8}$/.test(header.patientBirthDate)
    ? header.patientBirthDate
    : header.patientBirthDate.replaceAll('.', ''),
  patientSex: header.patientSex as CorrectedPatient['patientSex'],
  accessionNumber: header.accessionNumber,
})

/**
 * Whether the images, of somebody else, get this patient: the same number or, where one has none,
 * the same name is the same patient.
 */
function isOtherPatient(before: CorrectedPatient, after: CorrectedPatient): boolean {
  const [one, other] = [before.patientId.trim(), after.patientId.trim()]
  if (one !== '' && other !== '') return one !== other
  return !isSameName(before.patientName, after.patientName)
}

/**
 * The attributes of a copy that differ from those of its original (decision 0031). Where
 * demographics alone are corrected, the rest of patient and order stays; otherwise what a console
 * copied from the wrong worklist entry goes, even where nothing takes its place.
 */
export function correctedValues(
  kind: CorrectionKind,
  before: CorrectedPatient,
  target: Target,
): CorrectedValue[] {
  const { patient } = target
  const values: CorrectedValue[] = [
    { tag: TAG.patientName, value: patient.patientName },
    { tag: TAG.patientId, value: patient.patientId },
    { tag: TAG.patientBirthDate, value: patient.patientBirthDate },
    { tag: TAG.patientSex, value: patient.patientSex },
    { tag: TAG.accessionNumber, value: patient.accessionNumber },
  ]
  if (kind === 'correct') {
    if (before.patientBirthDate !== patient.patientBirthDate) values.push(removed(TAG.patientAge))
    if (before.accessionNumber !== patient.accessionNumber)
      values.push({
        tag: TAG.requestAttributesSequence,
        value: [],
        inItems: { [TAG.accessionNumber]: patient.accessionNumber },
        onlyIfPresent: true,
      })
    return values
  }
  if (isOtherPatient(before, patient)) values.push(...OF_PATIENT.map(removed))
  else if (before.patientBirthDate !== patient.patientBirthDate)
    values.push(removed(TAG.patientAge))
  return [...values, ...OF_ORDER.map(removed), ...orderValues(target)]
}

const removed = (tag: number): CorrectedValue => ({ tag, value: null, onlyIfPresent: true })

function orderValues({
  patient,
  order,
  header,
  row,
  studyInstanceUid = '',
}: Target): CorrectedValue[] {
  const text = (tag: number, value: string): CorrectedValue => ({ tag, value })
  // Where nobody knows what was performed it stays as the device says it.
  const known = (tag: number, value: string) => (value === '' ? [] : [text(tag, value)])
  const request = order ?? (row && ofRow(row))
  const description = order
    ? order.requestedProcedureDescription || order.studyDescription
    : (header?.studyDescription ?? '')
  return [
    text(
      TAG.referringPhysicianName,
      order?.referringPhysicianName ?? header?.referringPhysicianName ?? '',
    ),
    // IHE RAD TF-2 4.6: Study ID is the Requested Procedure ID.
    text(TAG.studyId, order?.requestedProcedureId ?? header?.studyId ?? ''),
    ...known(TAG.studyDescription, description),
    ...(header
      ? [...known(TAG.studyDate, header.studyDate), ...known(TAG.studyTime, header.studyTime)]
      : []),
    order?.admissionId ? text(TAG.admissionId, order.admissionId) : removed(TAG.admissionId),
    request?.requestedProcedureDescription
      ? {
          ...text(TAG.requestedProcedureDescription, request.requestedProcedureDescription),
          onlyIfPresent: true,
        }
      : removed(TAG.requestedProcedureDescription),
    request?.requestedProcedureId
      ? { ...text(TAG.requestedProcedureId, request.requestedProcedureId), onlyIfPresent: true }
      : removed(TAG.requestedProcedureId),
    request
      ? {
          tag: TAG.requestAttributesSequence,
          value: [requestItem(request, patient, studyInstanceUid)],
        }
      : removed(TAG.requestAttributesSequence),
  ]
}

type Request = Pick<
  Order,
  | 'studyInstanceUid'
  | 'requestedProcedureId'
  | 'requestedProcedureDescription'
  | 'scheduledProcedureStepId'
  | 'scheduledProcedureStepDescription'
>

const ofRow = (row: SentWorklistRow): Request => ({
  ...{ studyInstanceUid: row.studyInstanceUid, requestedProcedureId: row.requestedProcedureId },
  ...{
    scheduledProcedureStepId: row.scheduledProcedureStepId,
    scheduledProcedureStepDescription: row.description,
  },
  requestedProcedureDescription: '',
})

/** PS3.3 Table 10-9: what is not known is left out. */
function requestItem(
  request: Request,
  { accessionNumber }: CorrectedPatient,
  studyInstanceUid: string,
): CorrectedItem {
  const values: readonly (readonly [number, string])[] = [
    [TAG.accessionNumber, accessionNumber],
    [TAG.studyInstanceUid, request.studyInstanceUid || studyInstanceUid],
    [TAG.requestedProcedureDescription, request.requestedProcedureDescription],
    [TAG.scheduledProcedureStepDescription, request.scheduledProcedureStepDescription],
    [TAG.scheduledProcedureStepId, request.scheduledProcedureStepId],
    [TAG.requestedProcedureId, request.requestedProcedureId],
  ]
  return Object.fromEntries(values.filter(([, value]) => value !== ''))
}

/** The order as the row that images were made for. */
export const rowOfOrder = (order: Order, callingAeTitle: string, at: string): SentWorklistRow => ({
  ...{
    studyInstanceUid: order.studyInstanceUid,
    scheduledProcedureStepId: order.scheduledProcedureStepId,
  },
  ...{ requestedProcedureId: order.requestedProcedureId, accessionNumber: order.accessionNumber },
  ...{ patientName: order.patientName, patientId: order.patientId },
  ...{ patientBirthDate: order.patientBirthDate, patientSex: order.patientSex },
  description: order.scheduledProcedureStepDescription,
  ...{ callingAeTitle, at },
})
