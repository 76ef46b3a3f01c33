import { readFileSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { expect, it } from 'vitest'
import type { ConvertedFiles } from '#server/modules/dicomweb/converted-files.ts'
import { retrieveInstances } from '#server/modules/dicomweb/instance-retrieval.ts'
import { listStudyInstances } from '#server/modules/images/instance-queries.ts'
import { removeLocalFiles } from '#server/modules/images/local-files.ts'
import { ApiError } from '#shared/errors.ts'
import { message } from '#shared/messages/message.ts'
import { returnFiles } from '../../../../support/returned-files.ts'
import { STUDY } from '../images/intake-fixture.ts'
import { image, openLifecycleStage } from '../lifecycle/lifecycle-fixture.ts'

const AS_STORED = {
  ...{ type: 'application/dicom', isMultipart: true, isSingle: false },
  transferSyntax: '*',
}

it('fetches the next files while one is being sent', async () => {
  await using stage = await openLifecycleStage()
  const context = stage.store
  const { database, imageFiles } = context
  const numbers = Array.from({ length: 12 }, (_, at) => at + 1)
  for (const number of numbers) await stage.send(image(number))
  await stage.intake.settled()
  const stored = listStudyInstances(database, STUDY)
  const ids = stored.map(({ instanceId }) => instanceId)
  // The first one is on this PC.
  await removeLocalFiles(context, stored.slice(1), (all) => all)
  const asked: number[] = []
  imageFiles.recall = (instanceId) => {
    asked.push(instanceId)
    const done = Promise.reject(new ApiError('unavailable', message('tiers.no-space')))
    done.catch(() => undefined)
    return { path: '', bytes: 0, isVerified: false, done, onGrown: () => () => undefined }
  }
  const path = { studyInstanceUid: STUDY }
  const { body } = await retrieveInstances(context, {} as ConvertedFiles, path, [AS_STORED])
  const pieces = (body as Readable)[Symbol.asyncIterator]()
  await pieces.next()
  expect(asked).toEqual(ids.slice(1, 9))
  const readAll = async () => {
    while (!(await pieces.next()).done);
  }
  await expect(readAll()).rejects.toThrow('not enough free space')
  expect(imageFiles.inUse.size).toBe(0)
})

it('fetches a file that was removed after the response had begun', async () => {
  await using stage = await openLifecycleStage()
  const context = stage.store
  const { database, imageFiles } = context
  for (const number of [1, 2, 3]) await stage.send(image(number))
  await stage.intake.settled()
  const stored = listStudyInstances(database, STUDY)
  const contents = stored.map(({ file }) => readFileSync(imageFiles.pathOf(file)))
  const fetched = returnFiles(context, stored)
  const path = { studyInstanceUid: STUDY }
  const unused = {} as ConvertedFiles
  const { body } = await retrieveInstances(context, unused, path, [AS_STORED])
  const pieces: Buffer[] = []
  let removed = 0
  for await (const piece of body as Readable) {
    pieces.push(piece as Buffer)
    if (pieces.length > 1) continue
    // A rule runs while the first part is being sent.
    const isFree = ({ instanceId }: { instanceId: number }) => !imageFiles.inUse.has(instanceId)
    removed = (await removeLocalFiles(context, stored, (all) => all.filter(isFree))).length
  }
  expect(removed).toBeGreaterThan(0)
  expect(fetched).toHaveLength(removed)
  const sent = Buffer.concat(pieces)
  expect(contents.map((content) => sent.includes(content))).toEqual([true, true, true])
  expect(imageFiles.inUse.size).toBe(0)
})
