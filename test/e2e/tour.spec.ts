import { expect, type Page } from '@playwright/test'
import { addSession, createOwner, faultsByScheme, openStage, type Stage } from './stage.ts'
import { test } from './test.ts'

// The guided tour of the demo, by the keyboard alone.

test.describe.configure({ timeout: 60_000 })

let stage: Stage
let page: Page

test.beforeAll(async ({ browser }) => {
  stage = await openStage()
  for (const setting of ['setup.isDone', 'setup.offersTour'])
    await stage.command('config', 'set', setting, 'true')
  const context = await browser.newContext()
  await addSession(context, stage.http, await createOwner(stage))
  page = await context.newPage()
})

test.afterAll(() => stage?.[Symbol.asyncDispose]())

const heading = (name: string) => page.getByRole('heading', { level: 1, name })

test('opens after sign-in, links to its screens and can be opened again', async () => {
  await page.goto(`${stage.http}/#/`)
  await expect(heading('Guided tour')).toBeVisible()
  expect(await faultsByScheme(page, 'tour')).toEqual({})

  await page.getByRole('link', { name: 'Open Devices' }).focus()
  await page.keyboard.press('Tab')
  await expect(page.getByRole('link', { name: 'Open Images' })).toBeFocused()
  await page.keyboard.press('Shift+Tab')
  await page.keyboard.press('Enter')
  await expect(heading('Devices')).toBeVisible()

  // Today opens as usual from now on.
  await page.goto(`${stage.http}/#/`)
  await expect(heading('Today')).toBeVisible()

  await page.getByRole('button', { name: 'Olga Berg' }).press('Enter')
  await page.getByRole('menuitem', { name: 'Guided tour' }).press('Enter')
  await expect(heading('Guided tour')).toBeVisible()
  await expect(page.getByRole('img', { name: 'Opened' })).toHaveCount(1)

  for (const [link, screen] of [
    ['Open Images', 'Images'],
    ['Open the mismatch', 'Images'],
    ['Open Reading', 'Reading'],
    ['Open Events', 'Events'],
    ['Open Worklist', 'Worklist'],
  ] as const) {
    await page.goto(`${stage.http}/#/tour`)
    await page.getByRole('link', { name: link }).press('Enter')
    await expect(heading(screen)).toBeVisible()
  }
})
