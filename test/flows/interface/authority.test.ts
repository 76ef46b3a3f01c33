import { randomUUID } from 'node:crypto'
import { Secret, TOTP } from 'otpauth'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { setSessionConfirmed } from '#server/modules/users/session-queries.ts'
import { hashToken } from '#server/platform/token.ts'
import { Problem } from '#shared/contract/conventions.ts'
import { express } from '#shared/contract/express.ts'
import { type WindowOperation, windowOperations } from '#shared/contract/operations.ts'
import { viewerUsers } from '#shared/contract/users.ts'
import { OWNER, sessionHeaders } from '../../support/gateway.ts'
import {
  type Client,
  clientOf,
  type StartedInterface,
  startInterface,
} from '../../support/interface.ts'

// Who may do what at a running gateway (docs/AUTHORITY.md, decision 0033), and the attacks of
// docs/THREATS.md E4, E5, E21 and I16, over HTTP.

let stage: StartedInterface
/** Signed in long ago. */
let stale: Client
let staleCookie: string
beforeAll(async () => {
  stage = await startInterface()
  const login = { email: 'admin@clinic.example', password: OWNER.password }
  const headers = await sessionHeaders(stage.http, login)
  staleCookie = headers.cookie ?? ''
  stale = clientOf(stage.http, headers)
  makeStale()
  const { expressCustomerId } = await stage.keys.partner.call(express.create, {
    body: { expressCustomerName: 'Practice of the north' },
  })
  const body = { userId: stage.userIds.linked as never }
  await stage.keys.partner.call(express.addUser, { params: { expressCustomerId }, body })
})

/** The session's person proved who they are eleven minutes ago. */
function makeStale(): void {
  const [, token = ''] = staleCookie.split('=')
  const at = new Date(Date.now() - 11 * 60_000).toISOString()
  stage.withStore((store) => setSessionConfirmed(store.database, hashToken(token), at))
}
afterAll(() => stage[Symbol.asyncDispose]())

describe('a key of scope self that may manage people', () => {
  const NEW_KEY = { json: { description: 'Stolen', scope: 'all', isViewerEnabled: true } }

  it('makes nobody an administrator of the gateway, whatever level it writes', async () => {
    const params = { userId: stage.userIds.member }
    const body = { level: 'admin', hasDashboardAccess: true } as const
    const changed = await stage.keys.self.call(viewerUsers.update, { params, body })
    expect(changed.level).toBe('admin')
    const { member } = stage.users
    expect((await member.send('POST /dashboard/api-keys', NEW_KEY)).status).toBe(403)
    expect((await member.send('GET /dashboard/settings')).status).toBe(403)
    const session = (await member.send('GET /dashboard/session')).json
    expect(session).toMatchObject({ user: { level: 'member' } })
  })

  it('invites an administrator at its own address, who has no right in the gateway', async () => {
    const invited = await stage.keys.self.call(viewerUsers.invite, {
      body: {
        ...{ email: 'attacker@partner.example', firstName: 'Eve', lastName: 'Black' },
        ...{
          level: 'admin',
          clinicRole: 'Other',
          canManageStudies: true,
          hasDashboardAccess: true,
        },
      },
    })
    expect(invited.level).toBe('admin')
    const { userId } = invited
    // The mail of the invitation has the same link.
    const renewed = await stage.users.owner.send(`POST /dashboard/people/${userId}/invitation`)
    const token = /token=([\w-]+)/.exec((renewed.json as { link: string }).link)?.[1]
    const json = { token, password: OWNER.password }
    const accepted = await stage.nobody.send('POST /dashboard/invitation/accept', {
      json,
      headers: { 'x-isthmus-csrf': '1', 'sec-fetch-site': 'same-origin' },
    })
    expect(accepted.status).toBe(200)
    const login = { email: invited.email, password: OWNER.password }
    const attacker = clientOf(stage.http, await sessionHeaders(stage.http, login))
    expect((await attacker.send('POST /dashboard/api-keys', NEW_KEY)).status).toBe(403)
  })

  it('takes no administrator’s access', async () => {
    const { admin: userId } = stage.userIds
    const revoke = { json: { userId } }
    const close = { json: { hasDashboardAccess: false, level: 'member' } }
    expect((await stage.keys.self.send('POST /v1/viewer/users/revoke-access', revoke)).status).toBe(
      422,
    )
    expect((await stage.keys.self.send(`PATCH /v1/viewer/users/${userId}`, close)).status).toBe(422)
    const lower = { json: { level: 'member' } }
    expect((await stage.keys.self.send(`PATCH /v1/viewer/users/${userId}`, lower)).status).toBe(200)
    expect((await stage.users.admin.send('GET /dashboard/settings')).status).toBe(200)
  })
})

const codeOf = ({ json }: { readonly json: unknown }) =>
  Problem.safeParse(json).data?.code ?? 'none'

/** A call that is admitted or not, and changes nothing: its body cannot be read. */
function probe(client: Client, { operation: { method, path } }: WindowOperation) {
  const filled = path.replace(/:\w+/g, randomUUID())
  if (method === 'GET') return client.send(`GET ${filled as '/'}`)
  const headers = { 'content-type': 'application/json' }
  return client.send(`${method} ${filled as '/'}`, { headers, body: '{' })
}

describe('the authority matrix of the window', () => {
  type Caller = 'nobody' | 'key' | 'member' | 'linked' | 'owner' | 'admin' | 'stale'
  const OWN_PAGE = { 'x-isthmus-csrf': '1', 'sec-fetch-site': 'same-origin' }
  const clients: Readonly<Record<Caller, () => Client>> = {
    nobody: () => clientOf(stage.http, OWN_PAGE),
    // Every header of our own page does not make a key a session.
    key: () => ({
      ...stage.keys.partner,
      send: (call, given) =>
        stage.keys.partner.send(call, { ...given, headers: { ...OWN_PAGE, ...given?.headers } }),
    }),
    member: () => stage.users.member,
    linked: () => stage.users.linked,
    owner: () => stage.users.owner,
    admin: () => stage.users.admin,
    stale: () => stale,
  }

  const REFUSALS = ['not-signed-in', 'not-permitted', 'confirm-identity']
  const READ_TO_MANAGE_STUDIES = [
    'corrections.identities',
    'corrections.targets',
    'images.recoveredFiles',
  ]
  /** Read calls that are open to every session but take a right that this member does not have. */
  const REFUSED_BY_DOMAIN: Readonly<Partial<Record<Caller, readonly string[]>>> = {
    // Somebody of the front desk, who writes no reports either; `linked` is a radiologist.
    member: [...READ_TO_MANAGE_STUDIES, 'notices.list'],
    linked: READ_TO_MANAGE_STUDIES,
  }

  /** Calls whose body is a file of one type. */
  const TAKE_FILES: readonly string[] = ['dictation.transcribe']

  /** The refusal that stands before the operation's own rules; undefined: admitted. */
  function refusalOf(
    caller: Caller,
    { operation: { access } }: WindowOperation,
  ): string | undefined {
    if (access === 'public') return undefined
    if (caller === 'nobody' || caller === 'key') return 'not-signed-in'
    const isManager = caller === 'owner' || caller === 'admin' || caller === 'stale'
    if (access.startsWith('manage') && !isManager) return 'not-permitted'
    if (access === 'every-patient' && caller === 'linked') return 'not-permitted'
    if (access.endsWith('confirmed') && caller === 'stale') return 'confirm-identity'
    return undefined
  }

  it.each(Object.keys(clients) as Caller[])('holds for every call of %s', async (caller) => {
    const given: Record<string, string> = {}
    const expected: Record<string, string> = {}
    for (const one of windowOperations()) {
      const { name, operation } = one
      // Signing out and locking would end what the next call is made with.
      if (operation.access === 'public') continue
      const answer = await probe(clients[caller](), one)
      const refusal = refusalOf(caller, one)
      const code = codeOf(answer)
      // What cannot be parsed is changed by nobody; a read call may still find nothing.
      const isRead = operation.method === 'GET'
      given[name] = refusal === undefined && isRead && !REFUSALS.includes(code) ? 'admitted' : code
      const isRefused = REFUSED_BY_DOMAIN[caller]?.includes(name) === true
      const unread = TAKE_FILES.includes(name) ? 'not-json' : 'malformed'
      expected[name] = refusal ?? (isRefused ? 'not-permitted' : isRead ? 'admitted' : unread)
    }
    expect(given).toEqual(expected)
  })

  it('takes a recent sign-in for all that a manager changes, but for tests and tidying', () => {
    const without = windowOperations().filter(
      ({ operation: { method, access } }) => method !== 'GET' && access === 'manage',
    )
    expect(without.map(({ name }) => name)).toEqual([
      ...[
        'window.lintDevice',
        'window.echoDevice',
        'window.dismissCaller',
        'window.testPartner',
        'window.verifyAudit',
      ],
      ...['people.testMail', 'setup.finish', 'setup.stopPartnerSimulator', 'setup.visitAsDevice'],
      ...['setup.selfTest', 'setup.makeBackup'],
      ...['backups.make', 'backups.rehearse', 'backups.previewRestore', 'backups.restore'],
      ...['events.replay', 'events.drop', 'events.dryRun', 'events.test', 'destinations.echo'],
      ...['tiers.test', 'tiers.changeMigration', 'tiers.verify', 'tiers.stopVerification'],
      ...['lifecycle.preview', 'erasures.preview', 'dictation.test', 'identityProvider.test'],
    ])
  })
})

describe('a window that was signed in long ago', () => {
  const NEW_KEY = { json: { description: 'RIS' } }
  const makeKey = () => stale.send('POST /dashboard/api-keys', NEW_KEY)
  const confirm = (json: object) => stale.send('POST /dashboard/session/confirm', { json })

  it('makes no key before its person confirmed who they are, by the password', async () => {
    const refused = await makeKey()
    expect([refused.status, codeOf(refused)]).toEqual([403, 'confirm-identity'])
    expect((await confirm({ password: 'not the password' })).status).toBe(422)
    expect((await confirm({})).status).toBe(422)
    expect((await makeKey()).status).toBe(403)
    expect((await confirm({ password: OWNER.password })).status).toBe(200)
    expect((await makeKey()).status).toBe(201)
    makeStale()
    expect((await makeKey()).status).toBe(403)
  })

  it('changes nobody by the interface either', async () => {
    const answer = await stale.send(`PATCH /v1/viewer/users/${stage.userIds.member}`, {
      json: { firstName: 'Una' },
    })
    expect([answer.status, codeOf(answer)]).toEqual([403, 'confirm-identity'])
  })

  it('takes a code of the authenticator, once', async () => {
    const begun = await stale.send('POST /dashboard/account/second-factor', {
      json: { password: OWNER.password },
    })
    const { secret } = begun.json as { secret: string }
    const totp = new TOTP({
      algorithm: 'SHA1',
      digits: 6,
      period: 30,
      secret: Secret.fromBase32(secret),
    })
    const codeAt = (ms: number) => totp.generate({ timestamp: Date.now() + ms })
    expect(
      (
        await stale.send('POST /dashboard/account/second-factor/confirm', {
          json: { code: codeAt(0) },
        })
      ).status,
    ).toBe(200)
    expect((await confirm({ code: '000000' })).status).toBe(422)
    expect((await makeKey()).status).toBe(403)
    const code = codeAt(30_000)
    expect((await confirm({ code })).status).toBe(200)
    expect((await makeKey()).status).toBe(201)
    makeStale()
    expect((await confirm({ code })).status).toBe(422)
    expect((await makeKey()).status).toBe(403)
  })
})

describe('a member who is linked to customers', () => {
  it('gets no list with every patient, not even on paper, and asks as no device', async () => {
    const { linked, member } = stage.users
    const { devices } = (await linked.send('GET /dashboard/devices')).json as {
      devices: { deviceId: string }[]
    }
    const ask = { json: { deviceId: devices[0]?.deviceId ?? randomUUID() } }
    const calls = [
      ...([
        'GET /dashboard/worklist/exams',
        'GET /dashboard/worklist/exams/print?language=en',
        'GET /dashboard/inspections',
      ] as const),
      ...(['GET /dashboard/inspections/1', 'GET /dashboard/reconciliation'] as const),
    ]
    for (const call of calls) expect([call, (await linked.send(call)).status]).toEqual([call, 403])
    expect((await linked.send('POST /dashboard/worklist/ask', ask)).status).toBe(403)
    expect((await member.send('GET /dashboard/worklist/exams')).status).toBe(200)
    expect((await linked.send('GET /dashboard/session')).json).toMatchObject({ isLimited: true })
    expect((await member.send('GET /dashboard/session')).json).toMatchObject({ isLimited: false })
  })
})

describe('a key that manages nobody', () => {
  it('gets the right in the window, and loses it at its next call', async () => {
    const { apiKey, key } = (
      await stage.users.owner.send('POST /dashboard/api-keys', { json: { description: 'RIS' } })
    ).json as {
      apiKey: { apiKeyId: string; managesPeople: boolean }
      key: string
    }
    expect(apiKey.managesPeople).toBe(false)
    const client = clientOf(stage.http, { authorization: `Bearer ${key}` })
    const rename = () =>
      client.send(`PATCH /v1/scribe/users/${stage.userIds.member}`, { json: { firstName: 'Una' } })
    const allow = (managesPeople: boolean) =>
      stage.users.owner.send(`PATCH /dashboard/api-keys/${apiKey.apiKeyId}`, {
        json: { managesPeople },
      })
    expect([(await rename()).status, (await client.send('GET /v1/scribe/users')).status]).toEqual([
      403, 200,
    ])
    expect((await allow(true)).json).toMatchObject({ managesPeople: true })
    expect((await rename()).status).toBe(200)
    await allow(false)
    expect((await rename()).status).toBe(403)
  })
})
