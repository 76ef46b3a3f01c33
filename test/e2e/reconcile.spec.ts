import { type Browser, type BrowserContext, expect, type Page } from '@playwright/test'
import { openPartnerSimulator } from '#electron/simulator/partner.ts'
import { sendImages } from './modality.ts'
import {
  complaintsOf,
  enterAsOwner,
  faultsByScheme,
  newSecret,
  openStageWith,
  pictured,
  type Stage,
  type StagePartner,
} from './stage.ts'
import { callOf, dayFromNow, exam, listOn, patientIdOf } from './stories.ts'
import { test } from './test.ts'

// The partner is lost in the morning. A patient of the worklist is imaged, two are typed at another
// console, and one does not come. Afterwards the front desk reconciles them on one screen.

test.describe.configure({ mode: 'serial', timeout: 60_000 })

const PLAN = [
  exam({ number: 1, patientName: 'BRISTOW^HELEN', modality: 'CT' }),
  exam({ number: 2, patientName: 'CALLOWAY^MARGARET', modality: 'CT' }),
  exam({ number: 3, patientName: 'ELLINGHAM^ROSE', modality: 'CT' }),
  exam({ number: 4, patientName: 'HALLWORTH^JANE', modality: 'CT' }),
]
const LINKED = '1.2.826.0.1.3680043.8.498.62001'
const OTHER = '1.2.826.0.1.3680043.8.498.62002'

let stage: Stage
let context: BrowserContext
let page: Page
let complaints: readonly string[]

async function openPartner(): Promise<StagePartner> {
  const secret = newSecret()
  const simulate = (port: number) =>
    openPartnerSimulator({ port, secret, clock: Date.now, worklist: PLAN })
  let simulator: Awaited<ReturnType<typeof simulate>> | undefined = await simulate(0)
  const { url, port } = simulator
  const stop = async () => {
    await simulator?.[Symbol.asyncDispose]()
    simulator = undefined
  }
  const start = async () => {
    simulator = await simulate(port)
  }
  return { url, secret, stop, start }
}

async function openWindow(browser: Browser): Promise<void> {
  context = await browser.newContext()
  page = await context.newPage()
  complaints = complaintsOf(page)
  await enterAsOwner(stage, page)
}

test.beforeAll(async ({ browser }) => {
  test.setTimeout(60_000)
  stage = await openStageWith(await openPartner())
  const settings = {
    'intake.stopGigabytes': '0',
    'intake.warnGigabytes': '0',
    'intake.idleSeconds': '1',
    'worklist.freshSeconds': '0',
  }
  for (const [key, value] of Object.entries(settings))
    await stage.command('config', 'set', key, value)
  await stage.command(
    'device',
    'add',
    '--ae-title',
    'CT1',
    '--modality',
    'CT',
    '--name',
    'CT, room 1',
  )
  await stage.command(
    'device',
    'add',
    '--ae-title',
    'CT2',
    '--modality',
    'CT',
    '--name',
    'CT, room 2',
  )
  await openWindow(browser)
  expect(await listOn(stage, 'CT1')).toHaveLength(4)
  await stage.stopPartner()
  expect(await listOn(stage, 'CT1')).toHaveLength(4)
  const [first] = PLAN
  await sendImages(stage, 'CT1', [
    {
      ...imageOf(1),
      studyInstanceUid: String(first?.StudyInstanceUID),
      accessionNumber: String(first?.AccessionNumber),
    },
  ])
  await sendImages(stage, 'CT2', [{ ...imageOf(2), studyInstanceUid: LINKED }])
  // A letter is missing, and the number is made up.
  await sendImages(stage, 'CT2', [
    { ...imageOf(3), studyInstanceUid: OTHER, patientName: 'ELINGHAM^ROSE', patientId: 'TEMP-1' },
  ])
  await expect(async () => {
    const { exams } = await callOf(page, 'GET', '/dashboard/reconciliation')
    expect(exams).toHaveLength(2)
  }).toPass({ timeout: 30_000 })
})

const imageOf = (number: number) => ({
  ...{
    number: 1,
    patientId: patientIdOf(number),
    patientName: String(PLAN[number - 1]?.PatientName),
  },
  studyDate: dayFromNow(0),
})

test.afterAll(async () => {
  await context?.close()
  await stage?.[Symbol.asyncDispose]()
})

const done = () => page.getByRole('region', { name: 'Exams without an order' })
const ordered = () => page.getByRole('region', { name: 'Orders without images' })
const cardOf = (name: string) =>
  done()
    .getByRole('listitem')
    .filter({ has: page.getByRole('link', { name }) })

test('marks exams without an order in the lists, and leads from Today to the screen', async () => {
  await page.goto(`${stage.http}/#/images`)
  await expect(page.getByRole('row').filter({ hasText: 'CALLOWAY' })).toContainText('Unscheduled')
  await expect(page.getByRole('row').filter({ hasText: 'BRISTOW' })).not.toContainText(
    'Unscheduled',
  )
  await page.goto(`${stage.http}/#/`)
  await page.getByRole('link', { name: 'Reconcile' }).click()
  await expect(page.getByRole('heading', { name: 'Exams without an order (2)' })).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Orders without images (3)' })).toBeVisible()
  await expect(page.getByText('Partner unreachable.')).toBeVisible()
  await pictured(page, 'reconcile-away')
  expect(await faultsByScheme(page, 'reconcile')).toEqual({})
})

test('asks the partner by itself once it is back, and links an exam with its order', async () => {
  await stage.startPartner()
  await listOn(stage, 'CT1')
  await page.reload()
  await expect(page.getByText('Partner unreachable.')).toHaveCount(0)
  const card = cardOf('CALLOWAY')
  await expect(card).toContainText('Same: MRN, name, date of birth, sex, modality')
  await pictured(page, 'reconcile-open')
  await card.getByRole('button', { name: 'Link to order A-612' }).click()
  await expect(page.getByText('The exam was linked to the order.')).toBeVisible()
  await expect(card).toContainText('Linked')
  await expect(page.getByRole('heading', { name: 'Orders without images (2)' })).toBeVisible()
  await page.keyboard.press('Alt+z')
  await expect(page.getByRole('heading', { name: 'Exams without an order (2)' })).toBeVisible()
  await card.getByRole('button', { name: 'Link to order A-612' }).press('Enter')
  await expect(card).toContainText('Linked')
})

test('leads to the correction of images that differ, and keeps what has no order', async () => {
  const card = cardOf('ELINGHAM')
  await expect(card).toContainText(
    'Similar: name (ELLINGHAM, ROSE in the order, ELINGHAM, ROSE in the images)',
  )
  const correct = card.getByRole('link', { name: 'Correct images… (order A-613)' })
  await correct.click()
  await expect(page.getByRole('button', { name: 'Move 1 image' })).toBeVisible()
  await expect(page).toHaveURL(new RegExp(`#/images/${OTHER}/resolve\\?kind=reassign&order=`))
  await pictured(page, 'reconcile-correct')
  await page.goBack()
  await card.getByRole('button', { name: 'No order: keep as unscheduled…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Keep as unscheduled?' })
  await dialog.getByRole('button', { name: 'Keep as unscheduled' }).click()
  await expect(dialog.getByText('Enter a reason')).toBeVisible()
  await pictured(page, 'reconcile-keep')
  await dialog.getByRole('textbox', { name: 'Reason' }).fill('Emergency patient, nobody ordered it')
  await dialog.getByRole('button', { name: 'Keep as unscheduled' }).click()
  await expect(card).toContainText('Emergency patient, nobody ordered it')
  await ordered().getByRole('button', { name: 'Mark as not done… (order A-614)' }).click()
  const notDone = page.getByRole('dialog', { name: 'Mark as not done?' })
  await expect(notDone).toContainText('the partner is not notified')
  await notDone.getByRole('textbox', { name: 'Reason' }).fill('The patient did not come')
  await notDone.getByRole('button', { name: 'Mark as not done' }).click()
  await expect(ordered()).toContainText('The patient did not come')
  await pictured(page, 'reconcile-decided')
  expect(await faultsByScheme(page, 'reconcile-decided')).toEqual({})
})

test('tells who comes second what the first decided', async () => {
  await cardOf('ELINGHAM').getByRole('button', { name: 'Undo' }).click()
  await expect(page.getByRole('heading', { name: 'Exams without an order (1)' })).toBeVisible()
  await cardOf('ELINGHAM').getByRole('button', { name: 'No order: keep as unscheduled…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Keep as unscheduled?' })
  await dialog.waitFor()
  const status = await page.evaluate(
    async (uid) =>
      (
        await fetch('/dashboard/reconciliation/kept', {
          method: 'POST',
          headers: { 'x-isthmus-csrf': '1', 'content-type': 'application/json' },
          body: JSON.stringify({ studyInstanceUid: uid, reason: 'Another window' }),
        })
      ).status,
    OTHER,
  )
  expect(status).toBe(200)
  // The exam leaves its list behind the dialog, which stays.
  await page.evaluate(() => window.dispatchEvent(new Event('visibilitychange')))
  await expect(page.getByText('Exams without an order (0)')).toBeVisible()
  await dialog.getByRole('textbox', { name: 'Reason' }).fill('Too late')
  await dialog.getByRole('button', { name: 'Keep as unscheduled' }).click()
  await expect(page.getByText('has kept this exam as unscheduled in the meantime')).toBeVisible()
  await expect(dialog).toHaveCount(0)
  await expect(cardOf('ELINGHAM')).toContainText('Another window')
})

test('breaks no rule of its own security policy', () => {
  expect(complaints).toEqual([])
})
