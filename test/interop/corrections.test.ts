import { execFile } from 'node:child_process'
import { open } from 'node:fs/promises'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { CODINGS } from '#server/dicom/data-set/coding.ts'
import { readFileMeta } from '#server/dicom/data-set/file-meta.ts'
import { inflatedFile } from '#server/dicom/data-set/inflated-file.ts'
import { listCorrectedPairs } from '#server/modules/corrections/correction-queries.ts'
import {
  findInstance,
  type InstanceRecord,
  listStudyInstances,
} from '#server/modules/images/instance-queries.ts'
import { readStoredObject } from '#server/modules/images/stored-object.ts'
import { openStage, type Stage } from '../electron/server/modules/images/intake-fixture.ts'
import { needs } from '../support/needs.ts'
import { dataSetOf, type Sample } from '../support/samples.ts'
import { tempFolder } from '../support/temp-store.ts'
import { samplesByLack } from './storage-fixture.ts'

const run = promisify(execFile)

/** Pixel data of a file, as its bytes; undefined where it has none. */
async function pixelsOf(
  stage: Stage,
  instance: InstanceRecord,
  temporary: string,
): Promise<Buffer | undefined> {
  let path = stage.store.imageFiles.pathOf(instance.file)
  if (CODINGS[instance.transferSyntaxUid]?.deflated) {
    const plain = `${temporary}/${instance.instanceId}.dcm`
    await inflatedFile(path, plain, { bytes: 1 << 30 })
    path = plain
  }
  const { dataSetOffset, transferSyntaxUid } = await readFileMeta(path)
  const { pixels } = (await readStoredObject({ path, dataSetOffset, transferSyntaxUid })).structure
  if (!pixels) return undefined
  await using file = await open(path, 'r')
  const bytes = Buffer.alloc(pixels.end - pixels.at)
  await file.read(bytes, 0, bytes.length, dataSetOffset + pixels.at)
  return bytes
}

/** What DCMTK reads: the first value of each attribute at the top of the data set, in UTF-8. */
async function dumpOf(path: string): Promise<ReadonlyMap<string, string>> {
  const tags = ['0010,0010', '0010,0020', '0008,0050', '0020,000d', '0400,0565']
  const words = ['-q', '+L', ...tags.flatMap((tag) => ['+P', tag]), path]
  // It converts no Chinese sets: then the name is not compared.
  const { stdout } = await run('dcmdump', ['+U8', ...words], { encoding: 'utf8' }).catch(
    async () => {
      const unconverted = await run('dcmdump', words, { encoding: 'latin1' })
      return { stdout: unconverted.stdout.replace(/^\(0010,0010\).*$/gm, '') }
    },
  )
  const lines = stdout.split('\n').flatMap((line) => {
    const found = /^\(([0-9a-f,]{9})\) \w\w (?:\[(.*)\]|\(no value available\))/.exec(line.trim())
    return found ? [[found[1] as string, (found[2] ?? '').trim()] as const] : []
  })
  // The value of the data set itself comes before those of its sequences only by its tag: the first
  // is the one.
  return new Map(lines.toReversed())
}

it('DCMTK reads every copy of the samples, in every transfer syntax, and the pixel data is the same', {
  timeout: 600_000,
}, async (context) => {
  needs(context, 'dcmtk', 'samples')
  using temporary = tempFolder()
  await using stage = await openStage()
  const found = (samplesByLack().get('') ?? []) as Sample[]
  for (const sample of found) {
    await stage.intake.receiver.store({
      association: {
        associationId: 'a1',
        callingAeTitle: 'CT1',
        calledAeTitle: 'ISTHMUS',
        remoteAddress: '127.0.0.1',
      },
      messageId: 1,
      transferSyntax: sample.transferSyntaxUid,
      sopClassUid: sample.sopClassUid,
      sopInstanceUid: sample.sopInstanceUid,
      moveOriginatorAeTitle: undefined,
      dataSet: (async function* () {
        yield [dataSetOf(sample)]
      })(),
      release: () => undefined,
      signal: new AbortController().signal,
    })
  }
  const studies = new Set(found.map(({ studyInstanceUid }) => studyInstanceUid))
  const syntaxes = new Set<string>()
  const refused: string[] = []
  const { corrections } = stage
  let checked = 0
  let named = 0
  for (const studyInstanceUid of studies) {
    const originals = listStudyInstances(stage.store.database, studyInstanceUid)
    if (originals.length === 0) continue
    const patient = {
      patientName: 'Yamada^Tarou=山田^太郎',
      patientId: 'P-77',
      patientBirthDate: '19500101',
      patientSex: 'O',
      accessionNumber: 'ACC77',
    } as const
    const request = { kind: 'correct', target: { to: 'patient', patient } } as const
    const { digest, obstacle } = await corrections.preview(studyInstanceUid, request)
    expect(obstacle).toBeNull()
    const order = { ...request, cause: 'patient-safety', reason: 'a test', digest } as const
    const done = await corrections
      .apply(studyInstanceUid, order, 'usr_1')
      .catch((error: Error) => error)
    if (done instanceof Error) {
      refused.push(`${done.message}`)
      continue
    }
    for (const { originalId, correctedId } of listCorrectedPairs(
      stage.store.database,
      done.correctionId,
    )) {
      const [original, copy] = [originalId, correctedId].map(
        (id) => findInstance(stage.store.database, id) as InstanceRecord,
      ) as [InstanceRecord, InstanceRecord]
      expect(copy.transferSyntaxUid).toBe(original.transferSyntaxUid)
      syntaxes.add(copy.transferSyntaxUid)
      const dump = await dumpOf(stage.store.imageFiles.pathOf(copy.file))
      if (dump.has('0010,0010')) named++
      expect({ '0010,0010': 'Yamada^Tarou=山田^太郎', ...Object.fromEntries(dump) }).toMatchObject({
        '0010,0010': 'Yamada^Tarou=山田^太郎',
        ...{
          '0010,0020': 'P-77',
          '0008,0050': 'ACC77',
          '0020,000d': studyInstanceUid,
          '0400,0565': 'CORRECT',
        },
      })
      const [before, after] = [
        await pixelsOf(stage, original, temporary.folder),
        await pixelsOf(stage, copy, temporary.folder),
      ]
      expect(after?.equals(before ?? Buffer.alloc(0)) ?? before === undefined).toBe(true)
      checked++
    }
  }
  expect(refused).toEqual([])
  expect(checked).toBeGreaterThan(100)
  expect(named).toBeGreaterThan(checked - 20)
  expect([...syntaxes]).toEqual(expect.arrayContaining(Object.keys(CODINGS)))
  expect(syntaxes.size).toBeGreaterThan(8)
})
