import { decodeText } from '#server/dicom/character-sets/character-set.ts'
import type { DataSet, Element } from '#server/dicom/data-set/coding.ts'
import { type DataSetLimits, readDataSet, writeDataSet } from '#server/dicom/data-set/data-set.ts'
import { TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import { withoutPadding } from '#server/dicom/data-set/vr.ts'
import { DimseError } from '#server/dicom/dimse/status.ts'
import { PERFORMED_STATUSES } from '#shared/contract/images.ts'
import { message } from '#shared/messages/message.ts'

/** Tags of the attributes that are used (PS3.6). */
export const TAG = {
  specificCharacterSet: 0x00080005,
  accessionNumber: 0x00080050,
  modality: 0x00080060,
  codeValue: 0x00080100,
  codeMeaning: 0x00080104,
  referencedImageSequence: 0x00081140,
  referencedSopClassUid: 0x00081150,
  referencedSopInstanceUid: 0x00081155,
  transactionUid: 0x00081195,
  referencedSopSequence: 0x00081199,
  patientId: 0x00100020,
  studyInstanceUid: 0x0020000d,
  seriesInstanceUid: 0x0020000e,
  scheduledProcedureStepId: 0x00400009,
  referencedNonImageSequence: 0x00400220,
  status: 0x00400252,
  scheduledStepAttributesSequence: 0x00400270,
  discontinuationReasonSequence: 0x00400281,
  performedSeriesSequence: 0x00400340,
  requestedProcedureId: 0x00401001,
} as const

/** Sufficient for a step that references 20,000 images. */
const LIMITS: DataSetLimits = { elements: 500_000, depth: 16, bytes: 16 << 20 }

/**
 * Reads the data set of an N-CREATE or N-SET request.
 * @throws DimseError 0110: the data set is missing or unreadable
 */
export function readNormalizedDataSet(bytes: Buffer | undefined, transferSyntax: string): DataSet {
  if (!bytes) throw new DimseError(0x0110, message('procedure-steps.no-data-set'))
  try {
    return readDataSet(bytes, transferSyntax, LIMITS)
  } catch (error) {
    // The status A900 is defined only for composite services.
    if (error instanceof DimseError)
      throw new DimseError(0x0110, error.explanation, error.result.offendingElements)
    throw error
  }
}

const find = (dataSet: DataSet, tag: number): Element | undefined =>
  dataSet.find((element) => element.tag === tag)

/** The items of a sequence; empty if it is missing. */
export function itemsOf(dataSet: DataSet, tag: number): readonly DataSet[] {
  const value = find(dataSet, tag)?.value
  return value === undefined || Buffer.isBuffer(value) ? [] : value
}

/** The text of a value; '' if it is missing. */
export function textIn(dataSet: DataSet, tag: number, terms: readonly string[] = []): string {
  const element = find(dataSet, tag)
  return element && Buffer.isBuffer(element.value)
    ? withoutPadding(decodeText(element.value, terms, element.vr).text).trimStart()
    : ''
}

/** A US value; 0 if it is missing. */
export function numberIn(dataSet: DataSet, tag: number): number {
  const value = find(dataSet, tag)?.value
  return Buffer.isBuffer(value) && value.length >= 2 ? value.readUInt16LE(0) : 0
}

/** An instance that a performed step references. */
export interface ReferencedInstance {
  readonly sopInstanceUid: string
  readonly seriesInstanceUid: string
}

/** The identifiers of a scheduled step, as the device reports them. */
export interface ScheduledStep {
  readonly studyInstanceUid: string
  readonly scheduledProcedureStepId: string
  readonly requestedProcedureId: string
  readonly accessionNumber: string
}

/**
 * The attributes of a performed step that the gateway uses (PS3.4 Table F.7.2-1); missing values
 * are empty.
 */
export interface PerformedAttributes {
  readonly status: string
  readonly modality: string
  readonly patientId: string
  readonly discontinuationCode: string
  readonly discontinuationMeaning: string
  readonly scheduled: readonly ScheduledStep[]
  readonly hasSeries: boolean
  readonly named: readonly ReferencedInstance[]
}

export function performedAttributes(dataSet: DataSet): PerformedAttributes {
  const terms = textIn(dataSet, TAG.specificCharacterSet)
    .split('\\')
    .map((term) => term.trim())
    .filter((term, at, all) => term !== '' || (at === 0 && all.length > 1))
  const [reason] = itemsOf(dataSet, TAG.discontinuationReasonSequence)
  const series = itemsOf(dataSet, TAG.performedSeriesSequence)
  return {
    status: textIn(dataSet, TAG.status),
    modality: textIn(dataSet, TAG.modality),
    patientId: textIn(dataSet, TAG.patientId, terms),
    discontinuationCode: reason ? textIn(reason, TAG.codeValue) : '',
    discontinuationMeaning: reason ? textIn(reason, TAG.codeMeaning, terms) : '',
    scheduled: itemsOf(dataSet, TAG.scheduledStepAttributesSequence).map((item) => ({
      studyInstanceUid: textIn(item, TAG.studyInstanceUid),
      scheduledProcedureStepId: textIn(item, TAG.scheduledProcedureStepId, terms),
      requestedProcedureId: textIn(item, TAG.requestedProcedureId, terms),
      accessionNumber: textIn(item, TAG.accessionNumber, terms),
    })),
    hasSeries: series.length > 0,
    named: series.flatMap(instancesIn),
  }
}

function instancesIn(series: DataSet): ReferencedInstance[] {
  const seriesInstanceUid = textIn(series, TAG.seriesInstanceUid)
  return [TAG.referencedImageSequence, TAG.referencedNonImageSequence]
    .flatMap((tag) => itemsOf(series, tag))
    .map((item) => ({
      sopInstanceUid: textIn(item, TAG.referencedSopInstanceUid),
      seriesInstanceUid,
    }))
    .filter(({ sopInstanceUid }) => sopInstanceUid !== '')
}

export const isPerformedStatus = (status: string): status is (typeof PERFORMED_STATUSES)[number] =>
  PERFORMED_STATUSES.some((known) => known === status)

/**
 * Attributes that PS3.4 Table F.7.2-1 does not allow in an N-SET, because they identify the patient
 * and the step.
 */
const ONLY_IN_N_CREATE: ReadonlySet<number> = new Set([
  ...[TAG.modality, TAG.patientId, TAG.scheduledStepAttributesSequence],
  // Patient's name, birth date and sex.
  ...[0x00100010, 0x00100030, 0x00100040],
])

/**
 * Applies an N-SET: its attributes replace the existing ones (PS3.7 §10.1.3). An attribute that is
 * allowed only in an N-CREATE is used only if the N-CREATE had no value for it.
 */
export function withChanges(before: DataSet, changes: DataSet): DataSet {
  const given = new Set(before.flatMap(({ tag, value }) => (value.length > 0 ? [tag] : [])))
  const applied = changes.filter(({ tag }) => !(ONLY_IN_N_CREATE.has(tag) && given.has(tag)))
  const elements = new Map([...before, ...applied].map((element) => [element.tag, element]))
  return [...elements.values()].sort((a, b) => a.tag - b.tag)
}

/** Converts a data set to JSON: base64 of its encoding in Explicit VR Little Endian. */
export const dataSetToJson = (dataSet: DataSet): string =>
  writeDataSet(dataSet, TRANSFER_SYNTAX.explicitLittleEndian).toString('base64')
export const dataSetFromJson = (json: unknown): DataSet =>
  typeof json === 'string'
    ? readDataSet(Buffer.from(json, 'base64'), TRANSFER_SYNTAX.explicitLittleEndian, LIMITS)
    : []
