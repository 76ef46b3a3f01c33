import type { DataSet } from '#server/dicom/data-set/coding.ts'
import { formatTag, keywordOf, readDataSet } from '#server/dicom/data-set/data-set.ts'
import { nameOfUid } from '#server/dicom/data-set/uids.ts'
import { withoutPadding } from '#server/dicom/data-set/vr.ts'
import { COMMAND_FIELD, type CommandSet, RESPONSE_BIT } from '#server/dicom/dimse/command-set.ts'
import { categoryOf, STATUS } from '#server/dicom/dimse/status.ts'
import { instantOf } from '#server/platform/clock.ts'
import type { TracedElement, TracedMessage } from '#shared/contract/service-visit.ts'
import type { TracedExchange } from './association-traces.ts'

/** Attributes that say how a device asks, and nothing about a patient. */
const UNMASKED_KEYWORDS: ReadonlySet<string> = new Set([
  ...['SpecificCharacterSet', 'QueryRetrieveLevel', 'Modality', 'ModalitiesInStudy'],
  ...['ScheduledStationAETitle', 'ScheduledStationName', 'PerformedStationAETitle'],
  ...['ScheduledProcedureStepStartDate', 'PerformedProcedureStepStatus'],
])
/** Fields of a command whose values name an instance, and with it a patient's study. */
const MASKED_FIELDS: ReadonlySet<keyof CommandSet> = new Set([
  'affectedSopInstanceUid',
  'requestedSopInstanceUid',
] as const)

/** Keywords of the command set (PS3.7 Annex E) in the order in which they are shown. */
const FIELDS: readonly (readonly [keyof CommandSet, keyword: string])[] = [
  ['affectedSopClassUid', 'AffectedSOPClassUID'],
  ['requestedSopClassUid', 'RequestedSOPClassUID'],
  ['messageId', 'MessageID'],
  ['messageIdBeingRespondedTo', 'MessageIDBeingRespondedTo'],
  ['priority', 'Priority'],
  ['affectedSopInstanceUid', 'AffectedSOPInstanceUID'],
  ['requestedSopInstanceUid', 'RequestedSOPInstanceUID'],
  ['eventTypeId', 'EventTypeID'],
  ['actionTypeId', 'ActionTypeID'],
  ['moveDestination', 'MoveDestination'],
  ['moveOriginatorAeTitle', 'MoveOriginatorApplicationEntityTitle'],
  ['moveOriginatorMessageId', 'MoveOriginatorMessageID'],
  ['remainingSuboperations', 'NumberOfRemainingSuboperations'],
  ['completedSuboperations', 'NumberOfCompletedSuboperations'],
  ['failedSuboperations', 'NumberOfFailedSuboperations'],
  ['warningSuboperations', 'NumberOfWarningSuboperations'],
  ['errorComment', 'ErrorComment'],
  ['errorId', 'ErrorID'],
  ['offendingElements', 'OffendingElement'],
]
// PS3.7 Table E.1-1
const PRIORITIES: Readonly<Record<number, string>> = { 0: 'MEDIUM', 1: 'HIGH', 2: 'LOW' }
const COMMAND_TYPES: ReadonlyMap<number, string> = new Map(
  Object.entries(COMMAND_FIELD).map(([name, code]) => [code, name]),
)
/** Enough for the longest query of a modality. */
const MAX_ELEMENTS = 300
const MAX_VALUE_LENGTH = 200

/** The name of a command field: `C-ECHO-RQ`. */
const typeOf = (commandField: number): string =>
  COMMAND_TYPES.get(commandField & ~RESPONSE_BIT) ??
  `0x${commandField.toString(16).padStart(4, '0')}`

/**
 * Decodes an exchange.
 * @param isShown whether values that may identify a patient are included
 */
export function tracedMessage(traced: TracedExchange, isShown: boolean): TracedMessage {
  const { at, service, commandField, status, responses, ms, bytes, exchange } = traced
  const syntax = exchange?.context.transferSyntax ?? ''
  return {
    at: instantOf(at),
    type: typeOf(commandField),
    service,
    contextId: exchange?.context.id ?? 0,
    transferSyntax: nameOfUid(syntax),
    request: exchange ? fieldsOf(exchange.request, isShown) : [],
    response: exchange ? fieldsOf(exchange.response, isShown) : [],
    dataSet: exchange?.dataSet ? elementsOf(exchange.dataSet, syntax, isShown) : null,
    ...{ bytes, responses, ms: Math.round(ms * 10) / 10, status },
    meaning: STATUS[status]?.meaning ?? '',
    isFailure: categoryOf(status) === 'failure',
  }
}

function fieldsOf(command: CommandSet, isShown: boolean): TracedMessage['request'] {
  return FIELDS.flatMap(([name, keyword]) => {
    const value = command[name]
    if (value === undefined) return []
    const isMasked = !isShown && MASKED_FIELDS.has(name)
    return [{ keyword, value: isMasked ? null : fieldText(name, value) }]
  })
}

function fieldText(name: keyof CommandSet, value: NonNullable<CommandSet[keyof CommandSet]>) {
  if (name === 'priority') return PRIORITIES[Number(value)] ?? String(value)
  if (Array.isArray(value))
    return (value as readonly number[]).map((tag) => keywordOf(tag)).join(', ')
  return typeof value === 'string' ? nameOfUid(value) : String(value)
}

/** The elements of a data set; null if it cannot be read. */
function elementsOf(
  bytes: Buffer,
  transferSyntax: string,
  isShown: boolean,
): TracedElement[] | null {
  const elements: TracedElement[] = []
  const add = (dataSet: DataSet, depth: number): void => {
    for (const { tag, vr, value } of dataSet) {
      if (elements.length >= MAX_ELEMENTS) return
      const keyword = keywordOf(tag)
      const isSequence = !Buffer.isBuffer(value)
      const common = { depth, tag: formatTag(tag), keyword, vr, length: value.length }
      const isPlain = isShown || isSequence || value.length === 0 || UNMASKED_KEYWORDS.has(keyword)
      const text = isSequence ? '' : valueText(value, vr)
      elements.push({ ...common, value: isPlain ? text : null })
      if (isSequence) for (const item of value) add(item, depth + 1)
    }
  }
  try {
    add(readDataSet(bytes, transferSyntax), 0)
  } catch {
    // A damaged identifier was refused with a status that says so.
    return null
  }
  return elements
}

const BINARY_VRS: ReadonlySet<string> = new Set(['OB', 'OW', 'OF', 'OD', 'OL', 'OV', 'UN', 'SQ'])

/** A value for people to read; names in other scripts are shown as they are encoded. */
function valueText(value: Buffer, vr: string): string {
  if (vr === 'US' || vr === 'SS') return value.length >= 2 ? String(value.readUInt16LE(0)) : ''
  if (vr === 'AT')
    return value.length >= 4
      ? formatTag(value.readUInt16LE(0) * 0x10000 + value.readUInt16LE(2))
      : ''
  if (BINARY_VRS.has(vr)) return ''
  const text = withoutPadding(value.toString(vr === 'UI' ? 'latin1' : 'utf8')).trim()
  return vr === 'UI' ? nameOfUid(text) : text.slice(0, MAX_VALUE_LENGTH)
}
