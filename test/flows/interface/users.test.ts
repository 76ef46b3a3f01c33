import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { scribeUsers, viewerUsers } from '#shared/contract/users.ts'
import { type StartedInterface, startInterface, unknownId } from '../../support/interface.ts'

// Viewer users and Scribe invitations. Both areas read one table.

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const DAY_MS = 86_400_000
let stage: StartedInterface

beforeAll(async () => {
  stage = await startInterface()
})
afterAll(() => stage[Symbol.asyncDispose]())

let counted = 0
const person = (more: object = {}) => ({
  email: `person${counted++}@partner.example`,
  firstName: 'Maja',
  lastName: 'Novák',
  level: 'member',
  clinicRole: 'Imaging Technologist',
  canManageStudies: true,
  hasDashboardAccess: false,
  ...more,
})
const invite = (more: object = {}) =>
  stage.keys.partner.call(viewerUsers.invite, { body: person(more) as never })
const inviteReader = (more: object = {}) =>
  stage.keys.plain.call(scribeUsers.invite, {
    body: person({
      clinicRole: 'Radiologist',
      canCreateReports: true,
      npiNumber: '1234567893',
      ...more,
    }) as never,
  })
const invitationOf = async (userId: string) => {
  const { invitations } = await stage.keys.plain.call(scribeUsers.invitations, {
    query: { userId },
  })
  const [only] = invitations
  if (!only || invitations.length !== 1) throw new Error(`${invitations.length} invitations`)
  return only
}

describe('a user', () => {
  it('is invited: 201 and the whole record, readable at once in both areas', async () => {
    const json = person({
      middleName: 'B.',
      suffix1: 'MD',
      suffix2: 'PhD',
      phoneNumber: '5551234567',
    })
    const answer = await stage.keys.partner.send('POST /v1/viewer/users', { json })
    expect(answer.status).toBe(201)
    const made = answer.json as Record<string, string>
    expect(made).toEqual({
      ...json,
      userId: expect.stringMatching(/^usr_[0-9a-f]{32}$/),
      invitedSource: 'api',
      lastLoginAt: null,
      createdAt: expect.stringMatching(INSTANT),
    })
    const params = { userId: made.userId ?? '' }
    expect(await stage.keys.partner.call(viewerUsers.read, { params })).toEqual(made)
    expect(await stage.keys.partner.call(scribeUsers.read, { params })).toEqual({
      ...made,
      canCreateReports: false,
    })
  })

  it('who reports is invited with an NPI', async () => {
    const made = await inviteReader()
    expect(made).toMatchObject({ canCreateReports: true, npiNumber: '1234567893', level: 'member' })
    expect(
      await stage.keys.partner.call(viewerUsers.read, { params: { userId: made.userId } }),
    ).not.toHaveProperty('npiNumber')
  })

  it('is updated; null clears what is optional, and then it is absent', async () => {
    const { userId } = await invite({ middleName: 'B.', phoneNumber: '5551234567', suffix1: 'MD' })
    const update = (body: object) =>
      stage.keys.partner.call(viewerUsers.update, { params: { userId }, body })
    expect(
      await update({ firstName: 'Marija', level: 'admin', hasDashboardAccess: true }),
    ).toMatchObject({
      firstName: 'Marija',
      level: 'admin',
      middleName: 'B.',
    })
    const cleared = await update({ middleName: null, phoneNumber: null, suffix1: null })
    for (const name of ['middleName', 'phoneNumber', 'suffix1', 'suffix2'])
      expect(cleared).not.toHaveProperty(name)
    const reader = await stage.keys.plain.call(scribeUsers.update, {
      params: { userId },
      body: { canCreateReports: true, npiNumber: '1234567893', clinicRole: 'Radiologist' },
    })
    expect(reader).toMatchObject({
      canCreateReports: true,
      npiNumber: '1234567893',
      clinicRole: 'Radiologist',
      firstName: 'Marija',
    })
  })

  it('loses access and gets it back; what it was permitted stays', async () => {
    const { userId } = await invite({ level: 'admin', hasDashboardAccess: true })
    const ask = (operation: typeof viewerUsers.revokeAccess | typeof viewerUsers.reactivate) =>
      stage.keys.partner.call(operation, { body: { userId } })
    const before = await stage.keys.partner.call(viewerUsers.read, { params: { userId } })
    expect(await ask(viewerUsers.revokeAccess)).toMatchObject({ success: true })
    expect(await ask(viewerUsers.revokeAccess)).toMatchObject({ success: true })
    expect(await ask(viewerUsers.reactivate)).toMatchObject({ success: true })
    expect(await ask(viewerUsers.reactivate)).toEqual({
      success: false,
      message: expect.any(String),
    })
    expect(await stage.keys.partner.call(viewerUsers.read, { params: { userId } })).toEqual(before)
    expect(
      await stage.keys.plain.call(scribeUsers.revokeAccess, { body: { userId } }),
    ).toMatchObject({ success: true })
    expect(await stage.keys.plain.call(scribeUsers.reactivate, { body: { userId } })).toMatchObject(
      { success: true },
    )
  })

  it('who is an owner is edited by an owner only, at the window', async () => {
    const { users } = await stage.keys.partner.call(viewerUsers.list, { query: { level: 'owner' } })
    const params = { userId: users[0]?.userId ?? ('' as never) }
    const body = { middleName: 'M.' }
    await expect(stage.users.admin.call(viewerUsers.update, { params, body })).rejects.toThrow(
      /^403/,
    )
    await expect(stage.keys.partner.call(viewerUsers.update, { params, body })).rejects.toThrow(
      /^422/,
    )
    expect(await stage.users.owner.call(viewerUsers.update, { params, body })).toMatchObject({
      middleName: 'M.',
      level: 'owner',
    })
    for (const client of [stage.users.admin, stage.keys.partner])
      await expect(client.call(viewerUsers.revokeAccess, { body: params })).rejects.toThrow(
        /^4(03|22)/,
      )
  })

  it('who is signed in is out at once when access is revoked', async () => {
    const before = await stage.users.revoked.send('GET /v1/scribe/studies')
    expect(before.status).toBe(401)
  })
})

describe('the list of users', () => {
  it('filters by each field', async () => {
    const a = await invite({
      firstName: 'Żaneta',
      lastName: 'Filterová',
      level: 'admin',
      hasDashboardAccess: true,
    })
    const b = await inviteReader({ firstName: 'Bo', lastName: 'Filter_x' })
    const named = async (query: string) => {
      const answer = await stage.keys.plain.send(`GET /v1/scribe/users?lastName=filter&${query}`)
      return scribeUsers.list.reply.parse(answer.json).users.map(({ userId }) => userId)
    }
    for (const [query, expected] of [
      ['', [b.userId, a.userId]],
      [`email=${encodeURIComponent(a.email.toUpperCase())}`, [a.userId]],
      [`email=${encodeURIComponent(a.email.slice(1))}`, []],
      ['firstName=zanet', [a.userId]],
      ['level=admin', [a.userId]],
      ['level=owner', []],
      ['invitedSource=api', [b.userId, a.userId]],
      ['invitedSource=dashboard', []],
      ['canCreateReports=true', [b.userId]],
      ['canCreateReports=', [b.userId, a.userId]],
    ] as const)
      expect([query, await named(query)]).toEqual([query, expected])
    const underscore = await stage.keys.partner.call(viewerUsers.list, {
      query: { lastName: 'R_' },
    })
    expect(underscore.users.map(({ userId }) => userId)).toEqual([b.userId])
  })

  it('has the users of the window too, and goes page by page', async () => {
    const seen: string[] = []
    let cursor: string | undefined
    do {
      const page = await stage.keys.partner.call(viewerUsers.list, {
        query: { limit: 3, ...(cursor && { cursor }) },
      })
      seen.push(...page.users.map(({ email }) => email))
      expect(page.hasMore).toBe(page.cursor !== undefined)
      cursor = page.cursor
    } while (cursor !== undefined)
    expect(new Set(seen).size).toBe(seen.length)
    expect(seen).toEqual(
      expect.arrayContaining(['owner@clinic.example', 'radiologist@clinic.example']),
    )
    const owners = await stage.keys.partner.call(viewerUsers.list, { query: { level: 'owner' } })
    expect(owners.users).toMatchObject([
      {
        email: 'owner@clinic.example',
        invitedSource: 'dashboard',
        lastLoginAt: expect.any(String),
      },
    ])
  })
})

describe('an invitation', () => {
  it('is made with its user: the whole record, in both areas', async () => {
    const made = await inviteReader({ middleName: 'C.' })
    const found = await invitationOf(made.userId)
    const { settings } = (await stage.users.owner.send('GET /dashboard/settings')).json as {
      settings: { key: string; value: unknown }[]
    }
    expect(found).toMatchObject({
      invitationId: expect.stringMatching(/^inv_[0-9a-f]{32}$/),
      userId: made.userId,
      clinicId: settings.find(({ key }) => key === 'clinic.id')?.value,
      email: made.email,
      firstName: 'Maja',
      lastName: 'Novák',
      middleName: 'C.',
      clinicRole: 'Radiologist',
      level: 'member',
      canCreateReports: true,
      npiNumber: '1234567893',
      canManageStudies: true,
      hasDashboardAccess: false,
      status: 'sent',
      invitedSource: 'api',
      inviterId: null,
      invitedByApiKeyId: stage.keyIds.plain,
      createdAt: expect.stringMatching(INSTANT),
      updatedAt: found.createdAt,
    })
    expect(Date.parse(found.expiry ?? '') - Date.parse(found.createdAt)).toBe(30 * DAY_MS)
    const params = { invitationId: found.invitationId }
    expect(await stage.keys.plain.call(scribeUsers.invitation, { params })).toEqual(found)
    const seen = await stage.keys.partner.call(viewerUsers.invitation, { params })
    const { canCreateReports: _, npiNumber: __, ...rest } = found
    expect(seen).toEqual(rest)
  })

  it('of a user of the window names its inviter and no key', async () => {
    const made = await stage.users.owner.call(viewerUsers.invite, { body: person() as never })
    expect(made.invitedSource).toBe('dashboard')
    const found = await invitationOf(made.userId)
    expect(found).toMatchObject({
      invitedSource: 'dashboard',
      inviterId: expect.stringMatching(/^usr_/),
    })
    expect(found.invitedByApiKeyId ?? null).toBeNull()
  })

  it('is updated together with its user while it is pending, from either side', async () => {
    const { userId } = await inviteReader()
    const { invitationId } = await invitationOf(userId)
    const params = { invitationId }
    await stage.keys.partner.call(viewerUsers.updateInvitation, {
      params,
      body: { firstName: 'Hana', phoneNumber: '5551234567' },
    })
    expect(await stage.keys.plain.call(scribeUsers.read, { params: { userId } })).toMatchObject({
      firstName: 'Hana',
      phoneNumber: '5551234567',
    })
    const changed = await stage.keys.plain.call(scribeUsers.updateInvitation, {
      params,
      body: { canCreateReports: false, npiNumber: null },
    })
    expect(changed).toMatchObject({ canCreateReports: false, status: 'sent', firstName: 'Hana' })
    await stage.keys.plain.call(scribeUsers.update, {
      params: { userId },
      body: { lastName: 'Kos' },
    })
    expect(await invitationOf(userId)).toMatchObject({ lastName: 'Kos', firstName: 'Hana' })
  })

  it.each(['invitation', 'user', 'both'])(
    'is revoked by %s, once; its user stays readable',
    async (by) => {
      const { userId, email } = await invite()
      const { invitationId } = await invitationOf(userId)
      const body =
        by === 'invitation'
          ? { invitationId }
          : by === 'user'
            ? { userId }
            : { invitationId, userId }
      const revoke = () => stage.keys.partner.call(viewerUsers.revokeInvitation, { body })
      expect(await revoke()).toMatchObject({ success: true })
      expect(await revoke()).toEqual({ success: false, message: expect.any(String) })
      expect(await invitationOf(userId)).toMatchObject({ status: 'revoked' })
      expect(await stage.keys.partner.call(viewerUsers.read, { params: { userId } })).toMatchObject(
        { email },
      )
      const again = await invite({ email: email.toUpperCase() })
      expect(again.userId).not.toBe(userId)
    },
  )

  it('is listed with filters by status, expiry, day and user', async () => {
    const { userId } = await invite()
    const other = await invite()
    await stage.keys.plain.call(scribeUsers.revokeInvitation, { body: { userId: other.userId } })
    const find = async (query: string) => {
      const answer = await stage.keys.partner.send(
        `GET /v1/viewer/users/invitations?limit=100&${query}`,
      )
      return viewerUsers.invitations.reply
        .parse(answer.json)
        .invitations.map((invitation) => invitation.userId)
    }
    expect(await find(`userId=${userId}`)).toEqual([userId])
    expect(await find('status=revoked')).toContain(other.userId)
    expect(await find('status=revoked')).not.toContain(userId)
    expect(await find('status=sent%2Crevoked')).toEqual(
      expect.arrayContaining([userId, other.userId]),
    )
    expect(await find('status=')).toEqual(expect.arrayContaining([userId, other.userId]))
    expect(await find('status=accepted')).toEqual([])
    expect(await find('expired=expired')).toEqual([])
    expect(await find('expired=not-expired')).toContain(userId)
    expect(await find('startDate=2000-01-01&endDate=2000-12-31')).toEqual([])
    expect(await find('startDate=2000-01-01&endDate=2999-12-31')).toContain(userId)
    expect(await find(`userId=${unknownId('usr')}`)).toEqual([])
  })

  it('that has expired can be neither updated nor is its address taken any more', async () => {
    const clock = Object.assign(() => Date.now() + clock.shift, { shift: 0 })
    await using own = await startInterface({ clock })
    const json = person()
    const first = (await own.keys.partner.send('POST /v1/viewer/users', { json })).json as {
      userId: string
    }
    clock.shift = 31 * DAY_MS
    const { invitations } = await own.keys.partner.call(viewerUsers.invitations, {
      query: { expired: 'expired' },
    })
    expect(invitations).toMatchObject([{ userId: first.userId, status: 'sent' }])
    const invitationId = invitations[0]?.invitationId ?? ''
    const refused = await own.keys.partner.send(
      `PATCH /v1/viewer/users/invitations/${invitationId}`,
      { json: { firstName: 'Eva' } },
    )
    expect({ status: refused.status, json: refused.json }).toMatchObject({
      status: 422,
      json: { code: 'refused' },
    })
    const again = await own.keys.partner.send('POST /v1/viewer/users', { json })
    expect(again.status).toBe(201)
    expect((again.json as { userId: string }).userId).not.toBe(first.userId)
  })
})
