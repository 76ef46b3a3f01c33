import { describe, expect, it } from 'vitest'
import { type Pdu, PduFault } from '#server/dicom/upper-layer/pdu.ts'
import { PduReader } from '#server/dicom/upper-layer/pdu-reader.ts'

const LIMITS = { maxPduLength: 65_536, associateBytes: 1 << 20 }

/** Bytes from annotated hex: what follows a # is for the reader. */
const hex = (text: string): Buffer =>
  Buffer.from(text.replace(/#.*$/gm, '').replace(/\s/g, ''), 'hex')
const ascii = (text: string): string => Buffer.from(text, 'latin1').toString('hex')

const FIXED = `
  0001 0000                             # protocol version, reserved
  ${ascii('ISTHMUS'.padEnd(16))}        # called AE title
  ${ascii('  CT1'.padEnd(16, '\0'))}    # calling AE title, padded in both of the wrong ways
  ${'00'.repeat(32)}                    # reserved
`
const APPLICATION = `10 00 0015 ${ascii('1.2.840.10008.3.1.1.1')}`
const CONTEXT = `
  20 00 0034 03 00 00 00                            # presentation context 3
    30 00 0016 ${ascii('1.2.840.10008.5.1.4.31')}   #   abstract syntax
    40 00 0012 ${ascii('1.2.840.10008.1.2\0')}      #   transfer syntax, padded
`
const USER = `
  50 00 0042                                        # user information
    51 00 0004 00004000                             #   maximum length 16384
    52 00 0006 ${ascii('2.25.1')}                   #   implementation class UID
    53 00 0004 0000 0001                            #   asynchronous operations: any invoked, 1 performed
    54 00 0015 0011 ${ascii('1.2.840.10008.1.1')} 01 00   # role selection: SCU
    55 00 0004 ${ascii('TEST')}                     #   implementation version name
    59 00 0003 010203                               #   something newer than this reader
`

function pdu(type: number, ...parts: string[]): Buffer {
  const body = hex(parts.join('\n'))
  const header = Buffer.from([type, 0, 0, 0, 0, 0])
  header.writeUInt32BE(body.length, 2)
  return Buffer.concat([header, body])
}

function read(bytes: Buffer, limits = LIMITS): Pdu[] {
  const reader = new PduReader(limits)
  reader.push(bytes)
  return all(reader)
}

function all(reader: PduReader): Pdu[] {
  const pdus: Pdu[] = []
  for (let next = reader.next(); next; next = reader.next()) pdus.push(next)
  return pdus
}

function fault(bytes: Buffer): PduFault {
  try {
    read(bytes)
  } catch (error) {
    if (error instanceof PduFault) return error
    throw error
  }
  throw new Error('nothing was wrong')
}

const RQ = pdu(1, FIXED, APPLICATION, CONTEXT, USER)
const DATA = pdu(4, '00000006 03 03 01020304', '00000002 05 00', '00000004 05 02 0506')

describe('reading PDUs', () => {
  it('reads an A-ASSOCIATE-RQ with every item we know, and passes over the one we do not', () => {
    expect(read(RQ)).toEqual([
      {
        type: 'A-ASSOCIATE-RQ',
        protocolVersion: 1,
        calledAeTitle: 'ISTHMUS',
        callingAeTitle: 'CT1',
        applicationContext: '1.2.840.10008.3.1.1.1',
        presentationContexts: [
          {
            id: 3,
            abstractSyntax: '1.2.840.10008.5.1.4.31',
            transferSyntaxes: ['1.2.840.10008.1.2'],
          },
        ],
        user: {
          maximumLength: 16_384,
          implementationClassUid: '2.25.1',
          implementationVersionName: 'TEST',
          asynchronousOperations: { invoked: 0, performed: 1 },
          roles: [{ sopClass: '1.2.840.10008.1.1', scu: true, scp: false }],
        },
      },
    ])
  })

  it('reads the PDVs of a P-DATA-TF, an empty one too', () => {
    expect(read(DATA)).toEqual([
      {
        type: 'P-DATA-TF',
        pdvs: [
          { contextId: 3, isCommand: true, isLast: true, data: hex('01020304') },
          { contextId: 5, isCommand: false, isLast: false, data: hex('') },
          { contextId: 5, isCommand: false, isLast: true, data: hex('0506') },
        ],
      },
    ])
  })

  it('reads the small ones', () => {
    const bytes = Buffer.concat([
      pdu(3, '00 01 02 02'),
      pdu(5, '00000000'),
      pdu(6, '00000000'),
      pdu(7, '00 00 02 06'),
    ])
    expect(read(bytes)).toEqual([
      { type: 'A-ASSOCIATE-RJ', result: 1, source: 2, reason: 2 },
      { type: 'A-RELEASE-RQ' },
      { type: 'A-RELEASE-RP' },
      { type: 'A-ABORT', source: 2, reason: 6 },
    ])
  })

  it('reads the same PDUs wherever the stream is cut', () => {
    const stream = Buffer.concat([RQ, DATA, DATA, pdu(5, '00000000')])
    const whole = read(stream)
    expect(whole).toHaveLength(4)
    for (let cut = 1; cut < stream.length; cut++) {
      const reader = new PduReader(LIMITS)
      reader.push(Buffer.from(stream.subarray(0, cut)))
      const first = all(reader)
      reader.push(Buffer.from(stream.subarray(cut)))
      expect([...first, ...all(reader)]).toEqual(whole)
    }
  })

  it('reads the same PDUs byte by byte, and leaves those it gave untouched', () => {
    const stream = Buffer.concat([RQ, DATA, DATA])
    const reader = new PduReader(LIMITS)
    const pdus: Pdu[] = []
    for (const byte of stream) {
      reader.push(Buffer.from([byte]))
      pdus.push(...all(reader))
    }
    expect(pdus).toEqual(read(stream))
  })
})

describe('a peer that does not tell its maximum length', () => {
  it.each([
    ['no user information', ''],
    ['none in its user information', '50 00 0000'],
  ])('is taken for one of 16384: %s', (_what, user) => {
    expect(read(pdu(1, FIXED, APPLICATION, CONTEXT, user))).toMatchObject([
      { user: { maximumLength: 16_384 } },
    ])
  })
})

describe('refusing what is no PDU', () => {
  it('knows an unknown type at its first byte', () => {
    expect(fault(Buffer.from('G')).reason).toBe(1)
    expect(fault(hex('00')).reason).toBe(1)
    expect(fault(hex('08')).reason).toBe(1)
  })

  it.each([
    ['A-ASSOCIATE-RQ', hex('01 00 ffffffff')],
    ['A-ASSOCIATE-RQ a byte over the limit', hex('01 00 00100001')],
    ['P-DATA-TF', hex('04 00 ffffffff')],
    ['A-RELEASE-RQ', hex('05 00 00000041')],
    ['A-ABORT', hex('07 00 00010000')],
  ])('refuses an unbelievable length by the header alone: %s', (_what, bytes) => {
    expect(fault(bytes).reason).toBe(6)
  })

  it('waits for a P-DATA-TF of the length that was announced', () => {
    expect(read(hex('04 00 00010000'))).toEqual([])
  })

  it.each([
    ['shorter than its fixed part', pdu(1, '0001 0000')],
    ['an item past the end', pdu(1, FIXED, APPLICATION, '20 00 fff0 03000000')],
    ['an item header past the end', pdu(1, FIXED, APPLICATION, '20 00')],
    ['a context without its fixed part', pdu(1, FIXED, APPLICATION, '20 00 0002 0300')],
    ['a sub-item past its context', pdu(1, FIXED, APPLICATION, '20 00 0008 03000000 40 00 fff0')],
    ['a user sub-item past its item', pdu(1, FIXED, APPLICATION, '50 00 0006 51 00 fff0 0000')],
    ['a short maximum length', pdu(1, FIXED, '50 00 0006 51 00 0002 4000')],
    ['a maximum length without room', pdu(1, FIXED, '50 00 0008 51 00 0004 0000000b')],
    ['a short asynchronous operations window', pdu(1, FIXED, '50 00 0006 53 00 0002 0001')],
    ['a role selection past its end', pdu(1, FIXED, '50 00 0008 54 00 0004 0011 0000')],
    ['an even context id', pdu(1, FIXED, APPLICATION, '20 00 0004 02000000')],
    ['a context id twice', pdu(1, FIXED, APPLICATION, CONTEXT, CONTEXT)],
    ['a UID of 65 characters', pdu(1, FIXED, `10 00 0041 ${ascii('1'.repeat(65))}`)],
    ['a result that is none', pdu(2, FIXED, '21 00 0004 03000500')],
    ['a PDV of one byte', pdu(4, '00000001 01')],
    ['a PDV past the end', pdu(4, '00001388 01 03 6162')],
    ['a PDV header past the end', pdu(4, '00000002')],
    ['a short A-ASSOCIATE-RJ', pdu(3, '0001')],
  ])('refuses a lie within: %s', (_what, bytes) => {
    expect(fault(bytes).reason).toBe(6)
  })

  it('takes an A-ABORT and an A-RELEASE-RQ of any small length: their senders mean it', () => {
    expect(read(Buffer.concat([pdu(5), pdu(7)]))).toEqual([
      { type: 'A-RELEASE-RQ' },
      { type: 'A-ABORT', source: 0, reason: 0 },
    ])
  })
})

describe('a long P-DATA-TF', () => {
  const image = Buffer.from(Array.from({ length: 30_000 }, (_, i) => i % 249))
  const pdvOf = (control: number, data: Buffer) => {
    const header = Buffer.from([0, 0, 0, 0, 7, control])
    header.writeUInt32BE(data.length + 2)
    return Buffer.concat([header, data])
  }
  const bytes = Buffer.concat([
    pdvOf(0, image.subarray(0, 20_000)),
    pdvOf(0, Buffer.alloc(0)),
    pdvOf(2, image.subarray(20_000)),
  ])
  const whole = Buffer.concat([
    hex('04 00'),
    Buffer.from(Uint32Array.of(bytes.length).buffer).swap32(),
    bytes,
    hex('05 00 00000004 00000000'),
  ])

  it.each([1, 5, 6, 7, 997, 16_384, 30_018])('comes as its bytes come, in pieces of %i', (size) => {
    const reader = new PduReader(LIMITS)
    const data: Buffer[] = []
    const ends: number[] = []
    let received = 0
    let last: Pdu | undefined
    for (let at = 0; at < whole.length; at += size) {
      reader.push(whole.subarray(at, at + size))
      for (const pdu of all(reader)) {
        last = pdu
        if (pdu.type !== 'P-DATA-TF') continue
        for (const pdv of pdu.pdvs) {
          expect([pdv.contextId, pdv.isCommand]).toEqual([7, false])
          data.push(pdv.data)
          received += pdv.data.length
          if (pdv.isLast) ends.push(received)
        }
      }
    }
    expect(Buffer.concat(data).equals(image)).toBe(true)
    expect(ends).toEqual([image.length])
    expect(last).toEqual({ type: 'A-RELEASE-RQ' })
    expect(reader.heldBytes).toBe(0)
  })

  it('is refused as soon as one of its PDVs is longer than what holds it, or its end is no PDV', () => {
    const long = Buffer.concat([hex('04 00 00002000'), hex('00002000 01 00')])
    expect(() => read(long)).toThrow(PduFault)
    const reader = new PduReader(LIMITS)
    reader.push(Buffer.concat([hex('04 00 00001003'), pdvOf(0, Buffer.alloc(4090))]))
    expect(() => reader.next()).toThrow(/ends within a PDV/)
  })
})
