import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readFileMeta } from '#server/dicom/data-set/file-meta.ts'
import { inflatedFile } from '#server/dicom/data-set/inflated-file.ts'
import { ViewedFileFault } from '#server/dicom/pixel-data/viewed-file.ts'
import { samples } from '../../support/samples.ts'
import { perTier } from '../../support/tier.ts'
import { mutateBytes } from '../mutate.ts'
import { DATA_SET_TOKENS, mutateDataSet } from '../mutate-data-set.ts'
import { hashOf, randomOf } from '../random.ts'
import { hold, QUICK, type Target } from '../target.ts'
import { lookAt } from './viewed.ts'

/** Larger samples are of pixels for the most part. */
const MOST_SAMPLE = 96 << 10
const INFLATED_BYTES = 4 << 20

/**
 * DICOM files as a partner or a disk gives them (PS3.10): looked at whole and while they come,
 * inflated, their file meta information read.
 */
export const part10: Target = {
  name: 'part10',
  ...QUICK,
  mostBytes: 256 << 10,
  testExecutions: perTier(250, 3000),
  open() {
    const folder = mkdtempSync(join(tmpdir(), 'isthmus-fuzz-part10-'))
    const [path, plain] = [join(folder, 'file.dcm'), join(folder, 'plain.dcm')]
    return {
      seeds: sampleFiles(MOST_SAMPLE),
      mutate(input, random, other) {
        const rules = { mostBytes: part10.mostBytes, tokens: TOKENS, other }
        if (random.isOnce(4)) return mutateBytes(input, random, rules)
        const start = dataSetAt(input)
        const form = { explicit: !random.isOnce(4), bigEndian: random.isOnce(6) }
        return Buffer.concat([
          input.subarray(0, start),
          mutateDataSet(input.subarray(start), random, form, rules),
        ])
      },
      async run(input) {
        const random = randomOf(hashOf(input))
        const lengths = Array.from({ length: 4 }, () => random.below(input.length + 1)).sort(
          (one, other) => one - other,
        )
        const said = lookAt(input, lengths)
        if (!random.isOnce(6)) return said
        // What goes by the disk is slower: a sixth of the inputs.
        writeFileSync(path, input)
        return `${said} ${await metaOf(path)} ${await inflated(path, plain)}`
      },
      async [Symbol.asyncDispose]() {
        rmSync(folder, { recursive: true, force: true })
      },
    }
  },
}

async function metaOf(path: string): Promise<string> {
  try {
    const { dataSetOffset } = await readFileMeta(path)
    hold(dataSetOffset <= statSync(path).size, 'The data set begins behind the end of the file')
    return 'meta'
  } catch (error) {
    if ((error as Error).message !== 'not a DICOM file') throw error
    return ''
  }
}

async function inflated(from: string, to: string): Promise<string> {
  try {
    await inflatedFile(from, to, { bytes: INFLATED_BYTES })
  } catch (error) {
    if (!(error instanceof ViewedFileFault)) throw error
    hold(!existsSync(to), 'A file that could not be inflated is left behind')
    return error.message
  }
  hold(statSync(to).size <= INFLATED_BYTES + 1024, 'It was inflated beyond the limit')
  rmSync(to)
  return 'inflated'
}

/** Where the data set begins, as far as the file says. */
function dataSetAt(bytes: Buffer): number {
  if (bytes.length < 144 || bytes.toString('latin1', 128, 132) !== 'DICM') return 0
  return Math.min(bytes.length, 144 + bytes.readUInt32LE(140))
}

const TOKENS: readonly Buffer[] = [
  ...DATA_SET_TOKENS,
  ...[
    'fffee000',
    'feff00e000000000',
    'feffdde000000000',
    'feff0de000000000',
    'e07f10004f570000',
    'e07f10004f420000ffffffff',
    'ffd8ffe0',
    'ffd9',
  ].map((hex) => Buffer.from(hex, 'hex')),
  ...[
    'DICM',
    '1.2.840.10008.1.2.1.99\0',
    '1.2.840.10008.1.2.2',
    '1.2.840.10008.1.2.4.50',
    '1.2.840.10008.1.2.5',
    'PALETTE COLOR',
    'RGB',
    'YBR_FULL_422',
  ].map((text) => Buffer.from(text)),
]

/**
 * Sample files of the machine (pydicom's, dicom3tools'), the small ones; none where they are not
 * installed.
 */
export function sampleFiles(most: number): Buffer[] {
  try {
    return samples()
      .filter(({ path }) => statSync(path).size <= most)
      .sort((one, other) => (one.name < other.name ? -1 : 1))
      .map(({ path }) => readFileSync(path))
  } catch {
    return []
  }
}
