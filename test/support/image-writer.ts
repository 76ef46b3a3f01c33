import { randomUUID } from 'node:crypto'
import { writeSync } from 'node:fs'
import { openContext } from '#server/context.ts'
import { fileFor } from '#server/database/image-files.ts'
import { acquireLock } from '#server/database/lock.ts'
import { countInstance } from '#server/modules/images/image-study-writing-queries.ts'
import {
  deleteInstance,
  findCurrentInstance,
  insertInstance,
} from '#server/modules/images/instance-queries.ts'
import { seedImages } from './images.ts'

/**
 * Keeps copies of an image for ever and prints the file of each once it is durable; run as its own
 * process, ended by SIGKILL.
 */
const [folder = ''] = process.argv.slice(2)
if (!acquireLock(folder)) throw new Error('The folder is locked')
const store = openContext({ folder, clock: Date.now, uuid: randomUUID })
const { imageFiles, database } = store
imageFiles.sweep()

async function writer(): Promise<void> {
  const uid = `2.25.${BigInt(`0x${randomUUID().replaceAll('-', '')}`)}`
  // The row of the seeded image is what the others are copied from: its own file was never written.
  seedImages(store, { uid })
  const like = findCurrentInstance(database, `${uid}.1.1`)
  if (!like) throw new Error('The study was not seeded')
  const { instanceId, ...of } = like
  deleteInstance(database, instanceId)
  const series = {
    seriesInstanceUid: of.seriesInstanceUid,
    modality: 'CT',
    seriesNumber: '1',
    seriesDescription: '',
  }
  for (let number = 1; ; number++) {
    const file = fileFor(uid, randomUUID())
    const part = imageFiles.begin()
    const body = Buffer.from(file.repeat(1000))
    for (let at = 0; at < body.length; at += 16_384)
      await part.write([body.subarray(at, at + 16_384)])
    await part.finish()
    await part.place(file)
    await part.secure()
    await database.commitSoon(() => {
      insertInstance(database, {
        ...of,
        file,
        sopInstanceUid: `${uid}.1.${number}`,
        bytes: part.bytes,
      })
      countInstance(database, uid, series, part.bytes, of.receivedAt, 'current')
    })
    // Straight to the pipe: what has been printed was durable before.
    writeSync(1, `${file}\n`)
  }
}

await Promise.all(Array.from({ length: 4 }, writer))
