import { type Browser, expect, type Page } from '@playwright/test'
import {
  clickSomewhere,
  complaintsOf,
  enterAsOwner,
  faultsByScheme,
  go as goOn,
  OWNER,
  openStage,
  type Stage,
} from './stage.ts'
import { test } from './test.ts'

test.describe.configure({ mode: 'serial', timeout: 120_000 })

const PASSWORD = 'eight early herons'
let stage: Stage
let page: Page
const complaints: (readonly string[])[] = []

const newPage = async (browser: Browser) => {
  const context = await browser.newContext({ viewport: { width: 1360, height: 860 } })
  const opened = await context.newPage()
  complaints.push(complaintsOf(opened))
  return opened
}

test.beforeAll(async ({ browser }) => {
  stage = await openStage()
  page = await newPage(browser)
  await enterAsOwner(stage, page)
})

test.afterAll(async () => {
  await page.context().close()
  await stage[Symbol.asyncDispose]()
})

const go = (name: string) => goOn(page, name)
const rowOf = (email: string) => page.getByRole('row').filter({ hasText: email })

/** Of what `screens.spec.ts` does not show. */
async function isAccessible(screen: Page): Promise<void> {
  expect(await faultsByScheme(screen, 'people')).toEqual({})
}

/** Invites as the owner does and gives the link that is shown. */
async function invite(person: {
  firstName: string
  lastName: string
  email: string
}): Promise<string> {
  await go('Users')
  await page.getByRole('button', { name: 'Invite user' }).click()
  const form = page.getByRole('dialog', { name: 'Invite user' })
  await form.getByRole('textbox', { name: 'First name' }).fill(person.firstName)
  await form.getByRole('textbox', { name: 'Last name' }).fill(person.lastName)
  await form.getByRole('textbox', { name: 'E-mail' }).fill(person.email)
  await form.getByRole('combobox', { name: 'Role in the clinic' }).fill('Radiologist')
  await page.getByRole('option', { name: 'Radiologist', exact: true }).click()
  // The usual permissions of the role are proposed, and can be changed.
  const reports = form.getByRole('switch', { name: 'Write and sign reports' })
  await expect(reports).toBeChecked()
  await reports.focus()
  await page.keyboard.press('Space')
  await expect(reports).not.toBeChecked()
  await form.getByRole('button', { name: 'Invite', exact: true }).click()
  const shown = page.getByRole('dialog', { name: 'Copy the invitation link now' })
  await expect(shown.getByText('This link only opens on the gateway PC.')).toBeVisible()
  const link = (await shown.locator('pre').textContent()) ?? ''
  await isAccessible(page)
  await shown.getByRole('button', { name: 'I have copied it' }).click()
  await expect(shown).toHaveCount(0)
  return link
}

/** What a member finds in place of each screen that is not for members. */
const LOCKED = {
  people: 'This screen is for inviting users',
  partner: 'Configures the partner’s endpoints',
  events: 'Shows what was sent to the partner',
  keys: 'Creates and revokes the API keys',
  settings: 'This screen is for configuring the gateway',
}

let link: string
let colleague: Page

test('the owner invites a colleague, and the link is shown once', async () => {
  await go('Users')
  await page.getByRole('button', { name: 'Invite user' }).click()
  const form = page.getByRole('dialog', { name: 'Invite user' })
  await form.getByRole('button', { name: 'Invite', exact: true }).click()
  await expect(form.getByRole('textbox', { name: 'First name' })).toHaveAttribute(
    'aria-invalid',
    'true',
  )
  await expect(form.getByText('Choose a role')).toBeVisible()
  await isAccessible(page)
  await form.getByRole('button', { name: 'Cancel' }).click()

  link = await invite({ firstName: 'Maja', lastName: 'Novák', email: 'maja@clinic.example' })
  expect(link).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#\/invitation\?token=[\w-]{43}$/)
  const row = rowOf('maja@clinic.example')
  await expect(row).toContainText('Invited')
  await expect(row).toContainText('Give this user the link')
  const token = link.split('token=')[1] ?? ''
  await page.reload()
  await expect(row).toBeVisible()
  expect(await page.content()).not.toContain(token)
})

test('the colleague accepts by the link, finds what is for managers locked and explained, and signs in again', async ({
  browser,
}) => {
  colleague = await newPage(browser)
  await colleague.goto(link)
  await expect(colleague.getByRole('heading', { name: 'Your invitation' })).toBeVisible()
  await colleague.reload()
  await expect(colleague.getByText('Open the link in your invitation again')).toBeVisible()
  await colleague.goto(link)
  await expect(colleague.getByText('Olga Berg invites you to join North Clinic')).toBeVisible()
  await expect(colleague.getByText('Your role: Radiologist.')).toBeVisible()
  const password = colleague.getByRole('textbox', { name: 'Choose a password' })
  await password.fill('short')
  await colleague.getByRole('button', { name: 'Accept and sign in' }).click()
  await expect(colleague.getByText('must have at least 10 characters')).toBeVisible()
  await password.fill(PASSWORD)
  await isAccessible(colleague)
  await colleague.getByRole('button', { name: 'Accept and sign in' }).click()
  await expect(colleague.getByRole('heading', { name: 'Today', level: 1 })).toBeVisible()
  expect(colleague.url()).not.toContain('token')
  const links = colleague.getByRole('navigation', { name: 'Main' }).getByRole('link')
  // A radiologist's own screens, and on request the others that a member may open.
  await expect(links).toHaveText(['Today', 'Studies', 'Images', 'Reading'])
  await colleague.getByRole('button', { name: 'All screens' }).click()
  await expect(links).toHaveText([
    ...['Today', 'Worklist', 'Studies', 'Images', 'Reading', 'Customers'],
    ...['Devices', 'Destinations', 'Activity'],
  ])
  for (const [name, about] of Object.entries(LOCKED)) {
    await colleague.goto(`${stage.http}/#/${name}`)
    await expect(colleague.getByText('You are signed in as a member.')).toContainText(about)
    await expect(colleague.getByRole('main').getByRole('button')).toHaveCount(0)
  }
  await colleague.goto(`${stage.http}/#/people`)
  await expect(colleague.getByRole('heading', { name: 'Users', level: 1 })).toBeVisible()
  await expect(
    colleague.getByRole('heading', { name: 'For owners and administrators' }),
  ).toBeVisible()
  await expect(colleague.getByRole('button', { name: 'Invite user' })).toHaveCount(0)

  await colleague.goto(link)
  await expect(colleague.getByText('This invitation was already accepted.')).toBeVisible()
  await isAccessible(colleague)
  await colleague.context().clearCookies()
  await colleague.goto(`${stage.http}/#/sign-in`)
  await colleague.reload()
  await colleague.getByLabel('E-mail').fill('maja@clinic.example')
  await colleague.getByRole('textbox', { name: 'Password' }).fill(PASSWORD)
  await colleague.getByRole('button', { name: 'Sign in' }).click()
  await expect(colleague.getByRole('heading', { name: 'Today', level: 1 })).toBeVisible()

  await page.reload()
  await expect(rowOf('maja@clinic.example')).toContainText('Active')
})

test('an invitation can be rejected, and withdrawn', async ({ browser }) => {
  const rejected = await invite({
    firstName: 'Hana',
    lastName: 'Malá',
    email: 'hana@clinic.example',
  })
  const other = await newPage(browser)
  await other.goto(rejected)
  await other.getByRole('button', { name: 'Decline invitation' }).click()
  const asked = other.getByRole('dialog', { name: 'Decline this invitation?' })
  await asked.getByRole('button', { name: 'Decline invitation' }).click()
  await expect(other.getByText('You declined the invitation')).toBeVisible()
  await isAccessible(other)

  const withdrawn = await invite({
    firstName: 'Ivan',
    lastName: 'Petrov',
    email: 'ivan@clinic.example',
  })
  await page.getByRole('button', { name: 'Revoke the invitation of Ivan Petrov' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke invitation' }).click()
  await expect(rowOf('ivan@clinic.example')).toContainText('Revoked')
  await expect(rowOf('hana@clinic.example')).toContainText('Declined')
  await other.goto(withdrawn)
  await expect(other.getByText('This invitation was revoked.')).toBeVisible()
  await other.context().close()
})

test('who loses access is out of the window at once, and can be let in again', async () => {
  await page.getByRole('button', { name: 'Revoke access of Maja Novák' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke access' }).click()
  await expect(rowOf('maja@clinic.example')).toContainText('No access')
  await clickSomewhere(colleague)
  await expect(colleague.getByRole('heading', { name: 'Sign in' })).toBeVisible()
  await colleague.context().close()
  await page.getByRole('button', { name: 'Restore access of Maja Novák' }).click()
  await expect(rowOf('maja@clinic.example')).toContainText('Active')
})

test('the list of users is sorted by its heads, and shows the columns that were chosen', async () => {
  await go('Users')
  const names = () => page.getByRole('table', { name: 'Users' }).getByRole('row')
  const head = page.getByRole('columnheader', { name: 'Name' })
  await expect(head).toHaveAttribute('aria-sort', 'none')
  await head.getByRole('button').click()
  await expect(head).toHaveAttribute('aria-sort', 'ascending')
  const ascending = await names().allTextContents()
  await head.getByRole('button').press('Enter')
  await expect(head).toHaveAttribute('aria-sort', 'descending')
  expect((await names().allTextContents()).slice(1)).toEqual(ascending.slice(1).toReversed())
  await page.getByRole('button', { name: 'Columns' }).click()
  await page.getByRole('checkbox', { name: 'Last sign-in' }).uncheck()
  await isAccessible(page)
  await page.keyboard.press('Escape')
  await expect(page.getByRole('columnheader', { name: 'Last sign-in' })).toHaveCount(0)
  await page.reload()
  await expect(head).toBeVisible()
  await expect(page.getByRole('columnheader', { name: 'Last sign-in' })).toHaveCount(0)
  await page.getByRole('button', { name: 'Columns' }).click()
  await page.getByRole('button', { name: 'Show all columns' }).click()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('columnheader', { name: 'Last sign-in' })).toBeVisible()
})

test('people have no accessibility fault that axe knows, in any state', async () => {
  await expect(page.getByRole('heading', { name: 'Users', level: 1 })).toBeVisible()
  await isAccessible(page)
})

const statusFor = async (key: string) =>
  (await fetch(`${stage.http}/v1/express`, { headers: { authorization: `Bearer ${key}` } })).status

async function shownKey(): Promise<string> {
  const shown = page.getByRole('dialog', { name: 'Copy your API key now' })
  const key = (await shown.locator('pre').textContent()) ?? ''
  await isAccessible(page)
  await shown.getByRole('button', { name: 'I have copied it' }).click()
  await expect(shown).toHaveCount(0)
  expect(await page.content()).not.toContain(key)
  return key
}

test('a key is made, opens the interface, is replaced, and is revoked', async () => {
  await go('API keys')
  await expect(page.getByText('No API keys yet')).toBeVisible()
  await isAccessible(page)
  await page.getByRole('button', { name: 'Create API key' }).first().click()
  const form = page.getByRole('dialog', { name: 'Create API key' })
  await form.getByRole('textbox', { name: 'Used by' }).fill('Cloud RIS, production')
  await form.getByRole('button', { name: 'Create API key' }).click()
  const first = await shownKey()
  expect(first).toMatch(/^sk_live_/)
  expect(await statusFor(first)).toBe(200)
  expect(await statusFor(`${first}x`)).toBe(401)

  const row = page.getByRole('row').filter({ hasText: 'Cloud RIS, production' })
  await row.getByRole('button', { name: 'Replace the key of Cloud RIS, production' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Replace key' }).click()
  const second = await shownKey()
  expect([await statusFor(first), await statusFor(second)]).toEqual([200, 200])
  await expect(row).toContainText(`…${first.slice(-4)} still works until`)
  await expect(row).toContainText(`sk_live_…${second.slice(-4)}`)

  await row.getByRole('button', { name: 'Replace the key of Cloud RIS, production' }).click()
  const asked = page.getByRole('dialog')
  await asked.getByRole('textbox', { name: 'Keep the old key valid for (hours)' }).fill('0')
  await asked.getByRole('button', { name: 'Replace key' }).click()
  const third = await shownKey()
  expect([await statusFor(first), await statusFor(second), await statusFor(third)]).toEqual([
    401, 401, 200,
  ])

  // Signed in more than ten minutes ago, with something done in between so that the window is not
  // locked.
  await stage.advanceClock(6 * 60_000)
  await page.reload()
  await expect(row).toBeVisible()
  await stage.advanceClock(6 * 60_000)
  await row.getByRole('button', { name: 'Allow Cloud RIS, production to manage users' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Allow' }).click()
  const confirm = page.getByRole('dialog', { name: 'Confirm your identity' })
  await expect(confirm.getByLabel('Your password')).toBeFocused()
  await confirm.getByLabel('Your password').fill('not the password')
  await confirm.getByRole('button', { name: 'Confirm' }).click()
  await expect(confirm.getByText('must be the signed-in user’s password')).toBeVisible()
  await isAccessible(page)
  await confirm.getByLabel('Your password').fill(OWNER.password)
  await confirm.getByRole('button', { name: 'Confirm' }).click()
  // What was asked for is done without being asked for again.
  await expect(row).toContainText('manages users')
  await expect(page.getByRole('dialog')).toHaveCount(0)

  await row.getByRole('button', { name: 'Revoke the key of Cloud RIS, production' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke key' }).click()
  await expect(row).toContainText('Revoked')
  expect(await statusFor(third)).toBe(401)
})

test('a key is allowed to see its events and to manage its endpoints', async () => {
  await go('API keys')
  await page.getByRole('button', { name: 'Create API key' }).first().click()
  const form = page.getByRole('dialog', { name: 'Create API key' })
  await form.getByRole('textbox', { name: 'Used by' }).fill('Reading group')
  await form.getByRole('checkbox', { name: 'Manage its own endpoints' }).check()
  await expect(
    form.getByRole('checkbox', { name: 'Include events that belong to no key' }),
  ).toBeDisabled()
  await isAccessible(page)
  await form.getByRole('button', { name: 'Create API key' }).click()
  const key = await shownKey()
  const statusOf = async (path: string) =>
    (await fetch(`${stage.http}${path}`, { headers: { authorization: `Bearer ${key}` } })).status
  expect([await statusOf('/v1/endpoints'), await statusOf('/v1/events')]).toEqual([200, 403])

  const row = page.getByRole('row').filter({ hasText: 'Reading group' })
  await expect(row).toContainText('manages its endpoints')
  await row
    .getByRole('button', { name: 'Change what Reading group may see and manage itself' })
    .click()
  const rights = page.getByRole('dialog', { name: 'Self-service of Reading group' })
  await rights.getByRole('combobox', { name: 'Events of this key' }).click()
  await page.getByRole('option', { name: 'Outcome and attempts, without patient data' }).click()
  await rights.getByRole('checkbox', { name: 'Include events that belong to no key' }).check()
  await rights.getByRole('checkbox', { name: 'Manage its own endpoints' }).uncheck()
  await isAccessible(page)
  await rights.getByRole('button', { name: 'Save' }).click()
  await expect(rights).toHaveCount(0)
  await expect(row).toContainText('sees its events')
  await expect(row).toContainText('sees events that belong to no key')
  expect([await statusOf('/v1/endpoints'), await statusOf('/v1/events')]).toEqual([403, 200])
})

test('nothing of it is complained of on the console', () => {
  expect(complaints.flat()).toEqual([])
})
