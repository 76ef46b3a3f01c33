import { expect, type Page } from '@playwright/test'
import { startObjectStore, type TestStore } from '../support/object-store.ts'
import { sendImages } from './modality.ts'
import {
  complaintsOf,
  enterAsOwner,
  expectAccessible,
  go,
  openStage,
  pictured,
  type Stage,
} from './stage.ts'
import { test } from './test.ts'

// Storage tiers in the window: an object store is added and tested, the archive is copied to it
// with its progress, and what it holds is verified.

test.describe.configure({ mode: 'serial', timeout: 120_000 })

let stage: Stage
let store: TestStore
let page: Page
let complaints: readonly string[]

test.beforeAll(async ({ browser }) => {
  store = await startObjectStore()
  stage = await openStage()
  await stage.command('config', 'set', 'intake.stopGigabytes', '0')
  await stage.command('device', 'add', '--name', 'CT room 1', '--ae-title', 'CT1')
  const images = Array.from({ length: 12 }, (_, at) => ({
    ...{ studyInstanceUid: '2.25.7001', number: at + 1, side: 28 },
    ...{ patientName: 'SMITHSON^TESS', patientId: 'P-7001' },
  }))
  await sendImages(stage, 'CT1', images)
  const context = await browser.newContext({
    viewport: { width: 1280, height: 860 },
    reducedMotion: 'reduce',
  })
  page = await context.newPage()
  complaints = complaintsOf(page)
  await enterAsOwner(stage, page)
})

test.afterAll(async () => {
  await page.context().close()
  await stage[Symbol.asyncDispose]()
  await store[Symbol.asyncDispose]()
})

const button = (name: string) => page.getByRole('button', { name, exact: true })

test('adds an object store, and says what is wrong with one', async () => {
  await go(page, 'Settings')
  await page
    .getByRole('navigation', { name: 'Settings' })
    .getByRole('link', { name: 'Storage tiers' })
    .click()
  await expect(page.getByRole('heading', { name: 'No tiers' })).toBeVisible()
  await expectAccessible(page, 'tiers-empty')
  await pictured(page, 'tiers-empty')
  await button('Add tier').first().click()
  const form = page.getByRole('dialog')
  await form.getByRole('textbox', { name: 'Name' }).fill('Hospital archive')
  await form.getByRole('textbox', { name: 'Address' }).fill(store.url)
  await form.getByRole('textbox', { name: 'Bucket' }).fill('no-such-bucket')
  await form.getByRole('textbox', { name: 'Access key' }).fill('S3RVER')
  await form.getByLabel('Secret key').fill('S3RVER')
  await expectAccessible(page, 'tiers-form')
  await pictured(page, 'tiers-form')
  await form.getByRole('button', { name: 'Add tier' }).click()
  await button('Test connection').click()
  await expect(page.getByText('The test failed: there is no bucket with this name.')).toBeVisible()
  await pictured(page, 'tiers-failed')
  await button('Edit Hospital archive').click()
  await form.getByRole('textbox', { name: 'Bucket' }).fill('images')
  await form.getByRole('button', { name: 'Save' }).click()
  await button('Test connection').click()
  await expect(page.getByText('an object was written, read and deleted')).toBeVisible()
})

test('copies the archive with its progress, which can be paused', async () => {
  const rest = Promise.withResolvers<void>()
  let written = 0
  store.intervene({
    before: (method) => (method === 'PUT' && ++written > 6 ? rest.promise : undefined),
  })
  await button('Copy all images').click()
  await expect(page.getByText(/Copying · [1-9]\d? of 12 images/)).toBeVisible()
  await pictured(page, 'tiers-migration')
  await button('Pause').click()
  await expect(page.getByText(/Paused · /)).toBeVisible()
  rest.resolve()
  await button('Resume').click()
  await expect(page.getByText(/Done · 12 of 12 images/)).toBeVisible()
  expect(store.keys()).toHaveLength(12)
})

test('verifies what the store has, and copies again what it lost', async () => {
  store.deleteObject(store.keys()[0] ?? '')
  await button('Verify all images').click()
  await expect(page.getByText('1 missing, 0 changed; 1 image is being copied again.')).toBeVisible()
  await pictured(page, 'tiers-lost')
  await expect(page.getByText(/^12 images, /)).toBeVisible()
  await button('Verify all images').click()
  await expect(page.getByText('Every image is in the store as it was copied.')).toBeVisible()
  await expect(page.getByText(/Done · 12 of 12 images/)).toBeVisible()
  await expectAccessible(page, 'tiers')
  await pictured(page, 'tiers-verified')
})

test('says that a store with another address must be verified, and what an erasure leaves', async () => {
  const form = page.getByRole('dialog')
  const edit = async (change: () => Promise<void>) => {
    await button('Edit Hospital archive').click()
    await change()
    await form.getByRole('button', { name: 'Save' }).click()
    await expect(form).toBeHidden()
  }
  const notice = page.getByText('The address of this store has changed.')
  await edit(async () => {
    await form
      .getByRole('textbox', { name: 'Address' })
      .fill(store.url.replace('127.0.0.1', 'localhost'))
    await form.getByLabel('Secret key').fill('S3RVER')
  })
  await expect(notice).toBeVisible()
  await expect(page.getByText('Every image is in the store as it was copied.')).toBeHidden()
  await button('Copy all images again').click()
  await expect(page.getByText('Use “Verify all images” first.')).toBeVisible()
  await expectAccessible(page, 'tiers-moved')
  await pictured(page, 'tiers-moved')
  await button('Verify all images').click()
  await expect(notice).toBeHidden()
  await expect(page.getByText('Every image is in the store as it was copied.')).toBeVisible()

  await edit(() => form.getByRole('switch', { name: 'Enabled' }).press('Space'))
  await page.goto(`${stage.http}/#/images/2.25.7001`)
  await button('Erase…').click()
  await form.getByLabel('Reason').fill('Request of the patient')
  await form.getByLabel('Type P-7001 to confirm').fill('P-7001')
  await expect(form.getByText('Copies were sent to Hospital archive. The')).toBeVisible()
  await pictured(page, 'tiers-erase')
  await form.getByRole('button', { name: 'Erase permanently' }).click()
  await button('Show record').click()
  await expect(form.getByText('the tier is switched off')).toBeVisible()
  await expect(form.getByText('at its former address')).toBeVisible()
  await expectAccessible(page, 'tiers-record')
  await pictured(page, 'tiers-record')
  expect(complaints).toEqual([])
})
