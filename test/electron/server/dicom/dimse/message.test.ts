import { describe, expect, it } from 'vitest'
import { writeCommandSet } from '#server/dicom/dimse/command-set.ts'
import { type Message, MessageReader, TOO_LONG, writeMessage } from '#server/dicom/dimse/message.ts'
import { PduFault, type Pdv } from '#server/dicom/upper-layer/pdu.ts'
import { PduReader } from '#server/dicom/upper-layer/pdu-reader.ts'

const LIMITS = { commandSetBytes: 1024, identifierBytes: 4096, drainedBytes: 16_384 }
const FIND = {
  commandField: 0x0020,
  affectedSopClassUid: '1.2.840.10008.5.1.4.31',
  messageId: 9,
  hasDataSet: true,
} as const
const ECHO = { commandField: 0x0030, messageId: 1, hasDataSet: false } as const

const command = (of: Parameters<typeof writeCommandSet>[0], more: Partial<Pdv> = {}): Pdv => ({
  contextId: 3,
  isCommand: true,
  isLast: true,
  data: writeCommandSet(of),
  ...more,
})
const data = (bytes: Buffer, isLast: boolean, contextId = 3): Pdv => ({
  contextId,
  isCommand: false,
  isLast,
  data: bytes,
})

function push(...pdvs: Pdv[]): Message[] {
  const reader = new MessageReader(LIMITS)
  return pdvs.flatMap((pdv) => reader.push(pdv) ?? [])
}

describe('messages from fragments', () => {
  it('are complete with the last fragment of their data set, byte for byte', () => {
    const bytes = Buffer.from(Array.from({ length: 1000 }, (_, i) => i & 0xff))
    const fragments = Array.from({ length: 1000 }, (_, i) =>
      data(bytes.subarray(i, i + 1), i === 999),
    )
    expect(push(command(FIND), ...fragments)).toEqual([
      { contextId: 3, command: FIND, dataSet: bytes },
    ])
  })

  it('are complete with their command where there is no data set, and the next may follow in the same PDU', () => {
    expect(
      push(command(ECHO), command(FIND), data(Buffer.from('xy'), true)).map(
        ({ command: { commandField } }) => commandField,
      ),
    ).toEqual([0x30, 0x20])
  })

  it('may have their command in pieces and empty fragments anywhere', () => {
    const bytes = writeCommandSet(FIND)
    const pieces = [
      command(FIND, { data: Buffer.alloc(0), isLast: false }),
      command(FIND, { data: bytes.subarray(0, 30), isLast: false }),
      command(FIND, { data: bytes.subarray(30) }),
      data(Buffer.alloc(0), false),
      data(Buffer.from('abcd'), false),
      data(Buffer.alloc(0), true),
    ]
    expect(push(...pieces)).toEqual([{ contextId: 3, command: FIND, dataSet: Buffer.from('abcd') }])
  })

  it('do not write into the bytes they came from', () => {
    const connection = Buffer.from('abcdefgh')
    push(command(FIND), data(connection.subarray(0, 2), false), data(Buffer.from('XY'), true))
    expect(connection.toString()).toBe('abcdefgh')
  })

  it('have a data set of their own, so that the bytes they came from may be used again', () => {
    const connection = Buffer.from('abcdefgh')
    const [message] = push(command(FIND), data(connection.subarray(0, 4), true))
    connection.fill(0)
    expect(message?.dataSet).toEqual(Buffer.from('abcd'))
  })

  it('know whether one is begun and not complete', () => {
    const reader = new MessageReader(LIMITS)
    expect(reader.isWithin).toBe(false)
    reader.push(command(FIND))
    expect(reader.isWithin).toBe(true)
    reader.push(data(Buffer.alloc(2), true))
    expect(reader.isWithin).toBe(false)
  })

  it('know the room of the data set being gathered', () => {
    const reader = new MessageReader(LIMITS)
    const rooms = [reader.gatheredBytes]
    for (const pdv of [
      command(FIND),
      data(Buffer.alloc(1000), false),
      data(Buffer.alloc(100), false),
      data(Buffer.alloc(4000), false),
    ]) {
      reader.push(pdv)
      rooms.push(reader.gatheredBytes)
    }
    reader.push(data(Buffer.alloc(2), true))
    reader.push(command(ECHO, { data: Buffer.alloc(2), isLast: false }))
    // Doubled when it grows, and nothing once it is over the limit; a command set is not counted.
    expect([...rooms, reader.gatheredBytes]).toEqual([undefined, 0, 1000, 2200, 0, undefined])
  })

  it('keep no more spare room than a sixteenth and 4 KiB', () => {
    const reader = new MessageReader({
      ...LIMITS,
      identifierBytes: 64 << 10,
      drainedBytes: 64 << 10,
    })
    const fragmentCapacity = (...lengths: number[]) => {
      reader.push(command(FIND))
      const message = lengths
        .map((length, i) => reader.push(data(Buffer.alloc(length), i === lengths.length - 1)))
        .at(-1)
      return (
        Buffer.isBuffer(message?.dataSet) && [
          message.dataSet.length,
          message.dataSet.buffer.byteLength,
        ]
      )
    }
    expect([fragmentCapacity(30_000, 26_000), fragmentCapacity(30_000, 3_000)]).toEqual([
      [56_000, 56_000],
      [33_000, 33_000],
    ])
    expect(fragmentCapacity(40_000, 18_000)).toEqual([58_000, 65_536])
  })

  it('have a data set over the limit only counted, up to the length that is drained', () => {
    const fragment = Buffer.alloc(4096)
    expect(push(command(FIND), data(fragment, true))[0]?.dataSet).toEqual(fragment)
    expect(
      push(command(FIND), data(fragment, false), data(Buffer.alloc(2), true))[0]?.dataSet,
    ).toBe(TOO_LONG)
    const most = [
      data(fragment, false),
      data(fragment, false),
      data(fragment, false),
      data(fragment, false),
    ]
    expect(() => push(command(FIND), ...most, data(Buffer.alloc(2), false))).toThrow(PduFault)
  })

  it.each([
    ['a data set before its command', [data(Buffer.alloc(2), true)]],
    ['a command within a data set', [command(FIND), command(ECHO)]],
    ['a fragment of another context', [command(FIND), data(Buffer.alloc(2), true, 5)]],
    ['a command set over the limit', [command(FIND, { data: Buffer.alloc(1026), isLast: false })]],
    ['a command set that is none', [command(FIND, { data: Buffer.alloc(3) })]],
  ])('are refused with %s', (_what, pdvs) => {
    expect(() => push(...pdvs)).toThrow(PduFault)
  })
})

describe('fragments from messages', () => {
  it.each([12, 13, 14, 128, 1001, 16_384, 0])(
    'obey a maximum length of %i, and are even',
    (maximumLength) => {
      const dataSet = Buffer.from(Array.from({ length: 2500 }, (_, i) => i & 0xff))
      const reader = new PduReader({ maxPduLength: 1 << 20, associateBytes: 0 })
      reader.push(writeMessage(3, FIND, dataSet, maximumLength))
      const pdvs: Pdv[] = []
      for (let pdu = reader.next(); pdu; pdu = reader.next()) {
        if (pdu.type !== 'P-DATA-TF') throw new Error(pdu.type)
        expect(pdu.pdvs).toHaveLength(1)
        pdvs.push(...pdu.pdvs)
      }
      const most = maximumLength === 0 ? Number.POSITIVE_INFINITY : maximumLength
      for (const pdv of pdvs) {
        expect(pdv.data.length + 6).toBeLessThanOrEqual(most)
        expect(pdv.data.length % 2).toBe(0)
      }
      expect(push(...pdvs)).toEqual([{ contextId: 3, command: FIND, dataSet }])
    },
  )

  it('of an empty data set are one, the last', () => {
    const reader = new PduReader({ maxPduLength: 65_536, associateBytes: 0 })
    reader.push(writeMessage(3, FIND, Buffer.alloc(0), 0))
    reader.next()
    expect(reader.next()).toEqual({ type: 'P-DATA-TF', pdvs: [data(Buffer.alloc(0), true)] })
  })
})
