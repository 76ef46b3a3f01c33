import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, type Page } from '@playwright/test'
import { phantomSlice, phantomSopUid } from '#electron/simulator/phantom.ts'
import { type OhifPages, serveOhif } from '../support/ohif.ts'
import { complaintsOf, openStage, type Stage } from './stage.ts'
import { test } from './test.ts'

// OHIF, as it is published, with the settings of docs/DICOMWEB.md: behind a web server that adds the
// API key, and without one, when its pages come from another origin than the images and the key is
// in their address.

const STUDY = '1.2.826.0.1.3680043.8.498.70011'
const SERIES = {
  ...{ studyInstanceUid: STUDY, seriesInstanceUid: `${STUDY}.1`, slices: 5 },
  ...{ patientId: 'TEST-OHIF', patientName: 'Test^Ohif', studyDescription: 'CT thorax' },
}
/** What docs/DICOMWEB.md has and Orthanc, whose settings are the first ones, has not. */
const DOCUMENTED = { qidoSupportsIncludeField: true, bulkDataURI: { enabled: true } }
let stage: Stage
/** Behind a web server. */
let proxied: OhifPages
/** Of another origin. */
let direct: OhifPages
let key: string

test.beforeAll(async () => {
  stage = await openStage()
  direct = await serveOhif({ root: `${stage.http}/dicom-web`, source: DOCUMENTED })
  await stage.command('config', 'set', 'dicomweb.isOn', 'true')
  await stage.command('config', 'set', 'dicomweb.origins', JSON.stringify([direct.url]))
  for (const setting of ['intake.stopGigabytes', 'intake.warnGigabytes'])
    await stage.command('config', 'set', setting, '0')
  await stage.command('device', 'add', '--ae-title', 'CT1', '--modality', 'CT')
  key = await stage.command('api-key', 'create', '--description', 'OHIF', '--dicomweb', 'read')
  proxied = await serveOhif({
    root: '/dicom-web',
    source: DOCUMENTED,
    proxy: {
      port: Number(new URL(stage.http).port),
      headers: { authorization: `Bearer ${key}`, host: new URL(stage.http).host },
    },
  })
  storeImages()
})
test.afterAll(async () => {
  await proxied?.[Symbol.asyncDispose]()
  await direct?.[Symbol.asyncDispose]()
  await stage?.[Symbol.asyncDispose]()
})

function storeImages(): void {
  const folder = mkdtempSync(join(tmpdir(), 'isthmus-ohif-'))
  try {
    mkdirSync(folder, { recursive: true })
    for (let number = 1; number <= SERIES.slices; number++)
      writeFileSync(
        join(folder, `${phantomSopUid(SERIES, number)}.dcm`),
        Buffer.concat(phantomSlice(SERIES, number)),
      )
    const words = ['-aet', 'CT1', '-aec', 'ISTHMUS', '+sd', '127.0.0.1', stage.dimsePort, folder]
    execFileSync('storescu', words, { env: { ...process.env, TCP_NODELAY: '1' } })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Opens the study and waits until its images are there. */
async function opens(page: Page, address: string): Promise<void> {
  const complaints = complaintsOf(page)
  const refused: string[] = []
  page.on('response', (response) => {
    if (response.url().includes('/dicom-web') && response.status() >= 400)
      refused.push(`${response.status()} ${response.url()}`)
  })
  await page.goto(address)
  await expect(page.locator('.cornerstone-canvas').first()).toBeVisible({ timeout: 120_000 })
  // Every slice is decoded, and what is on the screen is a picture, not one colour.
  await page.waitForFunction(
    (slices) =>
      (window as unknown as { cornerstone?: { cache: { _imageCache: Map<string, unknown> } } })
        .cornerstone?.cache._imageCache.size === slices,
    SERIES.slices,
    { timeout: 120_000 },
  )
  const canvas = page.locator('.cornerstone-canvas').first()
  await expect
    .poll(() =>
      canvas.evaluate((element) => {
        const { width, height } = element as HTMLCanvasElement
        const context = (element as HTMLCanvasElement).getContext('2d')
        return new Set(context?.getImageData(0, Math.floor(height / 2), width, 1).data).size
      }),
    )
    .toBeGreaterThan(10)
  expect(refused).toEqual([])
  // What OHIF complains of beside that is not about the server of its images.
  expect(complaints.filter((text) => /CORS|dicom-web/i.test(text))).toEqual([])
  await page.screenshot({ path: test.info().outputPath('ohif.png') })
}

test('OHIF shows the images behind a web server that adds the key', async ({ page }) => {
  test.setTimeout(240_000)
  await opens(page, `${proxied.url}/viewer?StudyInstanceUIDs=${STUDY}`)
})

test('OHIF shows the images from another origin, with the key in its address', async ({ page }) => {
  test.setTimeout(240_000)
  await opens(page, `${direct.url}/viewer?StudyInstanceUIDs=${STUDY}&token=${key}`)
})

test('OHIF lists the studies', async ({ page }) => {
  test.setTimeout(120_000)
  await page.goto(proxied.url)
  const row = page.getByRole('row').filter({ hasText: 'Test, Ohif' })
  await expect(row).toContainText('CT thorax', { timeout: 60_000 })
  await expect(row).toContainText(String(SERIES.slices))
})

test('OHIF reads nothing without a key', async ({ page }) => {
  test.setTimeout(120_000)
  const statuses: number[] = []
  page.on('response', (response) => {
    if (response.url().includes('/dicom-web')) statuses.push(response.status())
  })
  await page.goto(`${direct.url}/viewer?StudyInstanceUIDs=${STUDY}`)
  await expect.poll(() => statuses, { timeout: 60_000 }).toContain(401)
  expect(statuses).not.toContain(200)
})
