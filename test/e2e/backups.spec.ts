import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, type Page } from '@playwright/test'
import { strFromU8, unzipSync } from 'fflate'
import { freePort } from '../support/free-port.ts'
import {
  complaintsOf,
  enterAsOwner,
  expectAccessible,
  go,
  OWNER,
  openStage,
  type Stage,
} from './stage.ts'
import { test } from './test.ts'

// Backups on a real gateway: the plan, one made by hand, its rehearsal, and an earlier state put
// back; then the bundle for support.

test.describe.configure({ mode: 'serial', timeout: 180_000 })

let stage: Stage
let page: Page
let complaints: readonly string[]
const folder = mkdtempSync(join(tmpdir(), 'isthmus-backups-'))

test.beforeAll(async ({ browser }) => {
  // The gateway opens anew after a restore: a port of its own choice would be another one then.
  stage = await openStage('--http', `127.0.0.1:${await freePort()}`)
  const context = await browser.newContext({
    viewport: { width: 1280, height: 860 },
    reducedMotion: 'reduce',
  })
  page = await context.newPage()
  complaints = complaintsOf(page)
  await enterAsOwner(stage, page)
})

test.afterAll(async () => {
  await page.context().close()
  await stage[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

const rows = () => page.getByRole('table').getByRole('row').filter({ hasText: 'isthmus-' })
const button = (name: string | RegExp) => page.getByRole('button', { name })

test('asks for a folder first, and says what lacks until then', async () => {
  await go(page, 'Settings')
  await page
    .getByRole('navigation', { name: 'Settings' })
    .getByRole('link', { name: 'Backups', exact: true })
    .click()
  await expect(page.getByRole('heading', { name: 'Backups', level: 1 })).toBeVisible()
  await expect(page.getByRole('heading', { name: 'No backup folder' })).toBeVisible()
  await expect(button('Back up now')).toBeDisabled()
  await expectAccessible(page, 'backups-empty')
  await page.getByRole('textbox', { name: 'Folder on the gateway PC' }).fill('backups')
  await button('Use this folder').click()
  await expect(page.getByText('This is not a full path.')).toBeVisible()
  await page.getByRole('textbox', { name: 'Folder on the gateway PC' }).fill(folder)
  await button('Use this folder').click()
  await expect(page.getByRole('heading', { name: 'Backups in this folder' })).toBeVisible()
  await expect(page.getByRole('heading', { name: 'No backup yet' })).toHaveCount(2)
})

test('keeps the plan where it stands', async () => {
  await page.getByRole('switch', { name: 'For a standby PC' }).click({ force: true })
  await page.getByRole('textbox', { name: 'Every', exact: true }).fill('3')
  await expect(button('Save schedule')).toBeDisabled()
  await page.getByRole('textbox', { name: 'Every', exact: true }).fill('45')
  await page.getByLabel('At', { exact: true }).fill('03:15')
  await button('Save schedule').click()
  await expect(page.getByText('The schedule was saved.')).toBeVisible()
  await expect(button('Save schedule')).toHaveCount(0)
  await page.reload()
  await expect(page.getByLabel('At', { exact: true })).toHaveValue('03:15')
  await expect(page.getByRole('textbox', { name: 'Every', exact: true })).toHaveValue(/^45/)
  expect(await stage.command('config', 'get', 'backup.everyMinutes')).toBe('45')
})

test('makes a backup at the press of a button, and tries it', async () => {
  await stage.command('device', 'add', '--ae-title', 'CT1', '--name', 'CT, room 1')
  await button('Back up now').click()
  await expect(rows()).toHaveCount(1, { timeout: 30_000 })
  await expect(rows()).toContainText('manual')
  await expect(rows()).toContainText('this PC only')
  // It was not the plan that made it, it is on the disk of the data, and the images are not in it.
  await expect(
    page.getByRole('heading', { name: 'No scheduled backup has been made yet' }),
  ).toBeVisible()
  await expect(page.getByText('On the same disk as the data', { exact: true })).toBeVisible()
  await expect(page.getByText('Images are not included', { exact: false })).toBeVisible()
  await button('Test now').click()
  await expect(
    page.getByRole('heading', { name: 'The newest backup can be restored' }),
  ).toBeVisible({
    timeout: 30_000,
  })
  await expectAccessible(page, 'backups-made')
})

test('shows what putting it back would lose, and takes the owner’s password for it', async () => {
  await stage.command('device', 'add', '--ae-title', 'CT9', '--name', 'CT, room 9')
  await button(/^Restore isthmus-/).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByRole('row', { name: /^Devices/ })).toHaveText(/Devices12−1/)
  await expect(dialog).toContainText('1 device')
  await expect(dialog).toContainText('The current database is not deleted')
  await expectAccessible(page, 'backups-preview')
  await dialog.getByLabel('Your password').fill('six loud otters')
  await dialog.getByRole('button', { name: 'Restore backup' }).click()
  await expect(dialog).toContainText('must be the password that you sign in with')
  await dialog.getByLabel('Your password').fill(OWNER.password)
  await dialog.getByRole('button', { name: 'Restore backup' }).click()
  // The gateway may have restarted before a later phase is seen.
  await expect(page.getByRole('dialog', { name: 'Restoring a backup' })).toBeVisible({
    timeout: 30_000,
  })
})

test('comes back by itself with the earlier state', async () => {
  await expect(page.getByRole('dialog')).toHaveCount(0, { timeout: 60_000 })
  await expect(page.getByRole('heading', { name: 'Backups', level: 1 })).toBeVisible({
    timeout: 60_000,
  })
  await go(page, 'Devices')
  await expect(page.getByRole('table')).toContainText('CT, room 1')
  await expect(page.getByRole('table')).not.toContainText('CT, room 9')
  await go(page, 'Audit')
  await expect(page.getByRole('main')).toContainText('Backup restored')
})

test('gives support a bundle that is read before it is saved', async () => {
  await go(page, 'Settings')
  await page
    .getByRole('navigation', { name: 'Settings' })
    .getByRole('link', { name: 'System status' })
    .click()
  await button('Support bundle…').click()
  const dialog = page.getByRole('dialog')
  await expect(dialog.locator('pre')).toContainText('Contains no patient names')
  await expectAccessible(page, 'backups-support')
  await dialog.getByRole('button', { name: /^settings\.txt/ }).click()
  await expect(dialog.locator('pre')).toContainText('clinic.name')
  const saving = page.waitForEvent('download')
  await dialog.getByRole('link', { name: 'Save as ZIP' }).click()
  const saved = await saving
  expect(saved.suggestedFilename()).toMatch(/^isthmus-diagnostics-\d{8}-\d{4}Z\.zip$/)
  const files = unzipSync(readFileSync(await saved.path()))
  expect(Object.keys(files)).toContain('log.txt')
  const text = Object.values(files)
    .map((bytes) => strFromU8(bytes))
    .join('\n')
  for (const canary of ['North Clinic', OWNER.email, 'Berg', 'CT, room 1', folder, 'whsec_'])
    expect(text).not.toContain(canary)
  await dialog.getByRole('button', { name: 'Close' }).last().click()
})

/**
 * A backup of another gateway, which knows a device of its own, and the recovery key that opens
 * it.
 */
async function backupOfAnother(
  other: Stage,
  at: Page,
): Promise<{ readonly path: string; readonly recoveryKey: string }> {
  await enterAsOwner(other, at)
  await other.command('device', 'add', '--ae-title', 'MR7', '--name', 'MR, other house')
  const call = (method: string, path: string, body?: object) =>
    at.evaluate(
      async ([to, way, sent]) => {
        const headers = {
          'x-isthmus-csrf': '1',
          ...(sent && { 'content-type': 'application/json' }),
        }
        const answer = await fetch(`/dashboard/${to}`, {
          method: way,
          headers,
          ...(sent && { body: sent }),
        })
        return answer.json()
      },
      [path, method, body ? JSON.stringify(body) : ''] as const,
    )
  const { recoveryKey, asked } = await call('POST', 'setup/recovery-key')
  const groups = (asked as number[]).map((group) => recoveryKey.split('-')[group])
  await call('POST', 'setup/recovery-key/confirm', { groups })
  const elsewhere = join(folder, 'other')
  await call('PUT', 'setup/backup/folder', { folder: elsewhere })
  await call('POST', 'backups')
  let name: string | undefined
  await expect(async () => {
    name = (await call('GET', 'backups')).backups[0]?.name
    expect(name).toBeTruthy()
  }).toPass()
  return { path: join(elsewhere, name ?? ''), recoveryKey }
}

test('puts the backup of a lost PC back with the recovery key, from another folder', async ({
  browser,
}) => {
  const other = await openStage()
  const at = await (await browser.newContext()).newPage()
  const { path, recoveryKey } = await backupOfAnother(other, at)
  await at.context().close()
  await other[Symbol.asyncDispose]()

  await page.goto(`${stage.http}/#/settings/backups`)
  await button('Restore from another folder…').click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Backup folder on the gateway PC').fill('backups')
  await dialog.getByRole('button', { name: 'Open folder' }).click()
  await expect(dialog).toContainText('Enter the full path')
  await dialog.getByLabel('Backup folder on the gateway PC').fill(path)
  await dialog.getByRole('button', { name: 'Open folder' }).click()
  await dialog.getByLabel('Your password').fill(OWNER.password)
  await dialog.getByLabel('Recovery key').fill('0000-1111-2222-3333-4444-5555-6666-7777')
  await dialog.getByRole('button', { name: 'Restore backup' }).click()
  await expect(dialog).toContainText('This is not the recovery key')
  await expectAccessible(page, 'backups-recovery')
  await dialog.getByLabel('Recovery key').fill(recoveryKey.toLowerCase())
  await dialog.getByRole('button', { name: 'Restore backup' }).click()
  // The people of that PC, and no session of anybody.
  await page.getByLabel('E-mail').fill(OWNER.email, { timeout: 60_000 })
  await page.getByRole('textbox', { name: 'Password' }).fill(OWNER.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await go(page, 'Devices')
  await expect(page.getByRole('table')).toContainText('MR, other house')
})

test('complains of nothing on the console', () => {
  // The browser notes each call to the gateway while it starts again.
  expect(complaints.filter((text) => !text.includes('ERR_CONNECTION'))).toEqual([])
})
