import { type BrowserContext, expect, type Page } from '@playwright/test'
import { CLIENT, openIdentityProvider } from '../support/identity-provider.ts'
import {
  addSession,
  complaintsOf,
  createOwner,
  expectAccessible,
  leaveSetup,
  openStage,
  pictured,
  type Stage,
} from './stage.ts'
import { test } from './test.ts'

// Sign-in at a real provider, from the button to the window and back.

test.describe.configure({ mode: 'serial', timeout: 120_000 })

const PEOPLE = {
  ada: {
    ...{ email: 'ada@clinic.example', email_verified: true, groups: ['it'] },
    ...{ given_name: 'Ada', family_name: 'Admin' },
  },
  tim: { email: 'tim@clinic.example', email_verified: true, groups: ['kitchen'] },
}
/** The browser keeps cookies by its own clock, which is not that of the tests. */
const COOKIE_SECONDS =
  3600 + Math.ceil(Math.abs(Number(process.env.ISTHMUS_TEST_CLOCK_OFFSET ?? 0)) / 1000)

let stage: Stage
let provider: Awaited<ReturnType<typeof openIdentityProvider>>
let context: BrowserContext
let page: Page
const complaints: (readonly string[])[] = []

test.beforeAll(async ({ browser }) => {
  stage = await openStage()
  provider = await openIdentityProvider(
    PEOPLE,
    [`${stage.http}/oidc/callback`],
    [`${stage.http}/oidc/signed-out`],
    COOKIE_SECONDS,
  )
  context = await browser.newContext({ viewport: { width: 1360, height: 860 } })
  page = await context.newPage()
  complaints.push(complaintsOf(page))
})
test.afterAll(async () => {
  await context.close()
  await stage[Symbol.asyncDispose]()
  await provider[Symbol.asyncDispose]()
})

/** Answers the provider in the window that the button opens. */
async function atProvider(button: string, account: string): Promise<Page> {
  const opening = page.waitForEvent('popup')
  await page.getByRole('button', { name: button }).click()
  const popup = await opening
  await popup.getByRole('textbox', { name: 'Account' }).fill(account)
  await popup.getByRole('button', { name: 'Continue' }).click()
  return popup
}
const closed = (popup: Page) => popup.isClosed() || popup.waitForEvent('close')
const field = (name: string) => page.getByRole('textbox', { name, exact: true })

test('an owner sets the provider up', async () => {
  await addSession(context, stage.http, await createOwner(stage))
  await page.goto(`${stage.http}/#/`)
  await leaveSetup(page)
  await page.goto(`${stage.http}/#/settings`)
  await page.getByRole('switch', { name: 'Advanced settings' }).check({ force: true })
  await page
    .getByRole('switch', { name: 'Sign in at the identity provider' })
    .check({ force: true })
  await field('Name on the button').fill('North Clinic account')
  await field('Issuer (URL)').fill(provider.issuer)
  await field('Client ID').fill(CLIENT.id)
  await page.getByRole('combobox', { name: 'Groups that administer the gateway' }).fill('it')
  await page.keyboard.press('Enter')
  await page.getByRole('combobox', { name: 'First sign-in' }).click()
  await page.getByRole('option', { name: 'Link or create accounts' }).click()
  await page.getByRole('button', { name: 'Save all' }).click()
  await expect(page.getByRole('button', { name: 'Save all' })).toHaveCount(0)

  const panel = page.locator('#group-oidc')
  await panel.getByLabel('Client secret').fill(CLIENT.secret)
  await panel.getByRole('button', { name: 'Save secret' }).click()
  await expect(panel.getByRole('button', { name: 'Remove secret' })).toBeVisible()
  await panel.getByRole('button', { name: 'Test connection' }).click()
  await expect(panel.getByRole('status')).toContainText('Connected')
  await expect(panel).toContainText(`${stage.http}/oidc/callback`)
  await panel.scrollIntoViewIfNeeded()
  await pictured(page, 'provider-settings')
  await expectAccessible(page, 'provider-settings')
  await page.locator('#group-otlp').scrollIntoViewIfNeeded()
  await pictured(page, 'otlp-settings', [1440])
})

test('a person signs in in the window of the provider, which closes', async () => {
  await page.evaluate(() =>
    fetch('/dashboard/session', { method: 'DELETE', headers: { 'x-isthmus-csrf': '1' } }),
  )
  await page.goto(`${stage.http}/#/worklist`)
  await page.reload()
  await expect(
    page.getByRole('button', { name: 'Sign in with North Clinic account' }),
  ).toBeVisible()
  await pictured(page, 'provider-sign-in')
  await expectAccessible(page, 'provider-sign-in')
  await page.getByText('Español', { exact: true }).click()
  await expect(
    page.getByRole('button', { name: 'Iniciar sesión con North Clinic account' }),
  ).toBeVisible()
  await pictured(page, 'provider-sign-in-es', [1440])
  await page.getByText('English', { exact: true }).click()

  await closed(await atProvider('Sign in with North Clinic account', 'ada'))
  await expect(page.getByRole('heading', { name: 'Worklist', level: 1 })).toBeVisible()
  expect(page.url()).toBe(`${stage.http}/#/worklist`)
})

test('a locked window opens again at the provider', async () => {
  await page.keyboard.press('Control+Shift+l')
  await page.evaluate(() =>
    fetch('/dashboard/session/lock', { method: 'POST', headers: { 'x-isthmus-csrf': '1' } }),
  )
  await page.reload()
  await expect(page.getByRole('button', { name: 'Unlock with North Clinic account' })).toBeVisible()
  await expect(page.getByLabel('Password')).toHaveCount(0)
  await pictured(page, 'provider-locked')
  await closed(await atProvider('Unlock with North Clinic account', 'ada'))
  await expect(page.getByRole('heading', { name: 'Worklist', level: 1 })).toBeVisible()
})

test('a privileged action is confirmed at the provider', async () => {
  await stage.command('config', 'set', 'window.lockMinutes', '60')
  await page.reload()
  await expect(page.getByRole('heading', { name: 'Worklist', level: 1 })).toBeVisible()
  await stage.advanceClock(11 * 60_000)
  await page.goto(`${stage.http}/#/settings`)
  await field('Clinic name').fill('South Clinic')
  await page.getByRole('button', { name: 'Save all' }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog).toContainText('Show at the identity provider that it is you')
  await pictured(page, 'provider-confirm')
  await closed(await atProvider('Confirm with North Clinic account', 'ada'))
  await expect(dialog).toHaveCount(0)
  await expect.poll(() => stage.command('config', 'get', 'clinic.name')).toContain('South Clinic')
})

test('signing out ends the session of the provider, which asks the next person', async () => {
  await page.getByRole('button', { name: /Ada Admin/ }).click()
  const leaving = page.waitForEvent('popup')
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await closed(await leaving)
  await expect(
    page.getByRole('button', { name: 'Sign in with North Clinic account' }),
  ).toBeVisible()
  const popup = await atProvider('Sign in with North Clinic account', 'tim')
  await expect(popup.getByText('You are not in any group that may open the gateway.')).toBeVisible()
  await pictured(popup, 'provider-refused', [520])
  await popup.close()
})

test('a provider that is down leaves the local account', async () => {
  await provider[Symbol.asyncDispose]()
  await stage.advanceClock(2 * 60 * 60_000)
  await page.getByRole('button', { name: 'Sign in with North Clinic account' }).click()
  await expect(page.getByText(/The identity provider cannot be reached/)).toBeVisible()
  await pictured(page, 'provider-down')
  await field('E-mail').fill('owner@clinic.example')
  await field('Password').fill('seven calm otters')
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await expect(page.getByRole('heading', { name: 'Settings', level: 1 })).toBeVisible()
})

test('the console stayed quiet', () => {
  expect(complaints.flat()).toEqual([])
})
