import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, type Page } from '@playwright/test'
import { sendImages } from './modality.ts'
import {
  complaintsOf,
  enterAsOwner,
  faultsByScheme,
  go as goOn,
  openStage,
  type Stage,
} from './stage.ts'
import { test } from './test.ts'

// What a person sees and decides of images that could be lost: files without a record in the
// database, images that are cut off, and images that their device sent again with other pixels.

test.describe.configure({ mode: 'serial', timeout: 120_000 })

const STUDY = '1.2.826.0.1.3680043.8.498.11140001'
const MAJA = {
  studyInstanceUid: STUDY,
  patientName: 'TEST^MAJA',
  patientId: 'P-7001',
  accessionNumber: 'A-7001',
}
const OTHER = {
  studyInstanceUid: '1.2.826.0.1.3680043.8.498.11140002',
  patientName: 'TEST^OTTO',
  patientId: 'P-7002',
}
const FILES = [1, 2, 3].map(
  (number) => `ab/${'cd'.repeat(16)}/00000000-0000-4000-8000-00000000000${number}.dcm`,
)
let stage: Stage
let page: Page
let complaints: readonly string[]

const imagesIn = (folder: string) =>
  readdirSync(join(stage.folder, folder), { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.dcm'),
  )
const pathOf = (file: string) => {
  const path = join(stage.folder, 'recovery', file)
  mkdirSync(dirname(path), { recursive: true })
  return path
}
const need = (name: string) =>
  page
    .getByRole('list', { name: 'What needs attention' })
    .getByRole('listitem')
    .filter({ hasText: name })
const go = (name: string) => goOn(page, name)
const isAccessible = async (name: string) => expect(await faultsByScheme(page, name)).toEqual({})

test.beforeAll(async ({ browser }) => {
  stage = await openStage()
  for (const key of ['intake.stopGigabytes', 'intake.warnGigabytes'])
    await stage.command('config', 'set', key, '0')
  await stage.command('config', 'set', 'intake.idleSeconds', '1')
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
  await sendImages(stage, 'CT1', [{ ...OTHER, number: 1 }])
  // As the gateway leaves them at its start: one that is in the archive already, one that is
  // damaged, one that is no image.
  const [kept = ''] = imagesIn('images')
  copyFileSync(join(stage.folder, 'images', kept), pathOf(FILES[0] ?? ''))
  copyFileSync(join(stage.folder, 'images', kept), pathOf(FILES[1] ?? ''))
  writeFileSync(pathOf(FILES[2] ?? ''), 'not an image')
  const context = await browser.newContext({ viewport: { width: 1360, height: 860 } })
  page = await context.newPage()
  complaints = complaintsOf(page)
  await enterAsOwner(stage, page)
})

test.afterAll(async () => {
  await page.context().close()
  await stage[Symbol.asyncDispose]()
})

test('says on Today that image files have no record, and imports one with one click', async () => {
  await go('Today')
  await expect(need('Image files without a record')).toContainText(
    '3 image files are not in the database',
  )
  await isAccessible('recovered-today')
  await need('Image files without a record').getByRole('link', { name: 'Review files' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Recovered files' })).toBeVisible()
  const readable = page.getByRole('row').filter({ hasText: 'OTTO' })
  await expect(readable).toHaveCount(2)
  await expect(page.getByRole('row').filter({ hasText: 'Not readable as an image' })).toHaveCount(1)
  await isAccessible('recovered')
  await readable.first().getByRole('button', { name: 'Import' }).click()
  await expect(page.getByText('1 file imported.')).toBeVisible()
  await expect(readable).toHaveCount(1)
})

test('imports all of them, says which could not be, and deletes that one only with a reason', async () => {
  await page.getByRole('button', { name: 'Import all' }).click()
  await expect(
    page.getByText('1 file could not be imported and stays here. It is not a DICOM file.'),
  ).toBeVisible()
  const left = page.getByRole('row').filter({ hasText: 'Not readable as an image' })
  await expect(page.getByRole('row').filter({ hasText: 'OTTO' })).toHaveCount(0)
  await left.getByRole('button', { name: 'Discard' }).click()
  const dialog = page.getByRole('dialog')
  await isAccessible('recovered-discard')
  await dialog.getByRole('button', { name: 'Discard file' }).click()
  await expect(dialog.getByText('Enter a reason')).toBeVisible()
  expect(imagesIn('recovery')).toHaveLength(1)
  await dialog.getByRole('textbox', { name: 'Reason' }).fill('A text file')
  await dialog.getByRole('button', { name: 'Discard file' }).click()
  await expect(page.getByText('No recovered files')).toBeVisible()
  expect(imagesIn('recovery')).toEqual([])
  await isAccessible('recovered-none')
})

test('shows both versions of an image whose device sent other pixels, until somebody has compared them', async () => {
  await sendImages(
    stage,
    'CT1',
    [1, 2].map((number) => ({ ...MAJA, number })),
  )
  await sendImages(stage, 'CT1', [{ ...MAJA, number: 2, pixel: '0009' }])
  await go('Today')
  await expect(need('Images were replaced')).toContainText(
    '1 study has images that the device resent with different pixel data.',
  )
  await isAccessible('replaced-today')
  await need('Images were replaced').getByRole('link', { name: 'Compare' }).click()
  await page.getByRole('row').filter({ hasText: 'MAJA' }).getByRole('link').click()
  await expect(page.getByRole('heading', { name: 'Images with several versions' })).toBeVisible()
  await expect(page.getByRole('row').filter({ hasText: 'Different pixels' })).toHaveCount(1)
  await isAccessible('versions')
  await page.getByRole('button', { name: 'Show this version' }).click()
  const dialog = page.getByRole('dialog')
  await isAccessible('versions-restore')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'I have compared the versions' }).click()
  await dialog.getByRole('textbox', { name: 'Note' }).fill('Reconstructed again')
  await dialog.getByRole('button', { name: 'Acknowledge' }).click()
  await expect(page.getByRole('button', { name: 'I have compared the versions' })).toHaveCount(0)
  await go('Today')
  await expect(need('Images were replaced')).toHaveCount(0)
})

test('shows the earlier version again, with a reason', async () => {
  await page.goto(`${stage.http}/#/images/${STUDY}`)
  await page.getByRole('button', { name: 'Show this version' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'Reason' }).fill('The later one is of another patient')
  await dialog.getByRole('button', { name: 'Show this version' }).click()
  await expect(
    page.getByText('The earlier version is shown again; the later one is kept.'),
  ).toBeVisible()
  const shown = page.getByRole('row').filter({ hasText: 'Shown' })
  await expect(shown).toHaveCount(1)
  await expect(shown).not.toContainText('Different pixels')
  expect(complaints).toEqual([])
})
