import { mkdtempSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, type Page } from '@playwright/test'
import { openContext } from '#server/context.ts'
import { instantOf } from '#server/platform/clock.ts'
import { prepareDataFolder } from '../support/temp-store.ts'
import {
  plantBytes,
  plantForwards,
  plantImages,
  plantQuery,
  plantRequest,
} from '../support/trends.ts'
import { misfits } from './screen-layout.ts'
import { atRest } from './screens.ts'
import {
  addSession,
  complaintsOf,
  createOwner,
  expectAccessible,
  openStageIn,
  type Stage,
} from './stage.ts'
import { test } from './test.ts'

// The charts of the home pages, of a day whose figures are planted before the gateway starts.

test.describe.configure({ mode: 'serial', timeout: 120_000 })

const HOUR_MS = 60 * 60_000
const DAY_MS = 24 * HOUR_MS
let stage: Stage
let page: Page
let complaints: readonly string[]

test.beforeAll(async ({ browser }) => {
  const folder = mkdtempSync(join(tmpdir(), 'isthmus-e2e-'))
  plantDay(folder)
  // Without a partner, so that no request is added to those that are counted.
  stage = await openStageIn(folder)
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  await addSession(context, stage.http, await createOwner(stage))
  page = await context.newPage()
  complaints = complaintsOf(page)
  await page.goto(`${stage.http}/#/`)
})

test.afterAll(async () => {
  await page?.context().close()
  await stage?.[Symbol.asyncDispose]()
})

/** It is twelve o'clock: figures of the hour from 9 and the one from 10, and of the days before. */
function plantDay(folder: string): void {
  prepareDataFolder(folder)
  using store = openContext({ folder, clock: Date.now })
  const noon = Math.floor(Date.now() / HOUR_MS) * HOUR_MS
  const at = (hours: number, minutes = 0) => instantOf(noon - hours * HOUR_MS + minutes * 60_000)
  const { bavail, bsize } = statfsSync(folder)
  const left = (bavail * bsize) / 2
  store.settings.set('setup.isDone', true)
  store.settings.set('clinic.timeZone', 'UTC')
  store.settings.set('intake.warnGigabytes', 0)
  store.settings.set('intake.stopGigabytes', left / 1e9)
  store.database.transaction(() => {
    plantImages(store, at(3, 10), 1200)
    plantImages(store, at(3, 40), 34)
    plantImages(store, at(2, 5), 7)
    for (let count = 0; count < 12; count += 1) plantQuery(store, at(3, count))
    for (let count = 0; count < 3; count += 1)
      plantQuery(store, at(2, count), { source: 'stored', fault: 'unreachable' })
    plantQuery(store, at(2, 9), { status: 'A700', source: 'none', fault: 'timeout', sent: 0 })
    for (let count = 1; count <= 20; count += 1)
      plantRequest(store, at(3, 1), { tookMs: count * 10 })
    plantRequest(store, at(2, 9), { outcome: 'timeout', tookMs: 8000 })
    plantForwards(store, at(26), 312)
    // Full in 20 days and a half, so that a disk that others use too changes nothing.
    plantBytes(store, instantOf(noon - 20 * DAY_MS), 1)
    for (let day = 1; day <= 14; day += 1)
      plantBytes(store, instantOf(noon - day * DAY_MS), Math.round(left / 20.5))
  })
}

const figure = (name: string) =>
  page.getByRole('figure').filter({ has: page.getByRole('slider', { name, exact: true }) })
const slider = (name: string) => page.getByRole('slider', { name, exact: true })

test('charts show what happened in the last 24 hours, in words too', async () => {
  await expect(figure('Images received')).toContainText(
    '1,241 images from 3 studies in the last 24 hours; busiest hour 09:00–10:00 (1,234).',
  )
  await expect(figure('Worklist queries')).toContainText(
    '16 queries in the last 24 hours: 12 with a response from the partner, 3 with a stored response, 1 failed.',
  )
  await expect(figure('Partner response time')).toContainText(
    '21 requests in the last 24 hours, median 110 ms, 95th percentile 200 ms; 1 failed.',
  )
})

test('the keyboard and the pointer show the figures of an hour', async () => {
  const queries = slider('Worklist queries')
  await queries.focus()
  await expect(queries).toHaveAttribute(
    'aria-valuetext',
    '12:00–13:00: Partner response 0, Stored response 0, Failed 0',
  )
  await page.keyboard.press('ArrowLeft')
  await page.keyboard.press('ArrowLeft')
  await expect(queries).toHaveAttribute(
    'aria-valuetext',
    '10:00–11:00: Partner response 0, Stored response 3, Failed 1',
  )
  await expect(figure('Worklist queries')).toContainText('Partner response0Stored response3Failed1')
  await queries.blur()
  const box = (await slider('Images received').boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 }
  await page.mouse.move(box.x + (box.width * 20.5) / 24, box.y + box.height / 2)
  await expect(figure('Images received')).toContainText('Images1,234Studies2')
  await page.mouse.move(0, 0)
  await expect(figure('Images received')).not.toContainText('Studies2')
})

test('a chart is a table at the press of a button', async () => {
  await page.getByRole('button', { name: 'Show as table: Partner response time' }).click()
  const table = page.getByRole('table', { name: 'Partner response time' })
  await expect(table.getByRole('row')).toHaveCount(25)
  await expect(table.getByRole('row', { name: /^09:00–10:00/ })).toHaveText(
    '09:00–10:00190 ms100 ms020',
  )
  await expect(table.getByRole('row', { name: /^10:00–11:00/ })).toHaveText(
    '10:00–11:008.0 s8.0 s11',
  )
  await expectAccessible(page, 'trends-table')
  await page.getByRole('button', { name: 'Show as chart: Partner response time' }).click()
  await expect(table).toHaveCount(0)
})

test('queues show what waits and for how long', async () => {
  const rows = page.getByRole('list', { name: 'Queues' }).getByRole('listitem')
  await expect(rows).toHaveText(['Images for destinations312 waitingOldest entry: 1 day ago'])
})

test('the disk says when it will be full, and that something has to be done', async () => {
  await expect(page.getByText('Full in 20 days at this rate')).toBeVisible()
  const task = page.getByRole('listitem').filter({ hasText: 'Image storage' })
  await expect(task).toContainText(
    'At the current rate it will be full in 20 days. Free some space, or add a disk.',
  )
  await page.goto(`${stage.http}/#/settings/readiness`)
  await expect(page.getByText('At the current rate it will be full in 20 days.')).toBeVisible()
  await expect(page.getByText('Free some space, or add a disk.')).toBeVisible()
})

test('charts are accessible and fit every window, on both home pages that have them', async () => {
  for (const home of ['administrator', 'technologist']) {
    await page.goto(`${stage.http}/#/?home=${home}`)
    await expect(slider('Images received')).toBeVisible()
    await atRest(page)
    await expectAccessible(page, `trends-${home}`)
    for (const [width, height] of [
      [1024, 768],
      [640, 360],
      [1440, 900],
    ] as const) {
      await page.setViewportSize({ width, height })
      await expect.poll(() => misfits(page), { message: `${home} ${width}` }).toEqual([])
    }
  }
  await expect(slider('Partner response time')).toHaveCount(0)
  expect(complaints).toEqual([])
})
