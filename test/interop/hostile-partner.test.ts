import { gzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { needing } from '../support/needs.ts'
import { exam, exams, type WildPartner } from '../support/wild-partner.ts'
import {
  answerTo,
  close,
  MOST_GROWTH_BY_PARTNER,
  open,
  partner,
  query,
  unharmed,
} from './hostile-fixture.ts'

const UNREACHABLE = 'a700 after 0: Worklist service unreachable, retry later'
const UNCACHED = { 'worklist.freshSeconds': 0, 'worklist.storedMinutes': 0 }

describe('a hostile partner', needing('linux'), () => {
  // No answer here is late: a busy machine may take as long as it likes for the large ones.
  beforeAll(() => open({ ...UNCACHED, 'worklist.budgetSeconds': 60 }))
  afterAll(close)
  beforeEach(() => partner.sayItems(exams(10)))
  afterEach(async () => {
    // Which also closes the circuit.
    partner.sayItems(exams(10))
    expect(await answerTo(query())).toBe('0000 after 10')
  })

  const INVALID = 'c002 after 0: Worklist answer invalid'
  const listOf = (items: string) => `{"authorized":true,"items":[${items}]}`

  it.each<[string, () => [string | Buffer, Record<string, string>?], string]>([
    [
      '30,000 items',
      () => [listOf(JSON.stringify(exams(30_000)).slice(1, -1))],
      'a700 after 10000: List cut at 10000, narrow the query',
    ],
    [
      'twenty million open arrays',
      () => [`{"authorized":true,"items":${'['.repeat(19 << 20)}`],
      INVALID,
    ],
    ['nine million numbers', () => [listOf(`${'1,'.repeat(9 << 20)}1`)], UNREACHABLE],
    [
      'three hundred thousand empty items',
      () => [listOf(`${'{},'.repeat(300_000)}{}`)],
      UNREACHABLE,
    ],
    [
      'an item of nine hundred thousand steps',
      () => [
        listOf(
          `{"StudyInstanceUID":"1.2","ScheduledProcedureStepSequence":[${'1,'.repeat(900_000)}1]}`,
        ),
      ],
      UNREACHABLE,
    ],
    [
      'strings of nine megabytes',
      () => [
        listOf(
          [
            exam(1),
            exam(2, { StudyDescription: 'x'.repeat(9 << 20) }),
            exam(3, { PatientName: 'y'.repeat(9 << 20) }),
          ]
            .map((item) => JSON.stringify(item))
            .join(),
        ),
      ],
      '0000 after 2',
    ],
    [
      'a letter with two million accents',
      () => [
        listOf(JSON.stringify(exam(1, { StudyDescription: `a${'\u0316\u0300'.repeat(1 << 20)}` }))),
      ],
      '0000 after 1',
    ],
    ['a gzip bomb of a gigabyte', () => [bomb(), { 'content-encoding': 'gzip' }], UNREACHABLE],
    [
      'an encoding that is a property of every object',
      () => ['x', { 'content-encoding': 'constructor' }],
      INVALID,
    ],
    ['NaN', () => [listOf('NaN')], INVALID],
    ['UTF-16', () => [Buffer.from(listOf(''), 'utf16le')], INVALID],
    [
      '__proto__ keys',
      () => [
        `{"__proto__":{"authorized":true},"authorized":true,"items":[{"__proto__":{"PatientName":"EVIL"}},${JSON.stringify(exam(1))}]}`,
      ],
      '0000 after 1',
    ],
    [
      'items of every type',
      () => [
        listOf(
          [
            null,
            1,
            'x',
            [],
            [[]],
            {},
            true,
            exam(1, { ScheduledProcedureStepSequence: { length: 1e9 } }),
            exam(2),
          ]
            .map((item) => JSON.stringify(item))
            .join(),
        ),
      ],
      '0000 after 1',
    ],
    [
      'identifiers that are no text, or numbers that lost digits',
      () => [
        listOf(
          `${JSON.stringify(exam(1)).replace('"PID000001"', '12345678901234567890')},${JSON.stringify(exam(2, { AccessionNumber: {} }))},${JSON.stringify(exam(3, { PatientID: 4711 }))}`,
        ),
      ],
      '0000 after 1',
    ],
    [
      'lone surrogates, NULs and line ends',
      () => [
        listOf(
          [
            exam(1, { PatientName: 'A\ud800B' }),
            exam(2, { PatientName: 'A\0\r\nB^\u202eX' }),
            exam(3, { PatientID: 'P\r\n1' }),
            exam(4, { StudyDescription: 'a\0b\r\nc\ud800d\\e' }),
          ]
            .map((item) => JSON.stringify(item))
            .join(),
        ),
      ],
      '0000 after 2',
    ],
  ])('says %s', async (_, said, answer) => {
    partner.sayText(...said())
    expect(await unharmed(() => answerTo(query()), MOST_GROWTH_BY_PARTNER)).toBe(answer)
  })

  it.each<[string, Parameters<WildPartner['say']>[0], string]>([
    [
      'spaces without end',
      (response) => {
        const more = () => {
          while (response.write(Buffer.alloc(65_536, 0x20)));
          response.once('drain', more)
        }
        more()
      },
      UNREACHABLE,
    ],
    [
      'a megabyte of headers',
      ({ socket }) => socket?.end(`HTTP/1.1 200 OK\r\n${'x: y\r\n'.repeat(170_000)}`),
      UNREACHABLE,
    ],
    ['no HTTP', ({ socket }) => socket?.end('SSH-2.0-OpenSSH\r\n\r\n'), INVALID],
    [
      'a redirect',
      (response) => response.writeHead(302, { location: 'http://169.254.169.254/' }).end(),
      UNREACHABLE,
    ],
    [
      'a second answer behind the first',
      ({ socket }) =>
        socket?.write(
          `HTTP/1.1 200 OK\r\ncontent-length: 30\r\n\r\n{"authorized":true,"items":[]}HTTP/1.1 200 OK\r\ncontent-length: 31\r\n\r\n{"authorized":false,"items":[]}`,
        ),
      '0000 after 0',
    ],
  ])('sends %s', async (_, said, answer) => {
    partner.say(said)
    expect(await unharmed(() => answerTo(query()), MOST_GROWTH_BY_PARTNER)).toBe(answer)
  })

  it('says 30,000 items to ten consoles at once', async () => {
    partner.sayItems(exams(30_000))
    const ten = Array.from({ length: 10 }, (_, number) => ({ callingAeTitle: `CT${number}` }))
    const said = await unharmed(
      () => Promise.all(ten.map((proposal) => answerTo(query(), proposal))),
      2 * MOST_GROWTH_BY_PARTNER,
    )
    expect([...new Set(said)]).toEqual(['a700 after 10000: List cut at 10000, narrow the query'])
  })
})

describe('a partner that takes its time', needing('linux'), () => {
  beforeAll(() => open({ ...UNCACHED, 'worklist.budgetSeconds': 1 }))
  afterAll(close)

  it.each<[string, Parameters<WildPartner['say']>[0]]>([
    [
      'a byte each 100 ms',
      (response) => {
        response.writeHead(200)
        const timer = setInterval(() => response.write(' '), 100)
        response.on('close', () => clearInterval(timer))
      },
    ],
    ['nothing', () => undefined],
  ])('sends %s, and the device is answered without it', async (_, said) => {
    partner.say(said)
    expect(await unharmed(() => answerTo(query()), MOST_GROWTH_BY_PARTNER)).toBe(UNREACHABLE)
  })
})

/**
 * 64 members of 16 MiB (RFC 1952 §2.2), which are one stream: it is made sooner than one member of
 * a gigabyte.
 */
const bomb = (): Buffer => {
  const member = gzipSync(Buffer.alloc(1 << 24), { level: 9 })
  return Buffer.concat(Array.from({ length: 64 }, () => member))
}
