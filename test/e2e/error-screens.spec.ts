import { type BrowserContext, expect, type Page, type Response } from '@playwright/test'
import { addSession, createOwner, openStage, type Stage } from './stage.ts'
import { test } from './test.ts'

// Whatever fails, the screen has a reference for support, and a button that copies it with what
// failed and where.

test.describe.configure({ timeout: 60_000 })

let stage: Stage
let context: BrowserContext
let page: Page

test.beforeAll(async ({ browser }) => {
  stage = await openStage()
  await stage.command('config', 'set', 'setup.isDone', 'true')
  context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] })
  await addSession(context, stage.http, await createOwner(stage))
  page = await context.newPage()
})

test.afterAll(async () => {
  await context?.close()
  await stage?.[Symbol.asyncDispose]()
})

/**
 * Copies the reference that the screen shows. A screen asks again once the event stream is open,
 * and then shows another one.
 */
async function copied(within = page): Promise<string> {
  const shown = within.getByText(/^Reference [\w-]{8,}$/)
  await expect(shown).toBeVisible()
  let text = ''
  await expect(async () => {
    await within.getByRole('button', { name: 'Copy reference' }).click({ timeout: 2000 })
    await expect(within.getByRole('button', { name: 'Copied' })).toBeVisible({ timeout: 1000 })
    text = await within.evaluate(() => navigator.clipboard.readText())
    expect(text.split('\n')[0]).toBe(await shown.textContent())
  }).toPass()
  return text
}

const open = (address: string) => page.goto(`${stage.http}/#${address}`)

test('a page that does not exist has a reference', async () => {
  await open('/no/such/place')
  await expect(page.getByRole('heading', { name: 'Page not found' })).toBeVisible()
  expect(await copied()).toContain('/#/no/such/place')
})

test('a call that fails has the reference of the gateway’s log', async () => {
  const requestIds: string[] = []
  const note = (response: Response) => {
    if (response.url().includes('/dashboard/studies/stu_'))
      requestIds.push(response.headers()['x-request-id'] ?? 'none')
  }
  page.on('response', note)
  await open(`/studies/stu_${'0'.repeat(32)}`)
  const [, reference] = /^Reference (.*)$/m.exec(await copied()) ?? []
  expect(requestIds).toContain(reference)
  page.off('response', note)
})

test('a call without an answer has a reference of the window', async () => {
  await page.route('**/dashboard/worklist/exams*', (route) => route.abort())
  // The reference of the screen before is gone.
  await page.goto('about:blank')
  await open('/worklist')
  expect(await copied()).toMatch(/^Reference W-[0-9a-f]{8}\n.*\n\/#\/worklist\nunreachable 0$/)
  await page.unroute('**/dashboard/worklist/exams*')
})

test('a screen whose program fails has the places of the fault, and not its message', async () => {
  await page.goto(`${stage.http}/`)
  await page.route('**/assets/devices-*.js', async (route) => {
    const answer = await route.fetch()
    const name = /as Devices\b/.exec(await answer.text()) ? 'Devices' : ''
    expect(name).toBe('Devices')
    const body = 'const Devices = () => { throw new TypeError("Marlowe") }\nexport { Devices }\n'
    await route.fulfill({ response: answer, body })
  })
  await open('/devices')
  await expect(
    page.getByRole('heading', { name: 'This screen could not be displayed' }),
  ).toBeVisible()
  const text = await copied()
  expect(text).toMatch(/TypeError\nat .*\/assets\/devices-/)
  expect(text).not.toContain('Marlowe')
  await page.unroute('**/assets/devices-*.js')
})

test('a screen whose program cannot be loaded has a reference', async () => {
  await page.route('**/assets/partner-*.js', (route) => route.fulfill({ status: 404 }))
  await open('/partner')
  await expect(page.getByRole('heading', { name: 'The gateway was updated' })).toBeVisible()
  expect(await copied()).toContain('/#/partner\nScreenLoadError')
  await page.unroute('**/assets/partner-*.js')
})

for (const path of ['/', '/viewer#00000000-0000-4000-8000-000000000000']) {
  test(`${path.split('#')[0]} whose program cannot be loaded says so, and has a reference`, async () => {
    const another = await context.newPage()
    await another.route(/\/assets\/main-.*\.js$/, (route) => route.abort())
    await another.goto(stage.http + path)
    await expect(
      another.getByRole('heading', { name: 'The page could not be loaded' }),
    ).toBeVisible()
    await expect(another.getByRole('button', { name: 'Reload page' })).toBeVisible()
    expect(await copied(another)).toContain('TypeError')
    await another.close()
  })
}

test('a viewer without its images has a reference', async () => {
  await page.goto(`${stage.http}/viewer#00000000-0000-4000-8000-000000000000`)
  await expect(page.getByRole('alert')).toBeVisible()
  expect(await copied()).toMatch(/^Reference [0-9a-f-]{36}$/m)
})

test('a reference can be copied in a page without TLS on another PC', async () => {
  const another = await context.newPage()
  await another.addInitScript(() => {
    for (const name of ['writeText', 'write'])
      Reflect.deleteProperty(globalThis.Clipboard.prototype, name)
  })
  await another.goto(`${stage.http}/#/no/such/place`)
  expect(await copied(another)).toContain('/#/no/such/place')
  await another.close()
})
