import { type BrowserContext, expect, type Page } from '@playwright/test'
import {
  complaintsOf,
  enterAsOwner,
  faultsByScheme,
  go,
  leaveSetup,
  openStage,
  type Stage,
} from './stage.ts'
import { test } from './test.ts'

test.describe.configure({ mode: 'serial', timeout: 120_000 })

const MINUTE_MS = 60_000
let stage: Stage
let context: BrowserContext
let page: Page
let complaints: readonly string[] = []

test.beforeAll(async ({ browser }) => {
  stage = await openStage()
  const key = await stage.command('api-key', 'create', '--description', 'Cloud RIS')
  const answer = await fetch(`${stage.http}/v1/scribe/studies`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      studyInstanceUid: '1.2.826.0.1.3680043.8.498.81001',
      studyDescription: 'XR chest',
      severity: 'normal',
      reportMetadata: {
        ...{ patientName: 'TEST^MAJA', sex: 'female', mrn: 'P-7001' },
        referringPhysicianName: 'SAMPLE^RITA',
      },
    }),
  })
  expect(answer.status).toBe(201)
  context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  page = await context.newPage()
  complaints = complaintsOf(page)
  await enterAsOwner(stage, page)
  await stage.command('config', 'set', 'window.lockMinutes', '60')
  await stage.command('config', 'set', 'criticals.communicateMinutes', '5')
  await page.evaluate(async () => {
    const headers = { 'x-isthmus-csrf': '1', 'content-type': 'application/json' }
    const { user } = await (await fetch('/dashboard/session')).json()
    const body = JSON.stringify({ canCreateReports: true, npiNumber: '1234567893' })
    await fetch(`/dashboard/people/${user.userId}`, { method: 'PATCH', headers, body })
  })
})

test.afterAll(async () => {
  await context.close()
  await stage[Symbol.asyncDispose]()
})

const isAccessible = async () => expect(await faultsByScheme(page, 'escalation')).toEqual({})
const rowOf = (text: string) => page.getByRole('row').filter({ hasText: text })

/** Puts the clock of the gateway ahead; a change of a setting has it look at what is due. */
async function pass(minutes: number, secondEscalation: number): Promise<void> {
  await stage.advanceClock(minutes * MINUTE_MS)
  const value = String(secondEscalation)
  await stage.command('config', 'set', 'criticals.secondEscalationMinutes', value)
}

test('a critical result that nobody was told of has a time', async () => {
  await page.reload()
  await leaveSetup(page)
  await go(page, 'Reading')
  await page.getByRole('link', { name: 'TEST' }).click()
  await page.getByRole('textbox', { name: 'Report', exact: true }).click()
  await page.keyboard.type('Findings: Tension pneumothorax. Impression: Tension pneumothorax.')
  await page.keyboard.press('Control+Enter')
  const dialog = page.getByRole('dialog', { name: 'Sign report' })
  await dialog.getByRole('switch', { name: 'Critical result' }).check({ force: true })
  await dialog.getByRole('textbox', { name: 'Critical finding' }).fill('Tension pneumothorax')
  const warnings = dialog.getByRole('group', { name: 'Review these before signing' })
  for (const warning of await warnings.getByRole('checkbox').all()) await warning.check()
  await dialog.getByRole('button', { name: 'Sign', exact: true }).click()
  await expect(dialog).toHaveCount(0)
  await go(page, 'Reading')
  await page.getByRole('link', { name: /^Critical results/ }).click()
  await expect(rowOf('pneumothorax')).toContainText('Escalates at 12:')
  await expect(rowOf('pneumothorax')).toContainText('SAMPLE, RITA')
})

test('is escalated when its time is over: first on Today of who may document it, with whom to call', async () => {
  await pass(6, 6)
  await expect(rowOf('pneumothorax')).toContainText('First escalation')
  await expect(rowOf('pneumothorax')).toContainText('Next escalation at')
  await isAccessible()
  await go(page, 'Today')
  const homes = page.getByRole('navigation', { name: 'Home pages' })
  for (const home of ['Rooms', 'Schedule', 'Reading', 'Gateway']) {
    await homes.getByRole('link', { name: home }).click()
    const panel = page.getByRole('listitem').filter({ hasText: 'SAMPLE, RITA' })
    await expect(panel).toContainText('Tension pneumothorax')
    await isAccessible()
  }
  await expect(
    page.getByRole('list', { name: 'What needs attention' }).getByRole('listitem').first(),
  ).toContainText('Critical results not communicated in time')
})

test('is escalated once more, and no more once it is documented who was told', async () => {
  await pass(7, 5)
  await go(page, 'Reading')
  await page.getByRole('link', { name: /^Critical results/ }).click()
  await expect(rowOf('pneumothorax')).toContainText('Second escalation')
  await rowOf('pneumothorax')
    .getByRole('button', { name: /^Record communication/ })
    .click()
  const dialog = page.getByRole('dialog', { name: 'Critical result' })
  await expect(dialog).toContainText('SAMPLE, RITA')
  await dialog.getByRole('textbox', { name: 'Person notified' }).fill('Dr. Sample')
  await dialog.getByRole('button', { name: 'Record communication' }).click()
  await expect(page.getByText('No critical results to communicate')).toBeVisible()
  await go(page, 'Today')
  await expect(page.getByText('Critical results not communicated in time')).toHaveCount(0)
  expect(complaints).toEqual([])
})
