import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { dashboard } from '#shared/contract/dashboard.ts'
import { dashboardPeople, type Mail } from '#shared/contract/dashboard-people.ts'
import { scribeUsers, viewerUsers } from '#shared/contract/users.ts'
import type { Path } from '#shared/operation.ts'
import { LOGIN, openTestSmtpServer } from '../../electron/server/modules/mail/smtp-server.ts'
import { type StartedGateway, signIn } from '../../support/gateway.ts'
import { type HttpAnswer, httpCall, OWN_PAGE } from '../../support/http-call.ts'
import { type StartedInterface, startInterface } from '../../support/interface.ts'
import { textOf } from '../../support/saying.ts'
import { standingClock } from '../../support/temp-store.ts'

// From the invitation to the first sign-in, by a real SMTP server and by the link handed over.

const PUBLIC_URL = 'https://gateway.clinic.example/isthmus'
const PASSWORD = 'nine quiet evenings'
const DAY_MS = 86_400_000
const NO_MAIL = {
  host: null,
  port: 587,
  security: 'starttls',
  from: null,
  user: null,
  certificate: null,
} as const

const clock = standingClock()
let stage: StartedInterface
let smtp: Awaited<ReturnType<typeof openTestSmtpServer>>
let owner: StartedGateway['call']

beforeAll(async () => {
  smtp = await openTestSmtpServer()
  stage = await startInterface({ clock })
  await stage.users.owner.call(dashboard.changeSettings, {
    body: { settings: { 'http.publicUrl': PUBLIC_URL, 'clinic.name': 'Praxis Kern' } },
  })
})
afterAll(async () => {
  await stage[Symbol.asyncDispose]()
  await smtp[Symbol.asyncDispose]()
})
beforeEach(async () => {
  owner = await signIn(stage.http)
  await setMail()
  smtp.received.length = 0
})

function setMail({ host, port, security, from, certificate } = smtp.smtp): Promise<Mail> {
  return owner(dashboardPeople.setMail, {
    body: { host, port, security, from, certificate, ...LOGIN },
  })
}

let counted = 0
const person = () =>
  ({
    email: `maja${counted++}@partner.example`,
    firstName: 'Maja',
    lastName: 'Novák',
    level: 'member',
    clinicRole: 'Imaging Technologist',
    canManageStudies: true,
    hasDashboardAccess: true,
  }) as const
const invite = () => stage.keys.partner.call(viewerUsers.invite, { body: person() })

/** The invitation of a user in the viewer area; the scribe area must say the same. */
async function invitationOf(userId: string) {
  const viewer = await stage.keys.partner.call(viewerUsers.invitations, { query: { userId } })
  const scribe = await stage.keys.plain.call(scribeUsers.invitations, { query: { userId } })
  expect(scribe.invitations).toMatchObject(viewer.invitations)
  expect(viewer.invitations).toHaveLength(1)
  return viewer.invitations[0]
}
async function shown(userId: string) {
  const { people } = await owner(dashboardPeople.people, { query: {} })
  return people.find((one) => one.userId === userId)
}
const readUser = (userId: string) =>
  stage.keys.partner.call(viewerUsers.read, { params: { userId } })

/** What the mail for this address says, as a reader shows it; waits for it to arrive. */
async function mailTo(email: string): Promise<string> {
  await expect
    .poll(() => smtp.received.filter(({ to }) => to.includes(email)), { timeout: 10_000 })
    .toHaveLength(1)
  const { source = '' } = smtp.received.find(({ to }) => to.includes(email)) ?? {}
  return source.replace(/=\n/g, '').replaceAll('=3D', '=')
}
const tokenOf = (text: string): string => /\/#\/invitation\?token=([\w-]+)/.exec(text)?.[1] ?? ''

/** A call of the invitation's page, in a browser that nobody is signed in at. */
const visit = (operation: { readonly path: Path | string }, json: object): Promise<HttpAnswer> =>
  httpCall(`${stage.http}${operation.path}`, { method: 'POST', headers: OWN_PAGE, json })
const open = (token: string) => visit(dashboardPeople.invitation, { token })
const outcome = ({ status, json }: HttpAnswer) =>
  `${status} ${(json as { message?: string }).message ?? ''}`

describe('an invitation by mail', () => {
  it('reaches its person alone, once, with a link at the public URL, and gives them their account', async () => {
    const made = await invite()
    const text = await mailTo(made.email)
    expect(smtp.received).toMatchObject([
      { from: smtp.smtp.from, to: [made.email], isSecure: true, user: LOGIN.user },
    ])
    expect(text).toContain(`${PUBLIC_URL}/#/invitation?token=`)
    expect(text).toMatch(/^Subject: Your access to Praxis Kern$/m)
    await expect.poll(async () => (await shown(made.userId))?.invitation?.mail).toBe('sent')

    const token = tokenOf(text)
    const page = await open(token)
    expect(page.status).toBe(200)
    expect(page.json).toEqual({
      ...{
        email: made.email,
        firstName: 'Maja',
        lastName: 'Novák',
        clinicRole: 'Imaging Technologist',
        level: 'member',
      },
      ...{ clinicName: 'Praxis Kern', invitedBy: 'A partner system of the clinic' },
      expiry: new Date(clock() + 30 * DAY_MS).toISOString(),
    })
    expect(
      (await visit(dashboardPeople.acceptInvitation, { token, password: 'short' })).status,
    ).toBe(400)
    await expect(signIn(stage.http, { email: made.email, password: PASSWORD })).rejects.toThrow(
      '401',
    )
    expect(await readUser(made.userId)).toMatchObject({ lastLoginAt: null })

    const accepted = await visit(dashboardPeople.acceptInvitation, { token, password: PASSWORD })
    expect(accepted.json).toMatchObject({
      user: { userId: made.userId, level: 'member' },
      clinicName: 'Praxis Kern',
    })
    expect(accepted.headers['set-cookie']?.[0]).toMatch(
      /^isthmus-session-\d+=[\w-]+; Path=\/; HttpOnly; SameSite=Strict$/,
    )
    expect(await readUser(made.userId)).toMatchObject({
      lastLoginAt: new Date(clock()).toISOString(),
    })
    expect(await invitationOf(made.userId)).toMatchObject({ status: 'accepted' })
    expect(outcome(await open(token))).toMatch(/^422 .*already accepted/)
    expect(
      outcome(
        await visit(dashboardPeople.acceptInvitation, { token, password: 'another password' }),
      ),
    ).toMatch(/^422/)

    clock.pass(60_000)
    const call = await signIn(stage.http, { email: made.email, password: PASSWORD })
    expect(await call(dashboard.session, {})).toMatchObject({ user: { userId: made.userId } })
    expect(await readUser(made.userId)).toMatchObject({
      lastLoginAt: new Date(clock()).toISOString(),
    })
    expect(smtp.received).toHaveLength(1)
  })

  it('can be rejected, which both areas say and which ends the link', async () => {
    const made = await invite()
    const token = tokenOf(await mailTo(made.email))
    expect((await visit(dashboardPeople.rejectInvitation, { token })).json).toMatchObject({
      success: true,
    })
    expect(await invitationOf(made.userId)).toMatchObject({ status: 'rejected' })
    expect(
      outcome(await visit(dashboardPeople.acceptInvitation, { token, password: PASSWORD })),
    ).toMatch(/^422 .*was declined/)
    await expect(signIn(stage.http, { email: made.email, password: PASSWORD })).rejects.toThrow(
      '401',
    )
    expect(await shown(made.userId)).toMatchObject({
      state: 'revoked',
      invitation: { status: 'rejected' },
    })
  })

  it('can be revoked in either area, which ends the link', async () => {
    for (const revoke of [
      (userId: string) =>
        stage.keys.partner.call(viewerUsers.revokeInvitation, {
          body: { userId: userId as never },
        }),
      (userId: string) =>
        stage.keys.plain.call(scribeUsers.revokeInvitation, { body: { userId: userId as never } }),
      (userId: string) => owner(dashboardPeople.revokeInvitation, { params: { userId } }),
    ]) {
      const made = await invite()
      const token = tokenOf(await mailTo(made.email))
      expect((await open(token)).status).toBe(200)
      expect(await revoke(made.userId)).toMatchObject({ success: true })
      expect(outcome(await open(token))).toMatch(/^422 .*was revoked/)
      expect(
        outcome(await visit(dashboardPeople.acceptInvitation, { token, password: PASSWORD })),
      ).toMatch(/^422 .*was revoked/)
      expect(await invitationOf(made.userId)).toMatchObject({ status: 'revoked' })
    }
  })

  it('runs for thirty days to the millisecond', async () => {
    const made = await invite()
    const token = tokenOf(await mailTo(made.email))
    clock.pass(30 * DAY_MS - 1)
    expect((await open(token)).status).toBe(200)
    clock.pass(1)
    expect(outcome(await open(token))).toMatch(/^422 .*has expired/)
    expect(
      outcome(await visit(dashboardPeople.acceptInvitation, { token, password: PASSWORD })),
    ).toMatch(/^422 .*has expired/)
    // The owner's session ended long before.
    owner = await signIn(stage.http)
    expect(await shown(made.userId)).toMatchObject({
      state: 'invited',
      invitation: { status: 'sent', isExpired: true },
    })
    expect(await invitationOf(made.userId)).toMatchObject({ status: 'sent' })
  })

  it('is replaced by a newer link, which is mailed too', async () => {
    const made = await invite()
    const first = tokenOf(await mailTo(made.email))
    smtp.received.length = 0
    expect(
      await owner(dashboardPeople.renewInvitation, { params: { userId: made.userId } }),
    ).toMatchObject({ link: null })
    const second = tokenOf(await mailTo(made.email))
    expect(second).not.toBe(first)
    expect(outcome(await open(first))).toMatch(/^422 .*replaced by a newer one/)
    expect((await open(second)).status).toBe(200)
  })
})

describe('a mail server that is away', () => {
  it('loses no invitation: it waits, says why, and goes out once when the server is back', async () => {
    const { port } = smtp.smtp
    await smtp[Symbol.asyncDispose]()
    const made = await invite()
    await expect
      .poll(async () => textOf((await shown(made.userId))?.invitation?.mailFault), {
        timeout: 10_000,
      })
      .toMatch(/mail server/)
    expect(await shown(made.userId)).toMatchObject({
      state: 'invited',
      invitation: { mail: 'waiting' },
    })
    expect(await owner(dashboardPeople.mail, {})).toMatchObject({
      waiting: 1,
      fault: expect.stringMatching(/mail server/),
    })
    expect(
      await owner(dashboardPeople.testMail, { body: { to: 'it@clinic.example' } }),
    ).toMatchObject({ success: false })

    smtp = await openTestSmtpServer({}, port)
    await setMail()
    expect((await open(tokenOf(await mailTo(made.email)))).status).toBe(200)
    await expect
      .poll(async () => (await shown(made.userId))?.invitation)
      .toMatchObject({ mail: 'sent', mailFault: null })
    expect(await owner(dashboardPeople.mail, {})).toMatchObject({
      waiting: 0,
      failed: 0,
      fault: null,
    })
    expect(
      await owner(dashboardPeople.testMail, { body: { to: 'it@clinic.example' } }),
    ).toMatchObject({ success: true })
    expect(smtp.received.map(({ to }) => to)).toEqual([[made.email], ['it@clinic.example']])
  })

  it('gets no mail of an invitation that was revoked meanwhile', async () => {
    const { port } = smtp.smtp
    await smtp[Symbol.asyncDispose]()
    const [revoked, kept] = [await invite(), await invite()]
    await expect
      .poll(async () => textOf((await shown(kept.userId))?.invitation?.mailFault), {
        timeout: 10_000,
      })
      .toMatch(/mail server/)
    await stage.keys.partner.call(viewerUsers.revokeInvitation, {
      body: { userId: revoked.userId },
    })
    smtp = await openTestSmtpServer({}, port)
    await setMail()
    await mailTo(kept.email)
    await expect.poll(() => owner(dashboardPeople.mail, {})).toMatchObject({ waiting: 0 })
    expect(smtp.received.map(({ to }) => to)).toEqual([[kept.email]])
  })
})

describe('without a mail server', () => {
  it('the window shows the link once, and no mail is made for later', async () => {
    await owner(dashboardPeople.setMail, { body: { ...NO_MAIL, password: null } })
    const { person: made, link } = await owner(dashboardPeople.invitePerson, {
      body: { ...person(), canCreateReports: false },
    })
    expect(link).toMatch(
      /^https:\/\/gateway\.clinic\.example\/isthmus\/#\/invitation\?token=[\w-]{43}$/,
    )
    expect(made).toMatchObject({
      state: 'invited',
      invitation: { mail: 'none', mailFault: null, invitedBy: 'Olga Owner' },
    })
    expect(JSON.stringify(await owner(dashboardPeople.people, { query: {} }))).not.toContain(
      tokenOf(link ?? ''),
    )
    expect(await owner(dashboardPeople.mail, {})).toMatchObject({
      host: null,
      hasPassword: false,
      waiting: 0,
      failed: 0,
    })

    await setMail()
    await owner(dashboardPeople.testMail, { body: { to: 'it@clinic.example' } })
    expect(smtp.received.map(({ to }) => to)).toEqual([['it@clinic.example']])
    const accepted = await visit(dashboardPeople.acceptInvitation, {
      token: tokenOf(link ?? ''),
      password: PASSWORD,
    })
    expect(accepted.json).toMatchObject({ user: { userId: made.userId } })
    expect(await shown(made.userId)).toMatchObject({
      state: 'active',
      invitation: { status: 'accepted' },
    })
  })
})

it('the log says what became of each mail, and nothing of what is in it', () => {
  const log = stage.started.log.join('\n')
  expect(log).toContain('"msg":"invitation mail"')
  for (const outcome of ['sent', 'postponed']) expect(log).toContain(`"outcome":"${outcome}"`)
  for (const secret of [
    'partner.example',
    'Maja',
    'Novák',
    'token=',
    'invitation?',
    PASSWORD,
    LOGIN.password,
  ])
    expect(log).not.toContain(secret)
})
