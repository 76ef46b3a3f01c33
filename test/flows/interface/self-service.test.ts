import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { openPartnerSimulator, type PartnerSimulator } from '#electron/simulator/partner.ts'
import { createApiKey } from '#server/modules/api-keys/api-keys.ts'
import { disableEndpoint } from '#server/modules/partners/service.ts'
import { dashboardSettings } from '#shared/contract/dashboard.ts'
import { dashboardEvents } from '#shared/contract/events.ts'
import { ownEndpoints, ownEvents } from '#shared/contract/own-events.ts'
import type { StudyId, WebhookEventId } from '#shared/ids.ts'
import { webhookSecret } from '../../support/gateway.ts'
import { until } from '../../support/imaging-clinic.ts'
import {
  type Client,
  keyCall,
  newUid,
  type StartedInterface,
  startInterface,
} from '../../support/interface.ts'
import {
  NORMAL,
  newScribeStudy,
  OF_THE_PATIENT,
  readingWindow,
} from '../../support/reporting-clinic.ts'

// Partners see and replay their own events and manage their own endpoints, over HTTP (decision
// 0076).

let stage: StartedInterface
/** Sees bodies, manages endpoints. */
let first: Client
/** Reaches all studies, sees events without bodies, manages endpoints. */
let second: Client
/** Sees the events that belong to no key. */
let main: Client
const keyIds: Record<string, string> = {}
const secrets: Record<string, string> = {}
/** A partner system at a plain address of this PC. */
let receiver: PartnerSimulator
const receiverSecret = webhookSecret()

beforeAll(async () => {
  stage = await startInterface({
    partner: {},
    prepare(context) {
      const keys = {
        first: { scope: 'self', eventAccess: 'with-bodies', managesEndpoints: true },
        second: { scope: 'all', eventAccess: 'without-bodies', managesEndpoints: true },
        main: { scope: 'all', eventAccess: 'with-bodies', seesClinicEvents: true },
      } as const
      for (const [description, rights] of Object.entries(keys)) {
        const key = { description, isViewerEnabled: true, ...rights }
        const made = createApiKey(context, key, 'command-line')
        keyIds[description] = made.apiKey.apiKeyId
        secrets[description] = made.key
      }
    },
  })
  const client = (name: string) => keyCall(stage.http, secrets[name] ?? '')
  first = client('first')
  second = client('second')
  main = client('main')
  receiver = await openPartnerSimulator({ port: 0, secret: receiverSecret, clock: Date.now })
})
afterAll(async () => {
  await receiver?.[Symbol.asyncDispose]()
  await stage?.[Symbol.asyncDispose]()
})

const URL_1 = 'https://ris.example/isthmus'
const code = ({ json }: { readonly json: unknown }) => (json as { code?: string }).code

/** A signed report of a study that the key created; its event, once it was delivered. */
async function deliveredTo(client: Client): Promise<WebhookEventId> {
  const { studyId, studyInstanceUid } = await newScribeStudy(client.call)
  await readingWindow(stage.users.radiologist.call, studyId as StudyId).report(NORMAL)
  return until(async () => {
    const query = { type: 'report.delivered', state: 'done', studyInstanceUid } as const
    const { events } = await client.call(ownEvents.list, { query })
    expect(events).toHaveLength(1)
    return events[0]?.eventId as WebhookEventId
  })
}

const actionsOf = (keyName: string): string[] =>
  stage.withStore(({ database }) =>
    database
      .all(
        database.sql
          .selectFrom('auditEntries')
          .select('action')
          .where('actor', '=', `api-key:${keyIds[keyName]}`)
          .orderBy('seq'),
      )
      .map(({ action }) => action),
  )

describe('without the right', () => {
  const CALLS = [
    'GET /v1/events',
    'GET /v1/events/whe_00000000000000000000000000000001',
    'POST /v1/events/whe_00000000000000000000000000000001/replay',
    'GET /v1/endpoints',
    'POST /v1/endpoints',
    'PATCH /v1/endpoints/0b8f6f0e-52c1-4f5e-9a53-6f0f4f2f6a11',
    'DELETE /v1/endpoints/0b8f6f0e-52c1-4f5e-9a53-6f0f4f2f6a11',
    'POST /v1/endpoints/0b8f6f0e-52c1-4f5e-9a53-6f0f4f2f6a11/rotate-secret',
    'POST /v1/endpoints/0b8f6f0e-52c1-4f5e-9a53-6f0f4f2f6a11/test',
  ] as const

  it.each(CALLS)('a key is refused %s, as is a user of the window', async (call) => {
    const given = call.startsWith('GET') ? {} : { json: {} }
    for (const client of [stage.keys.partner, stage.users.owner]) {
      const refused = await client.send(call, given)
      expect([refused.status, code(refused)]).toEqual([403, 'not-permitted'])
    }
    expect((await stage.nobody.send(call, given)).status).toBe(401)
  })
})

describe('the events of a key', () => {
  it('are those about what it created, with bodies and attempts, and no other key has them', async () => {
    const eventId = await deliveredTo(first)
    const params = { eventId }
    const event = await first.call(ownEvents.read, { params })
    expect(event).toMatchObject({
      ...{ type: 'report.delivered', state: 'done', outcome: 'accepted', kind: 'asynchronous' },
      ...{ attempts: 1, hasBodies: true, canReplay: true, whyNot: null, isTest: false },
      attemptList: [{ attempt: 1, httpStatus: 200, response: '{"success":true}' }],
    })
    expect(event.request).toMatch(OF_THE_PATIENT)
    // The key with access to all studies reads the report, but it is not its event.
    for (const other of [second, main]) {
      const { events } = await other.call(ownEvents.list, { query: {} })
      expect(events.map((one) => one.eventId)).not.toContain(eventId)
      expect((await other.send(`GET /v1/events/${eventId}`)).status).toBe(404)
      expect((await other.send(`POST /v1/events/${eventId}/replay`)).status).toBe(404)
    }
    expect(actionsOf('second')).not.toContain('event.replay')
  })

  it('come without bodies where the right is only to those', async () => {
    const eventId = await deliveredTo(second)
    const answer = await second.send(`GET /v1/events/${eventId}`)
    expect(answer.json).toMatchObject({
      ...{ request: null, hasBodies: false },
      attemptList: [{ httpStatus: 200, response: null }],
    })
    expect(answer.text).not.toMatch(OF_THE_PATIENT)
  })

  it('do not show the partner’s own words of a refusal without the right to bodies', async () => {
    const { studyId, studyInstanceUid } = await newScribeStudy(second.call)
    stage.started.partner.setScenario('refuse')
    await readingWindow(stage.users.radiologist.call, studyId as StudyId).report(NORMAL)
    const query = { studyInstanceUid }
    const eventId = await until(async () => {
      const { events } = await second.call(ownEvents.list, { query })
      expect(events[0]).toMatchObject({ state: 'waiting', outcome: 'refused' })
      expect(events[0]?.nextAttemptAt).not.toBeNull()
      return events[0]?.eventId as WebhookEventId
    })
    const { attemptList } = await second.call(ownEvents.read, { params: { eventId } })
    expect(attemptList[0]).toMatchObject({ outcome: 'refused', detail: null, response: null })
    stage.started.partner.setScenario('normal')
    expect(await second.call(ownEvents.replay, { params: { eventId } })).toEqual({ success: true })
    await until(async () =>
      expect((await second.call(ownEvents.read, { params: { eventId } })).state).toBe('done'),
    )
  })

  it('are sent again under their own ids, which the audit log has', async () => {
    const eventId = await deliveredTo(first)
    const before = stage.started.partner.received.length
    expect(await first.call(ownEvents.replay, { params: { eventId } })).toEqual({ success: true })
    await until(async () => {
      const again = stage.started.partner.received.slice(before)
      expect(again.map(({ envelope }) => envelope.id)).toContain(eventId)
      const { attemptList } = await first.call(ownEvents.read, { params: { eventId } })
      expect(attemptList).toHaveLength(2)
    })
    expect(actionsOf('first')).toContain('event.replay')
    // Reads are recorded within a second.
    await until(async () => expect(actionsOf('first')).toContain('read.interface'))
  })

  it('include those of no key only with the right to them', async () => {
    const { endpoints } = await stage.started.call(dashboardEvents.endpoints, {})
    const endpointId = endpoints.find(({ isDefault }) => isDefault)?.endpointId ?? ''
    const body = { type: 'modality_worklist.requested', endpointId } as const
    const { eventId } = await stage.started.call(dashboardEvents.test, { body })
    const query = { type: 'modality_worklist.requested' } as const
    const { events } = await main.call(ownEvents.list, { query })
    expect(events[0]).toMatchObject({ eventId, isTest: true, kind: 'synchronous' })
    const replayed = await main.call(ownEvents.replay, { params: { eventId } })
    expect(replayed).toMatchObject({ success: false, message: expect.stringMatching(/test/i) })
    for (const client of [first, second]) {
      expect((await client.call(ownEvents.list, { query })).events).toEqual([])
      expect((await client.send(`GET /v1/events/${eventId}`)).status).toBe(404)
    }
  })

  it('come in pages, newest first, each once', async () => {
    const every = await first.call(ownEvents.list, { query: { limit: 100 } })
    const paged: string[] = []
    let cursor: string | undefined
    do {
      const page = await first.call(ownEvents.list, {
        query: { limit: 1, ...(cursor && { cursor }) },
      })
      paged.push(...page.events.map(({ eventId }) => eventId))
      cursor = page.cursor
    } while (cursor)
    expect(paged).toEqual(every.events.map(({ eventId }) => eventId))
    expect(paged.length).toBeGreaterThan(1)
    const mixed = await main.call(ownEvents.list, { query: { limit: 100 } })
    expect(mixed.events.length).toBeGreaterThan(0)
  })
})

describe('the endpoints of a key', () => {
  const remove = async (client: Client) => {
    for (const { endpointId } of (await client.call(ownEndpoints.list, {})).endpoints)
      await client.call(ownEndpoints.remove, { params: { endpointId } })
  }
  afterEach(async () => {
    await remove(first)
    await remove(second)
  })
  const add = (client: Client, more: object = {}) =>
    client.send('POST /v1/endpoints', {
      json: { url: URL_1, events: ['report.delivered'], ...more },
    })
  const shownToTheClinic = async (endpointId: string) =>
    (await stage.started.call(dashboardEvents.endpoints, {})).endpoints.find(
      (one) => one.endpointId === endpointId,
    )

  it('are added, changed and removed by it, and each secret is shown once', async () => {
    const made = await add(first, { name: 'Reports' })
    expect(made.status).toBe(201)
    const { endpointId, secret } = made.json as { endpointId: string; secret: string }
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    const params = { endpointId }
    const listed = await first.send('GET /v1/endpoints')
    expect(listed.json).toMatchObject({
      endpoints: [{ endpointId, name: 'Reports', url: URL_1, isEnabled: true, waiting: 0 }],
    })
    const changed = await first.send(`PATCH /v1/endpoints/${endpointId}`, {
      json: { name: 'Signed reports' },
    })
    expect(changed.json).toMatchObject({ name: 'Signed reports', url: URL_1 })
    expect(listed.text + changed.text).not.toContain('whsec_')

    const rotated = await first.call(ownEndpoints.rotateSecret, { params, body: {} })
    expect(rotated.secret).not.toBe(secret)
    expect(rotated.secrets).toHaveLength(2)
    const ended = await first.call(ownEndpoints.rotateSecret, {
      params,
      body: { endOthersNow: true },
    })
    expect(ended.secrets).toHaveLength(1)
    expect(await shownToTheClinic(endpointId)).toMatchObject({
      apiKey: { apiKeyId: keyIds.first },
      ...{ allowsPlaintext: false, fileHosts: [], budgets: {} },
    })

    expect(await first.call(ownEndpoints.remove, { params })).toMatchObject({ success: true })
    expect((await first.call(ownEndpoints.list, {})).endpoints).toEqual([])
    const actions = ['add', 'change', 'rotate-secret', 'remove'].map((one) => `endpoint.${one}`)
    expect(actionsOf('first')).toEqual(expect.arrayContaining(actions))
  })

  it('are nothing to another key, and those of the clinic are nothing to any', async () => {
    const { endpointId } = (await add(first)).json as { endpointId: string }
    const { endpoints } = await stage.started.call(dashboardEvents.endpoints, {})
    const ofTheClinic = endpoints.find(({ isDefault }) => isDefault)?.endpointId ?? ''
    for (const id of [endpointId, ofTheClinic]) {
      const path = `/v1/endpoints/${id}` as const
      const answers = await Promise.all([
        second.send(`PATCH ${path}`, { json: { name: 'mine' } }),
        second.send(`DELETE ${path}`),
        second.send(`POST ${path}/rotate-secret`, { json: {} }),
        second.send(`POST ${path}/test`, { json: { type: 'report.delivered' } }),
      ])
      expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404])
    }
    expect((await second.call(ownEndpoints.list, {})).endpoints).toEqual([])
    // Both keys may have an endpoint for the same event, each key only one.
    expect((await add(second)).status).toBe(201)
    expect((await add(first)).status).toBe(422)
  })

  it('have addresses that an administrator’s would have to have', async () => {
    const statusOf = async (url: string) => (await add(first, { url })).status
    expect(await statusOf('http://ris.example/')).toBe(400)
    expect(await statusOf('ftp://ris.example/')).toBe(400)
    expect(await statusOf('no address')).toBe(400)
    expect(await statusOf('https://user:word@ris.example/')).toBe(400)
    expect(await statusOf('https://ris.example/#part')).toBe(400)
    expect((await add(first, { events: ['modality_worklist.requested'] })).status).toBe(400)
    expect((await first.call(ownEndpoints.list, {})).endpoints).toEqual([])
  })

  it.each(['127.0.0.1', '10.0.0.7', '169.254.169.254', '[::1]', '[fd00::1]', 'localhost'])(
    'are not called at %s of the clinic',
    async (host) => {
      const added = await add(first, { url: `https://${host}:${new URL(receiver.url).port}/` })
      const { endpointId } = added.json as { endpointId: string }
      const tested = await first.call(ownEndpoints.test, {
        params: { endpointId },
        body: { type: 'report.delivered' },
      })
      expect(tested.success).toBe(false)
      const event = await first.call(ownEvents.read, { params: { eventId: tested.eventId } })
      expect(event).toMatchObject({ isTest: true, outcome: 'forbidden-address' })
      expect(receiver.received).toEqual([])
    },
  )

  it('are at most ten', async () => {
    for (let number = 0; number < 10; number++)
      expect((await add(first, { events: [] })).status).toBe(201)
    expect((await add(first, { events: [] })).status).toBe(422)
  })

  it('keep what the clinic allowed only at the same host', async () => {
    const plain = { url: receiver.url, allowPlaintext: true, secret: receiverSecret }
    const { endpointId } = await stage.started.call(dashboardEvents.addEndpoint, {
      body: { ...plain, events: ['report.delivered'], apiKeyId: keyIds.first ?? '' },
    })
    const params = { endpointId }
    const listed = () => stage.withStore(({ settings }) => settings.get('partner.plaintextHosts'))
    const { host } = new URL(receiver.url)
    expect(listed()).toContain(host)
    await first.call(ownEndpoints.update, { params, body: { name: 'Test system' } })

    const tested = await first.call(ownEndpoints.test, {
      params,
      body: { type: 'report.delivered' },
    })
    expect(tested).toMatchObject({ success: true })
    expect(receiver.received.map(({ envelope }) => envelope.id)).toEqual([tested.eventId])
    const eventId = await deliveredTo(first)
    expect(receiver.received.map(({ envelope }) => envelope.id)).toContain(eventId)

    await first.call(ownEndpoints.update, { params, body: { url: `https://${host}/` } })
    expect(await shownToTheClinic(endpointId)).toMatchObject({ allowsPlaintext: false })
    expect(listed()).not.toContain(host)
  })

  it('do not change the list of hosts that the clinic allowed', async () => {
    const hosts = ['files.clinic.example:443']
    await stage.started.call(dashboardSettings.changeSettings, {
      body: { settings: { 'partner.plaintextHosts': hosts } },
    })
    const { endpointId } = (await add(first, { url: 'https://files.clinic.example/' })).json as {
      endpointId: string
    }
    await first.call(ownEndpoints.update, { params: { endpointId }, body: { name: 'x' } })
    await remove(first)
    expect(stage.withStore(({ settings }) => settings.get('partner.plaintextHosts'))).toEqual(hosts)
  })

  it('stay disabled where the clinic disabled them, and are enabled after a 410', async () => {
    const { endpointId } = (await add(first)).json as { endpointId: string }
    const params = { endpointId }
    const enable = () =>
      first.send(`PATCH /v1/endpoints/${endpointId}`, { json: { isEnabled: true } })
    await stage.started.call(dashboardEvents.changeEndpoint, { params, body: { isEnabled: false } })
    expect((await enable()).status).toBe(422)
    await stage.started.call(dashboardEvents.changeEndpoint, { params, body: { isEnabled: true } })
    stage.withStore((store) => disableEndpoint(store, endpointId))
    expect((await first.call(ownEndpoints.list, {})).endpoints[0]).toMatchObject({
      ...{ isEnabled: false, disabledReason: 'gone' },
    })
    expect((await enable()).json).toMatchObject({ isEnabled: true, disabledReason: null })
  })

  it('answer a repeat with the same Idempotency-Key, and only to the same key', async () => {
    const headers = { 'idempotency-key': newUid() }
    const json = { url: URL_1, events: ['report.delivered'] }
    const made = await first.send('POST /v1/endpoints', { json, headers })
    const again = await first.send('POST /v1/endpoints', { json, headers })
    expect(again.json).toEqual(made.json)
    expect((await first.call(ownEndpoints.list, {})).endpoints).toHaveLength(1)
    const other = await second.send('POST /v1/endpoints', { json, headers })
    expect((other.json as { secret: string }).secret).not.toBe(
      (made.json as { secret: string }).secret,
    )
  })
})
