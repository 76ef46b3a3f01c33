import {
  type Abort,
  type AssociateAc,
  type AssociateRj,
  type AssociateRq,
  ITEM_TYPE,
  type PDataTf,
  PDU_TYPE,
  type Pdu,
  type UserInformation,
} from './pdu.ts'

/** Encodes a PDU (PS3.8 §9.3). */
export function writePdu(pdu: Pdu): Buffer {
  const body = bodyOf(pdu)
  const header = Buffer.alloc(6)
  header[0] = PDU_TYPE[pdu.type]
  header.writeUInt32BE(
    body.reduce((length, part) => length + part.length, 0),
    2,
  )
  return Buffer.concat([header, ...body])
}

function bodyOf(pdu: Pdu): Buffer[] {
  switch (pdu.type) {
    case 'A-ASSOCIATE-RQ':
      return associateRq(pdu)
    case 'A-ASSOCIATE-AC':
      return associateAc(pdu)
    case 'A-ASSOCIATE-RJ':
      return [associateRj(pdu)]
    case 'P-DATA-TF':
      return pDataTf(pdu)
    case 'A-RELEASE-RQ':
    case 'A-RELEASE-RP':
      return [Buffer.alloc(4)]
    case 'A-ABORT':
      return [abort(pdu)]
  }
}

function associateRq(pdu: AssociateRq): Buffer[] {
  const contexts = pdu.presentationContexts.map(({ id, abstractSyntax, transferSyntaxes }) =>
    item(
      ITEM_TYPE.presentationContextRq,
      Buffer.from([id, 0, 0, 0]),
      item(ITEM_TYPE.abstractSyntax, ascii(abstractSyntax)),
      ...transferSyntaxes.map((uid) => item(ITEM_TYPE.transferSyntax, ascii(uid))),
    ),
  )
  return [fixedPart(pdu), applicationContext(pdu), ...contexts, userInformation(pdu.user)]
}

function associateAc(pdu: AssociateAc): Buffer[] {
  const contexts = pdu.presentationContexts.map(({ id, result, transferSyntax }) =>
    item(
      ITEM_TYPE.presentationContextAc,
      Buffer.from([id, 0, result, 0]),
      item(ITEM_TYPE.transferSyntax, ascii(transferSyntax)),
    ),
  )
  return [fixedPart(pdu), applicationContext(pdu), ...contexts, userInformation(pdu.user)]
}

const associateRj = ({ result, source, reason }: AssociateRj): Buffer =>
  Buffer.from([0, result, source, reason])

const abort = ({ source, reason }: Abort): Buffer => Buffer.from([0, 0, source, reason])

function pDataTf({ pdvs }: PDataTf): Buffer[] {
  return pdvs.flatMap(({ contextId, isCommand, isLast, data }) => {
    const header = Buffer.alloc(6)
    header.writeUInt32BE(data.length + 2, 0)
    header[4] = contextId
    header[5] = (isCommand ? 1 : 0) | (isLast ? 2 : 0)
    return [header, data]
  })
}

function fixedPart({
  protocolVersion,
  calledAeTitle,
  callingAeTitle,
}: AssociateRq | AssociateAc): Buffer {
  const fixed = Buffer.alloc(68)
  fixed.writeUInt16BE(protocolVersion, 0)
  fixed.write(calledAeTitle.padEnd(16).slice(0, 16), 4, 'latin1')
  fixed.write(callingAeTitle.padEnd(16).slice(0, 16), 20, 'latin1')
  return fixed
}

const applicationContext = (pdu: AssociateRq | AssociateAc): Buffer =>
  item(ITEM_TYPE.applicationContext, ascii(pdu.applicationContext))

function userInformation(user: UserInformation): Buffer {
  const parts = [item(ITEM_TYPE.maximumLength, uint32(user.maximumLength))]
  if (user.implementationClassUid)
    parts.push(item(ITEM_TYPE.implementationClassUid, ascii(user.implementationClassUid)))
  if (user.asynchronousOperations) {
    const { invoked, performed } = user.asynchronousOperations
    parts.push(item(ITEM_TYPE.asynchronousOperations, uint16(invoked), uint16(performed)))
  }
  for (const { sopClass, scu, scp } of user.roles) {
    parts.push(
      item(
        ITEM_TYPE.roleSelection,
        uint16(sopClass.length),
        ascii(sopClass),
        Buffer.from([scu ? 1 : 0, scp ? 1 : 0]),
      ),
    )
  }
  for (const { sopClass, information } of user.extended ?? [])
    parts.push(
      item(ITEM_TYPE.extendedNegotiation, uint16(sopClass.length), ascii(sopClass), information),
    )
  if (user.implementationVersionName)
    parts.push(item(ITEM_TYPE.implementationVersionName, ascii(user.implementationVersionName)))
  return item(ITEM_TYPE.userInformation, ...parts)
}

function item(type: number, ...data: Buffer[]): Buffer {
  const body = Buffer.concat(data)
  const header = Buffer.from([type, 0, 0, 0])
  header.writeUInt16BE(body.length, 2)
  return Buffer.concat([header, body])
}

const ascii = (text: string): Buffer => Buffer.from(text, 'latin1')

function uint16(value: number): Buffer {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16BE(value)
  return bytes
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}
