import { describe, expect, it, vi } from 'vitest'
import { allUsers, findUser, updateUser } from '#server/modules/users/queries.ts'
import { findSession, sessionById } from '#server/modules/users/session-queries.ts'
import { sessionState } from '#server/modules/users/session-state.ts'
import * as sessionService from '#server/modules/users/sessions.ts'
import { signedInUser } from '#server/modules/users/sessions.ts'
import * as throttleService from '#server/modules/users/sign-in-throttle.ts'
import { putWorkstation } from '#server/modules/users/workstation-queries.ts'
import { findView, insertView } from '#server/modules/viewer/queries.ts'
import type { OpenSession } from '#shared/contract/dashboard-security.ts'
import type { ApiError } from '#shared/errors.ts'
import { message, verbatim } from '#shared/messages/message.ts'
import { bound } from '../../../../support/bound.ts'
import { newKey, newUser } from '../../../../support/callers.ts'
import { peopleOf } from '../../../../support/people.ts'
import { refusal } from '../../../../support/refusal.ts'
import { tempStore } from '../../../../support/temp-store.ts'
import { ephemeralView, viewRecord } from '../../../../support/view-record.ts'

const MINUTE = 60_000
const OWNER = {
  email: 'eva@clinic.example',
  firstName: 'Eva',
  lastName: 'Kern',
  clinicRole: 'Radiologist',
  password: 'ten letters',
} as const

function clinic() {
  const temp = tempStore()
  const people = peopleOf(temp.store)
  return Object.assign(temp, {
    people,
    trail: () =>
      temp.store.audit
        .list({ limit: 100 })
        .items.map(({ actor, action, target }) => `${actor} ${action} ${target}`),
    /** With its owner, who is signed in. */
    owned: async () =>
      people.createOwner({
        ...OWNER,
        token: people.createSetupLink('command-line').token,
        clinicName: 'Praxis Kern',
      }),
  })
}

const codeOf = async (work: Promise<unknown>) =>
  work.then(
    () => 'none',
    (error: ApiError) =>
      `${error.code}${error.headers['retry-after'] === undefined ? '' : ` ${error.headers['retry-after']}`}`,
  )

describe('the first start', () => {
  it('makes one owner with a one-time link and signs them in', async () => {
    using temp = clinic()
    expect(temp.people.hasUser()).toBe(false)
    const { token } = temp.people.createSetupLink('command-line')
    expect(temp.people.followLink(token)).toEqual({ mayCreateOwner: true })
    expect(temp.people.followLink(token)).toEqual({ mayCreateOwner: true })
    const signIn = await temp.people.createOwner({ ...OWNER, token, clinicName: 'Praxis Kern' })
    expect(signIn.user).toMatchObject({
      email: 'eva@clinic.example',
      level: 'owner',
      canManageStudies: true,
      canCreateReports: true,
    })
    expect(signIn.user).not.toHaveProperty('passwordHash')
    expect(temp.people.sessionUser(signIn.token)).toEqual(signIn.user)
    expect(temp.store.settings.get('clinic.name')).toBe('Praxis Kern')
    const { userId } = signIn.user
    expect(temp.trail()).toEqual([
      `user:${userId} user.sign-in ${userId}`,
      `user:${userId} setting.change clinic.name`,
      `user:${userId} user.create ${userId}`,
      'command-line link.mint setup',
    ])
  })

  it('makes no second owner, with that link or another', async () => {
    using temp = clinic()
    const links = [temp.people.createSetupLink('gateway'), temp.people.createSetupLink('gateway')]
    const [one, two] = links.map(({ token }) => token)
    const both = await Promise.all([
      codeOf(temp.people.createOwner({ ...OWNER, token: one ?? '', clinicName: '' })),
      codeOf(
        temp.people.createOwner({
          ...OWNER,
          email: 'other@clinic.example',
          token: two ?? '',
          clinicName: '',
        }),
      ),
    ])
    expect(both.sort()).toEqual(['none', 'refused'])
    expect(allUsers(temp.store.database)).toHaveLength(1)
    for (const { token } of links)
      expect(() => temp.people.followLink(token)).toThrow('This link has been used or has expired')
    expect(() => temp.people.createSetupLink('gateway')).toThrow('There is already an account')
  })

  it('takes no link that expired, was never made, or is of another kind', async () => {
    using temp = clinic()
    const { token, expiresAt } = temp.people.createSetupLink('gateway')
    expect(expiresAt).toBe('2026-03-10T09:15:00.000Z')
    temp.clock.pass(15 * MINUTE)
    expect(await codeOf(temp.people.createOwner({ ...OWNER, token, clinicName: '' }))).toBe(
      'refused',
    )
    expect(
      await codeOf(temp.people.createOwner({ ...OWNER, token: 'x'.repeat(43), clinicName: '' })),
    ).toBe('refused')
    expect(temp.people.hasUser()).toBe(false)
  })
})

describe('accounts', () => {
  it('are made at any level, each e-mail once', async () => {
    using temp = clinic()
    const made = await temp.people.createUser(
      { ...OWNER, clinicRole: 'Imaging Technologist', level: 'member' },
      'command-line',
    )
    expect(made).toMatchObject({
      level: 'member',
      canManageStudies: false,
      canCreateReports: false,
      hasDashboardAccess: true,
    })
    const twin = temp.people.createUser(
      { ...OWNER, email: 'EVA@clinic.example', level: 'admin' },
      'command-line',
    )
    await expect(twin).rejects.toMatchObject({ code: 'refused', errors: [{ path: 'body.email' }] })
    expect(allUsers(temp.store.database)).toHaveLength(1)
    expect(temp.trail()).toEqual([`command-line user.create ${made.userId}`])
  })

  it('get another password, which ends their sessions and their wait', async () => {
    using temp = clinic()
    const { token, user } = await temp.owned()
    for (let i = 0; i < 5; i++) await codeOf(temp.people.signIn(OWNER.email, 'wrong'))
    await temp.people.setPassword(user.userId, 'another ten', 'command-line')
    expect(temp.people.sessionUser(token)).toBeUndefined()
    expect(await codeOf(temp.people.signIn(OWNER.email, OWNER.password))).toBe('not-signed-in')
    expect(await codeOf(temp.people.signIn(OWNER.email, 'another ten'))).toBe('none')
    await expect(
      temp.people.setPassword('usr_nobody', 'another ten', 'command-line'),
    ).rejects.toMatchObject({ code: 'not-found' })
  })
})

describe('signing in', () => {
  it('takes the e-mail in any case and the right password only', async () => {
    using temp = clinic()
    const { user } = await temp.owned()
    temp.clock.pass(MINUTE)
    const signIn = await temp.people.signIn(' EVA@Clinic.example', OWNER.password)
    expect(signIn.user).toEqual({ ...user, lastLoginAt: '2026-03-10T09:01:00.000Z' })
    expect(signIn.expiresAt).toBe('2026-03-10T21:01:00.000Z')
    expect(await codeOf(temp.people.signIn(OWNER.email, `${OWNER.password} `))).toBe(
      'not-signed-in',
    )
    expect(await codeOf(temp.people.signIn('nobody@clinic.example', OWNER.password))).toBe(
      'not-signed-in',
    )
    expect(await codeOf(temp.people.signIn(OWNER.email, ''))).toBe('not-signed-in')
    expect(temp.trail()[0]).toBe(`user:${user.userId} user.sign-in-failed ${user.userId}`)
  })

  it('is refused without access to the window, though the password is right', async () => {
    using temp = clinic()
    const { user, token } = await temp.owned()
    const record = findUser(temp.store.database, user.userId)
    if (record) updateUser(temp.store.database, { ...record, hasDashboardAccess: false })
    expect(await codeOf(temp.people.signIn(OWNER.email, OWNER.password))).toBe('not-permitted')
    expect(temp.people.sessionUser(token)).toBeUndefined()
  })

  it('has to wait after four wrong passwords, twice as long after each', async () => {
    using temp = clinic()
    await temp.owned()
    const wrong = () => codeOf(temp.people.signIn(OWNER.email, 'wrong'))
    expect([await wrong(), await wrong(), await wrong(), await wrong(), await wrong()]).toEqual(
      Array(5).fill('not-signed-in'),
    )
    expect(await wrong()).toBe('too-many 2')
    expect(await codeOf(temp.people.signIn(OWNER.email, OWNER.password))).toBe('too-many 2')
    const waits: string[] = []
    for (const wait of [2000, 4000, 8000, 16_000]) {
      temp.clock.pass(wait)
      waits.push(await wrong(), await wrong())
    }
    expect(waits.filter((_, index) => index % 2 === 1)).toEqual([
      'too-many 4',
      'too-many 8',
      'too-many 16',
      'too-many 32',
    ])
    temp.clock.pass(32_000)
    expect(await codeOf(temp.people.signIn(OWNER.email, OWNER.password))).toBe('none')
    expect(await wrong()).toBe('not-signed-in')
  })

  it('waits a quarter of an hour at most, and forgets after a day', async () => {
    using temp = clinic()
    await temp.owned()
    const wrong = () => codeOf(temp.people.signIn(OWNER.email, 'wrong'))
    for (let i = 0; i < 20; i++) {
      await wrong()
      temp.clock.pass(15 * MINUTE)
    }
    await wrong()
    expect(await wrong()).toBe('too-many 900')
    temp.clock.pass(24 * 60 * MINUTE)
    await wrong()
    expect(await wrong()).toBe('not-signed-in')
  })

  it('counts guesses that run at the same time, and those for an address nobody has', async () => {
    using temp = clinic()
    await temp.owned()
    const guess = (email: string) =>
      Promise.all(Array.from({ length: 10 }, () => codeOf(temp.people.signIn(email, 'wrong'))))
    for (const email of [OWNER.email, 'nobody@clinic.example']) {
      const answers = await guess(email)
      expect(answers.filter((answer) => answer === 'not-signed-in')).toHaveLength(5)
      expect(answers.filter((answer) => answer === 'too-many 2')).toHaveLength(5)
    }
  })
})

describe('the wait of an account', () => {
  it('is said in whole seconds, of passwords and of codes', () => {
    using temp = tempStore()
    const throttle = bound(throttleService, temp.store)
    for (let i = 0; i < 5; i++) throttle.countAttempt('eva@clinic.example')
    temp.clock.pass(500)
    expect(refusal(() => throttle.countAttempt(' EVA@clinic.example'))).toMatchObject({
      ...{ code: 'too-many', headers: { 'retry-after': '2' } },
      message: 'Too many wrong passwords for this account. Wait a moment, then try again.',
    })
    expect(refusal(() => throttle.countAttempt('eva@clinic.example', 'codes'))?.message).toContain(
      'Too many wrong codes for this account',
    )
    expect(refusal(() => throttle.countAttempt('ben@clinic.example'))).toBeUndefined()
    throttle.resetAttempts('Eva@clinic.example')
    expect(refusal(() => throttle.countAttempt('eva@clinic.example'))).toBeUndefined()
  })

  it('is over where the clock was set back by more than the longest wait', () => {
    using temp = tempStore()
    const throttle = bound(throttleService, temp.store)
    for (let i = 0; i < 5; i++) throttle.countAttempt('eva@clinic.example')
    temp.clock.pass(-60 * MINUTE)
    expect(refusal(() => throttle.countAttempt('eva@clinic.example'))).toBeUndefined()
  })

  it('counts from one again a day after the last failure, not before', () => {
    using temp = tempStore()
    const throttle = bound(throttleService, temp.store)
    const fail = () => refusal(() => throttle.countAttempt('eva@clinic.example'))
    for (let i = 0; i < 4; i++) fail()
    temp.clock.pass(24 * 60 * MINUTE - 1)
    fail()
    expect(fail()?.headers).toEqual({ 'retry-after': '2' })
    temp.clock.pass(24 * 60 * MINUTE)
    expect([fail(), fail(), fail(), fail(), fail()]).toEqual(Array(5).fill(undefined))
    expect(fail()?.code).toBe('too-many')
  })
})

describe('sessions', () => {
  const HERE = { browser: 'Chrome on Windows', address: '10.0.0.7', workstationId: null }

  /** Two users without passwords, and sessions of theirs. */
  function desk() {
    const temp = tempStore()
    const sessions = bound(sessionService, temp.store)
    const [eva, ben] = [
      newUser(temp.store, { firstName: 'Eva', lastName: 'Kern' }),
      newUser(temp.store, { firstName: 'Ben' }),
    ]
    const newest = () => temp.store.audit.list({ limit: 1 }).items[0]
    return Object.assign(temp, { sessions, eva, ben, newest })
  }

  it('begin where they are, for as long as the settings say', () => {
    using on = desk()
    on.store.settings.set('window.sessionHours', 8)
    const { token, user, expiresAt } = on.sessions.beginSession(on.eva, 'link', HERE)
    expect(user).toEqual(signedInUser({ ...on.eva, lastLoginAt: '2026-03-10T09:00:00.000Z' }))
    expect(findUser(on.store.database, on.eva.userId)?.lastLoginAt).toBe('2026-03-10T09:00:00.000Z')
    expect(expiresAt).toBe('2026-03-10T17:00:00.000Z')
    const { sessionId = '' } = on.sessions.runningSession(token) ?? {}
    expect(sessionById(on.store.database, sessionId)).toMatchObject({
      ...{ userId: on.eva.userId, ...HERE, lockedAt: null, wrongPasswords: 0, expiresAt },
      ...{ createdAt: '2026-03-10T09:00:00.000Z', lastUsedAt: '2026-03-10T09:00:00.000Z' },
    })
    expect(on.newest()).toMatchObject({
      ...{ actor: `user:${on.eva.userId}`, action: 'user.sign-in', target: on.eva.userId },
      detail: { how: 'link', address: '10.0.0.7' },
    })
    on.sessions.beginSession(on.ben, 'password')
    expect(on.newest()?.detail).toEqual({ how: 'password' })
  })

  it('tell the window of their user what it shows, and no more', () => {
    using on = desk()
    expect(signedInUser(on.eva)).toEqual({
      ...{
        userId: on.eva.userId,
        email: on.eva.email,
        firstName: 'Eva',
        lastName: 'Kern',
        level: 'member',
      },
      ...{
        clinicRole: 'Radiologist',
        canManageStudies: false,
        canCreateReports: true,
        hasDashboardAccess: true,
        lastLoginAt: null,
      },
    })
  })

  it('are found by their id as by their token, and not once the account is revoked', () => {
    using on = desk()
    const { token } = on.sessions.beginSession(on.eva, 'password')
    const found = on.sessions.runningSession(token)
    expect(found).toMatchObject({ user: { userId: on.eva.userId }, isLocked: false })
    expect(on.sessions.runningSessionById(found?.sessionId ?? '')).toEqual(found)
    expect([on.sessions.runningSession('none'), on.sessions.runningSessionById('none')]).toEqual([
      undefined,
      undefined,
    ])
    updateUser(on.store.database, { ...on.eva, deactivatedAt: '2026-03-10T09:00:00.000Z' })
    expect(on.sessions.runningSession(token)).toBeUndefined()
  })

  it('are not kept from being locked by what an open window asks in the background', () => {
    using on = desk()
    const { token } = on.sessions.beginSession(on.eva, 'password')
    const { sessionId = '' } = on.sessions.runningSession(token) ?? {}
    for (let i = 0; i < 9; i++) {
      on.clock.pass(MINUTE)
      expect(on.sessions.runningSessionById(sessionId, 'background')?.isLocked).toBe(false)
    }
    on.clock.pass(MINUTE)
    expect(on.sessions.runningSession(token, 'background')?.isLocked).toBe(true)
    expect(on.newest()).toMatchObject({
      ...{
        actor: `user:${on.eva.userId}`,
        action: 'session.lock',
        target: sessionId,
        detail: { how: 'idle' },
      },
    })
  })

  it('note their use once a minute, or four times in the minutes after which they are locked', () => {
    using on = desk()
    const { token } = on.sessions.beginSession(on.eva, 'password')
    const { sessionId = '' } = on.sessions.runningSession(token) ?? {}
    const usedAfter = (ms: number) => {
      on.clock.pass(ms)
      on.sessions.runningSession(token)
      return sessionById(on.store.database, sessionId)?.lastUsedAt
    }
    expect(usedAfter(59_999)).toBe('2026-03-10T09:00:00.000Z')
    expect(usedAfter(1)).toBe('2026-03-10T09:01:00.000Z')
    on.store.settings.set('window.lockMinutes', 1)
    expect(usedAfter(14_999)).toBe('2026-03-10T09:01:00.000Z')
    expect(usedAfter(1)).toBe('2026-03-10T09:01:15.000Z')
    // Of a locked one nothing is noted.
    expect(usedAfter(MINUTE)).toBe('2026-03-10T09:01:15.000Z')
    expect(usedAfter(MINUTE)).toBe('2026-03-10T09:01:15.000Z')
  })

  it('are locked by their person once, and unlocked', () => {
    using on = desk()
    const { token } = on.sessions.beginSession(on.eva, 'password')
    const { sessionId = '' } = on.sessions.runningSession(token) ?? {}
    on.sessions.lockSession(token)
    on.clock.pass(1000)
    on.sessions.lockSession(token)
    expect(on.sessions.runningSession(token)?.isLocked).toBe(true)
    expect(sessionById(on.store.database, sessionId)?.lockedAt).toBe('2026-03-10T09:00:00.000Z')
    on.sessions.unlockSession(token)
    expect(on.sessions.runningSession(token)?.isLocked).toBe(false)
    for (const call of [on.sessions.lockSession, on.sessions.unlockSession, on.sessions.signOut])
      call('none')
    const trail = on.store.audit
      .list({ limit: 100 })
      .items.map(({ action, target, detail }) => [action, target, detail])
    expect(trail.slice(0, -1)).toEqual([
      ['session.unlock', sessionId, {}],
      ['session.lock', sessionId, { how: 'person' }],
    ])
    on.sessions.signOut(token)
    expect(on.newest()).toMatchObject({
      action: 'user.sign-out',
      target: on.eva.userId,
      detail: {},
    })
  })

  it('are listed with whose they are and where, last used first, of one user or of all', () => {
    using on = desk()
    const pc = {
      workstationId: 'pc-1',
      name: 'Reading room',
      code: 'ABC DEF',
      address: '10.0.0.8',
      browser: '',
      askedAt: '2026-03-10T08:00:00.000Z',
    }
    const answered = {
      refusedAt: null,
      approvedAt: '2026-03-10T08:00:00.000Z',
      approvedByUserId: null,
      lastSeenAt: null,
    }
    putWorkstation(on.store.database, { ...pc, ...answered, tokenHash: 'c'.repeat(64) })
    const { token } = on.sessions.beginSession(on.eva, 'password', HERE)
    on.clock.pass(MINUTE)
    on.sessions.beginSession(on.ben, 'password', { ...HERE, workstationId: 'pc-1' })
    on.clock.pass(MINUTE)
    on.sessions.beginSession(on.ben, 'password', { ...HERE, workstationId: 'pc-removed' })
    const places = (given: OpenSession[]) => given.map(({ place, isThis }) => [place, isThis])
    const all = on.sessions.listSessions(token, undefined)
    expect(places(all)).toEqual([
      [verbatim(''), false],
      [verbatim('Reading room'), false],
      [message('users.this-pc'), true],
    ])
    expect(all[2]).toEqual({
      ...{
        sessionId: on.sessions.runningSession(token)?.sessionId,
        user: { userId: on.eva.userId, name: 'Eva Kern' },
        place: message('users.this-pc'),
      },
      ...{ browser: 'Chrome on Windows', address: '10.0.0.7', isThis: true, isLocked: false },
      ...{
        createdAt: '2026-03-10T09:00:00.000Z',
        lastUsedAt: '2026-03-10T09:00:00.000Z',
        expiresAt: '2026-03-10T21:00:00.000Z',
      },
    })
    expect(places(on.sessions.listSessions(undefined, on.eva.userId))).toEqual([
      [message('users.this-pc'), false],
    ])
    expect(places(on.sessions.listSessions(token, on.ben.userId))).toHaveLength(2)
    on.sessions.lockSession(token)
    expect(on.sessions.listSessions(token, on.eva.userId)[0]?.isLocked).toBe(true)
    on.clock.pass(10 * MINUTE)
    // Nobody has looked at these since.
    expect(on.sessions.listSessions(token, on.ben.userId).map(({ isLocked }) => isLocked)).toEqual([
      true,
      true,
    ])
    on.clock.pass(12 * 60 * MINUTE)
    expect(on.sessions.listSessions(token, undefined)).toEqual([])
  })

  it('are ended by their id, by their user or by who manages the gateway, once', () => {
    using on = desk()
    const begin = () =>
      on.sessions.runningSession(on.sessions.beginSession(on.eva, 'password').token)?.sessionId ??
      ''
    const [one, two] = [begin(), begin()]
    const ended = { code: 'not-found', message: 'This session has already ended.' }
    expect(refusal(() => on.sessions.endSession(one, on.ben.userId, 'command-line'))).toMatchObject(
      ended,
    )
    on.sessions.endSession(one, on.eva.userId, `user:${on.eva.userId}`)
    expect(on.newest()).toMatchObject({
      ...{
        actor: `user:${on.eva.userId}`,
        action: 'session.end',
        target: on.eva.userId,
        detail: { sessionId: one },
      },
    })
    expect(refusal(() => on.sessions.endSession(one, on.eva.userId, 'command-line'))).toMatchObject(
      ended,
    )
    on.sessions.endSession(two, undefined, 'command-line')
    expect([one, two].map((sessionId) => on.sessions.runningSessionById(sessionId))).toEqual([
      undefined,
      undefined,
    ])
  })
})

describe('a session', () => {
  it('is locked after 10 minutes without use, and goes on', async () => {
    using temp = clinic()
    const { token } = await temp.owned()
    for (let i = 0; i < 4; i++) {
      temp.clock.pass(10 * MINUTE - 1)
      expect(temp.people.sessionUser(token)?.email).toBe(OWNER.email)
    }
    temp.clock.pass(10 * MINUTE)
    expect(temp.people.sessionUser(token)).toBeUndefined()
    expect(temp.people.runningSession(token)).toMatchObject({
      isLocked: true,
      user: { email: OWNER.email },
    })
    temp.people.unlockSession(token)
    expect(temp.people.sessionUser(token)?.email).toBe(OWNER.email)
  })

  it('ends after 12 hours however much it is used', async () => {
    using temp = clinic()
    const { token } = await temp.owned()
    for (let i = 0; i < 12 * 12 - 1; i++) {
      temp.clock.pass(5 * MINUTE)
      expect(temp.people.sessionUser(token)).toBeDefined()
    }
    temp.clock.pass(5 * MINUTE)
    expect(temp.people.runningSession(token)).toBeUndefined()
  })

  it('goes on while the disk takes no writes: its use, its lock and its end count in memory until they can be written', async () => {
    using temp = clinic()
    const { token } = await temp.owned()
    const full = vi.spyOn(temp.store.database, 'run').mockImplementation(() => {
      throw Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' })
    })
    for (let use = 0; use < 6; use++) {
      temp.clock.pass(5 * MINUTE)
      expect(temp.people.runningSession(token)).toMatchObject({ isLocked: false })
    }
    temp.people.lockSession(token)
    expect(temp.people.runningSession(token)).toMatchObject({ isLocked: true })
    full.mockRestore()
    expect(temp.people.runningSession(token)).toMatchObject({ isLocked: true })
    expect(temp.trail()[0]).toContain('session.lock')
    expect(sessionState(temp.store.database).unwritten.size).toBe(0)
    temp.people.unlockSession(token)
    expect(temp.people.runningSession(token)).toMatchObject({ isLocked: false })

    vi.spyOn(temp.store.database, 'run').mockImplementation(() => {
      throw Object.assign(new Error('disk I/O error'), { code: 'SQLITE_IOERR_WRITE' })
    })
    temp.clock.pass(12 * 60 * MINUTE)
    expect(temp.people.runningSession(token)).toBe(undefined)
    temp.clock.pass(-11 * 60 * MINUTE)
    expect(temp.people.runningSession(token)).toBe(undefined)
  })

  it('that has ended does not come back where the clock is set back', async () => {
    using temp = clinic()
    const { token } = await temp.owned()
    temp.clock.pass(12 * 60 * MINUTE)
    expect(temp.people.runningSession(token)).toBeUndefined()
    temp.clock.pass(-11 * 60 * MINUTE)
    expect(temp.people.runningSession(token)).toBeUndefined()
  })

  it('is locked 10 minutes after its last use also where the clock was set back before', async () => {
    using temp = clinic()
    temp.clock.pass(60 * MINUTE)
    const { token } = await temp.owned()
    temp.clock.pass(-30 * MINUTE)
    expect(temp.people.sessionUser(token)).toBeDefined()
    temp.clock.pass(10 * MINUTE)
    expect(temp.people.sessionUser(token)).toBeUndefined()
  })

  it('ends at signing out, once', async () => {
    using temp = clinic()
    const { token, user } = await temp.owned()
    temp.people.signOut(token)
    temp.people.signOut(token)
    expect(temp.people.sessionUser(token)).toBeUndefined()
    expect(temp.people.sessionUser('no such token')).toBeUndefined()
    expect(temp.trail().filter((line) => line.includes('sign-out'))).toEqual([
      `user:${user.userId} user.sign-out ${user.userId}`,
    ])
  })

  it('takes the images that were opened from the window along, and those of nobody else', async () => {
    using temp = clinic()
    const { database } = temp.store
    const { token, user } = await temp.owned()
    const other = newUser(temp.store).userId
    const [mine, theirs] = [viewRecord(user.userId), viewRecord(other)]
    const linked = viewRecord(user.userId, {
      ...ephemeralView(newKey(temp.store).apiKeyId),
      userId: user.userId,
    })
    for (const view of [mine, theirs, linked]) insertView(database, view)
    temp.people.signOut(token)
    expect(
      [mine, theirs, linked].map(({ viewId }) => findView(database, viewId) !== undefined),
    ).toEqual([false, true, true])
    await temp.people.setPassword(other, 'another ten', 'command-line')
    expect(findView(database, theirs.viewId)).toBeUndefined()
  })

  it('is not in the database by its token', async () => {
    using temp = clinic()
    const { token } = await temp.owned()
    expect(findSession(temp.store.database, token)).toBeUndefined()
    expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/)
  })
})

describe('a sign-in link', () => {
  it('signs its user in once', async () => {
    using temp = clinic()
    const { user } = await temp.owned()
    const { token } = temp.people.createSignInLink(user.userId, 'command-line')
    const followed = temp.people.followLink(token)
    expect(
      followed.mayCreateOwner ? undefined : temp.people.sessionUser(followed.signIn.token)?.userId,
    ).toBe(user.userId)
    expect(() => temp.people.followLink(token)).toThrow('This link has been used')
    expect(await codeOf(temp.people.createOwner({ ...OWNER, token, clinicName: '' }))).toBe(
      'refused',
    )
  })

  it('expires after 15 minutes', async () => {
    using temp = clinic()
    const { user } = await temp.owned()
    const { token } = temp.people.createSignInLink(user.userId, 'command-line')
    temp.clock.pass(15 * MINUTE)
    expect(() => temp.people.followLink(token)).toThrow('has expired')
    expect(() => temp.people.createSignInLink('usr_nobody', 'command-line')).toThrow('no such user')
  })
})
