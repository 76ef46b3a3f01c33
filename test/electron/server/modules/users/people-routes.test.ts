import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openContext } from '#server/context.ts'
import { openApiKeys } from '#server/modules/api-keys/api-keys.ts'
import { serveApiKeys } from '#server/modules/api-keys/routes.ts'
import { serveCustomerUsers } from '#server/modules/customers/routes.ts'
import * as customerService from '#server/modules/customers/service.ts'
import { Mail } from '#server/modules/mail/mail.ts'
import { serveMail } from '#server/modules/settings/mail-routes.ts'
import { openMailServer } from '#server/modules/settings/mail-server.ts'
import { serveDashboardPeople } from '#server/modules/users/people-routes.ts'
import { sessionReply, sessionsOf } from '#server/modules/users/session-routes.ts'
import { Problem } from '#shared/contract/conventions.ts'
import { dashboardPeople } from '#shared/contract/dashboard-people.ts'
import type { Level } from '#shared/contract/people.ts'
import { bound } from '../../../../support/bound.ts'
import { httpCall, OWN_PAGE } from '../../../../support/http-call.ts'
import { peopleOf } from '../../../../support/people.ts'
import { prepareDataFolder, standingClock } from '../../../../support/temp-store.ts'
import { openTestServer } from '../../http/http-fixture.ts'
import { openTestSmtpServer } from '../mail/smtp-server.ts'

const PASSWORD = 'a long and quiet evening'
const INVITED = {
  ...{
    email: 'maja@clinic.example',
    firstName: 'Maja',
    lastName: 'Novák',
    level: 'member',
    clinicRole: 'Radiologist',
  },
  ...{
    canManageStudies: false,
    hasDashboardAccess: true,
    canCreateReports: true,
    npiNumber: '1234567893',
  },
}

/** The window's calls about people on a real store, real rules, a real listener and real mail. */
async function openTestPeople() {
  const folder = mkdtempSync(join(tmpdir(), 'isthmus-people-'))
  const clock = standingClock()
  prepareDataFolder(folder)
  const store = openContext({ folder, clock, uuid: randomUUID })
  const deps = { store, clock, uuid: randomUUID }
  deps.store.settings.change({ 'clinic.name': 'Praxis Kern' }, 'command-line')
  const people = peopleOf(store)
  const customers = bound(customerService, deps.store)
  const mailServer = openMailServer(deps.store)
  const mail = new Mail(store, mailServer.smtp)
  const server = await openTestServer({
    sessions: sessionsOf(store),
    register(app) {
      const show = sessionReply(store, '0.1.0')
      serveDashboardPeople(app, store, people, () => 'https://gateway.clinic.example', show)
      serveCustomerUsers(app, store)
      serveApiKeys(app, store, openApiKeys(store))
      serveMail(app, mailServer, mail)
    },
  })

  const windowWith = (first = '') => {
    let cookie = first
    return {
      cookie: () => cookie,
      async call(method: string, path: string, json?: unknown) {
        const answer = await httpCall(server.url + path, {
          method,
          headers: { ...OWN_PAGE, ...(cookie && { cookie }) },
          json,
        })
        const set = answer.headers['set-cookie']?.[0]
        if (set) cookie = set.split(';')[0] ?? ''
        return answer
      },
    }
  }
  return {
    ...{ store, clock, mail, people, customers },
    window: windowWith,
    async signedIn(level: Level) {
      const user = {
        email: `${level}-${randomUUID()}@clinic.example`,
        firstName: 'Olga',
        lastName: level,
        level,
        password: PASSWORD,
      }
      await people.createUser({ ...user, clinicRole: 'Other' }, 'command-line')
      return windowWith(`isthmus-session=${(await people.signIn(user.email, PASSWORD)).token}`)
    },
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      await mail[Symbol.asyncDispose]()
      store[Symbol.dispose]()
      rmSync(folder, { recursive: true })
    },
  }
}

let gateway: Awaited<ReturnType<typeof openTestPeople>>
beforeEach(async () => {
  gateway = await openTestPeople()
})
afterEach(() => gateway[Symbol.asyncDispose]())
const problem = (answer: { status: number; json: unknown }) => [
  answer.status,
  Problem.parse(answer.json).code,
]

/** Invites and gives the token of the link. */
async function invited(owner: ReturnType<typeof gateway.window>, more: object = {}) {
  const answer = await owner.call('POST', '/dashboard/people', { ...INVITED, ...more })
  const { person, link } = dashboardPeople.invitePerson.reply.parse(answer.json)
  return { status: answer.status, person, token: link?.split('token=')[1] ?? '' }
}

describe('inviting in the window', () => {
  it('gives the link once when no mail is set, and shows how the invitation stands', async () => {
    const owner = await gateway.signedIn('owner')
    const { status, person, token } = await invited(owner)
    expect(status).toBe(201)
    expect(token).toMatch(/^[\w-]{43}$/)
    expect(person).toMatchObject({
      ...INVITED,
      state: 'invited',
      lastLoginAt: null,
      invitedSource: 'dashboard',
    })
    expect(person.invitation).toMatchObject({
      status: 'sent',
      isExpired: false,
      mail: 'none',
      invitedBy: 'Olga owner',
    })
    const listed = await owner.call('GET', '/dashboard/people')
    const { people } = dashboardPeople.people.reply.parse(listed.json)
    expect(people.map(({ state }) => state).sort()).toEqual(['active', 'invited'])
    expect(listed.text).not.toContain(token)
    expect(listed.text).not.toMatch(/scrypt|passwordHash|tokenHash/)
  })

  it('mails the link once a server is set, and says whether it went out', async () => {
    await using smtp = await openTestSmtpServer()
    const owner = await gateway.signedIn('owner')
    const { host, port, security, user, from, certificate } = smtp.smtp
    const set = await owner.call('PUT', '/dashboard/mail', {
      host,
      port,
      security,
      user,
      from,
      certificate,
    })
    expect([set.status, set.json]).toMatchObject([200, { host: 'localhost', hasPassword: false }])
    const { person, token } = await invited(owner)
    expect([token, person.invitation?.mail]).toEqual(['', 'waiting'])
    await gateway.mail.settled()
    const [listed] = dashboardPeople.people.reply
      .parse((await owner.call('GET', '/dashboard/people')).json)
      .people.filter(({ email }) => email === INVITED.email)
    expect(listed?.invitation?.mail).toBe('sent')
    const mailed = smtp.received[0]?.source.replace(/=\n/g, '').replaceAll('=3D', '=') ?? ''
    const found = /token=([\w-]{43})/.exec(mailed)?.[1] ?? ''
    expect(
      (await gateway.window().call('POST', '/dashboard/invitation', { token: found })).status,
    ).toBe(200)
    const tested = await owner.call('POST', '/dashboard/mail/test', { to: 'it@clinic.example' })
    expect(tested.json).toMatchObject({ success: true })
    expect(smtp.received).toHaveLength(2)
  })

  it('makes another link, which ends the one before; and takes the invitation back', async () => {
    const owner = await gateway.signedIn('owner')
    const { person, token } = await invited(owner)
    const look = (link: string) =>
      gateway.window().call('POST', '/dashboard/invitation', { token: link })
    const renewed = await owner.call('POST', `/dashboard/people/${person.userId}/invitation`)
    const next =
      dashboardPeople.renewInvitation.reply.parse(renewed.json).link?.split('token=')[1] ?? ''
    expect([(await look(token)).status, (await look(next)).status]).toEqual([422, 200])
    const revoked = await owner.call('POST', `/dashboard/people/${person.userId}/invitation/revoke`)
    expect(revoked.json).toMatchObject({ success: true })
    expect(problem(await look(next))).toEqual([422, 'refused'])
  })
})

describe('the invitation’s page', () => {
  it('shows who invites whom to what, to whoever holds the link', async () => {
    const { token } = await invited(await gateway.signedIn('owner'))
    const seen = await gateway.window().call('POST', '/dashboard/invitation', { token })
    expect([seen.status, seen.json]).toEqual([
      200,
      {
        ...{
          email: 'maja@clinic.example',
          firstName: 'Maja',
          lastName: 'Novák',
          clinicRole: 'Radiologist',
          level: 'member',
        },
        ...{
          clinicName: 'Praxis Kern',
          invitedBy: 'Olga owner',
          expiry: '2026-04-09T09:00:00.000Z',
        },
      },
    ])
    expect(
      problem(
        await gateway.window().call('POST', '/dashboard/invitation', { token: 'x'.repeat(43) }),
      ),
    ).toEqual([422, 'refused'])
  })

  it('takes a password, signs in and ends whoever was signed in there', async () => {
    const owner = await gateway.signedIn('owner')
    const { person, token } = await invited(owner)
    const short = await gateway
      .window()
      .call('POST', '/dashboard/invitation/accept', { token, password: 'short' })
    expect([short.status, Problem.parse(short.json).errors[0]?.path]).toEqual([
      400,
      'body.password',
    ])
    const browser = await gateway.signedIn('admin')
    const before = browser.cookie()
    const accepted = await browser.call('POST', '/dashboard/invitation/accept', {
      token,
      password: PASSWORD,
    })
    expect([accepted.status, accepted.json]).toMatchObject([
      200,
      { user: { userId: person.userId, lastLoginAt: '2026-03-10T09:00:00.000Z' } },
    ])
    expect(browser.cookie()).not.toBe(before)
    expect((await gateway.window(before).call('GET', '/dashboard/people')).status).toBe(401)
    expect((await browser.call('GET', '/dashboard/people')).status).toBe(403)
    const again = await gateway
      .window()
      .call('POST', '/dashboard/invitation/accept', { token, password: PASSWORD })
    expect(problem(again)).toEqual([422, 'refused'])
  })

  it('signs nobody in whose account has no access to the window', async () => {
    const { token } = await invited(await gateway.signedIn('owner'), { hasDashboardAccess: false })
    const browser = gateway.window()
    const accepted = await browser.call('POST', '/dashboard/invitation/accept', {
      token,
      password: PASSWORD,
    })
    expect(accepted.json).toMatchObject({ user: null, needsOwner: false })
    expect(browser.cookie()).toMatch(/^isthmus-session-\d+=$/)
  })

  it('lets the invitee reject', async () => {
    const owner = await gateway.signedIn('owner')
    const { person, token } = await invited(owner)
    expect(
      (await gateway.window().call('POST', '/dashboard/invitation/reject', { token })).json,
    ).toEqual({ success: true })
    const { people } = dashboardPeople.people.reply.parse(
      (await owner.call('GET', '/dashboard/people')).json,
    )
    expect(people.find(({ userId }) => userId === person.userId)).toMatchObject({
      state: 'revoked',
      invitation: { status: 'rejected' },
    })
  })
})

describe('people in the window', () => {
  it('are changed, lose access and get it back', async () => {
    const owner = await gateway.signedIn('owner')
    const { person } = await invited(owner)
    const at = `/dashboard/people/${person.userId}`
    expect((await owner.call('PATCH', at, { level: 'admin', suffix1: 'MD' })).json).toMatchObject({
      level: 'admin',
      suffix1: 'MD',
    })
    expect((await owner.call('POST', `${at}/revoke-access`)).json).toMatchObject({ success: true })
    expect((await owner.call('POST', `${at}/reactivate`)).json).toMatchObject({ success: true })
    const refused = await owner.call('PATCH', at, { hasDashboardAccess: false })
    expect([refused.status, Problem.parse(refused.json).errors[0]?.path]).toEqual([
      422,
      'body.hasDashboardAccess',
    ])
  })

  it('are listed page by page, with cursors of this list only', async () => {
    const owner = await gateway.signedIn('owner')
    for (const name of ['a', 'b', 'c']) await invited(owner, { email: `${name}@clinic.example` })
    const seen: string[] = []
    let path = '/dashboard/people?limit=2'
    for (;;) {
      const page = dashboardPeople.people.reply.parse((await owner.call('GET', path)).json)
      seen.push(...page.people.map(({ userId }) => userId))
      if (page.cursor === undefined) break
      path = `/dashboard/people?limit=2&cursor=${encodeURIComponent(page.cursor)}`
    }
    expect(new Set(seen).size).toBe(4)
    expect(problem(await owner.call('GET', '/dashboard/people?cursor=nonsense'))).toEqual([
      400,
      'malformed',
    ])
  })

  it('are found by words of name and e-mail, and by how they stand', async () => {
    const owner = await gateway.signedIn('owner')
    const { person } = await invited(owner)
    await invited(owner, { email: 'ivan@clinic.example', firstName: 'Ivan', lastName: 'Petrov' })
    await owner.call('POST', `/dashboard/people/${person.userId}/invitation/revoke`)
    const found = async (query: string) => {
      const { json } = await owner.call('GET', `/dashboard/people?${query}`)
      return dashboardPeople.people.reply.parse(json).people.map(({ lastName }) => lastName)
    }
    expect(await found('search=novak+maja')).toEqual(['Novák'])
    expect(await found('search=MAJA@clinic')).toEqual(['Novák'])
    expect(await found('search=maja+petrov')).toEqual([])
    expect([
      await found('show=active'),
      await found('show=invited'),
      await found('show=out'),
    ]).toEqual([['owner'], ['Petrov'], ['Novák']])
    expect(await found('show=active&search=petrov')).toEqual([])
    expect(problem(await owner.call('GET', '/dashboard/people?show=gone'))).toEqual([
      400,
      'malformed',
    ])
  })

  it('have their customers, whose users everybody may see who uses the window', async () => {
    const [owner, member] = [await gateway.signedIn('owner'), await gateway.signedIn('member')]
    const { person } = await invited(owner)
    const caller = { kind: 'user', user: { ...person, customerIds: [], level: 'owner' } } as const
    const { expressCustomerId } = gateway.customers.createCustomer(caller, {
      expressCustomerName: 'North Imaging',
    })
    gateway.customers.addCustomerUser(caller, expressCustomerId, person.userId)
    const { people } = dashboardPeople.people.reply.parse(
      (await owner.call('GET', '/dashboard/people?search=maja')).json,
    )
    expect(people[0]?.expressCustomers).toEqual([
      { expressCustomerId, expressCustomerName: 'North Imaging' },
    ])
    expect(people[0]?.secondFactorSince).toBe(null)
    const path = `/dashboard/customers/${expressCustomerId}/users`
    const { users, hasMore } = dashboardPeople.customerUsers.reply.parse(
      (await member.call('GET', path)).json,
    )
    expect(users).toMatchObject([
      { userId: person.userId, name: 'Maja Novák', email: INVITED.email, state: 'invited' },
    ])
    expect(hasMore).toBe(false)
    expect((await member.call('GET', `${path}?search=nobody`)).json).toEqual({
      users: [],
      hasMore: false,
    })
    expect(
      problem(await member.call('GET', `/dashboard/customers/cus_${'0'.repeat(32)}/users`)),
    ).toEqual([404, 'not-found'])
    expect(problem(await member.call('GET', `${path}?cursor=nonsense`))).toEqual([400, 'malformed'])
    expect((await gateway.window().call('GET', path)).status).toBe(401)
  })

  it('are for owners and administrators; an owner is an owner’s to change', async () => {
    const [owner, admin, member] = [
      await gateway.signedIn('owner'),
      await gateway.signedIn('admin'),
      await gateway.signedIn('member'),
    ]
    const { people } = dashboardPeople.people.reply.parse(
      (await admin.call('GET', '/dashboard/people')).json,
    )
    const first = people.find(({ level }) => level === 'owner')
    expect(
      problem(
        await admin.call('PATCH', `/dashboard/people/${first?.userId}`, { firstName: 'Ola' }),
      ),
    ).toEqual([403, 'not-permitted'])
    expect(
      (await owner.call('PATCH', `/dashboard/people/${first?.userId}`, { firstName: 'Ola' }))
        .status,
    ).toBe(200)
    for (const { method, path } of Object.values(dashboardPeople)) {
      // The first are for who holds a link, the second for everybody who uses the window.
      if (path.startsWith('/dashboard/invitation') || path.startsWith('/dashboard/customers'))
        continue
      const filled = path.replace(':userId', first?.userId ?? '').replace(':apiKeyId', randomUUID())
      const json = method === 'GET' ? undefined : {}
      expect([path, (await member.call(method, filled, json)).status]).toEqual([path, 403])
      expect([path, (await gateway.window().call(method, filled, json)).status]).toEqual([
        path,
        401,
      ])
    }
  })
})

describe('API keys in the window', () => {
  it('are shown once, rotated with an overlap, and revoked', async () => {
    const owner = await gateway.signedIn('owner')
    const made = await owner.call('POST', '/dashboard/api-keys', {
      description: ' Cloud RIS ',
      scope: 'all',
      isViewerEnabled: true,
    })
    const { apiKey, key } = dashboardPeople.createApiKey.reply.parse(made.json)
    expect([made.status, apiKey.description, apiKey.scope, apiKey.last4]).toEqual([
      201,
      'Cloud RIS',
      'all',
      key.slice(-4),
    ])
    const at = `/dashboard/api-keys/${apiKey.apiKeyId}`
    const rotated = dashboardPeople.rotateApiKey.reply.parse(
      (await owner.call('POST', `${at}/rotate`, { overlapHours: 2 })).json,
    )
    expect(rotated.key).not.toBe(key)
    expect(rotated.apiKey.old).toEqual({
      last4: key.slice(-4),
      expiresAt: '2026-03-10T11:00:00.000Z',
    })
    gateway.clock.pass(9 * 60_000)
    expect((await owner.call('GET', '/dashboard/api-keys')).json).toEqual({
      apiKeys: [rotated.apiKey],
    })
    expect((await owner.call('POST', `${at}/revoke`)).json).toEqual({ success: true })
    const listed = await owner.call('GET', '/dashboard/api-keys')
    expect(listed.json).toMatchObject({
      apiKeys: [{ revokedAt: '2026-03-10T09:09:00.000Z', old: null }],
    })
    expect(listed.text).not.toContain('sk_live_')
    expect(problem(await owner.call('POST', `${at}/rotate`, {}))).toEqual([422, 'refused'])
    expect(problem(await owner.call('POST', `/dashboard/api-keys/${randomUUID()}/revoke`))).toEqual(
      [404, 'not-found'],
    )
  })
})

describe('mail in the window', () => {
  it('is set without ever showing the password, and says why a test failed', async () => {
    const owner = await gateway.signedIn('owner')
    expect(
      (await owner.call('POST', '/dashboard/mail/test', { to: 'it@clinic.example' })).json,
    ).toEqual({
      success: false,
      message: 'The message was not sent: no mail server is configured.',
    })
    const config = {
      host: '127.0.0.1',
      port: 1,
      security: 'starttls',
      user: 'gateway',
      from: 'it@clinic.example',
      certificate: null,
    }
    const set = await owner.call('PUT', '/dashboard/mail', {
      ...config,
      password: 'a mail password',
    })
    expect(set.json).toEqual({ ...config, hasPassword: true, waiting: 0, failed: 0, fault: null })
    expect(
      (await owner.call('POST', '/dashboard/mail/test', { to: 'it@clinic.example' })).json,
    ).toEqual({
      success: false,
      message: 'The message was not sent: the mail server refused the connection.',
    })
    const { person } = await invited(owner)
    await gateway.mail.settled()
    const read = await owner.call('GET', '/dashboard/mail')
    expect(read.json).toMatchObject({
      waiting: 1,
      failed: 0,
      fault: 'the mail server refused the connection',
    })
    expect(read.text).not.toContain('a mail password')
    const { people } = dashboardPeople.people.reply.parse(
      (await owner.call('GET', '/dashboard/people')).json,
    )
    expect(people.find(({ userId }) => userId === person.userId)?.invitation).toMatchObject({
      mail: 'waiting',
      mailFault: 'the mail server refused the connection',
    })
    const plain = await owner.call('PUT', '/dashboard/mail', { ...config, security: 'none' })
    expect([plain.status, Problem.parse(plain.json).errors[0]?.path]).toEqual([
      422,
      'body.security',
    ])
  })
})
