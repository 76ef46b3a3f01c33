import {
  type CommandSet,
  readCommandSet,
  writeCommandSet,
} from '#server/dicom/dimse/command-set.ts'
import { type Message, MessageReader } from '#server/dicom/dimse/message.ts'
import { DEFAULT_LIMITS } from '#server/dicom/upper-layer/limits.ts'
import { type Pdu, PduFault, type Pdv } from '#server/dicom/upper-layer/pdu.ts'
import { PduReader } from '#server/dicom/upper-layer/pdu-reader.ts'
import { writePdu } from '#server/dicom/upper-layer/pdu-writer.ts'
import { perTier } from '../../support/tier.ts'
import { mutateBytes } from '../mutate.ts'
import { hashOf, piecesOf, type Random, randomOf } from '../random.ts'
import { hold, QUICK, same, type Target } from '../target.ts'

/** What a reader made of a stream of bytes. */
interface Reading {
  readonly pdus: readonly Pdu[]
  readonly messages: readonly Message[]
  /** Of what was no PDU, or no message. */
  readonly fault: string
}

/**
 * The bytes of a connection: PDUs, the messages in them and their command sets. However they are
 * cut, the same comes of them.
 */
export const pdu: Target = {
  name: 'pdu',
  ...QUICK,
  mostBytes: 200 << 10,
  testExecutions: perTier(300, 8000),
  open: () => ({
    mutate: (input, random, other) => mutatePdus(input, random, other),
    run(input) {
      const whole = readPieces([Buffer.from(input)])
      const cut = readPieces(piecesOf(input, randomOf(hashOf(input))))
      // A long PDU is handed on as it comes: what is before a fault in it is seen in pieces only,
      // and may be another fault.
      same('Whether there is a fault depends on the pieces', whole.fault !== '', cut.fault !== '')
      if (whole.fault === '') {
        same('The PDUs depend on the pieces', joined(whole.pdus), joined(cut.pdus))
        same('The messages depend on the pieces', whole.messages, cut.messages)
      }
      for (const read of whole.pdus) writtenAgain(read)
      for (const { command } of whole.messages) {
        const again = readCommandSet(writeCommandSet(command))
        // What we write of a comment is ASCII and short (PS3.7 C.4).
        same('A command set is another one when it is written', fieldsOf(again), fieldsOf(command))
      }
      const types = whole.pdus.slice(0, 4).map(({ type }) => type.slice(2))
      const fields = whole.messages
        .slice(0, 2)
        .map(({ command }) => command.commandField.toString(16))
      return [...types, ...fields, whole.fault].join(' ')
    },
  }),
}

function readPieces(pieces: readonly Buffer[]): Reading {
  const reader = new PduReader(DEFAULT_LIMITS)
  const messageReader = new MessageReader(DEFAULT_LIMITS)
  const pdus: Pdu[] = []
  const messages: Message[] = []
  let most = 0
  let fault = ''
  try {
    for (const piece of pieces) {
      reader.push(piece)
      most = Math.max(most, piece.length)
      for (let read = reader.next(); read; read = reader.next()) {
        pdus.push(read)
        if (read.type !== 'P-DATA-TF') continue
        for (const pdv of read.pdvs) {
          const message = messageReader.push(pdv)
          if (message) messages.push(message)
        }
      }
      const bound = 4 * (DEFAULT_LIMITS.associateBytes + most)
      hold(reader.heldBytes <= bound, () => `The reader holds ${reader.heldBytes} bytes`)
    }
  } catch (error) {
    if (!(error instanceof PduFault)) throw error
    fault = `fault ${error.reason} ${error.message.replace(/\d+/g, 'n')}`
  }
  return { pdus, messages, fault }
}

/**
 * P-DATA-TF one after the other as one, and fragments that go on in one: how many there were is
 * nobody's business.
 */
function joined(pdus: readonly Pdu[]): unknown[] {
  const out: unknown[] = []
  let pdvs: Pdv[] | undefined
  for (const read of pdus) {
    if (read.type !== 'P-DATA-TF') {
      pdvs = undefined
      out.push(read)
      continue
    }
    if (!pdvs) {
      pdvs = []
      out.push(pdvs)
    }
    for (const pdv of read.pdvs) {
      const last = pdvs.at(-1)
      const goesOn =
        last && !last.isLast && last.contextId === pdv.contextId && last.isCommand === pdv.isCommand
      if (goesOn) pdvs[pdvs.length - 1] = { ...pdv, data: Buffer.concat([last.data, pdv.data]) }
      else pdvs.push(pdv)
    }
  }
  return out
}

const fieldsOf = (command: CommandSet) =>
  Object.entries({ ...command, errorComment: '' }).sort(([one], [other]) => (one < other ? -1 : 1))

function writtenAgain(read: Pdu): void {
  const reader = new PduReader(DEFAULT_LIMITS)
  reader.push(writePdu(read))
  same('A PDU is another one when it is written', reader.next(), read)
  hold(
    reader.next() === undefined && reader.heldBytes === 0,
    'A PDU that was written leaves bytes behind',
  )
}

const uid = (text: string) => Buffer.from(text, 'latin1')
const TOKENS: readonly Buffer[] = [
  ...[
    '1.2.840.10008.3.1.1.1',
    '1.2.840.10008.1.1',
    '1.2.840.10008.1.2',
    '1.2.840.10008.1.2.1',
    '1.2.840.10008.5.1.4.31',
    '\0',
    ' ',
  ].map(uid),
  ...[
    '10000015',
    '20000010',
    '21000010',
    '30000011',
    '40000011',
    '50000010',
    '51000004',
    '52000010',
    '53000004',
    '54000010',
    '55000008',
    '58000010',
  ].map((hex) => Buffer.from(hex, 'hex')),
  ...[
    '010000000044',
    '020000000044',
    '030000000004',
    '040000000010',
    '050000000004',
    '060000000004',
    '070000000004',
  ].map((hex) => Buffer.from(hex, 'hex')),
  // Command sets: command field, message id, data set type, and titles that may be long.
  ...[
    '0000000104000000',
    '00000001020000002000',
    '00001001020000000100',
    '00000008020000000101',
    '0000000604000000',
    '0000301004000000',
  ].map((hex) => Buffer.from(hex, 'hex')),
  Buffer.alloc(2000, ' '),
]

/**
 * Changed bytes, of which now and then the length of the PDU or of the fragment is made right
 * again, so that what is inside is read.
 */
export function mutatePdus(input: Buffer, random: Random, other: () => Buffer): Buffer {
  const rules = { mostBytes: pdu.mostBytes, tokens: TOKENS, other }
  const bytes = mutateBytes(input, random, rules)
  const kind = random.below(6)
  if (kind === 0 && bytes.length >= 6) return withLength(bytes)
  if (kind === 1 && bytes.length >= 12) {
    const right = withLength(bytes)
    if (right[0] === 4) right.writeUInt32BE(right.length - 10, 6)
    return right
  }
  if (kind === 2) return asCommand(bytes.subarray(0, 60_000), random)
  if (kind === 3) return Buffer.concat([input, bytes]).subarray(0, rules.mostBytes)
  return bytes
}

function withLength(bytes: Buffer): Buffer {
  const right = Buffer.from(bytes)
  right.writeUInt32BE(right.length - 6, 2)
  return right
}

/** A command set of one or two elements, as a P-DATA-TF: the value of one of them is the bytes. */
function asCommand(value: Buffer, random: Random): Buffer {
  const field = Buffer.from('0000000102000000', 'hex')
  const element = Buffer.alloc(8)
  element.writeUInt16LE(
    random.of([0x0002, 0x0003, 0x0110, 0x0600, 0x0900, 0x0901, 0x0902, 0x1000, 0x1001, 0x1030]),
    2,
  )
  element.writeUInt32LE(value.length, 4)
  const command = Buffer.concat([
    field,
    Buffer.from([random.of([0x01, 0x20, 0x21, 0x30]), random.of([0, 0x80])]),
    element,
    value,
  ])
  const headers = Buffer.from('040000000000000000000103', 'hex')
  headers.writeUInt32BE(command.length + 6, 2)
  headers.writeUInt32BE(command.length + 2, 6)
  return Buffer.concat([headers, command])
}
