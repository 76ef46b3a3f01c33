import { expect, type Locator, type Page } from '@playwright/test'
import {
  complaintsOf,
  enterAsOwner,
  faultsByScheme,
  go as goOn,
  openStage,
  type Stage,
} from './stage.ts'
import { test } from './test.ts'

test.describe.configure({ mode: 'serial', timeout: 120_000 })

let stage: Stage
let page: Page
let key: string
const complaints: (readonly string[])[] = []

test.beforeAll(async ({ browser }) => {
  stage = await openStage()
  key = await stage.command('api-key', 'create', '--description', 'Cloud RIS')
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  page = await context.newPage()
  complaints.push(complaintsOf(page))
  await enterAsOwner(stage, page)
})

test.afterAll(async () => {
  await page.context().close()
  await stage[Symbol.asyncDispose]()
})

const go = (name: string) => goOn(page, name)
const tab = async (name: string) =>
  page.getByRole('navigation', { name: 'Reading' }).getByRole('link', { name }).click()
/** A view of the list, which the link names with how many studies it has. */
const view = async (name: string) =>
  page
    .getByRole('navigation', { name: 'Views' })
    .getByRole('link', { name: new RegExp(`^${name}`) })
    .click()
const rowOf = (text: string) => page.getByRole('row').filter({ hasText: text })
const editorOf = (screen: Page, name = 'Report'): Locator =>
  screen.getByRole('textbox', { name, exact: true })
const saving = (screen: Page) => screen.getByTestId('saving')

/** A study as a partner adds it. */
async function addStudy(number: number, more: object = {}): Promise<void> {
  const answer = await fetch(`${stage.http}/v1/scribe/studies`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      studyInstanceUid: `1.2.826.0.1.3680043.8.498.7000${number}`,
      studyDescription: 'CT thorax with contrast',
      severity: 'stat',
      reportMetadata: {
        ...{ patientName: 'TEST^MAJA', dateOfBirth: '1971-05-03', sex: 'female', mrn: 'P-7001' },
        ...{ scanDate: '2026-11-20', scanTime: '10:40' },
      },
      priorReportTexts: ['Impression: No nodule.'],
      ...more,
    }),
  })
  if (!answer.ok) throw new Error(await answer.text())
}

/** Of what `screens.spec.ts` does not show. */
async function isAccessible(screen = page): Promise<void> {
  expect(await faultsByScheme(screen, 'reading')).toEqual({})
}

test('says where studies for reporting come from before there are any', async () => {
  await go('Reading')
  await view('All')
  await expect(page.getByText('No studies to report yet')).toBeVisible()
  await isAccessible()
})

test('announces a STAT study that a partner creates, and lists it, without a reload and without a poll', async () => {
  let reads = 0
  const count = (request: { url(): string }) =>
    void (request.url().includes('/dashboard/studies?') && reads++)
  await page.reload()
  await expect(page.getByText('No studies to report yet')).toBeVisible()
  // What a window reads when it opens, and when its event stream does, is over: the next poll is a
  // minute away.
  const readAt = Date.now()
  await expect
    .poll(() => page.evaluate(() => performance.getEntriesByType('resource').length), {
      intervals: [1500],
    })
    .toBeGreaterThan(0)
  page.on('request', count)
  await addStudy(9, { reportMetadata: { patientName: 'SAMPLE^IDA' } })
  await expect(page.getByRole('alert').filter({ hasText: 'New STAT study' })).toBeVisible({
    timeout: 30_000,
  })
  await expect(rowOf('SAMPLE')).toBeVisible({ timeout: 30_000 })
  expect(reads).toBeGreaterThan(0)
  expect(Date.now() - readAt).toBeLessThan(55_000)
  page.off('request', count)
  const cancelled = await fetch(`${stage.http}/v1/scribe/studies/cancel`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ studyInstanceUid: '1.2.826.0.1.3680043.8.498.70009' }),
  })
  expect(cancelled.status).toBe(200)
})

test('keeps a template and a macro, and shows how they will look', async () => {
  await tab('Templates')
  await page.getByRole('button', { name: 'Add template' }).click()
  const form = page.getByRole('dialog')
  await form.getByRole('textbox', { name: 'Name' }).fill('CT thorax')
  await form
    .getByRole('textbox', { name: 'Text' })
    .fill(
      'Comparison: {comparison}\n\nFindings\nA nodule of [size] mm, {right|left} upper lobe.\n\nImpression\n[ ]\n',
    )
  await expect(form.getByLabel('Preview')).toContainText('Comparison: CT thorax, 12 Mar 2025')
  await form.getByRole('combobox', { name: 'Modalities' }).fill('CT')
  await page.keyboard.press('Enter')
  await isAccessible()
  await form.getByRole('button', { name: 'Add', exact: true }).click()
  await expect(rowOf('CT thorax')).toContainText('Only me')
  await page.getByRole('button', { name: 'Add template' }).click()
  await form.getByText('Macro', { exact: true }).click()
  await form.getByRole('textbox', { name: 'Name' }).fill('Follow-up')
  await form.getByRole('textbox', { name: 'Shortcut' }).fill('f u')
  await form.getByRole('textbox', { name: 'Text' }).fill('CT again in 3 months.')
  await form.getByRole('button', { name: 'Add', exact: true }).click()
  await expect(form.getByText('must have 1 to 20 characters: letters, digits')).toBeVisible()
  await form.getByRole('textbox', { name: 'Shortcut' }).fill('fu')
  await form.getByRole('button', { name: 'Add', exact: true }).click()
  await expect(rowOf('Follow-up')).toContainText('fu')
})

test('lists a study, lets it be assigned, and opens it with J and Enter', async () => {
  await addStudy(1)
  await tab('Studies')
  await expect(rowOf('TEST')).toContainText('STAT')
  await expect(rowOf('TEST')).toContainText('P-7001')
  await rowOf('TEST').getByRole('button', { name: 'unassigned: assign' }).click()
  await page.getByRole('menuitem', { name: 'Assign to me' }).click()
  await expect(rowOf('TEST')).toContainText('Olga Berg')
  await page.getByRole('heading', { level: 1 }).click()
  await page.keyboard.press('j')
  await expect(rowOf('TEST')).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { level: 1, name: 'TEST' })).toBeVisible()
  const banner = page.getByRole('region', { name: 'Patient' })
  for (const fact of ['3 May 1971', 'Female', 'P-7001', 'CT thorax with contrast', '20 Nov 2026'])
    await expect(banner).toContainText(fact)
  expect(await page.title()).not.toContain('TEST')
  expect(page.url()).not.toContain('P-7001')
})

test('offers the template that fits, and leads from field to field', async () => {
  await expect(page.getByText('No nodule.')).toBeVisible()
  await expect(saving(page)).toHaveText('No text yet')
  await page
    .getByRole('region', { name: 'Start with a template' })
    .getByRole('button', { name: 'CT thorax' })
    .click()
  const editor = editorOf(page)
  await expect(editor).toContainText('A nodule of [size] mm')
  await page.keyboard.press('Control+Home')
  while (!(await page.evaluate(() => document.getSelection()?.toString().includes('[size]'))))
    await page.keyboard.press('F2')
  await page.keyboard.type('7')
  await page.keyboard.press('F2')
  await expect(page.getByRole('option', { name: 'left' })).toBeVisible()
  await isAccessible()
  await page.keyboard.press('ArrowDown')
  // The list does not take a key that was meant for the text: it listens from 75 ms on.
  await page.waitForTimeout(150)
  await page.keyboard.press('Enter')
  await expect(editor).toContainText('A nodule of 7 mm, left upper lobe.')
  await page.keyboard.press('Control+.')
  await expect(page.getByRole('option', { name: 'fu' })).toBeVisible()
  await page.keyboard.press('Escape')
  await page.keyboard.type('fu')
  await page.keyboard.press('Tab')
  await expect(editor).toContainText('CT again in 3 months.')
  await expect(saving(page)).toHaveText(/^Saved \d\d:\d\d:\d\d$/)
  await expect(page.getByRole('region', { name: 'Patient' })).toContainText('Draft')
  await isAccessible()
})

test('has the text again after the page was lost', async () => {
  await editorOf(page).click()
  await page.keyboard.press('Control+End')
  await page.keyboard.type(' Smoking cessation.')
  await page.keyboard.press('Control+s')
  await expect(saving(page)).toHaveText(/^Saved/)
  await page.reload()
  await expect(page.getByText('Continuing your draft')).toBeVisible()
  await expect(editorOf(page)).toContainText('Smoking cessation.')
  await page.getByRole('button', { name: 'OK' }).click()
})

test('says that it is not saved, keeps the text, and saves it once the gateway answers again', async () => {
  const drafts = '**/dashboard/reading/*/draft'
  await page.route(drafts, (route) => route.abort())
  await editorOf(page).click()
  await page.keyboard.press('Control+End')
  await page.keyboard.type(' Kept.')
  await expect(saving(page)).toContainText('Retrying')
  await isAccessible()
  await page.getByRole('link', { name: 'All studies' }).click()
  const dialog = page.getByRole('dialog', { name: 'Part of the report is not saved' })
  await dialog.getByRole('button', { name: 'Stay here' }).click()
  await page.unroute(drafts)
  await expect(saving(page)).toHaveText(/^Saved/, { timeout: 30_000 })
})

test('lets one window write at a time, and tells the other one', async () => {
  const second = await page.context().newPage()
  complaints.push(complaintsOf(second))
  await second.goto(page.url())
  await expect(second.getByText('You are editing this report in another window')).toBeVisible()
  await expect(editorOf(second)).toContainText('Kept.')
  await isAccessible(second)
  await second.getByRole('button', { name: 'Take over' }).click()
  await expect(second.getByText('You are editing this report in another window')).toHaveCount(0)
  await editorOf(second).click()
  await second.keyboard.press('Control+End')
  await second.keyboard.type(' Of the other window.')
  await second.keyboard.press('Control+s')
  await expect(saving(second)).toHaveText(/^Saved/)
  await expect(page.getByText('You are editing this report in another window')).toBeVisible()
  await expect(editorOf(page)).toContainText('Of the other window.')
  await page.getByRole('button', { name: 'Take over' }).click()
  await expect(page.getByText('You are editing this report in another window')).toHaveCount(0)
  await second.close()
})

test('puts both texts beside each other where somebody saved in between', async () => {
  test.setTimeout(150_000)
  // As a second window does that took the report over while this one could not be told.
  await page.route('**/dashboard/reading/*', (route) =>
    route.request().method() === 'GET' ? route.abort() : route.continue(),
  )
  const renewal = await page.evaluate(async () => {
    const studyId = location.hash.split('/').at(-1)
    const windowId = crypto.randomUUID()
    const send = async (method: string, body: object, below = '') => {
      const headers = { 'x-isthmus-csrf': '1', 'content-type': 'application/json' }
      const answer = await fetch(`/dashboard/reading/${studyId}/draft${below}`, {
        method,
        headers,
        body: JSON.stringify({ windowId, ...body }),
      })
      return answer.json()
    }
    const { draft } = await send('POST', { takeOver: true, text: '' })
    await send('PUT', { revision: draft.revision, text: `${draft.text}\nA line of theirs.` })
    // Otherwise its lock may have expired when this page asks next.
    return Number(setInterval(() => void send('POST', { isWriting: true }, '/hold'), 10_000))
  })
  await editorOf(page).click()
  await page.keyboard.press('Control+End')
  await page.keyboard.type(' A line of mine.')
  const dialog = page.getByRole('dialog', {
    name: 'Someone else saved this report in the meantime',
  })
  await expect(dialog.getByRole('region', { name: 'Your text' })).toContainText('A line of mine.')
  await expect(dialog.getByRole('region', { name: 'Saved by Olga Berg' })).toContainText(
    'A line of theirs.',
  )
  await isAccessible()
  await page.unroute('**/dashboard/reading/*')
  await dialog.getByRole('button', { name: 'Use the saved text' }).click()
  await expect(editorOf(page)).toContainText('A line of theirs.')
  // Where the page asked last before the route was open again, it asks once more after a minute.
  await page.getByRole('button', { name: 'Take over' }).click({ timeout: 75_000 })
  await page.evaluate((timer) => clearInterval(timer), renewal)
  await expect(page.getByText('You are editing this report in another window')).toHaveCount(0)
})

test('brings an earlier revision back', async () => {
  await page.getByRole('button', { name: 'Revisions' }).click()
  const drawer = page.getByRole('dialog', { name: 'Draft revisions' })
  await drawer
    .getByRole('button', { name: /^Revision/ })
    .first()
    .click()
  await expect(drawer.getByText('A line of theirs.')).toBeVisible()
  await isAccessible()
  await drawer
    .getByRole('button', { name: /^Revision/ })
    .nth(1)
    .click()
  await expect(drawer.getByText('A line of theirs.')).toHaveCount(0)
  await drawer.getByRole('button', { name: 'Restore this text' }).click()
  await expect(editorOf(page)).not.toContainText('A line of theirs.')
  await expect(saving(page)).toHaveText(/^Saved/)
})

test('does not sign what is not finished, and says why', async () => {
  await editorOf(page).click()
  await page.keyboard.press('Control+End')
  await page.keyboard.type(' Side {left|right}.')
  await page.keyboard.press('Control+Enter')
  const dialog = page.getByRole('dialog', { name: 'Sign report' })
  await expect(dialog.getByText('The report cannot be signed')).toBeVisible()
  await expect(dialog.getByRole('button', { name: 'Sign', exact: true })).toBeDisabled()
  await isAccessible()
  await dialog.getByRole('button', { name: 'Back to report' }).click()
  await expect(editorOf(page)).toBeFocused()
  for (let typed = 0; typed < ' Side {left|right}.'.length; typed += 1)
    await page.keyboard.press('Backspace')
})

test('says so where the account may write but not sign, and lets it sign once it may', async () => {
  await page.keyboard.press('Control+Enter')
  const dialog = page.getByRole('dialog', { name: 'Sign report' })
  await expect(dialog.getByText('Your account may write reports but not sign them')).toBeVisible()
  await expect(dialog.getByRole('button', { name: 'Sign', exact: true })).toBeDisabled()
  await dialog.getByRole('button', { name: 'Back to report' }).click()
  await page.evaluate(async () => {
    const headers = { 'x-isthmus-csrf': '1', 'content-type': 'application/json' }
    const { user } = await (await fetch('/dashboard/session')).json()
    const body = JSON.stringify({ canCreateReports: true, npiNumber: '1234567893' })
    await fetch(`/dashboard/people/${user.userId}`, { method: 'PATCH', headers, body })
  })
  await page.reload()
  await editorOf(page).click()
})

test('signs a critical result, for the patient who is named once more, and delivers it', async () => {
  await page.keyboard.press('Control+Enter')
  const dialog = page.getByRole('dialog', { name: 'Sign report' })
  await expect(dialog.getByRole('heading', { name: 'TEST' })).toBeVisible()
  await dialog.getByRole('switch', { name: 'Critical result' }).check({ force: true })
  // It begins with the impression.
  const finding = dialog.getByRole('textbox', { name: 'Critical finding' })
  await expect(finding).not.toBeEmpty()
  await finding.fill('')
  await expect(dialog.getByRole('button', { name: 'Sign', exact: true })).toBeDisabled()
  await finding.fill('New nodule in the left upper lobe')
  for (const warning of await dialog
    .getByRole('group', { name: 'Review these before signing' })
    .getByRole('checkbox')
    .all())
    await warning.check()
  await isAccessible()
  await dialog.getByRole('button', { name: 'Sign', exact: true }).click()
  const card = page.getByRole('article', { name: 'Delivery and copies: Report' })
  await expect(card).toContainText('Signed by Olga Berg')
  await expect(card).toContainText('Delivered')
  await expect(card).toContainText('Not communicated yet')
  await expect(editorOf(page)).toHaveCount(0)
  await isAccessible()
})

test('opens the PDF by a signed link', async () => {
  const linked = page.waitForResponse((response) => response.url().endsWith('/pdf-link'))
  const opened = page.context().waitForEvent('page')
  await page.getByRole('button', { name: 'Open PDF: Report' }).click()
  const { url } = await (await linked).json()
  const { pathname, search } = new URL(url)
  const pdf = await fetch(stage.http + pathname + search)
  expect(pdf.headers.get('content-type')).toBe('application/pdf')
  expect(
    Buffer.from(await pdf.arrayBuffer())
      .subarray(0, 5)
      .toString(),
  ).toBe('%PDF-')
  // Chromium slows a page in the background down: each click would take two seconds.
  await (await opened).close()
  await page.bringToFront()
})

test('keeps a critical result on its list until it is documented who was told', async () => {
  await go('Reading')
  await tab('Critical results')
  await expect(rowOf('New nodule')).toContainText('0 min')
  await isAccessible()
  await rowOf('New nodule').getByRole('button', { name: 'Record communication' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Record communication' }).click()
  await expect(dialog.getByText('must say who was notified')).toBeVisible()
  await isAccessible()
  await dialog.getByRole('textbox', { name: 'Person notified' }).fill('Dr. Adeyemi')
  await dialog.getByRole('checkbox', { name: 'Read-back confirmed' }).check()
  await dialog.getByRole('button', { name: 'Record communication' }).click()
  await expect(page.getByText('No critical results to communicate')).toBeVisible()
})

test('writes an addendum under the signed report, gives one up, and signs another', async () => {
  test.slow()
  await tab('Studies')
  await expect(rowOf('TEST')).toHaveCount(0)
  await view('Signed today')
  await expect(rowOf('TEST')).toContainText('Signed')
  await rowOf('TEST').getByRole('link').click()
  await expect(page.getByText('Dr. Adeyemi was notified')).toBeVisible()
  await page.getByRole('button', { name: 'Start addendum' }).click()
  await editorOf(page, 'Addendum').click()
  await page.keyboard.type('Given up.')
  await expect(page.getByText('CT again in 3 months.')).toBeVisible()
  await expect(saving(page)).toHaveText(/^Saved/)
  await isAccessible()
  await page.getByRole('button', { name: 'Discard addendum' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Discard addendum' }).click()
  await page.getByRole('button', { name: 'Start addendum' }).click()
  await editorOf(page, 'Addendum').click()
  await expect(editorOf(page, 'Addendum')).not.toContainText('Given up.')
  await page.keyboard.type('The earlier examination was compared: the nodule is new.')
  await page.keyboard.press('Control+Enter')
  const dialog = page.getByRole('dialog', { name: 'Sign addendum' })
  for (const warning of await dialog
    .getByRole('group', { name: 'Review these before signing' })
    .getByRole('checkbox')
    .all())
    await warning.check()
  await dialog.getByRole('button', { name: 'Sign', exact: true }).click()
  const card = page.getByRole('article', { name: 'Delivery and copies: Addendum 1' })
  await expect(card).toContainText('Delivered')
  await expect(page.getByText('the nodule is new')).toBeVisible()
  await isAccessible()
})

test('fits a window of 1024 pixels', async () => {
  await page.setViewportSize({ width: 1024, height: 768 })
  await isAccessible()
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(1024)
  await page.setViewportSize({ width: 1440, height: 900 })
})

test('needs no request beyond the gateway and breaks no rule of its own security policy', () => {
  // These tests cut calls off themselves.
  expect(
    complaints.flat().filter((one) => one !== 'Failed to load resource: net::ERR_FAILED'),
  ).toEqual([])
})
