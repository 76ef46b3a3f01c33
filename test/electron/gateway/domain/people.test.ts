import { describe, expect, it, vi } from 'vitest'
import { openPeople } from '#gateway/domain/people.ts'
import type { ApiError } from '#shared/errors.ts'
import { newKey, newUser } from '../../../support/callers.ts'
import { tempStore } from '../../../support/temp-store.ts'
import { ephemeralView, viewRecord } from '../../../support/view-record.ts'

const MINUTE = 60_000
const OWNER = {
  email: 'eva@clinic.example',
  firstName: 'Eva',
  lastName: 'Kern',
  clinicRole: 'Radiologist',
  password: 'ten letters',
} as const

/** scrypt at 1/1024 of its cost: what is tested is not the time. */
const passwordCost = { logN: 7, r: 8, p: 1 }

function clinic() {
  const temp = tempStore()
  const people = openPeople({ ...temp, passwordCost })
  return Object.assign(temp, {
    people,
    trail: () => temp.store.audit.list({ limit: 100 }).items.map(({ actor, action, target }) => `${actor} ${action} ${target}`),
    /** With its owner, who is signed in. */
    owned: async () => people.createOwner({ ...OWNER, token: people.mintSetupLink('command-line').token, clinicName: 'Praxis Kern' }),
  })
}

const codeOf = async (work: Promise<unknown>) =>
  work.then(
    () => 'none',
    (error: ApiError) => `${error.code}${error.headers['retry-after'] === undefined ? '' : ` ${error.headers['retry-after']}`}`,
  )

describe('the first start', () => {
  it('makes one owner with a one-time link and signs them in', async () => {
    using temp = clinic()
    expect(temp.people.hasUser()).toBe(false)
    const { token } = temp.people.mintSetupLink('command-line')
    expect(temp.people.followLink(token)).toEqual({ mayCreateOwner: true })
    expect(temp.people.followLink(token)).toEqual({ mayCreateOwner: true })
    const signIn = await temp.people.createOwner({ ...OWNER, token, clinicName: 'Praxis Kern' })
    expect(signIn.user).toMatchObject({ email: 'eva@clinic.example', level: 'owner', canManageStudies: true, canCreateReports: true })
    expect(signIn.user).not.toHaveProperty('passwordHash')
    expect(temp.people.sessionOf(signIn.token)).toEqual(signIn.user)
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
    const links = [temp.people.mintSetupLink('gateway'), temp.people.mintSetupLink('gateway')]
    const [one, two] = links.map(({ token }) => token)
    const both = await Promise.all([
      codeOf(temp.people.createOwner({ ...OWNER, token: one ?? '', clinicName: '' })),
      codeOf(temp.people.createOwner({ ...OWNER, email: 'other@clinic.example', token: two ?? '', clinicName: '' })),
    ])
    expect(both.sort()).toEqual(['none', 'refused'])
    expect(temp.people.list()).toHaveLength(1)
    for (const { token } of links) expect(() => temp.people.followLink(token)).toThrow('This link has been used or has expired')
    expect(() => temp.people.mintSetupLink('gateway')).toThrow('There is an account already')
  })

  it('takes no link that expired, was never made, or is of another kind', async () => {
    using temp = clinic()
    const { token, expiresAt } = temp.people.mintSetupLink('gateway')
    expect(expiresAt).toBe('2026-03-10T09:15:00.000Z')
    temp.clock.pass(15 * MINUTE)
    expect(await codeOf(temp.people.createOwner({ ...OWNER, token, clinicName: '' }))).toBe('refused')
    expect(await codeOf(temp.people.createOwner({ ...OWNER, token: 'x'.repeat(43), clinicName: '' }))).toBe('refused')
    expect(temp.people.hasUser()).toBe(false)
  })
})

describe('accounts', () => {
  it('are made at any level, each e-mail once', async () => {
    using temp = clinic()
    const made = await temp.people.createUser({ ...OWNER, clinicRole: 'Imaging Technologist', level: 'member' }, 'command-line')
    expect(made).toMatchObject({ level: 'member', canManageStudies: false, canCreateReports: false, hasDashboardAccess: true })
    const twin = temp.people.createUser({ ...OWNER, email: 'EVA@clinic.example', level: 'admin' }, 'command-line')
    await expect(twin).rejects.toMatchObject({ code: 'refused', errors: [{ path: 'body.email' }] })
    expect(temp.people.list()).toHaveLength(1)
    expect(temp.trail()).toEqual([`command-line user.create ${made.userId}`])
  })

  it('get another password, which ends their sessions and their wait', async () => {
    using temp = clinic()
    const { token, user } = await temp.owned()
    for (let i = 0; i < 5; i++) await codeOf(temp.people.signIn(OWNER.email, 'wrong'))
    await temp.people.setPassword(user.userId, 'another ten', 'command-line')
    expect(temp.people.sessionOf(token)).toBeUndefined()
    expect(await codeOf(temp.people.signIn(OWNER.email, OWNER.password))).toBe('not-signed-in')
    expect(await codeOf(temp.people.signIn(OWNER.email, 'another ten'))).toBe('none')
    await expect(temp.people.setPassword('usr_nobody', 'another ten', 'command-line')).rejects.toMatchObject({ code: 'not-found' })
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
    expect(await codeOf(temp.people.signIn(OWNER.email, `${OWNER.password} `))).toBe('not-signed-in')
    expect(await codeOf(temp.people.signIn('nobody@clinic.example', OWNER.password))).toBe('not-signed-in')
    expect(await codeOf(temp.people.signIn(OWNER.email, ''))).toBe('not-signed-in')
    expect(temp.trail()[0]).toBe(`user:${user.userId} user.sign-in-failed ${user.userId}`)
  })

  it('is refused without access to the window, though the password is right', async () => {
    using temp = clinic()
    const { user, token } = await temp.owned()
    const record = temp.store.users.get(user.userId)
    if (record) temp.store.users.update({ ...record, hasDashboardAccess: false })
    expect(await codeOf(temp.people.signIn(OWNER.email, OWNER.password))).toBe('not-permitted')
    expect(temp.people.sessionOf(token)).toBeUndefined()
  })

  it('has to wait after four wrong passwords, twice as long after each', async () => {
    using temp = clinic()
    await temp.owned()
    const wrong = () => codeOf(temp.people.signIn(OWNER.email, 'wrong'))
    expect([await wrong(), await wrong(), await wrong(), await wrong(), await wrong()]).toEqual(Array(5).fill('not-signed-in'))
    expect(await wrong()).toBe('too-many 2')
    expect(await codeOf(temp.people.signIn(OWNER.email, OWNER.password))).toBe('too-many 2')
    const waits: string[] = []
    for (const wait of [2000, 4000, 8000, 16_000]) {
      temp.clock.pass(wait)
      waits.push(await wrong(), await wrong())
    }
    expect(waits.filter((_, index) => index % 2 === 1)).toEqual(['too-many 4', 'too-many 8', 'too-many 16', 'too-many 32'])
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
    const guess = (email: string) => Promise.all(Array.from({ length: 10 }, () => codeOf(temp.people.signIn(email, 'wrong'))))
    for (const email of [OWNER.email, 'nobody@clinic.example']) {
      const answers = await guess(email)
      expect(answers.filter((answer) => answer === 'not-signed-in')).toHaveLength(5)
      expect(answers.filter((answer) => answer === 'too-many 2')).toHaveLength(5)
    }
  })
})

describe('a session', () => {
  it('is locked after 10 minutes without use, and goes on', async () => {
    using temp = clinic()
    const { token } = await temp.owned()
    for (let i = 0; i < 4; i++) {
      temp.clock.pass(10 * MINUTE - 1)
      expect(temp.people.sessionOf(token)?.email).toBe(OWNER.email)
    }
    temp.clock.pass(10 * MINUTE)
    expect(temp.people.sessionOf(token)).toBeUndefined()
    expect(temp.people.sessions.find(token)).toMatchObject({ isLocked: true, user: { email: OWNER.email } })
    temp.people.sessions.unlock(token)
    expect(temp.people.sessionOf(token)?.email).toBe(OWNER.email)
  })

  it('ends after 12 hours however much it is used', async () => {
    using temp = clinic()
    const { token } = await temp.owned()
    for (let i = 0; i < 12 * 12 - 1; i++) {
      temp.clock.pass(5 * MINUTE)
      expect(temp.people.sessionOf(token)).toBeDefined()
    }
    temp.clock.pass(5 * MINUTE)
    expect(temp.people.sessions.find(token)).toBeUndefined()
  })

  it('goes on while the disk takes no writes: its use, its lock and its end count in memory until they can be written', async () => {
    using temp = clinic()
    const { token } = await temp.owned()
    const full = vi.spyOn(temp.store.database, 'run').mockImplementation(() => {
      throw Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' })
    })
    for (let use = 0; use < 6; use++) {
      temp.clock.pass(5 * MINUTE)
      expect(temp.people.sessions.find(token)).toMatchObject({ isLocked: false })
    }
    temp.people.sessions.lock(token)
    expect(temp.people.sessions.find(token)).toMatchObject({ isLocked: true })
    full.mockRestore()
    expect(temp.people.sessions.find(token)).toMatchObject({ isLocked: true })
    expect(temp.trail()[0]).toContain('session.lock')
    expect(temp.store.sessions.unwritten.size).toBe(0)
    temp.people.sessions.unlock(token)
    expect(temp.people.sessions.find(token)).toMatchObject({ isLocked: false })

    vi.spyOn(temp.store.database, 'run').mockImplementation(() => {
      throw Object.assign(new Error('disk I/O error'), { code: 'SQLITE_IOERR_WRITE' })
    })
    temp.clock.pass(12 * 60 * MINUTE)
    expect(temp.people.sessions.find(token)).toBe(undefined)
    temp.clock.pass(-11 * 60 * MINUTE)
    expect(temp.people.sessions.find(token)).toBe(undefined)
  })

  it('that has ended does not come back where the clock is set back', async () => {
    using temp = clinic()
    const { token } = await temp.owned()
    temp.clock.pass(12 * 60 * MINUTE)
    expect(temp.people.sessions.find(token)).toBeUndefined()
    temp.clock.pass(-11 * 60 * MINUTE)
    expect(temp.people.sessions.find(token)).toBeUndefined()
  })

  it('is locked 10 minutes after its last use also where the clock was set back before', async () => {
    using temp = clinic()
    temp.clock.pass(60 * MINUTE)
    const { token } = await temp.owned()
    temp.clock.pass(-30 * MINUTE)
    expect(temp.people.sessionOf(token)).toBeDefined()
    temp.clock.pass(10 * MINUTE)
    expect(temp.people.sessionOf(token)).toBeUndefined()
  })

  it('ends at signing out, once', async () => {
    using temp = clinic()
    const { token, user } = await temp.owned()
    temp.people.signOut(token)
    temp.people.signOut(token)
    expect(temp.people.sessionOf(token)).toBeUndefined()
    expect(temp.people.sessionOf('no such token')).toBeUndefined()
    expect(temp.trail().filter((line) => line.includes('sign-out'))).toEqual([`user:${user.userId} user.sign-out ${user.userId}`])
  })

  it('takes the images that were opened from the window along, and those of nobody else', async () => {
    using temp = clinic()
    const { views } = temp.store
    const { token, user } = await temp.owned()
    const other = newUser(temp.store).userId
    const [mine, theirs] = [viewRecord(user.userId), viewRecord(other)]
    const linked = viewRecord(user.userId, { ...ephemeralView(newKey(temp.store).apiKeyId), userId: user.userId })
    for (const view of [mine, theirs, linked]) views.insert(view)
    temp.people.signOut(token)
    expect([mine, theirs, linked].map(({ viewId }) => views.get(viewId) !== undefined)).toEqual([false, true, true])
    await temp.people.setPassword(other, 'another ten', 'command-line')
    expect(views.get(theirs.viewId)).toBeUndefined()
  })

  it('is not in the database by its token', async () => {
    using temp = clinic()
    const { token } = await temp.owned()
    expect(temp.store.sessions.get(token)).toBeUndefined()
    expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/)
  })
})

describe('a sign-in link', () => {
  it('signs its user in once', async () => {
    using temp = clinic()
    const { user } = await temp.owned()
    const { token } = temp.people.mintSignInLink(user.userId, 'command-line')
    const followed = temp.people.followLink(token)
    expect(followed.mayCreateOwner ? undefined : temp.people.sessionOf(followed.signIn.token)?.userId).toBe(user.userId)
    expect(() => temp.people.followLink(token)).toThrow('This link has been used')
    expect(await codeOf(temp.people.createOwner({ ...OWNER, token, clinicName: '' }))).toBe('refused')
  })

  it('expires after 15 minutes', async () => {
    using temp = clinic()
    const { user } = await temp.owned()
    const { token } = temp.people.mintSignInLink(user.userId, 'command-line')
    temp.clock.pass(15 * MINUTE)
    expect(() => temp.people.followLink(token)).toThrow('has expired')
    expect(() => temp.people.mintSignInLink('usr_nobody', 'command-line')).toThrow('no such user')
  })
})
