import { expect, type Page } from '@playwright/test'
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

// The sandbox as an administrator sees it: a test key is made, its data is counted, and emptied.

test.describe.configure({ mode: 'serial', timeout: 120_000 })

let stage: Stage
let page: Page
let complaints: readonly string[]
let key: string

test.beforeAll(async ({ browser }) => {
  stage = await openStage()
  page = await browser.newPage()
  complaints = complaintsOf(page)
  await enterAsOwner(stage, page)
  await go(page, 'API keys')
})
test.afterAll(async () => {
  expect(complaints).toEqual([])
  await page.close()
  await stage[Symbol.asyncDispose]()
})

const call = async (path: string, body?: object) => {
  const response = await fetch(`${stage.http}/v1/sandbox${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  return response.status
}

test('is off until a test key is made, which is shown once', async () => {
  await expect(page.getByText('The sandbox is switched off.')).toBeVisible()
  await page.getByRole('button', { name: 'Create test key' }).click()
  const form = page.getByRole('dialog', { name: 'Create test key' })
  await form.getByLabel('Used by').fill('Cloud RIS, development')
  await form.getByRole('button', { name: 'Create test key' }).click()
  const shown = page.getByRole('dialog', { name: 'Copy your API key now' })
  key = (await shown.locator('pre').textContent()) ?? ''
  expect(key).toMatch(/^sk_test_[0-9a-f]{32}$/)
  await shown.getByRole('button', { name: 'I have copied it' }).click()
  await expect(page.getByRole('row', { name: /Cloud RIS, development/ })).toBeVisible()
  expect(await page.content()).not.toContain(key)
})

test('counts the test data, which no other screen shows', async () => {
  expect(await call('/exams', {})).toBe(201)
  expect(await call('/reports', {})).toBe(201)
  await page.reload()
  await expect(page.getByText('A simulated partner on this PC')).toBeVisible()
  await expect(page.getByText(/studies, 12 images, no report waiting/)).toBeVisible()
  await pictured(page, 'sandbox')
  await expectAccessible(page, 'the sandbox')
  await go(page, 'Images')
  await expect(page.getByText('Invented')).toHaveCount(0)
  await go(page, 'API keys')
})

test('opens a link of the sandbox in the viewer', async ({ browser }) => {
  const authorization = `Bearer ${key}`
  const get = async (path: string) =>
    await (await fetch(`${stage.http}${path}`, { headers: { authorization } })).json()
  const { studies } = await get('/v1/scribe/studies?studyDescription=')
  const exam = studies.find(
    ({ studyDescription }: { studyDescription: string }) => studyDescription !== 'Sandbox study',
  )
  const response = await fetch(`${stage.http}/v1/scribe/studies/viewer-only-reroute-url`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ studyId: exam.studyId }),
  })
  const { url } = (await response.json()) as { url: string }
  expect(url).toContain('/sandbox/study/')
  const viewer = await browser.newPage()
  const wrong = complaintsOf(viewer)
  await viewer.goto(url)
  await expect(viewer).toHaveURL(/\/sandbox\/viewer#/)
  await expect(viewer.locator('canvas').first()).toBeVisible({ timeout: 30_000 })
  await expect(viewer.getByText('Test data, not a patient')).toBeVisible()
  // A reload goes on by the cookie of the view, which is that of the sandbox.
  await viewer.reload()
  await expect(viewer.locator('canvas').first()).toBeVisible({ timeout: 30_000 })
  await pictured(viewer, 'sandbox-viewer', [1440])
  expect(wrong).toEqual([])
  await viewer.close()
})

test('takes an address for events, and shows its secret once', async () => {
  await page.getByRole('button', { name: 'Change address…' }).click()
  const form = page.getByRole('dialog', { name: 'Address for events of the sandbox' })
  await form.getByRole('textbox', { name: 'Address' }).fill('http://127.0.0.1:9/hook')
  await form.getByRole('button', { name: 'Save' }).click()
  await expect(form.getByText(/http/).last()).toBeVisible()
  await form.getByLabel('Allow http and private addresses').check()
  await pictured(page, 'sandbox-address')
  await form.getByRole('button', { name: 'Save' }).click()
  const shown = page.getByRole('dialog', { name: 'Copy the signing secret now' })
  await expect(shown.locator('pre')).toContainText('whsec_')
  await shown.getByRole('button', { name: 'I have copied it' }).click()
  await expect(page.getByText('http://127.0.0.1:9/hook')).toBeVisible()
})

test('is emptied, and switched off', async () => {
  await page.getByRole('button', { name: 'Empty…' }).click()
  const asked = page.getByRole('dialog', { name: 'Delete all test data?' })
  await pictured(page, 'sandbox-empty')
  await asked.getByRole('button', { name: 'Delete test data' }).click()
  await expect(page.getByText(/0 studies, 0 images/)).toBeVisible()
  await page.getByRole('button', { name: 'Switch off' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Switch off' }).click()
  await expect(page.getByText('The sandbox is switched off.').first()).toBeVisible()
  expect(await call('')).toBe(401)
  await pictured(page, 'sandbox-off')
})
