import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { recordUnknownCall } from '#server/modules/devices/devices.ts'
import { insertInspection } from '#server/modules/worklist/inspection-queries.ts'
import { Problem } from '#shared/contract/conventions.ts'
import { dashboard, type PartnerStatus, type Status } from '#shared/contract/dashboard.ts'
import { englishText } from '#shared/messages/english.ts'
import { verbatim } from '#shared/messages/message.ts'
import { openEventSource } from '../../../../support/event-source.ts'
import { MISMATCH, quarantine, seedImages } from '../../../../support/images.ts'
import { textOf } from '../../../../support/saying.ts'
import {
  openTestDashboard,
  record,
  STORAGE,
  type TestDashboard,
  type TestWindow,
} from './dashboard-fixture.ts'

let partner: PartnerStatus
let storage: Status['storage']
let gateway: TestDashboard
let member: TestWindow
beforeEach(async () => {
  partner = {
    url: null,
    state: 'unset',
    fault: null,
    detail: null,
    lastOkAt: null,
    downSince: null,
  }
  storage = STORAGE
  gateway = await openTestDashboard({ partner: () => partner, storage: () => storage })
  member = await gateway.signedIn('member')
})
afterEach(() => gateway[Symbol.asyncDispose]())

const status = async () =>
  dashboard.status.reply.parse((await member.call('GET', '/dashboard/status')).json)

describe('the status', () => {
  it('of a new gateway tells what to do first', async () => {
    expect(await status()).toEqual({
      listeners: [
        { name: 'dimse', address: '0.0.0.0:11112', aeTitle: 'ISTHMUS', isUp: true, detail: null },
      ],
      partner,
      downtime: { isOn: false, since: null, until: null, reason: '', userName: '' },
      banner: null,
      today: { queries: 0, rowsSent: 0, failures: 0, withheld: 0 },
      unknownCallers: 0,
      openAssociations: 3,
      storage: {
        state: 'ok',
        freeBytes: 400_000_000_000,
        totalBytes: 500_000_000_000,
        detail: null,
      },
      records: { state: 'ok', since: null, detail: null },
      images: { today: 0, receiving: 0, quarantined: 0, mismatches: 0, replaced: 0, recovered: 0 },
      forwards: { waiting: 2, failed: 0 },
      advice: [
        'No partner is configured, so all worklist queries fail. Enter its address under Partner.',
        'There is no device in the device list. Add one under Devices, or let it connect once and approve it there.',
        'Links sent to the partner open on this PC only. Set the public address (URL) under Settings so that the partner can open them.',
      ],
      startedAt: '2026-11-20T09:00:00.000Z',
      clinicTimeZone: 'Europe/Berlin',
    })
  })

  it('counts the queries of the day of the clinic', async () => {
    insertInspection(gateway.store.database, record({ at: '2026-11-19T22:59:59.999Z' }))
    insertInspection(gateway.store.database, record({ at: '2026-11-19T23:00:00.000Z' }))
    insertInspection(gateway.store.database, record({ status: 'A700', sent: 0, withheld: 0 }))
    expect((await status()).today).toEqual({ queries: 2, rowsSent: 6, failures: 1, withheld: 1 })
  })

  it('says what is wrong with the partner', async () => {
    partner = {
      ...partner,
      state: 'down',
      fault: 'timeout',
      lastOkAt: '2026-11-20T08:58:00.000Z',
      downSince: '2026-11-20T08:59:00.000Z',
    }
    expect((await status()).banner).toEqual({
      tone: 'warning',
      text: 'The partner does not respond in time (since 09:59). Devices get the worklist of 09:58 (2 min old).',
    })
  })

  it('says that the disk is full before what is wrong with the partner', async () => {
    storage = {
      state: 'full',
      freeBytes: 4_000_000_000,
      totalBytes: 500_000_000_000,
      detail: verbatim('No images are accepted: 4 GB are free.'),
    }
    partner = { ...partner, state: 'down', fault: 'timeout', downSince: '2026-11-20T08:59:00.000Z' }
    const now = await status()
    expect(now.storage).toEqual(storage)
    expect(now.banner).toEqual({
      tone: 'danger',
      text: 'No images are accepted: 4 GB are free. Devices keep their images until this is fixed.',
    })
  })

  it('counts the studies with images, and advises on those that wait for a person', async () => {
    seedImages(gateway.store, { uid: '1.2.3', mismatch: MISMATCH })
    seedImages(gateway.store, { uid: '1.2.4', state: 'receiving' })
    quarantine(gateway.store, '1.2.4')
    const now = await status()
    expect(now.images).toEqual({
      today: 3,
      receiving: 1,
      quarantined: 1,
      mismatches: 1,
      replaced: 0,
      recovered: 0,
    })
    expect(now.advice).toEqual(
      expect.arrayContaining([
        'The patient or order in the images of a study differs from its worklist entry or from the study. Compare them under Images.',
        'An image is in quarantine and waits for a decision. Release or discard it under Images, Quarantine.',
      ]),
    )
  })

  it('has the unknown callers that wait', async () => {
    await recordUnknownCall(gateway.store, {
      aeTitle: 'MR1',
      address: '10.0.0.9',
      calledAeTitle: 'ISTHMUS',
      services: [],
    })
    const now = await status()
    expect(now.unknownCallers).toBe(1)
    expect(now.advice.map(englishText)).toContain(
      'An unknown device tried to connect. Approve or dismiss it under Devices.',
    )
  })
})

describe('downtime mode', () => {
  it('is started with a reason by a named person and ended by another', async () => {
    const started = await member.call('POST', '/dashboard/downtime', { reason: 'Router replaced' })
    const on = {
      isOn: true,
      since: '2026-11-20T09:00:00.000Z',
      until: '2026-11-20T23:00:00.000Z',
      reason: 'Router replaced',
      userName: 'Vera member',
    }
    expect([started.status, started.json]).toEqual([200, on])
    const now = await status()
    expect(now.downtime).toEqual(on)
    expect(textOf(now.banner?.text)).toContain(
      'Downtime mode has been enabled since 10:00 (Vera member)',
    )
    const admin = await gateway.signedIn('admin')
    const off = { isOn: false, since: null, until: null, reason: '', userName: '' }
    expect((await admin.call('DELETE', '/dashboard/downtime')).json).toEqual(off)
    expect((await status()).downtime).toEqual(off)
  })

  it('needs a reason', async () => {
    const answer = await member.call('POST', '/dashboard/downtime', { reason: ' ' })
    expect([answer.status, Problem.parse(answer.json).errors]).toEqual([
      400,
      [{ path: 'body.reason', message: 'must give a reason' }],
    ])
  })
})

describe('the feed', () => {
  const line = (text: string) =>
    ({
      associationId: 'a1',
      kind: 'worklist',
      tone: 'good',
      aeTitle: 'CT1',
      address: '10.0.3.7',
      text: verbatim(text),
      inspectionId: 7,
      studyInstanceUid: null,
    }) as const

  it('is read newest first', async () => {
    const appended = ['one', 'two', 'three'].map((text) => gateway.feed.append(line(text)))
    const page = dashboard.feed.reply.parse(
      (await member.call('GET', '/dashboard/feed?limit=2')).json,
    )
    expect(page).toEqual({ lines: [appended[2], appended[1]], hasMore: true, cursor: page.cursor })
    const rest = await member.call('GET', `/dashboard/feed?limit=2&cursor=${page.cursor}`)
    expect(rest.json).toEqual({ lines: [appended[0]], hasMore: false })
  })

  it('arrives as events, and what was missed comes after a reconnect', async () => {
    const headers = { cookie: member.cookie() }
    const url = `${gateway.server.url}/dashboard/feed/events`
    const first = await openEventSource(url, headers)
    expect(await first.next()).toEqual({ event: 'status', data: {}, id: undefined })
    expect(await first.next()).toEqual({ event: 'images', data: {}, id: undefined })
    expect(await first.next()).toEqual({ event: 'studies', data: {}, id: undefined })
    const one = gateway.feed.append(line('one'))
    expect(await first.next()).toEqual({ event: 'line', data: one, id: String(one.lineId) })
    gateway.feed.noteStatus()
    expect(await first.next()).toEqual({ event: 'status', data: {}, id: undefined })
    gateway.feed.noteImages()
    expect(await first.next()).toEqual({ event: 'images', data: {}, id: undefined })
    gateway.feed.noteStudies()
    expect(await first.next()).toEqual({ event: 'studies', data: {}, id: undefined })
    first.close()

    const two = gateway.feed.append(line('two'))
    const second = await openEventSource(url, { ...headers, 'last-event-id': String(one.lineId) })
    expect(await second.next()).toEqual({ event: 'line', data: two, id: String(two.lineId) })
    expect((await second.next()).event).toBe('status')
    second.close()
  })

  it('sends a window that was away for long the newest lines only, so that the stream holds', async () => {
    const first = gateway.feed.append(line('x'.repeat(400)))
    for (let index = 0; index < 990; index += 1)
      gateway.feed.append(line(`${index} ${'x'.repeat(400)}`))
    const headers = { cookie: member.cookie(), 'last-event-id': String(first.lineId) }
    const stream = await openEventSource(`${gateway.server.url}/dashboard/feed/events`, headers)
    const lines = []
    for (let event = await stream.next(); event.event === 'line'; event = await stream.next())
      lines.push(event)
    expect(lines).toHaveLength(200)
    expect(lines.at(-1)?.data).toMatchObject({ text: expect.stringMatching(/^989 /) })
    stream.close()
  })

  it('is for who is signed in', async () => {
    expect((await openEventSource(`${gateway.server.url}/dashboard/feed/events`)).status).toBe(401)
  })
})
