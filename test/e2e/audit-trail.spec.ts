import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, type Page } from '@playwright/test'
import Sqlite from 'better-sqlite3'
import { speakIn } from './screens.ts'
import { complaintsOf, enterAsOwner, expectAccessible, openStage, type Stage } from './stage.ts'
import { test } from './test.ts'

// Somebody with the data folder removes the protection of the audit trail: the window says so until
// a person acknowledges it.

test.describe.configure({ mode: 'serial', timeout: 120_000 })

let stage: Stage
let page: Page
let complaints: readonly string[]

test.beforeAll(async ({ browser }) => {
  stage = await openStage()
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
})

/**
 * A picture of the screen in both themes, for a person to look at; where none are wanted, nothing.
 */
async function pictured(name: string): Promise<void> {
  const folder = process.env.ISTHMUS_PICTURES
  if (!folder) return
  mkdirSync(folder, { recursive: true })
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await page.waitForTimeout(300)
    await page.screenshot({ path: join(folder, `${name}-${colorScheme}.png`) })
  }
  await page.emulateMedia({ colorScheme: null })
}

test('shows what was found, until it is acknowledged with a cause', async () => {
  const sqlite = new Sqlite(join(stage.folder, 'gateway.sqlite'))
  sqlite.exec('drop trigger auditEntriesStay')
  sqlite.close()
  await page.goto(`${stage.http}/#/audit`)
  await page.getByRole('button', { name: 'Verify' }).click()
  await expect(page.getByText('The write protection of the audit log was removed')).toBeVisible()
  await expect(page.locator('body')).toContainText('The audit log was tampered with')
  await expectAccessible(page, 'audit-finding')
  await pictured('audit-finding')
  await page.getByRole('button', { name: 'Acknowledge' }).click()
  const dialog = page.getByRole('dialog', { name: 'Acknowledge the finding' })
  await dialog.getByRole('textbox', { name: 'Cause' }).fill('A test of the protection')
  await pictured('audit-acknowledge')
  await dialog.getByRole('button', { name: 'Acknowledge' }).click()
  await expect(page.getByText('The audit log is intact')).toBeVisible()
  await expect(page.getByText('The audit log was tampered with')).toHaveCount(0)
  await expect(page.getByRole('cell', { name: 'Finding acknowledged' })).toBeVisible()
})

test('says in Spanish where the collector is set', async () => {
  await speakIn(page, 'es')
  await page.goto(`${stage.http}/#/settings`)
  await page.reload()
  const heading = page.getByText('Servidor de auditoría', { exact: true }).first()
  await heading.scrollIntoViewIfNeeded()
  await expect(heading).toBeVisible()
  await pictured('collector-settings-es')
  expect(complaints).toEqual([])
})
