// A client for queries and retrievals that does as little as it can, so that the server is what is
// measured.

import { once } from 'node:events'
import { connect } from 'node:net'
import { writeDataSet } from '../../electron/server/dicom/data-set/data-set.ts'
import { tagOf, vrOf } from '../../electron/server/dicom/data-set/dictionary.ts'
import { SOP_CLASS, TRANSFER_SYNTAX } from '../../electron/server/dicom/data-set/uids.ts'
import {
  COMMAND_FIELD,
  RESPONSE_BIT,
  readCommandSet,
} from '../../electron/server/dicom/dimse/command-set.ts'
import { writeMessage } from '../../electron/server/dicom/dimse/message.ts'
import { writePdu } from '../../electron/server/dicom/upper-layer/pdu-writer.ts'
import { associateRq } from '../../test/support/requestor.ts'

const CONTEXT = 1
const CT_CONTEXT = 3
const CT_IMAGE = '1.2.840.10008.5.1.4.1.1.2'
const P_DATA = 4
const MAXIMUM_LENGTH = 131_072
const PENDING = 0xff00
const SYNTAX = TRANSFER_SYNTAX.explicitLittleEndian

/** The data set of an identifier, from values by keyword. */
export function identifierOf(values) {
  const elements = Object.entries(values).map(([keyword, value]) => {
    const tag = tagOf(keyword)
    return { tag, vr: vrOf(tag), value: Buffer.from(value) }
  })
  return writeDataSet(
    elements.sort((a, b) => a.tag - b.tag),
    SYNTAX,
  )
}

/**
 * An association for one service.
 * @param {{ port: number, called: string, calling: string, service: string }} options service: a
 *   key of SOP_CLASS
 */
export async function associate({ port, called, calling, service }) {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  await once(socket, 'connect')
  const association = new Association(socket, SOP_CLASS[service])
  socket.write(
    writePdu(
      associateRq({
        ...{ calledAeTitle: called, callingAeTitle: calling, maximumLength: MAXIMUM_LENGTH },
        contexts: [
          { id: CONTEXT, abstractSyntax: SOP_CLASS[service], transferSyntaxes: [SYNTAX] },
          { id: CT_CONTEXT, abstractSyntax: CT_IMAGE, transferSyntaxes: [SYNTAX] },
        ],
        roles: [{ sopClass: CT_IMAGE, scu: true, scp: true }],
      }),
    ),
  )
  await association.accepted
  return association
}

class Association {
  #socket
  #sopClass
  #chunks = []
  #length = 0
  #accepted = Promise.withResolvers()
  #done = Promise.withResolvers()
  #messageId = 0
  #commands = []
  #received = { answers: 0, instances: 0, bytes: 0 }
  #toAnswer

  constructor(socket, sopClass) {
    this.#socket = socket
    this.#sopClass = sopClass
    socket.on('data', (chunk) => this.#take(chunk))
    const ended = () => {
      const error = new Error('The server ended the association.')
      this.#accepted.reject(error)
      this.#done.reject(error)
    }
    this.#done.promise.catch(() => undefined)
    socket.on('error', ended).on('close', ended)
  }

  get accepted() {
    return this.#accepted.promise
  }

  /** C-FIND to its end; how many answers came. */
  find(identifier) {
    return this.#request('C-FIND-RQ', identifier)
  }

  /** C-GET to its end; how many instances and bytes came. */
  get(identifier) {
    return this.#request('C-GET-RQ', identifier)
  }

  close() {
    this.#socket.destroy()
  }

  async #request(name, identifier) {
    this.#done = Promise.withResolvers()
    this.#received = { answers: 0, instances: 0, bytes: 0 }
    this.#messageId = (this.#messageId % 60_000) + 1
    const command = {
      commandField: COMMAND_FIELD[name],
      affectedSopClassUid: this.#sopClass,
      ...{ messageId: this.#messageId, priority: 0, hasDataSet: true },
    }
    this.#socket.write(writeMessage(CONTEXT, command, identifier, 16_384))
    const status = await this.#done.promise
    if (status !== 0) throw new Error(`${name} ended with status ${status.toString(16)}`)
    return this.#received
  }

  #take(chunk) {
    this.#chunks.push(chunk)
    this.#length += chunk.length
    for (;;) {
      if (this.#length < 6) return
      if (this.#chunks[0].length < 6) this.#chunks = [Buffer.concat(this.#chunks)]
      const size = 6 + this.#chunks[0].readUInt32BE(2)
      if (this.#length < size) return
      const whole = this.#chunks.length === 1 ? this.#chunks[0] : Buffer.concat(this.#chunks)
      this.#length -= size
      this.#chunks = this.#length > 0 ? [whole.subarray(size)] : []
      this.#pdu(whole.subarray(0, size))
    }
  }

  #pdu(pdu) {
    if (pdu[0] === 2) return this.#accepted.resolve()
    if (pdu[0] !== P_DATA) return void this.#socket.destroy()
    for (let at = 6; at < pdu.length; ) {
      const end = at + 4 + pdu.readUInt32BE(at)
      const flags = pdu[at + 5]
      this.#pdv(pdu.subarray(at + 6, end), (flags & 1) !== 0, (flags & 2) !== 0)
      at = end
    }
  }

  #pdv(data, isCommand, isLast) {
    if (isCommand) {
      this.#commands.push(data)
      if (!isLast) return
      const command = readCommandSet(Buffer.concat(this.#commands))
      this.#commands = []
      return this.#command(command)
    }
    this.#received.bytes += data.length
    if (isLast) this.#endOfDataSet()
  }

  #command(command) {
    if (command.commandField === COMMAND_FIELD['C-STORE-RQ']) {
      this.#toAnswer = command
      return
    }
    if (command.status === PENDING || command.status === 0xff01) {
      this.#received.answers += command.hasDataSet ? 1 : 0
      return
    }
    this.#done.resolve(command.status)
  }

  #endOfDataSet() {
    const stored = this.#toAnswer
    if (!stored) return
    this.#toAnswer = undefined
    this.#received.instances += 1
    const response = {
      commandField: COMMAND_FIELD['C-STORE-RQ'] | RESPONSE_BIT,
      affectedSopClassUid: stored.affectedSopClassUid,
      messageIdBeingRespondedTo: stored.messageId,
      affectedSopInstanceUid: stored.affectedSopInstanceUid,
      ...{ status: 0, hasDataSet: false },
    }
    this.#socket.write(writeMessage(CT_CONTEXT, response, undefined, 16_384))
  }
}
