import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { writeDataSet } from '#server/dicom/data-set/data-set.ts'
import { fileMeta } from '#server/dicom/data-set/file-meta.ts'
import { STORAGE_TRANSFER_SYNTAXES } from '#server/dicom/data-set/storage-uids.ts'
import { TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import { startStorescp } from '../support/archive.ts'
import { scratchFolder } from '../support/dcmtk.ts'
import { type StartedGateway, startGateway } from '../support/gateway.ts'
import {
  CT_IMAGE_STORAGE,
  type InstanceFile,
  imageDataSet,
  writeInstance,
} from '../support/instance-file.ts'
import { isThere, type Need, needs } from '../support/needs.ts'
import { dataSetOf, type Sample, samples } from '../support/samples.ts'
import {
  each,
  errorsOf,
  notDicom,
  onlyIn,
  outcomeOf,
  type Sendable,
  type Stored,
  samplesByLack,
  say,
  sendAsItIs,
  sendable,
  storedIn,
} from './storage-fixture.ts'

const PIXEL_DATA = 0x7fe00010
const ALL: readonly Need[] = ['samples', 'dcmtk', 'dicom3tools']
/**
 * highdicom wrote it in Implicit VR where JPEG has Explicit VR (PS3.5 A.4): DCMTK cannot read it
 * either.
 */
const MISCODED = 'SC_rgb_jpeg.dcm'
/** DCMTK sends no file whose end is missing. */
const TRUNCATED = ['MR_truncated.dcm', 'rtplan_truncated.dcm']
/** Their UIDs are in VR UN, where DCMTK looks for none. */
const UNKNOWN_VR = ['rtdose_rle.dcm', 'rtdose_rle_1frame.dcm']

// A gateway for each round of samples.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 60_000 })

const scratch = scratchFolder()
let byLack: Map<string, Sample[]>
let all: Sendable[]

beforeAll(() => {
  if (!isThere('samples')) return
  byLack = samplesByLack()
  all = sendable(byLack.get('') ?? [], scratch.path)
})
afterAll(() => scratch[Symbol.dispose]())

/**
 * The samples, each SOP Instance UID once in a round, and each round for a gateway of its own:
 * several samples are one object in several encodings, and the same content again changes nothing.
 */
function rounds(): Sendable[][] {
  const made: Sendable[][] = []
  for (const samplesOfUid of Map.groupBy(all, ({ sopInstanceUid }) => sopInstanceUid).values())
    for (const [round, sample] of samplesOfUid.entries()) {
      made[round] ??= []
      made[round].push(sample)
    }
  return made
}

const digest = ({ dataSet }: { readonly dataSet: Buffer }) => dataSet.toString('latin1')
const gateway = () =>
  startGateway({
    partner: null,
    devices: ['CT1', 'STORESCU', 'DCMSEND'].map((aeTitle) => ({ aeTitle })),
  })
const kept = ({ folder }: StartedGateway): Stored[] => storedIn(join(folder, 'images'))

describe('a sample that is a storage object', () => {
  it('is kept bit for bit, as DCMTK and pydicom read it, with no error of its own', async (context) => {
    needs(context, ...ALL)
    const refused: string[][] = []
    let checked = 0
    for (const round of rounds()) {
      await using started = await gateway()
      const results = await sendAsItIs(started.dimsePort, round)
      for (const result of results)
        if (outcomeOf(result) !== 'sent 0000')
          refused.push([result.instance.name, outcomeOf(result)])
      const sent = round.filter(({ name }) => name !== MISCODED)
      checked += sent.length

      const stored = kept(started)
      const byBytes = new Map(stored.map((file) => [digest(file), file]))
      expect(sent.filter((sample) => !byBytes.has(digest(sample))).map(({ name }) => name)).toEqual(
        [],
      )
      expect(stored).toHaveLength(sent.length)

      expect(await notDicom(stored.map(({ path }) => path))).toEqual([])
      const saidOf = ({
        transferSyntaxUid,
        sopClassUid,
        sopInstanceUid,
        studyInstanceUid,
        seriesInstanceUid,
      }: Sample) =>
        [transferSyntaxUid, sopClassUid, sopInstanceUid, studyInstanceUid, seriesInstanceUid].join(
          ' ',
        )
      const read = samples([join(started.folder, 'images')]).filter(
        ({ dataSetOffset }) => dataSetOffset > 0,
      )
      expect(new Set(read.map(saidOf))).toEqual(new Set(sent.map(saidOf)))

      const more = await each(sent, async (sample) => {
        const found = await errorsOf(byBytes.get(digest(sample))?.path ?? '')
        if (found.length === 0) return []
        const before = await errorsOf(sample.path)
        return found.filter((error) => !before.includes(error))
      })
      expect(more.flat()).toEqual([])
    }
    expect(refused).toEqual([
      [MISCODED, 'refused C000: Cannot understand: no SOP Class UID in the data set'],
    ])
    expect(checked).toBeGreaterThan(150)
  })

  it('is kept as storescp keeps it bit for bit, when storescu sends it in the transfer syntax it came in', async (context) => {
    needs(context, ...ALL)
    const refused: string[] = []
    const unchanged: string[] = []
    const sources = new Set(all.map(digest))
    for (const round of rounds()) {
      await using started = await gateway()
      await using archive = await startStorescp(['+B', '+xa', '+uf'])
      const refusedNow: string[] = []
      for (const [transferSyntaxUid, group] of Map.groupBy(
        round,
        (sample) => sample.transferSyntaxUid,
      )) {
        const profile = onlyIn(
          scratch.path,
          transferSyntaxUid,
          group.map(({ sopClassUid }) => sopClassUid),
        )
        const paths = group.map(({ path }) => path)
        for (const port of [archive.port, started.dimsePort]) {
          const words = [
            ...profile,
            '-nh',
            '-v',
            '-aet',
            'CT1',
            '127.0.0.1',
            String(port),
            ...paths,
          ]
          const { output } = await say('storescu', words)
          expect(answersIn(output).filter((answer) => answer !== 'Success')).toEqual([])
          if (port === started.dimsePort) refusedNow.push(...unsentIn(output, group))
        }
      }
      refused.push(...refusedNow)
      const reference = storedIn(archive.folder)
      expect(reference).toHaveLength(round.length - refusedNow.length)
      // By their names: a failure must not print megabytes of pixels.
      const known = new Set(kept(started).map(digest))
      expect(reference.filter((file) => !known.has(digest(file))).map(({ path }) => path)).toEqual(
        [],
      )
      expect(known.size).toBe(new Set(reference.map(digest)).size)
      unchanged.push(
        ...reference.filter((file) => sources.has(digest(file))).map(({ path }) => path),
      )
    }
    expect(refused.sort()).toEqual([...TRUNCATED, ...UNKNOWN_VR, MISCODED].sort())
    // The rest DCMTK writes anew before it sends them: group lengths, and deflated data sets.
    expect(unchanged.length).toBeGreaterThan(100)
  })

  it('is taken from dcmsend, which sends them all over one association', async (context) => {
    needs(context, ...ALL)
    const refused: string[] = []
    const unsent: string[] = []
    let compressed = 0
    for (const round of rounds()) {
      await using started = await gateway()
      const words = [
        '-v',
        '-dn',
        '-nuc',
        '-nh',
        '-aet',
        'DCMSEND',
        '127.0.0.1',
        String(started.dimsePort),
        ...round.map(({ path }) => path),
      ]
      const { output } = await say('dcmsend', words)
      refused.push(...answersIn(output).filter((answer) => answer !== 'Success'))
      unsent.push(...unsentIn(output, round))
      expect(Number(/Number of associations +: (\d+)/.exec(output)?.[1])).toBe(1)
      const stored = kept(started)
      expect(await notDicom(stored.map(({ path }) => path))).toEqual([])
      const known = stored.map(digest)
      // Uncompressed ones it turns into the syntax we prefer, and headers it writes anew;
      // compressed pixels have to be what they were.
      const ofRound = round.filter(
        ({ transferSyntaxUid, name }) =>
          /1\.2\.(4|5)/.test(transferSyntaxUid) && ![...UNKNOWN_VR, MISCODED].includes(name),
      )
      compressed += ofRound.length
      expect(
        ofRound
          .filter((sample) => !known.some((bytes) => bytes.includes(pixelsOf(sample))))
          .map(({ name }) => name),
      ).toEqual([])
    }
    // Without a SOP class in the command nothing can be kept (PS3.7 C.5.8).
    expect(refused).toEqual(UNKNOWN_VR.map(() => 'Refused: SOPClassNotSupported'))
    expect(unsent.sort()).toEqual([MISCODED, ...TRUNCATED].sort())
    expect(compressed).toBeGreaterThan(25)
  })
})

describe('a file that is no storage object is refused, and nothing of it is kept:', () => {
  const UIDS = { sopClassUid: CT_IMAGE_STORAGE, sopInstanceUid: '2.25.300.1' }

  it.for([
    ['no SOP UIDs', /^refused C000: Cannot understand: /],
    ['no DICOM file', /^refused (A900|C000): /],
    ['a DICOMDIR', /^failed: ISTHMUS offers none of the required services$/],
    ['no storage class of patients', /^failed: ISTHMUS offers none of the required services$/],
  ] as const)('%s', async ([lack, expected], context) => {
    needs(context, 'samples')
    await using started = await gateway()
    const lacking = byLack.get(lack) ?? []
    expect(lacking.length).toBeGreaterThan(5)
    const instances = lacking.map((sample, at) => {
      const path = join(scratch.path, `lacking-${at}`)
      writeFileSync(
        path,
        dataSetOf({ path: sample.path, dataSetOffset: Math.max(0, sample.dataSetOffset) }),
      )
      const uids =
        sample.sopClassUid === '' && lack !== 'a DICOMDIR'
          ? UIDS
          : { ...UIDS, sopClassUid: sample.sopClassUid || sample.metaSopClassUid }
      return {
        ...uids,
        path,
        dataSetOffset: 0,
        transferSyntaxUid: sample.transferSyntaxUid || TRANSFER_SYNTAX.explicitLittleEndian,
      }
    })
    const results = await sendAsItIs(started.dimsePort, instances)
    expect(results.map(outcomeOf).filter((outcome) => !expected.test(outcome))).toEqual([])
    expect(kept(started)).toEqual([])
    expect(storedIn(join(started.folder, 'spool'))).toEqual([])
  })
})

describe('an object in each transfer syntax that carries its own pixels', () => {
  /** Its pixels as fragments (PS3.5 A.4), where the syntax has them so. */
  function written(transferSyntaxUid: string, at: number): InstanceFile {
    const uids = { sopInstanceUid: `2.25.310.${at}`, sopClassUid: CT_IMAGE_STORAGE }
    const made = { ...uids, transferSyntaxUid }
    if (Object.values<string>(TRANSFER_SYNTAX).includes(transferSyntaxUid))
      return writeInstance(scratch.path, made)
    const header = writeDataSet(
      imageDataSet(made).filter(({ tag }) => tag !== PIXEL_DATA),
      TRANSFER_SYNTAX.explicitLittleEndian,
    )
    const item = (bytes: Buffer) =>
      Buffer.concat([Buffer.from('feff00e0', 'hex'), uint32(bytes.length), bytes])
    const pixels = Buffer.concat([
      ...[
        Buffer.from('e07f10004f420000ffffffff', 'hex'),
        item(Buffer.alloc(0)),
        item(Buffer.alloc(70_000, at)),
        item(Buffer.from('end.')),
      ],
      Buffer.from('feffdde000000000', 'hex'),
    ])
    const dataSet = Buffer.concat([header, pixels])
    const meta = fileMeta({ ...made, sourceAeTitle: 'CT1' })
    const path = join(scratch.path, `${made.sopInstanceUid}.dcm`)
    writeFileSync(path, Buffer.concat([meta, dataSet]))
    return { ...made, path, dataSetOffset: meta.length, dataSet }
  }

  it('is kept bit for bit, also in those DCMTK has no name for', async (context) => {
    needs(context, 'dcmtk')
    await using started = await gateway()
    const made = STORAGE_TRANSFER_SYNTAXES.map(written)
    expect((await sendAsItIs(started.dimsePort, made)).map(outcomeOf)).toEqual(
      made.map(() => 'sent 0000'),
    )
    const stored = kept(started)
    expect(new Set(stored.map(digest))).toEqual(new Set(made.map(digest)))
    expect(await notDicom(stored.map(({ path }) => path))).toEqual([])
  })

  it('comes from storescu in every one that DCMTK 3.6.7 can propose', async (context) => {
    needs(context, 'dcmtk')
    await using started = await gateway()
    const made = STORAGE_TRANSFER_SYNTAXES.map(written)
    const unsent = await each(made, async ({ transferSyntaxUid, path }) => {
      const words = [
        ...onlyIn(scratch.path, transferSyntaxUid, [CT_IMAGE_STORAGE]),
        '-v',
        '-aet',
        'CT1',
      ]
      const { output } = await say('storescu', [
        ...words,
        '127.0.0.1',
        String(started.dimsePort),
        path,
      ])
      return answersIn(output).join() === 'Success' ? [] : [transferSyntaxUid]
    })
    expect(unsent.flat()).toEqual(UNKNOWN_TO_DCMTK)
    expect(kept(started)).toHaveLength(made.length - UNKNOWN_TO_DCMTK.length)
  })
})

const JPEG = '1.2.840.10008.1.2.4.'
/** Encapsulated Uncompressed, HTJ2K, JPEG XL and the fragmentable forms of MPEG. */
const UNKNOWN_TO_DCMTK = [
  '1.2.840.10008.1.2.1.98',
  ...[
    '201',
    '202',
    '110',
    '203',
    '111',
    '112',
    '100.1',
    '101.1',
    '102.1',
    '103.1',
    '104.1',
    '105.1',
    '106.1',
  ].map((end) => `${JPEG}${end}`),
]

const uint32 = (number: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(number)
  return bytes
}

/** The items of encapsulated pixel data: what stands behind them DCMTK writes anew too. */
const pixelsOf = ({ dataSet }: Sendable): string =>
  dataSet
    .subarray(dataSet.lastIndexOf('e07f10004f', 'hex') + 12, dataSet.lastIndexOf('feffdde0', 'hex'))
    .toString('latin1')

/** What a DCMTK sender was answered, each response. */
const answersIn = (output: string): string[] =>
  [...output.matchAll(/Received (?:Store|C-STORE) Response \((.+)\)/g)].map(
    ([, answer]) => answer ?? '',
  )

/** Samples that a DCMTK sender says it did not send. */
const unsentIn = (output: string, found: readonly Sendable[]): string[] =>
  found
    .filter(({ path }) =>
      output
        .split('\n')
        .some((line) => line.startsWith('E:') && new RegExp(`: ${escaped(path)}(:|$)`).test(line)),
    )
    .map(({ name }) => name)

const escaped = (text: string): string => text.replace(/[.+*?()[\]\\]/g, '\\$&')
