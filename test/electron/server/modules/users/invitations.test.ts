import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { listDueOutboxJobs, nextOutboxDue } from '#server/jobs/outbox-queries.ts'
import { allUsers, findInvitation, findUser } from '#server/modules/users/queries.ts'
import { scribeInvitationReply, viewerInvitationReply } from '#server/modules/users/replies.ts'
import { INVITATION_MAIL } from '#shared/contract/mail.ts'
import { ScribeInvitation, ViewerInvitation } from '#shared/contract/users.ts'
import { RUNS_TIMEOUT_MS, runs } from '../../../../support/property-runs.ts'
import { PASSWORD, peopleFixture, person } from './people-fixture.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
const CLINIC = '8f4b1f0e-5a5e-4a39-9df5-3b1f4ad1c001'
const refused = expect.objectContaining({ code: 'refused' })

describe('inviting', () => {
  it('makes the user, readable at once but unable to sign in, and the invitation under the same user id', async () => {
    using temp = peopleFixture()
    const { user, invitation } = temp.invitations.invite(
      temp.key,
      person({ canCreateReports: true, npiNumber: '1234567893' }),
    )
    expect(temp.users.readUser(temp.key, user.userId)).toEqual(user)
    expect(ScribeInvitation.parse(scribeInvitationReply(invitation, CLINIC))).toEqual({
      invitationId: expect.stringMatching(/^inv_[0-9a-f]{32}$/),
      userId: user.userId,
      clinicId: CLINIC,
      email: 'Maja@partner.example',
      firstName: 'Maja',
      lastName: 'Novák',
      middleName: null,
      phoneNumber: null,
      suffix1: null,
      suffix2: null,
      npiNumber: '1234567893',
      clinicRole: 'Imaging Technologist',
      level: 'member',
      canCreateReports: true,
      canManageStudies: true,
      hasDashboardAccess: true,
      status: 'sent',
      invitedSource: 'api',
      inviterId: null,
      invitedByApiKeyId: temp.apiKeyId,
      expiry: '2026-04-09T09:00:00.000Z',
      createdAt: '2026-03-10T09:00:00.000Z',
      updatedAt: '2026-03-10T09:00:00.000Z',
    })
    const viewer = ViewerInvitation.parse(viewerInvitationReply(invitation, CLINIC))
    expect(viewer).not.toHaveProperty('npiNumber')
    expect(viewer).not.toHaveProperty('canCreateReports')
    expect(temp.people.hasUser()).toBe(false)
    await expect(temp.people.signIn(user.email, '')).rejects.toMatchObject({
      code: 'not-signed-in',
    })
    expect(() => temp.people.createSignInLink(user.userId, 'command-line')).toThrow(
      'has not accepted the invitation',
    )
    expect(temp.trail()).toContain(`api-key:${temp.apiKeyId} user.invite ${user.userId}`)
  })

  it('by a person of the clinic names the inviter and no key', async () => {
    using temp = peopleFixture()
    const admin = await temp.at('admin')
    const { user, invitation } = temp.invitations.invite(admin.caller, person())
    expect([user.invitedSource, invitation.inviterId, invitation.invitedByApiKeyId]).toEqual([
      'dashboard',
      admin.userId,
      null,
    ])
    expect(temp.invitations.inviterOf(invitation)).toEqual('Olga admin')
  })

  it('refuses an administrator without access to the window and a reporting user without an NPI, naming the fields', () => {
    using temp = peopleFixture()
    const wrong = person({ level: 'admin', hasDashboardAccess: false, canCreateReports: true })
    expect(() => temp.invitations.invite(temp.key, wrong)).toThrow(
      expect.objectContaining({
        code: 'refused',
        errors: [
          expect.objectContaining({ path: 'body.hasDashboardAccess' }),
          expect.objectContaining({ path: 'body.npiNumber' }),
        ],
      }),
    )
    expect(allUsers(temp.store.database)).toEqual([])
  })

  it('refuses an address that a user or a pending invitation has, in any case', async () => {
    using temp = peopleFixture()
    const member = await temp.at('member')
    temp.invitations.invite(temp.key, person())
    for (const email of ['MAJA@PARTNER.example', member.email.toUpperCase()])
      expect(() => temp.invitations.invite(temp.key, person({ email }))).toThrow(
        expect.objectContaining({
          code: 'refused',
          errors: [expect.objectContaining({ path: 'body.email' })],
        }),
      )
  })

  it.each(['revoked', 'rejected', 'expired'])(
    'takes the address again after the invitation was %s, as another user',
    (how) => {
      using temp = peopleFixture()
      const first = temp.invitations.invite(temp.key, person())
      if (how === 'revoked')
        temp.invitations.revokeInvitation(temp.key, { userId: first.user.userId })
      if (how === 'rejected') temp.invitations.rejectInvitation(temp.tokenOf(first.link))
      if (how === 'expired') temp.clock.pass(30 * DAY)
      const second = temp.invitations.invite(temp.key, person())
      expect(second.user.userId).not.toBe(first.user.userId)
      expect(temp.users.readUser(temp.key, first.user.userId).deactivatedAt).not.toBeNull()
      expect(temp.users.readUser(temp.key, second.user.userId).deactivatedAt).toBeNull()
      expect(() => temp.invitations.openInvitation(temp.tokenOf(first.link))).toThrow(refused)
    },
  )
})

describe('the link', () => {
  it('is given to the inviter while no mail is set, and is not kept', () => {
    using temp = peopleFixture()
    const { link, invitation } = temp.invitations.invite(temp.key, person())
    expect(link).toMatch(/^https:\/\/gateway\.clinic\.example\/#\/invitation\?token=[\w-]{43}$/)
    expect(
      listDueOutboxJobs(temp.store.database, INVITATION_MAIL, '2027-01-01T00:00:00.000Z', 10),
    ).toEqual([])
    expect(temp.invitations.mailStateOf(invitation.invitationId)).toEqual({
      mail: 'none',
      fault: null,
    })
    const kept = JSON.stringify([
      findInvitation(temp.store.database, invitation.invitationId),
      temp.store.audit.list({ limit: 10 }),
    ])
    expect(kept).not.toContain(temp.tokenOf(link))
  })

  it('goes by mail once mail is set, in the transaction of the invitation', () => {
    using temp = peopleFixture()
    temp.store.settings.change(
      {
        'mail.host': 'smtp.clinic.example',
        'mail.from': 'it@clinic.example',
        'clinic.name': 'Praxis Kern',
      },
      'command-line',
    )
    const { link, invitation } = temp.invitations.invite(temp.key, person())
    expect(link).toBeNull()
    const [row] = listDueOutboxJobs(temp.store.database, INVITATION_MAIL, invitation.createdAt, 10)
    expect(row).toMatchObject({
      subject: invitation.invitationId,
      payload: {
        to: 'Maja@partner.example',
        firstName: 'Maja',
        clinicName: 'Praxis Kern',
        invitedBy: 'A partner system of the clinic',
        link: expect.stringMatching(
          /^https:\/\/gateway\.clinic\.example\/#\/invitation\?token=[\w-]{43}$/,
        ),
        expiry: invitation.expiry,
      },
    })
    expect(temp.invitations.mailStateOf(invitation.invitationId)).toEqual({
      mail: 'waiting',
      fault: null,
    })
    expect(() =>
      temp.store.database.transaction(() => {
        temp.invitations.invite(temp.key, person({ email: 'b@partner.example' }))
        throw new Error('the call failed')
      }),
    ).toThrow('the call failed')
    expect(
      listDueOutboxJobs(temp.store.database, INVITATION_MAIL, invitation.createdAt, 10),
    ).toHaveLength(1)
  })

  it('can be made anew: the one before opens nothing, and a mail that waits is dropped', () => {
    using temp = peopleFixture()
    temp.store.settings.change(
      { 'mail.host': 'smtp.clinic.example', 'mail.from': 'it@clinic.example' },
      'command-line',
    )
    const first = temp.invitations.invite(temp.key, person())
    temp.store.settings.change({ 'mail.host': null }, 'command-line')
    const second = temp.invitations.renew(temp.key, first.user.userId)
    expect(second.invitation).toMatchObject({
      invitationId: first.invitation.invitationId,
      expiry: first.invitation.expiry,
    })
    expect(temp.invitations.openInvitation(temp.tokenOf(second.link)).userId).toBe(
      first.user.userId,
    )
    const third = temp.invitations.renew(temp.key, first.user.userId)
    expect(() => temp.invitations.openInvitation(temp.tokenOf(second.link))).toThrow(
      'was replaced by a newer one',
    )
    expect(temp.invitations.openInvitation(temp.tokenOf(third.link)).userId).toBe(first.user.userId)
    expect(nextOutboxDue(temp.store.database, INVITATION_MAIL)).toBeUndefined()
    expect(temp.invitations.mailStateOf(first.invitation.invitationId).mail).toBe('none')
  })
})

describe('accepting', () => {
  it('sets the password, makes the user active and signs in', async () => {
    using temp = peopleFixture()
    const { user, invitation, link } = temp.invitations.invite(
      temp.key,
      person({ canManageStudies: false }),
    )
    temp.clock.pass(MINUTE)
    const { signIn } = await temp.invitations.accept(temp.tokenOf(link), PASSWORD)
    expect(temp.people.sessionUser(signIn?.token ?? '')?.userId).toBe(user.userId)
    expect(temp.users.readUser(temp.key, user.userId)).toMatchObject({
      lastLoginAt: '2026-03-10T09:01:00.000Z',
      level: 'member',
    })
    expect(temp.invitations.readInvitation(temp.key, invitation.invitationId)).toMatchObject({
      status: 'accepted',
      updatedAt: '2026-03-10T09:01:00.000Z',
    })
    expect((await temp.people.signIn(user.email, PASSWORD)).user.userId).toBe(user.userId)
    await expect(temp.invitations.accept(temp.tokenOf(link), PASSWORD)).rejects.toMatchObject({
      code: 'refused',
    })
    expect(temp.trail()).toContain(
      `user:${user.userId} invitation.accept ${invitation.invitationId}`,
    )
  })

  it('gives no session to an account without access to the window', async () => {
    using temp = peopleFixture()
    const { user, link } = temp.invitations.invite(temp.key, person({ hasDashboardAccess: false }))
    const { signIn } = await temp.invitations.accept(temp.tokenOf(link), PASSWORD)
    expect(signIn).toBeUndefined()
    expect(temp.users.readUser(temp.key, user.userId)).toMatchObject({
      lastLoginAt: '2026-03-10T09:00:00.000Z',
      hasDashboardAccess: false,
    })
    await expect(temp.people.signIn(user.email, PASSWORD)).rejects.toMatchObject({
      code: 'not-permitted',
    })
  })

  it('happens once, however often at the same time', async () => {
    using temp = peopleFixture()
    const { user, link } = temp.invitations.invite(temp.key, person())
    const both = await Promise.allSettled([
      temp.invitations.accept(temp.tokenOf(link), PASSWORD),
      temp.invitations.accept(temp.tokenOf(link), 'the second password'),
    ])
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect(temp.trail().filter((line) => line.includes('invitation.accept'))).toHaveLength(1)
    expect(temp.people.listSessions(undefined, user.userId)).toHaveLength(1)
  })

  it('is refused when it expired, when access was taken, and by a link nobody made', async () => {
    using temp = peopleFixture()
    const first = temp.invitations.invite(temp.key, person())
    temp.users.revokeAccess(temp.key, first.user.userId)
    await expect(temp.invitations.accept(temp.tokenOf(first.link), PASSWORD)).rejects.toThrow(
      'was revoked',
    )
    temp.users.reactivateUser(temp.key, first.user.userId)
    temp.clock.pass(30 * DAY - 1)
    expect(temp.invitations.openInvitation(temp.tokenOf(first.link)).status).toBe('sent')
    temp.clock.pass(1)
    await expect(temp.invitations.accept(temp.tokenOf(first.link), PASSWORD)).rejects.toThrow(
      'has expired',
    )
    await expect(temp.invitations.accept('x'.repeat(43), PASSWORD)).rejects.toMatchObject({
      code: 'refused',
    })
    expect(temp.users.readUser(temp.key, first.user.userId)).toMatchObject({
      passwordHash: null,
      lastLoginAt: null,
    })
  })
})

describe('rejecting', () => {
  it('ends the invitation and leaves the user readable, without access', () => {
    using temp = peopleFixture()
    const { user, invitation, link } = temp.invitations.invite(temp.key, person())
    temp.invitations.rejectInvitation(temp.tokenOf(link))
    expect(temp.invitations.readInvitation(temp.key, invitation.invitationId).status).toBe(
      'rejected',
    )
    expect(temp.users.readUser(temp.key, user.userId).deactivatedAt).toBe(
      '2026-03-10T09:00:00.000Z',
    )
    expect(() => temp.invitations.rejectInvitation(temp.tokenOf(link))).toThrow('was declined')
    expect(temp.trail()[0]).toBe(`user:${user.userId} invitation.reject ${invitation.invitationId}`)
  })
})

describe('updating an invitation', () => {
  it('changes its user too, and the user’s change changes it, until it is accepted', async () => {
    using temp = peopleFixture()
    const { user, invitation, link } = temp.invitations.invite(temp.key, person())
    const { invitationId } = invitation
    temp.invitations.updateInvitation(temp.key, invitationId, {
      firstName: 'Hana',
      phoneNumber: '5551234567',
    })
    expect(temp.users.readUser(temp.key, user.userId)).toMatchObject({
      firstName: 'Hana',
      phoneNumber: '5551234567',
    })
    temp.users.updateUser(temp.key, user.userId, { lastName: 'Kos', phoneNumber: null })
    expect(temp.invitations.readInvitation(temp.key, invitationId)).toMatchObject({
      firstName: 'Hana',
      lastName: 'Kos',
      phoneNumber: null,
    })
    await temp.invitations.accept(temp.tokenOf(link), PASSWORD)
    temp.users.updateUser(temp.key, user.userId, { lastName: 'Bel' })
    expect(temp.invitations.readInvitation(temp.key, invitationId).lastName).toBe('Kos')
    expect(() =>
      temp.invitations.updateInvitation(temp.key, invitationId, { lastName: 'Bel' }),
    ).toThrow('was already accepted')
  })

  it('has the rules of a user’s update', () => {
    using temp = peopleFixture()
    const { invitation } = temp.invitations.invite(temp.key, person())
    const update = (patch: object) => () =>
      temp.invitations.updateInvitation(temp.key, invitation.invitationId, patch)
    expect(update({ canCreateReports: true })).toThrow('npiNumber must be given')
    expect(update({ level: 'admin', hasDashboardAccess: false })).toThrow(
      'hasDashboardAccess must be true',
    )
    expect(update({ firstName: 'Maja' })()).toEqual(invitation)
  })

  it('is refused once it expired', () => {
    using temp = peopleFixture()
    const { invitation } = temp.invitations.invite(temp.key, person())
    temp.clock.pass(30 * DAY)
    expect(() =>
      temp.invitations.updateInvitation(temp.key, invitation.invitationId, { firstName: 'Eva' }),
    ).toThrow('it has expired')
    expect(() => temp.invitations.renew(temp.key, invitation.userId)).toThrow('has expired')
    expect(
      temp.invitations.revokeInvitation(temp.key, { userId: invitation.userId }),
    ).toMatchObject({
      success: false,
    })
    expect(temp.invitations.readInvitation(temp.key, invitation.invitationId).status).toBe('sent')
  })
})

describe('revoking', () => {
  it('names the invitation by itself, by its user, or by both', () => {
    using temp = peopleFixture()
    const made = ['a', 'b', 'c'].map((name) =>
      temp.invitations.invite(temp.key, person({ email: `${name}@partner.example` })),
    )
    const [a, b, c] = made.map(({ user, invitation }) => ({
      userId: user.userId as string,
      invitationId: invitation.invitationId,
    }))
    expect(
      temp.invitations.revokeInvitation(temp.key, { invitationId: a?.invitationId }),
    ).toMatchObject({
      success: true,
    })
    expect(temp.invitations.revokeInvitation(temp.key, { userId: b?.userId })).toMatchObject({
      success: true,
    })
    expect(() =>
      temp.invitations.revokeInvitation(temp.key, {
        invitationId: c?.invitationId,
        userId: a?.userId,
      }),
    ).toThrow(
      expect.objectContaining({
        code: 'malformed',
        errors: [{ path: 'body.userId', message: 'must be the user of that invitation' }],
      }),
    )
    expect(temp.invitations.revokeInvitation(temp.key, { ...c })).toMatchObject({ success: true })
    expect(temp.invitations.revokeInvitation(temp.key, { ...c })).toEqual({
      success: false,
      message: 'The invitation was revoked.',
    })
    expect(() => temp.invitations.revokeInvitation(temp.key, {})).toThrow(
      expect.objectContaining({ code: 'malformed' }),
    )
    for (const unknown of [
      { invitationId: 'inv_0' },
      { userId: 'usr_0' },
      { ...a, userId: 'usr_0' },
    ])
      expect(() => temp.invitations.revokeInvitation(temp.key, unknown)).toThrow(
        expect.objectContaining({ code: 'not-found' }),
      )
  })

  it('of somebody who was never invited does nothing', async () => {
    using temp = peopleFixture()
    const member = await temp.at('member')
    expect(temp.invitations.revokeInvitation(temp.key, { userId: member.userId })).toEqual({
      success: false,
      message: 'The user has no invitation.',
    })
  })

  it('drops the mail that waits', () => {
    using temp = peopleFixture()
    temp.store.settings.change(
      { 'mail.host': 'smtp.clinic.example', 'mail.from': 'it@clinic.example' },
      'command-line',
    )
    const { user } = temp.invitations.invite(temp.key, person())
    temp.invitations.revokeInvitation(temp.key, { userId: user.userId })
    expect(nextOutboxDue(temp.store.database, INVITATION_MAIL)).toBeUndefined()
  })
})

describe('the list of invitations', () => {
  it('filters by status, by expiry as it is now, by day of the clinic and by user', () => {
    using temp = peopleFixture()
    temp.store.settings.change({ 'clinic.timeZone': 'America/New_York' }, 'command-line')
    const add = (email: string) =>
      temp.invitations.invite(temp.key, person({ email })).user.userId as string
    // 9 March, 23:59:59.999 in New York, and the first millisecond of the 10th.
    temp.clock.now = Date.parse('2026-03-10T03:59:59.999Z')
    const a = add('a@partner.example')
    temp.clock.pass(1)
    const b = add('b@partner.example')
    temp.clock.pass(DAY)
    const c = add('c@partner.example')
    temp.invitations.revokeInvitation(temp.key, { userId: c })
    const found = (query: Parameters<typeof temp.invitations.listInvitations>[1]) =>
      temp.invitations
        .listInvitations(temp.key, query, { limit: 10 })
        .items.map(({ userId }) => userId)
    expect(found({})).toEqual([c, b, a])
    expect(found({ startDate: '2026-03-10', endDate: '2026-03-10' })).toEqual([b])
    expect(found({ endDate: '2026-03-09' })).toEqual([a])
    expect(found({ startDate: '2026-03-11' })).toEqual([c])
    expect(found({ status: ['sent'] })).toEqual([b, a])
    expect(found({ status: ['sent', 'revoked'], expired: 'all' })).toEqual([c, b, a])
    expect(found({ userId: b })).toEqual([b])
    expect(found({ expired: 'expired' })).toEqual([])
    temp.clock.now = Date.parse('2026-03-10T04:00:00.000Z') + 30 * DAY - 1
    expect(found({ expired: 'expired' })).toEqual([a])
    expect(found({ expired: 'not-expired' })).toEqual([c, b])
    const first = temp.invitations.listInvitations(temp.key, {}, { limit: 2 })
    expect(
      temp.invitations.listInvitations(temp.key, {}, { limit: 2, after: first.next }),
    ).toMatchObject({
      items: [{ userId: a }],
      next: undefined,
    })
  })
})

describe('the states of an invitation', () => {
  it('are left once, whatever is tried in whatever order', {
    timeout: RUNS_TIMEOUT_MS,
  }, async () => {
    const steps = fc.array(
      fc.constantFrom('accept', 'reject', 'revoke', 'update', 'renew', 'expire', 'take', 'give'),
      { maxLength: 12 },
    )
    await fc.assert(
      fc.asyncProperty(steps, async (order) => {
        using temp = peopleFixture()
        const { user, invitation, link } = temp.invitations.invite(temp.key, person())
        const model = { status: 'sent', isExpired: false, isTaken: false }
        let token = temp.tokenOf(link)
        for (const step of order) {
          const isPending = model.status === 'sent' && !model.isExpired
          const mayAccept = isPending && !model.isTaken
          const done = await attempt(step)
          if (step === 'accept' || step === 'reject')
            expect([step, done]).toEqual([step, mayAccept])
          if (step === 'revoke' || step === 'update')
            expect([step, done]).toEqual([step, isPending])
          if (step === 'renew') expect([step, done]).toEqual([step, mayAccept])
          if (step === 'accept' && done) model.status = 'accepted'
          if (step === 'reject' && done) Object.assign(model, { status: 'rejected', isTaken: true })
          if (step === 'revoke' && done) Object.assign(model, { status: 'revoked', isTaken: true })
          if (step === 'expire') model.isExpired = true
          if (step === 'take') model.isTaken = true
          if (step === 'give' && done) model.isTaken = false
          if (step === 'give')
            expect([step, done]).toEqual([step, done && (model.status === 'accepted' || isPending)])
          expect(findInvitation(temp.store.database, invitation.invitationId)?.status).toBe(
            model.status,
          )
          expect(findUser(temp.store.database, user.userId)?.deactivatedAt !== null).toBe(
            model.isTaken,
          )
        }

        async function attempt(step: string): Promise<boolean> {
          try {
            if (step === 'accept') await temp.invitations.accept(token, PASSWORD)
            if (step === 'reject') temp.invitations.rejectInvitation(token)
            if (step === 'revoke')
              return temp.invitations.revokeInvitation(temp.key, { userId: user.userId }).success
            if (step === 'update')
              temp.invitations.updateInvitation(temp.key, invitation.invitationId, {
                suffix1: String(order.length),
              })
            if (step === 'renew')
              token = temp.tokenOf(temp.invitations.renew(temp.key, user.userId).link)
            if (step === 'expire') temp.clock.pass(31 * DAY)
            if (step === 'take') temp.users.revokeAccess(temp.key, user.userId)
            if (step === 'give') return temp.users.reactivateUser(temp.key, user.userId).success
            return true
          } catch {
            return false
          }
        }
      }),
      runs(60),
    )
  })
})
