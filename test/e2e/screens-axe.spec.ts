import { join } from 'node:path'
import { type Browser, expect, type Page, test } from '@playwright/test'
import { type Clinic, openClinic, PEOPLE, type Who } from './clinic.ts'
import { atRest, screensOf, show } from './screens.ts'
import { accessibilityFaults } from './stage.ts'

// Every screen and dialog, light and dark: no fault against WCAG 2.2 AA that axe knows. `ISTHMUS_SHOTS` names a folder for their pictures.

test.describe.configure({ timeout: 600_000 })

const SCHEMES = ['light', 'dark'] as const
let clinic: Clinic

test.beforeAll(async () => {
  clinic = await openClinic()
})
test.afterAll(() => clinic[Symbol.asyncDispose]())

async function enter(browser: Browser, who: Who): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 720 }, ignoreHTTPSErrors: true, reducedMotion: 'reduce' })
  await clinic.enter(context, who)
  return context.newPage()
}

async function look(page: Page, name: string, schemes: readonly ('light' | 'dark')[] = SCHEMES): Promise<void> {
  const faults: Record<string, string[]> = {}
  for (const colorScheme of schemes) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await page
      .locator(`html[data-mantine-color-scheme="${colorScheme}"]`)
      .or(page.locator('html:not([data-mantine-color-scheme])'))
      .waitFor()
    await atRest(page)
    const folder = process.env.ISTHMUS_SHOTS
    if (folder) await page.screenshot({ path: join(folder, `${name}-${colorScheme}.png`) })
    const found = await accessibilityFaults(page)
    if (found.length > 0) faults[colorScheme] = found
  }
  expect.soft(faults, name).toEqual({})
}

for (const who of PEOPLE) {
  test(`screens of ${who} have no accessibility fault that axe knows`, async ({ browser }) => {
    const page = await enter(browser, who)
    for (const screen of screensOf(who)) {
      await test.step(screen.name, async () => {
        await show(page, clinic, screen)
        await look(page, screen.name, screen.isDark ? ['dark'] : SCHEMES)
      })
    }
    await page.context().close()
  })
}

test('dialogs have no accessibility fault that axe knows', async ({ browser }) => {
  const page = await enter(browser, 'owner')
  for (const screen of screensOf('owner')) {
    for (const [name, open] of Object.entries(screen.dialogs ?? {})) {
      await test.step(`${screen.name}, ${name}`, async () => {
        await show(page, clinic, screen)
        await open({ page, clinic, say: (english) => english })
        await expect(page.getByRole('dialog').first()).toBeVisible()
        await look(page, `${screen.name}-${name}`)
        await page.reload()
      })
    }
  }
  await page.context().close()
})

test('the lock screen has no accessibility fault that axe knows', async ({ browser }) => {
  const page = await enter(browser, 'owner')
  await page.goto(`${clinic.stage.http}/#/reading`)
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.keyboard.press('Control+l')
  await expect(page.locator('input[type="password"]')).toBeVisible()
  await look(page, 'locked')
  await page.context().close()
})
