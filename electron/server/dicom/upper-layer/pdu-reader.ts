import { withoutPadding } from '#server/dicom/data-set/vr.ts'
import type { DimseLimits } from './limits.ts'
import {
  ABORT_REASON,
  type ContextResult,
  type ExtendedNegotiation,
  ITEM_TYPE,
  invalidParameterFault,
  PDU_TYPE,
  type Pdu,
  PduFault,
  type Pdv,
  type ProposedContext,
  type RoleSelection,
  type UserInformation,
} from './pdu.ts'

export type PduLimits = Pick<DimseLimits, 'maxPduLength' | 'associateBytes'>

/** Some peers count the PDU header towards the negotiated maximum and some do not. */
const LENGTH_TOLERANCE = 1024
const HEADER_BYTES = 6
/** A-RELEASE, A-ABORT and A-ASSOCIATE-RJ have a length of four. */
const SMALL_PDU_BYTES = 64

/**
 * A P-DATA-TF of this length or more is not assembled first, so that images are not copied on their
 * way to the disk.
 */
const MIN_STREAMED_BYTES = 4096

/** The reader's position within a long P-DATA-TF. */
interface Part {
  remaining: number
  pdv: { contextId: number; isCommand: boolean; isLast: boolean; remaining: number } | undefined
}

/**
 * Reads PDUs from a byte stream. Implausible lengths are rejected before any memory is allocated
 * for them.
 */
export class PduReader {
  readonly #limits: PduLimits
  #held: Buffer = Buffer.alloc(0)
  #start = 0
  #end = 0
  #part: Part | undefined

  constructor(limits: PduLimits) {
    this.#limits = limits
  }

  /** Bytes of memory held by an incomplete PDU. */
  get heldBytes(): number {
    return this.#start === this.#end ? 0 : this.#held.length
  }

  /**
   * Adds received bytes. Returns true if the reader keeps views of `chunk`, which must then not be
   * overwritten; false if it has copied it.
   */
  push(chunk: Buffer): boolean {
    if (this.#start === this.#end) {
      this.#held = chunk
      this.#start = 0
      this.#end = chunk.length
      return true
    }
    if (this.#end + chunk.length > this.#held.length) {
      // Doubles the size, so that bytes arriving one at a time do not take quadratic time.
      const size = this.#end - this.#start + chunk.length
      const grown = Buffer.allocUnsafe(Math.max(size * 2, 512))
      this.#held.copy(grown, 0, this.#start, this.#end)
      this.#held = grown
      this.#end -= this.#start
      this.#start = 0
    }
    chunk.copy(this.#held, this.#end)
    this.#end += chunk.length
    return false
  }

  /**
   * The next PDU, or `undefined` if it is incomplete. A long P-DATA-TF is returned in parts as its
   * bytes arrive: each part is a P-DATA-TF whose PDVs are pieces of the original one, and only the
   * last piece keeps `isLast`.
   * @throws {PduFault} if the bytes are not a PDU; the reader must not be used afterwards
   */
  next(): Pdu | undefined {
    const start = this.#start
    const available = this.#end - start
    if (available === 0) return undefined
    if (this.#part) return this.#nextPieces(this.#part)
    const type = this.#held[start] ?? 0
    const decode = DECODERS[type]
    // PS3.8 §9.3.8: the type is checked before the length.
    if (!decode) throw new PduFault(ABORT_REASON.unrecognizedPdu, `unknown PDU type ${type}`)
    if (available < HEADER_BYTES) return undefined
    const length = this.#held.readUInt32BE(start + 2)
    const maximum = maxLength(type, this.#limits)
    if (length > maximum)
      throw invalidParameterFault(`PDU of ${length} bytes, at most ${maximum} are taken`)
    if (available < HEADER_BYTES + length) {
      if (type !== PDU_TYPE['P-DATA-TF'] || length < MIN_STREAMED_BYTES) return undefined
      this.#start += HEADER_BYTES
      this.#part = { remaining: length, pdv: undefined }
      return this.#nextPieces(this.#part)
    }
    this.#start += HEADER_BYTES + length
    return decode(this.#held.subarray(start + HEADER_BYTES, start + HEADER_BYTES + length))
  }

  /** The available part of the current P-DATA-TF. */
  #nextPieces(part: Part): Pdu | undefined {
    const pdvs: Pdv[] = []
    while (part.remaining > 0) {
      if (!part.pdv) {
        if (this.#end - this.#start < PDV_HEADER_BYTES && part.remaining >= PDV_HEADER_BYTES) break
        part.pdv = readPdvHeader(this.#held, this.#start, part.remaining)
        this.#start += PDV_HEADER_BYTES
        part.remaining -= PDV_HEADER_BYTES
      }
      const { contextId, isCommand, isLast, remaining } = part.pdv
      const length = Math.min(remaining, this.#end - this.#start)
      if (length === 0 && remaining > 0) break
      const data = this.#held.subarray(this.#start, this.#start + length)
      pdvs.push({ contextId, isCommand, isLast: isLast && length === remaining, data })
      this.#start += length
      part.remaining -= length
      part.pdv = length === remaining ? undefined : { ...part.pdv, remaining: remaining - length }
    }
    if (part.remaining === 0) this.#part = undefined
    return pdvs.length > 0 ? { type: 'P-DATA-TF', pdvs } : undefined
  }
}

function maxLength(type: number, limits: PduLimits): number {
  if (type === PDU_TYPE['P-DATA-TF']) return limits.maxPduLength + LENGTH_TOLERANCE
  return type === PDU_TYPE['A-ASSOCIATE-RQ'] || type === PDU_TYPE['A-ASSOCIATE-AC']
    ? limits.associateBytes
    : SMALL_PDU_BYTES
}

const DECODERS: Readonly<Record<number, (body: Buffer) => Pdu>> = {
  [PDU_TYPE['A-ASSOCIATE-RQ']]: (body) => {
    const { contexts, ...association } = readAssociation(
      body,
      ITEM_TYPE.presentationContextRq,
      proposedContext,
    )
    return { type: 'A-ASSOCIATE-RQ', ...association, presentationContexts: contexts }
  },
  [PDU_TYPE['A-ASSOCIATE-AC']]: (body) => {
    const { contexts, ...association } = readAssociation(
      body,
      ITEM_TYPE.presentationContextAc,
      contextResult,
    )
    return { type: 'A-ASSOCIATE-AC', ...association, presentationContexts: contexts }
  },
  [PDU_TYPE['A-ASSOCIATE-RJ']]: (body) => ({
    type: 'A-ASSOCIATE-RJ',
    result: byte(body, 1),
    source: byte(body, 2),
    reason: byte(body, 3),
  }),
  [PDU_TYPE['P-DATA-TF']]: (body) => ({ type: 'P-DATA-TF', pdvs: readPdvs(body) }),
  [PDU_TYPE['A-RELEASE-RQ']]: () => ({ type: 'A-RELEASE-RQ' }),
  [PDU_TYPE['A-RELEASE-RP']]: () => ({ type: 'A-RELEASE-RP' }),
  [PDU_TYPE['A-ABORT']]: (body) => ({
    type: 'A-ABORT',
    source: body[2] ?? 0,
    reason: body[3] ?? 0,
  }),
}

const PDV_HEADER_BYTES = 6

// PS3.8 §9.3.5.1: the PDV length includes context id and control header, so it is at least two.
function readPdvHeader(bytes: Buffer, at: number, room: number): NonNullable<Part['pdv']> {
  if (room < PDV_HEADER_BYTES) throw invalidParameterFault('P-DATA-TF ends within a PDV')
  const length = bytes.readUInt32BE(at)
  if (length < 2 || length + 4 > room) throw invalidParameterFault(`PDV of ${length} bytes`)
  const control = byte(bytes, at + 5)
  return {
    contextId: byte(bytes, at + 4),
    isCommand: (control & 1) !== 0,
    isLast: (control & 2) !== 0,
    remaining: length - 2,
  }
}

function readPdvs(body: Buffer): Pdv[] {
  const pdvs: Pdv[] = []
  let at = 0
  while (at < body.length) {
    const { contextId, isCommand, isLast, remaining } = readPdvHeader(body, at, body.length - at)
    at += PDV_HEADER_BYTES
    pdvs.push({ contextId, isCommand, isLast, data: body.subarray(at, at + remaining) })
    at += remaining
  }
  return pdvs
}

// PS3.8 Tables 9-11 and 9-17: 68 fixed bytes, followed by items.
const FIXED_PART_BYTES = 68

function readAssociation<C extends { readonly id: number }>(
  body: Buffer,
  contextType: number,
  readContext: (bytes: Buffer, start: number, end: number) => C,
) {
  if (body.length < FIXED_PART_BYTES)
    throw invalidParameterFault('A-ASSOCIATE shorter than its fixed part')
  const contexts: C[] = []
  const ids = new Set<number>()
  let applicationContext = ''
  let user = NO_USER_INFORMATION
  readItems(body, FIXED_PART_BYTES, body.length, (type, start, end) => {
    if (type === ITEM_TYPE.applicationContext) applicationContext = uid(body, start, end)
    else if (type === ITEM_TYPE.userInformation) user = readUserInformation(body, start, end)
    else if (type === contextType) {
      const context = readContext(body, start, end)
      // PS3.8 §9.3.2.2: ids are odd and unique, so there are at most 128.
      if ((context.id & 1) === 0 || ids.has(context.id))
        throw invalidParameterFault(`presentation context id ${context.id}`)
      ids.add(context.id)
      contexts.push(context)
    }
  })
  return {
    protocolVersion: body.readUInt16BE(0),
    calledAeTitle: aeTitle(body, 4, 20),
    callingAeTitle: aeTitle(body, 20, 36),
    applicationContext,
    contexts,
    user,
  }
}

function proposedContext(bytes: Buffer, start: number, end: number): ProposedContext {
  if (end - start < 4)
    throw invalidParameterFault('presentation context shorter than its fixed part')
  const transferSyntaxes: string[] = []
  let abstractSyntax = ''
  readItems(bytes, start + 4, end, (type, from, to) => {
    if (type === ITEM_TYPE.abstractSyntax) abstractSyntax = uid(bytes, from, to)
    else if (type === ITEM_TYPE.transferSyntax) transferSyntaxes.push(uid(bytes, from, to))
  })
  return { id: byte(bytes, start), abstractSyntax, transferSyntaxes }
}

function contextResult(bytes: Buffer, start: number, end: number): ContextResult {
  if (end - start < 4)
    throw invalidParameterFault('presentation context shorter than its fixed part')
  const result = byte(bytes, start + 2)
  if (result !== 0 && result !== 1 && result !== 2 && result !== 3 && result !== 4)
    throw invalidParameterFault(`presentation context result ${result}`)
  let transferSyntax: string | undefined
  readItems(bytes, start + 4, end, (type, from, to) => {
    if (type === ITEM_TYPE.transferSyntax) transferSyntax ??= uid(bytes, from, to)
  })
  return { id: byte(bytes, start), result, transferSyntax: transferSyntax ?? '' }
}

/** Assumed if a peer does not state its maximum: the customary length. */
const DEFAULT_MAXIMUM_LENGTH = 16_384

const NO_USER_INFORMATION: UserInformation = {
  maximumLength: DEFAULT_MAXIMUM_LENGTH,
  implementationClassUid: '',
  implementationVersionName: '',
  asynchronousOperations: undefined,
  roles: [],
}

function readUserInformation(bytes: Buffer, start: number, end: number): UserInformation {
  const user = { ...NO_USER_INFORMATION }
  const roles: RoleSelection[] = []
  const extended: ExtendedNegotiation[] = []
  readItems(bytes, start, end, (type, from, to) => {
    switch (type) {
      case ITEM_TYPE.maximumLength:
        user.maximumLength = maximumLength(bytes, from, to)
        return
      case ITEM_TYPE.implementationClassUid:
        user.implementationClassUid = uid(bytes, from, to)
        return
      case ITEM_TYPE.implementationVersionName:
        user.implementationVersionName = bytes
          .toString('latin1', from, Math.min(to, from + 16))
          .trim()
        return
      case ITEM_TYPE.asynchronousOperations:
        if (to - from < 4) throw invalidParameterFault('asynchronous operations window too short')
        user.asynchronousOperations = {
          invoked: bytes.readUInt16BE(from),
          performed: bytes.readUInt16BE(from + 2),
        }
        return
      case ITEM_TYPE.roleSelection:
        roles.push(roleSelection(bytes.subarray(from, to)))
        return
      case ITEM_TYPE.extendedNegotiation:
        extended.push(extendedNegotiation(bytes.subarray(from, to)))
    }
  })
  return { ...user, roles, ...(extended.length > 0 && { extended }) }
}

/** A smaller maximum leaves no room for a fragment of useful, even length. */
const MIN_MAXIMUM_LENGTH = 12

function maximumLength(bytes: Buffer, start: number, end: number): number {
  if (end - start < 4) throw invalidParameterFault('maximum length too short')
  const maximum = bytes.readUInt32BE(start)
  if (maximum !== 0 && maximum < MIN_MAXIMUM_LENGTH)
    throw invalidParameterFault(`maximum length of ${maximum} bytes`)
  return maximum
}

function roleSelection(value: Buffer): RoleSelection {
  const length = value.length < 4 ? value.length : value.readUInt16BE(0)
  if (value.length < length + 4) throw invalidParameterFault('role selection shorter than its UID')
  return {
    sopClass: uid(value, 2, 2 + length),
    scu: byte(value, 2 + length) === 1,
    scp: byte(value, 3 + length) === 1,
  }
}

function extendedNegotiation(value: Buffer): ExtendedNegotiation {
  const length = value.length < 2 ? value.length : value.readUInt16BE(0)
  if (value.length < length + 2)
    throw invalidParameterFault('extended negotiation shorter than its UID')
  return {
    sopClass: uid(value, 2, 2 + length),
    // Copied, because the PDU is not kept.
    information: Buffer.from(value.subarray(2 + length)),
  }
}

/**
 * Calls `read` with the type and the range of each item: type, reserved byte, 16-bit length, data
 * (PS3.8 §9.3.2.1 and others).
 */
function readItems(
  bytes: Buffer,
  start: number,
  end: number,
  read: (type: number, start: number, end: number) => void,
): void {
  for (let at = start; at < end; ) {
    if (end - at < 4) throw invalidParameterFault('item shorter than its header')
    const next = at + 4 + bytes.readUInt16BE(at + 2)
    if (next > end) throw invalidParameterFault('item longer than what holds it')
    read(byte(bytes, at), at + 4, next)
    at = next
  }
}

// PS3.5 §9.1: 64 characters. Padding is not allowed here (PS3.8 F), but some peers pad.
function uid(bytes: Buffer, start: number, end: number): string {
  const text = withoutPadding(bytes.toString('latin1', start, end))
  if (text.length > 64) throw invalidParameterFault('UID longer than 64 characters')
  return text
}

const aeTitle = (bytes: Buffer, start: number, end: number): string =>
  bytes.toString('latin1', start, end).replace(/^[\0 ]+|[\0 ]+$/g, '')

const byte = (bytes: Buffer, at: number): number => {
  const value = bytes[at]
  if (value === undefined) throw invalidParameterFault('PDU shorter than its fixed part')
  return value
}
