import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { deflateRawSync, gzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { controlPath } from '#gateway/control.ts'
import { CODINGS } from '#gateway/dimse/coding.ts'
import type { Pdu } from '#gateway/dimse/pdu.ts'
import { TRANSFER_SYNTAX } from '#gateway/dimse/uids.ts'
import { ask, identifierOf, type Keys } from '../electron/gateway/worklist/worklist-fixture.ts'
import { type GatewayProcess, spawnGateway } from '../support/gateway-process.ts'
import { httpCall, OWN_PAGE } from '../support/http-call.ts'
import { needs } from '../support/needs.ts'
import { associated, associateRq, type Ended, type Proposal, Requestor, WORKLIST_CONTEXT } from '../support/requestor.ts'
import { exam, exams, openWildPartner, today, type WildPartner } from '../support/wild-partner.ts'

const ROWS = 5000
/** MiB: what `bench/probe.py` allows a hostile case. */
const MOST_GROWTH = 64
/** MiB: an answer of the 20 that a partner may send is there as bytes, as text and as rows while it is read, with what the network left behind. */
const MOST_GROWTH_BY_PARTNER = 128
const { explicitLittleEndian, implicitLittleEndian, explicitBigEndian, deflatedExplicitLittleEndian } = TRANSFER_SYNTAX

let partner: WildPartner
let gateway: GatewayProcess

/** True where a C-ECHO on an association of its own works within 5 s. */
async function echoes(): Promise<boolean> {
  const late = new AbortController()
  const echo = async () => {
    await using requestor = await associated(gateway.dimsePort, { callingAeTitle: 'ECHO' })
    return (await requestor.echo()) === 0
  }
  try {
    return await Promise.race([echo(), sleep(5000, false, { signal: late.signal })])
  } finally {
    late.abort()
  }
}

/** Does something hostile: the gateway answers echoes beside it and after it, lives, and takes little memory. */
async function unharmed<T>(work: () => Promise<T>, mostGrowth = MOST_GROWTH): Promise<T> {
  const result = Promise.withResolvers<T>()
  let isOver = false
  const growth = await gateway.growthDuring(async () => {
    const beside = (async () => {
      while (!isOver) {
        if (!(await echoes())) return false
        await sleep(50)
      }
      return true
    })()
    try {
      result.resolve(await work())
    } finally {
      isOver = true
    }
    expect(await beside).toBe(true)
  })
  expect(growth).toBeLessThan(mostGrowth)
  expect(gateway.isAlive).toBe(true)
  expect(await echoes()).toBe(true)
  return result.promise
}

/** `0000 after 5000 rows: comment`. */
async function answerTo(identifier: Buffer, proposal: Proposal = {}): Promise<string> {
  await using requestor = await associated(gateway.dimsePort, proposal)
  return await answerOn(requestor, identifier)
}

async function answerOn(requestor: Requestor, identifier: Buffer): Promise<string> {
  const { identifiers, final } = await requestor.find(identifier)
  const status = (final.status ?? -1).toString(16).padStart(4, '0')
  return `${status} after ${identifiers.length}${final.errorComment === undefined ? '' : `: ${final.errorComment}`}`
}

const inSyntax = (transferSyntax: string): Proposal => ({ contexts: [{ ...WORKLIST_CONTEXT, transferSyntaxes: [transferSyntax] }] })
const named = (pdu: Pdu | Ended): string =>
  pdu.type === 'A-ABORT'
    ? `A-ABORT ${pdu.source}/${pdu.reason}`
    : pdu.type === 'A-ASSOCIATE-RJ'
      ? `A-ASSOCIATE-RJ ${pdu.result}/${pdu.source}/${pdu.reason}`
      : pdu.type

const query = (keys: Keys = {}, step: Keys = {}): Buffer => identifierOf(ask(keys, step))

async function open(settings: Parameters<typeof spawnGateway>[0]['settings'] = {}): Promise<void> {
  partner = await openWildPartner()
  gateway = await spawnGateway({ partnerUrl: partner.url, settings })
}
async function close(): Promise<void> {
  // Nothing of it was an error of the gateway's own, and it still ends as it should.
  expect(gateway.log.filter((line) => /"level":(50|60|"error"|"fatal")/.test(line))).toEqual([])
  expect(await gateway.stop()).toBe(0)
  await gateway[Symbol.asyncDispose]()
  await partner[Symbol.asyncDispose]()
}

describe('the probe', () => {
  beforeAll(() => open())
  afterAll(close)

  it('passes every case of bench/probe.py', { timeout: 180_000 }, async (context) => {
    needs(context, 'bench', 'python')
    partner.sayItems(probeItems())
    const probe = new URL('../../../shared/bench/probe.py', import.meta.url).pathname
    const words = [probe, String(gateway.dimsePort), '--pid', String(gateway.pid), '--ae', 'ISTHMUS', '--n', String(ROWS), '--artim', '0']
    const run = spawn('python3', words, {
      stdio: ['ignore', 'pipe', 'ignore'],
      env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1', BENCH_DAY: today() },
    })
    let said = ''
    run.stdout.on('data', (chunk: Buffer) => (said += String(chunk)))
    await once(run, 'exit')
    expect(said.split('\n').filter((line) => line.includes('FAIL'))).toEqual([])
    expect(said).toContain('49 of 49 pass; started again 0 times')
  })
})

/** The rows of bench/partner_items.py: ten CT among MR. */
function probeItems(): unknown[] {
  return exams(ROWS).map((item, number) => {
    if (number % (ROWS / 10) !== 0) return item
    const [step] = item.ScheduledProcedureStepSequence as Record<string, unknown>[]
    return { ...item, Modality: 'CT', ScheduledProcedureStepSequence: [{ ...step, Modality: 'CT' }] }
  })
}

describe('a hostile modality', () => {
  beforeAll(async () => {
    await open({ 'worklist.freshSeconds': 300, 'dimse.artimSeconds': 1, 'dimse.maxAssociationsPerDevice': 100 })
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
        requestor.send(Buffer.concat([messages, cut(identifier.subarray(0, at), false), cut(identifier.subarray(at), true)]))
        const { identifiers, final } = await requestor.found()
        answers.add(`${final.status} ${identifiers.length}`)
      }
      return [...answers]
    })
    expect(said).toEqual(['0 1'])
  })

  it.each([implicitLittleEndian, explicitLittleEndian, explicitBigEndian, deflatedExplicitLittleEndian])(
    'is told A900 whatever length it lies about, in %s',
    async (transferSyntax) => {
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
          for (const by of [0x00, 0x7f, 0xff]) seen.add((await answerOn(requestor, lie(at, by))).split(' ', 1)[0] ?? '')
        return seen
      })
      // Some lies are still a query; none is anything but understood or refused.
      expect([...statuses].sort()).toEqual(['0000', 'a900'])
    },
  )

  it('is told A900 for a sequence that never ends, and for one too deep', async () => {
    const opened = Buffer.from('4000000153510000ffffffff', 'hex')
    const item = Buffer.from('feff00e0ffffffff', 'hex')
    const said = await unharmed(async () => [
      await answerTo(Buffer.concat([opened, item])),
      await answerTo(Buffer.concat(Array.from({ length: 5000 }, () => Buffer.concat([opened, item])))),
    ])
    expect(said).toEqual(['a900 after 0: Item without its end', 'a900 after 0: Sequences more than 8 deep'])
  })

  it('is told A900 for an identifier that inflates to 64 MiB', async () => {
    const bomb = deflateRawSync(Buffer.alloc(1 << 26), { level: 9 })
    expect(bomb.length).toBeLessThan(256 << 10)
    expect(await unharmed(() => answerTo(bomb, inSyntax(deflatedExplicitLittleEndian)))).toBe('a900 after 0: Data set cannot be inflated')
  })

  it('is told A900 for 600 elements', async () => {
    const elements = Array.from({ length: 600 }, (_, n) => {
      const bytes = Buffer.from('0000000055540000', 'hex')
      bytes.writeUInt16LE(0x0009, 0)
      bytes.writeUInt16LE(0x1000 + n, 2)
      return Buffer.concat([bytes, Buffer.alloc(4)])
    })
    expect(await unharmed(() => answerTo(Buffer.concat(elements)))).toBe('a900 after 0: More than 512 elements')
  })

  it.each<[string, Keys, string]>([
    ['*a*a*a… of 64 KiB', { PatientName: '*a'.repeat(32_000) }, '0000 after 0'],
    ['64 KiB of * between two letters', { PatientID: `P${'*'.repeat(65_000)}q` }, '0000 after 0'],
    ['*?*?*?… of 64 KiB', { PatientID: `${'*?'.repeat(32_000)}q` }, '0000 after 0'],
    ['64 KiB of spaces between two letters', { PatientName: `a${' '.repeat(65_000)}b` }, '0000 after 0'],
    ['64 KiB of carets before a letter', { PatientName: `\u00e4${'^'.repeat(65_000)}b` }, '0000 after 0'],
    ['16,000 component groups', { PatientName: 'a*b='.repeat(16_000) }, '0000 after 0'],
    ['9,000 identifiers', { PatientID: Array.from({ length: 9_000 }, (_, n) => `X${n}`).join('\\') }, '0000 after 0'],
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
    const identifier = identifierOf({ ...ask(), PatientComments: `a${' '.repeat(250_000)}b` }, implicitLittleEndian)
    expect(await unharmed(() => answerTo(identifier, inSyntax(implicitLittleEndian)))).toBe(`0000 after ${ROWS}`)
  })

  it.each([
    ['HTML', '<b>CT</b>', 'A-ASSOCIATE-AC'],
    ['parts of a path', '../../etc/x', 'A-ASSOCIATE-AC'],
    ['a prototype', '__proto__', 'A-ASSOCIATE-AC'],
    ['a backslash', 'A\\B', 'A-ASSOCIATE-RJ 1/1/3'],
    ['control characters', 'A\x1b[2J\r\nB', 'A-ASSOCIATE-RJ 1/1/3'],
    ['letters of no AE title', 'R\u00d6NTGEN', 'A-ASSOCIATE-RJ 1/1/3'],
    ['nothing', '', 'A-ASSOCIATE-RJ 1/1/3'],
  ])('with an AE title of %s is taken by its word or not at all', async (_, callingAeTitle, answer) => {
    const said = await unharmed(async () => {
      await using requestor = await Requestor.connect(gateway.dimsePort)
      requestor.sendPdu(associateRq({ callingAeTitle }))
      const pdu = await requestor.next()
      const rows = pdu.type === 'A-ASSOCIATE-AC' ? await answerOn(requestor, query({ PatientID: 'PID000007' })) : ''
      return `${named(pdu)} ${rows}`.trim()
    })
    expect(said).toBe(answer === 'A-ASSOCIATE-AC' ? `${answer} 0000 after 1` : answer)
  })

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
    const identifier = identifierOf({ ...ask({}, { Modality: 'XX' }), PatientComments: 'A'.repeat(250_000) }, implicitLittleEndian)
    partner.say(() => undefined)
    await unharmed(async () => {
      const requestors: Requestor[] = []
      for (let n = 0; n < 90; n++) {
        const requestor = await associated(gateway.dimsePort, { ...inSyntax(implicitLittleEndian), maximumLength: 0 })
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
    const items = Array.from({ length: 3 }, () => Buffer.concat([Buffer.from([0x10, 0, uid.length >> 8, uid.length & 255]), uid]))
    const body = Buffer.concat([Buffer.from([0, 1, 0, 0]), Buffer.from('ISTHMUS'.padEnd(16) + 'X'.padEnd(16)), Buffer.alloc(32), ...items])
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
    expect(ends.map(named).every((end) => ['closed', 'reset', 'A-ABORT 2/6'].includes(end))).toBe(true)
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
  return { messages: pdu(3, command), cut: (data: Buffer, isLast: boolean) => pdu(isLast ? 2 : 0, data) }
}

/** Nested sequences of defined lengths, before any deflation. */
function plainIdentifier(transferSyntax: string): Buffer {
  const keys = {
    PatientID: 'PID000007',
    ScheduledProcedureStepSequence: { Modality: '', ScheduledProtocolCodeSequence: { CodeValue: '' } },
  }
  return identifierOf(keys, CODINGS[transferSyntax]?.deflated ? explicitLittleEndian : transferSyntax)
}

async function send(port: number, bytes: Buffer | string): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1' })
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  socket.write(bytes)
  return socket
}

describe('a hostile partner', () => {
  beforeAll(async () => {
    await open({ 'worklist.freshSeconds': 0, 'worklist.storedMinutes': 0, 'worklist.budgetSeconds': 8 })
  })
  afterAll(close)
  beforeEach(() => partner.sayItems(exams(10)))
  afterEach(async () => {
    // Which also closes the circuit.
    partner.sayItems(exams(10))
    expect(await answerTo(query())).toBe('0000 after 10')
  })

  const UNREACHABLE = 'a700 after 0: Worklist service unreachable, retry later'
  const INVALID = 'c002 after 0: Worklist answer invalid'
  const listOf = (items: string) => `{"authorized":true,"items":[${items}]}`

  it.each<[string, () => [string | Buffer, Record<string, string>?], string]>([
    ['30,000 items', () => [listOf(JSON.stringify(exams(30_000)).slice(1, -1))], 'a700 after 10000: List cut at 10000, narrow the query'],
    ['twenty million open arrays', () => [`{"authorized":true,"items":${'['.repeat(19 << 20)}`], INVALID],
    ['nine million numbers', () => [listOf(`${'1,'.repeat(9 << 20)}1`)], UNREACHABLE],
    ['three hundred thousand empty items', () => [listOf(`${'{},'.repeat(300_000)}{}`)], UNREACHABLE],
    [
      'an item of nine hundred thousand steps',
      () => [listOf(`{"StudyInstanceUID":"1.2","ScheduledProcedureStepSequence":[${'1,'.repeat(900_000)}1]}`)],
      UNREACHABLE,
    ],
    [
      'strings of nine megabytes',
      () => [
        listOf(
          [exam(1), exam(2, { StudyDescription: 'x'.repeat(9 << 20) }), exam(3, { PatientName: 'y'.repeat(9 << 20) })]
            .map((item) => JSON.stringify(item))
            .join(),
        ),
      ],
      '0000 after 2',
    ],
    [
      'a letter with two million accents',
      () => [listOf(JSON.stringify(exam(1, { StudyDescription: `a${'\u0316\u0300'.repeat(1 << 20)}` })))],
      '0000 after 1',
    ],
    ['a gzip bomb of a gigabyte', () => [gzipSync(Buffer.alloc(1 << 30), { level: 9 }), { 'content-encoding': 'gzip' }], UNREACHABLE],
    ['an encoding that is a property of every object', () => ['x', { 'content-encoding': 'constructor' }], INVALID],
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
          [null, 1, 'x', [], [[]], {}, true, exam(1, { ScheduledProcedureStepSequence: { length: 1e9 } }), exam(2)]
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
      'a byte each 100 ms',
      (response) => {
        response.writeHead(200)
        const timer = setInterval(() => response.write(' '), 100)
        response.on('close', () => clearInterval(timer))
      },
      UNREACHABLE,
    ],
    ['nothing', () => undefined, UNREACHABLE],
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
    ['a megabyte of headers', ({ socket }) => socket?.end(`HTTP/1.1 200 OK\r\n${'x: y\r\n'.repeat(170_000)}`), UNREACHABLE],
    ['no HTTP', ({ socket }) => socket?.end('SSH-2.0-OpenSSH\r\n\r\n'), INVALID],
    ['a redirect', (response) => response.writeHead(302, { location: 'http://169.254.169.254/' }).end(), UNREACHABLE],
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
    const said = await unharmed(() => Promise.all(ten.map((proposal) => answerTo(query(), proposal))), 2 * MOST_GROWTH_BY_PARTNER)
    expect([...new Set(said)]).toEqual(['a700 after 10000: List cut at 10000, narrow the query'])
  })
})

describe('a hostile browser and a hostile program on this PC', () => {
  beforeAll(() => open())
  afterAll(close)
  const port = () => Number(new URL(gateway.http).port)

  it('sends requests that never end, and others are answered beside them', async () => {
    const said = await unharmed(async () => {
      const sockets: Socket[] = []
      for (let n = 0; n < 100; n++) {
        sockets.push(await send(port(), 'GET / HTTP/1.1\r\nHost: localhost\r\nX-A: '))
        const body = 'POST /dashboard/session HTTP/1.1\r\nHost: localhost\r\nSec-Fetch-Site: same-origin\r\nX-Isthmus-Csrf: 1\r\n'
        const length = 1 << 20
        sockets.push(
          await send(port(), `${body}Content-Type: application/json\r\nContent-Length: ${length}\r\n\r\n${' '.repeat(length - 1)}`),
        )
      }
      const { status } = await httpCall(`${gateway.http}/dashboard/session`)
      for (const socket of sockets) socket.destroy()
      return status
    })
    expect(said).toBe(200)
  })

  it('sends a body that is too large', async () => {
    const { status } = await unharmed(() =>
      httpCall(`${gateway.http}/dashboard/session`, {
        method: 'POST',
        headers: { ...OWN_PAGE, 'content-type': 'application/json' },
        body: Buffer.alloc(64 << 10, 0x20),
      }),
    )
    expect(status).toBe(413)
  })

  it.each([
    'rebound.example',
    'rebound.example:8042',
    'localhost.rebound.example',
    '127.0.0.1.rebound.example',
    'localhost@rebound.example',
    '0x7f000001',
    '169.254.169.254',
    '[::ffff:10.0.0.1]',
    ' ',
  ])('calls us %s (DNS rebinding)', async (host) => {
    const [status, page] = await unharmed(async () => [
      (await httpCall(`${gateway.http}/dashboard/session`, { headers: { host } })).status,
      (await httpCall(`${gateway.http}/`, { headers: { host } })).status,
    ])
    expect([status, page]).toEqual([421, 421])
  })

  it('fills the control socket slowly, and with more than a command', async () => {
    const path = controlPath(gateway.folder)
    const opened = async (bytes: Buffer | string): Promise<Socket> => {
      const socket = connect(path)
      socket.on('error', () => undefined)
      await once(socket, 'connect')
      socket.write(bytes)
      return socket
    }
    const said = await unharmed(async () => {
      const slow = await Promise.all(Array.from({ length: 20 }, () => opened('{"command":')))
      const long = await opened(Buffer.alloc(8 << 20, 0x20))
      const socket = await opened('{"command":"config get","arguments":["dimse.aeTitle"]}\n')
      const [reply] = (await once(socket, 'data')) as [Buffer]
      for (const one of [...slow, long, socket]) one.destroy()
      return JSON.parse(String(reply)) as unknown
    })
    expect(said).toEqual({ ok: true, output: '"ISTHMUS"' })
  })
})
