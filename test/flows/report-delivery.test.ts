import { setTimeout as wait } from 'node:timers/promises'
import { Webhook } from 'standardwebhooks'
import { describe, expect, it, onTestFailed } from 'vitest'
import { openPartnerSimulator, type PartnerSimulator } from '#electron/simulator/partner.ts'
import { openStore } from '#gateway/store/store.ts'
import { dashboard } from '#shared/contract/dashboard.ts'
import { dashboardEvents } from '#shared/contract/events.ts'
import { type Delivery, dashboardReports } from '#shared/contract/reports.ts'
import type { EventData } from '#shared/contract/webhooks.ts'
import { type ReportId, WebhookEventId } from '#shared/ids.ts'
import { serving } from '../support/command-line.ts'
import { callerOf, OWNER, sessionHeaders, startGateway, webhookSecret } from '../support/gateway.ts'
import { movableClock, until } from '../support/imaging-clinic.ts'
import { keyCall } from '../support/interface.ts'
import { isGone } from '../support/reading-desk.ts'
import {
  CRITICAL,
  fetchPdf,
  furnishReporting,
  newScribeStudy,
  OF_THE_PATIENT,
  RADIOLOGIST,
  readingWindow,
} from '../support/reporting-clinic.ts'
import { tempFolder } from '../support/temp-store.ts'

// A report from the first word to the partner's 2xx; "What it must show" 1 of the issue.

const MINUTE_MS = 60_000

/** Signed reports as they came, each attempt. */
const deliveriesTo = (partner: PartnerSimulator) =>
  partner.received
    .filter(({ envelope }) => envelope.type === 'report.delivered')
    .map(({ envelope, headers, body, at }) => ({
      id: envelope.id,
      headers,
      body,
      at,
      data: envelope.data as EventData<'report.delivered'>,
    }))

describe('a report whose gateway is killed and whose partner is down', () => {
  it('is recovered, signed and delivered once, and its PDF opens for an hour', { timeout: 90_000 }, async () => {
    using temp = tempFolder()
    const { folder } = temp
    const secret = webhookSecret()
    const key = await furnishReporting(folder)
    await using partner = await openPartnerSimulator({ port: 0, secret, clock: Date.now })
    const start = () => serving(folder, '--partner-url', partner.url, '--partner-secret', secret, '--log-level', 'info')
    await using stack = new AsyncDisposableStack()
    let gateway = stack.use(await start())
    onTestFailed(() => console.error(gateway.stderr.join('\n')))
    const { studyId } = await newScribeStudy(keyCall(gateway.http, key).call, { externalPatientId: 'EXT-9' })

    // It writes as fast as it can when it is killed.
    const session = await sessionHeaders(gateway.http, RADIOLOGIST)
    let window = readingWindow(callerOf(gateway.http, session), studyId)
    await window.begin()
    const written = (number: number) => `${CRITICAL}\nDictated words: ${number}.`
    const writing = (async () => {
      try {
        for (let number = 1; ; number++) expect(await window.save(written(number))).toMatchObject({ outcome: 'saved', revision: number })
      } catch (error) {
        // The connection ends with the gateway; anything else is a wrong answer.
        if (!isGone(error)) throw error
      }
    })()
    await until(() => expect(window.revision).toBeGreaterThan(10))
    await wait(Math.random() * 20)
    await gateway.end('SIGKILL')
    await writing
    const acknowledged = window.revision

    // The window is still open, and its session lives.
    gateway = stack.use(await start())
    window = readingWindow(callerOf(gateway.http, session), studyId)
    const { draft, status, lock } = await window.read()
    expect({ status, lock }).toEqual({ status: 'in_progress', lock: null })
    expect([acknowledged, acknowledged + 1]).toContain(draft?.revision)
    expect(draft?.text).toBe(written(draft?.revision ?? 0))
    const { revisions } = await callerOf(gateway.http, session)(dashboardReports.revisions, { params: { studyId } })
    expect(revisions.map(({ revision }) => revision)).toEqual(
      Array.from({ length: Math.min(100, window.revision) }, (_, back) => window.revision - back),
    )

    // A partner that takes the connection and is gone, that is out of order, and that answers nonsense.
    partner.setSequence('report.delivered', ['down', 'error', 'garbage'])
    await window.begin()
    expect(await window.save(CRITICAL)).toMatchObject({ outcome: 'saved' })
    expect(await window.sign()).toMatchObject({ outcome: 'checks', findings: [{ check: 'critical-wording', level: 'warning' }] })
    const finding = 'Left tension pneumothorax'
    const signed = await window.sign({ isCritical: true, finding })
    if (signed.outcome !== 'signed') throw new Error(JSON.stringify(signed))
    expect(signed.reading).toMatchObject({ status: 'completed', draft: null, isCritical: true, reports: [{ text: CRITICAL }] })
    const reportId = signed.reading.reports[0]?.reportId as ReportId

    const stands = async (): Promise<Delivery | null> => (await window.read()).reports[0]?.delivery ?? null
    /** So many attempts failed, and the next one is due after the wait: a tenth more or less. */
    const failedAttempts = (attempts: number, waitMs: number) =>
      until(async () => {
        const delivery = await stands()
        expect(delivery).toMatchObject({ state: 'waiting', attempts, lastError: expect.any(String) })
        const after = Date.parse(delivery?.nextAt ?? '') - (deliveriesTo(partner).at(-1)?.at ?? 0)
        expect(after).toBeGreaterThanOrEqual(0.9 * waitMs - 1000)
        expect(after).toBeLessThan(1.1 * waitMs + 60_000)
      })
    /** The next attempt has another timestamp than the last one. */
    const anotherSecond = () =>
      until(() => expect(Math.floor(Date.now() / 1000)).toBeGreaterThan(Number(deliveriesTo(partner).at(-1)?.headers['webhook-timestamp'])))
    // The second attempt comes by itself, about 5 s after the first.
    await failedAttempts(2, 5 * MINUTE_MS)
    await gateway.end('SIGKILL')
    gateway = stack.use(await start())
    const radiologist = callerOf(gateway.http, session)
    window = readingWindow(radiologist, studyId)
    expect(await stands()).toMatchObject({ state: 'waiting', attempts: 2 })
    await anotherSecond()
    // Whoever answers another question is asked again for what waits.
    expect(await radiologist(dashboardReports.askContext, { params: { studyId }, body: {} })).toMatchObject({ state: 'empty' })
    await failedAttempts(3, 30 * MINUTE_MS)

    const owner = callerOf(gateway.http, await sessionHeaders(gateway.http, OWNER))
    expect(await owner(dashboardEvents.replay, { body: { which: 'since-outage', isTrial: true } })).toEqual({ queued: 1, skipped: [] })
    expect(partner.reports.size).toBe(0)
    await anotherSecond()
    await owner(dashboardEvents.replay, { body: { which: 'since-outage' } })
    await until(async () => expect(await stands()).toMatchObject({ state: 'delivered', attempts: 4, nextAt: null, lastError: '' }))

    // Delivered once; each attempt under one id, at its own time, with a link of its own, signed as Standard Webhooks says.
    const attempts = deliveriesTo(partner)
    expect(attempts).toHaveLength(4)
    expect([...partner.reports.keys()]).toEqual([attempts[0]?.id])
    expect(await owner(dashboardEvents.replay, { body: { which: 'since-outage' } })).toMatchObject({ queued: 0 })
    const eventId = WebhookEventId.parse(attempts[0]?.id)
    const webhook = new Webhook(secret)
    for (const { id, headers, body, data } of attempts) {
      expect([id, headers['webhook-id']]).toEqual([eventId, eventId])
      expect(webhook.verify(body, headers as Record<string, string>)).toMatchObject({ id: eventId, type: 'report.delivered' })
      expect(() => webhook.verify(Buffer.concat([body, Buffer.from(' ')]), headers as Record<string, string>)).toThrow()
      const { presignedUrl: _, ...rest } = data
      expect(rest).toEqual({
        ...{ reportId, studyId, studyInstanceUid: signed.reading.studyInstanceUid, externalPatientId: 'EXT-9' },
        ...{ isCritical: true, plainText: CRITICAL },
      })
    }
    expect(new Set(attempts.map(({ headers }) => headers['webhook-timestamp'])).size).toBe(4)
    expect(new Set(attempts.map(({ data }) => data.presignedUrl)).size).toBe(4)

    const event = await owner(dashboardEvents.read, { params: { eventId } })
    expect(event).toMatchObject({
      state: 'done',
      outcome: 'accepted',
      attempts: 4,
      subject: reportId,
      effect: 'The partner has the report.',
    })
    expect(event.attemptList.map(({ outcome, httpStatus }) => `${outcome} ${httpStatus}`)).toEqual([
      ...['accepted 200', 'invalid 200', 'status 500', 'unreachable null'],
    ])
    expect(event.request).not.toContain('signature=')
    const { criticals } = await radiologist(dashboardReports.criticals, {})
    expect(criticals).toMatchObject([{ reportId, finding, communication: null }])
    const said = [...gateway.stderr, JSON.stringify((await owner(dashboard.feed, { query: {} })).lines)].join('\n')
    expect(said).not.toMatch(OF_THE_PATIENT)
    expect(said).not.toMatch(/internal error/)

    const presignedUrl = attempts.at(-1)?.data.presignedUrl ?? ''
    const pdf = await fetchPdf(presignedUrl)
    expect([pdf.status, pdf.type, pdf.bytes.subarray(0, 5).toString()]).toEqual([200, 'application/pdf', '%PDF-'])
    expect(Object.fromEntries(pdf.headers)).toMatchObject({ 'cache-control': 'private, no-store', 'x-content-type-options': 'nosniff' })
    expect((await fetchPdf(presignedUrl, 'POST')).status).toBe(405)
    expect(await gateway.end('SIGTERM')).toBe(0)
    {
      using store = openStore({ folder, clock: Date.now, uuid: () => crypto.randomUUID() })
      expect(store.reportPdfs.entry(reportId)).toMatchObject({ sha256: pdf.sha256, bytes: pdf.bytes.length })
      expect(store.reportPdfs.read(reportId)?.equals(pdf.bytes)).toBe(true)
      expect(store.audit.verify().isIntact).toBe(true)
    }

    // The link opens the PDF on every run of this gateway, until its hour is over.
    const clock = movableClock()
    await using later = await startGateway({ folder, partner: null, clock })
    const here = new URL(presignedUrl)
    const link = `${later.http}${here.pathname}${here.search}`
    const end = Number(here.searchParams.get('expires')) * 1000
    clock.ahead = end - Date.now() - MINUTE_MS
    expect(await fetchPdf(link)).toMatchObject({ status: 200, sha256: pdf.sha256 })
    for (const method of ['POST', 'PUT', 'DELETE']) expect((await fetchPdf(link, method)).status).toBe(405)
    expect((await fetchPdf(link.replace(/expires=\d+/, `expires=${end / 1000 + 3600}`))).status).toBe(403)
    clock.ahead = end - Date.now()
    expect(await fetchPdf(link)).toMatchObject({ status: 403, type: expect.stringContaining('problem+json') })
    expect(deliveriesTo(partner)).toHaveLength(4)
  })
})
