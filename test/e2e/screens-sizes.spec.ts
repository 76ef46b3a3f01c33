import { type Browser, expect, type Page, test } from '@playwright/test'
import { type Clinic, openClinic } from './clinic.ts'
import { screensOf, show } from './screens.ts'

// Every screen of the window at the sizes that clinics have: nothing is cut off, nothing needs scrolling sideways but a table in its frame,
// and what is pressed is large enough. 640 × 360 is a window of 1280 × 720 at 200 % (WCAG 2.2, 1.4.4 and 1.4.10).

test.describe.configure({ timeout: 600_000 })

const SIZES = [
  { name: '1280 × 720', width: 1280, height: 720 },
  { name: '3840 × 2160', width: 3840, height: 2160 },
  { name: '1024 × 768', width: 1024, height: 768 },
  { name: '640 × 360, as 1280 × 720 is at 200 %', width: 640, height: 360 },
] as const
/** WCAG 2.2, 2.5.8. */
const SMALLEST_TARGET = 24
/** What is asked again turns its button for a moment. */
const fits = expect.configure({ soft: true, timeout: 3000 })
let clinic: Clinic

test.beforeAll(async () => {
  clinic = await openClinic()
})
test.afterAll(() => clinic[Symbol.asyncDispose]())

async function enter(browser: Browser, viewport: { width: number; height: number }): Promise<Page> {
  const context = await browser.newContext({ viewport, reducedMotion: 'reduce', ignoreHTTPSErrors: true })
  await clinic.enter(context, 'owner')
  return context.newPage()
}

/** What is wrong with how the page fits its window, a line each. */
const misfits = (page: Page, smallest: number): Promise<string[]> =>
  page.evaluate((least) => {
    const faults: string[] = []
    const named = (element: Element) =>
      `${element.tagName.toLowerCase()} “${(element.getAttribute('aria-label') ?? element.textContent ?? '').trim().slice(0, 50)}”`
    const wide = document.documentElement.scrollWidth
    if (wide > innerWidth) faults.push(`the page is ${wide} wide in a window of ${innerWidth}`)
    const shown = (element: Element) =>
      element.checkVisibility({ visibilityProperty: true, opacityProperty: true }) && element.closest('[aria-hidden="true"]') === null

    /** Whether some ancestor scrolls, so that a person can bring it into view. */
    const scrolls = (element: Element, axis: 'X' | 'Y') => {
      for (let above = element.parentElement; above; above = above.parentElement) {
        if (/auto|scroll/.test(getComputedStyle(above)[`overflow${axis}`])) return true
      }
      return false
    }
    const PRESSED = 'button, a[href], [role="button"], [role="tab"], input:not([type="hidden"]), select, textarea, [role="menuitem"]'
    for (const element of document.querySelectorAll(PRESSED)) {
      const box = element.getBoundingClientRect()
      if (!shown(element) || box.width === 0 || box.height <= 1) continue
      // Out of sight until it has the focus.
      if (box.right <= 0 || box.bottom <= 0) continue
      if ((box.left < -1 || box.right > innerWidth + 1) && !scrolls(element, 'X')) faults.push(`${named(element)} is beside the window`)
      if (box.bottom > innerHeight + 1 && !scrolls(element, 'Y') && document.documentElement.scrollHeight <= innerHeight) {
        faults.push(`${named(element)} is below the window and cannot be reached`)
      }
      // A link within a sentence may be as high as its line; what has room around it may be smaller.
      const isInline = getComputedStyle(element).display === 'inline'
      const label = element.matches('input')
        ? element.closest('label, .mantine-Checkbox-root, .mantine-Radio-root, .mantine-Switch-root')
        : null
      const target = label?.getBoundingClientRect() ?? box
      const crossed = Math.min(target.width, target.height)
      if (!isInline && crossed < least - 0.5) {
        const middle = { x: box.left + box.width / 2, y: box.top + box.height / 2 }
        const isCrowded = [...document.querySelectorAll(PRESSED)].some((other) => {
          if (other === element || !shown(other) || other.contains(element) || element.contains(other)) return false
          const beside = other.getBoundingClientRect()
          if (beside.width === 0) return false
          const x = Math.max(beside.left, Math.min(middle.x, beside.right))
          const y = Math.max(beside.top, Math.min(middle.y, beside.bottom))
          return Math.hypot(middle.x - x, middle.y - y) < least / 2
        })
        if (isCrowded || element.matches('button, [role="tab"]')) {
          faults.push(`${named(element)} is ${Math.round(target.width)} × ${Math.round(target.height)}`)
        }
      }
    }
    // Words that nobody can read to their end.
    for (const element of document.querySelectorAll(
      'button, h1, h2, h3, th, label, [role="tab"], .mantine-Button-label, .mantine-Badge-label',
    )) {
      if (!shown(element) || element.closest('[data-loading]') || element.clientWidth <= 1 || (element.textContent ?? '').trim() === '')
        continue
      const { overflowX, overflowY, clip, clipPath } = getComputedStyle(element)
      if (clip !== 'auto' || clipPath !== 'none') continue
      const isCutX = /hidden|clip/.test(overflowX) && element.scrollWidth > element.clientWidth + 1
      const isCutY = /hidden|clip/.test(overflowY) && element.scrollHeight > element.clientHeight + 2
      if (isCutX || isCutY) faults.push(`${named(element)} is cut off`)
    }
    return [...new Set(faults)]
  }, smallest)

for (const { name, ...viewport } of SIZES) {
  test(`every screen fits a window of ${name}`, async ({ browser }) => {
    const page = await enter(browser, viewport)
    for (const screen of screensOf('owner')) {
      await test.step(screen.name, async () => {
        await show(page, clinic, screen)
        await fits.poll(() => misfits(page, SMALLEST_TARGET), { message: screen.name }).toEqual([])
      })
    }
    await page.context().close()
  })
}

test('every screen can be gone to by the navigation at 200 %', async ({ browser }) => {
  const page = await enter(browser, { width: 640, height: 360 })
  await page.goto(`${clinic.stage.http}/#/`)
  const links = page.getByRole('navigation', { name: 'Main' }).getByRole('link')
  await links.first().waitFor()
  for (const link of await links.all()) {
    await link.click()
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await expect(link).toHaveAttribute('aria-current', 'page')
  }
  await page.context().close()
})

test('nothing moves for who asked for less motion', async ({ browser }) => {
  const page = await enter(browser, { width: 1280, height: 720 })
  for (const screen of screensOf('owner').filter(({ dialogs }) => dialogs)) {
    await show(page, clinic, screen)
    const [open] = Object.values(screen.dialogs ?? {})
    await open?.({ page, clinic, say: (english) => english })
    await page.getByRole('dialog').first().waitFor()
    const moving = await page.evaluate(() =>
      document
        .getAnimations()
        .filter((one) => one.playState === 'running' && Number(one.effect?.getComputedTiming().duration) > 10)
        .map((one) => ('transitionProperty' in one ? String(one.transitionProperty) : String((one as CSSAnimation).animationName))),
    )
    // Colours and a caret may change; places and sizes not.
    expect
      .soft(
        moving.filter((what) => /^(transform|translate|scale|rotate|left|top|width|height|margin.*)$|slide|spin|m_/.test(what)),
        screen.name,
      )
      .toEqual([])
    await page.reload()
  }
  await page.context().close()
})
