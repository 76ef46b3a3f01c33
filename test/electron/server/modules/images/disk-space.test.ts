import { describe, expect, it } from 'vitest'
import { StorageFault } from '#server/database/image-files.ts'
import { createFeed } from '#server/live-events/feed.ts'
import { DiskSpace } from '#server/modules/images/disk-space.ts'
import type { FeedLine } from '#shared/contract/dashboard.ts'
import type { SettingKey } from '#shared/contract/settings.ts'
import { standingClock } from '../../../../support/temp-store.ts'

const GIGABYTE = 1e9
const LIMITS: { readonly [key in SettingKey]?: number } = {
  'intake.stopGigabytes': 5,
  'intake.warnGigabytes': 20,
}

function diskWith(state: { freeBytes: number; isWritable: boolean }, stopGigabytes?: number) {
  const clock = standingClock()
  const feed = createFeed({ clock })
  const news: FeedLine[] = []
  feed.subscribe((change) => change.kind === 'line' && news.push(change.line))
  const imageFiles = {
    isWritable: () => state.isWritable,
    space() {
      if (state.freeBytes < 0) throw new StorageFault('failed', 'statfs EIO')
      return { freeBytes: state.freeBytes, totalBytes: 100 * GIGABYTE }
    },
  }
  const settings = {
    get: (key: SettingKey) =>
      key === 'intake.stopGigabytes' ? (stopGigabytes ?? LIMITS[key]) : LIMITS[key],
  }
  const log = { warn() {} }
  const disk = new DiskSpace({ imageFiles, clock, settings, feed, log } as never)
  return { disk, clock, news }
}

describe('the disk', () => {
  it.each([
    [50, true, 'ok', true],
    [19, true, 'low', true],
    [4, true, 'full', false],
    [50, false, 'read-only', false],
    [-1, true, 'full', false],
  ])('with %d GB free, writable: %s, is %s', (gigabytes, isWritable, state, takesImages) => {
    const { disk } = diskWith({ freeBytes: gigabytes * GIGABYTE, isWritable })
    expect(disk.storage().state).toBe(state)
    expect(disk.takesImages()).toBe(takesImages)
  })

  it('is full where the database has no room left for rows, whatever is set', () => {
    const { disk } = diskWith({ freeBytes: 60 * 1024 * 1024, isWritable: true }, 0)
    expect(disk.storage()).toMatchObject({
      state: 'full',
      detail: 'No images are accepted: the disk is full.',
    })
  })

  it('is looked at once a second, and at once after a write that failed; the feed is told of changes only', () => {
    const state = { freeBytes: 50 * GIGABYTE, isWritable: true }
    const { disk, clock, news } = diskWith(state)
    disk.storage()
    state.freeBytes = 4.04 * GIGABYTE
    expect(disk.takesImages()).toBe(true)
    disk.failed()
    expect(disk.takesImages()).toBe(false)
    state.freeBytes = 50 * GIGABYTE
    clock.pass(1000)
    expect(disk.takesImages()).toBe(true)
    clock.pass(1000)
    disk.storage()
    expect(news.map(({ kind, tone, text }) => [kind, tone, text])).toEqual([
      [
        'disk',
        'danger',
        'No images are accepted: 4.0 GB are free, less than the 5 GB that must stay free.',
      ],
      ['disk', 'good', 'There is space for images again.'],
    ])
  })
})
