import {
  type AssociateAc,
  type AssociateRq,
  ITEM_TYPE,
  PDU_TYPE,
  type Pdu,
  type Pdv,
  type UserInformation,
} from './pdu.ts'

/** Encodes a PDU (PS3.8 §9.3). */
export function writePdu(pdu: Pdu): Buffer {
  const bytes = new PduBytes()
  bytes.pdu(PDU_TYPE[pdu.type], () => writeBody(bytes, pdu))
  return bytes.written
}

function writeBody(bytes: PduBytes, pdu: Pdu): void {
  switch (pdu.type) {
    case 'A-ASSOCIATE-RQ':
      writeAssociateRq(bytes, pdu)
      break
    case 'A-ASSOCIATE-AC':
      writeAssociateAc(bytes, pdu)
      break
    case 'A-ASSOCIATE-RJ':
      bytes.bytes(0, pdu.result, pdu.source, pdu.reason)
      break
    case 'P-DATA-TF':
      for (const pdv of pdu.pdvs) writePdv(bytes, pdv)
      break
    case 'A-RELEASE-RQ':
    case 'A-RELEASE-RP':
      bytes.uint32(0)
      break
    case 'A-ABORT':
      bytes.bytes(0, 0, pdu.source, pdu.reason)
  }
}

function writeAssociateRq(bytes: PduBytes, pdu: AssociateRq): void {
  writeFixedPart(bytes, pdu)
  for (const { id, abstractSyntax, transferSyntaxes } of pdu.presentationContexts)
    bytes.item(ITEM_TYPE.presentationContextRq, () => {
      bytes.bytes(id, 0, 0, 0)
      bytes.item(ITEM_TYPE.abstractSyntax, () => bytes.text(abstractSyntax))
      for (const uid of transferSyntaxes)
        bytes.item(ITEM_TYPE.transferSyntax, () => bytes.text(uid))
    })
  writeUserInformation(bytes, pdu.user)
}

function writeAssociateAc(bytes: PduBytes, pdu: AssociateAc): void {
  writeFixedPart(bytes, pdu)
  for (const { id, result, transferSyntax } of pdu.presentationContexts)
    bytes.item(ITEM_TYPE.presentationContextAc, () => {
      bytes.bytes(id, 0, result, 0)
      bytes.item(ITEM_TYPE.transferSyntax, () => bytes.text(transferSyntax))
    })
  writeUserInformation(bytes, pdu.user)
}

function writePdv(bytes: PduBytes, { contextId, isCommand, isLast, data }: Pdv): void {
  bytes.uint32(data.length + 2)
  bytes.bytes(contextId, (isCommand ? 1 : 0) | (isLast ? 2 : 0))
  bytes.copy(data)
}

const RESERVED = Buffer.alloc(32)

function writeFixedPart(bytes: PduBytes, pdu: AssociateRq | AssociateAc): void {
  bytes.uint16(pdu.protocolVersion)
  bytes.uint16(0)
  bytes.text(pdu.calledAeTitle.padEnd(16).slice(0, 16))
  bytes.text(pdu.callingAeTitle.padEnd(16).slice(0, 16))
  bytes.copy(RESERVED)
  bytes.item(ITEM_TYPE.applicationContext, () => bytes.text(pdu.applicationContext))
}

function writeUserInformation(bytes: PduBytes, user: UserInformation): void {
  const { asynchronousOperations, implementationClassUid, implementationVersionName } = user
  bytes.item(ITEM_TYPE.userInformation, () => {
    bytes.item(ITEM_TYPE.maximumLength, () => bytes.uint32(user.maximumLength))
    if (implementationClassUid)
      bytes.item(ITEM_TYPE.implementationClassUid, () => bytes.text(implementationClassUid))
    if (asynchronousOperations)
      bytes.item(ITEM_TYPE.asynchronousOperations, () => {
        bytes.uint16(asynchronousOperations.invoked)
        bytes.uint16(asynchronousOperations.performed)
      })
    for (const { sopClass, scu, scp } of user.roles)
      bytes.item(ITEM_TYPE.roleSelection, () => {
        bytes.uint16(sopClass.length)
        bytes.text(sopClass)
        bytes.bytes(scu ? 1 : 0, scp ? 1 : 0)
      })
    for (const { sopClass, information } of user.extended ?? [])
      bytes.item(ITEM_TYPE.extendedNegotiation, () => {
        bytes.uint16(sopClass.length)
        bytes.text(sopClass)
        bytes.copy(information)
      })
    if (implementationVersionName)
      bytes.item(ITEM_TYPE.implementationVersionName, () => bytes.text(implementationVersionName))
  })
}

/** Enough for an A-ASSOCIATE-AC with a few presentation contexts. */
const INITIAL_BUFFER_BYTES = 512

/** The bytes of one PDU, in one buffer: a proposal of 128 contexts has a thousand small parts. */
class PduBytes {
  #buffer = Buffer.allocUnsafe(INITIAL_BUFFER_BYTES)
  #end = 0

  get written(): Buffer {
    return this.#buffer.subarray(0, this.#end)
  }

  bytes(...values: readonly number[]): void {
    this.#reserve(values.length)
    for (const value of values) this.#buffer[this.#end++] = value
  }

  uint16(value: number): void {
    this.#reserve(2)
    this.#end = this.#buffer.writeUInt16BE(value, this.#end)
  }

  uint32(value: number): void {
    this.#reserve(4)
    this.#end = this.#buffer.writeUInt32BE(value, this.#end)
  }

  text(latin1: string): void {
    this.#reserve(latin1.length)
    this.#end += this.#buffer.write(latin1, this.#end, 'latin1')
  }

  copy(bytes: Buffer): void {
    this.#reserve(bytes.length)
    this.#end += bytes.copy(this.#buffer, this.#end)
  }

  /** Type, reserved byte and 16-bit length, followed by what `write` writes. */
  item(type: number, write: () => void): void {
    this.bytes(type, 0, 0, 0)
    const start = this.#end
    write()
    this.#buffer.writeUInt16BE(this.#end - start, start - 2)
  }

  /** Type, reserved byte and 32-bit length, followed by what `write` writes. */
  pdu(type: number, write: () => void): void {
    this.bytes(type, 0, 0, 0, 0, 0)
    const start = this.#end
    write()
    this.#buffer.writeUInt32BE(this.#end - start, start - 4)
  }

  #reserve(length: number): void {
    const end = this.#end + length
    if (end <= this.#buffer.length) return
    const grown = Buffer.allocUnsafe(Math.max(end, this.#buffer.length * 2))
    this.#buffer.copy(grown, 0, 0, this.#end)
    this.#buffer = grown
  }
}
