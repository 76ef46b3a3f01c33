import type { DataSetStream } from '#server/dicom/data-set/data-set-stream.ts'
import type { DimseLimits } from '#server/dicom/upper-layer/limits.ts'
import { invalidParameterFault, PDU_TYPE, type Pdv } from '#server/dicom/upper-layer/pdu.ts'
import { type CommandSet, readCommandSet, writeCommandSet } from './command-set.ts'

/** A DIMSE message (PS3.7 §6.3): a command set and, if the command says so, a data set. */
export interface Message {
  readonly contextId: number
  readonly command: CommandSet
  /**
   * Encoded in the transfer syntax of the context; `TOO_LONG` if it exceeded the limit and was
   * discarded.
   */
  readonly dataSet: Buffer | undefined | typeof TOO_LONG
  /** The data set as a stream; `dataSet` is then undefined. */
  readonly stream?: DataSetStream
}

export const TOO_LONG: unique symbol = Symbol('data set too long')

export type MessageLimits = Pick<
  DimseLimits,
  'commandSetBytes' | 'identifierBytes' | 'drainedBytes'
>

/** Assembles messages from fragments (PS3.8 Annex E). */
export class MessageReader {
  readonly #limits: MessageLimits
  readonly #fragments: Fragments
  readonly #streamFor: (contextId: number, command: CommandSet) => DataSetStream | undefined
  readonly #maxBytesFor: (command: CommandSet) => number
  #contextId: number | undefined
  #command: CommandSet | undefined
  #stream: DataSetStream | undefined

  /**
   * Both functions are called after a command set that is followed by a data set.
   * @param streamFor returns a stream if the data set is to be streamed
   * @param mostBytes maximum length of a data set that is kept; a longer one is read to its end and
   * discarded
   */
  constructor(
    limits: MessageLimits,
    streamFor: (contextId: number, command: CommandSet) => DataSetStream | undefined = () =>
      undefined,
    mostBytes: (command: CommandSet) => number = () => limits.identifierBytes,
  ) {
    this.#limits = limits
    this.#streamFor = streamFor
    this.#maxBytesFor = mostBytes
    this.#fragments = new Fragments(limits.commandSetBytes)
  }

  /** Whether a message has started and is not complete. */
  get isWithin(): boolean {
    return this.#contextId !== undefined
  }

  /** Memory used by the incomplete data set; undefined if there is none. */
  get gatheredBytes(): number | undefined {
    return this.#command && !this.#stream ? this.#fragments.room : undefined
  }

  /** The data set being streamed. */
  get stream(): DataSetStream | undefined {
    return this.#stream
  }

  /**
   * Processes the next fragment; returns the message if it is complete or if its data set is
   * streamed from here on.
   * @throws {PduFault} if fragments are out of order or too large
   */
  push({ contextId, isCommand, isLast, data }: Pdv): Message | undefined {
    this.#contextId ??= contextId
    const command = this.#command
    // PS3.8 E.2: the fragments of a message are contiguous and on one context, those of the command
    // set first.
    if (contextId !== this.#contextId)
      throw invalidParameterFault('fragment of another message within a message')
    if (isCommand !== (command === undefined))
      throw invalidParameterFault('command and data set fragments are mixed up')
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
      throw invalidParameterFault(`data set longer than ${drainedBytes} bytes`)
    if (!isLast) return undefined
    const dataSet = this.#fragments.isOverLimit ? TOO_LONG : this.#fragments.take()
    this.#begin()
    return { contextId, command, dataSet }
  }

  #pushCommand(contextId: number, isLast: boolean, data: Buffer): Message | undefined {
    const { commandSetBytes } = this.#limits
    this.#fragments.push(data)
    if (this.#fragments.isOverLimit)
      throw invalidParameterFault(`command set longer than ${commandSetBytes} bytes`)
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
    this.#fragments.begin(this.#maxBytesFor(command))
    return undefined
  }

  /** Prepares for the next message. */
  #begin(): void {
    this.#contextId = undefined
    this.#command = undefined
    this.#stream = undefined
    this.#fragments.begin(this.#limits.commandSetBytes)
  }
}

const MAX_SPARE_BYTES = 4096
const NO_BYTES = Buffer.alloc(0)

/**
 * Collects bytes up to a limit; beyond it they are only counted. Reused for all messages of a
 * connection.
 */
class Fragments {
  #limit: number
  #kept: Buffer = NO_BYTES
  /** Whether `#kept` is a view of the network buffer, holding the first fragment. */
  #isView = false
  length = 0

  constructor(most: number) {
    this.#limit = most
  }

  get room(): number {
    return this.#kept.length
  }

  get isOverLimit(): boolean {
    return this.length > this.#limit
  }

  /** Valid until the next `push` or `begin`. */
  get bytes(): Buffer {
    return this.#kept.subarray(0, this.length)
  }

  begin(most: number): void {
    this.#limit = most
    this.#kept = NO_BYTES
    this.#isView = false
    this.length = 0
  }

  push(data: Buffer): void {
    const end = this.length + data.length
    if (end > this.#limit) this.#kept = NO_BYTES
    else if (this.length === 0) {
      this.#kept = data
      this.#isView = true
    } else {
      // Doubles the size, up to the limit. A view of the network buffer is always full, so nothing
      // is written into memory of the connection.
      if (end > this.#kept.length) {
        const grown = Buffer.allocUnsafe(Math.min(Math.max(end * 2, 512), this.#limit))
        this.#kept.copy(grown, 0, 0, this.length)
        this.#kept = grown
        this.#isView = false
      }
      data.copy(this.#kept, this.length)
    }
    this.length = end
  }

  /**
   * Returns the bytes for the caller to keep, so that the network buffer can be reused. Copies only
   * if the bytes are in the network buffer or much memory would be wasted.
   */
  take(): Buffer {
    return this.#isView || this.#kept.length > this.length + MAX_SPARE_BYTES + this.length / 16
      ? Buffer.from(this.bytes)
      : this.bytes
  }
}

/**
 * Bytes of a PDU before the data of its PDV: PDU header, PDV length, context id, control header.
 */
export const FRAGMENT_HEADER_BYTES = 12
/** Offset of the presentation context id in a PDU with one PDV. */
export const CONTEXT_ID_OFFSET = 10
/** PDV header bytes that count towards the peer's maximum length. */
const PDV_HEADER_BYTES = 6
/** Data per PDU if the peer has no maximum length. */
const DEFAULT_DATA_BYTES = 128 << 10

/**
 * Data bytes per P-DATA-TF for a peer with this maximum length; even, as fragments must be (PS3.8
 * E.1).
 */
export const fragmentCapacity = (maximumLength: number): number =>
  maximumLength === 0 ? DEFAULT_DATA_BYTES : (maximumLength - PDV_HEADER_BYTES) & ~1

/** Length of `bytes` data bytes after fragmentation into P-DATA-TFs. */
export const fragmentedLength = (bytes: number, room: number): number =>
  bytes + Math.max(1, Math.ceil(bytes / room)) * FRAGMENT_HEADER_BYTES

/** Writes the header of a P-DATA-TF with one PDV; returns the offset after it. */
export function writeFragmentHeader(
  target: Buffer,
  at: number,
  contextId: number,
  control: number,
  length: number,
): number {
  target[at] = PDU_TYPE['P-DATA-TF']
  target[at + 1] = 0
  target.writeUInt32BE(length + PDV_HEADER_BYTES, at + 2)
  target.writeUInt32BE(length + 2, at + 6)
  target[at + CONTEXT_ID_OFFSET] = contextId
  target[at + 11] = control
  return at + FRAGMENT_HEADER_BYTES
}

/** Writes `source` as P-DATA-TFs with one PDV each; returns the offset after them. */
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
 * Fragments an outgoing data set into P-DATA-TFs with one PDV each while its bytes arrive (PS3.8
 * Annex E). Only the remainder between two pieces is copied.
 */
export class OutgoingDataSet {
  readonly #contextId: number
  readonly #room: number
  #rest: Buffer[] = []
  #restLength = 0

  /** @param maximumLength the peer's maximum P-DATA-TF length in bytes; 0: unlimited */
  constructor(contextId: number, maximumLength: number) {
    this.#contextId = contextId
    this.#room = fragmentCapacity(maximumLength)
  }

  /**
   * Returns the complete PDUs that can be sent now, as buffers to be written one after the other.
   */
  push(bytes: Buffer): Buffer[] {
    const parts: Buffer[] = []
    let at = 0
    // At least one byte is held back, because the last fragment must be marked as such.
    while (this.#restLength + bytes.length - at > this.#room) {
      const count = this.#room - this.#restLength
      parts.push(this.#header(this.#room, 0), ...this.#rest, bytes.subarray(at, at + count))
      at += count
      this.#rest = []
      this.#restLength = 0
    }
    this.#rest.push(bytes.subarray(at))
    this.#restLength += bytes.length - at
    return parts
  }

  /** Returns the remaining bytes, with the last fragment. */
  end(): Buffer[] {
    return [this.#header(this.#restLength, 2), ...this.#rest]
  }

  #header(length: number, control: number): Buffer {
    const header = Buffer.allocUnsafe(FRAGMENT_HEADER_BYTES)
    writeFragmentHeader(header, 0, this.#contextId, control, length)
    return header
  }
}

/**
 * Encodes a complete message in P-DATA-TFs. Command and data set never share a PDU, which some old
 * consoles do not support.
 */
export function writeMessage(
  contextId: number,
  command: CommandSet,
  dataSet: Buffer | undefined,
  maximumLength: number,
): Buffer {
  const room = fragmentCapacity(maximumLength)
  const commandBytes = writeCommandSet(command)
  const length =
    fragmentedLength(commandBytes.length, room) +
    (dataSet ? fragmentedLength(dataSet.length, room) : 0)
  const target = Buffer.allocUnsafe(length)
  const at = writeFragments(target, 0, contextId, true, commandBytes, room)
  if (dataSet) writeFragments(target, at, contextId, false, dataSet, room)
  return target
}
