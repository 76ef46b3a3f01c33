import { Secret, TOTP } from 'otpauth'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openAccounts, type People } from '#server/modules/users/people.ts'
import { serveDashboardSecurity } from '#server/modules/users/security-routes.ts'
import { sessionReply } from '#server/modules/users/session-routes.ts'
import { serveDashboardViews } from '#server/modules/viewer/routes.ts'
import { ViewSessions } from '#server/modules/viewer/sessions.ts'
import { Problem } from '#shared/contract/conventions.ts'
import { dashboardSecurity, type OpenSession } from '#shared/contract/dashboard-security.ts'
import type { HttpAnswer } from '../../../../support/http-call.ts'
import { seedImages } from '../../../../support/images.ts'
import {
  openTestDashboard,
  PASSWORD,
  type TestDashboard,
  type TestWindow,
} from '../dashboard/dashboard-fixture.ts'

const MINUTE = 60_000
let gateway: TestDashboard
let people: People
let views: ViewSessions
beforeEach(async () => {
  gateway = await openTestDashboard(
    {},
    {
      serve(app, { store }) {
        people = openAccounts(store, { logN: 10, r: 8, p: 1 })
        const lan = {
          state: () => ({
            isOn: false,
            host: '0.0.0.0',
            port: 8443,
            urls: [],
            isUp: false,
            detail: null,
            fingerprint256: '',
          }),
          set: async () => {},
        }
        const show = sessionReply(store, '0.1.0')
        serveDashboardSecurity(app, store, people, lan, show)
        views = new ViewSessions(store)
        serveDashboardViews(app, store, views)
      },
    },
  )
})
afterEach(() => gateway[Symbol.asyncDispose]())

const faultOf = (answer: HttpAnswer) => {
  const { code, errors } = Problem.parse(answer.json)
  return [answer.status, code, errors[0]?.path]
}
const sessionsOf = async (window: TestWindow): Promise<OpenSession[]> =>
  dashboardSecurity.sessions.reply.parse((await window.call('GET', '/dashboard/sessions')).json)
    .sessions
const isLocked = async (window: TestWindow) =>
  ((await window.call('GET', '/dashboard/session')).json as { isLocked: boolean }).isLocked
const emailOf = async (window: TestWindow) =>
  (
    (await window.call('GET', '/dashboard/session')).json as {
      user: { email: string; userId: string }
    }
  ).user

describe('the lock of a window', () => {
  it('opens nothing but the password’s way back', async () => {
    const window = await gateway.signedIn('member')
    expect((await window.call('POST', '/dashboard/session/lock')).json).toEqual({ success: true })
    for (const path of [
      '/dashboard/status',
      '/dashboard/account',
      '/dashboard/sessions',
      '/dashboard/feed/events',
    ])
      expect([path, ...faultOf(await window.call('GET', path))]).toEqual([
        path,
        401,
        'locked',
        undefined,
      ])
    expect((await window.call('POST', '/dashboard/session/lock')).json).toEqual({ success: true })
    const wrong = await window.call('POST', '/dashboard/session/unlock', {
      password: 'not the password',
    })
    expect(faultOf(wrong)).toEqual([422, 'refused', 'body.password'])
    const right = await window.call('POST', '/dashboard/session/unlock', { password: PASSWORD })
    expect(right.json).toMatchObject({ isLocked: false, user: { firstName: 'Vera' } })
    expect((await window.call('GET', '/dashboard/status')).status).toBe(200)
  })

  it('falls after ten minutes without a person’s call: polls neither delay it nor end the session', async () => {
    const window = await gateway.signedIn('member')
    for (let minutes = 0; minutes < 30; minutes += 9) {
      gateway.advance(9 * MINUTE)
      expect((await window.call('GET', '/dashboard/account')).status).toBe(200)
    }
    for (let minutes = 0; minutes < 9; minutes += 3) {
      gateway.advance(3 * MINUTE)
      expect((await window.call('GET', '/dashboard/status')).status).toBe(200)
    }
    gateway.advance(MINUTE)
    expect(faultOf(await window.call('GET', '/dashboard/status'))).toEqual([
      401,
      'locked',
      undefined,
    ])
    gateway.advance(3 * 60 * MINUTE)
    expect(await isLocked(window)).toBe(true)
    expect(gateway.store.audit.list({ limit: 3 }).items.map(({ action }) => action)).toContain(
      'session.lock',
    )
  })

  it('counts a call as the page says: one by itself does not keep it open, a poll while somebody is at work does', async () => {
    const [idle, busy] = [await gateway.signedIn('member'), await gateway.signedIn('member')]
    for (let minutes = 0; minutes < 12; minutes += 2) {
      gateway.advance(2 * MINUTE)
      await idle.call('GET', '/dashboard/devices', undefined, { 'x-isthmus-use': 'background' })
      await busy.call('GET', '/dashboard/session', undefined, { 'x-isthmus-use': 'person' })
    }
    expect([await isLocked(idle), await isLocked(busy)]).toEqual([true, false])
  })

  it('is slowed down like signing in, and the tenth wrong password ends the session', async () => {
    const window = await gateway.signedIn('member')
    await window.call('POST', '/dashboard/session/lock')
    const guess = () =>
      window.call('POST', '/dashboard/session/unlock', { password: 'not the password' })
    for (let i = 0; i < 5; i++) expect((await guess()).status).toBe(422)
    expect(faultOf(await guess())).toEqual([429, 'too-many', undefined])
    for (let i = 0; i < 4; i++) {
      gateway.advance(15 * MINUTE)
      expect((await guess()).status).toBe(422)
    }
    gateway.advance(15 * MINUTE)
    expect(faultOf(await guess())).toEqual([401, 'not-signed-in', undefined])
    gateway.advance(15 * MINUTE)
    expect(
      (await window.call('POST', '/dashboard/session/unlock', { password: PASSWORD })).status,
    ).toBe(401)
    expect(
      ((await window.call('GET', '/dashboard/session')).json as { user: unknown }).user,
    ).toBeNull()
  })

  it('cannot be kept closed by wrong sign-ins from elsewhere, nor can a confirmation be prevented', async () => {
    const window = await gateway.signedIn('owner')
    const { email } = await emailOf(window)
    await window.call('POST', '/dashboard/session/lock')
    const signIn = () => people.signIn(email, 'not the password')
    for (let i = 0; i < 5; i++)
      await expect(signIn()).rejects.toMatchObject({ code: 'not-signed-in' })
    await expect(signIn()).rejects.toMatchObject({ code: 'too-many' })
    const proofs = [
      await window.call('POST', '/dashboard/session/unlock', { password: PASSWORD }),
      await window.call('POST', '/dashboard/session/confirm', { password: PASSWORD }),
      await window.call('POST', '/dashboard/account/second-factor', { password: PASSWORD }),
    ]
    expect(proofs.map(({ status }) => status)).toEqual([200, 200, 200])
    // Who is stopped outside is not let in by what happens inside.
    await expect(signIn()).rejects.toMatchObject({ code: 'too-many' })
  })

  it('holds the images that were opened from the window', async () => {
    const window = await gateway.signedIn('admin')
    seedImages(gateway.store, { uid: '1.2.3' })
    const opened = await gateway
      .openWindow()
      .call('POST', '/dashboard/views', { studyInstanceUid: '1.2.3' }, { cookie: window.cookie() })
    expect(opened.status).toBeLessThan(300)
    const { viewId } = opened.json as { viewId: string }
    const token = /isthmus-view=([^;]+)/.exec(String(opened.headers['set-cookie']))?.[1] ?? ''
    expect(views.viewOf(viewId, token)).toBeDefined()
    await window.call('POST', '/dashboard/session/lock')
    expect(() => views.viewOf(viewId, token)).toThrow('The screen is locked')
    await window.call('POST', '/dashboard/session/unlock', { password: PASSWORD })
    expect(views.viewOf(viewId, token)).toBeDefined()
    // Looking at images is at work.
    gateway.advance(9 * MINUTE)
    views.viewOf(viewId, token)
    gateway.advance(9 * MINUTE)
    expect(views.viewOf(viewId, token, 'background')).toBeDefined()
    gateway.advance(MINUTE)
    expect(() => views.viewOf(viewId, token)).toThrow('The screen is locked')
    await window.call('DELETE', '/dashboard/session')
    expect(views.viewOf(viewId, token)).toBeUndefined()
  })
})

describe('sessions', () => {
  it('are told apart by what opens nothing, and ended: one’s own, by who manages everybody’s', async () => {
    const [member, admin] = [await gateway.signedIn('member'), await gateway.signedIn('admin')]
    const [own, ...others] = await sessionsOf(member)
    expect(others).toEqual([])
    expect(own).toMatchObject({
      isThis: true,
      isLocked: false,
      place: { code: 'users.this-pc' },
      address: '127.0.0.1',
      user: { name: 'Vera member' },
    })
    expect(member.cookie()).not.toContain(own?.sessionId)
    const all = await sessionsOf(admin)
    expect(all.map(({ user }) => user.name).sort()).toEqual(['Vera admin', 'Vera member'])
    const adminSession = all.find(({ isThis }) => isThis)
    expect(
      faultOf(await member.call('DELETE', `/dashboard/sessions/${adminSession?.sessionId}`)),
    ).toEqual([404, 'not-found', undefined])
    expect((await admin.call('DELETE', `/dashboard/sessions/${own?.sessionId}`)).json).toEqual({
      success: true,
    })
    expect(faultOf(await member.call('GET', '/dashboard/status'))).toEqual([
      401,
      'not-signed-in',
      undefined,
    ])
    expect(gateway.store.audit.list({ limit: 1 }).items).toMatchObject([
      { action: 'session.end', detail: { sessionId: own?.sessionId } },
    ])
  })

  it('of a person end with the password, but for the one that changed it', async () => {
    const window = await gateway.signedIn('member')
    const { email } = await emailOf(window)
    const elsewhere = gateway.openWindow()
    await elsewhere.call('POST', '/dashboard/session', { email, password: PASSWORD })
    const change = (password: string, newPassword: string) =>
      window.call('POST', '/dashboard/account/password', { password, newPassword })
    expect(faultOf(await change('not the password', 'four words of a new one'))).toEqual([
      422,
      'refused',
      'body.password',
    ])
    expect(faultOf(await change(PASSWORD, 'Password123'))).toEqual([
      422,
      'refused',
      'body.newPassword',
    ])
    expect(faultOf(await change(PASSWORD, PASSWORD))).toEqual([422, 'refused', 'body.newPassword'])
    expect((await change(PASSWORD, 'four words of a new one')).json).toEqual({ success: true })
    expect((await window.call('GET', '/dashboard/account')).json).toMatchObject({
      passwordChangedAt: '2026-11-20T09:00:00.000Z',
    })
    expect((await elsewhere.call('GET', '/dashboard/status')).status).toBe(401)
  })
})

describe('one’s own account', () => {
  it('has names and a phone number to change, and nothing else', async () => {
    const window = await gateway.signedIn('member')
    const changed = await window.call('PATCH', '/dashboard/account', {
      firstName: 'Wera',
      phoneNumber: '493012345678',
      level: 'owner',
    })
    expect(changed.json).toMatchObject({ user: { firstName: 'Wera', level: 'member' } })
  })

  it('gets a second factor by its password and a code, and loses it by its password, or by who manages', async () => {
    const [member, admin] = [await gateway.signedIn('member'), await gateway.signedIn('admin')]
    const { email, userId } = await emailOf(member)
    const begin = (password: string) =>
      member.call('POST', '/dashboard/account/second-factor', { password })
    expect(faultOf(await begin('not the password'))).toEqual([422, 'refused', 'body.password'])
    const { secret } = (await begin(PASSWORD)).json as { secret: string }
    const totp = new TOTP({ secret: Secret.fromBase32(secret) })
    const code = totp.generate({ timestamp: Date.parse('2026-11-20T09:00:00.000Z') })
    const confirmed = await member.call('POST', '/dashboard/account/second-factor/confirm', {
      code,
    })
    const { codes } = confirmed.json as { codes: string[] }
    expect(codes).toHaveLength(10)
    const signIn = (more: object) =>
      gateway
        .openWindow()
        .call('POST', '/dashboard/session', { email, password: PASSWORD, ...more })
    expect(faultOf(await signIn({}))).toEqual([401, 'not-signed-in', 'body.code'])
    expect((await signIn({ code: codes[0] })).status).toBe(200)
    // Unlocking asks for the password alone.
    await member.call('POST', '/dashboard/session/lock')
    expect(
      (await member.call('POST', '/dashboard/session/unlock', { password: PASSWORD })).status,
    ).toBe(200)

    expect(
      (await member.call('POST', `/dashboard/people/${userId}/second-factor/end`)).status,
    ).toBe(403)
    expect(
      (await admin.call('POST', `/dashboard/people/${userId}/second-factor/end`)).json,
    ).toEqual({ success: true })
    expect((await signIn({})).status).toBe(200)
    const owner = await emailOf(await gateway.signedIn('owner'))
    expect(
      (await admin.call('POST', `/dashboard/people/${owner.userId}/second-factor/end`)).status,
    ).toBe(403)
    // One's own takes the password: a window that was left open is not enough.
    const own = await emailOf(admin)
    expect(
      (await admin.call('POST', `/dashboard/people/${own.userId}/second-factor/end`)).status,
    ).toBe(422)
  })
})
