import { execFile, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type BrowserContext, expect, type Locator, type Page } from '@playwright/test'
import { phantomSlice } from '#electron/simulator/phantom.ts'
import { accessibilityFaults, complaintsOf, enterAsOwner, go } from './stage.ts'
import { test } from './test.ts'
import {
  drag,
  greyAt,
  isDrawn,
  openViewerStage,
  PLAIN,
  paneOf,
  phantomImages,
  pictureOf,
  plainness,
  type ViewerStage,
} from './viewer-stage.ts'

// What is done with images: tools, drawings, captures, priors, planes, dictation beside them.

test.describe.configure({ mode: 'serial', timeout: 120_000 })

const STUDY = '1.2.826.0.1.3680043.8.498.62001'
const PRIOR = '1.2.826.0.1.3680043.8.498.62002'
const PATIENT = { patientName: 'TEST^MAJA', patientId: 'P-6201' }
const CT = {
  ...PATIENT,
  studyInstanceUid: STUDY,
  seriesInstanceUid: `${STUDY}.2`,
  slices: 40,
  sliceSpacing: 5,
}
const PDF = Buffer.from(
  '%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[]/Count 0>>endobj\ntrailer<</Root 1 0 R>>',
)
let stage: ViewerStage
let context: BrowserContext
let page: Page
const complaints: (readonly string[])[] = []

test.beforeAll(async ({ browser }) => {
  stage = await openViewerStage()
  stage.studies.add({
    studyInstanceUid: STUDY,
    images: phantomImages(CT),
    uploads: 2,
    media: [{ fileName: 'consent.pdf', mimeType: 'application/pdf', body: PDF }],
  })
  await stage.addStudy(STUDY)
  context = await browser.newContext({ viewport: { width: 1360, height: 860 } })
  page = await newPage()
  await page.goto(await stage.link(STUDY))
  await isDrawn(page)
})

test.afterAll(async () => {
  await context.close()
  await stage[Symbol.asyncDispose]()
})

async function newPage(of = context): Promise<Page> {
  const made = await of.newPage()
  complaints.push(complaintsOf(made))
  return made
}

test('does what its keys say', async () => {
  const pane = paneOf(page)
  await pane.focus()
  await page.keyboard.press('2')
  await expect(pane).not.toContainText('C 40 W 400')
  await page.keyboard.press('1')
  await expect(pane).toContainText('C 40 W 400')
  const air = async () => greyAt(await pictureOf(pane), 0.5, 0.08)
  await page.keyboard.press('i')
  await expect(pane).toContainText('Inverted')
  await expect.poll(air).toBeGreaterThan(200)
  await page.keyboard.press('i')
  // The R comes to the other side, and back.
  await page.keyboard.press('f')
  const png = await pictureOf(pane)
  expect(png.width).toBeGreaterThan(0)
  await page.keyboard.press('u')
  await page.keyboard.press('+')
  await page.keyboard.press('0')
  await page.keyboard.press('r')
  await page.keyboard.press('Shift+R')
  await page.keyboard.press('?')
  await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeVisible()
  expect(await accessibilityFaults(page)).toEqual([])
  await page.keyboard.press('Escape')
  await page.keyboard.press('Shift+Digit3')
  await expect(paneOf(page, 4)).toBeVisible()
  await page.keyboard.press('Shift+Digit1')
  await expect(paneOf(page, 2)).toHaveCount(0)
})

test('plays and stops', async () => {
  const pane = paneOf(page)
  await pane.focus()
  await page.keyboard.press('Home')
  await page.keyboard.press('Space')
  await expect(pane).toContainText(/Im (1\d|2\d|3\d)\/40/)
  await page.keyboard.press('Space')
  const at = async () => /Im \d+/.exec((await pane.textContent()) ?? '')?.[0]
  /** The image that is shown before and after so many frames of the screen. */
  const through = async (frames: number) => {
    const before = await at()
    await page.evaluate(async (count) => {
      for (let frame = 0; frame < count; frame += 1) await new Promise(requestAnimationFrame)
    }, frames)
    return [before, await at()]
  }
  // The image that was on its way may still come.
  await expect(async () => {
    const [before, after] = await through(45)
    expect(after).toBe(before)
  }).toPass({ timeout: 30_000 })
})

test('measures, and keeps what was drawn through a reload, for this person alone', async () => {
  await paneOf(page).focus()
  await page.keyboard.press('Home')
  await drag(page, 'l', [0.4, 0.4], [0.6, 0.4])
  await page.keyboard.press('Shift+L')
  const side = page.getByRole('complementary', { name: 'Measurements and drawings' })
  await expect(side).toContainText('mm')
  await expect(page.getByText('they are lost when this view ends').first()).toBeAttached()
  expect(await accessibilityFaults(page)).toEqual([])
  await page.reload()
  await isDrawn(page)
  await page.keyboard.press('Shift+L')
  await expect(side).toContainText('mm')
  await page.keyboard.press('Escape')
  // The link of another is another person, who has drawn nothing.
  const other = await newPage()
  await other.goto(await stage.link(STUDY))
  await isDrawn(other)
  await other.keyboard.press('Shift+L')
  await expect(other.getByText('Nothing is drawn yet', { exact: false })).toBeVisible()
  await other.close()
})

test('cuts the volume in three planes', async () => {
  await expect(page.getByText('All 40 images received')).toBeVisible({ timeout: 60_000 })
  await paneOf(page).focus()
  await page.keyboard.press('m')
  for (const plane of ['Axial', 'Sagittal', 'Coronal'])
    await expect(page.locator('body')).toContainText(plane)
  const planes = page.locator('[data-pane^="plane-"]')
  await expect.poll(() => planes.count()).toBeGreaterThanOrEqual(3)
  for (const plane of await planes.all()) {
    await expect
      .poll(async () => plainness(await pictureOf(plane)), { timeout: 30_000 })
      .toBeLessThan(PLAIN)
  }
  expect(await accessibilityFaults(page)).toEqual([])
  await page.keyboard.press('Escape')
  await page.keyboard.press('m')
  await isDrawn(page)
})

test('shows a document that came beside', async () => {
  await page.keyboard.press('Shift+H')
  await expect(page.getByText('consent.pdf')).toBeVisible()
  await page.getByRole('button', { name: 'Show consent.pdf' }).click()
  await expect(page.getByRole('button', { name: 'Close the document' })).toBeVisible()
  expect(await accessibilityFaults(page)).toEqual([])
  await page.getByRole('button', { name: 'Close the document' }).click()
  await page.keyboard.press('Escape')
})

test('makes a capture that is uploaded to both URLs, kept in the archive, and a valid object', async () => {
  // The first place fails once, and is tried again by hand.
  stage.files.setUploadStatuses([503])
  await paneOf(page).focus()
  await page.keyboard.press('c')
  const dialog = page.getByRole('dialog', { name: 'Capture this image' })
  await expect(dialog.getByRole('img').first()).toBeVisible()
  expect(await accessibilityFaults(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Keep and send' }).click()
  await expect(dialog).toHaveCount(0)
  // The list of captures is there by itself, to show how it goes.
  await expect(page.getByText('Kept in the archive and uploaded.')).toBeVisible({ timeout: 60_000 })
  // Asked again for its second try, the partner gives two new places: the same object goes to both.
  const { uploads } = stage.files
  const [first] = uploads
  expect(new Set(uploads.map(({ name }) => name))).toEqual(
    new Set([1, 2].map((number) => `${STUDY}/capture-${number}.dcm`)),
  )
  for (const { body } of uploads) expect(body.equals(first?.body ?? Buffer.alloc(0))).toBe(true)
  expect(
    stage.partner.received.filter(
      ({ envelope }) => envelope.type === 'secondary_capture.access_requested',
    ).length,
  ).toBeGreaterThan(0)
  const folder = mkdtempSync(join(tmpdir(), 'isthmus-capture-'))
  try {
    const file = join(folder, 'capture.dcm')
    writeFileSync(file, first?.body ?? '')
    const { stdout, stderr } = spawnSync('dciodvfy', [file], { encoding: 'utf8' })
    expect((stdout + stderr).split('\n').filter((line) => line.startsWith('Error'))).toEqual([])
    const dump = spawnSync('dcmdump', [file], { encoding: 'latin1' }).stdout
    expect(dump).toContain('=SecondaryCaptureImageStorage')
    expect(dump).toContain(STUDY)
    expect(dump).toContain('TEST^MAJA')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  await page.keyboard.press('Escape')
})

async function addScribeStudy(studyInstanceUid: string, more: object = {}): Promise<string> {
  const body = {
    ...{ studyInstanceUid, studyDescription: 'CT thorax', severity: 'normal' },
    reportMetadata: {
      patientName: 'TEST^MAJA',
      dateOfBirth: '1971-05-03',
      sex: 'female',
      mrn: 'P-6201',
    },
    ...more,
  }
  return String((await stage.v1('POST', 'scribe/studies', body)).studyId)
}

function addImages(studyInstanceUid: string): void {
  const series = { ...CT, studyInstanceUid, seriesInstanceUid: `${studyInstanceUid}.2`, slices: 10 }
  stage.studies.add({ studyInstanceUid, images: phantomImages(series) })
}

test('puts an earlier study beside, from the archive', async () => {
  // It came from a device once.
  const folder = mkdtempSync(join(tmpdir(), 'isthmus-prior-'))
  try {
    const prior = {
      ...CT,
      studyInstanceUid: PRIOR,
      seriesInstanceUid: `${PRIOR}.2`,
      studyDate: '20250102',
      slices: 12,
    }
    const files = Array.from({ length: 12 }, (_, index) => {
      const file = join(folder, `${index}.dcm`)
      writeFileSync(file, Buffer.concat(phantomSlice(prior, index + 1)))
      return file
    })
    await stage.command('device', 'add', '--ae-title', 'CT1', '--modality', 'CT')
    const args = ['-aet', 'CT1', '-aec', 'ISTHMUS', '127.0.0.1', stage.dimsePort, ...files]
    await promisify(execFile)('storescu', args, { env: { ...process.env, TCP_NODELAY: '1' } })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  const study = `${STUDY}.9`
  addImages(study)
  await addScribeStudy(study, { priorStudyIds: [await addScribeStudy(PRIOR)] })
  const { url } = await stage.v1('POST', 'scribe/studies/viewer-only-reroute-url', {
    studyInstanceUid: study,
  })
  await page.goto(String(url))
  await isDrawn(page)
  // It is the same exam, so that it is put beside without being asked for.
  await isDrawn(page, 2)
  await paneOf(page).focus()
  await page.keyboard.press('h')
  const side = page.getByRole('complementary', { name: 'Prior studies' })
  await expect(side.getByRole('button', { name: 'Show again' })).toBeVisible()
  await expect(side).toContainText('This link shows only the prior studies that its sender names')
  await expect(paneOf(page, 2)).toContainText('Prior')
  await expect(paneOf(page, 2)).toContainText('/12')
  await page.keyboard.press('Escape')
  await paneOf(page).focus()
  expect(await accessibilityFaults(page)).toEqual([])
})

const LINKED = '1.2.826.0.1.3680043.8.498.62003'
let owner: string

test('opens the images from the window, on the screens Images and Reading, for who has signed in', async () => {
  const window = await newPage()
  await enterAsOwner(stage, window)
  /** What the button opens beside shows the twelve images that the device sent. */
  const opens = async (button: Locator) => {
    const opening = context.waitForEvent('page')
    await button.click()
    const images = await opening
    complaints.push(complaintsOf(images))
    await expect(images).toHaveURL(/\/viewer#[0-9a-f-]{36}$/)
    await isDrawn(images)
    await expect(paneOf(images)).toContainText('Im 1/12')
    await expect(paneOf(images)).toContainText('TEST')
    await images.close()
  }
  await go(window, 'Images')
  await window
    .getByRole('row')
    .getByRole('link')
    .and(window.locator(`[href$="/images/${PRIOR}"]`))
    .click()
  await opens(window.getByRole('button', { name: 'Open images', exact: true }))
  await go(window, 'Reading')
  await window
    .getByRole('navigation', { name: 'Views' })
    .getByRole('link', { name: /^All/ })
    .click()
  await opens(window.getByRole('button', { name: 'Open images: CT thorax' }).first())
  owner = await window.evaluate(async () => {
    const headers = { 'x-isthmus-csrf': '1', 'content-type': 'application/json' }
    const { user } = await (await fetch('/dashboard/session')).json()
    const body = JSON.stringify({ canCreateReports: true, npiNumber: '1234567893' })
    await fetch(`/dashboard/people/${user.userId}`, { method: 'PATCH', headers, body })
    return user.userId
  })
  await window.close()
})

test('opens dictation with the images beside by a link, and signs the report', async ({
  browser,
}) => {
  addImages(LINKED)
  await addScribeStudy(LINKED)
  const { url } = await stage.v1('POST', 'scribe/studies/reroute-url', {
    studyInstanceUid: LINKED,
    assignedToUserId: owner,
  })
  const elsewhere = await browser.newContext({ viewport: { width: 1600, height: 900 } })
  const screen = await newPage(elsewhere)
  await screen.goto(String(url))
  await expect(screen).toHaveURL(/\/#\/linked\//)
  expect(screen.url()).not.toContain('token')
  const editor = screen.getByRole('textbox', { name: 'Report', exact: true })
  await expect(editor).toBeVisible({ timeout: 30_000 })
  const images = screen.frameLocator('iframe')
  await expect(images.getByLabel(/^Pane 1:/)).toContainText('Im 1/10', { timeout: 30_000 })
  await editor.click()
  await screen.keyboard.type('Findings\nThe lungs are clear.\n\nImpression\nNormal.')
  await expect(screen.getByTestId('saving')).toHaveText(/^Saved/)
  expect(await accessibilityFaults(screen)).toEqual([])
  await screen.keyboard.press('Control+Enter')
  const dialog = screen.getByRole('dialog', { name: 'Sign report' })
  for (const warning of await dialog.getByRole('checkbox').all()) await warning.check()
  await dialog.getByRole('button', { name: 'Sign', exact: true }).click()
  await expect(screen.getByRole('article', { name: 'Report', exact: true })).toContainText(
    'Signed by Olga Berg',
  )
  await expect.poll(() => stage.partner.reports.size).toBe(1)
  // The link opens its study, and nothing else of the window.
  for (const path of ['/dashboard/people', '/dashboard/status', '/dashboard/api-keys']) {
    expect(await screen.evaluate(async (path) => (await fetch(path)).status, path)).toBe(401)
  }
  await elsewhere.close()
})

test('opens images alone by a viewer-only link', async ({ browser }) => {
  const { url } = await stage.v1('POST', 'scribe/studies/viewer-only-reroute-url', {
    studyInstanceUid: LINKED,
    userId: owner,
  })
  const elsewhere = await browser.newContext({ viewport: { width: 1200, height: 800 } })
  const screen = await newPage(elsewhere)
  await screen.goto(String(url))
  await isDrawn(screen)
  await expect(screen).toHaveURL(/\/viewer#/)
  const viewId = screen.url().replace(/^.*#/, '')
  const reading = await screen.evaluate(
    async (path) => (await fetch(path)).status,
    `/viewer/${viewId}/dashboard/reading/stu_${'0'.repeat(32)}`,
  )
  expect([403, 404, 422]).toContain(reading)
  await elsewhere.close()
})

test('complains of nothing on the console', () => {
  expect(complaints.flat()).toEqual([])
})
