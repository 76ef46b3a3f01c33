import { expect, type Page } from '@playwright/test'
import { ask, complaintsOf, go as goOn, leaveSetup, OWNER, openStage, type Stage } from './stage.ts'
import { LOADS_IN_ADVANCE, test } from './test.ts'

test.describe.configure({ mode: 'serial', timeout: 120_000 })

let stage: Stage
let page: Page
let complaints: readonly string[]

test.beforeAll(async ({ browser }) => {
  stage = await openStage()
  const context = await browser.newContext({ viewport: { width: 1360, height: 860 } })
  page = await context.newPage()
  complaints = complaintsOf(page)
})

test.afterAll(async () => {
  await page.context().close()
  await stage[Symbol.asyncDispose]()
})

const go = (name: string) => goOn(page, name)

test('has no account at first and says how to make one', async () => {
  await page.goto(stage.http)
  await expect(page.getByRole('heading', { name: 'Set up this gateway' })).toBeVisible()
  await expect(page.getByText('sign-in-link --data DIR')).toBeVisible()
})

test('makes the owner’s account by the one-time link, which works once', async ({ browser }) => {
  const link = await stage.command('sign-in-link')
  await page.goto(link)
  await page.getByLabel('Clinic name').fill('North Clinic')
  await page.getByLabel('First name').fill('Olga')
  await page.getByLabel('Last name').fill('Berg')
  await page.getByLabel('E-mail').fill(OWNER.email)
  await page.getByRole('textbox', { name: 'Password' }).fill('short')
  await page.getByRole('button', { name: 'Create account and sign in' }).click()
  await expect(page.getByText('must have at least 10 characters')).toBeVisible()
  await page.getByRole('textbox', { name: 'Password' }).fill(OWNER.password)
  await page.getByRole('button', { name: 'Create account and sign in' }).click()
  // Passwords are hashed slowly, on purpose.
  await expect(page.getByRole('heading', { name: 'Your clinic', level: 1 })).toBeVisible()
  await expect(page.getByRole('textbox', { name: 'Clinic name' })).toHaveValue('North Clinic')
  await expect(
    page
      .getByRole('navigation', { name: 'Setup steps' })
      .getByRole('link', { name: 'Owner , done' }),
  ).toBeVisible()
  expect(page.url()).not.toContain('token')
  await leaveSetup(page)
  await expect(page.getByText('North Clinic')).toBeVisible()
  await expect(
    page.getByRole('listitem').filter({ hasText: 'Setup is not finished' }),
  ).toBeVisible()

  const stranger = await browser.newPage()
  await stranger.goto(link)
  await expect(stranger.getByRole('button', { name: 'Create account and sign in' })).toHaveCount(0)
  await stranger.close()
})

test('shows an unknown caller as it calls, and lets it in with one click', async () => {
  expect(await ask(stage, 'CT1')).toBe(0)
  const item = page
    .getByRole('list', { name: 'What needs attention' })
    .getByRole('listitem')
    .filter({ hasText: 'Unknown devices' })
  await expect(item).toContainText(
    '1 unknown device tried to connect. Until it is approved, it can only test the connection.',
  )
  await go('Activity')
  await expect(page.getByText('it is not in the device list')).toBeVisible()
  await go('Today')
  await item.getByRole('link', { name: 'Approve or dismiss' }).click()
  const caller = page.getByRole('form', { name: /CT1/ })
  await caller.getByRole('button', { name: 'Approve' }).click()
  await expect(page.getByRole('table').getByText('CT1', { exact: true }).first()).toBeVisible()
  await expect(caller).toHaveCount(0)
  await go('Today')
  await expect(item).toHaveCount(0)
})

test('is not shown in a frame of another page', async ({ browser }) => {
  const other = await browser.newPage()
  await other.setContent(
    `<iframe src="${stage.http}/"></iframe><iframe src="${stage.http}/viewer"></iframe>`,
  )
  for (const frame of other.frames().slice(1))
    await expect.poll(() => frame.url()).toMatch(/^chrome-error:/)
  await other.close()
})

test('shows markup in the AE title of a caller as text', async () => {
  const aeTitle = '<img src=x>'
  expect(await ask(stage, aeTitle)).toBe(0)
  await go('Activity')
  await expect(page.getByText(aeTitle).first()).toBeVisible()
  await go('Devices')
  const caller = page.getByRole('form', { name: aeTitle })
  await expect(caller).toBeVisible()
  await expect(page.locator('img[src="x"]')).toHaveCount(0)
  await caller.getByRole('button', { name: 'Dismiss' }).click()
  await expect(caller).toHaveCount(0)
})

test('shows a device’s query in the feed at once, and why each exam was or was not sent', async () => {
  await go('Activity')
  const sent = await ask(stage, 'CT1')
  expect(sent).toBeGreaterThan(20)
  const line = page
    .getByRole('listitem')
    .filter({ hasText: `${sent} exams sent` })
    .first()
  await expect(line).toBeVisible()
  await line.getByRole('link').first().click()
  await expect(page.getByRole('heading', { name: /^Query \d+$/ })).toBeVisible()
  await expect(page.getByText('Partner’s response', { exact: true })).toBeVisible()
  await page.getByText('Withheld 2').click()
  const exams = page.getByRole('table', { name: 'Exams and their results' })
  await expect(exams.getByText('its Accession Number is longer than 16 characters')).toBeVisible()
  await expect(exams.getByText('its Study Instance UID is not a valid UID')).toBeVisible()
})

test('counts what a device asks again on one connection, and says so', async () => {
  await go('Activity')
  const sent = await ask(stage, 'CT1', ['--repeat', '3'])
  await expect(
    page.getByText(`repeated the query 2 times and received the same ${sent / 3} exams.`),
  ).toBeVisible()
  await go('Worklist queries')
  await expect(
    page.getByText('repeated 2 times with the same result, last at').first(),
  ).toBeVisible()
  await page.getByRole('row').filter({ hasText: 'repeated 2 times' }).getByRole('link').click()
  await page.getByText('Details').click()
  await expect(page.getByText('2 times, last at')).toBeVisible()
})

test('asks the worklist as the device would', async () => {
  await go('Test query')
  await page.getByRole('textbox', { name: 'Modality' }).fill('MR')
  await page.getByRole('button', { name: 'Query', exact: true }).click()
  await expect(page.getByRole('table', { name: 'Exams and their results' })).toBeVisible()
  await go('Worklist queries')
  await expect(page.getByText('test query').first()).toBeVisible()
})

test('says across every screen that the partner is away, and serves the last good list', async () => {
  await stage.command('config', 'set', 'worklist.freshSeconds', '0')
  await stage.stopPartner()
  expect(await ask(stage, 'CT1')).toBeGreaterThan(20)
  for (const name of ['Today', 'Activity', 'Devices', 'Settings']) {
    await go(name)
    await expect(
      page.getByText(/Partner unreachable \(since .*\)\. Devices get the worklist of/),
    ).toBeVisible()
  }
  await go('Today')
  await expect(page.getByRole('listitem').filter({ hasText: 'Partner unreachable' })).toBeVisible()
  await page.getByRole('button', { name: 'Start downtime mode' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'Reason' }).fill('Line is down')
  await dialog.getByRole('button', { name: 'Start downtime mode' }).click()
  await expect(page.getByText('Olga Berg').first()).toBeVisible()
  await stage.startPartner()
  // An open circuit lets one probe through after 15 s.
  await stage.advanceClock(15_000)
  await expect
    .poll(
      async () =>
        (await ask(stage, 'CT1')) > 0 &&
        (await page.getByText(/Partner unreachable/).count()) === 0,
      { timeout: 30_000 },
    )
    .toBe(true)
  await expect(page.getByRole('button', { name: 'Start downtime mode' })).toBeVisible()
})

test('tests the partner, changes a setting, and has both in the audit trail', async () => {
  await go('Partner')
  await page.getByRole('button', { name: 'Test now' }).click()
  await expect(page.getByText(/responded with \d+ exams for today/)).toBeVisible()
  await go('Settings')
  await page
    .getByRole('textbox', { name: 'Days back' })
    .or(page.getByLabel(/days before today/i))
    .first()
    .fill('2')
  await page.getByRole('button', { name: 'Save all' }).click()
  await expect(page.getByText('The settings were saved.')).toBeVisible()
  await go('Audit')
  await expect(page.getByText('Worklist: Days back').first()).toBeVisible()
  await expect(
    page
      .getByText('downtime.start')
      .or(page.getByText(/downtime/i))
      .first(),
  ).toBeVisible()
})

test('signs out, and in again by keyboard alone', async () => {
  await page
    .getByRole('button', { name: /account|Olga/i })
    .first()
    .click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible()
  await page.getByLabel('E-mail').focus()
  await page.keyboard.type(OWNER.email)
  await page.keyboard.press('Tab')
  await page.keyboard.type(OWNER.password)
  await page.keyboard.press('Enter')
  await expect(
    page
      .getByRole('heading', { name: 'Audit', level: 1 })
      .or(page.getByRole('heading', { name: 'Today', level: 1 })),
  ).toBeVisible()
})

// A screen whose file has a name that no other has.
const LATER_SCREEN = '/assets/api-keys-'

test('loads the other screens in advance, unless the browser saves data', async () => {
  const another = await page.context().newPage()
  const wanted: string[] = []
  another.on('request', (request) => wanted.push(new URL(request.url()).pathname))
  await another.goto(`${stage.http}/#/`)
  await leaveSetup(another)
  await expect.poll(() => wanted.some((path) => path.startsWith('/assets/lock-screen-'))).toBe(true)
  expect(wanted.filter((path) => path.startsWith(LATER_SCREEN))).toEqual([])
  await another.evaluate((name) => {
    window.name = name
  }, LOADS_IN_ADVANCE)
  await another.reload()
  await leaveSetup(another)
  await expect.poll(() => wanted.some((path) => path.startsWith(LATER_SCREEN))).toBe(true)
  await another.close()
})

test('needs no request beyond the gateway and breaks no rule of its own security policy', () => {
  expect(complaints).toEqual([])
})
