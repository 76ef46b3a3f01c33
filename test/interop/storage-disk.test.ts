import { rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { dashboard } from '#shared/contract/dashboard.ts'
import { type StartedGateway, startGateway } from '../support/gateway.ts'
import { readOnly, smallDisk } from '../support/mount.ts'
import { needs } from '../support/needs.ts'
import { associated } from '../support/requestor.ts'
import { textOf } from '../support/saying.ts'
import {
  asked,
  feedTexts,
  IMAGES,
  imageBytes,
  imageOf,
  kept,
  STEPS,
  statusOf,
  storeImage,
  studyOf,
  unfinished,
  WORKLIST,
} from './refusal-fixture.ts'

const MEBIBYTE = 1 << 20
/**
 * PS3.8 Table 9-21: rejected for now, by the service provider's presentation, local limit exceeded.
 */
const FOR_NOW = '2/3/2'
const FULL = 'A700 Too little disk space'
const UNWRITABLE = 'A700 Disk cannot be written to'
const REFUSED_WHILE_FULL = 'Refused: Too little disk space (status A700).'

/**
 * What the gateway knows of a disk is a second old at the most; a busy machine takes longer to ask.
 */
const RECOVERY = { timeout: 30_000, interval: 50 }

const freeBytes = (path: string): number => {
  const { bavail, bsize } = statfsSync(path)
  return bavail * bsize
}

/** Associations: for images, the worklist, and performed steps. */
const associations = ({ dimsePort }: StartedGateway) =>
  Promise.all([IMAGES, WORKLIST, STEPS].map((proposal) => asked(dimsePort, proposal)))

const setStop = ({ call }: StartedGateway, gigabytes: number) =>
  call(dashboard.changeSettings, { body: { settings: { 'intake.stopGigabytes': gigabytes } } })

describe('a disk that runs full', () => {
  it('within an object: it is refused, nothing of it stays, and the next one is taken', async (context) => {
    needs(context, 'mounts')
    using disk = smallDisk(100)
    await using started = await startGateway({ partner: null, folder: join(disk.path, 'data') })
    await using requestor = await associated(started.dimsePort, IMAGES)
    expect(await storeImage(requestor, imageOf('2.25.510', 1))).toBe('0000')
    const before = freeBytes(disk.path)
    expect(before).toBeGreaterThan(64 * MEBIBYTE)
    // 128 MB.
    expect(await storeImage(requestor, imageOf('2.25.510', 2, 8000))).toBe(FULL)
    expect([kept(started).length, unfinished(started)]).toEqual([1, []])
    expect(before - freeBytes(disk.path)).toBeLessThan(MEBIBYTE)
    expect(await feedTexts(started)).toContain(REFUSED_WHILE_FULL)
    await expect.poll(() => storeImage(requestor, imageOf('2.25.510', 3)), RECOVERY).toBe('0000')
    expect(await studyOf(started, '2.25.510')).toMatchObject({ instances: 2, quarantined: 0 })
    // A timer of the gateway may have written to the database while the disk was full.
    const errors = started.log.filter(
      (line) => line.includes('"error"') && !line.includes('"fault":"full"'),
    )
    expect(errors.join('\n')).toBe('')
  })

  it('to the last byte, database and all: every image that was answered Success is there, no other is, and the worklist goes on', async (context) => {
    needs(context, 'mounts')
    using disk = smallDisk(100)
    const clock = Object.assign(() => clock.stopped ?? Date.now(), {
      stopped: undefined as number | undefined,
    })
    await using started = await startGateway({
      folder: join(disk.path, 'data'),
      clock,
      overrides: { 'worklist.freshSeconds': 0 },
    })
    await using requestor = await associated(started.dimsePort, IMAGES)
    clock.stopped = Date.now()
    expect(await storeImage(requestor, imageOf('2.25.511', 1))).toBe('0000')

    // Something else takes the disk while images come. What the gateway found out about it holds
    // for a second, which does not pass here: the write itself fails.
    const ballast = join(disk.path, 'ballast')
    writeFileSync(ballast, Buffer.alloc(freeBytes(disk.path) - 200_000))
    const made = Array.from({ length: 60 }, (_, at) => imageOf('2.25.511', at + 2, 60))
    const answers: string[] = []
    for (const image of made) answers.push(await storeImage(requestor, image))
    clock.stopped = undefined
    expect(new Set(answers)).toEqual(new Set(['0000', FULL]))
    const taken = made.filter((_, at) => answers[at] === '0000')
    expect(unfinished(started)).toEqual([])
    const stored = new Set(kept(started).map(({ dataSet }) => dataSet.toString('latin1')))
    expect(stored).toEqual(
      new Set(
        [imageOf('2.25.511', 1), ...taken].map((image) => imageBytes(image).toString('latin1')),
      ),
    )
    expect(await studyOf(started, '2.25.511')).toMatchObject({ instances: taken.length + 1 })

    await expect
      .poll(() => associations(started), RECOVERY)
      .toEqual([FOR_NOW, 'accepted', 'accepted'])
    expect(await requestor.echo()).toBe(0)
    expect(await storeImage(requestor, imageOf('2.25.511', 90))).toBe(FULL)
    expect((await statusOf(started)).storage).toMatchObject({
      state: 'full',
      detail: 'No images are accepted: the disk is full.',
    })
    const said = await feedTexts(started)
    expect(said).toEqual(
      expect.arrayContaining([REFUSED_WHILE_FULL, 'No images are accepted: the disk is full.']),
    )
    expect(said.filter((text) => text === REFUSED_WHILE_FULL)).toHaveLength(1)

    rmSync(ballast)
    await expect
      .poll(() => associations(started), RECOVERY)
      .toEqual(['accepted', 'accepted', 'accepted'])
    expect(await feedTexts(started)).toContain('There is space for images again.')
    for (const image of made) expect(await storeImage(requestor, image)).toBe('0000')
    expect(await studyOf(started, '2.25.511')).toMatchObject({
      instances: made.length + 1,
      quarantined: 0,
    })
  })
})

describe('a disk with less room than the clinic wants kept free', () => {
  it('takes no images for now, and the worklist goes on', async () => {
    await using started = await startGateway()
    await using requestor = await associated(started.dimsePort, IMAGES)
    expect(await storeImage(requestor, imageOf('2.25.512', 1))).toBe('0000')
    await setStop(started, 100_000)
    await expect
      .poll(() => associations(started), RECOVERY)
      .toEqual([FOR_NOW, 'accepted', 'accepted'])
    // An association that was open before is told by the status.
    expect(await storeImage(requestor, imageOf('2.25.512', 2))).toBe(FULL)
    expect([kept(started).length, unfinished(started)]).toEqual([1, []])
    const { storage } = await statusOf(started)
    expect(storage.state).toBe('full')
    const detail = textOf(storage.detail)
    expect(detail).toMatch(
      /^No images are accepted: \d+\.\d GB are free, less than the 100000 GB that must stay free\.$/,
    )
    const said = await feedTexts(started)
    expect(said).toEqual(expect.arrayContaining([detail, REFUSED_WHILE_FULL]))
    expect(said).toContain(`CT1 tried to connect and was rejected: ${detail}`)

    await setStop(started, 0)
    await expect
      .poll(() => associations(started), RECOVERY)
      .toEqual(['accepted', 'accepted', 'accepted'])
    expect(await storeImage(requestor, imageOf('2.25.512', 2))).toBe('0000')
  })
})

describe('a folder that turns read-only', () => {
  it.for(['spool', 'images'])(
    '%s: no images are taken until it can be written to again',
    async (name, context) => {
      needs(context, 'mounts')
      await using started = await startGateway()
      await using requestor = await associated(started.dimsePort, IMAGES)
      expect(await storeImage(requestor, imageOf('2.25.513', 1))).toBe('0000')
      {
        using _mounted = readOnly(join(started.folder, name))
        // At once, by the write that fails, and then by what is known of the folder. Another study,
        // whose folder would be made.
        expect(await storeImage(requestor, imageOf('2.25.514', 1))).toBe(UNWRITABLE)
        expect(await storeImage(requestor, imageOf('2.25.514', 1))).toBe(UNWRITABLE)
        expect([kept(started).length, unfinished(started)]).toEqual([1, []])
        expect(await studyOf(started, '2.25.514')).toBe(undefined)
        expect(await associations(started)).toEqual([FOR_NOW, 'accepted', 'accepted'])
        const { storage } = await statusOf(started)
        expect(storage).toMatchObject({
          state: 'read-only',
          detail: 'The image folder cannot be written to: no images are accepted.',
        })
        expect(await feedTexts(started)).toEqual(
          expect.arrayContaining([
            storage.detail,
            'Refused: Disk cannot be written to (status A700).',
          ]),
        )
      }
      await expect
        .poll(() => associations(started), RECOVERY)
        .toEqual(['accepted', 'accepted', 'accepted'])
      expect(await storeImage(requestor, imageOf('2.25.514', 1))).toBe('0000')
      expect(await studyOf(started, '2.25.514')).toMatchObject({ instances: 1 })
    },
  )
})
