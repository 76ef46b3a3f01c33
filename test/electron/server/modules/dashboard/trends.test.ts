import { describe, expect, it } from 'vitest'
import type { Context } from '#server/context.ts'
import { serveTrends, trendsOf } from '#server/modules/dashboard/trends.ts'
import { insertCommitment } from '#server/modules/images/commitment-queries.ts'
import { forecastOf, receivedByDay } from '#server/modules/images/disk-forecast.ts'
import { recordRepeats } from '#server/modules/worklist/inspection-queries.ts'
import { instantOf } from '#server/platform/clock.ts'
import { dashboardTrends, type Trends } from '#shared/contract/dashboard-trends.ts'
import { tempStore } from '../../../../support/temp-store.ts'
import {
  plantForwards,
  plantImages,
  plantJob,
  plantQuery,
  plantRequest,
} from '../../../../support/trends.ts'
import { codeOf, openTestDashboard, START, STORAGE } from './dashboard-fixture.ts'

const NO_REQUESTS = { requests: 0, failed: 0, p50Ms: null, p95Ms: null }
const NO_QUERIES = { answered: 0, stored: 0, failed: 0 }

function clinic(now: string, timeZone = 'Europe/Berlin') {
  const temp = tempStore(now)
  const { store } = temp
  store.settings.set('clinic.timeZone', timeZone)
  const trends = () => trendsOf(store, liveOf(store))
  /** Hours in which something was counted. */
  const busy = async (what: (hour: Trends['hours'][number]) => unknown) =>
    (await trends()).hours.flatMap((hour) => {
      const counted = what(hour)
      return counted ? [[hour.from, counted]] : []
    })
  return { ...temp, trends, busy, [Symbol.dispose]: () => temp[Symbol.dispose]() }
}

const liveOf = (store: Context) => ({
  storage: () => STORAGE,
  forecast: () => forecastOf(STORAGE, 5e9, receivedByDay(store)),
})

describe('the last 24 hours', () => {
  it('are those of the clinic’s clock, and empty where nothing happened', async () => {
    using made = clinic('2026-11-20T09:25:00.000Z', 'Asia/Kolkata')
    const { hours, partner, queues, at } = await made.trends()
    expect(hours).toHaveLength(24)
    expect([hours.at(0)?.from, hours.at(-1)?.from]).toEqual([
      '2026-11-19T09:30:00.000Z',
      '2026-11-20T08:30:00.000Z',
    ])
    for (const { from: _, ...hour } of hours)
      expect(hour).toEqual({ images: 0, studies: 0, queries: NO_QUERIES, partner: NO_REQUESTS })
    expect(partner).toEqual(NO_REQUESTS)
    expect(queues.map(({ waiting, since }) => [waiting, since])).toEqual(
      queues.map(() => [0, null]),
    )
    expect(at).toBe('2026-11-20T09:25:00.000Z')
  })

  it('count images and studies in the hour in which they arrived', async () => {
    using made = clinic('2026-11-20T09:25:00.000Z')
    for (const [at, instances] of [
      // An hour too early, and the first and the last moment of an hour.
      ['2026-11-19T09:59:59.999Z', 1],
      ['2026-11-19T10:00:00.000Z', 2],
      ['2026-11-20T07:59:59.999Z', 4],
      ['2026-11-20T07:10:00.000Z', 8],
      ['2026-11-20T09:25:00.000Z', 16],
    ] as const)
      plantImages(made.store, at, instances)
    expect(await made.busy(({ images, studies }) => images > 0 && { images, studies })).toEqual([
      ['2026-11-19T10:00:00.000Z', { images: 2, studies: 1 }],
      ['2026-11-20T07:00:00.000Z', { images: 12, studies: 2 }],
      ['2026-11-20T09:00:00.000Z', { images: 16, studies: 1 }],
    ])
  })

  it('count an hour that the clock shows twice as two', async () => {
    using made = clinic('2026-10-25T10:30:00.000Z')
    plantImages(made.store, '2026-10-25T00:30:00.000Z', 3)
    plantImages(made.store, '2026-10-25T01:30:00.000Z', 5)
    const { hours } = await made.trends()
    expect(hours).toHaveLength(24)
    expect(hours.at(0)?.from).toBe('2026-10-24T11:00:00.000Z')
    expect(await made.busy(({ images }) => images)).toEqual([
      ['2026-10-25T00:00:00.000Z', 3],
      ['2026-10-25T01:00:00.000Z', 5],
    ])
  })

  it('count queries by how they ended, with those that repeated them', async () => {
    using made = clinic('2026-11-20T09:25:00.000Z')
    const { store } = made
    const at = '2026-11-20T08:05:00.000Z'
    for (const source of ['live', 'fresh', 'shared'] as const) plantQuery(store, at, { source })
    plantQuery(store, at, { status: 'FE00', source: 'none' })
    for (const source of ['stored', 'downtime'] as const)
      plantQuery(store, at, { source, fault: 'unreachable' })
    const failed = { status: 'A700', source: 'none', fault: 'timeout', sent: 0 } as const
    plantQuery(store, at, failed)
    recordRepeats(store.database, plantQuery(store, at), 10, at)
    plantQuery(store, '2026-11-20T09:20:00.000Z', failed)
    expect(
      await made.busy(({ queries }) => {
        const { answered = 0, stored = 0, failed = 0 } = queries ?? {}
        return answered + stored + failed > 0 && queries
      }),
    ).toEqual([
      ['2026-11-20T08:00:00.000Z', { answered: 15, stored: 2, failed: 1 }],
      ['2026-11-20T09:00:00.000Z', { answered: 0, stored: 0, failed: 1 }],
    ])
  })

  it('tell no number of queries for hours whose queries are no longer kept', async () => {
    using made = clinic('2026-11-20T09:25:00.000Z')
    made.store.settings.set('inspector.retentionHours', 3)
    const { hours } = await made.trends()
    expect(hours.filter(({ queries }) => queries !== null).map(({ from }) => from)).toEqual([
      '2026-11-20T07:00:00.000Z',
      '2026-11-20T08:00:00.000Z',
      '2026-11-20T09:00:00.000Z',
    ])
  })

  it('tell how long partners took and how many requests failed, of tests nothing', async () => {
    using made = clinic('2026-11-20T09:25:00.000Z')
    const { store } = made
    const at = '2026-11-20T08:05:00.000Z'
    for (let ms = 1; ms <= 20; ms += 1) plantRequest(store, at, { tookMs: ms * 10 })
    plantRequest(store, at, { outcome: 'timeout', tookMs: 8000 })
    // The partner was not asked: it failed, and took no time.
    plantRequest(store, at, { outcome: 'circuit-open', tookMs: 0 })
    plantRequest(store, at, { tookMs: 60_000 }, { isTest: true })
    plantRequest(store, '2026-11-20T09:05:00.000Z', { tookMs: 40 })
    const report = { type: 'report.delivered' } as const
    // Made two days ago, tried now; the other was tried before these hours.
    const made2 = '2026-11-18T09:00:00.000Z'
    plantRequest(
      store,
      made2,
      { outcome: 'status', tookMs: 50, at: '2026-11-20T09:06:00.000Z' },
      report,
    )
    plantRequest(store, made2, { tookMs: 50 }, report)
    expect(await made.busy(({ partner }) => partner.requests > 0 && partner)).toEqual([
      ['2026-11-20T08:00:00.000Z', { requests: 22, failed: 2, p50Ms: 110, p95Ms: 200 }],
      ['2026-11-20T09:00:00.000Z', { requests: 2, failed: 1, p50Ms: 40, p95Ms: 50 }],
    ])
    expect((await made.trends()).partner).toEqual({
      requests: 24,
      failed: 3,
      p50Ms: 100,
      p95Ms: 200,
    })
  })
})

it('tells of each queue how much waits, and since when the oldest does', async () => {
  using made = clinic('2026-11-20T09:25:00.000Z')
  const { store } = made
  plantForwards(store, '2026-11-20T05:00:00.000Z', 3)
  plantForwards(store, '2026-11-20T06:00:00.000Z', 4)
  plantJob(store, 'report.delivered', '2026-11-20T08:00:00.000Z')
  plantJob(store, 'report.delivered', '2026-11-20T07:00:00.000Z')
  plantJob(store, 'invitation.mail', instantOf(made.clock()))
  plantJob(store, 'escalation.mail', '2026-11-20T09:10:00.000Z')
  plantJob(store, 'escalation.mail', '2026-11-20T09:20:00.000Z')
  insertCommitment(store.database, {
    ...{ transactionUid: '1.2.3', callingAeTitle: 'CT1', remoteAddress: '10.0.3.7' },
    ...{ deviceName: '', requestedAt: '2026-11-20T09:00:00.000Z' },
    ...{ nextAt: '2026-11-20T10:00:00.000Z', items: [] },
  })
  expect((await made.trends()).queues).toEqual([
    { queue: 'reports', waiting: 2, since: '2026-11-20T07:00:00.000Z' },
    { queue: 'report-copies', waiting: 0, since: null },
    { queue: 'forwards', waiting: 7, since: '2026-11-20T05:00:00.000Z' },
    { queue: 'commitments', waiting: 1, since: '2026-11-20T09:00:00.000Z' },
    { queue: 'enrichment', waiting: 0, since: null },
    { queue: 'captures', waiting: 0, since: null },
    { queue: 'mail', waiting: 3, since: '2026-11-20T09:10:00.000Z' },
  ])
})

it('reads every table along an index', async () => {
  using made = clinic('2026-11-20T09:25:00.000Z')
  const { store } = made
  plantImages(store, '2026-11-18T08:05:00.000Z', 1)
  plantRequest(store, '2026-11-20T08:05:00.000Z')
  const plans = new Set<string>()
  const { database } = store
  const explained = (which: 'all' | 'get') => ({
    value: (asked: { compile(): { sql: string } }) => {
      const compiled = asked.compile()
      const explain = { ...compiled, sql: `explain query plan ${compiled.sql}` }
      for (const { detail } of database.all<{ detail: string }>({
        compile: () => explain as never,
      }))
        plans.add(detail)
      return database[which](asked as never)
    },
  })
  const spied = { all: explained('all'), get: explained('get') }
  const watched = { ...store, database: Object.create(database, spied) as typeof database }
  await trendsOf(watched, liveOf(watched))
  const scans = [...plans].filter((plan) => plan.startsWith('SCAN') && plan !== 'SCAN CONSTANT ROW')
  // Indexes of what waits alone, and the first row of one by time.
  expect(scans.toSorted()).toEqual([
    'SCAN commitments USING INDEX commitmentsWaiting',
    'SCAN imageStudies USING INDEX imageStudiesByTime',
    'SCAN imageStudies USING INDEX imageStudiesToEnrich',
    'SCAN s USING COVERING INDEX forwardedStudiesOpen',
  ])
})

describe('the call', () => {
  it('is for everybody who is signed in, and answers for half a minute', async () => {
    const forecast = () => forecastOf(STORAGE, 5e9, [])
    await using gateway = await openTestDashboard(
      { forecast },
      {
        serve: (app, { store }) => serveTrends(app, store, { storage: () => STORAGE, forecast }),
      },
    )
    expect(codeOf(await gateway.openWindow().call('GET', '/dashboard/trends'))).toEqual([
      401,
      'not-signed-in',
    ])
    const member = await gateway.signedIn('member')
    const read = async () =>
      dashboardTrends.trends.reply.parse((await member.call('GET', '/dashboard/trends')).json)
    const first = await read()
    expect(first.at).toBe(instantOf(START))
    expect(first.disk).toEqual({
      ...{ freeBytes: 400e9, totalBytes: 500e9, stopBytes: 5e9, days: [] },
      ...{ fullInDays: null, unknownBecause: 'few-days' },
    })
    plantImages(gateway.store, instantOf(START - 60_000), 3)
    gateway.advance(29_000)
    expect((await read()).hours.at(-2)?.images).toBe(0)
    gateway.advance(1000)
    const later = await read()
    expect(later.hours.at(-2)).toMatchObject({ from: '2026-11-20T08:00:00.000Z', images: 3 })
  })
})
