import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { APPLICATION_CONTEXT, SOP_CLASS, TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import { MessageReader } from '#server/dicom/dimse/message.ts'
import { DEFAULT_LIMITS } from '#server/dicom/upper-layer/limits.ts'
import { needing } from '../support/needs.ts'
import { Requestor } from '../support/requestor.ts'
import { isNightly } from '../support/tier.ts'
import { exams, TODAY } from '../support/wild-partner.ts'
import {
  answerTo,
  close,
  gateway,
  named,
  open,
  partner,
  query,
  ROWS,
  unharmed,
} from './hostile-fixture.ts'

// Malformed, oversized and badly timed PDUs, written byte by byte and not by the gateway's encoder,
// and what PS3.8 allows as the answer. The same cases as those of the benchmark, which compares
// servers.

const BIG_BYTES = 50_000_000

/** PS3.8 §9.3: a PDU; its length field is what the body has. */
function pdu(type: number, body: Buffer = Buffer.alloc(0)): Buffer {
  const header = Buffer.alloc(6)
  header.writeUInt8(type)
  header.writeUInt32BE(body.length, 2)
  return Buffer.concat([header, body])
}

/** PS3.8 §9.3.2: an item or sub-item of A-ASSOCIATE. */
function item(type: number, ...data: (Buffer | string)[]): Buffer {
  const body = Buffer.concat(data.map((part) => Buffer.from(part)))
  const header = Buffer.from([type, 0, 0, 0])
  header.writeUInt16BE(body.length, 2)
  return Buffer.concat([header, body])
}

const context = (id: number, abstractSyntax: string, ...transferSyntaxes: string[]): Buffer => {
  const syntaxes =
    transferSyntaxes.length > 0 ? transferSyntaxes : [TRANSFER_SYNTAX.explicitLittleEndian]
  return item(
    0x20,
    Buffer.from([id, 0, 0, 0]),
    item(0x30, abstractSyntax),
    ...syntaxes.map((uid) => item(0x40, uid)),
  )
}

const [ECHO, FIND] = [1, 3]
const ECHO_ALONE = context(ECHO, SOP_CLASS.verification)
const BOTH: Buffer = Buffer.concat([ECHO_ALONE, context(FIND, SOP_CLASS.modalityWorklistFind)])
const USER: Buffer = item(
  0x50,
  item(0x51, Buffer.from([0, 0, 0x40, 0])),
  item(0x52, '2.25.197264083472901'),
)
/** A sub-item that says it is 65,520 bytes long. */
const tooLong = (type: number, data: Buffer | string) =>
  Buffer.concat([Buffer.from([type, 0, 0xff, 0xf0]), Buffer.from(data)])

function associateRq({
  called = 'ISTHMUS',
  contexts = BOTH,
  user = USER,
  version = 1,
  application = APPLICATION_CONTEXT,
} = {}): Buffer {
  const titles = Buffer.from(called.padEnd(16) + 'PROBE'.padEnd(16))
  return pdu(
    1,
    Buffer.concat([
      Buffer.from([0, version, 0, 0]),
      titles,
      Buffer.alloc(32),
      item(0x10, application),
      contexts,
      user,
    ]),
  )
}

/** PS3.8 §9.3.5.1; bits of the control: 1 command, 2 last fragment. */
function pdv(contextId: number, control: number, data: Buffer, length = data.length + 2): Buffer {
  const header = Buffer.from([0, 0, 0, 0, contextId, control])
  header.writeUInt32BE(length)
  return Buffer.concat([header, data])
}

const uint16 = (value: number) => Buffer.from([value & 0xff, value >> 8])

/** PS3.7 §6.3.1 and Annex E: a command set, in Implicit VR Little Endian. */
function command(
  field: number,
  sopClass: string,
  { hasDataSet = false, messageId = 1, groupLength = undefined as number | undefined } = {},
) {
  const element = (number: number, value: Buffer) => {
    const header = Buffer.alloc(8)
    header.writeUInt16LE(number, 2)
    header.writeUInt32LE(value.length, 4)
    return Buffer.concat([header, value])
  }
  const body = Buffer.concat([
    element(0x0002, Buffer.from(sopClass.length % 2 === 0 ? sopClass : `${sopClass}\0`)),
    element(0x0100, uint16(field)),
    element(field === 0x0fff ? 0x0120 : 0x0110, uint16(messageId)),
    ...(field === 0x0020 ? [element(0x0700, uint16(0))] : []),
    element(0x0800, uint16(hasDataSet ? 1 : 0x0101)),
  ])
  const length = Buffer.alloc(4)
  length.writeUInt32LE(groupLength ?? body.length)
  return Buffer.concat([element(0x0000, length), body])
}

const echoCommand = (options?: Parameters<typeof command>[2]) =>
  command(0x0030, SOP_CLASS.verification, options)
const echoRq = (contextId = ECHO, set = echoCommand()) => pdu(4, pdv(contextId, 3, set))
const findCommand = (messageId = 1) =>
  pdv(FIND, 3, command(0x0020, SOP_CLASS.modalityWorklistFind, { hasDataSet: true, messageId }))
const cancelRq = (messageId: number) =>
  pdu(4, pdv(FIND, 3, command(0x0fff, SOP_CLASS.modalityWorklistFind, { messageId })))
const RELEASE = pdu(5, Buffer.alloc(4))
const ABORT = pdu(7, Buffer.alloc(4))

function findRq(identifier: Buffer, { messageId = 1, fragment = 16_000 } = {}): Buffer {
  const pdus = [pdu(4, findCommand(messageId))]
  for (let at = 0; at < identifier.length; at += fragment)
    pdus.push(
      pdu(
        4,
        pdv(
          FIND,
          at + fragment >= identifier.length ? 2 : 0,
          identifier.subarray(at, at + fragment),
        ),
      ),
    )
  return Buffer.concat(pdus)
}

/** An element with a length field of four bytes (PS3.5 §7.1.2), which may lie about it. */
function element(
  group: number,
  number: number,
  vr: string,
  value: Buffer,
  length = value.length,
): Buffer {
  const header = Buffer.alloc(12)
  header.writeUInt16LE(group)
  header.writeUInt16LE(number, 2)
  header.write(vr, 4)
  header.writeUInt32LE(length, 8)
  return Buffer.concat([header, value])
}
const UNDEFINED_LENGTH = 0xffffffff
const OPENED = Buffer.concat([
  element(0x0040, 0x0100, 'SQ', Buffer.alloc(0), UNDEFINED_LENGTH),
  Buffer.from('feff00e0ffffffff', 'hex'),
])
const CLOSED = Buffer.from('feff0de000000000feffdde000000000', 'hex')
const NAME = Buffer.from('10001000504e0000', 'hex')

/** Ten of the rows. */
const narrow = () => query({}, { Modality: 'CT', ScheduledProcedureStepStartDate: TODAY })

interface Peer {
  readonly requestor: Requestor
  send(...bytes: Buffer[]): Peer
  /**
   * What the gateway does next: `0000 after 10` is a final response, with the pending ones before
   * it.
   */
  answer(waitMs?: number): Promise<string>
  /** The next response, a pending one too. */
  response(): Promise<string>
}

const opened: Requestor[] = []

async function connected(): Promise<Peer> {
  const requestor = await Requestor.connect(gateway.dimsePort)
  opened.push(requestor)
  const reader = new MessageReader({ ...DEFAULT_LIMITS, identifierBytes: 1 << 20 })
  const statuses: number[] = []
  async function response(waitMs = 60_000): Promise<string> {
    for (;;) {
      const [status] = statuses.splice(0, 1)
      if (status !== undefined) return status.toString(16).padStart(4, '0')
      const next = await Promise.race([requestor.next(), sleep(waitMs, undefined, { ref: false })])
      if (next?.type !== 'P-DATA-TF') return next ? named(next) : 'silence'
      for (const fragment of next.pdvs) {
        const message = reader.push(fragment)
        if (message) statuses.push(message.command.status ?? -1)
      }
    }
  }
  const peer: Peer = {
    requestor,
    response,
    send(...bytes) {
      requestor.send(Buffer.concat(bytes))
      return peer
    },
    async answer(waitMs) {
      for (let pending = 0; ; pending++) {
        const one = await response(waitMs)
        if (one !== 'ff00') return /^[0-9a-f]{4}$/.test(one) ? `${one} after ${pending}` : one
      }
    },
  }
  return peer
}

async function associated(contexts = BOTH): Promise<Peer> {
  const peer = (await connected()).send(associateRq({ contexts }))
  expect(await peer.answer()).toBe('A-ASSOCIATE-AC')
  return peer
}

/** What is said to bytes on a new connection, and on a new association. */
const said = async (...bytes: Buffer[]) => (await connected()).send(...bytes).answer()
const saidAfter = async (...bytes: Buffer[]) => (await associated()).send(...bytes).answer()

/** A byte each 100 ms for 3 s. */
async function dribble(peer: Peer): Promise<string> {
  for (let n = 0; n < 30; n++) {
    peer.send(Buffer.alloc(1))
    await sleep(100)
  }
  return await peer.answer(2000)
}

/** Starts the largest query and does something after its first response. */
async function cutOff(how: (peer: Peer) => void): Promise<string> {
  const peer = (await associated()).send(findRq(query()))
  expect(await peer.response()).toBe('ff00')
  how(peer)
  return 'sent'
}

const STATUS = '(?!0000)[0-9a-f]{4} after \\d+'
const matching = (...answers: string[]) => new RegExp(`^(${answers.join('|')})$`)
const ABORTED = 'A-ABORT \\d/\\d'
const REJECTED = 'A-ASSOCIATE-RJ \\d/\\d/\\d'
const ACCEPTED = 'A-ASSOCIATE-AC'
const GONE = 'closed|reset'
const ENDS_THE_REQUEST = matching(ABORTED, STATUS, '0000 after \\d+')

interface Case {
  readonly what: string
  readonly want: RegExp
  readonly play: () => Promise<string>
  /** It waits for 3 to 14 seconds: for the nightly run. */
  readonly isSlow?: true
}

const BEFORE_AN_ASSOCIATION: readonly Case[] = [
  {
    what: 'an A-ASSOCIATE-RQ of 4 GiB, a byte each 100 ms',
    want: matching(ABORTED, REJECTED, GONE, 'silence'),
    play: async () => dribble((await connected()).send(Buffer.from('0100ffffffff', 'hex'))),
    isSlow: true,
  },
  {
    what: '200 connections that send nothing',
    want: matching(ABORTED, REJECTED, GONE, 'silence'),
    play: async () => {
      const peers: Peer[] = []
      while (peers.length < 200) peers.push(await connected())
      await sleep(1000)
      return (await peers[0]?.answer(2000)) ?? ''
    },
    isSlow: true,
  },
  {
    what: '20 connections with half an A-ASSOCIATE-RQ each',
    want: matching(ABORTED, REJECTED, GONE, 'silence'),
    play: async () => {
      const bytes = associateRq()
      const peers: Peer[] = []
      while (peers.length < 20)
        peers.push((await connected()).send(bytes.subarray(0, bytes.length / 2)))
      return (await peers[0]?.answer(500)) ?? ''
    },
  },
  {
    what: 'an HTTP request',
    want: matching(ABORTED),
    play: () => said(Buffer.from('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')),
  },
  {
    what: 'a PDU of type FF',
    want: matching(ABORTED),
    play: () => said(pdu(0xff, Buffer.from('abcd'))),
  },
  { what: 'a P-DATA-TF first', want: matching(ABORTED), play: () => said(echoRq()) },
  { what: 'an A-RELEASE-RQ first', want: matching(ABORTED), play: () => said(RELEASE) },
  {
    what: '128 presentation contexts, the most there may be',
    want: matching('128 contexts'),
    play: async () => {
      const { implicitLittleEndian, explicitLittleEndian } = TRANSFER_SYNTAX
      const contexts = Array.from({ length: 128 }, (_, n) =>
        context(2 * n + 1, SOP_CLASS.verification, implicitLittleEndian, explicitLittleEndian),
      )
      const { requestor } = (await connected()).send(
        associateRq({ contexts: Buffer.concat(contexts) }),
      )
      const next = await requestor.next()
      return next.type === 'A-ASSOCIATE-AC'
        ? `${next.presentationContexts.length} contexts`
        : named(next)
    },
  },
  {
    what: '300 contexts, their ids even, odd and repeated',
    want: matching(ACCEPTED, REJECTED, ABORTED),
    play: () =>
      said(
        associateRq({
          contexts: Buffer.concat(
            Array.from({ length: 300 }, (_, n) => context(n % 256, SOP_CLASS.verification)),
          ),
        }),
      ),
  },
  {
    what: 'an abstract syntax of 60,000 bytes',
    want: matching(ACCEPTED, REJECTED, ABORTED),
    play: () => said(associateRq({ contexts: context(ECHO, '1.'.repeat(30_000)) })),
  },
  {
    what: 'a presentation context longer than the PDU',
    want: matching(REJECTED, ABORTED),
    play: () =>
      said(associateRq({ contexts: Buffer.alloc(0), user: tooLong(0x20, ECHO_ALONE.subarray(4)) })),
  },
  {
    what: 'a transfer syntax longer than its context',
    want: matching(REJECTED, ABORTED),
    play: () => {
      const syntax = tooLong(0x40, TRANSFER_SYNTAX.explicitLittleEndian)
      return said(
        associateRq({
          contexts: item(
            0x20,
            Buffer.from([1, 0, 0, 0]),
            item(0x30, SOP_CLASS.verification),
            syntax,
          ),
        }),
      )
    },
  },
  {
    what: 'user information longer than its item',
    want: matching(REJECTED, ABORTED),
    play: () =>
      said(associateRq({ user: item(0x50, tooLong(0x51, Buffer.from([0, 0, 0x40, 0]))) })),
  },
  {
    what: 'an A-ASSOCIATE-RQ of 4 bytes',
    want: matching(REJECTED, ABORTED),
    play: () => said(pdu(1, Buffer.from([0, 1, 0, 0]))),
  },
  {
    what: 'no presentation context',
    want: matching(ACCEPTED, REJECTED, ABORTED),
    play: () => said(associateRq({ contexts: Buffer.alloc(0) })),
  },
  {
    what: 'a protocol version without bit 0',
    want: matching('A-ASSOCIATE-RJ [12]/2/2'),
    play: () => said(associateRq({ version: 0 })),
  },
  {
    what: 'an unknown application context',
    want: matching('A-ASSOCIATE-RJ [12]/1/2'),
    play: () => said(associateRq({ application: '1.2.3.4' })),
  },
  {
    what: 'an unknown abstract syntax alone',
    want: matching('result 3', REJECTED),
    play: async () => {
      const { requestor } = (await connected()).send(
        associateRq({ contexts: context(ECHO, '1.2.3.4.5') }),
      )
      const next = await requestor.next()
      return next.type === 'A-ASSOCIATE-AC'
        ? `result ${next.presentationContexts[0]?.result}`
        : named(next)
    },
  },
  {
    what: 'another called AE title',
    want: matching(ACCEPTED, 'A-ASSOCIATE-RJ 1/1/7'),
    play: () => said(associateRq({ called: 'NOSUCHAE' })),
  },
]

const WITHIN_AN_ASSOCIATION: readonly Case[] = [
  {
    what: 'a PDU of type 99',
    want: matching(ABORTED),
    play: () => saidAfter(pdu(0x99, Buffer.from('abcd'))),
  },
  {
    what: 'a second A-ASSOCIATE-RQ',
    want: matching(ABORTED),
    play: () => saidAfter(associateRq()),
  },
  {
    what: 'a P-DATA-TF of 4 GiB, a byte each 100 ms',
    want: matching(ABORTED, GONE),
    play: async () =>
      dribble((await associated()).send(Buffer.from('0400fffffffffffffffb0103', 'hex'))),
    isSlow: true,
  },
  {
    what: 'a P-DATA-TF without a PDV, then a C-ECHO',
    want: matching(ABORTED, '0000 after 0'),
    play: () => saidAfter(pdu(4), echoRq()),
  },
  { what: 'a C-ECHO on context 99', want: matching(ABORTED), play: () => saidAfter(echoRq(99)) },
  {
    what: 'a PDV longer than its PDU',
    want: matching(ABORTED),
    play: () => saidAfter(pdu(4, pdv(ECHO, 3, Buffer.from('abcdef'), 5000))),
  },
  {
    what: 'a PDV too short for its own header',
    want: matching(ABORTED),
    play: () => saidAfter(pdu(4, pdv(ECHO, 3, Buffer.from('abcdef'), 1))),
  },
  {
    what: 'a C-ECHO whose group length is wrong',
    want: matching(ABORTED, STATUS, '0000 after 0'),
    play: () => saidAfter(echoRq(ECHO, echoCommand({ groupLength: 9999 }))),
  },
  {
    what: 'a command set that ends within an element',
    want: matching(ABORTED, STATUS),
    play: () => saidAfter(echoRq(ECHO, echoCommand().subarray(0, -2))),
  },
  {
    what: 'the command field 7777',
    want: matching(ABORTED, STATUS),
    play: () => saidAfter(echoRq(ECHO, command(0x7777, SOP_CLASS.verification))),
  },
  {
    what: '20 MB of fragments of a command, and never a last one',
    want: matching(ABORTED, GONE),
    play: async () => {
      const peer = await associated()
      const part = pdu(
        4,
        pdv(ECHO, 1, Buffer.alloc(16_000, Buffer.from('00000100020000000000', 'hex'))),
      )
      for (let n = 0; n < 1250; n++) peer.send(part)
      return peer.answer()
    },
  },
  {
    what: 'an identifier that ends within an element',
    want: matching(ABORTED, STATUS),
    play: () => saidAfter(findRq(query().subarray(0, -2))),
  },
  {
    what: 'an identifier with an element of 4 GiB',
    want: matching(ABORTED, STATUS),
    play: () =>
      saidAfter(
        findRq(
          Buffer.concat([query(), element(0x0041, 0x1000, 'OB', Buffer.alloc(0), 0xfffffff0)]),
        ),
      ),
  },
  {
    what: 'an identifier with a sequence 1000 levels deep',
    want: ENDS_THE_REQUEST,
    play: () => {
      const levels = (bytes: Buffer) => Array.from({ length: 1000 }, () => bytes)
      return saidAfter(findRq(Buffer.concat([NAME, ...levels(OPENED), ...levels(CLOSED)])))
    },
  },
  {
    what: 'a sequence without its delimiters',
    want: ENDS_THE_REQUEST,
    play: () =>
      saidAfter(
        findRq(
          Buffer.concat([NAME, OPENED, Buffer.from('0800600043530200', 'hex'), Buffer.from('CT')]),
        ),
      ),
  },
  {
    what: 'an identifier of 50 MB in 3000 fragments',
    want: ENDS_THE_REQUEST,
    play: () => {
      const creator = Buffer.from('110010004c4f060050524f424520', 'hex')
      return saidAfter(
        findRq(Buffer.concat([creator, element(0x0011, 0x1010, 'UN', Buffer.alloc(BIG_BYTES))])),
      )
    },
  },
  {
    what: 'an A-RELEASE-RQ where the identifier should come',
    want: matching(ABORTED, 'A-RELEASE-RP'),
    play: () => saidAfter(pdu(4, findCommand()), RELEASE),
  },
  {
    what: 'a C-CANCEL of nothing, then a C-ECHO',
    want: matching('0000 after 0'),
    play: () => saidAfter(cancelRq(4711), echoRq()),
  },
  {
    what: 'a C-CANCEL after the first response',
    want: matching('fe00 after \\d+', `0000 after ${ROWS - 1}`),
    play: async () => {
      const peer = (await associated()).send(findRq(query()))
      expect(await peer.response()).toBe('ff00')
      return peer.send(cancelRq(1)).answer()
    },
  },
  {
    what: 'two queries at once without negotiating it',
    want: matching('0000 after 10, 0000 after 10', `${ABORTED}, .*`),
    play: async () => {
      const peer = (await associated()).send(
        findRq(narrow(), { messageId: 1 }),
        findRq(narrow(), { messageId: 2 }),
      )
      return `${await peer.answer()}, ${await peer.answer()}`
    },
  },
  {
    what: 'an A-ABORT after the first response',
    want: matching('sent'),
    play: () => cutOff((peer) => peer.send(ABORT)),
  },
  {
    what: 'a TCP reset after the first response',
    want: matching('sent'),
    play: () => cutOff(({ requestor }) => requestor.reset()),
  },
  {
    what: 'a client that does not read for 5 seconds, then does',
    want: matching(`0000 after ${ROWS}`, ABORTED, GONE),
    play: async () => {
      const peer = (await associated()).send(findRq(query()))
      peer.requestor.pause()
      await sleep(5000)
      peer.requestor.resume()
      return peer.answer(60_000)
    },
    isSlow: true,
  },
  {
    what: '40 clients that do not read for 8 seconds',
    want: matching('sent'),
    play: async () => {
      for (let n = 0; n < 40; n++) (await associated()).send(findRq(query())).requestor.pause()
      await sleep(8000)
      return 'sent'
    },
    isSlow: true,
  },
  {
    what: '64 associations at once: each is served, or rejected for now',
    want: matching('64'),
    play: async () => {
      const peers: Peer[] = []
      while (peers.length < 64)
        peers.push((await connected()).send(associateRq({ contexts: ECHO_ALONE })))
      const outcome = async (peer: Peer) => {
        const answer = await peer.answer()
        return answer === 'A-ASSOCIATE-AC' ? peer.send(echoRq()).answer() : answer
      }
      const outcomes = await Promise.all(peers.map(outcome))
      expect(outcomes).toContain('0000 after 0')
      return String(
        outcomes.filter((one) => one === '0000 after 0' || one.startsWith('A-ASSOCIATE-RJ 2/'))
          .length,
      )
    },
  },
]

const UNUSUAL_BUT_RIGHT: readonly Case[] = [
  {
    what: 'one byte per write',
    want: matching('0000 after 0'),
    play: async () => {
      const peer = await connected()
      const each = async (bytes: Buffer) => {
        for (const byte of bytes) {
          peer.send(Buffer.from([byte]))
          await new Promise((resolve) => setImmediate(resolve))
        }
      }
      await each(associateRq())
      expect(await peer.answer()).toBe('A-ASSOCIATE-AC')
      await each(echoRq())
      return peer.answer()
    },
  },
  {
    what: 'command and identifier in one P-DATA-TF',
    want: matching('0000 after 10'),
    play: () => saidAfter(pdu(4, Buffer.concat([findCommand(), pdv(FIND, 2, narrow())]))),
  },
  {
    what: 'an identifier in fragments of 2 bytes',
    want: matching('0000 after 10'),
    play: () => saidAfter(findRq(narrow(), { fragment: 2 })),
  },
  {
    what: 'a query for everything',
    want: matching(`0000 after ${ROWS}`),
    play: () => saidAfter(findRq(query())),
  },
]

describe('the probe', needing('linux'), () => {
  beforeAll(async () => {
    await open()
    partner.sayItems(rows())
    // What happens at first use alone is no growth by a case.
    for (let n = 0; n < 2; n++) expect(await answerTo(query())).toBe(`0000 after ${ROWS}`)
  })
  afterEach(() => closeAll())
  afterAll(close)

  const played = ({ isSlow }: Case) => isNightly || !isSlow
  const play = async ({ want, play }: Case) => {
    const answer = await unharmed(async () => {
      try {
        return await play()
      } finally {
        await closeAll()
      }
    })
    expect(answer).toMatch(want)
  }
  it.each(BEFORE_AN_ASSOCIATION.filter(played))(
    'before an association: $what',
    { timeout: 60_000 },
    play,
  )
  it.each(WITHIN_AN_ASSOCIATION.filter(played))(
    'within an association: $what',
    { timeout: 60_000 },
    play,
  )
  it.each(UNUSUAL_BUT_RIGHT.filter(played))('unusual, but right: $what', { timeout: 60_000 }, play)
})

async function closeAll(): Promise<void> {
  for (const requestor of opened.splice(0)) await requestor[Symbol.asyncDispose]()
}

/** Ten CT among MR. */
function rows(): unknown[] {
  return exams(ROWS).map((exam, number) => {
    if (number % (ROWS / 10) !== 0) return exam
    const [step] = exam.ScheduledProcedureStepSequence as Record<string, unknown>[]
    return {
      ...exam,
      Modality: 'CT',
      ScheduledProcedureStepSequence: [{ ...step, Modality: 'CT' }],
    }
  })
}
