import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { EventLog } from '#server/modules/events/log.ts'
import { EventReplay } from '#server/modules/events/replay.ts'
import { type SendTest, serveEvents } from '#server/modules/events/routes.ts'
import { openRefusedHosts } from '#server/modules/partners/refused-hosts.ts'
import { serveEndpoints } from '#server/modules/partners/routes.ts'
import * as studyService from '#server/modules/studies/service.ts'
import { dashboardEvents, EventRecord, MeterRow, Verdict } from '#shared/contract/events.ts'
import { verbatim } from '#shared/messages/message.ts'
import { bound } from '../../../../support/bound.ts'
import { newKey } from '../../../../support/callers.ts'
import { attempt, newEvent } from '../../../../support/events.ts'
import {
  codeOf,
  openTestDashboard,
  type TestDashboard,
  type TestWindow,
} from '../dashboard/dashboard-fixture.ts'

const AT = '2026-11-20T09:00:00.000Z'
let gateway: TestDashboard
let owner: TestWindow
let log: EventLog
let tested: unknown[]
beforeEach(async () => {
  tested = []
  gateway = await openTestDashboard(
    {},
    {
      serve(app, { store, feed }) {
        log = new EventLog(store)
        const refusedHosts = openRefusedHosts(store.clock)
        const none = () => new Map<string, number>()
        serveEndpoints(app, store, refusedHosts, none, feed.noteStatus)
        const replay = new EventReplay(store, () => {}, {})
        const sendTest: SendTest = async (type, endpointId) => {
          tested.push({ type, endpointId })
          const eventId = newEvent().eventId as never
          return { success: true, message: verbatim('The partner answered.'), eventId }
        }
        store.settings.change({ 'partner.plaintextHosts': ['10.0.0.5:8080'] }, 'command-line')
        serveEvents(app, store, log, replay, sendTest, feed.noteStatus)
      },
    },
  )
  owner = await gateway.signedIn('owner')
})
afterEach(() => gateway[Symbol.asyncDispose]())

async function noted(count: number, more: Parameters<typeof attempt>[0] = {}) {
  const events = Array.from({ length: count }, () => newEvent())
  for (const event of events) log.record(event, attempt({ at: AT, ...more }))
  await log.flush()
  return events.map(({ eventId }) => eventId)
}

describe('the window about events', () => {
  it('is for owner and admin alone, for it shows what was sent', async () => {
    const member = await gateway.signedIn('member')
    for (const { method, path, access } of Object.values(dashboardEvents)) {
      expect(access).toMatch(/^manage/)
      const filled = path
        .replace(':eventId', newEvent().eventId)
        .replace(':endpointId', randomUUID())
      const body = method === 'GET' || method === 'DELETE' ? undefined : {}
      expect(codeOf(await member.call(method, filled, body))).toEqual([403, 'not-permitted'])
      expect(codeOf(await gateway.openWindow().call(method, filled, body))).toEqual([
        401,
        'not-signed-in',
      ])
    }
  })

  it('lists events newest first, in pages whose cursor is of this list alone', async () => {
    const ids = (await noted(5)).toReversed()
    const first = (await owner.call('GET', '/dashboard/events?limit=2')).json as {
      events: EventRecord[]
      cursor: string
    }
    expect(first.events.map(({ eventId }) => eventId)).toEqual(ids.slice(0, 2))
    const second = (
      await owner.call(
        'GET',
        `/dashboard/events?limit=3&cursor=${encodeURIComponent(first.cursor)}`,
      )
    ).json
    expect(second).toMatchObject({
      events: ids.slice(2).map((eventId) => ({ eventId })),
      hasMore: false,
    })
    const elsewhere = await owner.call(
      'GET',
      `/dashboard/events?show=failed&cursor=${encodeURIComponent(first.cursor)}`,
    )
    expect(codeOf(elsewhere)).toEqual([400, 'malformed'])
  })

  it('lists the patient and the exam of the study that an event is about', async () => {
    const studyInstanceUid = '1.2.3.7'
    bound(studyService, gateway.store).createStudy(newKey(gateway.store), 'scribe', {
      ...{ studyInstanceUid, studyDescription: 'CT Head', severity: 'normal' },
      reportMetadata: { patientName: 'Sample^Sue' },
    })
    log.record(newEvent({ studyInstanceUid }), attempt({ at: AT }))
    log.record(newEvent({ studyInstanceUid: '1.2.3.8' }), attempt({ at: AT }))
    await log.flush()
    expect((await owner.call('GET', '/dashboard/events')).json).toMatchObject({
      events: [{ study: null }, { study: { patientName: 'Sample^Sue', description: 'CT Head' } }],
    })
  })

  it('filters by outcome, type and what they are about', async () => {
    await noted(2)
    const [failed] = await noted(1, { outcome: 'timeout', response: null })
    const list = async (query: string) =>
      (
        (await owner.call('GET', `/dashboard/events?${query}`)).json as {
          events: { eventId: string }[]
        }
      ).events.map(({ eventId }) => eventId)
    expect(await list('show=failed')).toEqual([failed])
    expect(await list('type=report.delivered')).toEqual([])
    expect(await list('about=1.2.3')).toHaveLength(3)
    expect(await list(`about=${failed}`)).toEqual([failed])
    expect(codeOf(await owner.call('GET', '/dashboard/events?type=nothing'))).toEqual([
      400,
      'malformed',
    ])
  })

  it('reads an event, and says what is not kept', async () => {
    const [eventId] = await noted(1)
    expect(
      EventRecord.parse((await owner.call('GET', `/dashboard/events/${eventId}`)).json),
    ).toMatchObject({ eventId, mayReplay: false })
    expect(codeOf(await owner.call('GET', `/dashboard/events/${newEvent().eventId}`))).toEqual([
      404,
      'not-found',
    ])
    expect(codeOf(await owner.call('GET', '/dashboard/events/whe_1'))).toEqual([400, 'malformed'])
  })

  it('replays, drops and tells why it does not', async () => {
    const [eventId] = await noted(1)
    const { json } = await owner.call('POST', '/dashboard/events/replay', {
      which: 'these',
      eventIds: [eventId],
    })
    expect(json).toEqual({ queued: 0, skipped: [{ eventId, why: expect.stringMatching(/\.$/) }] })
    expect(
      (await owner.call('POST', '/dashboard/events/replay', { which: 'since-outage' })).json,
    ).toEqual({ queued: 0, skipped: [] })
    expect(
      (await owner.call('POST', `/dashboard/events/${eventId}/drop`, { reason: 'Not wanted.' }))
        .json,
    ).toMatchObject({
      success: false,
    })
    expect(
      codeOf(await owner.call('POST', `/dashboard/events/${eventId}/drop`, { reason: '' })),
    ).toEqual([400, 'malformed'])
  })

  it('tries an answer without keeping it, by the hosts that are allowed here', async () => {
    const body = JSON.stringify({
      authorized: true,
      urls: ['http://10.0.0.5:8080/1', 'http://10.0.0.6/2'],
    })
    const { json } = await owner.call('POST', '/dashboard/events/dry-run', {
      type: 'study.access_requested',
      body,
    })
    expect(Verdict.parse(json)).toMatchObject({ outcome: 'accepted', notes: [{ path: 'urls.1' }] })
    expect((await owner.call('GET', '/dashboard/events')).json).toEqual({
      events: [],
      hasMore: false,
    })
    const long = JSON.stringify({ clinicalIndication: 'ä'.repeat(900_000) })
    const large = await owner.call('POST', '/dashboard/events/dry-run', {
      type: 'clinical_context.enrichment_requested',
      body: long,
    })
    expect(large.status).toBe(200)
  })

  it('tests an event at an endpoint', async () => {
    const endpointId = randomUUID()
    expect(
      (await owner.call('POST', '/dashboard/events/test', { type: 'report.delivered', endpointId }))
        .status,
    ).toBe(200)
    expect(tested).toEqual([{ type: 'report.delivered', endpointId }])
  })

  it('measures how well partners keep to the contract', async () => {
    await noted(3, {
      notes: [{ path: 'urls.2', sentence: verbatim('It is not text; it is left out.') }],
    })
    const { rows } = (await owner.call('GET', '/dashboard/events/meter?days=1')).json as {
      rows: unknown[]
    }
    expect(MeterRow.array().parse(rows)).toMatchObject([
      { calls: 3, accepted: 3, withNotes: 3, notes: [{ path: 'urls.*', count: 3 }] },
    ])
  })

  it('manages where events go', async () => {
    const endpoint = {
      name: 'Reading service',
      url: 'https://reading.example/events',
      events: ['report.delivered'],
      apiKeyId: null,
    }
    const added = await owner.call('POST', '/dashboard/endpoints', endpoint)
    expect(added.status).toBe(201)
    const { endpointId, secret } = added.json as { endpointId: string; secret: string }
    expect(secret).toMatch(/^whsec_/)
    expect(
      (await owner.call('PATCH', `/dashboard/endpoints/${endpointId}`, { name: 'Readers' })).json,
    ).toMatchObject({ name: 'Readers' })
    expect((await owner.call('POST', `/dashboard/endpoints/${endpointId}/secret`, {})).status).toBe(
      200,
    )
    expect((await owner.call('GET', '/dashboard/endpoints')).json).toMatchObject({
      endpoints: [{ endpointId, name: 'Readers' }],
    })
  })
})
