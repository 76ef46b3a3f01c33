import { describe, expect, it } from 'vitest'
import type { TrendHour } from '#shared/contract/dashboard-trends.ts'
import {
  axisMaximum,
  type Series,
  valuesText,
} from '../../../../renderer/src/features/dashboard/chart-series.ts'
import {
  arrivals,
  hourColumns,
  partnerRequests,
  queries,
  receivedChart,
} from '../../../../renderer/src/features/dashboard/trend-series.ts'

const NO_REQUESTS = { requests: 0, failed: 0, p50Ms: null, p95Ms: null }
const hour = (from: string, more: Partial<TrendHour> = {}): TrendHour => ({
  ...{ from, images: 0, studies: 0 },
  queries: { answered: 0, stored: 0, failed: 0 },
  partner: NO_REQUESTS,
  ...more,
})
const HOURS = [
  hour('2026-11-20T07:00:00.000Z', { images: 1200, studies: 2 }),
  hour('2026-11-20T08:00:00.000Z', {
    ...{ images: 34, studies: 1 },
    queries: { answered: 12, stored: 3, failed: 1 },
    partner: { requests: 9, failed: 2, p50Ms: 180, p95Ms: 1250 },
  }),
]
const shownIn = (series: readonly Series[], column: number) =>
  series.map((one) => `${one.name} ${valuesText(one, column)}`)

describe('hours', () => {
  it('are named by the clock of the clinic, with a tick at every fourth', () => {
    const of = ['2026-11-20T22:00:00.000Z', '2026-11-20T23:00:00.000Z', '2026-11-21T00:00:00.000Z']
    const columns = hourColumns(
      of.map((from) => hour(from)),
      'Europe/Berlin',
    )
    expect(columns.map(({ name, tick }) => [name, tick])).toEqual([
      ['23:00–00:00', undefined],
      ['00:00–01:00', '00:00'],
      ['01:00–02:00', undefined],
    ])
  })
})

describe('charts', () => {
  it('say what arrived, and when most did', () => {
    const { summary, series } = arrivals(HOURS, hourColumns(HOURS, 'UTC'))
    expect(summary).toBe(
      '1,234 images from 3 studies in the last 24 hours; busiest hour 07:00–08:00 (1,200).',
    )
    expect(shownIn(series, 1)).toEqual(['Images 34', 'Studies 1'])
    const none = HOURS.map(({ from }) => hour(from))
    expect(arrivals(none, hourColumns(none, 'UTC')).summary).toBe(
      'No images arrived in the last 24 hours.',
    )
  })

  it('say how queries ended, and where that is no longer known', () => {
    const { summary, series } = queries([
      hour('2026-11-20T06:00:00.000Z', { queries: null }),
      ...HOURS,
    ])
    expect(summary).toBe(
      '16 queries in the last 24 hours: 12 with a response from the partner, 3 with a stored response, 1 failed.',
    )
    expect(shownIn(series, 0)).toEqual([
      ...['Partner response no data', 'Stored response no data', 'Failed no data'],
    ])
    expect(shownIn(series, 2)).toEqual(['Partner response 12', 'Stored response 3', 'Failed 1'])
  })

  it('say how long the partner took', () => {
    const partner = { requests: 9, failed: 2, p50Ms: 180, p95Ms: 1250 }
    const { summary, series } = partnerRequests({ hours: HOURS, partner })
    expect(summary).toBe(
      '9 requests in the last 24 hours, median 180 ms, 95th percentile 1.3 s; 2 failed.',
    )
    expect(shownIn(series, 1)).toEqual([
      ...['95th percentile 1.3 s', 'Median 180 ms', 'Failed 2', 'Requests 9'],
    ])
    expect(shownIn(series, 0)[0]).toBe('95th percentile no data')
    const unsent = { requests: 1, failed: 1, p50Ms: null, p95Ms: null }
    expect(partnerRequests({ hours: HOURS, partner: unsent }).summary).toBe(
      '1 request in the last 24 hours; 1 failed.',
    )
  })

  it('say what came a day', () => {
    const { summary, columns, series } = receivedChart([
      { day: '2026-11-18', bytes: 1e9 },
      { day: '2026-11-19', bytes: 2e9 },
      { day: '2026-11-20', bytes: 6e9 },
    ])
    expect(summary).toBe('3.0 GB a day on average in the last 3 days.')
    expect(columns.map(({ name, tick }) => [name, tick])).toEqual([
      ['18 Nov 2026', '18 Nov'],
      ['19 Nov 2026', undefined],
      ['20 Nov 2026', '20 Nov'],
    ])
    expect(shownIn(series, 2)).toEqual(['Received per day 6.0 GB'])
  })
})

it('ends an axis with a round number at or above every bar, stacked or not', () => {
  const bars = (...values: (number | null)[][]): Series[] =>
    values.map((of, index) => ({ name: String(index), values: of, text: String }))
  expect(axisMaximum(bars([0, null, 0]), false)).toBe(1)
  expect(axisMaximum(bars([4, 86]), false)).toBe(100)
  expect(axisMaximum(bars([40, 20], [41, 0]), false)).toBe(100)
  expect(axisMaximum(bars([40, 20], [41, 0]), true)).toBe(60)
  expect(axisMaximum(bars([1200]), false)).toBe(2000)
  expect(axisMaximum([], false)).toBe(1)
})
