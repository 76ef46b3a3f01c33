import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, type Page } from '@playwright/test'
import { RESCUE_HINT_FILE } from '#server/database/data-directory.ts'
import { type Clinic, clinicWithBackup, DAMAGES, type Damage } from '../support/damaged-clinic.ts'
import { freePort } from '../support/free-port.ts'
import { complaintsOf, faultsByScheme } from './stage.ts'
import { test } from './test.ts'

const headless = join(import.meta.dirname, '../../dist/electron/headless.js')

interface Rescued extends AsyncDisposable {
  readonly clinic: Clinic
  readonly http: string
  readonly link: string
}

/** The built gateway on a data folder that this has befallen. */
async function openRescued(damage: Damage, { isHinted = true } = {}): Promise<Rescued> {
  const root = mkdtempSync(join(tmpdir(), 'isthmus-e2e-'))
  const clinic = await clinicWithBackup(root)
  DAMAGES[damage](clinic.folder)
  if (!isHinted) rmSync(join(clinic.folder, RESCUE_HINT_FILE))
  // One port for all its lives: the page goes on to the window.
  const listeners = [
    '--http',
    `127.0.0.1:${await freePort()}`,
    '--dimse',
    '127.0.0.1:0',
    '--dimse-tls',
    'off',
  ]
  const words = ['serve', '--data', clinic.folder, ...listeners, '--log-level', 'warn', '--rescue']
  const child = spawn(process.execPath, [headless, ...words], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const { http, link } = await new Promise<{ http: string; link: string }>((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', (line) => resolve(JSON.parse(line)))
    child.once('exit', (code) => reject(new Error(`serve ended with ${code}`)))
  })
  return {
    ...{ clinic, http, link },
    async [Symbol.asyncDispose]() {
      await end(child)
      rmSync(root, { recursive: true, force: true })
    },
  }
}

function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve()
  return new Promise((resolve) => {
    child.once('exit', () => resolve())
    child.kill('SIGTERM')
  })
}

/** No fault of axe in either scheme. */
async function expectAccessible(page: Page): Promise<void> {
  expect(await faultsByScheme(page, 'rescue')).toEqual({})
}

const signIn = (page: Page) => page.getByRole('heading', { name: 'Sign in', level: 1 })

test('leads from a damaged database by its newest backup into the window', async ({ browser }) => {
  await using rescued = await openRescued('pages overwritten in the middle')
  const context = await browser.newContext({ viewport: { width: 1280, height: 720 } })
  const page = await context.newPage()
  const complaints = complaintsOf(page)
  await page.goto(rescued.link)
  await expect(
    page.getByRole('heading', { name: 'The database is damaged', level: 1 }),
  ).toBeVisible()
  await expect(page).toHaveTitle('The gateway cannot open its data · Isthmus')
  expect(page.url()).toBe(`${rescued.http}/rescue.html`)
  await expect(page.getByText('Nothing was changed, and nothing will be deleted.')).toBeVisible()

  await page.getByRole('main').getByRole('radio').first().click()
  await expect(page.getByRole('heading', { name: /^Backup of / })).toBeVisible()
  await expect(page.getByRole('definition').first()).toBeVisible()
  await expectAccessible(page)

  // As after a reload by hand: the link is used no second time.
  await page.reload()
  await page.getByRole('main').getByRole('radio').first().click()
  await page.getByRole('button', { name: 'Restore this backup' }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByText('is kept in the data folder')).toBeVisible()
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Restore this backup' }).click()
  await expect(page.getByRole('heading', { name: 'The gateway is starting' })).toBeVisible()
  await expect(signIn(page)).toBeVisible({ timeout: 30_000 })
  expect(page.url()).not.toContain('rescue')
  expect(complaints.filter((text) => !text.includes('ERR_CONNECTION'))).toEqual([])
  await context.close()
})

test('finds backups in another folder, and says what is wrong with one', async ({ browser }) => {
  await using rescued = await openRescued('a beginning overwritten', { isHinted: false })
  const context = await browser.newContext({ viewport: { width: 1280, height: 720 } })
  const page = await context.newPage()
  await page.goto(rescued.link)
  await expect(
    page.getByRole('heading', { name: 'The database cannot be read', level: 1 }),
  ).toBeVisible()
  await expect(page.getByText('can no longer be read. Enter it below.')).toBeVisible()
  const folder = page.getByLabel('Another folder')
  await folder.fill(join(rescued.clinic.backupFolder, 'gone'))
  await page.getByRole('button', { name: 'Open folder' }).click()
  await expect(page.getByText('check that the disk is connected')).toBeVisible()
  await expectAccessible(page)
  await folder.fill(rescued.clinic.backupFolder)
  await page.getByRole('button', { name: 'Open folder' }).click()
  await expect(page.getByRole('main').getByRole('radio')).toHaveCount(1)
  await context.close()
})

test('puts a lost data key back with the recovery key', async ({ browser }) => {
  await using rescued = await openRescued('no data key')
  const context = await browser.newContext({ viewport: { width: 1280, height: 720 } })
  const page = await context.newPage()
  await page.goto(rescued.link)
  await expect(
    page.getByRole('heading', { name: 'The data key is missing', level: 1 }),
  ).toBeVisible()
  const field = page.getByLabel('Recovery key').first()
  await field.fill('0000-0000')
  await page.getByRole('button', { name: 'Restore the key and start' }).click()
  await expect(page.getByText('compare it with the sheet')).toBeVisible()
  await expectAccessible(page)
  await field.fill(rescued.clinic.recoveryKey.toLowerCase())
  await page.getByRole('button', { name: 'Restore the key and start' }).click()
  await expect(signIn(page)).toBeVisible({ timeout: 30_000 })
  await context.close()
})

test('asks for the recovery key of a backup that the data key does not open', async ({
  browser,
}) => {
  await using rescued = await openRescued('another data key')
  const context = await browser.newContext({ viewport: { width: 1280, height: 720 } })
  const page = await context.newPage()
  await page.goto(rescued.link)
  await page.getByRole('main').getByRole('radio').first().click()
  await expect(page.getByText('None of the data keys on this PC opens this backup.')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Restore this backup' })).toHaveCount(0)
  const field = page.getByLabel('Recovery key').last()
  await field.fill('1111')
  await page.getByRole('button', { name: 'Check key' }).click()
  await expect(page.getByText('compare it with the sheet')).toBeVisible()
  await field.fill(rescued.clinic.recoveryKey)
  await page.getByRole('button', { name: 'Check key' }).click()
  await expect(page.getByText('The recovery key is correct.')).toBeVisible()
  await page.getByRole('button', { name: 'Restore this backup' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Restore this backup' }).click()
  await expect(signIn(page)).toBeVisible({ timeout: 30_000 })
  await context.close()
})

test('shows nothing without its link, and speaks Spanish', async ({ browser }) => {
  await using rescued = await openRescued('pages overwritten in the middle')
  const context = await browser.newContext({ viewport: { width: 1280, height: 720 } })
  const page = await context.newPage()
  await page.goto(rescued.http)
  await expect(page.getByText('This page opens only with its link.')).toBeVisible()
  expect(await page.content()).not.toContain(rescued.clinic.folder)
  await expectAccessible(page)
  await page.getByText('Español').click()
  await page.goto(rescued.link)
  await expect(
    page.getByRole('heading', { name: 'La base de datos está dañada', level: 1 }),
  ).toBeVisible()
  await expect(page.getByText('está dañada (')).toBeVisible()
  await context.close()
})
