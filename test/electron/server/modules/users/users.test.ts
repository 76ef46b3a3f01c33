import { describe, expect, it } from 'vitest'
import type { Caller } from '#server/modules/users/caller.ts'
import { findUser, insertUser, type PersonFields } from '#server/modules/users/queries.ts'
import { scribeUserReply, userReference, viewerUserReply } from '#server/modules/users/replies.ts'
import { checkPerson, isPending, type PersonPatch } from '#server/modules/users/users.ts'
import { findView, insertView } from '#server/modules/viewer/queries.ts'
import { ScribeUser, ViewerUser } from '#shared/contract/users.ts'
import type { ApiError } from '#shared/errors.ts'
import { newKey } from '../../../../support/callers.ts'
import { ephemeralView, viewRecord } from '../../../../support/view-record.ts'
import { peopleFixture, person } from './people-fixture.ts'

const MINUTE = 60_000
const NOBODY = 'usr_00000000000000000000000000000001'

describe('a user record', () => {
  it('has what is optional only where it is there', () => {
    using temp = peopleFixture()
    const { user } = temp.invitations.invite(temp.key, person())
    expect(ViewerUser.parse(viewerUserReply(user))).toEqual({
      userId: user.userId,
      email: 'Maja@partner.example',
      firstName: 'Maja',
      lastName: 'Novák',
      clinicRole: 'Imaging Technologist',
      level: 'member',
      canManageStudies: true,
      hasDashboardAccess: true,
      invitedSource: 'api',
      lastLoginAt: null,
      createdAt: '2026-03-10T09:00:00.000Z',
    })
    const changed = temp.users.updateUser(temp.key, user.userId, {
      ...{
        canCreateReports: true,
        npiNumber: '1234567893',
        suffix1: 'MD',
        phoneNumber: '5551234567',
      },
    })
    expect(ScribeUser.parse(scribeUserReply(changed))).toMatchObject({
      canCreateReports: true,
      npiNumber: '1234567893',
      phoneNumber: '5551234567',
    })
    expect(userReference(changed)).toEqual({
      ...{
        userId: user.userId,
        email: 'Maja@partner.example',
        firstName: 'Maja',
        lastName: 'Novák',
        suffix1: 'MD',
      },
    })
  })
})

describe('updating a user', () => {
  it('keeps what is absent, clears what is null, and says what changed', () => {
    using temp = peopleFixture()
    const { user } = temp.invitations.invite(temp.key, person({ middleName: 'B.', suffix1: 'MD' }))
    temp.clock.pass(MINUTE)
    const changed = temp.users.updateUser(temp.key, user.userId, {
      firstName: 'Marija',
      middleName: null,
      lastName: undefined,
    })
    expect(changed).toEqual({
      ...user,
      firstName: 'Marija',
      middleName: null,
      updatedAt: '2026-03-10T09:01:00.000Z',
    })
    expect(temp.users.readUser(temp.key, user.userId)).toEqual(changed)
    expect(temp.store.audit.list({ limit: 1 }).items[0]).toMatchObject({
      actor: `api-key:${temp.apiKeyId}`,
      action: 'user.update',
      target: user.userId,
      detail: {
        firstName: { before: 'Maja', after: 'Marija' },
        middleName: { before: 'B.', after: null },
      },
    })
  })

  it('with nothing new changes nothing', () => {
    using temp = peopleFixture()
    const { user } = temp.invitations.invite(temp.key, person())
    const before = temp.trail().length
    temp.clock.pass(MINUTE)
    expect(temp.users.updateUser(temp.key, user.userId, { firstName: 'Maja' })).toEqual(user)
    expect(temp.users.updateUser(temp.key, user.userId, {})).toEqual(user)
    expect(temp.trail()).toHaveLength(before)
  })

  it('refuses an administrator without access to the window, on the merged result', () => {
    using temp = peopleFixture()
    const { user } = temp.invitations.invite(temp.key, person({ hasDashboardAccess: false }))
    const update = (patch: object) => () => temp.users.updateUser(temp.key, user.userId, patch)
    expect(update({ level: 'admin' })).toThrow(
      expect.objectContaining({
        code: 'refused',
        errors: [expect.objectContaining({ path: 'body.hasDashboardAccess' })],
      }),
    )
    expect(update({ level: 'admin', hasDashboardAccess: true })()).toMatchObject({
      interfaceLevel: 'admin',
      level: 'member',
      hasDashboardAccess: true,
    })
    expect(update({ hasDashboardAccess: false })).toThrow(
      'hasDashboardAccess must be true for the level admin',
    )
    expect(update({ level: 'member', hasDashboardAccess: false })()).toMatchObject({
      interfaceLevel: 'member',
      level: 'member',
      hasDashboardAccess: false,
    })
  })

  it('takes the window from a member whom a key made administrator of the interface', async () => {
    using temp = peopleFixture()
    const [owner, member] = [await temp.at('owner'), await temp.at('member')]
    temp.users.updateUser(temp.key, member.userId, { level: 'admin' })
    // The form of the window sends the level whether it was changed or not.
    const patch = { hasDashboardAccess: false, level: 'member' } as const
    expect(temp.users.updateUser(owner.caller, member.userId, patch)).toMatchObject({
      ...{ level: 'member', interfaceLevel: 'member', hasDashboardAccess: false },
    })
    const admin = await temp.at('admin')
    expect(() =>
      temp.users.updateUser(owner.caller, admin.userId, { hasDashboardAccess: false }),
    ).toThrow('hasDashboardAccess must be true for the level admin')
  })

  it('leaves the pending invitation at the level of the interface that its user has', async () => {
    using temp = peopleFixture()
    const owner = await temp.at('owner')
    const { user, invitation } = temp.invitations.invite(temp.key, person())
    temp.users.updateUser(temp.key, user.userId, { level: 'admin' })
    const levels = () => [
      temp.users.readUser(temp.key, user.userId).interfaceLevel,
      temp.invitations.readInvitation(temp.key, invitation.invitationId).level,
    ]
    const patch = { firstName: 'Ola', level: 'member' } as const
    temp.users.updateUser(owner.caller, user.userId, patch)
    expect(levels()).toEqual(['admin', 'admin'])
    temp.invitations.updateInvitation(owner.caller, invitation.invitationId, {
      ...patch,
      firstName: 'Ada',
    })
    expect(levels()).toEqual(['admin', 'admin'])
    temp.users.updateUser(owner.caller, user.userId, { ...patch, hasDashboardAccess: false })
    expect(levels()).toEqual(['member', 'member'])
  })

  it('asks for an NPI when report creation is switched on, and keeps it while it is', () => {
    using temp = peopleFixture()
    const { user } = temp.invitations.invite(temp.key, person())
    const update = (patch: object) => () => temp.users.updateUser(temp.key, user.userId, patch)
    expect(update({ canCreateReports: true })).toThrow('npiNumber must be given')
    expect(update({ canCreateReports: true, npiNumber: '1234567893' })()).toMatchObject({
      canCreateReports: true,
    })
    expect(update({ npiNumber: null })).toThrow('npiNumber must be given')
    expect(update({ canCreateReports: false, npiNumber: null })()).toMatchObject({
      canCreateReports: false,
      npiNumber: null,
    })
  })

  it('lets only an owner change an owner, and nobody through a key', async () => {
    using temp = peopleFixture()
    const [owner, other, admin] = [
      await temp.at('owner'),
      await temp.at('owner'),
      await temp.at('admin'),
    ]
    const rename = (caller: Caller) => () =>
      temp.users.updateUser(caller, owner.userId, { firstName: 'Ola' })
    expect(rename(temp.key)).toThrow(expect.objectContaining({ code: 'refused' }))
    expect(rename(admin.caller)).toThrow(expect.objectContaining({ code: 'not-permitted' }))
    expect(rename(other.caller)()).toMatchObject({ firstName: 'Ola' })
    expect(() => temp.users.updateUser(admin.caller, admin.userId, { level: 'owner' })).toThrow(
      expect.objectContaining({ code: 'not-permitted' }),
    )
    expect(temp.users.updateUser(owner.caller, admin.userId, { level: 'owner' })).toMatchObject({
      level: 'owner',
    })
  })

  it('through a key is of the interface’s level alone: it gives no right in the gateway and takes none', async () => {
    using temp = peopleFixture()
    const [owner, admin, member] = [
      await temp.at('owner'),
      await temp.at('admin'),
      await temp.at('member'),
    ]
    const update = (caller: Caller, userId: string, patch: object) =>
      temp.users.updateUser(caller, userId, patch)
    expect(update(temp.key, member.userId, { level: 'admin' })).toMatchObject({
      level: 'member',
      interfaceLevel: 'admin',
    })
    expect(update(temp.key, admin.userId, { level: 'member' })).toMatchObject({
      level: 'admin',
      interfaceLevel: 'member',
    })
    expect(() => update(temp.key, admin.userId, { hasDashboardAccess: false })).toThrow(
      'must be true for the level admin',
    )
    for (const ask of ['revokeAccess', 'reactivateUser'] as const)
      expect(() => temp.users[ask](temp.key, admin.userId)).toThrow(
        expect.objectContaining({ code: 'refused' }),
      )
    // The form of the window sends the level whether it was changed or not.
    expect(
      update(owner.caller, member.userId, { firstName: 'Ola', level: 'member' }),
    ).toMatchObject({ interfaceLevel: 'admin' })
    expect(update(owner.caller, member.userId, { level: 'admin' })).toMatchObject({
      level: 'admin',
      interfaceLevel: 'admin',
    })
  })

  it('takes a key that may manage people', () => {
    using temp = peopleFixture()
    const key: Caller = {
      kind: 'api-key',
      apiKeyId: temp.apiKeyId,
      scope: 'all',
      isViewerEnabled: true,
    }
    const { user } = temp.invitations.invite(temp.key, person())
    const refusal = expect.objectContaining({ code: 'not-permitted' })
    expect(() => temp.users.updateUser(key, user.userId, { firstName: 'Ola' })).toThrow(refusal)
    expect(() => temp.invitations.invite(key, person())).toThrow(refusal)
    expect(temp.users.readUser(key, user.userId)).toEqual(user)
  })

  it('keeps one owner', async () => {
    using temp = peopleFixture()
    const owner = await temp.at('owner')
    const demoteTo = (level: 'admin' | 'member') => () =>
      temp.users.updateUser(owner.caller, owner.userId, { level })
    expect(demoteTo('admin')).toThrow('The last owner must remain an owner')
    expect(demoteTo('member')).toThrow('The last owner must remain an owner')
    expect(temp.users.revokeAccess(owner.caller, owner.userId)).toMatchObject({ success: false })
    expect(findUser(temp.store.database, owner.userId)?.deactivatedAt).toBeNull()
    await temp.at('owner')
    expect(demoteTo('admin')()).toMatchObject({ level: 'admin' })
  })

  it('counts only owners with access, and names the field that must stay', async () => {
    using temp = peopleFixture()
    const [owner, other] = [await temp.at('owner'), await temp.at('owner')]
    temp.users.revokeAccess(owner.caller, other.userId)
    const refusal = {
      ...{
        code: 'refused',
        message: 'The last owner must remain an owner: make another user an owner first.',
      },
      errors: [{ path: 'body.level', message: 'must remain owner: there is no other owner' }],
    }
    expect(() => temp.users.updateUser(owner.caller, owner.userId, { level: 'admin' })).toThrow(
      expect.objectContaining(refusal),
    )
    expect(temp.users.revokeAccess(owner.caller, owner.userId)).toEqual({
      ...{
        success: false,
        message:
          'The access of the last owner cannot be revoked: make another user an owner first.',
      },
    })
    expect(temp.users.updateUser(owner.caller, other.userId, { level: 'admin' })).toMatchObject({
      level: 'admin',
    })
  })

  it('names every field that is at fault', () => {
    const faultOf = (more: object, given: PersonPatch = {}) => {
      try {
        checkPerson({ ...person(), ...more } as PersonFields, given)
      } catch (error) {
        return [(error as ApiError).code, (error as ApiError).message, (error as ApiError).errors]
      }
      return 'none'
    }
    const window = { path: 'body.hasDashboardAccess', message: 'must be true for the level owner' }
    const npi = {
      path: 'body.npiNumber',
      message: 'must be given for a user who can create reports',
    }
    const wrong = {
      level: 'owner',
      hasDashboardAccess: false,
      canCreateReports: true,
      npiNumber: null,
    }
    expect(faultOf(wrong, { canCreateReports: true })).toEqual([
      ...['refused', `hasDashboardAccess ${window.message}; npiNumber ${npi.message}`],
      [window, npi],
    ])
    // An account that was made before NPIs were asked for, and whose report creation is not
    // touched.
    expect(faultOf({ canCreateReports: true, npiNumber: null }, { firstName: 'Ola' })).toBe('none')
    expect(
      faultOf({ canCreateReports: true, npiNumber: '1234567893' }, { canCreateReports: true }),
    ).toBe('none')
  })

  it('ends the sessions of a user who may no longer use the window', async () => {
    using temp = peopleFixture()
    const [owner, member] = [await temp.at('owner'), await temp.at('member')]
    const { token } = await temp.people.signIn(member.email, 'a long and quiet evening')
    const { database } = temp.store
    const [window, linked] = [
      viewRecord(member.userId),
      viewRecord(member.userId, {
        ...ephemeralView(newKey(temp.store).apiKeyId),
        userId: member.userId,
      }),
    ]
    for (const view of [window, linked]) insertView(database, view)
    temp.users.updateUser(owner.caller, member.userId, { firstName: 'Ola' })
    expect(temp.people.sessionUser(token)).toBeDefined()
    temp.users.updateUser(owner.caller, member.userId, { hasDashboardAccess: false })
    expect([findView(database, window.viewId), findView(database, linked.viewId)]).toEqual([
      undefined,
      linked,
    ])
    expect(temp.people.listSessions(undefined, member.userId)).toEqual([])
    temp.users.updateUser(owner.caller, member.userId, { hasDashboardAccess: true })
    expect(temp.people.sessionUser(token)).toBeUndefined()
  })

  it('is for owners, administrators and keys; others read', async () => {
    using temp = peopleFixture()
    const member = await temp.at('member', { canManageStudies: true })
    const { user } = temp.invitations.invite(temp.key, person())
    const denied = expect.objectContaining({ code: 'not-permitted' })
    expect(() => temp.users.updateUser(member.caller, user.userId, { firstName: 'X' })).toThrow(
      denied,
    )
    expect(() => temp.users.revokeAccess(member.caller, user.userId)).toThrow(denied)
    expect(() => temp.users.reactivateUser(member.caller, user.userId)).toThrow(denied)
    expect(() =>
      temp.invitations.invite(member.caller, person({ email: 'b@partner.example' })),
    ).toThrow(denied)
    expect(temp.users.readUser(member.caller, user.userId)).toEqual(user)
    const outside = await temp.at('member', { hasDashboardAccess: false })
    expect(() => temp.users.readUser(outside.caller, user.userId)).toThrow(denied)
    expect(() => temp.users.listUsers(outside.caller, {}, { limit: 10 })).toThrow(denied)
  })

  it('finds no user that is not there', () => {
    using temp = peopleFixture()
    const missing = expect.objectContaining({ code: 'not-found' })
    expect(() => temp.users.readUser(temp.key, NOBODY)).toThrow(missing)
    expect(() => temp.users.updateUser(temp.key, NOBODY, {})).toThrow(missing)
    expect(() => temp.users.revokeAccess(temp.key, NOBODY)).toThrow(missing)
    expect(() => temp.users.reactivateUser(temp.key, NOBODY)).toThrow(missing)
  })
})

describe('access', () => {
  it('is taken at once, with sessions and links, and given back with the former permissions', async () => {
    using temp = peopleFixture()
    const [owner, member] = [
      await temp.at('owner'),
      await temp.at('member', { canManageStudies: true }),
    ]
    const { token } = await temp.people.signIn(member.email, 'a long and quiet evening')
    const link = temp.people.createSignInLink(member.userId, 'command-line')
    const before = findUser(temp.store.database, member.userId)

    const { database } = temp.store
    const view = viewRecord(member.userId)
    insertView(database, view)
    const revoke = () => temp.users.revokeAccess(owner.caller, member.userId)
    expect(revoke()).toEqual({ success: true, message: 'The user no longer has access.' })
    expect(findView(database, view.viewId)).toBeUndefined()
    expect(temp.people.sessionUser(token)).toBeUndefined()
    expect(() => temp.people.followLink(link.token)).toThrow(
      'This link has been used or has expired',
    )
    await expect(
      temp.people.signIn(member.email, 'a long and quiet evening'),
    ).rejects.toMatchObject({ code: 'not-signed-in' })
    expect(revoke()).toEqual({ success: true, message: 'The user already had no access.' })

    const reactivate = () => temp.users.reactivateUser(owner.caller, member.userId)
    expect(reactivate()).toEqual({ success: true, message: 'The user has access again.' })
    expect(reactivate()).toEqual({ success: false, message: 'The user already has access.' })
    expect(temp.people.sessionUser(token)).toBeUndefined()
    expect(() => temp.people.followLink(link.token)).toThrow(
      'This link has been used or has expired',
    )
    expect(
      (await temp.people.signIn(member.email, 'a long and quiet evening')).user.canManageStudies,
    ).toBe(true)
    expect(findUser(temp.store.database, member.userId)).toMatchObject({
      canManageStudies: true,
      createdAt: before?.createdAt,
      deactivatedAt: null,
    })
    expect(temp.trail().filter((line) => /revoke-access|reactivate/.test(line))).toEqual([
      `user:${owner.userId} user.reactivate ${member.userId}`,
      `user:${owner.userId} user.revoke-access ${member.userId}`,
    ])
  })

  it('is not given back when the address is another user’s by now', async () => {
    using temp = peopleFixture()
    const { user } = temp.invitations.invite(temp.key, person())
    temp.invitations.revokeInvitation(temp.key, { userId: user.userId })
    temp.invitations.invite(temp.key, person())
    expect(temp.users.reactivateUser(temp.key, user.userId)).toMatchObject({ success: false })
    const member = await temp.at('member')
    const owner = await temp.at('owner')
    temp.users.revokeAccess(owner.caller, member.userId)
    temp.invitations.invite(temp.key, person({ email: member.email }))
    expect(temp.users.reactivateUser(owner.caller, member.userId)).toEqual({
      ...{ success: false, message: 'Another user now has this e-mail address.' },
    })
  })

  it('is not given to somebody who never accepted, once the invitation is over', () => {
    using temp = peopleFixture()
    const { user } = temp.invitations.invite(temp.key, person())
    temp.users.revokeAccess(temp.key, user.userId)
    expect(temp.users.reactivateUser(temp.key, user.userId)).toMatchObject({ success: true })
    temp.invitations.revokeInvitation(temp.key, { userId: user.userId })
    expect(temp.users.reactivateUser(temp.key, user.userId)).toEqual({
      ...{
        success: false,
        message:
          'The user never accepted the invitation, which is no longer valid: invite the person again.',
      },
    })
  })

  it('waits for an invitation until it expires', () => {
    const expiry = '2026-03-10T09:00:00.000Z'
    expect(isPending({ status: 'sent', expiry }, '2026-03-10T08:59:59.999Z')).toBe(true)
    expect(isPending({ status: 'sent', expiry }, expiry)).toBe(false)
    expect(isPending({ status: 'sent', expiry: null }, expiry)).toBe(true)
    expect(isPending({ status: 'accepted', expiry: null }, expiry)).toBe(false)
  })
})

describe('the list of users', () => {
  it('goes on after any row, newest first, also where times are equal', () => {
    using temp = peopleFixture()
    const made = Array.from({ length: 7 }, (_, index) => {
      if (index % 3 === 0) temp.clock.pass(1)
      return temp.invitations.invite(temp.key, person({ email: `p${index}@partner.example` })).user
    })
    const seen: string[] = []
    let next = temp.users.listUsers(temp.key, {}, { limit: 2 })
    for (;;) {
      seen.push(...next.items.map(({ userId }) => userId))
      if (!next.next) break
      next = temp.users.listUsers(temp.key, {}, { limit: 2, after: next.next })
    }
    const order = made.toSorted(
      (a, b) => b.createdAt.localeCompare(a.createdAt) || b.userId.localeCompare(a.userId),
    )
    expect(seen).toEqual(order.map(({ userId }) => userId))
  })

  it('filters by whole e-mail, parts of names, level, source and reporting', () => {
    using temp = peopleFixture()
    const add = (more: Parameters<typeof person>[0]) =>
      temp.invitations.invite(temp.key, person(more)).user.userId
    const a = add({
      email: 'Zan@partner.example',
      firstName: 'Żaneta',
      lastName: 'O’Neil',
      level: 'admin',
    })
    temp.clock.pass(1)
    const b = add({
      email: 'bo@partner.example',
      firstName: 'Bo',
      lastName: '100%_a',
      canCreateReports: true,
      npiNumber: '1234567893',
    })
    const found = (filters: Parameters<typeof temp.users.listUsers>[1]) =>
      temp.users.listUsers(temp.key, filters, { limit: 10 }).items.map(({ userId }) => userId)
    expect(found({})).toEqual([b, a])
    expect(found({ email: ' ZAN@partner.EXAMPLE' })).toEqual([a])
    expect(found({ email: 'an@partner.example' })).toEqual([])
    expect(found({ firstName: 'ZANE' })).toEqual([a])
    expect(found({ lastName: '%_' })).toEqual([b])
    expect(found({ lastName: '_' })).toEqual([b])
    expect(found({ firstName: 'a', lastName: 'neil' })).toEqual([a])
    expect(found({ level: 'admin' })).toEqual([a])
    expect(found({ canCreateReports: true })).toEqual([b])
    expect(found({ canCreateReports: false, invitedSource: 'api' })).toEqual([a])
    expect(found({ invitedSource: 'dashboard' })).toEqual([])
  })

  it('finds the few among many', () => {
    using temp = peopleFixture()
    const template = temp.invitations.invite(temp.key, person({ firstName: 'Zoë' })).user
    temp.store.database.transaction(() => {
      for (let i = 0; i < 1200; i++) {
        const id = String(i).padStart(4, '0')
        const createdAt = new Date(temp.clock() + i + 1).toISOString()
        insertUser(temp.store.database, {
          ...template,
          userId: `usr_${id}` as never,
          email: `${id}@x.example`,
          firstName: 'Bo',
          createdAt,
        })
      }
    })
    const part = temp.users.listUsers(temp.key, { firstName: 'zoe' }, { limit: 1 })
    expect(part).toEqual({ items: [template], next: undefined })
    expect(temp.users.listUsers(temp.key, { firstName: 'b' }, { limit: 100 }).items).toHaveLength(
      100,
    )
  })
})
