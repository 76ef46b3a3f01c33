import { randomUUID } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { expect, it } from 'vitest'
import type { PartnerSimulatorOptions } from '#electron/simulator/partner.ts'
import { dashboard } from '#shared/contract/dashboard.ts'
import { dashboardEvents } from '#shared/contract/events.ts'
import { dashboardReports } from '#shared/contract/reports.ts'
import type { StudyId } from '#shared/ids.ts'
import { httpCall } from '../../../../support/http-call.ts'
import { type StartedInterface, startInterface } from '../../../../support/interface.ts'

const TEXT =
  'Indication: Cough.\nTechnique: Two views.\nFindings: Clear lungs.\nImpression: No acute finding.'

/** A clinic with a partner, and a study that its key has made. */
async function openClinic(answers: PartnerSimulatorOptions['answers'] = {}) {
  const clinic = await startInterface({ partner: { answers } })
  const study = await clinic.keys.partner.send('POST /v1/scribe/studies', {
    json: {
      ...{
        studyInstanceUid: '1.2.826.0.1.3680043.10.99.1',
        studyDescription: 'XR Chest',
        severity: 'normal',
      },
      reportMetadata: { patientName: 'Novak^Ana', mrn: 'P-4711', sex: 'female' },
    },
  })
  const { studyId } = study.json as { studyId: StudyId }
  return { clinic, studyId, partner: clinic.started.partner, owner: clinic.users.owner }
}

async function sign({ users }: StartedInterface, studyId: StudyId): Promise<string> {
  const windowId = randomUUID()
  const { call } = users.radiologist
  const { draft } = await call(dashboardReports.begin, { params: { studyId }, body: { windowId } })
  const saved = await call(dashboardReports.save, {
    params: { studyId },
    body: { windowId, revision: draft?.revision ?? 0, text: TEXT },
  })
  if (saved.outcome !== 'saved') throw new Error('It was saved by somebody else.')
  const signed = await call(dashboardReports.sign, {
    params: { studyId },
    body: { windowId, revision: saved.revision, isCritical: false },
  })
  if (signed.outcome !== 'signed') throw new Error(`It was not signed: ${JSON.stringify(signed)}`)
  return signed.reading.reports[0]?.reportId ?? ''
}

it('takes a signed report to the partner, signed, with a PDF that can be fetched, and records it', async () => {
  const { clinic, studyId, partner, owner } = await openClinic()
  await using _ = clinic
  const reportId = await sign(clinic, studyId)
  await expect.poll(() => partner.reports.size, { timeout: 10_000 }).toBe(1)
  const [received] = partner.received.filter(({ envelope }) => envelope.type === 'report.delivered')
  expect(received?.envelope.data).toMatchObject({
    reportId,
    studyId,
    plainText: TEXT,
    isCritical: false,
  })
  expect(() =>
    new Webhook(`whsec_${Buffer.alloc(32).toString('base64')}`).verify(
      received?.body ?? '',
      received?.headers as never,
    ),
  ).toThrow()

  const { presignedUrl = '' } = (received?.envelope.data ?? {}) as { presignedUrl?: string }
  const pdf = await fetch(presignedUrl)
  expect([pdf.status, pdf.headers.get('content-type')]).toEqual([200, 'application/pdf'])
  expect(
    Buffer.from(await pdf.arrayBuffer())
      .subarray(0, 5)
      .toString(),
  ).toBe('%PDF-')
  expect(
    (
      await fetch(
        presignedUrl.replace(
          /signature=(.)/,
          (_, first) => `signature=${first === 'x' ? 'y' : 'x'}`,
        ),
      )
    ).status,
  ).toBe(403)

  await expect
    .poll(
      async () =>
        (await owner.call(dashboardEvents.list, { query: { type: 'report.delivered' } })).events,
      { timeout: 10_000 },
    )
    .toMatchObject([
      {
        eventId: received?.envelope.id,
        state: 'done',
        outcome: 'accepted',
        attempts: 1,
        subject: reportId,
      },
    ])
  const event = await owner.call(dashboardEvents.read, {
    params: { eventId: received?.envelope.id ?? ('' as never) },
  })
  expect(event.request).not.toContain('signature=')
  expect(event.attemptList).toMatchObject([{ httpStatus: 200, outcome: 'accepted' }])
  const { lines } = await owner.call(dashboard.feed, { query: {} })
  expect(lines.map(({ text }) => text)).toContainEqual(
    'A signed report was delivered to the partner.',
  )
  expect(JSON.stringify([lines, clinic.started.log])).not.toMatch(/Novak|P-4711|Clear lungs/)
}, 30_000)

it('switches an endpoint off that answers 410, says so, and delivers when it is on again', async () => {
  const { clinic, studyId, partner, owner } = await openClinic()
  await using _ = clinic
  partner.setSequence('report.delivered', ['gone'])
  await sign(clinic, studyId)
  await expect
    .poll(async () => (await owner.call(dashboardEvents.endpoints, {})).endpoints[0]?.isEnabled, {
      timeout: 10_000,
    })
    .toBe(false)
  const { endpoints } = await owner.call(dashboardEvents.endpoints, {})
  expect(endpoints).toMatchObject([{ isDefault: true, waiting: 1, disabledReason: 'gone' }])
  expect((await owner.call(dashboard.status, {})).banner).toMatchObject({
    tone: 'danger',
    text: expect.stringContaining('410'),
  })
  await owner.call(dashboardEvents.changeEndpoint, {
    params: { endpointId: endpoints[0]?.endpointId ?? '' },
    body: { isEnabled: true },
  })
  await expect.poll(() => partner.reports.size, { timeout: 10_000 }).toBe(1)
  expect(
    new Set(
      partner.received
        .filter(({ envelope }) => envelope.type === 'report.delivered')
        .map(({ envelope }) => envelope.id),
    ).size,
  ).toBe(1)
  expect((await owner.call(dashboard.status, {})).banner).toBeNull()
}, 30_000)

it('sends a test of every event, which has no effect', async () => {
  const { clinic, partner, owner } = await openClinic()
  await using _ = clinic
  const { endpoints } = await owner.call(dashboardEvents.endpoints, {})
  const endpointId = endpoints[0]?.endpointId ?? ''
  const { events } = endpoints[0] ?? { events: [] }
  expect(events).toHaveLength(7)
  for (const type of events) {
    const tested = await owner.call(dashboardEvents.test, { body: { type, endpointId } })
    expect(tested).toMatchObject({
      success: true,
      message: expect.stringMatching(/^The partner responded in \d+ ms/),
    })
    expect(partner.last).toMatchObject({ id: tested.eventId, type })
  }
  partner.setSequence('report.delivered', ['error'])
  expect(
    await owner.call(dashboardEvents.test, { body: { type: 'report.delivered', endpointId } }),
  ).toMatchObject({
    success: false,
    message: 'The partner gave no usable response: it responded with 500.',
  })
  await expect(
    owner.call(dashboardEvents.test, {
      body: { type: 'report.delivered', endpointId: randomUUID() },
    }),
  ).rejects.toThrow('404')
  await expect
    .poll(
      async () =>
        (await owner.call(dashboardEvents.list, { query: {} })).events.filter(
          ({ isTest }) => isTest,
        ),
      { timeout: 10_000 },
    )
    .toHaveLength(8)
}, 30_000)

it('says of a question about clinical context what its answer led to', async () => {
  const answers = {
    'clinical_context.enrichment_requested': () => ({
      clinicalIndication: 'Cough',
      technologistNotes: ['Held still.', 'One retake.'],
    }),
  }
  const { clinic, studyId, owner } = await openClinic(answers)
  await using _ = clinic
  await owner.call(dashboardReports.askContext, { params: { studyId }, body: {} })
  await expect
    .poll(
      async () => (await owner.call(dashboardEvents.list, { query: { about: studyId } })).events,
      { timeout: 10_000 },
    )
    .toMatchObject([{ state: 'done', effect: 'Saved with the study: the indication and 2 notes.' }])
}, 30_000)

it('keeps the DICOM copies of a report beside the images of its study', async () => {
  const { clinic, studyId } = await openClinic()
  await using _ = clinic
  await sign(clinic, studyId)
  await expect
    .poll(
      async () =>
        (await clinic.users.radiologist.call(dashboardReports.read, { params: { studyId } }))
          .reports[0]?.objects,
      {
        timeout: 15_000,
      },
    )
    .toHaveLength(2)
}, 30_000)

it('answers the PDF of nobody to who guesses its address', async () => {
  const { clinic } = await openClinic()
  await using _ = clinic
  const answer = await httpCall(
    `${clinic.http}/reports/rep_${'0'.repeat(32)}/pdf?expires=9999999999&signature=x`,
    { method: 'GET' },
  )
  expect(answer.status).toBe(403)
})
