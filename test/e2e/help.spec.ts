import { expect, type Page } from '@playwright/test'
import { accessibilityFaults, addSession, complaintsOf, createOwner, openStage } from './stage.ts'
import { test } from './test.ts'

// The documentation that the gateway serves at /help, and how the window leads to it.

/** What a page loads from elsewhere than the gateway. */
function elsewhereOf(page: Page, origin: string): readonly string[] {
  const urls: string[] = []
  page.on('request', (request) => {
    if (!request.url().startsWith(origin)) urls.push(request.url())
  })
  return urls
}

async function scrollsSideways(page: Page): Promise<boolean> {
  return page.evaluate(
    () => document.documentElement.scrollWidth > document.documentElement.clientWidth,
  )
}

async function shoot(page: Page, name: string): Promise<void> {
  const shots = process.env.ISTHMUS_SHOTS
  if (shots) await page.screenshot({ path: `${shots}/help-${name}.png` })
}

const PAGES = [
  '',
  'staff.html',
  'operation.html',
  'api.html',
  'decisions/index.html',
  'readme.html',
]

test('the documentation is read and searched without a network, in both themes, on a telephone and in print', async ({
  browser,
}) => {
  test.setTimeout(120_000)
  await using stage = await openStage()
  const context = await browser.newContext({ viewport: { width: 1400, height: 900 } })
  const page = await context.newPage()
  const complaints = complaintsOf(page)
  const elsewhere = elsewhereOf(page, stage.http)

  await page.goto(`${stage.http}/help`)
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()

  // By the keyboard alone.
  await page.keyboard.press('/')
  await page.keyboard.type('quarantine')
  const found = page.getByRole('search').getByRole('link')
  await expect(found.first()).toContainText(/quarantine/i)
  await expect(page.getByRole('search').getByRole('status')).toHaveText(
    /^(Results: \d+|The first 12 of \d+ results)$/,
  )
  await shoot(page, 'search')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  await expect(found.nth(1)).toBeFocused()
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/help\/staff\.html#images-are-in-quarantine$/)
  await expect(page.locator('#images-are-in-quarantine')).toBeInViewport()
  await page.keyboard.press('Control+k')
  await page.keyboard.type('zzzzzz')
  await expect(page.getByRole('search').getByRole('status')).toHaveText('No results')
  await page.keyboard.press('Escape')
  await expect(page.getByRole('search').getByRole('status')).toBeHidden()

  // By links: the list of pages and the contents of a page.
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link').nth(2).click()
  await page.getByRole('navigation', { name: 'On this page' }).getByRole('link').last().click()
  await expect(page).toHaveURL(/#./)

  for (const path of PAGES) {
    await page.setViewportSize({ width: 1400, height: 900 })
    await page.goto(`${stage.http}/help/${path}`)
    for (const theme of ['light', 'dark']) {
      await page.getByLabel('Theme').selectOption(theme)
      await expect(page.locator('html')).toHaveAttribute('data-theme', theme)
      expect.soft(await accessibilityFaults(page), `${path} ${theme}`).toEqual([])
      await shoot(page, `${path.replace(/\W/g, '-')}-${theme}`)
    }
    await page.setViewportSize({ width: 360, height: 740 })
    expect.soft(await scrollsSideways(page), `${path} at 360 px`).toBe(false)
    expect.soft(await accessibilityFaults(page), `${path} at 360 px`).toEqual([])
    await shoot(page, `${path.replace(/\W/g, '-')}-narrow`)
  }
  // The choice is kept.
  await page.reload()
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark')

  await page.setViewportSize({ width: 800, height: 1100 })
  await page.emulateMedia({ media: 'print' })
  await page.goto(`${stage.http}/help/operation.html`)
  await expect(page.getByRole('navigation', { name: 'Pages' })).toBeHidden()
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await shoot(page, 'print')

  expect(complaints).toEqual([])
  expect(elsewhere).toEqual([])
  await context.close()
})

test('each screen leads to the page that describes it, by the menu of the user and by F1', async ({
  browser,
}) => {
  await using stage = await openStage()
  await stage.command('config', 'set', 'setup.isDone', 'true')
  const context = await browser.newContext()
  const page = await context.newPage()
  const complaints = complaintsOf(page)

  await page.goto(await stage.command('sign-in-link'))
  await page.getByRole('textbox', { name: 'First name' }).focus()
  const [byOwner] = await Promise.all([context.waitForEvent('page'), page.keyboard.press('F1')])
  await expect(byOwner).toHaveURL(`${stage.http}/help/install.html#first-start`)
  await byOwner.close()
  await page.goto('about:blank')
  await addSession(context, stage.http, await createOwner(stage))

  await page.goto(`${stage.http}/#/images/quarantine`)
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await page.bringToFront()
  const [byKey] = await Promise.all([context.waitForEvent('page'), page.keyboard.press('F1')])
  await expect(byKey).toHaveURL(`${stage.http}/help/staff.html#images-are-in-quarantine`)
  await expect(byKey.getByRole('heading', { name: 'Images are in quarantine' })).toBeInViewport()
  await byKey.close()

  await page.goto(`${stage.http}/#/settings/lifecycle`)
  await expect(page.getByRole('heading', { name: 'Image lifecycle' }).first()).toBeVisible()
  await page.getByRole('banner').getByRole('button').last().click()
  const item = page.getByRole('menuitem', { name: 'Help for this screen' })
  await shoot(page, 'menu')
  const [byMenu] = await Promise.all([context.waitForEvent('page'), item.click()])
  await expect(byMenu).toHaveURL(`${stage.http}/help/lifecycle.html#free-disk-space-safely`)

  await context.clearCookies()
  const [bySignIn] = await Promise.all([
    context.waitForEvent('page'),
    page.goto(`${stage.http}/#/sign-in`).then(async () => {
      await page.reload()
      await page.getByRole('link', { name: 'Help for this screen' }).waitFor()
      await shoot(page, 'sign-in')
      await byMenu.close()
      await page.getByRole('link', { name: 'Help for this screen' }).click()
    }),
  ])
  await expect(bySignIn).toHaveURL(/\/help\/staff\.html#/)
  expect(complaints.filter((one) => !one.includes('401'))).toEqual([])
  await context.close()
})
