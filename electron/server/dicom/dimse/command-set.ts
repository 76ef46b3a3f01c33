import { withoutPadding } from '#server/dicom/data-set/vr.ts'
import { invalidParameterFault } from '#server/dicom/upper-layer/pdu.ts'

/**
 * CommandField (0000,0100) values of PS3.7 Annex E. A response has the request's value with the
 * high bit set.
 */
export const COMMAND_FIELD = {
  'C-STORE-RQ': 0x0001,
  'C-GET-RQ': 0x0010,
  'C-FIND-RQ': 0x0020,
  'C-MOVE-RQ': 0x0021,
  'C-ECHO-RQ': 0x0030,
  'N-EVENT-REPORT-RQ': 0x0100,
  'N-GET-RQ': 0x0110,
  'N-SET-RQ': 0x0120,
  'N-ACTION-RQ': 0x0130,
  'N-CREATE-RQ': 0x0140,
  'N-DELETE-RQ': 0x0150,
  'C-CANCEL-RQ': 0x0fff,
} as const

/** PS3.7 E.1: set in the command field of every response. */
export const RESPONSE_BIT = 0x8000

/**
 * The elements of a command set that the gateway reads and writes (PS3.7 Annex E). Text is trimmed.
 */
export interface CommandSet {
  readonly commandField: number
  /** False if CommandDataSetType (0000,0800) is 0101. */
  readonly hasDataSet: boolean
  readonly affectedSopClassUid?: string
  readonly requestedSopClassUid?: string
  readonly messageId?: number
  readonly messageIdBeingRespondedTo?: number
  readonly priority?: number
  readonly status?: number
  readonly offendingElements?: readonly number[]
  readonly errorComment?: string
  readonly errorId?: number
  readonly affectedSopInstanceUid?: string
  readonly requestedSopInstanceUid?: string
  readonly eventTypeId?: number
  readonly actionTypeId?: number
  readonly moveDestination?: string
  readonly remainingSuboperations?: number
  readonly completedSuboperations?: number
  readonly failedSuboperations?: number
  readonly warningSuboperations?: number
  readonly moveOriginatorAeTitle?: string
  readonly moveOriginatorMessageId?: number
}

const NO_DATA_SET = 0x0101
/** Length in bytes of an element header, and of the group length element. */
const HEADER_BYTES = 8
const GROUP_LENGTH_BYTES = 12

type Value = string | number | readonly number[]
interface ValueCoding {
  read(bytes: Buffer, start: number, end: number): Value | undefined
  /** Number of bytes that `write` writes; always even. */
  sizeOf(value: Value): number
  write(target: Buffer, at: number, value: Value): void
}

const US: ValueCoding = {
  read: (bytes, start, end) => (end - start < 2 ? undefined : bytes.readUInt16LE(start)),
  sizeOf: () => 2,
  write: (target, at, value) => void target.writeUInt16LE(Number(value), at),
}
const AT: ValueCoding = {
  read(bytes, start, end) {
    const tags: number[] = []
    for (let at = start; at + 4 <= end; at += 4)
      tags.push(bytes.readUInt16LE(at) * 0x10000 + bytes.readUInt16LE(at + 2))
    return tags
  },
  sizeOf: (value) => (value as readonly number[]).length * 4,
  write(target, at, value) {
    for (const [i, tag] of (value as readonly number[]).entries()) {
      target.writeUInt16LE(tag >>> 16, at + i * 4)
      target.writeUInt16LE(tag & 0xffff, at + i * 4 + 2)
    }
  },
}

/** Single-byte text, padded to an even length (PS3.5 §6.2). */
const text = (
  pad: 0x00 | 0x20,
  read: (text: string) => string,
  fitted: (text: string) => string = (text) => text,
): ValueCoding => ({
  read: (bytes, start, end) => read(bytes.toString('latin1', start, end)),
  sizeOf(value) {
    const { length } = fitted(String(value))
    return length + (length & 1)
  },
  write(target, at, value) {
    const written = target.write(fitted(String(value)), at, 'latin1')
    if (written & 1) target[at + written] = pad
  },
})
const UI = text(0x00, withoutPadding)
const AE = text(0x20, (text) => withoutPadding(text).replace(/^[\0 ]+/, ''))
// PS3.7 C.4: 64 characters. A comment that is longer or not ASCII is shortened rather than failing
// the response.
const LO = text(
  0x20,
  (text) => text.trim(),
  (text) => text.replace(/[^ -[\]-~]/g, '?').slice(0, 64),
)

/** Element numbers of group 0000, in the order in which they are written. */
const ELEMENTS = [
  [0x0002, 'affectedSopClassUid', UI],
  [0x0003, 'requestedSopClassUid', UI],
  [0x0100, 'commandField', US],
  [0x0110, 'messageId', US],
  [0x0120, 'messageIdBeingRespondedTo', US],
  [0x0600, 'moveDestination', AE],
  [0x0700, 'priority', US],
  [0x0800, 'dataSetType', US],
  [0x0900, 'status', US],
  [0x0901, 'offendingElements', AT],
  [0x0902, 'errorComment', LO],
  [0x0903, 'errorId', US],
  [0x1000, 'affectedSopInstanceUid', UI],
  [0x1001, 'requestedSopInstanceUid', UI],
  [0x1002, 'eventTypeId', US],
  [0x1008, 'actionTypeId', US],
  [0x1020, 'remainingSuboperations', US],
  [0x1021, 'completedSuboperations', US],
  [0x1022, 'failedSuboperations', US],
  [0x1023, 'warningSuboperations', US],
  [0x1030, 'moveOriginatorAeTitle', AE],
  [0x1031, 'moveOriginatorMessageId', US],
] as const
const BY_ELEMENT = new Map<number, (typeof ELEMENTS)[number]>(ELEMENTS.map((row) => [row[0], row]))

/** Requests that always have a data set, even if CommandDataSetType wrongly says otherwise. */
const ALWAYS_WITH_DATA_SET: ReadonlySet<number> = new Set([
  COMMAND_FIELD['C-STORE-RQ'],
  COMMAND_FIELD['C-GET-RQ'],
  COMMAND_FIELD['C-FIND-RQ'],
  COMMAND_FIELD['C-MOVE-RQ'],
])

/**
 * Parses a command set, which is always in Implicit VR Little Endian (PS3.7 6.3.1). Missing or
 * wrong group lengths, unknown elements and any order are tolerated, because devices in the field
 * send them.
 * @throws {PduFault} if the bytes end within an element or there is no command field
 */
export function readCommandSet(bytes: Buffer): CommandSet {
  const values: Record<string, Value> = {}
  let at = 0
  while (at < bytes.length) {
    if (bytes.length - at < 8) throw invalidParameterFault('command set ends within an element')
    const tag = bytes.readUInt16LE(at) * 0x10000 + bytes.readUInt16LE(at + 2)
    const start = at + 8
    at = start + bytes.readUInt32LE(at + 4)
    if (at > bytes.length) throw invalidParameterFault('command set ends within an element')
    const row = BY_ELEMENT.get(tag)
    const value = row?.[2].read(bytes, start, at)
    if (row && value !== undefined) values[row[1]] = value
  }
  const { commandField, dataSetType, ...others } = values
  if (typeof commandField !== 'number')
    throw invalidParameterFault('command set without a command field')
  const hasDataSet =
    dataSetType === undefined ? ALWAYS_WITH_DATA_SET.has(commandField) : dataSetType !== NO_DATA_SET
  return { ...others, commandField, hasDataSet }
}

/** Encodes a command set, starting with the group length. */
export function writeCommandSet(command: CommandSet): Buffer {
  let length = 0
  for (const [, name, coding] of ELEMENTS) {
    const value = elementIn(command, name)
    if (value !== undefined) length += HEADER_BYTES + coding.sizeOf(value)
  }
  const target = Buffer.allocUnsafe(GROUP_LENGTH_BYTES + length).fill(0)
  target.writeUInt32LE(4, 4)
  target.writeUInt32LE(length, HEADER_BYTES)
  let at = GROUP_LENGTH_BYTES
  for (const [element, name, coding] of ELEMENTS) {
    const value = elementIn(command, name)
    if (value === undefined) continue
    const size = coding.sizeOf(value)
    target.writeUInt16LE(element, at + 2)
    target.writeUInt32LE(size, at + 4)
    coding.write(target, at + HEADER_BYTES, value)
    at += HEADER_BYTES + size
  }
  return target
}

function elementIn(command: CommandSet, name: (typeof ELEMENTS)[number][1]): Value | undefined {
  if (name !== 'dataSetType') return command[name]
  return command.hasDataSet ? 0x0001 : NO_DATA_SET
}
