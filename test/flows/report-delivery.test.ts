import { setTimeout as wait } from 'node:timers/promises'
import { Webhook } from 'standardwebhooks'
import { describe, expect, it, onTestFailed } from 'vitest'
import { openPartnerSimulator, type PartnerSimulator } from '#electron/simulator/partner.ts'
import { openContext } from '#server/context.ts'
import { findReportPdf, readReportPdf } from '#server/modules/reports/report-document-queries.ts'
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

/**
 * A gateway in a process of its own, with its partner; a test kills it and starts it again on the
 * same data.
 */
async function openKillable(folder: string) {
  await using opened = new AsyncDisposableStack()
  const secret = webhookSecret()
  const key = await furnishReporting(folder)
  const partner = opened.use(await openPartnerSimulator({ port: 0, secret, clock: Date.now }))
  const start = () =>
    serving(folder, '--partner-url', partner.url, '--partner-secret', secret, '--log-level', 'info')
  let gateway = opened.use(await start())
  const { studyId } = await newScribeStudy(keyCall(gateway.http, key).call, {
    externalPatientId: 'EXT-9',
  })
  const session = await sessionHeaders(gateway.http, RADIOLOGIST)
  const kept = opened.move()
  return {
    ...{ folder, secret, partner, studyId },
    get gateway() {
      return gateway
    },
    /** The radiologist, whose session lives on. */
    get radiologist() {
      return callerOf(gateway.http, session)
    },
    window: () => readingWindow(callerOf(gateway.http, session), studyId),
    owner: async () => callerOf(gateway.http, await sessionHeaders(gateway.http, OWNER)),
    kill: () => gateway.end('SIGKILL'),
    async restart() {
      gateway = kept.use(await start())
    },
    [Symbol.asyncDispose]: () => kept[Symbol.asyncDispose](),
  }
}
type Killable = Awaited<ReturnType<typeof openKillable>>
type Owner = Awaited<ReturnType<Killable['owner']>>

const written = (number: number) => `${CRITICAL}\nDictated words: ${number}.`

/**
 * The radiologist writes as fast as it goes until the gateway is killed. Gives the last revision
 * that was acknowledged.
 */
async function killedWhileWriting(on: Killable): Promise<number> {
  const window = on.window()
  await window.begin()
  const writing = (async () => {
    try {
      for (let number = 1; ; number++)
        expect(await window.save(written(number))).toMatchObject({
          outcome: 'saved',
          revision: number,
        })
    } catch (error) {
      // The connection ends with the gateway; anything else is a wrong answer.
      if (!isGone(error)) throw error
    }
  })()
  await until(() => expect(window.revision).toBeGreaterThan(10))
  await wait(Math.random() * 20)
  await on.kill()
  await writing
  return window.revision
}

/** The window is still open, and its session lives: nothing that was acknowledged is lost. */
async function recovered(on: Killable, acknowledged: number): Promise<void> {
  const window = on.window()
  const { draft, status, lock } = await window.read()
  expect({ status, lock }).toEqual({ status: 'in_progress', lock: null })
  expect([acknowledged, acknowledged + 1]).toContain(draft?.revision)
  expect(draft?.text).toBe(written(draft?.revision ?? 0))
  const { revisions } = await on.radiologist(dashboardReports.revisions, {
    params: { studyId: on.studyId },
  })
  expect(revisions.map(({ revision }) => revision)).toEqual(
    Array.from({ length: Math.min(100, window.revision) }, (_, back) => window.revision - back),
  )
}

const FINDING = 'Left tension pneumothorax'

async function signed(on: Killable) {
  const window = on.window()
  await window.begin()
  expect(await window.save(CRITICAL)).toMatchObject({ outcome: 'saved' })
  expect(await window.sign()).toMatchObject({
    outcome: 'checks',
    findings: [{ check: 'critical-wording', level: 'warning' }],
  })
  const answer = await window.sign({ isCritical: true, finding: FINDING })
  if (answer.outcome !== 'signed') throw new Error(JSON.stringify(answer))
  expect(answer.reading).toMatchObject({
    status: 'completed',
    draft: null,
    isCritical: true,
    reports: [{ text: CRITICAL }],
  })
  return {
    reportId: answer.reading.reports[0]?.reportId as ReportId,
    studyInstanceUid: answer.reading.studyInstanceUid,
  }
}
type Signed = Awaited<ReturnType<typeof signed>>

const standing = async (on: Killable): Promise<Delivery | null> =>
  (await on.window().read()).reports[0]?.delivery ?? null

/** So many attempts failed, and the next one is due after the wait: a tenth more or less. */
const failedAttempts = (on: Killable, attempts: number, waitMs: number) =>
  until(async () => {
    const delivery = await standing(on)
    expect(delivery).toMatchObject({
      state: 'waiting',
      attempts,
      lastError: { code: expect.any(String) },
    })
    const after = Date.parse(delivery?.nextAt ?? '') - (deliveriesTo(on.partner).at(-1)?.at ?? 0)
    expect(after).toBeGreaterThanOrEqual(0.9 * waitMs - 1000)
    expect(after).toBeLessThan(1.1 * waitMs + 60_000)
  })

/** The next attempt has another timestamp than the last one. */
const anotherSecond = ({ partner }: Killable) =>
  until(() =>
    expect(Math.floor(Date.now() / 1000)).toBeGreaterThan(
      Number(deliveriesTo(partner).at(-1)?.headers['webhook-timestamp']),
    ),
  )

async function triedAgainAfterARestart(on: Killable): Promise<void> {
  // The second attempt comes by itself, about 5 s after the first.
  await failedAttempts(on, 2, 5 * MINUTE_MS)
  await on.kill()
  await on.restart()
  expect(await standing(on)).toMatchObject({ state: 'waiting', attempts: 2 })
  await anotherSecond(on)
  // Whoever answers another question is asked again for what waits.
  const asked = await on.radiologist(dashboardReports.askContext, {
    params: { studyId: on.studyId },
    body: {},
  })
  expect(asked).toMatchObject({ state: 'empty' })
  await failedAttempts(on, 3, 30 * MINUTE_MS)
}

async function replayed(on: Killable, owner: Owner): Promise<void> {
  expect(
    await owner(dashboardEvents.replay, { body: { which: 'since-outage', isTrial: true } }),
  ).toEqual({ queued: 1, skipped: [] })
  expect(on.partner.reports.size).toBe(0)
  await anotherSecond(on)
  await owner(dashboardEvents.replay, { body: { which: 'since-outage' } })
  await until(async () =>
    expect(await standing(on)).toMatchObject({
      state: 'delivered',
      attempts: 4,
      nextAt: null,
      lastError: null,
    }),
  )
}

/**
 * Delivered once; each attempt under one id, at its own time, with a link of its own, signed as
 * Standard Webhooks says. Gives the last link.
 */
async function deliveredOnce({ partner, secret, studyId }: Killable, owner: Owner, report: Signed) {
  const attempts = deliveriesTo(partner)
  expect(attempts).toHaveLength(4)
  expect([...partner.reports.keys()]).toEqual([attempts[0]?.id])
  expect(await owner(dashboardEvents.replay, { body: { which: 'since-outage' } })).toMatchObject({
    queued: 0,
  })
  const eventId = WebhookEventId.parse(attempts[0]?.id)
  const webhook = new Webhook(secret)
  for (const { id, headers, body, data } of attempts) {
    expect([id, headers['webhook-id']]).toEqual([eventId, eventId])
    expect(webhook.verify(body, headers as Record<string, string>)).toMatchObject({
      id: eventId,
      type: 'report.delivered',
    })
    expect(() =>
      webhook.verify(Buffer.concat([body, Buffer.from(' ')]), headers as Record<string, string>),
    ).toThrow()
    const { presignedUrl: _, ...rest } = data
    expect(rest).toEqual({
      ...report,
      studyId,
      externalPatientId: 'EXT-9',
      isCritical: true,
      plainText: CRITICAL,
    })
  }
  expect(new Set(attempts.map(({ headers }) => headers['webhook-timestamp'])).size).toBe(4)
  expect(new Set(attempts.map(({ data }) => data.presignedUrl)).size).toBe(4)
  return { eventId, presignedUrl: attempts.at(-1)?.data.presignedUrl ?? '' }
}

/**
 * The window shows each attempt and the critical result, and nothing of the patient is said
 * anywhere else.
 */
async function shown(
  { gateway, radiologist }: Killable,
  owner: Owner,
  eventId: WebhookEventId,
  reportId: ReportId,
): Promise<void> {
  const event = await owner(dashboardEvents.read, { params: { eventId } })
  expect(event).toMatchObject({
    state: 'done',
    outcome: 'accepted',
    attempts: 4,
    subject: reportId,
    effect: 'The partner has received the report.',
  })
  expect(event.attemptList.map(({ outcome, httpStatus }) => `${outcome} ${httpStatus}`)).toEqual([
    ...['accepted 200', 'invalid 200', 'status 500', 'unreachable null'],
  ])
  expect(event.request).not.toContain('signature=')
  const { criticals } = await radiologist(dashboardReports.criticals, {})
  expect(criticals).toMatchObject([{ reportId, finding: FINDING, communication: null }])
  const said = [
    ...gateway.stderr,
    JSON.stringify((await owner(dashboard.feed, { query: {} })).lines),
  ].join('\n')
  expect(said).not.toMatch(OF_THE_PATIENT)
  expect(said).not.toMatch(/internal error/)
}

/** The PDF that the link opens is the one that is kept. The gateway ends. */
async function keptAsLinked(
  { folder, gateway }: Killable,
  presignedUrl: string,
  reportId: ReportId,
) {
  const pdf = await fetchPdf(presignedUrl)
  expect([pdf.status, pdf.type, pdf.bytes.subarray(0, 5).toString()]).toEqual([
    200,
    'application/pdf',
    '%PDF-',
  ])
  expect(Object.fromEntries(pdf.headers)).toMatchObject({
    'cache-control': 'private, no-store',
    'x-content-type-options': 'nosniff',
  })
  expect((await fetchPdf(presignedUrl, 'POST')).status).toBe(405)
  expect(await gateway.end('SIGTERM')).toBe(0)
  using store = openContext({ folder, clock: Date.now, uuid: () => crypto.randomUUID() })
  expect(findReportPdf(store.database, reportId)).toMatchObject({
    sha256: pdf.sha256,
    bytes: pdf.bytes.length,
  })
  expect(readReportPdf(store.database, reportId)?.equals(pdf.bytes)).toBe(true)
  expect(store.audit.verify().isIntact).toBe(true)
  return pdf.sha256
}

/** The link opens the PDF on every run of this gateway, until its hour is over. */
async function openForAnHour(folder: string, presignedUrl: string, sha256: string): Promise<void> {
  const clock = movableClock()
  await using later = await startGateway({ folder, partner: null, clock })
  const here = new URL(presignedUrl)
  const link = `${later.http}${here.pathname}${here.search}`
  const end = Number(here.searchParams.get('expires')) * 1000
  clock.ahead = end - Date.now() - MINUTE_MS
  expect(await fetchPdf(link)).toMatchObject({ status: 200, sha256 })
  for (const method of ['POST', 'PUT', 'DELETE'])
    expect((await fetchPdf(link, method)).status).toBe(405)
  expect((await fetchPdf(link.replace(/expires=\d+/, `expires=${end / 1000 + 3600}`))).status).toBe(
    403,
  )
  clock.ahead = end - Date.now()
  expect(await fetchPdf(link)).toMatchObject({
    status: 403,
    type: expect.stringContaining('problem+json'),
  })
}

describe('a report whose gateway is killed and whose partner is down', () => {
  it('is recovered, signed and delivered once, and its PDF opens for an hour', {
    timeout: 90_000,
  }, async () => {
    using temp = tempFolder()
    await using on = await openKillable(temp.folder)
    onTestFailed(() => console.error(on.gateway.stderr.join('\n')))
    const acknowledged = await killedWhileWriting(on)
    await on.restart()
    await recovered(on, acknowledged)

    // A partner that takes the connection and is gone, that is out of order, and that answers
    // nonsense.
    on.partner.setSequence('report.delivered', ['down', 'error', 'garbage'])
    const report = await signed(on)
    await triedAgainAfterARestart(on)
    const owner = await on.owner()
    await replayed(on, owner)

    const { eventId, presignedUrl } = await deliveredOnce(on, owner, report)
    await shown(on, owner, eventId, report.reportId)
    const sha256 = await keptAsLinked(on, presignedUrl, report.reportId)
    await openForAnHour(temp.folder, presignedUrl, sha256)
    expect(deliveriesTo(on.partner)).toHaveLength(4)
  })
})
