import { setImmediate } from 'node:timers/promises'
import { COMMAND_FIELD, RESPONSE, writeCommandSet } from './command-set.ts'
import { FRAGMENT_HEADER, fragmentedLength, roomOf, writeFragments } from './message.ts'
import type { EncodedIdentifiers } from './service.ts'
import type { Operation } from './service-class.ts'

/** A batch as it goes over the wire, all but the message id. */
interface Framed {
  readonly key: string
  readonly bytes: Buffer
  /** End of each response in `bytes`. */
  readonly ends: Uint32Array
  /** Where MessageIDBeingRespondedTo is, from the start of a response. */
  readonly messageIdAt: number
}

/** Framings kept of one batch: consoles of a clinic differ in context id and maximum length, but not by much. */
const VARIANTS = 3
const cache = new WeakMap<EncodedIdentifiers, { readonly longest: number; variants: readonly Framed[] }>()

/**
 * Sends a batch of pending responses (PS3.7 §9.3.2.2), one slice at a time, and gives back the last slice unsent, so that it can go with what
 * follows. Ends early, at a whole response, when the operation is cancelled or its association is gone.
 */
export async function sendPending(
  batch: EncodedIdentifiers,
  operation: Operation,
): Promise<{ responses: number; unsent: Buffer | undefined }> {
  const framed = framedFor(batch, operation)
  let row = 0
  let unsent: Buffer | undefined
  while (row < framed.ends.length) {
    if (unsent) {
      if (!(await operation.send(unsent))) return { responses: row, unsent: undefined }
      operation.slices.give(unsent)
      unsent = undefined
      // Others get their turn between slices, and a C-CANCEL its chance to be read.
      await setImmediate()
    }
    if (operation.signal.aborted) break
    const next = endOfSlice(framed.ends, row, operation.limits.sliceBytes)
    unsent = copyOf(framed, row, next, operation)
    row = next
  }
  return { responses: row, unsent }
}

/** The row behind the last one that fits; a response too long for a slice has one for itself. */
function endOfSlice(ends: Uint32Array, first: number, sliceBytes: number): number {
  const most = startOf(ends, first) + sliceBytes
  let low = first + 1
  let high = ends.length
  while (low < high) {
    const middle = (low + high + 1) >>> 1
    if ((ends[middle - 1] ?? 0) <= most) low = middle
    else high = middle - 1
  }
  return low
}

function copyOf({ bytes, ends, messageIdAt }: Framed, first: number, next: number, { slices, messageId }: Operation): Buffer {
  const from = startOf(ends, first)
  const to = startOf(ends, next)
  const slice = slices.take(to - from)
  bytes.copy(slice, 0, from, to)
  const [low, high] = [messageId & 0xff, messageId >>> 8]
  for (let row = first; row < next; row++) {
    const at = startOf(ends, row) - from + messageIdAt
    slice[at] = low
    slice[at + 1] = high
  }
  return slice
}

const startOf = (ends: Uint32Array, row: number): number => (row === 0 ? 0 : (ends[row - 1] ?? 0))

function framedFor(batch: EncodedIdentifiers, { context, maximumLength }: Operation): Framed {
  const cached = cache.get(batch) ?? { longest: longestOf(batch.ends), variants: [] }
  cache.set(batch, cached)
  const command = commandOf(context.abstractSyntax)
  const least = roomOf(maximumLength)
  // Where nothing has to be cut, every maximum gives the same bytes.
  const room = Math.max(cached.longest, command.length) <= least ? roomOf(0) : least
  const key = `${context.id} ${room} ${context.abstractSyntax}`
  const { variants } = cached
  const framed = variants.find((variant) => variant.key === key) ?? frame(batch, context.id, command, room, key)
  if (variants[0] !== framed) cached.variants = [framed, ...variants.filter((variant) => variant !== framed)].slice(0, VARIANTS)
  return framed
}

function longestOf(ends: Uint32Array): number {
  let longest = 0
  for (let row = 0; row < ends.length; row++) longest = Math.max(longest, startOf(ends, row + 1) - startOf(ends, row))
  return longest
}

const commandOf = (affectedSopClassUid: string): Buffer =>
  writeCommandSet({
    affectedSopClassUid,
    commandField: COMMAND_FIELD['C-FIND-RQ'] | RESPONSE,
    messageIdBeingRespondedTo: 0,
    hasDataSet: true,
    status: 0xff00,
  })

/** (0000,0120) with its length of two, in Implicit VR Little Endian. */
const MESSAGE_ID_HEADER = Buffer.from([0x00, 0x00, 0x20, 0x01, 0x02, 0x00, 0x00, 0x00])

function frame({ bytes, ends }: EncodedIdentifiers, contextId: number, command: Buffer, room: number, key: string): Framed {
  let length = ends.length * fragmentedLength(command.length, room)
  for (let row = 0; row < ends.length; row++) length += fragmentedLength(startOf(ends, row + 1) - startOf(ends, row), room)
  const framed = Buffer.allocUnsafeSlow(length)
  const framedEnds = new Uint32Array(ends.length)
  let at = 0
  for (let row = 0; row < ends.length; row++) {
    at = writeFragments(framed, at, contextId, true, command, room)
    at = writeFragments(framed, at, contextId, false, bytes.subarray(startOf(ends, row), startOf(ends, row + 1)), room)
    framedEnds[row] = at
  }
  const idAt = command.indexOf(MESSAGE_ID_HEADER) + MESSAGE_ID_HEADER.length
  // Lengths and fragments are even, so the two bytes are never torn apart.
  const messageIdAt = idAt + (Math.floor(idAt / room) + 1) * FRAGMENT_HEADER
  return { key, bytes: framed, ends: framedEnds, messageIdAt }
}
