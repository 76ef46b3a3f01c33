import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { deflateRawSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CODINGS } from '#server/dicom/data-set/coding.ts'
import {
  ask,
  identifierOf,
  type Keys,
} from '../electron/server/modules/worklist/worklist-fixture.ts'
import { needing } from '../support/needs.ts'
import { associated, associateRq, Requestor, WORKLIST_CONTEXT } from '../support/requestor.ts'
import { exams } from '../support/wild-partner.ts'
import {
  answerOn,
  answerTo,
  close,
  deflatedExplicitLittleEndian,
  explicitBigEndian,
  explicitLittleEndian,
  gateway,
  implicitLittleEndian,
  inSyntax,
  named,
  open,
  partner,
  query,
  ROWS,
  send,
  unharmed,
} from './hostile-fixture.ts'

describe('a hostile modality', needing('linux'), () => {
  beforeAll(async () => {
    await open({
      'worklist.freshSeconds': 300,
      'dimse.artimSeconds': 1,
      'dimse.maxAssociationsPerDevice': 100,
    })
    partner.sayItems(exams(ROWS))
    expect(await answerTo(query())).toBe(`0000 after ${ROWS}`)
    expect(await answerTo(query())).toBe(`0000 after ${ROWS}`)
  })
  afterAll(close)

  it('is heard however it cuts its identifier', async () => {
    const identifier = query({ PatientID: 'PID000007' })
    const { messages, cut } = cutter()
    const said = await unharmed(async () => {
      await using requestor = await associated(gateway.dimsePort)
      const answers = new Set<string>()
      for (let at = 0; at <= identifier.length; at++) {
        requestor.send(
          Buffer.concat([
            messages,
            cut(identifier.subarray(0, at), false),
            cut(identifier.subarray(at), true),
          ]),
        )
        const { identifiers, final } = await requestor.found()
        answers.add(`${final.status} ${identifiers.length}`)
      }
      return [...answers]
    })
    expect(said).toEqual(['0 1'])
  })

  it.each([
    implicitLittleEndian,
    explicitLittleEndian,
    explicitBigEndian,
    deflatedExplicitLittleEndian,
  ])('is told A900 whatever length it lies about, in %s', async (transferSyntax) => {
    const plain = plainIdentifier(transferSyntax)
    const isDeflated = transferSyntax === deflatedExplicitLittleEndian
    const lie = (at: number, by: number) => {
      const bytes = Buffer.from(plain)
      bytes[at] = by
      return isDeflated ? deflateRawSync(bytes) : bytes
    }
    const statuses = await unharmed(async () => {
      await using requestor = await associated(gateway.dimsePort, inSyntax(transferSyntax))
      const seen = new Set<string>()
      for (let at = 0; at < plain.length; at++)
        for (const by of [0x00, 0x7f, 0xff])
          seen.add((await answerOn(requestor, lie(at, by))).split(' ', 1)[0] ?? '')
      return seen
    })
    // Some lies are still a query; none is anything but understood or refused.
    expect([...statuses].sort()).toEqual(['0000', 'a900'])
  })

  it('is told A900 for a sequence that never ends, and for one too deep', async () => {
    const opened = Buffer.from('4000000153510000ffffffff', 'hex')
    const item = Buffer.from('feff00e0ffffffff', 'hex')
    const said = await unharmed(async () => [
      await answerTo(Buffer.concat([opened, item])),
      await answerTo(
        Buffer.concat(Array.from({ length: 5000 }, () => Buffer.concat([opened, item]))),
      ),
    ])
    expect(said).toEqual([
      'a900 after 0: Item without its end',
      'a900 after 0: Sequences more than 8 deep',
    ])
  })

  it('is told A900 for an identifier that inflates to 64 MiB', async () => {
    const bomb = deflateRawSync(Buffer.alloc(1 << 26), { level: 9 })
    expect(bomb.length).toBeLessThan(256 << 10)
    expect(await unharmed(() => answerTo(bomb, inSyntax(deflatedExplicitLittleEndian)))).toBe(
      'a900 after 0: Data set cannot be inflated',
    )
  })

  it('is told A900 for 600 elements', async () => {
    const elements = Array.from({ length: 600 }, (_, n) => {
      const bytes = Buffer.from('0000000055540000', 'hex')
      bytes.writeUInt16LE(0x0009, 0)
      bytes.writeUInt16LE(0x1000 + n, 2)
      return Buffer.concat([bytes, Buffer.alloc(4)])
    })
    expect(await unharmed(() => answerTo(Buffer.concat(elements)))).toBe(
      'a900 after 0: More than 512 elements',
    )
  })

  it.each<[string, Keys, string]>([
    ['*a*a*a… of 64 KiB', { PatientName: '*a'.repeat(32_000) }, '0000 after 0'],
    ['64 KiB of * between two letters', { PatientID: `P${'*'.repeat(65_000)}q` }, '0000 after 0'],
    ['*?*?*?… of 64 KiB', { PatientID: `${'*?'.repeat(32_000)}q` }, '0000 after 0'],
    [
      '64 KiB of spaces between two letters',
      { PatientName: `a${' '.repeat(65_000)}b` },
      '0000 after 0',
    ],
    [
      '64 KiB of carets before a letter',
      { PatientName: `\u00e4${'^'.repeat(65_000)}b` },
      '0000 after 0',
    ],
    ['16,000 component groups', { PatientName: 'a*b='.repeat(16_000) }, '0000 after 0'],
    [
      '9,000 identifiers',
      { PatientID: Array.from({ length: 9_000 }, (_, n) => `X${n}`).join('\\') },
      '0000 after 0',
    ],
    [
      '9,000 patterns',
      { PatientID: Array.from({ length: 9_000 }, (_, n) => `*${n}*b`).join('\\') },
      'a900 after 0: PatientID: more than 100 values',
    ],
    [
      '4,000 character sets',
      { SpecificCharacterSet: 'ISO 2022 IR 101\\'.repeat(4_000) },
      'a900 after 0: SpecificCharacterSet has more than 20 values',
    ],
  ])('gets its answer promptly for %s', async (_, keys, answer) => {
    expect(await unharmed(() => answerTo(query(keys)))).toBe(answer)
  })

  it('gets its answer for a quarter of a megabyte of spaces in one key', async () => {
    const identifier = identifierOf(
      { ...ask(), PatientComments: `a${' '.repeat(250_000)}b` },
      implicitLittleEndian,
    )
    expect(await unharmed(() => answerTo(identifier, inSyntax(implicitLittleEndian)))).toBe(
      `0000 after ${ROWS}`,
    )
  })

  it.each([
    ['HTML', '<b>CT</b>', 'A-ASSOCIATE-AC'],
    ['parts of a path', '../../etc/x', 'A-ASSOCIATE-AC'],
    ['a prototype', '__proto__', 'A-ASSOCIATE-AC'],
    ['a backslash', 'A\\B', 'A-ASSOCIATE-RJ 1/1/3'],
    ['control characters', 'A\x1b[2J\r\nB', 'A-ASSOCIATE-RJ 1/1/3'],
    ['letters of no AE title', 'R\u00d6NTGEN', 'A-ASSOCIATE-RJ 1/1/3'],
    ['nothing', '', 'A-ASSOCIATE-RJ 1/1/3'],
  ])(
    'with an AE title of %s is taken by its word or not at all',
    async (_, callingAeTitle, answer) => {
      const said = await unharmed(async () => {
        await using requestor = await Requestor.connect(gateway.dimsePort)
        requestor.sendPdu(associateRq({ callingAeTitle }))
        const pdu = await requestor.next()
        const rows =
          pdu.type === 'A-ASSOCIATE-AC'
            ? await answerOn(requestor, query({ PatientID: 'PID000007' }))
            : ''
        return `${named(pdu)} ${rows}`.trim()
      })
      expect(said).toBe(answer === 'A-ASSOCIATE-AC' ? `${answer} 0000 after 1` : answer)
    },
  )

  it('opens and drops 300 associations', async () => {
    await unharmed(async () => {
      for (let n = 0; n < 300; n++) (await associated(gateway.dimsePort)).reset()
    })
  })

  it.each<[string, (requestor: Requestor) => void]>([
    ['half-closes', (requestor) => requestor.halfClose()],
    ['aborts', (requestor) => requestor.abort()],
    ['resets', (requestor) => requestor.reset()],
    ['releases', (requestor) => requestor.sendPdu({ type: 'A-RELEASE-RQ' })],
  ])('%s in every phase', async (_, end) => {
    await unharmed(async () => {
      const phases: ((requestor: Requestor) => Promise<unknown> | unknown)[] = [
        () => undefined,
        (requestor) => requestor.sendPdu(associateRq()),
        (requestor) => requestor.associate(),
        async (requestor) => {
          await requestor.associate()
          requestor.sendFind(query())
        },
        async (requestor) => {
          await requestor.associate()
          requestor.sendFind(query())
          await requestor.message()
        },
        async (requestor) => {
          await requestor.associate()
          await requestor.find(query())
        },
      ]
      for (const phase of phases) {
        await using requestor = await Requestor.connect(gateway.dimsePort)
        await phase(requestor)
        end(requestor)
        await sleep(20)
      }
    })
  })

  it('storms with C-CANCEL, and the association goes on', async () => {
    const said = await unharmed(async () => {
      await using requestor = await associated(gateway.dimsePort)
      for (let n = 0; n < 20_000; n++) requestor.cancel(n & 0xffff)
      requestor.sendFind(query(), 7)
      for (let n = 0; n < 1000; n++) requestor.cancel(7)
      const { final } = await requestor.found()
      return [final.status === 0xfe00 || final.status === 0x0000, await requestor.echo(8)]
    })
    expect(said).toEqual([true, 0])
  })

  it('asks in 45 ways at once and reads none of the answers', async () => {
    await unharmed(async () => {
      const requestors: Requestor[] = []
      for (let n = 0; n < 45; n++) {
        const requestor = await associated(gateway.dimsePort, { maximumLength: 128 + n * 2 })
        requestor.sendFind(query({ PatientName: `D${'*'.repeat(n + 1)}` }))
        requestor.pause()
        requestors.push(requestor)
      }
      await sleep(2000)
      for (const requestor of requestors) requestor.reset()
    })
  })

  it('sends ahead 90 times ten identifiers of a quarter of a megabyte', async () => {
    const identifier = identifierOf(
      { ...ask({}, { Modality: 'XX' }), PatientComments: 'A'.repeat(250_000) },
      implicitLittleEndian,
    )
    partner.say(() => undefined)
    await unharmed(async () => {
      const requestors: Requestor[] = []
      for (let n = 0; n < 90; n++) {
        const requestor = await associated(gateway.dimsePort, {
          ...inSyntax(implicitLittleEndian),
          maximumLength: 0,
        })
        for (let id = 0; id < 10; id++) requestor.sendFind(identifier, id)
        requestors.push(requestor)
      }
      await sleep(2000)
      for (const requestor of requestors) requestor.reset()
    })
  })

  it('keeps 400 connections with all but the last byte of a long A-ASSOCIATE-RQ', async () => {
    const most = Buffer.alloc(6 + (120 << 10) - 1)
    most.writeUInt8(1)
    most.writeUInt32BE(120 << 10, 2)
    await unharmed(async () => {
      const sockets: Socket[] = []
      for (let n = 0; n < 400; n++) sockets.push(await send(gateway.dimsePort, most))
      await sleep(500)
      for (const socket of sockets) socket.destroy()
    })
  })

  it('is aborted for UIDs of 64 KiB of spaces, promptly', async () => {
    const uid = Buffer.from(`1${' '.repeat(65_000)}2`)
    const items = Array.from({ length: 3 }, () =>
      Buffer.concat([Buffer.from([0x10, 0, uid.length >> 8, uid.length & 255]), uid]),
    )
    const body = Buffer.concat([
      Buffer.from([0, 1, 0, 0]),
      Buffer.from('ISTHMUS'.padEnd(16) + 'X'.padEnd(16)),
      Buffer.alloc(32),
      ...items,
    ])
    const header = Buffer.alloc(6)
    header.writeUInt8(1)
    header.writeUInt32BE(body.length, 2)
    const said = await unharmed(async () => {
      await using requestor = await Requestor.connect(gateway.dimsePort)
      requestor.send(Buffer.concat([header, body]))
      return named(await requestor.next())
    })
    expect(said).toBe('A-ABORT 2/6')
  })

  it('is cut off where it asks for nothing within ARTIM', async () => {
    await using silent = await Requestor.connect(gateway.dimsePort)
    await using dribbling = await Requestor.connect(gateway.dimsePort)
    const timer = setInterval(() => dribbling.send(Buffer.from([1])), 100)
    const ends = await Promise.all([silent.next(), dribbling.next()])
    clearInterval(timer)
    expect(ends.map(named).every((end) => ['closed', 'reset', 'A-ABORT 2/6'].includes(end))).toBe(
      true,
    )
  })
})

/** A C-FIND-RQ's command as a P-DATA-TF, and fragments of its identifier as further ones. */
function cutter() {
  const command = Buffer.from(
    '000000000400000048000000' +
      '0000020016000000' +
      Buffer.from('1.2.840.10008.5.1.4.31').toString('hex') +
      '00000001020000002000' +
      '00001001020000000100' +
      '00000007020000000000' +
      '00000008020000000100',
    'hex',
  )
  const pdu = (control: number, data: Buffer) => {
    const header = Buffer.from([4, 0, 0, 0, 0, 0, 0, 0, 0, 0, WORKLIST_CONTEXT.id, control])
    header.writeUInt32BE(data.length + 6, 2)
    header.writeUInt32BE(data.length + 2, 6)
    return Buffer.concat([header, data])
  }
  return {
    messages: pdu(3, command),
    cut: (data: Buffer, isLast: boolean) => pdu(isLast ? 2 : 0, data),
  }
}

/** Nested sequences of defined lengths, before any deflation. */
function plainIdentifier(transferSyntax: string): Buffer {
  const keys = {
    PatientID: 'PID000007',
    ScheduledProcedureStepSequence: {
      Modality: '',
      ScheduledProtocolCodeSequence: { CodeValue: '' },
    },
  }
  return identifierOf(
    keys,
    CODINGS[transferSyntax]?.deflated ? explicitLittleEndian : transferSyntax,
  )
}
