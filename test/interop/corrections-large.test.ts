import { execFile } from 'node:child_process'
import { createReadStream, statSync } from 'node:fs'
import { promisify } from 'node:util'
import { crc32 } from 'node:zlib'
import { expect, it } from 'vitest'
import { bundledChild } from '../support/bundled-child.ts'
import { scratchFolder } from '../support/dcmtk.ts'
import { needs } from '../support/needs.ts'
import { prepareDataFolder } from '../support/temp-store.ts'
import { perTier } from '../support/tier.ts'

/** More than the process may take of memory, so that keeping the object there would show. */
const MEBIBYTES = perTier(320, 2048)
const PIXEL_BYTES = MEBIBYTES * 2 ** 20
/** MB that a correction may add: some 55 are usual, and the object in memory would add 335. */
const MOST_GROWTH = 120

interface Result {
  readonly isAnsweredUnderWay: boolean
  readonly second: unknown
  readonly progress: readonly number[]
  readonly files: readonly [original: string, copy: string]
  readonly patientNames: readonly string[]
  /** The most memory of the process, MB: before the correction, and after it. */
  readonly memory: { readonly before: number; readonly peak: number }
}

/** CRC-32 of the end of a file: the pixels. */
async function pixelsOf(file: string): Promise<number> {
  let crc = 0
  const start = statSync(file).size - PIXEL_BYTES
  for await (const piece of createReadStream(file, { start, highWaterMark: 1 << 20 }))
    crc = crc32(piece as Buffer, crc)
  return crc
}

it(`an object of ${MEBIBYTES} MiB is corrected with progress, once at a time, and with ${MOST_GROWTH} MB more at most`, {
  timeout: 300_000,
}, async (context) => {
  needs(context, 'linux', 'space')
  using scratch = scratchFolder()
  prepareDataFolder(`${scratch.path}/data`)
  const program = await bundledChild('image-corrector.ts')
  const { stdout } = await promisify(execFile)(process.execPath, [
    program,
    `${scratch.path}/data`,
    String(MEBIBYTES),
  ])
  const { isAnsweredUnderWay, second, progress, files, patientNames, memory } = JSON.parse(
    stdout,
  ) as Result
  expect(isAnsweredUnderWay).toBe(true)
  expect(second).toContain('is in progress')
  expect(progress.length).toBeGreaterThan(3)
  expect(progress).toEqual([...progress].sort((a, b) => a - b))
  expect(patientNames[1]).toBe('Sample^Sue')
  const [original, copy] = await Promise.all(files.map(pixelsOf))
  expect(copy).toBe(original)
  expect(memory.peak - memory.before).toBeLessThan(MOST_GROWTH)
})
