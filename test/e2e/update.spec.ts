import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, type Page } from '@playwright/test'
import { MIGRATIONS } from '#server/database/migrations.ts'
import { schemaOf } from '../support/golden-checks.ts'
import { enterAsOwner, expectAccessible, go, openStage, pictured } from './stage.ts'
import { test } from './test.ts'

// The checks before an update, and the way back, by a click.

test.describe.configure({ timeout: 180_000 })

test('shows whether the gateway can be updated, and goes back to the version before', async ({
  browser,
}) => {
  await using stage = await openStage()
  const older = MIGRATIONS.length - 1
  const page = await (
    await browser.newContext({ viewport: { width: 1440, height: 900 } })
  ).newPage()
  await enterAsOwner(stage, page)
  await go(page, 'Settings')
  const panel = page.locator('#group-update')
  await expect(panel.getByText('No earlier version has been used with this data.')).toBeVisible()
  await expect(panel.getByText('No reports or images are waiting to be sent.')).toBeVisible()

  writeFileSync(
    join(stage.folder, 'version.json'),
    JSON.stringify({
      version: '1.1.0',
      schema: MIGRATIONS.length,
      previous: { version: '1.0.0', schema: older, until: new Date().toISOString() },
    }),
  )
  await page.reload()
  await panel.getByRole('button', { name: 'Go back to version 1.0.0' }).scrollIntoViewIfNeeded()
  await expectAccessible(page, 'update')
  await pictured(page, 'update')
  await inLanguage(page, 'es')
  await panel.getByRole('button', { name: 'Volver a la versión 1.0.0' }).scrollIntoViewIfNeeded()
  await pictured(page, 'update-es', [1440])
  await inLanguage(page, 'en')
  await panel.getByRole('button', { name: 'Go back to version 1.0.0' }).click()
  const dialog = page.getByRole('dialog', { name: 'Go back to version 1.0.0?' })
  await expect(dialog.getByText('with everything received since the update')).toBeVisible()
  await pictured(page, 'update-dialog', [1440])
  await dialog.getByRole('button', { name: 'Go back' }).click()
  await expect(
    panel.getByText('When the gateway has stopped, install version 1.0.0.'),
  ).toBeVisible()
  await expect
    .poll(() => schemaOf(join(stage.folder, 'gateway.sqlite')), { timeout: 30_000 })
    .toBe(older)
  await page.context().close()
})

async function inLanguage(page: Page, language: string): Promise<void> {
  await page.evaluate((chosen) => localStorage.setItem('isthmus-language', chosen), language)
  await page.reload()
}
