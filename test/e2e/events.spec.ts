import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { expect, type Page } from '@playwright/test'
import {
  ask,
  complaintsOf,
  enterAsOwner,
  expectAccessible,
  go as goOn,
  openStage,
  type Stage,
} from './stage.ts'
import { test } from './test.ts'

test.describe.configure({ mode: 'serial', timeout: 120_000 })

let stage: Stage
let page: Page
let complaints: readonly string[]

test.beforeAll(async ({ browser }) => {
  stage = await openStage()
  const context = await browser.newContext({ viewport: { width: 1360, height: 860 } })
  page = await context.newPage()
  complaints = complaintsOf(page)
  await enterAsOwner(stage, page)
  await stage.command('device', 'add', '--ae-title', 'CT1')
  const userId = await page.evaluate(
    async () => (await (await fetch('/dashboard/session')).json()).user.userId,
  )
  await call('PATCH', `/dashboard/people/${userId}`, {
    canCreateReports: true,
    npiNumber: '1234567890',
  })
})

test.afterAll(async () => {
  await page.context().close()
  await stage[Symbol.asyncDispose]()
})

const go = (name: string) => goOn(page, name)
const tab = async (name: string) =>
  page.getByRole('navigation', { name: 'Events' }).getByRole('link', { name }).click()
const which = async (name: string) =>
  page.getByRole('radiogroup', { name: 'Which events' }).getByText(name, { exact: true }).click()
const row = (name: string) =>
  page.getByRole('table').getByRole('row').filter({ hasText: name }).first()

/** A call as the window makes it. */
const call = (method: string, path: string, body: unknown, headers: Record<string, string> = {}) =>
  page.evaluate(
    async ({ method, path, body, headers }) => {
      const answer = await fetch(path, {
        method,
        headers: { 'x-isthmus-csrf': '1', 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      })
      const json = await answer.json()
      if (!answer.ok) throw new Error(`${method} ${path}: ${JSON.stringify(json)}`)
      return json
    },
    { method, path, body, headers },
  )

async function signReport(studyInstanceUid: string): Promise<void> {
  const key = await stage.command('api-key', 'create', '--description', 'E2E')
  const made = await fetch(`${stage.http}/v1/scribe/studies`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'x-api-key': key,
      'content-type': 'application/json',
    },
    body: JSON.stringify({
      studyInstanceUid,
      studyDescription: 'CT of the chest',
      severity: 'normal',
      reportMetadata: { patientName: 'TESTMANN^TILDA', mrn: 'P-1', modality: 'CT' },
    }),
  })
  const { studyId } = (await made.json()) as { studyId: string }
  const at = `/dashboard/reading/${studyId}/draft`
  const windowId = randomUUID()
  const { draft } = await call('POST', at, { windowId })
  const text = 'Findings:\nThe lungs are clear.\n\nImpression:\nNo acute finding.'
  const { revision } = await call('PUT', at, { windowId, revision: draft.revision, text })
  const sign = (acknowledged: string[]) =>
    call('POST', `${at}/sign`, { windowId, revision, isCritical: false, acknowledged })
  let signed = await sign([])
  if (signed.outcome === 'checks')
    signed = await sign(signed.findings.map(({ check }: { check: string }) => check))
  expect(signed.outcome).toBe('signed')
}

test('shows a worklist query as an event, with what was sent and answered', async () => {
  expect(await ask(stage, 'CT1')).toBeGreaterThan(20)
  await go('Events')
  await expect(row('Worklist')).toContainText('CT1')
  await row('Worklist').getByRole('link').click()
  await expect(page.getByRole('heading', { name: 'Worklist' })).toBeVisible()
  await expect(page.getByRole('region', { name: 'Response', exact: true })).toContainText(
    '"authorized": true',
  )
  await expect(page.getByRole('region', { name: 'Last request' })).toContainText(
    '"callingAe": "CT1"',
  )
  // Whoever waited for it has gone on.
  await expect(page.getByRole('button', { name: 'Send again' })).toHaveAttribute(
    'aria-disabled',
    'true',
  )
  await page.getByRole('link', { name: 'All events' }).click()
})

test('tests one event at the endpoint, and leads to what was sent', async () => {
  await go('Partner')
  await page.getByRole('button', { name: 'Test…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('combobox', { name: 'Event' }).click()
  await page.getByRole('option', { name: 'Report' }).click()
  await dialog.getByRole('button', { name: 'Send test event' }).click()
  await expect(dialog.getByText('The test succeeded')).toBeVisible()
  await dialog.getByRole('link', { name: 'Show request and response' }).click()
  await expect(page.getByText('A test with sample data')).toBeVisible()
})

test('names an endpoint, lets it fetch files from a host, and changes its secret, shown once', async () => {
  await go('Partner')
  await page.getByRole('button', { name: 'Edit Partner' }).click()
  const form = page.getByRole('dialog')
  await form.getByRole('textbox', { name: 'Name' }).fill('North RIS')
  await form.getByRole('combobox', { name: 'File hosts' }).fill('https://files.partner.example/x')
  await form.getByRole('combobox', { name: 'File hosts' }).press('Enter')
  await form.getByRole('textbox', { name: 'Worklist' }).fill('9')
  await form.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByRole('heading', { name: 'North RIS' })).toBeVisible()
  await expect(page.getByText('files.partner.example', { exact: true })).toBeVisible()
  await expect(page.getByText('Worklist 9.0 s')).toBeVisible()
  await page.getByRole('button', { name: 'Change secret…' }).click()
  await page.getByRole('button', { name: 'Change secret', exact: true }).click()
  await expect(page.getByText(/^whsec_/)).toBeVisible()
  await page.getByRole('button', { name: 'I have entered it in the partner system' }).click()
  await expect(page.getByText('and the previous one until')).toBeVisible()
  // The simulated partner still has the old one, which goes on signing.
  await page.getByRole('button', { name: 'Test now' }).click()
  await expect(page.getByText(/responded with \d+ exams for today/)).toBeVisible()
})

test('keeps a signed report while the partner is away, and sends it when told to', async () => {
  await stage.stopPartner()
  await signReport('1.2.826.0.1.3680043.8.498.777001')
  await go('Events')
  await which('Waiting')
  await expect(row('Report')).toContainText('Unreachable, retrying')
  await row('Report').getByRole('link').click()
  await expect(page.getByText('The partner could not be reached.').first()).toBeVisible()
  await expect(page.getByText('Check this PC’s network')).toBeVisible()
  await page.getByRole('link', { name: 'All events' }).click()

  await stage.startPartner()
  // An open circuit lets one probe through after 15 s.
  await stage.advanceClock(15_000)
  await page.getByRole('button', { name: 'Send again…' }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByText('One event would be sent again.')).toBeVisible()
  await dialog.getByRole('button', { name: 'Send it again' }).click()
  await expect(page.getByText('One event is sent again.')).toBeVisible()
  await which('All')
  await expect
    .poll(
      async () => {
        if (await row('Report').getByText('Accepted').isVisible()) return true
        await page.getByRole('button', { name: 'Send again…' }).click()
        const again = page.getByRole('dialog').getByRole('button', { name: 'Send it again' })
        await again.click({ timeout: 3000 }).catch(() => page.keyboard.press('Escape'))
        return false
      },
      { timeout: 40_000, intervals: [1000] },
    )
    .toBe(true)
})

test('gives up a report only with a reason, which the audit trail keeps', async () => {
  await stage.stopPartner()
  await signReport('1.2.826.0.1.3680043.8.498.777002')
  await go('Events')
  await which('Waiting')
  await row('Report').getByRole('link').click()
  await page.getByRole('button', { name: 'Stop sending…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Stop sending' }).click()
  await expect(dialog.getByText('Enter a reason')).toBeVisible()
  await dialog.getByRole('textbox', { name: 'Reason' }).fill('Sent by courier')
  await dialog.getByRole('button', { name: 'Stop sending' }).click()
  await expect(page.getByText('Stopped').first()).toBeVisible()
  await go('Audit')
  await expect(page.getByText('Reason: Sent by courier')).toBeVisible()
  await stage.startPartner()
})

test('says in a dry run what would be made of an answer', async () => {
  await go('Events')
  await tab('Dry run')
  await page
    .getByRole('textbox', { name: 'Response body' })
    .fill('{"authorized":true,"items":[{"PatientName":1}]}')
  await page.getByRole('button', { name: 'Check' }).click()
  await expect(page.getByText('items.0.AccessionNumber')).toBeVisible()
  await page.getByRole('textbox', { name: 'Response body' }).fill('<html>')
  await page.getByRole('button', { name: 'Check' }).click()
  await expect(page.getByText('Invalid response')).toBeVisible()
})

test('measures how well the partner keeps to the contract', async () => {
  await tab('Performance')
  const worklist = page
    .locator('section')
    .filter({ has: page.getByRole('heading', { name: 'Worklist' }) })
  await expect(worklist.getByText(/\d+ calls?$/)).toBeVisible()
  await expect(worklist.getByText(/95th percentile/)).toBeVisible()
})

test('searches, verifies and exports the audit trail', async () => {
  await go('Audit')
  await page.getByRole('button', { name: 'Verify' }).click()
  await expect(page.getByText('The audit log is intact')).toBeVisible()
  const table = page.getByRole('table')
  await expect(table.getByText('Device added')).toBeVisible()
  await page.getByRole('combobox', { name: 'Action' }).fill('secret')
  await page.getByRole('option', { name: 'Signing secret changed' }).click()
  await expect(row('Signing secret changed')).toContainText('Olga Berg')
  await expect(table.getByText('Device added')).toHaveCount(0)
  await page.getByRole('button', { name: 'Export' }).click()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('menuitem', { name: /CSV/ }).click(),
  ])
  expect(download.suggestedFilename()).toMatch(/^isthmus-audit-\d{4}-\d\d-\d\d\.csv$/)
  const text = await readFile(await download.path(), 'utf8')
  expect(text).toContain('device.add')
  expect(text.trim().split('\r\n').at(-1)).toContain('audit.export')
})

test('has no accessibility fault that axe knows in the dialogs that screens.spec.ts does not open', async () => {
  await go('Events')
  await page.getByRole('button', { name: 'Send again…' }).click()
  await page.getByRole('dialog').getByRole('radio', { name: 'A time range' }).click()
  await expectAccessible(page, 'send again')
  await page.keyboard.press('Escape')
  await go('Partner')
  await page.getByRole('button', { name: 'Edit North RIS' }).click()
  await page.getByRole('dialog').waitFor()
  await expectAccessible(page, 'endpoint')
})

test('complained of nothing', () => {
  expect(complaints).toEqual([])
})
