import { type Browser, expect, type Page } from '@playwright/test'
import { perTier } from '../support/tier.ts'
import { sendImages } from './modality.ts'
import { addSession, ask, createOwner, openStage, type Stage } from './stage.ts'
import { callOf, emailOf, employ, type Invited, PASSWORD } from './stories.ts'
import { test } from './test.ts'

// How much a window asks of the gateway: nothing while nothing happens, and never more than the
// connections that a browser has, however many tabs are open.

test.describe.configure({ mode: 'serial', timeout: 120_000 })

const PEOPLE: readonly Invited[] = [
  { firstName: 'Tess', lastName: 'Ito', clinicRole: 'Imaging Technologist' },
  { firstName: 'Frida', lastName: 'Oduya', clinicRole: 'Front Desk Operator' },
  {
    firstName: 'Ruth',
    lastName: 'Okafor',
    clinicRole: 'Radiologist',
    canCreateReports: true,
    npiNumber: '1234567893',
  },
]
const IDLE_MS = 20_000

let stage: Stage
let ownersCookie: string
let owner: Page
/** Devices that nobody knows yet. */
let unknown = 0

test.beforeAll(async ({ browser }) => {
  stage = await openStage()
  for (const [key, value] of [
    ['setup.isDone', 'true'],
    ['intake.stopGigabytes', '0'],
    ['intake.warnGigabytes', '0'],
    ['intake.idleSeconds', '1'],
  ] as const)
    await stage.command('config', 'set', key, value)
  for (const aeTitle of ['CT1', 'MR1'])
    await stage.command('device', 'add', '--ae-title', aeTitle, '--modality', aeTitle.slice(0, 2))
  ownersCookie = await createOwner(stage)
  await ask(stage, 'CT1')
  await sendImages(stage, 'CT1', [
    {
      studyInstanceUid: '1.2.826.0.1.3680043.8.498.64001',
      number: 1,
      patientName: 'AMBERLY^ROSALIND',
      patientId: 'P-6401',
    },
  ])
  owner = await openPage(browser, ownersCookie)
  await owner.goto(`${stage.http}/#/`)
  for (const person of PEOPLE) await employ(owner, person)
})

test.afterAll(() => stage?.[Symbol.asyncDispose]())

async function openPage(browser: Browser, cookie: string): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
  await addSession(context, stage.http, cookie)
  return context.newPage()
}

async function sessionOf(person: Invited): Promise<string> {
  const answer = await fetch(`${stage.http}/dashboard/session`, {
    method: 'POST',
    headers: { 'x-isthmus-csrf': '1', origin: stage.http, 'content-type': 'application/json' },
    body: JSON.stringify({ email: emailOf(person), password: PASSWORD }),
  })
  if (!answer.ok) throw new Error(await answer.text())
  return answer.headers.getSetCookie()[0]?.split(';')[0] ?? ''
}

/** The calls of a page from now on. The stream of events is the SharedWorker's. */
function callsOf(page: Page): { readonly at: number; readonly call: string }[] {
  const calls: { readonly at: number; readonly call: string }[] = []
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url())
    calls.push({ at: performance.now(), call: `${request.method()} ${pathname}${search}` })
  })
  return calls
}

const streamOf = (page: Page, state: 'Live' | 'Reconnecting') =>
  page.getByRole('banner').getByText(state, { exact: true })

test('an idle window asks nothing of the gateway for 20 s, on any home and on the worklist', async ({
  browser,
}) => {
  const screens = [
    { name: 'administrator', page: owner, address: '/' },
    { name: 'worklist', page: await openPage(browser, ownersCookie), address: '/worklist' },
  ]
  for (const person of PEOPLE) {
    const page = await openPage(browser, await sessionOf(person))
    screens.push({ name: person.clinicRole, page, address: '/' })
  }
  const watched: { readonly name: string; readonly calls: ReturnType<typeof callsOf> }[] = []
  for (const { name, page, address } of screens) {
    const calls = callsOf(page)
    await page.goto('about:blank')
    await page.goto(`${stage.http}/#${address}`)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await expect(streamOf(page, 'Live')).toBeVisible()
    watched.push({ name, calls })
  }
  /** Those that asked something within the last 20 s, and what. */
  const asking = () =>
    watched.flatMap(({ name, calls }) =>
      calls
        .filter(({ at }) => performance.now() - at < IDLE_MS)
        .map(({ call }) => `${name}: ${call}`),
    )
  // Each screen is read again once a minute.
  await expect.poll(asking, { timeout: 75_000, intervals: [500] }).toEqual([])
  for (const { page } of screens) if (page !== owner) await page.context().close()
})

/** Of what a browser without a cache loads until a home can be used (decision 0079). */
const MOST_SCRIPT_BYTES = 150_000
const MOST_REQUESTS = 40

/**
 * In the page, before anything of it: notes when a home has its lists. Skeletons of one row are of
 * charts, which come later.
 */
function watchLists(): void {
  const hasLists = () =>
    document.querySelector('nav a[href]') &&
    document.querySelector('main section') &&
    !document.querySelector('main [aria-busy="true"] > :nth-child(4)')
  const observer = new MutationObserver(() => {
    if (!hasLists()) return
    observer.disconnect()
    performance.mark('usable')
  })
  observer.observe(document, { childList: true, subtree: true })
}

for (const home of ['administrator', 'technologist', 'front-desk', 'radiologist'])
  test(`the home of the ${home} loads little before it can be used`, async ({ browser }) => {
    const page = await openPage(browser, ownersCookie)
    await page.addInitScript(watchLists)
    await page.goto(`${stage.http}/#/?home=${home}`)
    await page.waitForFunction(() => performance.getEntriesByName('usable').length > 0)
    const loaded = await page.evaluate(() => {
      const [usable] = performance.getEntriesByName('usable')
      return performance
        .getEntriesByType('resource')
        .filter((one) => one instanceof PerformanceResourceTiming)
        .filter(({ startTime }) => startTime < (usable?.startTime ?? 0))
        .map(({ name, encodedBodySize }) => ({ name, bytes: encodedBodySize }))
    })
    // The texts of a language are scripts, too, and are counted apart.
    const scripts = loaded.filter(({ name }) => /\/(?!en-)[^/]+\.js$/.test(name))
    const bytes = scripts.reduce((sum, one) => sum + one.bytes, 0)
    expect(scripts.length).toBeGreaterThan(5)
    expect(bytes).toBeLessThanOrEqual(MOST_SCRIPT_BYTES)
    // The page itself is none of its resources.
    expect(loaded.length + 1).toBeLessThanOrEqual(MOST_REQUESTS)
    await page.context().close()
  })

const TABS = [
  ...['/', '/?home=technologist', '/?home=front-desk', '/?home=radiologist', '/worklist'],
  ...['/reading', '/images', '/events', '/activity', '/devices'],
]
/** What a browser lacks, and so how its tabs hear of events. */
const BROWSERS: readonly {
  readonly name: string
  readonly lacks: readonly string[]
  readonly hasStream: boolean
}[] = [
  { name: 'by a SharedWorker', lacks: [], hasStream: true },
  { name: 'by the tab that has a lock', lacks: ['SharedWorker'], hasStream: true },
  {
    name: 'by polling, in a page without TLS on a tablet',
    lacks: ['SharedWorker', 'locks', 'randomUUID', 'clipboard'],
    hasStream: false,
  },
]

for (const { name, lacks, hasStream } of perTier(
  BROWSERS.filter(({ lacks }) => lacks[0] !== 'SharedWorker' || lacks.length > 1),
  BROWSERS,
)) {
  test(`ten tabs of one browser work, and hear of what happens ${name}`, async ({ browser }) => {
    const first = await openPage(browser, ownersCookie)
    const context = first.context()
    await context.addInitScript((names) => {
      const has = (one: string) => names.includes(one)
      if (has('SharedWorker')) Reflect.deleteProperty(globalThis, 'SharedWorker')
      if (has('locks')) Reflect.deleteProperty(Navigator.prototype, 'locks')
      if (has('clipboard')) Reflect.deleteProperty(Navigator.prototype, 'clipboard')
      if (has('randomUUID')) Reflect.deleteProperty(Crypto.prototype, 'randomUUID')
    }, lacks)
    const pages = [first]
    while (pages.length < TABS.length) pages.push(await context.newPage())
    await Promise.all(
      pages.map(async (page, at) => {
        await page.goto(`${stage.http}/#${TABS[at]}`)
        await expect(page.getByRole('heading', { level: 1 })).toBeVisible({ timeout: 30_000 })
        await expect(streamOf(page, hasStream ? 'Live' : 'Reconnecting')).toBeVisible()
      }),
    )
    // A call of each at once, more than a browser has connections.
    await Promise.all(pages.map((page) => callOf(page, 'GET', '/dashboard/session')))
    // What happens is shown in every tab: the navigation counts unknown devices.
    unknown += 1
    await ask(stage, `NEW${unknown}`)
    for (const page of pages) {
      const link = page
        .getByRole('navigation', { name: 'Main' })
        .getByRole('link', { name: /^Devices/ })
      await expect(link).toContainText(String(unknown), { timeout: 30_000 })
    }
    await context.close()
  })
}
