import type { DataSetStream } from '#server/dicom/data-set/data-set-stream.ts'
import type { DimseLimits } from '#server/dicom/upper-layer/limits.ts'
import { ABORT_REASON, PDU_TYPE, PduFault, type Pdv } from '#server/dicom/upper-layer/pdu.ts'
import { type CommandSet, readCommandSet, writeCommandSet } from './command-set.ts'

/** A DIMSE message (PS3.7 §6.3): a command set, and a data set where the command says so. */
export interface Message {
  readonly contextId: number
  readonly command: CommandSet
  /**
   * Encoded in the context's transfer syntax; `TOO_LONG` where it was longer than the limit and not
   * kept.
   */
  readonly dataSet: Buffer | undefined | typeof TOO_LONG
  /** The data set as it arrives; `dataSet` is then undefined. */
  readonly stream?: DataSetStream
}

export const TOO_LONG: unique symbol = Symbol('data set too long')

export interface MessageReader {
  /**
   * Takes the next fragment; gives the message that it completes, or whose data set is to be
   * streamed from here on.
   * @throws {PduFault} where fragments are mixed up or too many.
   */
  push(pdv: Pdv): Message | undefined
  /** A message has begun and is not complete. */
  readonly isWithin: boolean
  /** Room that the data set being gathered takes; undefined where none has begun. */
  readonly gatheredBytes: number | undefined
  /** The data set that is arriving piece by piece. */
  readonly stream: DataSetStream | undefined
}

/** What the reader asks at the end of a command set that has a data set. */
export interface DataSetRules {
  /** Where the data set is to be streamed. */
  streamFor?(contextId: number, command: CommandSet): DataSetStream | undefined
  /** Bytes of it that are kept; a longer one is read to its end and not kept. */
  mostBytes?(command: CommandSet): number
}

export type MessageLimits = Pick<
  DimseLimits,
  'commandSetBytes' | 'identifierBytes' | 'drainedBytes'
>

/** Puts messages together from fragments (PS3.8 Annex E). */
export function createMessageReader(
  limits: MessageLimits,
  rules: DataSetRules = {},
): MessageReader {
  let contextId: number | undefined
  let command: CommandSet | undefined
  let stream: DataSetStream | undefined
  const fragments = createFragments(limits.commandSetBytes)

  function complete(of: CommandSet, dataSet: Message['dataSet'], on: number): Message {
    contextId = undefined
    command = undefined
    stream = undefined
    fragments.begin(limits.commandSetBytes)
    return { contextId: on, command: of, dataSet }
  }

  return {
    get isWithin() {
      return contextId !== undefined
    },
    get gatheredBytes() {
      return command && !stream ? fragments.room : undefined
    },
    get stream() {
      return stream
    },
    push(pdv) {
      contextId ??= pdv.contextId
      // PS3.8 E.2: the fragments of a message follow each other, on one context, the command's
      // before the data set's.
      if (pdv.contextId !== contextId) throw invalid('fragment of another message within a message')
      if (pdv.isCommand !== (command === undefined))
        throw invalid('command and data set fragments are mixed up')
      if (stream) {
        stream.push(pdv.data)
        if (!pdv.isLast || !command) return undefined
        stream.end()
        complete(command, undefined, contextId)
        return undefined
      }
      fragments.push(pdv.data)
      if (command === undefined) {
        if (fragments.isOver)
          throw invalid(`command set longer than ${limits.commandSetBytes} bytes`)
        if (!pdv.isLast) return undefined
        command = readCommandSet(fragments.bytes)
        if (!command.hasDataSet) return complete(command, undefined, contextId)
        stream = rules.streamFor?.(contextId, command)
        if (stream) return { contextId, command, dataSet: undefined, stream }
        fragments.begin(rules.mostBytes?.(command) ?? limits.identifierBytes)
        return undefined
      }
      if (fragments.length > limits.drainedBytes)
        throw invalid(`data set longer than ${limits.drainedBytes} bytes`)
      if (!pdv.isLast) return undefined
      return complete(command, fragments.isOver ? TOO_LONG : fragments.take(), contextId)
    },
  }
}

const SPARE = 4096
const NOTHING = Buffer.alloc(0)

/**
 * Bytes gathered up to a limit; beyond it they are only counted. One for all messages of a
 * connection: each begins it anew.
 */
function createFragments(limit: number) {
  let most = limit
  let kept: Buffer = NOTHING
  /** `kept` is the first fragment, in the network's buffer. */
  let isView = false
  let length = 0
  return {
    begin(limit: number): void {
      most = limit
      kept = NOTHING
      isView = false
      length = 0
    },
    push(data: Buffer): void {
      const end = length + data.length
      if (end > most) kept = NOTHING
      else if (length === 0) {
        kept = data
        isView = true
      } else {
        // Doubling, to the limit at most; the first fragment's own buffer is full, so nothing is
        // written into what belongs to the connection.
        if (end > kept.length) {
          const grown = Buffer.allocUnsafe(Math.min(Math.max(end * 2, 512), most))
          kept.copy(grown, 0, 0, length)
          kept = grown
          isView = false
        }
        data.copy(kept, length)
      }
      length = end
    },
    /** Until the next `push` or `begin`. */
    get bytes(): Buffer {
      return kept.subarray(0, length)
    },
    /**
     * To be kept: the network's buffer is free again. Spare room of the doubling is left, unless it
     * is little and a copy would take more.
     */
    take: (): Buffer =>
      isView || kept.length > length + SPARE + length / 16
        ? Buffer.from(kept.subarray(0, length))
        : kept.subarray(0, length),
    get length() {
      return length
    },
    get room() {
      return kept.length
    },
    get isOver() {
      return length > most
    },
  }
}

/** Bytes of a PDU before its PDV's data: PDU header, PDV length, context id, control header. */
export const FRAGMENT_HEADER = 12
/** Where a PDU of one PDV has the presentation context id. */
export const CONTEXT_ID_AT = 10
/** PDV header bytes that count towards a peer's maximum. */
const PDV_HEADER = 6
/** What we put into one PDU where the peer takes any length. */
const UNLIMITED = 128 << 10

/**
 * Bytes of data that go into one P-DATA-TF to a peer of this maximum: even, as PS3.8 E.1 wants
 * fragments to be.
 */
export const roomOf = (maximumLength: number): number =>
  maximumLength === 0 ? UNLIMITED : (maximumLength - PDV_HEADER) & ~1

/** Length of `bytes` once they are cut into P-DATA-TFs. */
export const fragmentedLength = (bytes: number, room: number): number =>
  bytes + Math.max(1, Math.ceil(bytes / room)) * FRAGMENT_HEADER

/** Writes `source` as P-DATA-TFs of one PDV each; gives the offset behind them. */
export function writeFragments(
  target: Buffer,
  start: number,
  contextId: number,
  isCommand: boolean,
  source: Buffer,
  room: number,
): number {
  let at = start
  let from = 0
  do {
    const to = Math.min(from + room, source.length)
    const length = to - from
    target[at] = PDU_TYPE['P-DATA-TF']
    target[at + 1] = 0
    target.writeUInt32BE(length + PDV_HEADER, at + 2)
    target.writeUInt32BE(length + 2, at + 6)
    target[at + 10] = contextId
    target[at + 11] = (isCommand ? 1 : 0) | (to === source.length ? 2 : 0)
    source.copy(target, at + FRAGMENT_HEADER, from, to)
    at += FRAGMENT_HEADER + length
    from = to
  } while (from < source.length)
  return at
}

/**
 * A whole message in P-DATA-TFs for a peer of this maximum; command and data set never share one:
 * old consoles cannot take that.
 */
export function writeMessage(
  contextId: number,
  command: CommandSet,
  dataSet: Buffer | undefined,
  maximumLength: number,
): Buffer {
  const room = roomOf(maximumLength)
  const commandBytes = writeCommandSet(command)
  const length =
    fragmentedLength(commandBytes.length, room) +
    (dataSet ? fragmentedLength(dataSet.length, room) : 0)
  const target = Buffer.allocUnsafe(length)
  const at = writeFragments(target, 0, contextId, true, commandBytes, room)
  if (dataSet) writeFragments(target, at, contextId, false, dataSet, room)
  return target
}

const invalid = (message: string): PduFault =>
  new PduFault(ABORT_REASON.invalidParameterValue, message)
