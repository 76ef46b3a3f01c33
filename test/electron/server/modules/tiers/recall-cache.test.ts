import { expect, it, vi } from 'vitest'
import { RecallCache } from '#server/modules/tiers/recall-cache.ts'
import { tempStore } from '../../../../support/temp-store.ts'

const GIGABYTE = 1e9

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
