import { describe, expect, it } from 'vitest'
import { diskFinding } from '#server/modules/diagnostics/host-checks.ts'
import {
  type DiskForecast,
  forecastOf,
  fullSoonWarning,
  receivedByDay,
} from '#server/modules/images/disk-forecast.ts'
import { DiskSpace } from '#server/modules/images/disk-space.ts'
import { countInstance } from '#server/modules/images/image-study-writing-queries.ts'
import { addRule, recordRulePreview, setRuleEnabled } from '#server/modules/lifecycle/rules.ts'
import { englishText } from '#shared/messages/english.ts'
import { seedImages } from '../../../../support/images.ts'
import { tempStore } from '../../../../support/temp-store.ts'
import { IMAGE_BYTES, plantImages } from '../../../../support/trends.ts'
import { ACTOR, RULE } from '../lifecycle/lifecycle-fixture.ts'

const SPACE = { freeBytes: 105e9, totalBytes: 500e9 }
const days = (...bytes: number[]) =>
  bytes.map((count, index) => ({
    day: `2026-11-${String(index + 1).padStart(2, '0')}`,
    bytes: count,
  }))

describe('the forecast', () => {
  it('is the space above the limit divided by what came a day, in whole days', () => {
    const of = days(10e9, 0, 5e9)
    expect(forecastOf(SPACE, 5e9, of)).toEqual({
      ...{ days: of, stopBytes: 5e9, fullInDays: 20, unknownBecause: null },
    })
    expect(forecastOf({ ...SPACE, freeBytes: 104.9e9 }, 5e9, of).fullInDays).toBe(19)
  })

  it('is none left where the limit is reached', () => {
    expect(forecastOf({ ...SPACE, freeBytes: 4e9 }, 5e9, days(1, 1, 1)).fullInDays).toBe(0)
  })

  it.each([
    ['few-days', SPACE, days(10e9, 10e9)],
    ['no-growth', SPACE, days(0, 0, 0)],
    ['no-disk', { freeBytes: 0, totalBytes: 0 }, days(1, 1, 1)],
  ])('says why it cannot be told: %s', (unknownBecause, space, of) => {
    expect(forecastOf(space, 5e9, of)).toMatchObject({ fullInDays: null, unknownBecause })
  })

  it('asks for something to be done within a month', () => {
    expect(fullSoonWarning({ fullInDays: 30 })).toBeUndefined()
    expect(fullSoonWarning({ fullInDays: null })).toBeUndefined()
    const soon = fullSoonWarning({ fullInDays: 29 })
    expect(soon && englishText(soon.sentence)).toBe(
      'At the current rate it will be full in 29 days.',
    )
    expect(soon && englishText(soon.remedy)).toBe('Free some space, or add a disk.')
  })
})

describe('what was received by day', () => {
  it('is nothing before the first image', () => {
    using temp = tempStore()
    expect(receivedByDay(temp.store)).toEqual([])
  })

  it('has whole days of the clinic only: neither the first one nor today', () => {
    using temp = tempStore('2026-10-27T09:00:00.000Z')
    const { store } = temp
    store.settings.set('clinic.timeZone', 'Europe/Berlin')
    plantImages(store, '2026-10-23T15:00:00.000Z', 1)
    plantImages(store, '2026-10-24T21:59:59.999Z', 2)
    // The day that has 25 hours.
    plantImages(store, '2026-10-24T22:00:00.000Z', 4)
    plantImages(store, '2026-10-25T22:59:59.999Z', 8)
    plantImages(store, '2026-10-26T23:00:00.000Z', 16)
    expect(receivedByDay(store)).toEqual([
      { day: '2026-10-24', bytes: 2 * IMAGE_BYTES },
      { day: '2026-10-25', bytes: 12 * IMAGE_BYTES },
      { day: '2026-10-26', bytes: 0 },
    ])
  })

  it('goes back two weeks, and leaves out a study that is older', () => {
    using temp = tempStore('2026-11-20T09:00:00.000Z')
    const { store } = temp
    store.settings.set('clinic.timeZone', 'UTC')
    seedImages(store, { uid: '1.2', at: '2026-10-01T09:00:00.000Z', instances: 3 })
    plantImages(store, '2026-10-02T09:00:00.000Z', 1)
    plantImages(store, '2026-11-06T00:00:00.000Z', 5)
    const series = { modality: 'CT', seriesNumber: '2', seriesDescription: '' }
    countInstance(
      ...([store.database, '1.2', { ...series, seriesInstanceUid: '1.2.1' }] as const),
      ...([7, '2026-11-10T09:00:00.000Z', 'current'] as const),
    )
    const received = receivedByDay(store)
    expect(received).toHaveLength(14)
    expect(received.filter(({ bytes }) => bytes > 0)).toEqual([
      { day: '2026-11-06', bytes: 5 * IMAGE_BYTES },
    ])
  })
})

describe('a disk that will be full within a month', () => {
  const fillingStore = () => {
    const temp = tempStore('2026-11-20T09:00:00.000Z')
    const { store } = temp
    for (const day of [10, 17, 18, 19]) plantImages(store, `2026-11-${day}T09:00:00.000Z`, 100)
    // 9 days since the first one, on which 300 images came.
    const aDay = (300 * IMAGE_BYTES) / 9
    const space = { freeBytes: Math.ceil(64 * 1024 * 1024 + aDay * 20), totalBytes: 500e9 }
    Object.assign(store.imageFiles, { space: () => space, isWritable: () => true })
    store.settings.set('intake.stopGigabytes', 0)
    store.settings.set('intake.warnGigabytes', 0)
    return temp
  }

  it('is known to the intake, and what came by day is read once a day', () => {
    using temp = fillingStore()
    const { store, clock } = temp
    const disk = new DiskSpace(store)
    expect(disk.forecast()).toMatchObject({ fullInDays: 20, unknownBecause: null })
    plantImages(store, '2026-11-19T10:00:00.000Z', 300)
    expect(disk.forecast().fullInDays).toBe(20)
    // Ten days now, of which today has none.
    clock.pass(24 * 60 * 60_000)
    expect(disk.forecast().fullInDays).toBe(11)
  })

  it('is a recommendation of the system status, with what to do', () => {
    using temp = fillingStore()
    const finding = diskFinding(temp.store)
    expect(finding.verdict).toBe('warn')
    expect(englishText(finding.sentence)).toContain(
      'At the current rate it will be full in 20 days.',
    )
    expect(finding.remedy && englishText(finding.remedy)).toBe('Free some space, or add a disk.')
    temp.clock.pass(15 * 24 * 60 * 60_000)
    expect(diskFinding(temp.store).verdict).toBe('ok')
  })

  it('says that it ignores the lifecycle rules where the gateway does not run', () => {
    using temp = fillingStore()
    const { store } = temp
    const text = (forecast?: DiskForecast) => englishText(diskFinding(store, forecast).sentence)
    const note = 'does not take the lifecycle rules into account'
    const rule = addRule(store, RULE, ACTOR)
    expect(text()).not.toContain(note)
    recordRulePreview(store, rule)
    setRuleEnabled(store, rule.ruleId, { isOn: true, revision: rule.revision }, ACTOR)
    expect(text()).toContain(note)
    expect(text({ ...new DiskSpace(store).forecast(), fullInDays: 3 })).not.toContain(note)
  })
})
