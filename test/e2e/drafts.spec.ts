import { type BrowserContext, expect, type Locator, type Page } from '@playwright/test'
import { verbatim } from '#shared/messages/message.ts'
import { sendImages } from './modality.ts'
import { ask, enterAsOwner, leaveSetup, OWNER, openStage, type Stage } from './stage.ts'
import { test } from './test.ts'

// A report and the connection of its window: the reports it must not lose, and the tabs that share
// one stream of events.

test.describe.configure({ mode: 'serial', timeout: 120_000 })

const UID = '1.2.826.0.1.3680043.8.498.7200'
let stage: Stage
let context: BrowserContext
let page: Page
let key: string
let studies = 0

test.beforeAll(async ({ browser }) => {
  stage = await openStage()
  key = await stage.command('api-key', 'create', '--description', 'Cloud RIS')
  context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  page = await context.newPage()
  await enterAsOwner(stage, page)
})

test.afterAll(async () => {
  await context.close()
  await stage[Symbol.asyncDispose]()
})

/** A new study as a partner adds it, opened in the reading screen of the tab. */
async function openStudy(tab: Page): Promise<string> {
  const answer = await fetch(`${stage.http}/v1/scribe/studies`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      studyInstanceUid: `1.2.826.0.1.3680043.8.498.7100${++studies}`,
      studyDescription: 'CT thorax',
      severity: 'normal',
      reportMetadata: { patientName: 'TEST^MAJA', sex: 'female', mrn: 'P-7001' },
    }),
  })
  const { studyId } = (await answer.json()) as { studyId: string }
  await tab.goto(`${stage.http}/#/reading/${studyId}`)
  await expect(editorOf(tab)).toBeVisible()
  return studyId
}
const editorOf = (tab: Page): Locator => tab.getByRole('textbox', { name: 'Report', exact: true })
const saving = (tab: Page) => tab.getByTestId('saving')
/** What the gateway has, read by another tab's call. */
async function textOf(studyId: string): Promise<string> {
  const answer = await context.request.get(`${stage.http}/dashboard/reading/${studyId}`)
  return ((await answer.json()) as { draft: { text: string } | null }).draft?.text ?? ''
}
const DRAFT = /\/dashboard\/reading\/[^/]+\/draft$/

/**
 * Holds back the answers to the saves of a tab, which the gateway has carried out, until the
 * function it gives is called.
 */
async function holdSaves(tab: Page): Promise<() => Promise<void>> {
  const held: (() => void)[] = []
  let isHeld = true
  await tab.route(DRAFT, async (route) => {
    const request = route.request()
    if (!isHeld || request.method() !== 'PUT' || held.length > 0) return route.continue()
    const waiting = new Promise<void>((resolve) => held.push(resolve))
    const response = await route.fetch()
    await waiting
    // The page may be gone.
    await route.fulfill({ response }).catch(() => undefined)
  })
  return async () => {
    isHeld = false
    for (const go of held) go()
  }
}

test('the last words are saved when the page is loaded again during a save', async () => {
  const studyId = await openStudy(page)
  await editorOf(page).fill('First words.')
  await expect(saving(page)).toContainText('Saved')
  const release = await holdSaves(page)
  await editorOf(page).fill('First words. More words.')
  await expect(saving(page)).toContainText('Saving')
  await editorOf(page).fill('First words. More words. Last words.')
  page.once('dialog', (dialog) => dialog.accept())
  await page.reload()
  await release()
  await page.unroute(DRAFT)
  await expect.poll(() => textOf(studyId)).toBe('First words. More words. Last words.')
  await expect(editorOf(page)).toContainText('Last words.')
  await editorOf(page).press('End')
  await page.keyboard.type(' And on.')
  await expect(saving(page)).toContainText('Saved')
  await expect.poll(() => textOf(studyId)).toBe('First words. More words. Last words. And on.')
})

test('leaving a study during a save loses nothing, and opening it again is no conflict', async () => {
  const studyId = await openStudy(page)
  await editorOf(page).fill('One.')
  await expect(saving(page)).toContainText('Saved')
  const release = await holdSaves(page)
  await editorOf(page).fill('One. Two.')
  await expect(saving(page)).toContainText('Saving')
  await editorOf(page).fill('One. Two. Three.')
  await page.goto(`${stage.http}/#/reading`)
  await expect(page.getByRole('heading', { level: 1, name: 'Reading' })).toBeVisible()
  await page.goto(`${stage.http}/#/reading/${studyId}`)
  await expect(editorOf(page)).toContainText('One. Two. Three.')
  await release()
  await expect(saving(page)).toContainText('Saved')
  await page.unroute(DRAFT)
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await expect.poll(() => textOf(studyId)).toBe('One. Two. Three.')
})

test('a refused save is over once the saved text is typed again, and the sign dialog sees a retry that succeeds', async () => {
  await openStudy(page)
  const text = 'Findings: The lungs are clear.\nImpression: Normal chest.'
  await editorOf(page).fill(text)
  await expect(saving(page)).toContainText('Saved')
  const problem = {
    type: 'about:blank',
    title: 'Refused',
    status: 422,
    detail: 'x',
    instance: '/',
    code: 'refused',
    errors: [],
  }
  await page.route(DRAFT, (route) =>
    route.fulfill({
      status: 422,
      json: { ...problem, message: 'It is too long.', explanation: verbatim('It is too long.') },
    }),
  )
  await editorOf(page).fill(`${text} And more.`)
  await expect(saving(page)).toContainText('Not saved: It is too long.')
  await editorOf(page).fill(text)
  await expect(saving(page)).toContainText(/^Saved/)
  await page.unroute(DRAFT)

  await page.route(DRAFT, (route) => route.abort())
  await editorOf(page).fill(`${text}\nNo effusion.`)
  await expect(saving(page)).toContainText('Retrying')
  await page.getByRole('button', { name: 'Sign…', exact: true }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByText('could not be saved')).toBeVisible()
  await expect(dialog.getByRole('button', { name: 'Sign', exact: true })).toBeDisabled()
  await page.unroute(DRAFT)
  await expect(dialog.getByText('could not be saved')).toHaveCount(0, { timeout: 30_000 })
  await dialog.getByRole('button', { name: 'Back to report' }).click()
})

test('a report that was left unsaved stays in sight until it is saved', async () => {
  const studyId = await openStudy(page)
  await page.route(DRAFT, (route) => route.abort())
  await editorOf(page).fill('Left behind.')
  await expect(saving(page)).toContainText('Retrying')
  await page.goto(`${stage.http}/#/reading`)
  await page.getByRole('button', { name: 'Leave', exact: true }).click()
  const notice = page.getByRole('alert').filter({ hasText: 'A report that you left is not saved' })
  await expect(notice).toBeVisible()
  await page.unroute(DRAFT)
  await expect(notice).toHaveCount(0, { timeout: 30_000 })
  await expect.poll(() => textOf(studyId)).toBe('Left behind.')
})

test('eight tabs share one stream of events, and a draft is saved in the last', async () => {
  const streams = new Set<string>()
  context.on('request', (request) => {
    if (request.url().endsWith('/dashboard/feed/events')) streams.add(request.frame()?.url() ?? '')
  })
  const tabs = [page]
  for (let at = 1; at < 8; at++) {
    const tab = await context.newPage()
    await tab.goto(`${stage.http}/#/images`)
    await expect(tab.getByText('Live', { exact: true })).toBeVisible()
    tabs.push(tab)
  }
  const last = tabs.at(-1) as Page
  const studyId = await openStudy(last)
  await editorOf(last).fill('Written in the eighth tab.')
  await expect(saving(last)).toContainText('Saved')
  await expect.poll(() => textOf(studyId)).toBe('Written in the eighth tab.')
  expect(streams.size, 'streams of pages').toBe(0)

  // Events go on after the first tabs are closed.
  for (const tab of tabs.slice(1, 7)) await tab.close()
  await stage.command('device', 'add', '--ae-title', 'LATER1', '--name', 'Later')
  await expect(last.getByText('Live', { exact: true })).toBeVisible()
  await expect(page.getByText('Live', { exact: true })).toBeVisible()
})

test('without a SharedWorker one tab passes the events on, and the next one takes its place', async ({
  browser,
}) => {
  const older = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  await older.addInitScript(() => Reflect.deleteProperty(globalThis, 'SharedWorker'))
  await older.addCookies(await context.cookies())
  const streams: Page[] = []
  older.on('request', (request) => {
    if (request.url().endsWith('/dashboard/feed/events')) streams.push(request.frame().page())
  })
  const tabs: Page[] = []
  for (let at = 0; at < 3; at++) {
    const tab = await older.newPage()
    await tab.goto(`${stage.http}/#/images`)
    await expect(tab.getByText('Live', { exact: true })).toBeVisible()
    tabs.push(tab)
  }
  expect(streams).toEqual([tabs[0]])
  await tabs[0]?.close()
  await expect.poll(() => streams.length).toBe(2)
  for (const tab of tabs.slice(1))
    await expect(tab.getByText('Live', { exact: true })).toBeVisible()
  await older.close()
})

test('what waits is the same number in the navigation and on Today', async () => {
  // The page is loaded anew at this address: one that is reloaded on the set-up is led there again.
  await page.goto('about:blank')
  await page.goto(`${stage.http}/#/`)
  await leaveSetup(page)
  // A reply that both were not made of: the status as it was before.
  const before = await context.request.get(`${stage.http}/dashboard/status`)
  await page.route('**/dashboard/status', (route) => route.fulfill({ response: before }))
  await ask(stage, 'STRANGER')
  const navigation = page
    .getByRole('navigation', { name: 'Main' })
    .getByRole('link', { name: /^Devices/ })
  await expect(page.getByText('1 unknown device', { exact: false })).toBeVisible()
  await expect(navigation).toContainText('1')
  await page.unroute('**/dashboard/status')
})

test('the number of images is the same on Today and in the list while they arrive', async () => {
  for (const key of ['intake.stopGigabytes', 'intake.warnGigabytes'])
    await stage.command('config', 'set', key, '0')
  await stage.command('device', 'add', '--ae-title', 'CT1', '--name', 'CT, room 1')
  const list = await context.newPage()
  await list.goto(`${stage.http}/#/images`)
  await page.goto(`${stage.http}/#/`)
  const onToday = page
    .getByLabel('Today’s figures')
    .locator('div')
    .filter({ hasText: 'Images today' })
    .locator('dd')
  await expect(onToday).toHaveText('0')
  const read = async (path: string) =>
    (await context.request.get(`${stage.http}/dashboard/${path}`)).json()
  const ofToday = async (): Promise<number> => (await read('today')).numbers.imagesToday
  const ofStatus = async (): Promise<number> => (await read('status')).images.today
  const ofList = async (): Promise<number> => {
    const { studies } = (await read('images?limit=100')) as { studies: { instances: number }[] }
    return studies.reduce((sum, { instances }) => sum + instances, 0)
  }

  let isSending = true
  const sending = (async () => {
    for (let from = 1; from <= 12; from += 4) {
      const of = { patientName: 'Newer^Cleo', patientId: 'P-7002' }
      const numbers = [from, from + 1, from + 2, from + 3]
      const images = numbers.map((number) => ({
        ...of,
        number,
        studyInstanceUid: `${UID}${1 + (number % 2)}`,
      }))
      await sendImages(stage, 'CT1', images)
    }
  })().finally(() => {
    isSending = false
  })
  while (isSending) {
    // Each lies between what the one before it and the one after it read.
    const read = [
      await ofToday(),
      await ofList(),
      await ofStatus(),
      await ofList(),
      await ofToday(),
    ]
    expect(read).toEqual(read.toSorted((a, b) => a - b))
  }
  await sending
  expect([await ofToday(), await ofList(), await ofStatus()]).toEqual([12, 12, 12])
  await expect(onToday).toHaveText('12')
  for (const study of [1, 2])
    await expect(
      list
        .getByRole('row')
        .filter({ hasText: 'NEWER' })
        .nth(study - 1),
    ).toContainText('6')
  await list.close()
})

test('text that is not saved when the session ends is saved when the same person is back', async () => {
  const studyId = await openStudy(page)
  await page.route(DRAFT, (route) => route.abort())
  await editorOf(page).fill('Before the session ended.')
  await expect(saving(page)).toContainText('Retrying')
  const other = await context.newPage()
  await other.goto(`${stage.http}/#/images`)
  await other.getByRole('button', { name: 'Olga Berg' }).click()
  await other.getByRole('menuitem', { name: 'Sign out' }).click()
  await expect(page.getByText('This page holds unsaved report text')).toBeVisible()
  await page.unroute(DRAFT)
  await page.getByLabel('E-mail').fill(OWNER.email)
  await page.getByRole('textbox', { name: 'Password' }).fill(OWNER.password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await expect(saving(page)).toContainText('Saved')
  await expect.poll(() => textOf(studyId)).toBe('Before the session ended.')
})
