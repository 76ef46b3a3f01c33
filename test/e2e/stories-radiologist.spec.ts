import { expect, type Locator, type Page } from '@playwright/test'
import { enterAsOwner, openStage, type Stage } from './stage.ts'
import { callOf, emailOf, employ, PASSWORD, people } from './stories.ts'
import { test } from './test.ts'

// A radiologist reads a STAT study from signing in to its addendum. No mouse: every step is a key.

test.describe.configure({ mode: 'serial', timeout: 120_000 })

const RUTH = {
  firstName: 'Ruth',
  lastName: 'Okafor',
  clinicRole: 'Radiologist',
  canCreateReports: true,
  npiNumber: '1234567893',
}
const UID = '1.2.826.0.1.3680043.8.498.6300'
let stage: Stage
let page: Page
let all: ReturnType<typeof people>

test.beforeAll(async ({ browser }) => {
  test.setTimeout(120_000)
  stage = await openStage()
  const key = await stage.command('api-key', 'create', '--description', 'Cloud RIS')
  for (const [number, patientName, severity] of [
    [1, 'Hallworth^Clement', 'normal'],
    [2, 'Marlowe^Ottilie', 'stat'],
    [3, 'Pemberton^Agnes', 'high'],
  ] as const) {
    const answer = await fetch(`${stage.http}/v1/scribe/studies`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        ...{
          studyInstanceUid: `${UID}${number}`,
          studyDescription: 'CT thorax with contrast',
          severity,
        },
        reportMetadata: {
          patientName,
          mrn: `MRN-63${number}`,
          dateOfBirth: '1971-05-03',
          sex: 'female',
          scanDate: '2026-11-20',
        },
      }),
    })
    if (!answer.ok) throw new Error(await answer.text())
  }
  all = people(browser)
  const owner = await all.open('owner')
  await enterAsOwner(stage, owner)
  await employ(owner, RUTH)
  const template = 'Findings\nA nodule of [size] mm, {right|left} upper lobe.\n\nImpression\n[ ]\n'
  await callOf(owner, 'POST', '/dashboard/templates', {
    ...{ kind: 'template', name: 'CT thorax', text: template, modalities: [], for: 'everybody' },
  })
  page = await all.open('Ruth')
})

test.afterAll(async () => {
  await all?.close()
  await stage?.[Symbol.asyncDispose]()
})

const editorOf = (name: string) => page.getByRole('textbox', { name, exact: true })
const saving = () => page.getByTestId('saving')
const key = (...keys: string[]) =>
  keys.reduce((before, one) => before.then(() => page.keyboard.press(one)), Promise.resolve())
const hasFocus = (what: Locator) =>
  what.evaluate((element) => element.contains(document.activeElement))

/** Tab, or Shift+Tab, until something has the focus, as a person goes there. */
async function tabTo(what: Locator, stroke: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  await expect(what.first()).toBeVisible()
  for (let pressed = 0; pressed < 80; pressed += 1) {
    if (await hasFocus(what.first())) return
    await page.keyboard.press(stroke)
  }
  throw new Error(`${what} is not reached by ${stroke}`)
}

test('signs in', async () => {
  await page.goto(stage.http)
  await expect(page.getByLabel('E-mail')).toBeFocused()
  await page.keyboard.type(emailOf(RUTH))
  await key('Tab')
  await page.keyboard.type(PASSWORD)
  await key('Enter')
  await expect(page.getByRole('heading', { name: 'Today', level: 1 })).toBeVisible()
})

test('looks up the keys', async () => {
  await key('?')
  const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  await expect(sheet).toContainText('Go to')
  await expect(sheet).toContainText('Lock screen')
  await key('Escape')
  await expect(sheet).toHaveCount(0)
})

test('goes to the reading list, takes the STAT study and opens it', async () => {
  await key('g', 'r')
  await expect(page.getByRole('heading', { name: 'Reading', level: 1 })).toBeVisible()
  const rows = page.getByRole('row')
  await expect(rows.filter({ hasText: 'Hallworth' })).toBeVisible()
  // The most urgent is the first.
  await expect(rows.nth(1)).toContainText('Marlowe')
  await expect(rows.nth(1)).toContainText('STAT')
  await key('Shift+S')
  await expect(rows.filter({ hasText: 'Hallworth' })).toHaveCount(0)
  await key('j')
  await expect(rows.nth(1)).toBeFocused()
  await key('Enter')
  await expect(page.getByRole('heading', { level: 1, name: 'Marlowe' })).toBeVisible()
  // Who reports takes a study by writing; assigning is for who manages studies, and that is said.
  const assign = page.getByRole('button', { name: /assign/ })
  await expect(assign).toHaveAttribute('aria-disabled', 'true')
  await expect(assign).toHaveAttribute('aria-description', /owner or administrator can allow it/)
})

test('takes the template, fills its fields and writes', async () => {
  await tabTo(page.getByRole('button', { name: 'CT thorax', exact: true }))
  await key('Enter')
  const editor = editorOf('Report')
  await expect(editor).toContainText('A nodule of [size] mm')
  await expect(editor).toBeFocused()
  await key('Control+Home')
  await key('F2')
  await page.keyboard.type('7')
  await key('F2')
  await expect(page.getByRole('option', { name: 'left' })).toBeVisible()
  // The list does not take a key that was meant for the text: it listens from 75 ms on.
  await page.waitForTimeout(150)
  await key('ArrowDown')
  await expect(page.getByRole('option', { name: 'left' })).toHaveAttribute('aria-selected', 'true')
  await page.waitForTimeout(150)
  await key('Enter')
  await key('F2')
  await page.keyboard.type('New nodule in the left upper lobe.')
  await expect(editor).toContainText('A nodule of 7 mm, left upper lobe.')
  await expect(editor).toContainText('Impression')
  await expect(saving()).toHaveText(/^Saved/)
})

/** Goes to each thing that is to be looked at, and says so. */
async function lookAtEach(dialog: Locator): Promise<void> {
  const warnings = dialog
    .getByRole('group', { name: 'Review these before signing' })
    .getByRole('checkbox')
  for (let index = 0; index < (await warnings.count()); index += 1) {
    await tabTo(warnings.nth(index))
    await key(' ')
    await expect(warnings.nth(index)).toBeChecked()
  }
}

test('signs a critical result with Ctrl+Enter, after looking at the checks', async () => {
  await key('Control+Enter')
  const dialog = page.getByRole('dialog', { name: 'Sign report' })
  await expect(dialog.getByRole('heading', { name: 'Marlowe' })).toBeVisible()
  await tabTo(dialog.getByRole('switch', { name: 'Critical result' }))
  await key(' ')
  // It begins with the impression.
  await tabTo(dialog.getByRole('textbox', { name: 'Critical finding' }))
  await key('Control+a')
  await key('Delete')
  await expect(dialog.getByRole('button', { name: 'Sign', exact: true })).toBeDisabled()
  await page.keyboard.type('New nodule in the left upper lobe')
  await lookAtEach(dialog)
  await tabTo(dialog.getByRole('button', { name: 'Sign', exact: true }))
  await key('Enter')
  const card = page.getByRole('article', { name: 'Delivery and copies: Report' })
  await expect(card).toContainText('Signed by Ruth Okafor')
  await expect(card).toContainText('Not communicated yet')
  await expect(card).toContainText('Delivered')
})

test('documents who was told of the critical result', async () => {
  await tabTo(page.getByRole('button', { name: 'Record communication' }))
  await key('Enter')
  const dialog = page.getByRole('dialog')
  await tabTo(dialog.getByRole('textbox', { name: 'Person notified' }))
  await page.keyboard.type('Dr. Adeyemi, emergency room')
  await tabTo(dialog.getByRole('checkbox', { name: 'Read-back confirmed' }))
  await key(' ')
  await tabTo(dialog.getByRole('button', { name: 'Record communication' }))
  await key('Enter')
  await expect(page.getByText('Dr. Adeyemi, emergency room was notified')).toBeVisible()
})

test('writes and signs an addendum', async () => {
  await tabTo(page.getByRole('button', { name: 'Start addendum' }))
  await key('Enter')
  await tabTo(editorOf('Addendum'))
  await page.keyboard.type('The earlier examination was compared: the nodule is new.')
  await expect(saving()).toHaveText(/^Saved/)
  await key('Control+Enter')
  const dialog = page.getByRole('dialog', { name: 'Sign addendum' })
  await expect(dialog.getByRole('button', { name: 'Sign', exact: true })).toBeVisible()
  await lookAtEach(dialog)
  await tabTo(dialog.getByRole('button', { name: 'Sign', exact: true }))
  await key('Enter')
  await expect(
    page.getByRole('article', { name: 'Delivery and copies: Addendum 1' }),
  ).toContainText('Signed by Ruth Okafor')
  await expect(page.getByText('the nodule is new')).toBeVisible()
})

test('finds the next patient by name in the palette, and opens the study', async () => {
  await key('Control+k')
  const palette = page.getByRole('dialog', { name: 'Search or go to' })
  await expect(palette.getByRole('combobox')).toBeFocused()
  await page.keyboard.type('pember')
  const found = palette.getByRole('option').filter({ hasText: 'Pemberton' })
  await expect(found).toBeVisible()
  for (
    let pressed = 0;
    pressed < 10 && (await found.getAttribute('aria-selected')) !== 'true';
    pressed += 1
  )
    await key('ArrowDown')
  await key('Enter')
  await expect(palette).toHaveCount(0)
  await expect(page.getByText('MRN-633').first()).toBeVisible()
  expect(page.url()).not.toMatch(/pember/i)
  // What was typed is kept nowhere.
  expect(
    await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage })),
  ).not.toMatch(/pember/i)
})

test('complained of nothing', () => {
  expect(all.complaints()).toEqual([])
})
