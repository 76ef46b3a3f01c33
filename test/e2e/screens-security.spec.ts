import { type Browser, expect, type Page, test } from '@playwright/test'
import { type Clinic, openClinic, PEOPLE, type Who } from './clinic.ts'
import { SCREENS, screensOf, show } from './screens.ts'
import { complaintsOf } from './stage.ts'

// A walk through every screen: each page is under its own security policy, breaks no rule of it, and asks no other place for anything.

test.describe.configure({ timeout: 600_000 })

let clinic: Clinic

test.beforeAll(async () => {
  clinic = await openClinic()
})
test.afterAll(() => clinic[Symbol.asyncDispose]())

const PAGES = [
  { path: '/', isViewer: false },
  { path: '/index.html', isViewer: false },
  { path: '/docs', isViewer: false },
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
    expect(rules.get('script-src')).toEqual(isViewer ? ["'self'", "'wasm-unsafe-eval'"] : ["'self'"])
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

/** What a page asks of other places, and what its policy keeps it from. */
async function watch(page: Page): Promise<readonly string[]> {
  const faults: string[] = []
  const ours = [clinic.stage.http, clinic.overLan].map((url) => new URL(url).host)
  page.on('request', (request) => {
    const { protocol, host } = new URL(request.url())
    if (!['data:', 'blob:'].includes(protocol) && !ours.includes(host)) faults.push(`asked ${request.url()}`)
  })
  await page.exposeFunction('noteViolation', (what: string) => faults.push(what))
  await page.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => {
      ;(window as unknown as { noteViolation(what: string): void }).noteViolation(`broke ${violatedDirective}: ${blockedURI}`)
    })
  })
  return faults
}

async function enter(browser: Browser, who: Who): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ignoreHTTPSErrors: true })
  await clinic.enter(context, who)
  return context.newPage()
}

for (const who of PEOPLE) {
  test(`a walk of ${who} through every screen breaks no rule, complains of nothing and asks nobody else`, async ({ browser }) => {
    const page = await enter(browser, who)
    const complaints = complaintsOf(page)
    const faults = await watch(page)
    for (const screen of screensOf(who)) {
      await show(page, clinic, screen)
      expect.soft([...faults, ...complaints], screen.name).toEqual([])
      expect.soft(page.url(), screen.name).not.toMatch(/marlowe|quillfeather|MRN-|token=/i)
      expect.soft(await page.title(), screen.name).not.toMatch(/marlowe|quillfeather|MRN-/i)
    }
    await page.context().close()
  })
}

test('a member is shown every screen, or why it is not theirs and who can help', async ({ browser }) => {
  const page = await enter(browser, 'member')
  const complaints = complaintsOf(page)
  for (const screen of SCREENS.filter(({ who, name }) => who === 'owner' && !name.startsWith('setup-') && name !== 'nothing-here')) {
    await page.goto(`${clinic.stage.http}/#${await screen.address(clinic)}`)
    const main = page.getByRole('main')
    const isShown = screen.sign?.(page) ?? main.getByRole('heading', { level: 1 })
    const isExplained = main.getByText(/owner or (an )?administrator/i).filter({ visible: true })
    await expect.soft(isShown.or(isExplained).first(), screen.name).toBeVisible({ timeout: 15_000 })
    await expect.soft(page.locator('[aria-busy="true"], .mantine-Skeleton-root'), screen.name).toHaveCount(0)
    await expect.soft(main, screen.name).not.toContainText('could not be')
  }
  expect(complaints).toEqual([])
  await page.context().close()
})
