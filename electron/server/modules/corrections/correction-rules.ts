import type { CorrectedItem, CorrectedValue } from '#server/dicom/data-set/corrected-copy.ts'
import { isSameName } from '#server/modules/images/person-name.ts'
import type { ImageHeader, SentWorklistRow } from '#server/modules/studies/image-study-row.ts'
import type { CorrectedPatient, CorrectionKind } from '#shared/contract/corrections.ts'

/** Values that an order determines, from its worklist row; empty if unknown. */
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
  /** Date (YYYYMMDD) and time (HHMMSS) of the scheduled step. */
  readonly date: string
  readonly time: string
}

/** What is known about the patient, order or study to which images are assigned. */
export interface Target {
  readonly patient: CorrectedPatient
  /** `undefined` for a new study, or for the same study if only the patient is corrected. */
  readonly studyInstanceUid: string | undefined
  readonly order: Order | undefined
  /** Header of the target study, if it has images. */
  readonly header: ImageHeader | undefined
  /** The matched worklist row of a target study that has images. */
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
 * Further attributes of the patient (PS3.3 C.2.3, C.7.1.1, C.7.1.3 and C.7.2.2), which are wrong,
 * too, if a modality copied them from another patient. The species is kept.
 */
const PATIENT_TAGS: readonly number[] = [
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
 * Further attributes of an order that a modality copies (PS3.17 J, IHE RAD TF-2 4.6): physicians,
 * diagnoses, codes, admission, references.
 */
const ORDER_TAGS: readonly number[] = [
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

/** The patient of an order or a worklist row. */
export const patientOf = <Sex extends string>({
  patientName,
  patientId,
  patientBirthDate,
  patientSex,
  accessionNumber,
}: Omit<CorrectedPatient, 'patientSex'> & { readonly patientSex: Sex }) => ({
  ...{ patientName, patientId, patientBirthDate, patientSex, accessionNumber },
})

/** The patient and the order that an image identifies. */
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
 * Whether these are different patients. The same patient ID or, if either has none, the same name
 * means the same patient.
 */
function isDifferentPatient(before: CorrectedPatient, after: CorrectedPatient): boolean {
  const [one, other] = [before.patientId.trim(), after.patientId.trim()]
  if (one !== '' && other !== '') return one !== other
  return !isSameName(before.patientName, after.patientName)
}

/**
 * The attributes of a copy that differ from those of its original (decision 0031). For kind
 * `correct`, only demographics change. Otherwise, everything that a modality copied from the wrong
 * worklist entry is removed, even if it has no replacement.
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
    if (before.patientBirthDate !== patient.patientBirthDate) values.push(removeTag(TAG.patientAge))
    if (before.accessionNumber !== patient.accessionNumber)
      values.push({
        tag: TAG.requestAttributesSequence,
        value: [],
        inItems: { [TAG.accessionNumber]: patient.accessionNumber },
        onlyIfPresent: true,
      })
    return values
  }
  if (isDifferentPatient(before, patient)) values.push(...PATIENT_TAGS.map(removeTag))
  else if (before.patientBirthDate !== patient.patientBirthDate)
    values.push(removeTag(TAG.patientAge))
  return [...values, ...ORDER_TAGS.map(removeTag), ...orderValues(target)]
}

const removeTag = (tag: number): CorrectedValue => ({ tag, value: null, onlyIfPresent: true })

function orderValues({
  patient,
  order,
  header,
  row,
  studyInstanceUid = '',
}: Target): CorrectedValue[] {
  const text = (tag: number, value: string): CorrectedValue => ({ tag, value })
  // If it is not known what was performed, the value from the device is kept.
  const textUnlessEmpty = (tag: number, value: string) => (value === '' ? [] : [text(tag, value)])
  const request = order ?? (row && requestOfRow(row))
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
    ...textUnlessEmpty(TAG.studyDescription, description),
    ...(header
      ? [
          ...textUnlessEmpty(TAG.studyDate, header.studyDate),
          ...textUnlessEmpty(TAG.studyTime, header.studyTime),
        ]
      : []),
    order?.admissionId ? text(TAG.admissionId, order.admissionId) : removeTag(TAG.admissionId),
    request?.requestedProcedureDescription
      ? {
          ...text(TAG.requestedProcedureDescription, request.requestedProcedureDescription),
          onlyIfPresent: true,
        }
      : removeTag(TAG.requestedProcedureDescription),
    request?.requestedProcedureId
      ? { ...text(TAG.requestedProcedureId, request.requestedProcedureId), onlyIfPresent: true }
      : removeTag(TAG.requestedProcedureId),
    request
      ? {
          tag: TAG.requestAttributesSequence,
          value: [requestItem(request, patient, studyInstanceUid)],
        }
      : removeTag(TAG.requestAttributesSequence),
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

const requestOfRow = (row: SentWorklistRow): Request => ({
  ...{ studyInstanceUid: row.studyInstanceUid, requestedProcedureId: row.requestedProcedureId },
  ...{
    scheduledProcedureStepId: row.scheduledProcedureStepId,
    scheduledProcedureStepDescription: row.description,
  },
  requestedProcedureDescription: '',
})

/** PS3.3 Table 10-9; unknown values are omitted. */
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

/** Converts an order to a matched worklist row. */
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
