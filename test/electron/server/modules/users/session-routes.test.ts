import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { allUsers, updateUser } from '#server/modules/users/queries.ts'
import { Problem } from '#shared/contract/conventions.ts'
import { dashboard } from '#shared/contract/dashboard.ts'
import { httpCall } from '../../../../support/http-call.ts'
import { openTestDashboard, PASSWORD, type TestDashboard } from '../dashboard/dashboard-fixture.ts'

let gateway: TestDashboard
beforeEach(async () => {
  gateway = await openTestDashboard()
})
afterEach(() => gateway[Symbol.asyncDispose]())

const owner = {
  email: 'Olga@Clinic.example',
  firstName: 'Olga',
  lastName: 'Owner',
  password: PASSWORD,
  clinicName: 'North Clinic',
}
const NOBODY = {
  ...{
    user: null,
    needsOwner: true,
    isLocked: false,
    lockMinutes: 10,
    needsSetup: false,
    offersTour: false,
    isLimited: false,
    needsSecondFactor: false,
  },
  ...{ clinicName: '', version: '0.1.0' },
  ...{ provider: null, proofs: { password: false, provider: false } },
}
const session = (answer: { json: unknown }) => dashboard.session.reply.parse(answer.json)
const problem = (answer: { json: unknown }) => Problem.parse(answer.json)

describe('the first run', () => {
  it('needs an owner, who is made with the set-up link and signed in', async () => {
    const window = gateway.openWindow()
    expect(session(await window.call('GET', '/dashboard/session'))).toEqual(NOBODY)
    const { token } = gateway.people.createSetupLink('command-line')

    const followed = await window.call('POST', '/dashboard/session/link', { token })
    expect([followed.status, followed.json]).toEqual([
      200,
      { mayCreateOwner: true, session: NOBODY },
    ])
    expect(window.cookie()).toBe('')

    const made = await window.call('POST', '/dashboard/owner', { ...owner, token })
    expect(made.status).toBe(201)
    expect(session(made)).toMatchObject({
      needsOwner: false,
      isLimited: false,
      needsSecondFactor: true,
      needsSetup: true,
      clinicName: 'North Clinic',
      user: {
        email: 'Olga@Clinic.example',
        level: 'owner',
        clinicRole: 'Administrative Director',
        hasDashboardAccess: true,
      },
    })
    expect(made.text).not.toContain('scrypt')
    expect(session(await window.call('GET', '/dashboard/session')).user?.lastName).toBe('Owner')
  })

  it('makes no owner without the link, with a used link or when there is one', async () => {
    const window = gateway.openWindow()
    const guess = await window.call('POST', '/dashboard/owner', { ...owner, token: 'x'.repeat(43) })
    expect([guess.status, problem(guess).code]).toEqual([422, 'refused'])
    const { token } = gateway.people.createSetupLink('command-line')
    const other = gateway.people.createSetupLink('command-line')
    expect((await window.call('POST', '/dashboard/owner', { ...owner, token })).status).toBe(201)
    expect((await window.call('POST', '/dashboard/owner', { ...owner, token })).status).toBe(422)
    expect(
      (
        await window.call('POST', '/dashboard/owner', {
          ...owner,
          email: 'b@clinic.example',
          token: other.token,
        })
      ).status,
    ).toBe(422)
    expect(allUsers(gateway.store.database)).toHaveLength(1)
  })

  it('names the fields of an owner that are wrong', async () => {
    const answer = await gateway.openWindow().call('POST', '/dashboard/owner', {
      ...owner,
      token: 'x'.repeat(43),
      password: 'short',
      email: 'nobody',
    })
    expect(answer.status).toBe(400)
    expect(problem(answer).errors).toEqual([
      { path: 'body.email', message: 'must be an e-mail address' },
      { path: 'body.password', message: 'must have at least 10 characters' },
    ])
  })
})

describe('signing in', () => {
  const member = {
    email: 'mia@clinic.example',
    firstName: 'Mia',
    lastName: 'Meyer',
    level: 'member',
    clinicRole: 'Nurse Practitioner',
  } as const
  beforeEach(() => gateway.people.createUser({ ...member, password: PASSWORD }, 'command-line'))

  it('takes the right password, whatever the case of the e-mail', async () => {
    const window = gateway.openWindow()
    const answer = await window.call('POST', '/dashboard/session', {
      email: ' MIA@clinic.example ',
      password: PASSWORD,
    })
    expect(answer.status).toBe(200)
    expect(session(answer)).toMatchObject({
      user: { firstName: 'Mia', level: 'member', lastLoginAt: '2026-11-20T09:00:00.000Z' },
    })
    expect(session(answer).needsSetup).toBe(false)
    expect(answer.headers['set-cookie']?.[0]).toMatch(
      /^isthmus-session-\d+=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/,
    )
    expect((await window.call('GET', '/dashboard/devices')).status).toBe(200)
  })

  it('refuses a wrong password and an unknown e-mail alike, without a cookie', async () => {
    const wrong = await gateway
      .openWindow()
      .call('POST', '/dashboard/session', { email: member.email, password: 'not the password' })
    const unknown = await gateway
      .openWindow()
      .call('POST', '/dashboard/session', { email: 'no@clinic.example', password: PASSWORD })
    for (const answer of [wrong, unknown]) {
      expect([answer.status, problem(answer).message]).toEqual([
        401,
        'The e-mail address or the password is wrong.',
      ])
      expect(answer.headers['set-cookie']).toBeUndefined()
    }
  })

  it('is slowed down after several wrong passwords, with Retry-After, and goes on after the wait', async () => {
    const window = gateway.openWindow()
    const attempt = (password: string) =>
      window.call('POST', '/dashboard/session', { email: member.email, password })
    for (let failure = 0; failure < 5; failure += 1)
      expect((await attempt('not the password')).status).toBe(401)
    const slowed = await attempt(PASSWORD)
    expect([slowed.status, slowed.headers['retry-after'], problem(slowed).code]).toEqual([
      429,
      '2',
      'too-many',
    ])
    gateway.advance(2000)
    expect((await attempt(PASSWORD)).status).toBe(200)
  })

  it('refuses an account without access to the window, and ends its sessions', async () => {
    const window = gateway.openWindow()
    await window.call('POST', '/dashboard/session', { email: member.email, password: PASSWORD })
    const [user] = allUsers(gateway.store.database)
    if (user) updateUser(gateway.store.database, { ...user, hasDashboardAccess: false })
    expect((await window.call('GET', '/dashboard/status')).status).toBe(401)
    const again = await window.call('POST', '/dashboard/session', {
      email: member.email,
      password: PASSWORD,
    })
    expect([again.status, problem(again).code]).toEqual([403, 'not-permitted'])
  })

  it('gives another token each time and ends the one before', async () => {
    const window = gateway.openWindow()
    await window.call('POST', '/dashboard/session', { email: member.email, password: PASSWORD })
    const first = window.cookie()
    await window.call('POST', '/dashboard/session', { email: member.email, password: PASSWORD })
    expect(window.cookie()).not.toBe(first)
    expect(
      (await httpCall(`${gateway.server.url}/dashboard/status`, { headers: { cookie: first } }))
        .status,
    ).toBe(401)
    expect((await window.call('GET', '/dashboard/status')).status).toBe(200)
  })

  it('by a one-time link works once', async () => {
    const [user] = allUsers(gateway.store.database)
    const { token } = gateway.people.createSignInLink(user?.userId ?? '', 'command-line')
    const window = gateway.openWindow()
    const followed = await window.call('POST', '/dashboard/session/link', { token })
    expect([followed.status, followed.json]).toMatchObject([
      200,
      { mayCreateOwner: false, session: { user: { firstName: 'Mia' } } },
    ])
    expect((await window.call('GET', '/dashboard/devices')).status).toBe(200)
    const again = await gateway.openWindow().call('POST', '/dashboard/session/link', { token })
    expect([again.status, again.headers['set-cookie']]).toEqual([422, undefined])
  })

  it('by a link that has expired is refused', async () => {
    const [user] = allUsers(gateway.store.database)
    const { token } = gateway.people.createSignInLink(user?.userId ?? '', 'command-line')
    gateway.advance(15 * 60_000)
    expect(
      (await gateway.openWindow().call('POST', '/dashboard/session/link', { token })).status,
    ).toBe(422)
  })

  it('from another site is refused, right password or not', async () => {
    const body = { email: member.email, password: PASSWORD }
    const answer = await httpCall(`${gateway.server.url}/dashboard/session`, {
      method: 'POST',
      json: body,
      headers: { 'x-isthmus-csrf': '1', origin: 'https://evil.example' },
    })
    expect([answer.status, answer.headers['set-cookie']]).toEqual([403, undefined])
  })

  it('is locked when it is idle, and lasts until a day of work is over', async () => {
    const window = gateway.openWindow()
    await window.call('POST', '/dashboard/session', { email: member.email, password: PASSWORD })
    for (let minutes = 0; minutes < 11 * 60; minutes += 9) {
      gateway.advance(9 * 60_000)
      expect((await window.call('GET', '/dashboard/devices')).status).toBe(200)
    }
    gateway.advance(10 * 60_000)
    const locked = await window.call('GET', '/dashboard/devices')
    expect([locked.status, problem(locked).code]).toEqual([401, 'locked'])
    expect(session(await window.call('GET', '/dashboard/session'))).toMatchObject({
      isLocked: true,
      user: { firstName: 'Mia' },
    })
    gateway.advance(60 * 60_000)
    expect(session(await window.call('GET', '/dashboard/session'))).toMatchObject({
      isLocked: false,
      user: null,
    })
  })
})

describe('signing out', () => {
  it('ends the session at once, and takes the cookie', async () => {
    const window = await gateway.signedIn('member')
    const cookie = window.cookie()
    const answer = await window.call('DELETE', '/dashboard/session')
    expect(answer.json).toEqual({ success: true, providerPath: null })
    expect(window.cookie()).toMatch(/^isthmus-session-\d+=$/)
    expect(
      (await httpCall(`${gateway.server.url}/dashboard/status`, { headers: { cookie } })).status,
    ).toBe(401)
    expect((await window.call('DELETE', '/dashboard/session')).json).toEqual({
      success: true,
      providerPath: null,
    })
  })
})
