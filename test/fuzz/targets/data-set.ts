import { deflateRawSync } from 'node:zlib'
import type { DataSet, Element } from '#server/dicom/data-set/coding.ts'
import {
  type DataSetLimits,
  IDENTIFIER_LIMITS,
  readDataSet,
  vrOf,
  writeDataSet,
} from '#server/dicom/data-set/data-set.ts'
import { DataSetStream } from '#server/dicom/data-set/data-set-stream.ts'
import { fileMeta } from '#server/dicom/data-set/file-meta.ts'
import {
  HEADER_LIMITS,
  HeaderReader,
  type HeaderResult,
  textOf,
  type Wanted,
} from '#server/dicom/data-set/header-reader.ts'
import { TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import { VR } from '#server/dicom/data-set/vr.ts'
import { DimseError } from '#server/dicom/dimse/status.ts'
import { SlicePool } from '#server/dicom/upper-layer/slice-pool.ts'
import { perTier } from '../../support/tier.ts'
import { DATA_SET_TOKENS, type Form, mutateDataSet } from '../mutate-data-set.ts'
import { hashOf, piecesOf, type Random, randomOf } from '../random.ts'
import { hold, QUICK, same, type Target } from '../target.ts'
import { lookAt } from './viewed.ts'

/** How the bytes after the first one, which chooses, are written. */
interface Writing extends Form {
  readonly transferSyntax: string
  /**
   * They are deflated before they are read, so that what is changed is the data set and not the
   * stream.
   */
  readonly isDeflatedHere: boolean
}

const {
  implicitLittleEndian,
  explicitLittleEndian,
  explicitBigEndian,
  deflatedExplicitLittleEndian,
} = TRANSFER_SYNTAX
const explicit = { explicit: true, bigEndian: false, isDeflatedHere: false }
const WRITINGS: readonly Writing[] = [
  { ...explicit, transferSyntax: explicitLittleEndian },
  { ...explicit, transferSyntax: implicitLittleEndian, explicit: false },
  { ...explicit, transferSyntax: explicitBigEndian, bigEndian: true },
  { ...explicit, transferSyntax: deflatedExplicitLittleEndian, isDeflatedHere: true },
  { ...explicit, transferSyntax: deflatedExplicitLittleEndian },
]

/** What devices' images are read for, in any sequence of the top. */
const WANTED: readonly Wanted[] = [
  ...[
    0x00080016, 0x00080018, 0x00080050, 0x00100010, 0x00100020, 0x0020000d, 0x0020000e, 0x00280010,
  ],
  { sequence: 0x00081111, tags: [0x00081155, 0x0020000d] },
  { sequence: 0x00400275, tags: [0x0020000d, 0x00400009] },
]
const NAMED = WANTED.filter((tag) => typeof tag === 'number')
const SEQUENCES = WANTED.flatMap((wanted) => (typeof wanted === 'number' ? [] : wanted.sequence))

/** Data sets: whole, while they stream by, and as a file that is looked at. */
export const dataSet: Target = {
  name: 'data-set',
  ...QUICK,
  mostBytes: 300 << 10,
  testExecutions: perTier(250, 6000),
  open: () => ({
    mutate(input, random, other) {
      const bytes = Buffer.from(
        mutated(input.subarray(1), random, writingOf(input), () => other().subarray(1)),
      )
      return Buffer.concat([random.isOnce(12) ? random.bytes(1) : input.subarray(0, 1), bytes])
    },
    async run(input) {
      const writing = writingOf(input)
      const plain = input.subarray(1)
      const bytes = writing.isDeflatedHere ? deflateRawSync(plain, { level: 1 }) : plain
      const random = randomOf(hashOf(input))
      const read = readWhole(bytes, writing.transferSyntax)
      const header = readHeader(bytes, writing.transferSyntax, random)
      if (typeof read !== 'string') {
        agree(read, header, writing)
        if (!read.some(isTornOpen)) writtenAgain(read, writing)
      }
      await streamed(bytes, random)
      if (random.isOnce(4)) lookAtFile(bytes, writing.transferSyntax, random)
      return `${typeof read === 'string' ? read : 'read'} ${header.fault?.replace(/\(.*|\d+/g, '') ?? 'header'} ${header.reachedPixelData}`
    },
  }),
}

const writingOf = (input: Buffer): Writing => WRITINGS[(input[0] ?? 0) % WRITINGS.length] as Writing

const mutated = (bytes: Buffer, random: Random, writing: Writing, other: () => Buffer): Buffer =>
  mutateDataSet(bytes, random, writing, {
    mostBytes: dataSet.mostBytes,
    tokens: DATA_SET_TOKENS,
    other,
  })

/** The data set, or the comment it is refused with. */
function readWhole(
  bytes: Buffer,
  transferSyntax: string,
  limits: DataSetLimits = IDENTIFIER_LIMITS,
): DataSet | string {
  try {
    return readDataSet(bytes, transferSyntax, limits)
  } catch (error) {
    if (!(error instanceof DimseError)) throw error
    const { status, errorComment = '' } = error.result
    hold(
      status === 0xa900 && /^[ -[\]-~]{1,64}$/.test(errorComment),
      `It is refused with ${status.toString(16)} “${errorComment}”`,
    )
    return errorComment.replace(/\d+/g, 'n')
  }
}

/** The header in one piece and in many: the same. */
function readHeader(bytes: Buffer, transferSyntax: string, random: Random): HeaderResult {
  const whole = headerOf([bytes], transferSyntax)
  const cut = headerOf(piecesOf(bytes, random), transferSyntax)
  // A stream that is damaged behind its header is refused or not by how much of it was there at
  // once: no piece of it is trusted further.
  const isDamaged = transferSyntax === deflatedExplicitLittleEndian && whole.fault !== undefined
  if (!isDamaged) same('The header depends on the pieces', told(whole), told(cut))
  return whole
}

function headerOf(pieces: readonly Buffer[], transferSyntax: string): HeaderResult {
  const reader = new HeaderReader(transferSyntax, WANTED)
  for (const piece of pieces) {
    const own = Buffer.from(piece)
    reader.push(own)
    // It keeps no view of what it was given.
    own.fill(0xa5)
  }
  return reader.end()
}

function told(header: HeaderResult): unknown {
  const { fault, isCut, reachedPixelData, characterSet } = header
  const values = NAMED.map((tag) => [
    header.get(tag)?.toString('hex'),
    header.vrOf(tag),
    textOf(header, tag, ['ISO_IR 100']),
  ])
  const within = WANTED.map((wanted) => {
    if (typeof wanted === 'number') return undefined
    const item = header.first(wanted.sequence)
    return item && [item.characterSet, ...wanted.tags.map((tag) => item.get(tag)?.toString('hex'))]
  })
  return { fault, isCut, reachedPixelData, characterSet, values, within }
}

/**
 * Both readers find the same, where the strict one has nothing against the data set and its
 * elements came in order.
 */
function agree(
  read: DataSet,
  header: HeaderResult,
  { isDeflatedHere, transferSyntax }: Writing,
): void {
  if (header.fault !== undefined) {
    // What the one puts in order, or allows deeper, the other need not; but a sound small data set
    // is sound to both.
    hold(
      transferSyntax === deflatedExplicitLittleEndian || isDeflatedHere || read.some(isOdd),
      () => `The header of a sound data set is refused: ${header.fault}`,
    )
    return
  }
  if (read.some(isOdd)) return
  for (const tag of NAMED) {
    const element = read.find((one) => one.tag === tag)
    if (
      !element ||
      !Buffer.isBuffer(element.value) ||
      element.value.length > HEADER_LIMITS.valueBytes
    )
      continue
    const found = header.get(tag)
    // Behind a tag above the last wanted one it is not looked for: the data set was not in order.
    if (found)
      same('Two readers find two values', found.toString('hex'), element.value.toString('hex'))
  }
}

/**
 * What the reader of headers sees otherwise: pixels, where it ends, what is not known by its VR, a
 * text where it looks for a sequence.
 */
const isOdd = ({ tag, vr, value }: Element): boolean =>
  tag >= 0x7fe00000 ||
  vr === 'UN' ||
  tag < 0x00080000 ||
  (SEQUENCES.includes(tag) && Buffer.isBuffer(value))

/**
 * A text that is too long for its VR travels as UN, and UN of what the dictionary has as a sequence
 * is read as one (PS3.5 §6.2.2).
 */
const isTornOpen = ({ tag, value }: Element): boolean =>
  Buffer.isBuffer(value)
    ? value.length > 0xfffe && vrOf(tag) === 'SQ'
    : value.some((item) => item.some(isTornOpen))

const LIMITS: DataSetLimits = { elements: 1 << 16, depth: 64, bytes: 4 << 20 }

/** Written in each transfer syntax that tells its VRs, and in its own, it is read as the same. */
function writtenAgain(read: DataSet, { transferSyntax }: Writing): void {
  const syntaxes = new Set([
    transferSyntax,
    explicitLittleEndian,
    explicitBigEndian,
    deflatedExplicitLittleEndian,
  ])
  for (const syntax of syntaxes) {
    const again = readWhole(writeDataSet(read, syntax), syntax, LIMITS)
    hold(
      typeof again !== 'string',
      () => `What was written cannot be read in ${syntax}: ${String(again)}`,
    )
    same(`A data set is another one when it is written in ${syntax}`, plainOf(again), plainOf(read))
  }
}

/**
 * Without group lengths, odd values padded; a value that is too long for its VR travels as UN
 * (PS3.5 §6.2.2).
 */
const plainOf = (elements: DataSet): unknown =>
  elements
    .filter(({ tag }) => (tag & 0xffff) !== 0)
    .map(({ tag, vr, value }) => {
      if (!Buffer.isBuffer(value)) return [tag, 'SQ', (value as readonly DataSet[]).map(plainOf)]
      const padded =
        value.length % 2 === 0 ? value : Buffer.concat([value, Buffer.from([VR.get(vr)?.pad ?? 0])])
      return [tag, padded.length > 0xffff ? '' : vr, padded.toString('hex')]
    })

/** A data set on its way to the disk is what came, however it came. */
async function streamed(bytes: Buffer, random: Random): Promise<void> {
  const slice = random.of([16, 100, 4096, 128 << 10])
  const pool = new SlicePool(slice, 2)
  const stream = new DataSetStream(pool, slice, () => undefined)
  const pieces = piecesOf(bytes, random)
  const taken: Buffer[] = []
  const taking = (async () => {
    for await (const slices of stream.fragments)
      for (const one of slices) {
        taken.push(Buffer.from(one))
        pool.give(one)
      }
  })()
  for (const [index, piece] of pieces.entries()) {
    stream.push(piece)
    if (index % 50 === 0) await undefined
  }
  stream.end()
  await taking
  hold(
    Buffer.concat(taken).equals(bytes) && stream.receivedBytes === bytes.length,
    'A streamed data set is not what came',
  )
}

function lookAtFile(bytes: Buffer, transferSyntaxUid: string, random: Random): void {
  const meta = fileMeta({
    sopClassUid: '1.2.840.10008.5.1.4.1.1.4',
    sopInstanceUid: '2.25.3',
    transferSyntaxUid,
    sourceAeTitle: '',
  })
  const file = Buffer.concat([meta, bytes])
  lookAt(
    file,
    [meta.length, random.below(file.length + 1), random.below(file.length + 1)].sort(
      (one, other) => one - other,
    ),
  )
}
