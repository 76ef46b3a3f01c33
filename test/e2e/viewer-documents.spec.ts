import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type BrowserContext, expect, type Page } from '@playwright/test'
import { encapsulatedFile } from '../electron/server/dicom/pixel-data/viewed-file-fixture.ts'
import { lackingOf, PYDICOM_SAMPLES } from '../support/needs.ts'
import { doseReport, keyObjects, measurementReport } from '../support/structured-reports.ts'
import { accessibilityFaults, complaintsOf, enterAsOwner } from './stage.ts'
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

test('key images are listed with their title and description, marked, and opened', async () => {
  await objects()
    .getByRole('button', { name: /Of Interest/ })
    .click()
  const list = page.getByRole('complementary', { name: 'Key images' })
  await expect(list).toContainText('Nodule, right upper lobe')
  await expect(list.getByRole('listitem')).toHaveCount(2)
  await list.getByRole('listitem').first().getByRole('button').click()
  await expect(paneOf(page)).toContainText('Im 3/12')
  await expect(paneOf(page)).toContainText('Of Interest')
  await paneOf(page).focus()
  await page.keyboard.press('j')
  await expect(paneOf(page)).toContainText('Im 10/12')
  await page.keyboard.press('ArrowDown')
  await expect(paneOf(page)).toContainText('Im 11/12')
  await expect(paneOf(page)).not.toContainText('Of Interest')
  expect(await accessibilityFaults(page)).toEqual([])
  await page.keyboard.press('Escape')
})

test('the elements of the image are listed and found; by a link they cannot be downloaded', async () => {
  await paneOf(page).focus()
  await page.keyboard.press('Shift+I')
  const elements = page.getByRole('region', { name: 'DICOM elements' })
  const row = (name: RegExp) => elements.getByRole('row', { name }).first()
  await expect(row(/Patient ID/)).toContainText('(0010,0020)')
  await expect(row(/Patient ID/)).toContainText('P-0815')
  await expect(row(/Pixel Data/)).toContainText('524,288 bytes')
  await elements.getByRole('searchbox').fill('0028,0010')
  await expect(elements.getByRole('row')).toHaveCount(2)
  await expect(row(/Rows/)).toContainText('512')
  await expect(elements.getByRole('button', { name: 'Download' })).toHaveAttribute(
    'aria-disabled',
    'true',
  )
  const path = `${new URL(page.url()).pathname}/${page.url().replace(/^.*#/, '')}/instances/${STUDY}.1.1/file`
  expect(await page.evaluate(async (url) => (await fetch(url)).status, path)).toBe(403)
  expect(await accessibilityFaults(page)).toEqual([])
  await paneOf(page).focus()
  await page.keyboard.press('Escape')
  await expect(elements).toHaveCount(0)
})

test('documents and elements are hidden while the patient is hidden', async () => {
  const setAnonymous = async () => {
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: /Anonymous presentation/ }).click()
  }
  await page.keyboard.press('Shift+I')
  const elements = page.getByRole('region', { name: 'DICOM elements' })
  await expect(elements).toContainText('P-0815')
  await setAnonymous()
  await expect(elements).toContainText('hidden')
  await expect(elements).not.toContainText('P-0815')
  await setAnonymous()
  await expect(elements).toContainText('P-0815')
  await elements.getByRole('button', { name: 'Close the elements' }).click()
})

test('a 12-lead ECG is drawn to scale, and measured', async () => {
  test.skip(lackingOf('samples').length > 0)
  const body = readFileSync(join(PYDICOM_SAMPLES, 'waveform_ecg.dcm'))
  const ECG = '1.3.76.13.65829.2.20130125082826.1072139.2'
  stage.studies.add({
    studyInstanceUid: ECG,
    images: [{ sopInstanceUid: '1.3.6.1.4.1.20029.40.20130125105919.5407.1.1', body }],
    manifest: 'none',
  })
  await stage.addStudy(ECG)
  await page.goto(await stage.link(ECG))
  // Without images the document has their place.
  await expect(objects().getByRole('button', { name: '12-lead ECG' })).toHaveAttribute(
    'aria-current',
    'true',
    { timeout: 30_000 },
  )
  const paper = panel().getByRole('img', { name: /at 25 mm\/s and 10 mm\/mV/ })
  await expect(paper).toBeVisible()
  await expect(panel()).toContainText('RITMO SINUSALE')
  // Ten seconds of 25 mm, the pulse and the margins; a row of 3 leads and one of rhythm.
  expect(await paper.getAttribute('viewBox')).toBe('0 0 270 122')
  const box = await paper.boundingBox()
  expect(box?.width).toBeCloseTo((270 * 96) / 25.4, 0)
  const at = (x: number, y: number) =>
    [(box?.x ?? 0) + x * 3.7795, (box?.y ?? 0) + y * 3.7795] as const
  await page.mouse.move(...at(60, 20))
  await page.mouse.down()
  await page.mouse.move(...at(80, 30))
  await expect(paper).toContainText(/^.*(799|800|801) ms · 75\/min · 1 mV$/)
  await page.mouse.up()
  await panel().getByRole('combobox', { name: 'Speed' }).click()
  await page.getByRole('option', { name: '50 mm/s' }).click()
  await expect(panel().getByRole('img', { name: /at 50 mm\/s/ })).toBeVisible()
  // Printed, it is alone on the paper.
  await page.evaluate(() => document.documentElement.setAttribute('data-printing', ''))
  await page.emulateMedia({ media: 'print' })
  await expect(page.getByText('RITMO SINUSALE')).toBeVisible()
  await expect(page.getByRole('navigation', { name: 'Series' })).toBeHidden()
  await page.emulateMedia({ media: null })
  await page.evaluate(() => document.documentElement.removeAttribute('data-printing'))
  expect(await accessibilityFaults(page)).toEqual([])
})

test('a video plays inside the viewer; one that the browser cannot play is offered with a reason', async () => {
  const recorded = await page.evaluate(recordVideo)
  test.skip(recorded === null, 'this browser records no MP4')
  const VIDEO = '2.25.4200'
  const file = (number: number, syntax: string, stream: Buffer) => ({
    sopInstanceUid: `${VIDEO}.1.${number}`,
    body: encapsulatedFile(
      {
        ...{ SOPClassUID: '1.2.840.10008.5.1.4.1.1.77.1.1.1', Modality: 'ES' },
        ...{ SOPInstanceUID: `${VIDEO}.1.${number}`, StudyInstanceUID: VIDEO },
        ...{ SeriesInstanceUID: `${VIDEO}.1`, PatientName: 'Müller^Jörg', PatientID: 'P-0815' },
      },
      [stream],
      { transferSyntaxUid: syntax },
    ),
  })
  stage.studies.add({
    studyInstanceUid: VIDEO,
    images: [
      file(1, '1.2.840.10008.1.2.4.102', Buffer.from(recorded ?? '', 'base64')),
      file(2, '1.2.840.10008.1.2.4.100', Buffer.from('000001ba0000', 'hex')),
    ],
    manifest: 'none',
  })
  await stage.addStudy(VIDEO)
  await page.goto(await stage.link(VIDEO))
  const video = panel().locator('video')
  await expect
    .poll(() =>
      video.evaluate((shown: HTMLVideoElement) => [shown.readyState > 1, shown.videoWidth]),
    )
    .toEqual([true, 64])
  await objects().getByRole('button', { name: 'Video.mpg' }).click()
  await expect(panel()).toContainText('This browser cannot play the video')
  await expect(panel().getByRole('link', { name: 'Save' })).toBeVisible()
})

/** A second of a moving picture as base64 of an MP4; null where the browser records none. */
async function recordVideo(): Promise<string | null> {
  const mimeType = 'video/mp4;codecs=vp9'
  if (!MediaRecorder.isTypeSupported(mimeType)) return null
  const canvas = Object.assign(document.createElement('canvas'), { width: 64, height: 64 })
  const drawing = canvas.getContext('2d')
  const recorder = new MediaRecorder(canvas.captureStream(20), { mimeType })
  const parts: Blob[] = []
  recorder.ondataavailable = ({ data }) => parts.push(data)
  const stopped = new Promise((resolve) => {
    recorder.onstop = resolve
  })
  recorder.start()
  for (let shade = 0; shade < 20; shade++) {
    if (drawing) drawing.fillStyle = `rgb(${shade * 12} 80 80)`
    drawing?.fillRect(0, 0, 64, 64)
    await new Promise((resolve) => setTimeout(resolve, 40))
  }
  recorder.stop()
  await stopped
  const bytes = new Uint8Array(await new Blob(parts).arrayBuffer())
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
}

test('a user with the permission downloads the DICOM file, which the audit log records', async () => {
  const window = await context.newPage()
  await enterAsOwner(stage, window)
  const { viewId } = await window.evaluate(async (studyInstanceUid) => {
    const headers = { 'x-isthmus-csrf': '1', 'content-type': 'application/json' }
    const body = JSON.stringify({ studyInstanceUid })
    return await (await fetch('/dashboard/views', { method: 'POST', headers, body })).json()
  }, STUDY)
  await window.goto(`${stage.http}/viewer#${viewId}`)
  await isDrawn(window)
  await paneOf(window).focus()
  await window.keyboard.press('Shift+I')
  const downloading = window.waitForEvent('download')
  await window.getByRole('link', { name: 'Download' }).click()
  const download = await downloading
  expect(download.suggestedFilename()).toBe(`${STUDY}.1.1.dcm`)
  const bytes = readFileSync(await download.path())
  expect(bytes.toString('latin1', 128, 132)).toBe('DICM')
  expect(bytes.length).toBeGreaterThan(524_288)
  const { entries } = await window.evaluate(
    async () => await (await fetch('/dashboard/audit?action=view.')).json(),
  )
  expect(
    entries.map(({ action, target }: { action: string; target: string }) => [action, target]),
  ).toEqual(
    expect.arrayContaining([
      ['view.export', `${STUDY}.1.1`],
      ['view.elements', `${STUDY}.1.1`],
    ]),
  )
  await window.close()
})

test('complains of nothing on the console', () => {
  expect(complaints).toEqual([])
})
