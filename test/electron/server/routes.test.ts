import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Context, openContext } from '#server/context.ts'
import type { PartnerInterface } from '#server/http/partner-interface.ts'
import { ReplyCache } from '#server/http/reply-cache.ts'
import type { HttpServer } from '#server/http/server.ts'
import {
  createApiKey,
  openApiKeys,
  revokeApiKey,
  rotateApiKey,
} from '#server/modules/api-keys/api-keys.ts'
import { findStudy } from '#server/modules/studies/study-queries.ts'
import { saveStudy } from '#server/modules/studies/study-writing-queries.ts'
import { openAccounts } from '#server/modules/users/people.ts'
import { findUser, updateUser } from '#server/modules/users/queries.ts'
import { beginSession, sessionUser } from '#server/modules/users/sessions.ts'
import { openPartnerInterface, servePartnerInterface } from '#server/routes.ts'
import { type HttpAnswer, httpCall, OWN_PAGE } from '../../support/http-call.ts'
import { RUNS_TIMEOUT_MS, runs } from '../../support/property-runs.ts'
import { draftReport } from '../../support/reports.ts'
import { standingClock, tempFolder } from '../../support/temp-store.ts'
import { openTestServer } from './http/http-fixture.ts'

// Two servers on one data folder, one that remembers replies and one that makes each anew: nobody
// can tell them apart.

const SIGN_IN = {
  password: 'a long and quiet evening',
  firstName: 'Una',
  clinicRole: 'Radiologist',
} as const
const KEYS = {
  all: { description: 'all', isViewerEnabled: true, scope: 'all', managesPeople: true },
  self: { description: 'self', isViewerEnabled: true, scope: 'self', managesPeople: true },
  plain: { description: 'plain', isViewerEnabled: false, scope: 'all', managesPeople: true },
} as const
const open = new AsyncDisposableStack()
const clock = standingClock()
const hits = { count: 0 }
const keys: { apiKeyId: string; key: string }[] = []
const people: { userId: string; cookie: string }[] = []
const made = {
  studies: [] as { area: string; id: string; uid: string }[],
  customers: [] as string[],
}
let context: Context
let second: Context
let remembering: HttpServer
let plain: HttpServer

beforeAll(async () => {
  const { folder } = open.use(tempFolder())
  context = open.use(
    openContext({
      folder,
      clock,
      overrides: { 'http.ratePerSecond': 1000, 'http.rateBurst': 1_000_000 },
    }),
  )
  second = open.use(openContext({ folder, clock, uuid: randomUUID }))
  for (const key of Object.values(KEYS))
    keys.push(minted(createApiKey(context, key, 'command-line')))
  const accounts = openAccounts(context, { logN: 10, r: 8, p: 1 })
  for (const level of ['owner', 'member', 'member'] as const) {
    const given = {
      ...SIGN_IN,
      email: `${level}${people.length}@clinic.example`,
      lastName: level,
      level,
    }
    const { userId } = await accounts.createUser(given, 'command-line')
    const user = findUser(context.database, userId)
    if (user)
      people.push({
        userId,
        cookie: `isthmus-session=${beginSession(context, user, 'test').token}`,
      })
  }
  const userOf = (token: string) => sessionUser(context, token)
  const sessions = { userOf, isConfirmed: () => true, isLimited: () => false }
  const publicBase = () => 'http://127.0.0.1'
  const counting = openPartnerInterface(context, openApiKeys(context))
  const { replies } = counting
  const find = replies.find.bind(replies)
  replies.find = (caller, url) => {
    const found = find(caller, url)
    if (found) hits.count++
    return found
  }
  const serving = async (partners: PartnerInterface) =>
    open.use(
      await openTestServer({
        ...{ sessions, partners },
        register: (app) => servePartnerInterface(app, context, publicBase, '0'),
      }),
    )
  remembering = await serving(counting)
  const uncached: PartnerInterface = Object.create(counting)
  plain = await serving(Object.assign(uncached, { replies: new ReplyCache(context, []) }))
  for (const [change, n] of FIRST) await CHANGES[change]?.(n)
})
afterAll(() => open.disposeAsync())

const minted = ({ apiKey, key }: { apiKey: { apiKeyId: string }; key: string }) => ({
  apiKeyId: apiKey.apiKeyId,
  key,
})
const RECENT = 3
/** One of the newest few, so that what is changed is often what is asked for. */
const at = <T>(list: readonly T[], index: number): T | undefined =>
  list.slice(-RECENT)[index % Math.min(RECENT, Math.max(1, list.length))]
const asKey = (key: string) => ({ authorization: `Bearer ${key}` })
const send = (method: string, path: string, json?: unknown) =>
  httpCall(remembering.url + path, {
    method,
    headers: asKey(keys[0]?.key ?? ''),
    ...(json !== undefined && { json }),
  })

/** Secrets that have been replaced are asked with too; the latest of them. */
function rememberOld(old: (typeof keys)[number]): void {
  keys.push({ ...old })
  if (keys.length > 5) keys.splice(3, 1)
}

/** Every way by which something comes to be different; `n` chooses of what. */
const CHANGES: Readonly<Record<string, (n: number) => unknown>> = {
  async create(n) {
    const area = n % 2 ? 'viewer' : 'scribe'
    const uid = `2.25.${made.studies.length + 1}`
    const customer = at(made.customers, n)
    const body = {
      studyInstanceUid: uid,
      studyDescription: `CT ${n}`,
      severity: n % 3 ? 'normal' : 'stat',
    }
    const json = {
      ...body,
      ...(n % 5 > 2 && customer !== undefined && { expressCustomerId: customer }),
    }
    const headers = asKey(keys[(n >> 1) % 2]?.key ?? '')
    const { status, json: reply } = await httpCall(`${remembering.url}/v1/${area}/studies`, {
      method: 'POST',
      headers,
      json,
    })
    if (status === 201) made.studies.push({ area, id: (reply as { studyId: string }).studyId, uid })
  },
  patch(n) {
    const study = at(made.studies, n)
    return (
      study &&
      send('PATCH', `/v1/${study.area}/studies/${study.id}`, {
        studyDescription: `MR ${n}`,
        assignedTo: at(people, n)?.userId,
      })
    )
  },
  cancel(n) {
    const study = at(made.studies, n)
    return (
      study &&
      send('POST', `/v1/${study.area}/studies/${n % 4 ? 'cancel' : 'uncancel'}`, {
        studyId: study.id,
      })
    )
  },
  async customer(n) {
    const { json } = await send('POST', '/v1/express', { expressCustomerName: `Clinic ${n}` })
    made.customers.push((json as { expressCustomerId: string }).expressCustomerId)
  },
  rename: (n) =>
    send('PATCH', `/v1/express/${at(made.customers, n)}`, { expressCustomerName: `Practice ${n}` }),
  deactivate: (n) =>
    send('POST', `/v1/express/${at(made.customers, n)}/${n % 2 ? 'deactivate' : 'reactivate'}`),
  link: (n) =>
    send(n % 2 ? 'POST' : 'DELETE', `/v1/express/${at(made.customers, n)}/users`, {
      userId: people[1]?.userId,
    }),
  person(n) {
    const user = findUser(context.database, people[2]?.userId ?? '')
    if (user)
      updateUser(context.database, {
        ...user,
        firstName: `Una ${n}`,
        level: n % 3 ? 'member' : 'admin',
      })
  },
  access(n) {
    const user = findUser(context.database, people[2]?.userId ?? '')
    if (user) updateUser(context.database, { ...user, hasDashboardAccess: n % 2 === 0 })
  },
  rotate(n) {
    const index = n % 2
    const before = keys[index]
    if (before) rememberOld(before)
    if (before) keys[index] = minted(rotateApiKey(context, before.apiKeyId, 5000, 'command-line'))
  },
  revoke() {
    const index = 2
    const before = keys[index]
    if (before) {
      revokeApiKey(context, before.apiKeyId, 'command-line')
      rememberOld(before)
    }
    keys[index] = minted(createApiKey(context, KEYS.plain, 'command-line'))
  },
  pass: (n) => clock.pass((n % 20) * 500),
  undone(n) {
    const user = findUser(context.database, people[2]?.userId ?? '')
    expect(() =>
      context.database.transaction(() => {
        if (user) updateUser(context.database, { ...user, lastName: `undone ${n}` })
        throw new Error('undone')
      }),
    ).toThrow('undone')
  },
  report(n) {
    const study = at(
      made.studies.filter(({ area }) => area === 'scribe'),
      n,
    )
    if (study) draftReport(context, { studyId: study.id, userId: people[0]?.userId ?? '' })
  },
  /** As another process that has the folder open. */
  second(n) {
    const study = at(made.studies, n)
    const record = study && findStudy(second.database, study.id)
    if (record) saveStudy(second.database, { ...record, studyDescription: `US ${n}` }, record)
  },
}

/**
 * What there is to tell callers apart by: studies of two keys, with a customer and without, and a
 * member who is linked to that customer.
 */
const FIRST = [
  ['customer', 1],
  ...[0, 1, 2, 3, 4, 5, 8, 9, 10, 13].map((n) => ['create', n] as const),
  ['link', 1],
] as const

const READS: readonly ((n: number) => string)[] = [
  () => '/v1/viewer/studies',
  () => '/v1/scribe/studies?limit=2',
  () => '/v1/viewer/studies?studyDescription=ct&isCancelled=false',
  (n) => `/v1/viewer/studies?expressCustomerId=${at(made.customers, n)}`,
  (n) => `/v1/${at(made.studies, n)?.area}/studies/${at(made.studies, n)?.id}`,
  (n) => `/v1/${at(made.studies, n)?.area}/studies/by-uid/${at(made.studies, n)?.uid}`,
  () => '/v1/express',
  (n) => `/v1/express/${at(made.customers, n)}`,
  () => '/v1/viewer/users?limit=1',
  () => '/v1/scribe/users',
  (n) => `/v1/viewer/users/${at(people, n)?.userId}`,
  () => '/v1/viewer/studies?limit=many',
  () => '/v1/viewer/users/invitations',
]

/** What of an answer may differ: its id, its time, how many calls are left. */
const comparable = ({ status, headers, text, json }: HttpAnswer) => {
  const {
    'x-request-id': _,
    'ratelimit-remaining': __,
    'ratelimit-reset': ___,
    date: ____,
    'content-length': _____,
    ...said
  } = headers
  const problem = status >= 400 ? { ...(json as object), requestId: '' } : text
  return { status, said, problem }
}

it('tells each caller what that caller may see', async () => {
  const callers = [
    ...people.map(({ cookie }) => ({ ...OWN_PAGE, cookie })),
    ...keys.map(({ key }) => asKey(key)),
  ]
  const said = new Set<string>()
  const before = hits.count
  // The first use of each key is noted, which is a change: only the third round can be answered
  // from memory.
  for (const headers of [callers, callers, callers].flat()) {
    const ask = async ({ url }: HttpServer) =>
      comparable(await httpCall(`${url}/v1/viewer/studies`, { headers }))
    const anew = await ask(plain)
    expect(await ask(remembering)).toEqual(anew)
    said.add(JSON.stringify(anew.problem))
  }
  // All studies, those of a customer, those of a key, none at all.
  expect(said.size).toBe(4)
  expect(hits.count).toBe(before + callers.length - 1)
})

it('answers from memory what it would answer anew, whoever asks, whatever has changed by whatever way', {
  timeout: RUNS_TIMEOUT_MS,
}, async () => {
  const few = { minLength: 2, maxLength: 3 }
  const run = fc.record({
    questions: fc.uniqueArray(fc.record({ read: fc.nat(READS.length - 1), n: fc.nat(RECENT) }), {
      ...few,
      selector: ({ read }) => read,
    }),
    askers: fc.uniqueArray(fc.nat(8), { minLength: 3, maxLength: 4 }),
    changes: fc.array(
      fc.record({ change: fc.constantFrom(...Object.keys(CHANGES)), n: fc.nat(40) }),
      { minLength: 8, maxLength: 16 },
    ),
  })
  await fc.assert(
    fc.asyncProperty(run, async ({ questions, askers, changes }) => {
      const paths = questions.map(({ read, n }) => READS[read]?.(n) ?? '/')
      for (const { change, n } of changes) {
        await CHANGES[change]?.(n)
        const callers = [
          ...people.map(({ cookie }) => ({ ...OWN_PAGE, cookie })),
          ...[...keys].reverse().map(({ key }) => asKey(key)),
        ]
        for (const path of paths) {
          for (const asker of askers) {
            const headers = callers[asker % callers.length] ?? {}
            const ask = async ({ url }: HttpServer) =>
              comparable(await httpCall(url + path, { headers }))
            const anew = await ask(plain)
            expect(await ask(remembering)).toEqual(anew)
            expect(await ask(remembering)).toEqual(anew)
          }
        }
      }
    }),
    runs(20),
  )
  expect(hits.count).toBeGreaterThan(300)
})

it('counts the calls it answers from memory', async () => {
  const left = async () => Number((await send('GET', '/v1/express')).headers['ratelimit-remaining'])
  await left()
  const before = hits.count
  const first = await left()
  expect(await left()).toBe(first - 1)
  expect(hits.count).toBe(before + 2)
})

it('refuses a revoked key and a user without access at the next call', async () => {
  const { apiKeyId, key } = minted(createApiKey(context, KEYS.all, 'command-line'))
  const status = async (headers: Record<string, string>) =>
    (await httpCall(`${remembering.url}/v1/express`, { headers })).status
  expect([await status(asKey(key)), await status(asKey(key))]).toEqual([200, 200])
  revokeApiKey(context, apiKeyId, 'command-line')
  expect(await status(asKey(key))).toBe(401)

  const { userId = '', cookie = '' } = people[1] ?? {}
  const user = findUser(context.database, userId)
  if (!user) throw new Error('There is no such user')
  const headers = { ...OWN_PAGE, cookie }
  expect([await status(headers), await status(headers)]).toEqual([200, 200])
  updateUser(context.database, { ...user, deactivatedAt: '2026-03-10T09:00:00.000Z' })
  expect(await status(headers)).toBe(401)
})

it('answers HEAD as GET, without the bytes', async () => {
  const [get, head] = [await send('GET', '/v1/express'), await send('HEAD', '/v1/express')]
  expect([head.status, head.text, head.headers['content-length']]).toEqual([
    200,
    '',
    get.headers['content-length'],
  ])
})
