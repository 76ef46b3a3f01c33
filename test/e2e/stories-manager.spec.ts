import { expect, type Page } from '@playwright/test'
import { Secret, TOTP } from 'otpauth'
import { freePort } from '../support/free-port.ts'
import {
  ask,
  clickSomewhere,
  enterAsOwner,
  go as goOn,
  OWNER,
  openStage,
  type Stage,
} from './stage.ts'
import { callOf, flip, otherPc, PASSWORD, people, signIn } from './stories.ts'
import { test } from './test.ts'

// Whoever answers for the gateway: its people and customers, the lock, the second factor, sessions,
// settings, and other PCs.

test.describe.configure({ mode: 'serial', timeout: 120_000 })

const NOOR = { firstName: 'Noor', lastName: 'Haddad', email: 'noor@clinic.example' }
const UID = '1.2.826.0.1.3680043.8.498.62001'
let stage: Stage
let page: Page
let noor: Page
let key: string
let all: ReturnType<typeof people>

test.beforeAll(async ({ browser }) => {
  test.setTimeout(120_000)
  stage = await openStage()
  key = await stage.command('api-key', 'create', '--description', 'Cloud RIS')
  all = people(browser)
  page = await all.open('owner')
  await enterAsOwner(stage, page)
  await callOf(page, 'POST', '/dashboard/devices', {
    aeTitle: 'CT1',
    modality: 'CT',
    name: 'CT, room 1',
  })
  noor = await all.open('Noor')
})

test.afterAll(async () => {
  await all?.close()
  await stage?.[Symbol.asyncDispose]()
})

const go = (name: string) => goOn(page, name)
const rowOf = (text: string) => page.getByRole('row').filter({ hasText: text })
const editor = () => noor.getByRole('textbox', { name: 'Report', exact: true })

/** A call as a partner makes it. */
async function partner(
  method: string,
  path: string,
  body: object,
): Promise<{ readonly status: number; readonly text: string }> {
  const answer = await fetch(`${stage.http}/v1/${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return { status: answer.status, text: await answer.text() }
}
const study = (number: number, more: object = {}) => ({
  ...{ studyInstanceUid: `${UID}${number}`, studyDescription: 'CT thorax', severity: 'normal' },
  ...{
    reportMetadata: {
      patientName: 'Underhill^Ferdinand',
      mrn: 'MRN-6201',
      sex: 'male',
      dateOfBirth: '1960-02-29',
    },
    ...more,
  },
})

test('invites a person, who accepts by the link', async () => {
  await go('Users')
  await page.getByRole('button', { name: 'Invite user' }).click()
  const form = page.getByRole('dialog', { name: 'Invite user' })
  await form.getByRole('textbox', { name: 'First name' }).fill(NOOR.firstName)
  await form.getByRole('textbox', { name: 'Last name' }).fill(NOOR.lastName)
  await form.getByRole('textbox', { name: 'E-mail' }).fill(NOOR.email)
  await form.getByRole('combobox', { name: 'Role in the clinic' }).click()
  await page.getByRole('option', { name: 'Radiologist', exact: true }).click()
  await form.getByRole('textbox', { name: 'NPI' }).fill('1234567893')
  await form.getByRole('button', { name: 'Invite', exact: true }).click()
  const shown = page.getByRole('dialog', { name: 'Copy the invitation link now' })
  const link = (await shown.locator('pre').textContent()) ?? ''
  await shown.getByRole('button', { name: 'I have copied it' }).click()
  await noor.goto(link)
  await noor.getByRole('textbox', { name: 'Choose a password' }).fill(PASSWORD)
  await noor.getByRole('button', { name: 'Accept and sign in' }).click()
  await expect(noor.getByRole('heading', { name: 'Today', level: 1 })).toBeVisible()
  await page.reload()
  await expect(rowOf(NOOR.email)).toContainText('Active')
})

test('adds a customer, blocks it, which refuses new studies, and unblocks it', async () => {
  await go('Customers')
  await page.getByRole('button', { name: 'Add customer' }).first().click()
  const form = page.getByRole('dialog', { name: 'Add customer' })
  await form.getByRole('textbox', { name: 'Name' }).first().fill('Harbour Orthopaedics')
  await form.getByRole('button', { name: 'Add', exact: true }).click()
  await expect(page.getByRole('heading', { name: 'Harbour Orthopaedics', level: 1 })).toBeVisible()
  const expressCustomerId = page.url().split('/').at(-1) ?? ''
  expect((await partner('POST', 'scribe/studies', study(1, { expressCustomerId }))).status).toBe(
    201,
  )

  await page.getByRole('button', { name: 'Block', exact: true }).click()
  const asked = page.getByRole('dialog', { name: 'Block Harbour Orthopaedics?' })
  await expect(asked).toContainText('New studies and newly linked users of this customer')
  await asked.getByRole('button', { name: 'Block customer' }).click()
  await expect(page.getByText('This customer is blocked')).toBeVisible()
  const refused = await partner('POST', 'scribe/studies', study(2, { expressCustomerId }))
  expect(refused.status).toBeGreaterThanOrEqual(400)
  expect(refused.text).toContain('expressCustomerId')
  // Nor can one be chosen in the window.
  await go('Studies')
  await page.getByRole('button', { name: 'New study' }).click()
  await page.getByRole('dialog').getByRole('combobox', { name: 'Customer' }).fill('Harbour')
  await expect(page.getByRole('listbox', { name: 'Customer' })).toContainText('Nothing found')
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()

  await page.goto(`${stage.http}/#/customers/${expressCustomerId}`)
  await page.getByRole('button', { name: 'Unblock' }).click()
  await expect(page.getByText('This customer is blocked')).toHaveCount(0)
  expect((await partner('POST', 'scribe/studies', study(2, { expressCustomerId }))).status).toBe(
    201,
  )
})

test('a person is told what they may not do and who can allow it, and may once it is allowed', async () => {
  await goOn(noor, 'Studies')
  const make = noor.getByRole('button', { name: 'New study' })
  await expect(make).toHaveAttribute('aria-disabled', 'true')
  await make.hover()
  await expect(noor.getByRole('tooltip')).toContainText(
    'An owner or administrator can allow it on the Users screen.',
  )
  await make.click({ force: true })
  await expect(noor.getByRole('dialog')).toHaveCount(0)
  await noor.goto(`${new URL(noor.url()).origin}/#/settings`)
  await expect(noor.getByRole('heading', { name: 'For owners and administrators' })).toBeVisible()

  await go('Users')
  await page.getByRole('button', { name: 'Edit Noor Haddad' }).click()
  const form = page.getByRole('dialog')
  await flip(form, 'Manage studies')
  await form.getByRole('button', { name: 'Save' }).click()
  await expect(rowOf(NOOR.email)).toContainText('manage studies')
  await goOn(noor, 'Studies')
  await noor.reload()
  await expect(make).not.toHaveAttribute('aria-disabled', 'true')
  await make.click()
  await expect(noor.getByRole('dialog', { name: 'New study for reporting' })).toBeVisible()
  await noor.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
})

test('a locked window shows no patient, and goes on where it was with what was being written', async () => {
  await goOn(noor, 'Reading')
  // The list of studies that is left has the same row, whose link leads elsewhere.
  await expect(noor.getByRole('heading', { name: 'Reading', level: 1 })).toBeVisible()
  await noor.getByRole('row').filter({ hasText: 'Underhill' }).first().getByRole('link').click()
  await editor().click()
  await noor.keyboard.type('Findings: the lungs are clear.')
  const address = noor.url()
  await noor.keyboard.press('Control+l')
  await expect(noor.getByRole('heading', { name: 'The screen is locked' })).toBeVisible()
  expect(await noor.content()).not.toMatch(/underhill|MRN-6201|lungs/i)
  expect(await noor.title()).toBe('Locked · Isthmus')
  await noor.reload()
  await expect(noor.getByRole('heading', { name: 'The screen is locked' })).toBeVisible()
  await noor.getByRole('textbox', { name: 'Password' }).fill('not the password')
  await noor.getByRole('button', { name: 'Unlock' }).click()
  await expect(noor.getByText('must be the signed-in user’s password')).toBeVisible()
  await noor.getByRole('textbox', { name: 'Password' }).fill(PASSWORD)
  await noor.getByRole('button', { name: 'Unlock' }).click()
  await expect(editor()).toContainText('the lungs are clear.')
  expect(noor.url()).toBe(address)
})

test('is asked before the window opens to the network without encryption', async () => {
  // What is saved has no effect here: the gateway was started with --http.
  const saved: unknown[] = []
  page.on('request', (request) => {
    if (request.method() === 'PATCH') saved.push(request.postDataJSON())
  })
  await go('Settings')
  await page.getByRole('searchbox', { name: 'Search settings' }).fill('http.host')
  const host = page.locator('#group-http').getByRole('textbox', { name: 'Listen address' })
  await host.fill('0.0.0.0')
  await page.getByRole('button', { name: 'Save all' }).click()
  const asked = page.getByRole('dialog', {
    name: 'Open Isthmus to the network without encryption?',
  })
  await expect(asked).toContainText(
    'passwords and patient data are sent over the network unencrypted',
  )
  await asked.getByRole('button', { name: 'Cancel' }).click()
  await expect(asked).toHaveCount(0)
  expect(saved).toEqual([])
  await page.getByRole('button', { name: 'Save all' }).click()
  await asked.getByRole('button', { name: 'Save and open' }).click()
  await expect(
    page.getByText(
      'The settings were saved. Some of them take effect after the gateway is restarted.',
    ),
  ).toBeVisible()
  expect(saved).toEqual([{ settings: { 'http.host': '0.0.0.0' } }])
  await callOf(page, 'PATCH', '/dashboard/settings', { settings: { 'http.host': '127.0.0.1' } })
})

test('sets after how long a window that nobody uses locks, and it does', async () => {
  await go('Settings')
  await page.getByRole('searchbox', { name: 'Search settings' }).fill('lock')
  await page.getByRole('textbox', { name: 'Lock the screen when idle for (min)' }).fill('1')
  await page.getByRole('button', { name: 'Save all' }).click()
  await expect(page.getByText('The settings were saved.', { exact: true })).toBeVisible()
  await noor.clock.install({ time: Date.now() })
  await noor.reload()
  await expect(editor()).toContainText('the lungs are clear.')
  await editor().click()
  await noor.keyboard.press('Control+End')
  await noor.keyboard.type(' No nodule.')
  await noor.clock.fastForward(70_000)
  await expect(noor.getByRole('heading', { name: 'The screen is locked' })).toBeVisible()
  expect(await noor.content()).not.toMatch(/underhill|nodule/i)
  await noor.getByRole('textbox', { name: 'Password' }).fill(PASSWORD)
  await noor.getByRole('button', { name: 'Unlock' }).click()
  await expect(editor()).toContainText('No nodule.')

  await page.getByRole('textbox', { name: 'Lock the screen when idle for (min)' }).fill('60')
  await page.getByRole('button', { name: 'Save all' }).click()
  await expect(page.getByText('The settings were saved.').last()).toBeVisible()
  // A window that is open learns of it with its next look at the session.
  await noor.reload()
  await expect(editor()).toContainText('No nodule.')
})

test('is led to a second factor: once on Today, and as an item there once it is put off', async () => {
  // The wizard would lead there first.
  await stage.command('config', 'set', 'setup.isDone', 'true')
  await page.reload()
  await go('Today')
  const prompt = page.getByText('Protect your account with two-factor authentication')
  const item = page
    .getByRole('list', { name: 'What needs attention' })
    .getByRole('listitem')
    .filter({ hasText: 'two-factor authentication' })
  await expect(prompt).toBeVisible()
  await expect(page.getByRole('link', { name: 'Set up' })).toHaveAttribute('href', '/#/account')
  await expect(item).toHaveCount(0)
  await page.getByRole('button', { name: 'Later', exact: true }).click()
  await expect(prompt).toHaveCount(0)
  await expect(item).toHaveCount(1)
  await page.reload()
  await expect(item).toHaveCount(1)
  await expect(prompt).toHaveCount(0)
  // It is no matter of who does not manage the gateway.
  await goOn(noor, 'Today')
  await expect(noor.getByText(/two-factor authentication/i)).toHaveCount(0)
})

test('sets up a second factor, and signs in by its code, and by a code kept for when it is lost', async () => {
  test.slow()
  await page.getByRole('button', { name: 'Olga Berg' }).click()
  await page.getByRole('menuitem', { name: 'My account' }).click()
  await page.getByRole('button', { name: 'Set up authenticator app' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'Your password' }).fill(OWNER.password)
  await dialog.getByRole('button', { name: 'Continue' }).click()
  await expect(dialog.getByRole('img', { name: 'QR code for the authenticator app' })).toBeVisible()
  const totp = new TOTP({
    secret: Secret.fromBase32(
      ((await dialog.locator('code').textContent()) ?? '').replace(/\s/g, ''),
    ),
  })
  await dialog.getByRole('textbox', { name: '6-digit code' }).fill(wrong(totp))
  await dialog.getByRole('button', { name: 'Turn on' }).click()
  await expect(
    dialog.getByText('must be the six digits that the authenticator app shows now'),
  ).toBeVisible()
  await dialog.getByRole('textbox', { name: '6-digit code' }).fill(totp.generate())
  await dialog.getByRole('button', { name: 'Turn on' }).click()
  await expect(page.getByRole('dialog', { name: 'Recovery codes' })).toBeVisible()
  const codes = await dialog.getByRole('listitem').allTextContents()
  expect(codes).toHaveLength(10)
  await dialog.getByRole('button', { name: 'I have saved them' }).click()
  await expect(
    page.getByText('On: a code from your authenticator app is required at sign-in.'),
  ).toBeVisible()

  const leave = async () => {
    await page.getByRole('button', { name: 'Olga Berg' }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
  }
  const begin = async () => {
    await page.getByLabel('E-mail').fill(OWNER.email)
    await page.getByRole('textbox', { name: 'Password' }).fill(OWNER.password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await expect(
      page.getByRole('textbox', { name: 'Code from your authenticator app' }),
    ).toBeVisible()
  }
  const code = async (given: string) => {
    await page.getByRole('textbox', { name: 'Code from your authenticator app' }).fill(given)
    await page.getByRole('button', { name: 'Sign in' }).click()
  }
  await leave()
  await begin()
  await code(wrong(totp))
  await expect(page.getByText('This code is not correct, or it was already used.')).toBeVisible()
  // The code of set-up was used; an authenticator may be one step ahead.
  await code(totp.generate({ timestamp: Date.now() + 30_000 }))
  await expect(page.getByRole('button', { name: 'Olga Berg' })).toBeVisible()
  await leave()
  await begin()
  await code(codes[0] ?? '')
  await expect(page.getByRole('button', { name: 'Olga Berg' })).toBeVisible()
  await leave()
  await begin()
  await code(codes[0] ?? '')
  await expect(page.getByText('This code is not correct, or it was already used.')).toBeVisible()
  await code(codes[1] ?? '')
  await expect(page.getByRole('button', { name: 'Olga Berg' })).toBeVisible()
})

/** Six digits that are none of the codes around now. */
function wrong(totp: TOTP): string {
  const near = [-60_000, -30_000, 0, 30_000, 60_000].map((ms) =>
    totp.generate({ timestamp: Date.now() + ms }),
  )
  return (
    ['000000', '111111', '222222', '333333', '444444', '555555'].find(
      (one) => !near.includes(one),
    ) ?? ''
  )
}

test('ends a session of somebody else, who is out at the next click', async () => {
  await go('Settings')
  await page
    .getByRole('navigation', { name: 'Settings' })
    .getByRole('link', { name: 'Access from workstations' })
    .click()
  await page.getByRole('button', { name: 'Sign out Noor Haddad' }).first().click()
  await expect(page.getByText('Noor Haddad was signed out.')).toBeVisible()
  await clickSomewhere(noor)
  await expect(noor.getByRole('heading', { name: 'Sign in' })).toBeVisible()
  expect(await noor.content()).not.toMatch(/underhill/i)
  await signIn(noor, stage, NOOR.email)
})

test('takes the access of a person, who is out at once', async () => {
  await go('Users')
  await page.getByRole('button', { name: 'Revoke access of Noor Haddad' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke access' }).click()
  await expect(rowOf(NOOR.email)).toContainText('No access')
  await clickSomewhere(noor)
  await expect(noor.getByRole('heading', { name: 'Sign in' })).toBeVisible()
  await noor.getByLabel('E-mail').fill(NOOR.email)
  await noor.getByRole('textbox', { name: 'Password' }).fill(PASSWORD)
  await noor.getByRole('button', { name: 'Sign in' }).click()
  await expect(noor.getByRole('heading', { name: 'Today', level: 1 })).toHaveCount(0)
  await expect(noor.getByRole('heading', { name: 'Sign in' })).toBeVisible()
  await page.getByRole('button', { name: 'Restore access of Noor Haddad' }).click()
  await expect(rowOf(NOOR.email)).toContainText('Active')
})

test('follows a device’s connection line by line', async () => {
  const sent = await ask(stage, 'CT1')
  expect(sent).toBeGreaterThan(20)
  await go('Activity')
  await page
    .getByRole('navigation', { name: 'Activity' })
    .getByRole('link', { name: 'Connections' })
    .click()
  const connection = rowOf('CT, room 1').first()
  await expect(connection).toContainText(`queried its worklist and got ${sent} exams`)
  await connection.getByRole('link').click()
  await expect(page.getByRole('heading', { name: 'Connection from CT, room 1' })).toBeVisible()
  await expect(page.getByRole('main')).toContainText(`${sent} exams sent`)
  await expect(page.getByRole('main')).toContainText('Modality Worklist')
  await page.getByRole('link', { name: 'Open query' }).first().click()
  await expect(page.getByRole('heading', { name: /^Query \d+$/ })).toBeVisible()
})

test('lets another PC in by HTTPS once it is approved, and puts it out again', async () => {
  test.slow()
  const port = await freePort()
  await go('Settings')
  await page
    .getByRole('navigation', { name: 'Settings' })
    .getByRole('link', { name: 'Access from workstations' })
    .click()
  await page.getByRole('textbox', { name: 'TCP port' }).fill(String(port))
  await page.getByRole('button', { name: 'Apply' }).click()
  await expect(page.getByRole('button', { name: 'Apply' })).toHaveCount(0)
  await page.getByRole('switch', { name: 'Open to workstations' }).click()
  await page
    .getByRole('dialog', { name: 'Allow access from workstations?' })
    .getByRole('button', { name: 'Open access' })
    .click()
  await expect(page.getByText('Open', { exact: true }).first()).toBeVisible()
  await expect(page.getByText('Certificate fingerprint')).toBeVisible()

  await using away = await otherPc(port)
  const other = await all.open('other PC', { ignoreHTTPSErrors: true })
  await other.goto(`https://127.0.0.1:${away.port}`)
  await expect(
    other.getByRole('heading', { name: 'This workstation is not approved yet' }),
  ).toBeVisible()
  await other.getByRole('textbox', { name: 'Workstation name' }).fill('Reading room 2')
  await other.getByRole('button', { name: 'Request access' }).click()
  const asking = page.getByRole('form', { name: 'Reading room 2' })
  await expect(asking).toContainText('from 127.0.0.3')
  const shown =
    /[2-9A-HJKMNP-Z]{3} [2-9A-HJKMNP-Z]{3}/.exec((await asking.textContent()) ?? '')?.[0] ?? 'none'
  await expect(other.getByRole('main').or(other.locator('body')).first()).toContainText(shown)
  await asking.getByRole('button', { name: 'Approve' }).click()
  await expect(rowOf('Reading room 2')).toContainText('Olga Berg')

  await other.getByLabel('E-mail').fill(NOOR.email)
  await other.getByRole('textbox', { name: 'Password' }).fill(PASSWORD)
  await other.getByRole('button', { name: 'Sign in' }).click()
  await expect(other.getByRole('heading', { name: 'Today', level: 1 })).toBeVisible()

  await page.getByRole('button', { name: 'Remove Reading room 2' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove workstation' }).click()
  await expect(page.getByText('No approved workstations yet')).toBeVisible()
  await clickSomewhere(other)
  await expect(
    other.getByRole('heading', { name: 'This workstation is not approved yet' }),
  ).toBeVisible()
  await other.close()
  await page.getByRole('switch', { name: 'Open to workstations' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Close access' }).click()
  await expect(page.getByText('Closed', { exact: true }).first()).toBeVisible()
})

test('has all of it in the audit trail, in words and by name', async () => {
  await go('Audit')
  const trail = page.getByRole('table', { name: 'Audit log, newest first' })
  const acts = [
    ['User invited', 'Olga Berg'],
    ['Invitation accepted', 'Noor Haddad'],
    ['Customer added', 'Olga Berg'],
    ['Customer blocked', 'Olga Berg'],
    ['Customer unblocked', 'Olga Berg'],
    ['User changed', 'Olga Berg'],
    ['Screen locked', 'Noor Haddad'],
    ['Screen unlocked', 'Noor Haddad'],
    ['Setting changed', 'Olga Berg'],
    ['Two-factor authentication turned on', 'Olga Berg'],
    ['Signed in with a recovery code', 'Olga Berg'],
    ['Session ended', 'Olga Berg'],
    ['Access revoked', 'Olga Berg'],
    ['Access restored', 'Olga Berg'],
    ['Workstation approved', 'Olga Berg'],
    ['Workstation removed', 'Olga Berg'],
  ] as const
  for (const [act, who] of acts) {
    await page.getByRole('combobox', { name: 'Action' }).fill(act)
    await page.getByRole('option', { name: act, exact: true }).click()
    const row = trail.getByRole('row').filter({ hasText: act }).first()
    await expect(row).toContainText(who)
  }
  // People stand there by their names, and nobody's patient does.
  const { entries } = await callOf(page, 'GET', '/dashboard/audit?limit=100')
  expect(JSON.stringify(entries)).not.toMatch(/underhill|MRN-6201/i)
})

test('complained of nothing', () => {
  expect(all.complaints()).toEqual([])
})
