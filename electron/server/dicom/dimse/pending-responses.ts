import { setImmediate } from 'node:timers/promises'
import { COMMAND_FIELD, RESPONSE_BIT, writeCommandSet } from './command-set.ts'
import {
  CONTEXT_ID_OFFSET,
  FRAGMENT_HEADER_BYTES,
  fragmentCapacity,
  fragmentedLength,
  writeFragments,
} from './message.ts'
import type { EncodedIdentifiers } from './service.ts'
import type { Operation } from './service-class.ts'

/** The encoded responses of a batch for one peer. */
interface Framing {
  /**
   * The first row that no longer fits into the slice; a response longer than a slice is sent alone.
   */
  endOfSlice(first: number): number
  slice(first: number, next: number): Buffer
}

/**
 * Sends a batch of pending responses (PS3.7 §9.3.2.2) in slices. Returns the last slice unsent, so
 * that it can be sent together with the final response. Ends early, after a complete response, if
 * the operation is cancelled or the association ends.
 */
export async function sendPending(
  batch: EncodedIdentifiers,
  operation: Operation,
): Promise<{ responses: number; unsent: Buffer | undefined }> {
  const framing = framingOf(batch, operation)
  let row = 0
  let unsent: Buffer | undefined
  while (row < batch.ends.length) {
    if (unsent) {
      if (!(await operation.send(unsent))) return { responses: row, unsent: undefined }
      operation.slices.give(unsent)
      unsent = undefined
      // Lets other connections proceed between slices, and a C-CANCEL be read.
      await setImmediate()
    }
    if (operation.signal.aborted) break
    const next = framing.endOfSlice(row)
    unsent = framing.slice(row, next)
    row = next
  }
  return { responses: row, unsent }
}

function framingOf(batch: EncodedIdentifiers, operation: Operation): Framing {
  const command = commandOf(
    operation.context.abstractSyntax,
    batch.hasUnsupportedKeys ? 0xff01 : 0xff00,
  )
  const room = fragmentCapacity(operation.maximumLength)
  const isShared = sentBefore.has(batch) && Math.max(longestOf(batch), command.length) <= room
  sentBefore.add(batch)
  return isShared
    ? sharedFraming(batch, command, operation)
    : onTheFlyFraming(batch, command, room, operation)
}

/** Batches sent before. The framing of a batch is only cached if it is sent more than once. */
const sentBefore = new WeakSet<EncodedIdentifiers>()

const longestLengths = new WeakMap<EncodedIdentifiers, number>()

function longestOf(batch: EncodedIdentifiers): number {
  let length = longestLengths.get(batch)
  if (length === undefined) {
    length = 0
    for (let row = 0; row < batch.ends.length; row++)
      length = Math.max(length, lengthOf(batch.ends, row))
    longestLengths.set(batch, length)
  }
  return length
}

const startOf = (ends: Uint32Array, row: number): number => (row === 0 ? 0 : (ends[row - 1] ?? 0))
const lengthOf = (ends: Uint32Array, row: number): number => (ends[row] ?? 0) - startOf(ends, row)

/** Keyed by SOP class and status; only a few are provided. */
const commands = new Map<string, Buffer>()

function commandOf(affectedSopClassUid: string, status: 0xff00 | 0xff01): Buffer {
  const key = `${affectedSopClassUid} ${status}`
  let command = commands.get(key)
  if (!command) {
    const commandField = COMMAND_FIELD['C-FIND-RQ'] | RESPONSE_BIT
    command = writeCommandSet({
      affectedSopClassUid,
      commandField,
      messageIdBeingRespondedTo: 0,
      hasDataSet: true,
      status,
    })
    commands.set(key, command)
  }
  return command
}

/**
 * The header of MessageIDBeingRespondedTo (0000,0120), with length 2, in Implicit VR Little Endian.
 */
const MESSAGE_ID_HEADER = Buffer.from([0x00, 0x00, 0x20, 0x01, 0x02, 0x00, 0x00, 0x00])
const messageIdOffset = (command: Buffer): number =>
  command.indexOf(MESSAGE_ID_HEADER) + MESSAGE_ID_HEADER.length

// Shared framing: a batch sent repeatedly without fragmentation has the same bytes for every peer
// except for message id and context id.

interface FramedBatch {
  readonly command: Buffer
  readonly bytes: Buffer
  /** End offset of each response in `bytes`. */
  readonly ends: Uint32Array
}

/**
 * One framing per batch, independent of the peers, so that peers cannot influence how much memory
 * is used.
 */
const cache = new WeakMap<EncodedIdentifiers, FramedBatch>()

function sharedFraming(
  batch: EncodedIdentifiers,
  command: Buffer,
  { context, messageId, slices, limits }: Operation,
): Framing {
  const known = cache.get(batch)
  const { bytes, ends } = known?.command.equals(command) ? known : frame(batch, command)
  const messageIdAt = FRAGMENT_HEADER_BYTES + messageIdOffset(command)
  const dataContextIdAt = FRAGMENT_HEADER_BYTES + command.length + CONTEXT_ID_OFFSET
  return {
    endOfSlice(first) {
      const sliceEnd = startOf(ends, first) + limits.sliceBytes
      let low = first + 1
      let high = ends.length
      while (low < high) {
        const middle = (low + high + 1) >>> 1
        if ((ends[middle - 1] ?? 0) <= sliceEnd) low = middle
        else high = middle - 1
      }
      return low
    },
    slice(first, next) {
      const from = startOf(ends, first)
      const to = startOf(ends, next)
      const slice = slices.take(to - from)
      bytes.copy(slice, 0, from, to)
      const [low, high] = [messageId & 0xff, messageId >>> 8]
      for (let row = first; row < next; row++) {
        const at = startOf(ends, row) - from
        slice[at + CONTEXT_ID_OFFSET] = context.id
        slice[at + messageIdAt] = low
        slice[at + messageIdAt + 1] = high
        slice[at + dataContextIdAt] = context.id
      }
      return slice
    },
  }
}

function frame(batch: EncodedIdentifiers, command: Buffer): FramedBatch {
  const bytes = Buffer.allocUnsafeSlow(
    batch.ends.length * (command.length + 2 * FRAGMENT_HEADER_BYTES) + batch.bytes.length,
  )
  const ends = new Uint32Array(batch.ends.length)
  let at = 0
  for (let row = 0; row < ends.length; row++) {
    at = writeFragments(bytes, at, 0, true, command, command.length)
    const identifier = batch.bytes.subarray(startOf(batch.ends, row), batch.ends[row])
    at = writeFragments(bytes, at, 0, false, identifier, Math.max(identifier.length, 1))
    ends[row] = at
  }
  const framed = { command, bytes, ends }
  cache.set(batch, framed)
  return framed
}

// Framing on the fly, for a batch sent for the first time or to a peer whose maximum length
// requires fragmentation.

function onTheFlyFraming(
  { bytes, ends }: EncodedIdentifiers,
  answer: Buffer,
  room: number,
  operation: Operation,
): Framing {
  const { context, messageId, slices, limits } = operation
  const command = Buffer.from(answer)
  command.writeUInt16LE(messageId, messageIdOffset(command))
  const framedLengthOf = (row: number) =>
    fragmentedLength(command.length, room) + fragmentedLength(lengthOf(ends, row), room)
  return {
    endOfSlice(first) {
      let length = framedLengthOf(first)
      let next = first + 1
      while (next < ends.length && length + framedLengthOf(next) <= limits.sliceBytes)
        length += framedLengthOf(next++)
      return next
    },
    slice(first, next) {
      let length = 0
      for (let row = first; row < next; row++) length += framedLengthOf(row)
      const slice = slices.take(length)
      let at = 0
      for (let row = first; row < next; row++) {
        at = writeFragments(slice, at, context.id, true, command, room)
        at = writeFragments(
          slice,
          at,
          context.id,
          false,
          bytes.subarray(startOf(ends, row), ends[row]),
          room,
        )
      }
      return slice
    },
  }
}
