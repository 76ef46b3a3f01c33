import { type BrowserContext, expect, type Page } from '@playwright/test'
import { doseReport, keyObjects, measurementReport } from '../support/structured-reports.ts'
import { complaintsOf } from './stage.ts'
import { test } from './test.ts'
import {
  isDrawn,
  openViewerStage,
  paneOf,
  phantomImages,
  type ViewerStage,
} from './viewer-stage.ts'

// What modalities send besides images can be read beside them.

const STUDY = '2.25.4100'
const SERIES = {
  ...{ studyInstanceUid: STUDY, seriesInstanceUid: `${STUDY}.1`, slices: 12 },
  ...{ patientName: 'Müller^Jörg', patientId: 'P-0815', patientBirthDate: '19640229' },
  patientSex: 'M',
}

test.describe.configure({ mode: 'serial', timeout: 60_000 })
let stage: ViewerStage
let context: BrowserContext
let page: Page
let complaints: readonly string[]

const panel = () => page.getByRole('region', { name: /^Document / })
const objects = () => page.getByRole('group', { name: 'Documents and media' })

test.beforeAll(async ({ browser }) => {
  stage = await openViewerStage()
  const images = phantomImages(SERIES)
  const sopOf = (number: number) => images[number - 1]?.sopInstanceUid ?? ''
  const made = (number: number) => ({
    studyInstanceUid: STUDY,
    sopInstanceUid: `${STUDY}.9.${number}`,
  })
  const object = (number: number, body: Buffer) => ({
    sopInstanceUid: `${STUDY}.9.${number}`,
    body,
  })
  stage.studies.add({
    studyInstanceUid: STUDY,
    images: [
      ...images,
      object(1, measurementReport(sopOf(7), made(1))),
      object(2, doseReport(made(2))),
      object(3, keyObjects([sopOf(3), sopOf(10)], made(3))),
    ],
    manifest: 'none',
  })
  await stage.addStudy(STUDY)
  context = await browser.newContext({ viewport: { width: 1500, height: 950 } })
  page = await context.newPage()
  complaints = complaintsOf(page)
  await page.goto(await stage.link(STUDY))
  await isDrawn(page)
})

test.afterAll(async () => {
  await context.close()
  await stage[Symbol.asyncDispose]()
})

test('a measurement report is read beside the images, and opens the image it refers to', async () => {
  await objects()
    .getByRole('button', { name: /Imaging Measurement Report/ })
    .click()
  const report = panel().getByRole('article', { name: 'Imaging Measurement Report' })
  await expect(report.getByText('Verified', { exact: true })).toBeVisible()
  await expect(report).toContainText('Invented')
  const axis = report.getByRole('row', { name: /Long Axis/ }).first()
  await expect(axis).toContainText('12.5')
  await expect(axis).toContainText('mm')
  await expect(axis).toContainText('Finding Site: Right lung')
  await expect(report).toContainText('has grown since the prior examination')
  await report
    .getByRole('button', { name: /image 7/ })
    .first()
    .click()
  await expect(paneOf(page)).toContainText('Im 7/12')
})

test('a dose report is a document of sections with numbers and units', async () => {
  await objects()
    .getByRole('button', { name: /X-Ray Radiation Dose Report/ })
    .click()
  const report = panel().getByRole('article')
  await expect(report.getByRole('heading', { name: 'CT Acquisition' })).toHaveCount(2)
  await expect(report.getByRole('row', { name: /Dose Length Product Total/ })).toContainText(
    '512.4mGy.cm',
  )
})

test('complains of nothing on the console', () => {
  expect(complaints).toEqual([])
})
