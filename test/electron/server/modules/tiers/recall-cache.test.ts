import { existsSync } from 'node:fs'
import { expect, it, vi } from 'vitest'
import { findCurrentInstance } from '#server/modules/images/instance-queries.ts'
import { queueCopy, recordCopyStored } from '#server/modules/tiers/copy-queries.ts'
import { RecallCache } from '#server/modules/tiers/recall-cache.ts'
import { recordRecall } from '#server/modules/tiers/recall-queries.ts'
import { insertTier } from '#server/modules/tiers/tier-queries.ts'
import { tempStore } from '../../../../support/temp-store.ts'
import { IMAGE, openStage } from '../images/intake-fixture.ts'

const GIGABYTE = 1e9
const AT = '2026-11-20T10:00:00.000Z'

it.each([
  { freeGigabytes: 100, fetched: 20, isRoom: true },
  // Nearly full: fetching goes on down to the middle between warning and refusal.
  { freeGigabytes: 18, fetched: 5, isRoom: true },
  { freeGigabytes: 18, fetched: 6, isRoom: false },
  // Devices are still received, and the space is theirs.
  { freeGigabytes: 7, fetched: 0, isRoom: false },
])(
  'with $freeGigabytes GB free, is there room to fetch $fetched GB: $isRoom',
  async ({ freeGigabytes, fetched, isRoom }) => {
    using temporary = tempStore()
    const { store: context } = temporary
    context.settings.change(
      { 'intake.warnGigabytes': 20, 'intake.stopGigabytes': 5 },
      'command-line',
    )
    const space = { freeBytes: freeGigabytes * GIGABYTE, totalBytes: 500 * GIGABYTE }
    vi.spyOn(context.imageFiles, 'space').mockReturnValue(space)
    const reserved = new RecallCache(context).reserve(fetched * GIGABYTE)
    if (isRoom) (await reserved)()
    else await expect(reserved).rejects.toThrow('There is not enough free space')
  },
)

it.each([
  { freeGigabytes: 100, isKept: true },
  { freeGigabytes: 18, isKept: false },
])(
  'with $freeGigabytes GB free, is a fetched file kept: $isKept',
  async ({ freeGigabytes, isKept }) => {
    await using stage = await openStage()
    const context = stage.store
    const { database, imageFiles, settings } = context
    settings.change({ 'intake.warnGigabytes': 20, 'intake.stopGigabytes': 5 }, 'command-line')
    await stage.send(IMAGE)
    await stage.intake.settled()
    const instance = findCurrentInstance(database, String(IMAGE.SOPInstanceUID))
    if (!instance) throw new Error('The instance has no row.')
    const { instanceId, bytes } = instance
    const tierId = context.uuid()
    insertTier(database, {
      ...{ tierId, name: 'Archive', isEnabled: true, isAutomatic: false },
      settings: {
        ...{ kind: 's3', endpoint: 'http://127.0.0.1:9', region: 'us-east-1', bucket: 'images' },
        ...{ prefix: '', accessKeyId: 'isthmus', isPathStyle: true, encryption: 'none' },
        certificate: null,
      },
      ...{ createdAt: AT, updatedAt: AT },
    })
    queueCopy(database, { tierId, instanceId, migrationId: null, objectKey: 'one', at: AT })
    const sha256 = Buffer.alloc(32)
    recordCopyStored(database, 1, { bytes, sha256, encryption: 'none', at: AT })
    recordRecall(database, instanceId, bytes, AT)
    const space = { freeBytes: freeGigabytes * GIGABYTE, totalBytes: 500 * GIGABYTE }
    vi.spyOn(imageFiles, 'space').mockReturnValue(space)
    const release = await new RecallCache(context).reserve(0)
    release()
    expect(existsSync(imageFiles.pathOf(instance.file))).toBe(isKept)
  },
)
