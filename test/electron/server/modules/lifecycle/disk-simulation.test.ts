import { describe, expect, it } from 'vitest'
import { forecastOf } from '#server/modules/images/disk-forecast.ts'
import { type DiskModel, simulateDisk } from '#server/modules/lifecycle/disk-simulation.ts'

const GB = 1e9
/** 100 GB until images are refused, 10 GB a day. */
const MODEL: DiskModel = {
  ...{ freeBytes: 105 * GB, stopBytes: 5 * GB, lowBytes: 0, receivedPerDay: 10 * GB },
  ...{ leaving: [], lifetimes: [] },
}
const leaving = (inDays: number, gigabytes: number, isEarlierWhenLow = false) => ({
  ...{ inDays, bytes: gigabytes * GB, isEarlierWhenLow },
})
const lifetime = (days: number, share: number, isEarlierWhenLow = false) => ({
  ...{ days, share, isEarlierWhenLow },
})
const fullInDays = (model: Partial<DiskModel>) => simulateDisk({ ...MODEL, ...model }).fullInDays

describe('the simulation of the disk', () => {
  it('is the forecast by the rate where no rule removes anything', () => {
    for (const free of [105, 104.9, 14.9, 5, 4]) {
      const freeBytes = free * GB
      const days = [10, 10, 10].map((bytes) => ({ day: '', bytes: bytes * GB }))
      const space = { freeBytes, totalBytes: 500 * GB }
      expect(fullInDays({ freeBytes })).toBe(forecastOf(space, 5 * GB, days).fullInDays)
    }
  })

  it('counts what rules remove on the day when the age is reached, if the disk is not full before', () => {
    expect(fullInDays({ leaving: [leaving(0, 20)] })).toBe(12)
    expect(fullInDays({ leaving: [leaving(10, 20)] })).toBe(12)
    expect(fullInDays({ leaving: [leaving(11, 20)] })).toBe(10)
  })

  it('never fills where all that arrives is removed in time', () => {
    expect(fullInDays({ lifetimes: [lifetime(9, 1)] })).toBeNull()
    expect(fullInDays({ lifetimes: [lifetime(11, 1)] })).toBe(10)
    expect(fullInDays({ lifetimes: [lifetime(0, 1)] })).toBeNull()
  })

  it('fills later, but does, where a share of what arrives is kept', () => {
    // A tenth of 10 GB stays each day: of the 100 GB, 50 are taken by what waits for its age.
    expect(fullInDays({ lifetimes: [lifetime(5, 0.9)] })).toBe(55)
  })

  it('has rules that may go early keep the disk above the warning, soonest due first', () => {
    const lowBytes = 45 * GB
    expect(fullInDays({ lowBytes, leaving: [leaving(100, 30, true)] })).toBe(13)
    expect(fullInDays({ lowBytes, leaving: [leaving(100, 30, false)] })).toBe(10)
    expect(fullInDays({ lowBytes, lifetimes: [lifetime(365, 1, true)] })).toBeNull()
  })

  it('lists the coming weeks with what arrives and goes, up to the one in which it is full', () => {
    const { weeks } = simulateDisk({ ...MODEL, leaving: [leaving(8, 15)] })
    expect(weeks).toEqual([
      { receivedBytes: 70 * GB, freedBytes: 0, freeBytes: 35 * GB },
      { receivedBytes: 45 * GB, freedBytes: 15 * GB, freeBytes: 5 * GB },
    ])
    expect(simulateDisk({ ...MODEL, lifetimes: [lifetime(1, 1)] }).weeks).toHaveLength(8)
  })

  it('is the same each time, and takes milliseconds for ten years', () => {
    const model = {
      ...{ ...MODEL, lowBytes: 50 * GB, receivedPerDay: 1.1 * GB },
      leaving: Array.from({ length: 3000 }, (_, day) => leaving(day, 0.1, day % 2 === 0)),
      lifetimes: Array.from({ length: 60 }, (_, day) => lifetime(day * 30, 1 / 60, day % 2 === 0)),
    }
    expect(simulateDisk(model)).toEqual(simulateDisk(model))
  })
})
