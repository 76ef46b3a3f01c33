import type { DataSetStream } from '#server/dicom/data-set/data-set-stream.ts'
import type { DimseLimits } from '#server/dicom/upper-layer/limits.ts'
import { invalid, PDU_TYPE, type Pdv } from '#server/dicom/upper-layer/pdu.ts'
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

export type MessageLimits = Pick<
  DimseLimits,
  'commandSetBytes' | 'identifierBytes' | 'drainedBytes'
>

/** Puts messages together from fragments (PS3.8 Annex E). */
export class MessageReader {
  readonly #limits: MessageLimits
  readonly #fragments: Fragments
  readonly #streamFor: (contextId: number, command: CommandSet) => DataSetStream | undefined
  readonly #mostBytes: (command: CommandSet) => number
  #contextId: number | undefined
  #command: CommandSet | undefined
  #stream: DataSetStream | undefined

  /**
   * Both functions are called at the end of a command set that has a data set.
   * @param streamFor where the data set is to be streamed
   * @param mostBytes bytes of it that are kept; a longer one is read to its end and not kept
   */
  constructor(
    limits: MessageLimits,
    streamFor: (contextId: number, command: CommandSet) => DataSetStream | undefined = () =>
      undefined,
    mostBytes: (command: CommandSet) => number = () => limits.identifierBytes,
  ) {
    this.#limits = limits
    this.#streamFor = streamFor
    this.#mostBytes = mostBytes
    this.#fragments = new Fragments(limits.commandSetBytes)
  }

  /** A message has begun and is not complete. */
  get isWithin(): boolean {
    return this.#contextId !== undefined
  }

  /** Room that the data set being gathered takes; undefined where none has begun. */
  get gatheredBytes(): number | undefined {
    return this.#command && !this.#stream ? this.#fragments.room : undefined
  }

  /** The data set that is arriving piece by piece. */
  get stream(): DataSetStream | undefined {
    return this.#stream
  }

  /**
   * Takes the next fragment; gives the message that it completes, or whose data set is to be
   * streamed from here on.
   * @throws {PduFault} where fragments are mixed up or too many.
   */
  push({ contextId, isCommand, isLast, data }: Pdv): Message | undefined {
    this.#contextId ??= contextId
    const command = this.#command
    // PS3.8 E.2: the fragments of a message follow each other, on one context, the command's
    // before the data set's.
    if (contextId !== this.#contextId) throw invalid('fragment of another message within a message')
    if (isCommand !== (command === undefined))
      throw invalid('command and data set fragments are mixed up')
    if (command === undefined) return this.#pushCommand(contextId, isLast, data)
    if (this.#stream) {
      this.#stream.push(data)
      if (!isLast) return undefined
      this.#stream.end()
      this.#begin()
      return undefined
    }
    const { drainedBytes } = this.#limits
    this.#fragments.push(data)
    if (this.#fragments.length > drainedBytes)
      throw invalid(`data set longer than ${drainedBytes} bytes`)
    if (!isLast) return undefined
    const dataSet = this.#fragments.isOver ? TOO_LONG : this.#fragments.take()
    this.#begin()
    return { contextId, command, dataSet }
  }

  #pushCommand(contextId: number, isLast: boolean, data: Buffer): Message | undefined {
    const { commandSetBytes } = this.#limits
    this.#fragments.push(data)
    if (this.#fragments.isOver) throw invalid(`command set longer than ${commandSetBytes} bytes`)
    if (!isLast) return undefined
    const command = readCommandSet(this.#fragments.bytes)
    if (!command.hasDataSet) {
      this.#begin()
      return { contextId, command, dataSet: undefined }
    }
    this.#command = command
    const stream = this.#streamFor(contextId, command)
    this.#stream = stream
    if (stream) return { contextId, command, dataSet: undefined, stream }
    this.#fragments.begin(this.#mostBytes(command))
    return undefined
  }

  /** The next message begins. */
  #begin(): void {
    this.#contextId = undefined
    this.#command = undefined
    this.#stream = undefined
    this.#fragments.begin(this.#limits.commandSetBytes)
  }
}

const SPARE = 4096
const NOTHING = Buffer.alloc(0)

/**
 * Bytes gathered up to a limit; beyond it they are only counted. One for all messages of a
 * connection: each begins it anew.
 */
class Fragments {
  #most: number
  #kept: Buffer = NOTHING
  /** `#kept` is the first fragment, in the network's buffer. */
  #isView = false
  length = 0

  constructor(most: number) {
    this.#most = most
  }

  get room(): number {
    return this.#kept.length
  }

  get isOver(): boolean {
    return this.length > this.#most
  }

  /** Until the next `push` or `begin`. */
  get bytes(): Buffer {
    return this.#kept.subarray(0, this.length)
  }

  begin(most: number): void {
    this.#most = most
    this.#kept = NOTHING
    this.#isView = false
    this.length = 0
  }

  push(data: Buffer): void {
    const end = this.length + data.length
    if (end > this.#most) this.#kept = NOTHING
    else if (this.length === 0) {
      this.#kept = data
      this.#isView = true
    } else {
      // Doubling, to the limit at most; the first fragment's own buffer is full, so nothing is
      // written into what belongs to the connection.
      if (end > this.#kept.length) {
        const grown = Buffer.allocUnsafe(Math.min(Math.max(end * 2, 512), this.#most))
        this.#kept.copy(grown, 0, 0, this.length)
        this.#kept = grown
        this.#isView = false
      }
      data.copy(this.#kept, this.length)
    }
    this.length = end
  }

  /**
   * To be kept: the network's buffer is free again. Spare room of the doubling is left, unless it
   * is little and a copy would take more.
   */
  take(): Buffer {
    return this.#isView || this.#kept.length > this.length + SPARE + this.length / 16
      ? Buffer.from(this.bytes)
      : this.bytes
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

/** Writes the header of a P-DATA-TF of one PDV; gives the offset behind it. */
function writeFragmentHeader(
  target: Buffer,
  at: number,
  contextId: number,
  control: number,
  length: number,
): number {
  target[at] = PDU_TYPE['P-DATA-TF']
  target[at + 1] = 0
  target.writeUInt32BE(length + PDV_HEADER, at + 2)
  target.writeUInt32BE(length + 2, at + 6)
  target[at + CONTEXT_ID_AT] = contextId
  target[at + 11] = control
  return at + FRAGMENT_HEADER
}

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
    const control = (isCommand ? 1 : 0) | (to === source.length ? 2 : 0)
    at = writeFragmentHeader(target, at, contextId, control, to - from)
    at += source.copy(target, at, from, to)
    from = to
  } while (from < source.length)
  return at
}

/**
 * A data set on its way out, cut into P-DATA-TFs of one PDV each as its bytes come (PS3.8 Annex E).
 * Bytes are not copied but for what is left between two pieces.
 */
export class OutgoingDataSet {
  readonly #contextId: number
  readonly #room: number
  #rest: Buffer[] = []
  #restLength = 0

  /** @param maximumLength longest P-DATA-TF of the peer; 0: any */
  constructor(contextId: number, maximumLength: number) {
    this.#contextId = contextId
    this.#room = roomOf(maximumLength)
  }

  /** What can be sent now: whole PDUs, in parts that are written one after the other. */
  push(bytes: Buffer): Buffer[] {
    const parts: Buffer[] = []
    let at = 0
    // One byte at least stays: the last fragment must be known as the last.
    while (this.#restLength + bytes.length - at > this.#room) {
      const taken = this.#room - this.#restLength
      parts.push(this.#header(this.#room, 0), ...this.#rest, bytes.subarray(at, at + taken))
      at += taken
      this.#rest = []
      this.#restLength = 0
    }
    this.#rest.push(bytes.subarray(at))
    this.#restLength += bytes.length - at
    return parts
  }

  /** The rest, with the last fragment. */
  end(): Buffer[] {
    return [this.#header(this.#restLength, 2), ...this.#rest]
  }

  #header(length: number, control: number): Buffer {
    const header = Buffer.allocUnsafe(FRAGMENT_HEADER)
    writeFragmentHeader(header, 0, this.#contextId, control, length)
    return header
  }
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
