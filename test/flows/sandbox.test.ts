import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openPartnerSimulator, type PartnerSimulator } from '#electron/simulator/partner.ts'
import { dashboard } from '#shared/contract/dashboard.ts'
import { dashboardPeople } from '#shared/contract/dashboard-people.ts'
import { dashboardEvents } from '#shared/contract/events.ts'
import { sandbox as calls, dashboardSandbox } from '#shared/contract/sandbox.ts'
import { scribe } from '#shared/contract/scribe.ts'
import { type StartedGateway, startGateway, webhookSecret } from '../support/gateway.ts'
import { httpCall } from '../support/http-call.ts'
import { type Client, keyCall } from '../support/interface.ts'

// Test keys and their data, at a running gateway (decision 0075).

let gateway: StartedGateway
let key: string
let test: Client
beforeAll(async () => {
  gateway = await startGateway()
  const made = await gateway.call(dashboardSandbox.createKey, {
    body: { description: 'Cloud RIS, development' },
  })
  key = made.key
  test = keyCall(gateway.http, key)
})
afterAll(() => gateway[Symbol.asyncDispose]())

const UID = '2.25.20261127'

const newStudy = (client: Client, studyInstanceUid: string) =>
  client.call(scribe.create, {
    body: {
      ...{ studyInstanceUid, studyDescription: 'CT thorax', severity: 'normal' },
      reportMetadata: { patientName: 'Invented^Patient', mrn: 'T-1' },
    },
  })

/** A partner of the test in place of the simulated one. */
async function openPartner(of: StartedGateway): Promise<PartnerSimulator> {
  const secret = webhookSecret()
  const partner = await openPartnerSimulator({ port: 0, secret, clock: Date.now })
  const reply = await of.call(dashboardSandbox.setWebhook, {
    body: { url: partner.url, allowPlaintext: true, secret },
  })
  expect(reply.secret).toBeNull()
  return partner
}

describe('a test key', () => {
  it('begins with sk_test_ and switched the sandbox on', async () => {
    expect(key).toMatch(/^sk_test_[0-9a-f]{32}$/)
    const overview = await gateway.call(dashboardSandbox.read, {})
    expect(overview).toMatchObject({ isOn: true, fault: null, contents: { studies: 0 } })
    expect(overview.keys.map(({ last4 }) => last4)).toEqual([key.slice(-4)])
  })

  it('sees none of the live studies, and no live key sees its own', async () => {
    const live = keyCall(gateway.http, await liveKey(gateway))
    await newStudy(live, UID)
    await newStudy(test, `${UID}.1`)
    const of = async (client: Client) =>
      (await client.call(scribe.list, { query: {} })).studies.map((one) => one.studyInstanceUid)
    expect(await of(live)).toEqual([UID])
    expect(await of(test)).toEqual([`${UID}.1`])
    // The same Study Instance UID is free on the other side.
    await newStudy(test, UID)
    expect((await live.send('GET /v1/scribe/studies/by-uid/2.25.20261127.1')).status).toBe(404)
  })

  it('is unknown to the live gateway, in whose list of keys it is not', async () => {
    const { apiKeys } = await gateway.call(dashboardPeople.apiKeys, {})
    expect(apiKeys.map(({ last4 }) => last4)).not.toContain(key.slice(-4))
    // The window, its metrics and other paths know nothing of test keys.
    expect((await test.send('GET /dashboard/status')).status).toBe(401)
    expect(existsSync(join(gateway.folder, 'sandbox', 'gateway.sqlite'))).toBe(true)
  })

  it('cannot be used for the calls of the sandbox by a live key, and not by a person', async () => {
    const live = keyCall(gateway.http, await liveKey(gateway))
    const refused = await live.send('GET /v1/sandbox')
    expect(refused).toMatchObject({ status: 403, json: { code: 'not-permitted' } })
    expect(refused.text).toContain('sk_test_')
  })

  it('counts nowhere in the live window', async () => {
    const before = await gateway.call(dashboard.status, {})
    await test.call(calls.signReport, { body: {} })
    const after = await gateway.call(dashboard.status, {})
    expect({ ...after, storage: null }).toEqual({ ...before, storage: null })
    const events = await gateway.call(dashboardEvents.list, { query: {} })
    expect(events.events).toEqual([])
    expect(gateway.partner.requests).toBe(0)
  })
})

async function liveKey(of: StartedGateway): Promise<string> {
  const { key: made } = await of.call(dashboardPeople.createApiKey, {
    body: { description: 'Live', scope: 'all' },
  })
  return made
}

describe('the calls of the sandbox', () => {
  it('perform an exam from the worklist to the study, with a simulated partner at first', async () => {
    const before = await test.call(calls.read, {})
    const exam = await test.call(calls.runExam, { body: {} })
    expect(exam.worklistExams).toBeGreaterThan(5)
    expect(exam.images).toBe(12)
    expect(exam.studies.map(({ area }) => area)).toContain('scribe')
    const { webhook, images } = await test.call(calls.read, {})
    expect(webhook).toMatchObject({ isSimulated: true })
    expect(images - before.images).toBe(12)
    // Images and partner name the same patient, so the report can be signed.
    const [study] = exam.studies
    const studyId = study?.studyId
    const { delivery } = await test.call(calls.signReport, { body: { studyId } })
    expect(delivery.state).toBe('delivered')
    // The next exam is another one.
    const next = await test.call(calls.runExam, { body: {} })
    expect(next.accessionNumber).not.toBe(exam.accessionNumber)
    const none = await test.send('POST /v1/sandbox/exams', { json: { accessionNumber: 'NONE' } })
    expect(none.status).toBe(422)
  })

  it('sign a report and its addendum, which the partner receives with a link that works', async () => {
    await using partner = await openPartner(gateway)
    const { studyId } = await newStudy(test, `${UID}.2`)
    const signed = await test.call(calls.signReport, {
      body: { studyId, plainText: 'No finding.', isCritical: true },
    })
    expect(signed.delivery).toMatchObject({ state: 'delivered', attempts: 1, fault: null })
    const addendum = await test.call(calls.signReport, { body: { studyId } })
    expect(addendum.reportId).not.toBe(signed.reportId)
    const [first, second] = partner.received.map(({ envelope }) => envelope.data)
    expect(first).toMatchObject({ studyId, isCritical: true, plainText: 'No finding.' })
    expect(second).toMatchObject({ reportId: addendum.reportId })
    const { presignedUrl } = first as { presignedUrl: string }
    expect(presignedUrl).toContain('/sandbox/reports/')
    const pdf = await httpCall(presignedUrl)
    expect([pdf.status, pdf.headers['content-type']]).toEqual([200, 'application/pdf'])
    // The live gateway did not sign that link.
    expect((await httpCall(presignedUrl.replace('/sandbox', ''))).status).toBe(403)
  })

  it('advance through the retries of a partner that does not answer', async () => {
    await using partner = await openPartner(gateway)
    partner.setSequence('report.delivered', ['error', 'refuse', 'normal'])
    const { delivery, reportId } = await test.call(calls.signReport, { body: {} })
    expect(delivery).toMatchObject({ state: 'waiting', attempts: 1 })
    expect(delivery.fault).toBeTruthy()
    expect(Date.parse(delivery.nextAttemptAt ?? '')).toBeGreaterThan(Date.now())
    const second = await test.call(calls.advance, {})
    expect(second.deliveries).toMatchObject([{ reportId, state: 'waiting', attempts: 2 }])
    const third = await test.call(calls.advance, {})
    expect(third.deliveries).toMatchObject([
      { reportId, state: 'delivered', attempts: 3, nextAttemptAt: null },
    ])
    expect(await test.call(calls.advance, {})).toEqual({ deliveries: [] })
    const ids = partner.received.map(({ envelope }) => envelope.id)
    expect(new Set(ids).size).toBe(1)
  })

  it('send any event, and say what the gateway would do with the answer', async () => {
    await using partner = await openPartner(gateway)
    const type = 'study.access_requested'
    const sent = await test.call(calls.sendEvent, {
      body: { type, data: { studyInstanceUid: '1.2.3' } },
    })
    expect(sent.response).toMatchObject({ outcome: 'accepted', httpStatus: 200, notes: [] })
    expect(partner.last?.data).toMatchObject({ studyInstanceUid: '1.2.3' })
    partner.setScenario('garbage')
    const bad = await test.call(calls.sendEvent, { body: { type } })
    expect(bad.response).toMatchObject({ outcome: 'invalid' })
    partner.setScenario('normal')
    const { requests } = partner
    const dry = await test.call(calls.sendEvent, { body: { type, isDryRun: true } })
    expect(dry.response).toBeNull()
    expect(dry.request).toMatchObject({ url: partner.url })
    expect(Object.keys(dry.request.headers)).toContain('webhook-signature')
    expect(partner.requests).toBe(requests)
    const refused = await test.send('POST /v1/sandbox/events', {
      json: { type, data: { studyInstanceUid: 'none' } },
    })
    expect(refused.status).toBe(400)
    expect(refused.text).toContain('body.data.studyInstanceUid')
  })

  it('take an https address from a test key, and no other', async () => {
    const plain = { url: 'http://127.0.0.1:9/hook' }
    expect((await test.send('POST /v1/sandbox/webhook', { json: plain })).status).toBe(422)
    const set = await test.call(calls.setWebhook, { body: { url: 'https://ris.example/hook' } })
    expect(set.secret).toMatch(/^whsec_/)
    expect(await test.call(calls.read, {})).toMatchObject({
      webhook: { url: 'https://ris.example/hook', isSimulated: false },
    })
  })
})

describe('emptying the sandbox', () => {
  it('removes test data only, keeps keys and webhook, and lets the next call wait', async () => {
    await newStudy(test, `${UID}.3`)
    expect(await test.call(calls.empty, {})).toMatchObject({ success: true })
    const { studies } = await test.call(scribe.list, { query: {} })
    expect(studies).toEqual([])
    expect(await test.call(calls.read, {})).toMatchObject({
      ...{ studies: 0, images: 0, waitingReports: 0 },
      webhook: { url: 'https://ris.example/hook' },
    })
    const live = keyCall(gateway.http, await liveKey(gateway))
    expect((await live.call(scribe.list, { query: {} })).studies).toHaveLength(1)
    await newStudy(test, `${UID}.3`)
    const overview = await gateway.call(dashboardSandbox.empty, {})
    expect(overview.contents).toMatchObject({ studies: 0 })
  })
})

describe('switching the sandbox off', () => {
  it('refuses test keys until it is on again', async () => {
    await newStudy(test, `${UID}.4`)
    await gateway.call(dashboardSandbox.switch, { body: { isOn: false } })
    const refused = await test.send('GET /v1/scribe/studies')
    expect(refused).toMatchObject({ status: 401, json: { code: 'bad-key' } })
    await gateway.call(dashboardSandbox.switch, { body: { isOn: true } })
    expect((await test.call(scribe.list, { query: {} })).studies).toHaveLength(1)
    const { keys } = await gateway.call(dashboardSandbox.read, {})
    const params = { apiKeyId: keys[0]?.apiKeyId ?? '' }
    await gateway.call(dashboardSandbox.revokeKey, { params })
    expect((await test.send('GET /v1/scribe/studies')).status).toBe(401)
  })
})
