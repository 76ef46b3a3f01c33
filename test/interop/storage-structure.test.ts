import { execFile } from 'node:child_process'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { readFileMeta } from '#server/dicom/data-set/file-meta.ts'
import { TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import { openTranscoder } from '#server/dicom/transcoding/transcoder.ts'
import { compareContent } from '#server/modules/images/same-content.ts'
import { readStoredObject, type StoredObject } from '#server/modules/images/stored-object.ts'
import { writeInstance } from '../support/instance-file.ts'
import { needs } from '../support/needs.ts'
import { tempFolder } from '../support/temp-store.ts'
import { samplesByLack } from './storage-fixture.ts'

// Which objects are complete, and which are the same, as DCMTK reads and writes them.

const run = promisify(execFile)
const { explicitLittleEndian, implicitLittleEndian } = TRANSFER_SYNTAX

/** Images whose pixels were taken out of them, to show texts: DCMTK does not ask for pixels. */
const WITHOUT_PIXELS = /^chr(?:JapMulti|JapMultiExplicitIR6|KoreanMulti)\.dcm$/

it('agrees with DCMTK on which samples are complete', async (context) => {
  needs(context, 'dcmtk', 'samples')
  const judged = await Promise.all(
    (samplesByLack().get('') ?? []).map(async (sample) => {
      const { structure } = await readStoredObject(sample)
      const isReadable = await run('dcmdump', ['-q', sample.path], { maxBuffer: 1 << 30 }).then(
        () => true,
        () => false,
      )
      return {
        name: sample.name.split('/').at(-1) ?? '',
        isComplete: structure.isComplete,
        isReadable,
        detail: structure.detail,
      }
    }),
  )
  expect(judged.length).toBeGreaterThan(100)
  const differing = judged.filter(({ isComplete, isReadable }) => isComplete !== isReadable)
  expect(differing.filter(({ name }) => !WITHOUT_PIXELS.test(name))).toEqual([])
  expect(judged.some(({ isComplete }) => !isComplete)).toBe(true)
})

async function asStored(path: string): Promise<StoredObject> {
  const { dataSetOffset, transferSyntaxUid } = await readFileMeta(path)
  return { path, dataSetOffset, transferSyntaxUid }
}

it('takes what DCMTK encoded otherwise, without loss, for the same object', async (context) => {
  needs(context, 'dcmtk')
  using temp = tempFolder()
  const transcoder = openTranscoder()
  const compare = (one: StoredObject, other: StoredObject) =>
    compareContent(temp.folder, transcoder.transcode, one, other)
  const made = writeInstance(temp.folder)
  const original = await asStored(made.path)
  const other = await asStored(
    writeInstance(temp.folder, {
      sopInstanceUid: '2.25.100.1.2',
      more: { SOPInstanceUID: '2.25.100.1.1' },
      size: 18,
    }).path,
  )
  const encoded = async (tool: string, ...options: string[]) => {
    const path = join(temp.folder, `${[tool, ...options].join('')}.dcm`)
    await run(tool, [...options, made.path, path])
    expect(statSync(path).size).toBeGreaterThan(0)
    return asStored(path)
  }
  for (const options of [
    ['+ti'],
    ['+te'],
    ['+tb'],
    ['+td'],
    ['+ti', '-e'],
    ['+te', '+e'],
    ['+te', '+g'],
  ]) {
    const converted = await encoded('dcmconv', ...options)
    expect([options.join(' '), await compare(original, converted)]).toEqual([
      options.join(' '),
      'same',
    ])
  }
  expect(await compare(original, other)).toBe('pixels')
  if (!transcoder.available().isAvailable) return
  // dcmcjpeg adds a Derivation Description (0008,2111): another description of the same pixels.
  const lossless = [
    ['same', 'dcmcrle'],
    ['attributes', 'dcmcjpeg', '+e1'],
    ['same', 'dcmcjpls'],
  ] as const
  for (const [expected, tool, ...options] of lossless) {
    const compressed = await encoded(tool, ...options)
    expect([explicitLittleEndian, implicitLittleEndian]).not.toContain(compressed.transferSyntaxUid)
    expect([tool, await compare(original, compressed)]).toEqual([tool, expected])
    expect([tool, await compare(other, compressed)]).toEqual([tool, 'pixels'])
  }
})
