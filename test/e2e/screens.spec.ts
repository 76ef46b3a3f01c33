import { type Browser, expect, type Page } from '@playwright/test'
import { isNightly, perTier } from '../support/tier.ts'
import { type Clinic, openClinic, PEOPLE, type Who } from './clinic.ts'
import { misfits, movements, nestedScrolling } from './screen-layout.ts'
import { type At, atRest, closeDialogs, SCREENS, type Screen, screensOf, show } from './screens.ts'
import { complaintsOf, faultsByScheme } from './stage.ts'
import { test } from './test.ts'

// One walk for each kind of person through every screen and dialog, with all checks at each:
// no accessibility fault that axe knows, light and dark; no rule of the security policy broken, no
// request to another host, no patient in the address or the title; and, for the owner, nothing cut
// off or out of reach at the sizes that clinics have.
// `ISTHMUS_SHOTS` names a folder for their screenshots.

test.describe.configure({ timeout: perTier(600_000, 1_500_000) })

const SIZE = { width: 1280, height: 720 }
/**
 * 720 × 450 and 640 × 360 are windows of 1440 × 900 and 1280 × 720 at 200 % (WCAG 2.2, 1.4.4 and
 * 1.4.10).
 */
const SMALL_SIZES = [
  { width: 1024, height: 768 },
  { width: 720, height: 450 },
]
const OTHER_SIZES = [{ width: 3840, height: 2160 }, ...SMALL_SIZES, { width: 640, height: 360 }]
/** A button that was pressed shows a loader for a moment. */
const fits = expect.configure({ soft: true, timeout: 3000 })
const english = (text: string) => text
let clinic: Clinic

test.beforeAll(async () => {
  clinic = await openClinic()
})
test.afterAll(() => clinic[Symbol.asyncDispose]())

async function enter(browser: Browser, who: Who, viewport = SIZE): Promise<Page> {
  const context = await browser.newContext({
    viewport,
    ignoreHTTPSErrors: true,
    reducedMotion: 'reduce',
  })
  await clinic.enter(context, who)
  return context.newPage()
}

/**
 * Requests of a page to other hosts, what its security policy refused, and the errors on its
 * console.
 */
async function watch(page: Page): Promise<() => readonly string[]> {
  const faults: string[] = []
  const ours = [clinic.stage.http, clinic.overLan].map((url) => new URL(url).host)
  page.on('request', (request) => {
    const { protocol, host } = new URL(request.url())
    if (!['data:', 'blob:'].includes(protocol) && !ours.includes(host))
      faults.push(`asked ${request.url()}`)
  })
  await page.exposeFunction('noteViolation', (what: string) => faults.push(what))
  await page.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => {
      ;(window as unknown as { noteViolation(what: string): void }).noteViolation(
        `broke ${violatedDirective}: ${blockedURI}`,
      )
    })
  })
  const complaints = complaintsOf(page)
  return () => [...faults, ...complaints]
}

const schemesOf = ({ isDark }: Screen) =>
  isDark ? (['dark'] as const) : (['light', 'dark'] as const)

/** Everything fits a window of each size, and nothing scrolls within something that scrolls. */
async function checkSizes(page: Page, screen: Screen): Promise<void> {
  for (const size of [SIZE, ...OTHER_SIZES]) {
    await page.setViewportSize(size)
    const message = `${screen.name}, ${size.width} × ${size.height}`
    await fits
      .poll(async () => [...(await misfits(page)), ...(await nestedScrolling(page))], { message })
      .toEqual([])
    if (isNightly && SMALL_SIZES.includes(size))
      expect.soft(await faultsByScheme(page, screen.name, schemesOf(screen)), message).toEqual({})
  }
  await page.setViewportSize(SIZE)
}

for (const who of PEOPLE) {
  test(`every screen and dialog of ${who} is accessible, breaks no rule of its security policy and asks nobody else`, async ({
    browser,
  }) => {
    const page = await enter(browser, who)
    const faults = await watch(page)
    for (const screen of screensOf(who)) {
      await test.step(screen.name, async () => {
        await show(page, clinic, screen)
        expect.soft(faults(), screen.name).toEqual([])
        expect.soft(page.url(), screen.name).not.toMatch(/marlowe|quillfeather|MRN-|token=/i)
        expect.soft(await page.title(), screen.name).not.toMatch(/marlowe|quillfeather|MRN-/i)
        expect
          .soft(await faultsByScheme(page, screen.name, schemesOf(screen)), screen.name)
          .toEqual({})
        if (who === 'owner') await checkSizes(page, screen)
      })
      for (const [index, [name, open]] of Object.entries(screen.dialogs ?? {}).entries()) {
        await test.step(`${screen.name}, ${name}`, async () => {
          if (index > 0) await show(page, clinic, screen)
          await checkDialog(page, `${screen.name}-${name}`, open)
        })
      }
    }
    expect(faults()).toEqual([])
    await page.context().close()
  })
}

/**
 * A dialog is accessible, nothing in it moves for who asked for less motion, and it does not scroll
 * in two ways.
 */
async function checkDialog(
  page: Page,
  name: string,
  open: (at: At) => Promise<void>,
): Promise<void> {
  await open({ page, clinic, say: english })
  await expect(page.getByRole('dialog').first()).toBeVisible()
  expect.soft(await movements(page), name).toEqual([])
  await atRest(page)
  expect.soft(await faultsByScheme(page, name), name).toEqual({})
  for (const size of SMALL_SIZES) {
    await page.setViewportSize(size)
    const message = `${name}, ${size.width} × ${size.height}`
    await fits.poll(() => nestedScrolling(page), { message }).toEqual([])
    if (isNightly) expect.soft(await faultsByScheme(page, name), message).toEqual({})
  }
  await page.setViewportSize(SIZE)
  await closeDialogs(page, clinic)
}

test('every screen can be gone to by the navigation at 200 %', async ({ browser }) => {
  const page = await enter(browser, 'owner', { width: 640, height: 360 })
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

test('a member is shown every screen, or why it is not theirs and who can help', async ({
  browser,
}) => {
  const page = await enter(browser, 'member')
  const complaints = complaintsOf(page)
  for (const screen of SCREENS.filter(
    ({ who, name }) => who === 'owner' && !name.startsWith('setup-') && name !== 'nothing-here',
  )) {
    await page.goto(`${clinic.stage.http}/#${await screen.address(clinic)}`)
    const main = page.getByRole('main')
    const isShown = screen.sign?.(page) ?? main.getByRole('heading', { level: 1 })
    const isExplained = main.getByText(/owner or (an )?administrator/i).filter({ visible: true })
    await expect.soft(isShown.or(isExplained).first(), screen.name).toBeVisible()
    await expect
      .soft(page.locator('[aria-busy="true"], .mantine-Skeleton-root'), screen.name)
      .toHaveCount(0)
    await expect.soft(main, screen.name).not.toContainText('could not be')
  }
  expect(complaints).toEqual([])
  await page.context().close()
})

const PAGES = [
  { path: '/', isViewer: false },
  { path: '/index.html', isViewer: false },
  { path: '/docs', isViewer: false },
  { path: '/help', isViewer: false },
  { path: '/viewer', isViewer: true },
  { path: '/token/landing?token=nonsense', isViewer: true },
] as const

for (const { path, isViewer } of PAGES) {
  test(`${path} runs scripts of its own alone${isViewer ? ', and WebAssembly' : ''}`, async () => {
    const { headers } = await fetch(clinic.stage.http + path)
    const rules = new Map(
      (headers.get('content-security-policy') ?? '').split(';').map((rule) => {
        const [name = '', ...values] = rule.trim().split(/\s+/)
        return [name, values] as const
      }),
    )
    expect(rules.get('script-src')).toEqual(
      isViewer ? ["'self'", "'wasm-unsafe-eval'"] : ["'self'"],
    )
    expect(rules.get('script-src-attr')).toEqual(["'none'"])
    expect(rules.get('default-src')).toEqual(["'self'"])
    expect(rules.get('object-src')).toEqual(["'none'"])
    expect(rules.get('base-uri')).toEqual(["'none'"])
    expect(rules.get('connect-src')).toEqual(["'self'"])
    expect(rules.get('frame-ancestors')).toEqual([isViewer ? "'self'" : "'none'"])
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('referrer-policy')).toBe('no-referrer')
  })
}

// Last: the session of the owner is locked from then on.
test('the lock screen is accessible', async ({ browser }) => {
  const page = await enter(browser, 'owner')
  await page.goto(`${clinic.stage.http}/#/reading`)
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.keyboard.press('Control+l')
  await expect(page.locator('input[type="password"]')).toBeVisible()
  await atRest(page)
  expect(await faultsByScheme(page, 'locked')).toEqual({})
  await page.context().close()
})
