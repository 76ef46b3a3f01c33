import { expect, it } from 'vitest'
import { StorageFault } from '#server/database/image-files.ts'
import {
  findCurrentInstance,
  listInstanceVersions,
} from '#server/modules/images/instance-queries.ts'
import { IMAGE, openStage } from './intake-fixture.ts'

const INSTANCE = IMAGE.SOPInstanceUID as string

it.each(['finish', 'secure'] as const)(
  'an instance whose %s the disk refuses has no row and no file',
  async (step) => {
    await using stage = await openStage()
    const begin = stage.store.imageFiles.begin.bind(stage.store.imageFiles)
    const files = stage.store.imageFiles as { begin: typeof begin }
    files.begin = () => {
      const part = begin()
      part[step] = async () => {
        throw new StorageFault('failed', 'fsync EIO')
      }
      return part
    }
    expect(await stage.send(IMAGE)).toEqual({
      status: 0xa700,
      errorComment: 'Disk cannot be written to',
    })
    expect(stage.errors).toHaveLength(1)
    files.begin = begin
    expect(listInstanceVersions(stage.store.database, INSTANCE)).toEqual([])
    expect(stage.files()).toEqual({ images: [], spool: [] })
    expect(await stage.send(IMAGE)).toEqual({ status: 0 })
  },
)

it('an instance is not acknowledged before file, name and row are durable', async () => {
  await using stage = await openStage()
  const begin = stage.store.imageFiles.begin.bind(stage.store.imageFiles)
  const files = stage.store.imageFiles as { begin: typeof begin }
  const held = { finish: Promise.withResolvers<void>(), secure: Promise.withResolvers<void>() }
  const reached = { finish: Promise.withResolvers<void>(), secure: Promise.withResolvers<void>() }
  files.begin = () => {
    const part = begin()
    const { finish, secure } = { finish: part.finish.bind(part), secure: part.secure.bind(part) }
    part.finish = async () => {
      reached.finish.resolve()
      await held.finish.promise
      await finish()
    }
    part.secure = async () => {
      reached.secure.resolve()
      await held.secure.promise
      await secure()
    }
    return part
  }
  let answer: unknown
  const sent = stage.send(IMAGE).then((result) => {
    answer = result
  })
  await Promise.all([reached.finish.promise, reached.secure.promise])
  // A commit of its own: what was asked for before it is committed too.
  await stage.store.database.commitSoon(() => undefined)
  expect(findCurrentInstance(stage.store.database, INSTANCE)).toBeDefined()
  expect(answer).toBeUndefined()
  held.secure.resolve()
  await stage.store.database.commitSoon(() => undefined)
  expect(answer).toBeUndefined()
  held.finish.resolve()
  await sent
  expect(answer).toEqual({ status: 0 })
})
