import { Webhook } from 'standardwebhooks'
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  openPartnerSimulator,
  openSimulatedFiles,
  type PartnerSimulatorOptions,
} from '#electron/simulator/partner.ts'
import { worklistDay } from '#electron/simulator/worklist-day.ts'
import { EVENTS, type EventType } from '#shared/contract/webhooks.ts'

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const ID = 'whe_0123456789abcdef0123456789abcdef'
const CLINIC = '3f1b6c58-6a0e-4f8a-9f0e-7b1f5d0c2a11'
const STUDY = { studyId: 'stu_0123456789abcdef0123456789abcdef', studyInstanceUid: '2.25.1' }
const QUESTION = {
  callingAe: 'CT1',
  clinicId: CLINIC,
  dateStart: '2026-11-20',
  dateEnd: '2026-11-20',
  sourceIp: '10.0.0.9',
}
const noon = new Date(2026, 10, 20, 12).getTime()

async function open(options: Partial<PartnerSimulatorOptions> = {}) {
  const simulator = await openPartnerSimulator({
    port: 0,
    secret: SECRET,
    clock: () => noon,
    ...options,
  })
  onTestFinished(() => simulator[Symbol.asyncDispose]())
  const send = (type: EventType, data: object, secret = SECRET, signal?: AbortSignal) => {
    const body = JSON.stringify({ id: ID, type, data })
    const at = new Date()
    const headers = {
      'content-type': 'application/json',
      'webhook-id': ID,
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': new Webhook(secret).sign(ID, at, body),
    }
    return fetch(simulator.url, { method: 'POST', headers, body, ...(signal && { signal }) })
  }
  const ask = async (more: object = {}) =>
    EVENTS['modality_worklist.requested'].response.parse(
      await (await send('modality_worklist.requested', { ...QUESTION, ...more })).json(),
    )
  return { simulator, send, ask }
}

describe('the simulated partner', () => {
  it.each([
    ['study.access_requested', STUDY, { authorized: true, urls: [] }],
    ['ephemeral.access_requested', { retrievalId: 'r1' }, { authorized: true, urls: [] }],
    ['secondary_capture.access_requested', STUDY, { authorized: true, uploadUrls: [] }],
    ['patient_study.enrichment_requested', { clinicId: CLINIC, studyInstanceUid: '2.25.1' }, {}],
    [
      'clinical_context.enrichment_requested',
      { clinicId: CLINIC, studyId: CLINIC, studyInstanceUid: '2.25.1' },
      {},
    ],
    [
      'report.delivered',
      {
        ...STUDY,
        isCritical: false,
        presignedUrl: 'https://pdf.example/1',
        reportId: `rep_${ID.slice(4)}`,
      },
      { success: true },
    ],
  ] as const)('answers %s', async (type, data, answer) => {
    const { simulator, send } = await open()
    expect(await (await send(type, data)).json()).toEqual(answer)
    expect(simulator.requests).toBe(1)
    expect(simulator.requestsOf).toEqual({ [type]: 1 })
    expect(simulator.last).toEqual({ id: ID, type, data })
  })

  it('has exams today, two bad rows among them, and none on other days', async () => {
    const { ask } = await open()
    expect((await ask()).items).toEqual(worklistDay('20261120', { withBadRows: true }))
    expect((await ask({ dateStart: '2026-11-19', dateEnd: '2026-11-21' })).items).toEqual(
      worklistDay('20261120', { withBadRows: true }),
    )
    expect((await ask({ dateStart: '2026-11-21', dateEnd: '2026-11-22' })).items).toEqual([])
  })

  it('answers only the modality asked for', async () => {
    const { ask } = await open()
    const { items } = await ask({ modality: 'MG' })
    expect(items.map((item) => (item as { readonly Modality: string }).Modality)).toEqual([
      'MG',
      'MG',
    ])
    expect((await ask({ modality: 'PT' })).items).toEqual([])
  })

  it('filters a given worklist by its dates, and gives out the rows that have none', async () => {
    const [exam] = worklistDay('20261120')
    const { ask } = await open({
      worklist: [exam, ...worklistDay('20261121'), { PatientID: 'no step' }],
    })
    expect((await ask()).items).toEqual([exam, { PatientID: 'no step' }])
  })

  it('knows the patient of an exam that it handed out', async () => {
    const { ask, send } = await open()
    const item = worklistDay('20261120').find(({ PatientID }) => PatientID === `P${100_000}`)
    await ask()
    const data = { clinicId: CLINIC, studyInstanceUid: item?.StudyInstanceUID }
    const answer = await (await send('patient_study.enrichment_requested', data)).json()
    expect(EVENTS['patient_study.enrichment_requested'].response.parse(answer)).toMatchObject({
      patientName: 'Schröder^Anneliese',
      mrn: 'P100000',
      dateOfBirth: '1948-03-12',
      sex: 'female',
      height: { unit: 'cm', value: 162 },
      weight: { unit: 'kg', value: 68 },
    })
  })

  it('knows the patient of an exam of today before anybody has asked for it, by its UID or else by its accession number', async () => {
    const { send } = await open()
    const [exam, other] = worklistDay('20261120')
    const mrnFor = async (more: object) => {
      const data = { clinicId: CLINIC, ...more }
      return (
        (await (await send('patient_study.enrichment_requested', data)).json()) as {
          readonly mrn?: string
        }
      ).mrn
    }
    expect(await mrnFor({ studyInstanceUid: exam?.StudyInstanceUID })).toBe(exam?.PatientID)
    expect(
      await mrnFor({ studyInstanceUid: '2.25.1', accessionNumber: other?.AccessionNumber }),
    ).toBe(other?.PatientID)
    expect(await mrnFor({ studyInstanceUid: '2.25.1', accessionNumber: '' })).toBeUndefined()
  })

  it('answers otherwise than its worklist says where it is told to', async () => {
    const { send } = await open({
      answers: { 'patient_study.enrichment_requested': () => ({ mrn: 'told' }) },
    })
    const data = { clinicId: CLINIC, studyInstanceUid: '2.25.1' }
    expect(await (await send('patient_study.enrichment_requested', data)).json()).toEqual({
      mrn: 'told',
    })
  })

  it('answers 400 and a sentence to a signature made with another secret', async () => {
    const { simulator, send } = await open()
    const response = await send(
      'study.access_requested',
      STUDY,
      `whsec_${Buffer.alloc(32, 8).toString('base64')}`,
    )
    expect(response.status).toBe(400)
    expect(await response.json()).toEqual({
      error:
        'The signature does not fit: No matching signature found. Compare the secret and the clock.',
    })
    expect(simulator.requests).toBe(0)
  })

  it('answers 400 to what is unsigned, and to what is signed but no event of the interface', async () => {
    const { simulator, send } = await open()
    expect((await fetch(simulator.url, { method: 'POST', body: '{}' })).status).toBe(400)
    expect(await (await send('study.deleted' as EventType, {})).json()).toEqual({
      error: expect.stringContaining('it is not an event'),
    })
    expect(await (await send('study.access_requested', { studyId: 'x' })).json()).toEqual({
      error: 'The data of study.access_requested is not of its form: studyId.',
    })
    expect(simulator.requests).toBe(0)
  })

  it('answers 405 to GET and 413 to more than 1 MiB', async () => {
    const { simulator } = await open()
    expect((await fetch(simulator.url)).status).toBe(405)
    expect(
      (await fetch(simulator.url, { method: 'POST', body: 'x'.repeat(1024 * 1024 + 1) })).status,
    ).toBe(413)
  })
})

describe('a scenario', () => {
  it('refuse answers authorized false with a reason', async () => {
    const { simulator, ask } = await open()
    simulator.setScenario('refuse')
    expect(await ask()).toEqual({ authorized: false, error: 'no worklist for this AE', items: [] })
  })

  it.each([
    ['study.access_requested', STUDY, 'no images of this study for you'],
    ['ephemeral.access_requested', { retrievalId: 'r1' }, 'no images of this session for you'],
    ['secondary_capture.access_requested', STUDY, 'no captures of this study are taken'],
  ] as const)('refuse gives the reason of %s', async (type, data, error) => {
    const { send } = await open({ scenario: 'refuse' })
    expect(await (await send(type, data)).json()).toEqual({ authorized: false, error })
  })

  it('garbage answers 200 with text that is not JSON, and with a wrong shape, in turn', async () => {
    const { send } = await open({ scenario: 'garbage' })
    const texts = [
      await send('modality_worklist.requested', QUESTION),
      await send('modality_worklist.requested', QUESTION),
    ].map(async (response) => {
      expect(response.status).toBe(200)
      return response.text()
    })
    const [first = '', second = ''] = await Promise.all(texts)
    expect([first, second].filter((text) => text.startsWith('<html>'))).toHaveLength(1)
    const json = [first, second].find((text) => text.startsWith('{')) ?? ''
    expect(EVENTS['modality_worklist.requested'].response.safeParse(JSON.parse(json)).success).toBe(
      false,
    )
  })

  it('down ends every connection, also those that are open, until it is over', async () => {
    const { simulator, ask } = await open()
    await ask()
    simulator.setScenario('down')
    await expect(ask()).rejects.toThrow('fetch failed')
    await expect(ask()).rejects.toThrow('fetch failed')
    simulator.setScenario('normal')
    expect((await ask()).authorized).toBe(true)
  })

  it('slow answers late, or not before its caller has gone', async () => {
    expect((await (await open({ scenario: 'slow', slowMs: 20 })).ask()).authorized).toBe(true)
    const { send } = await open({ scenario: 'slow', slowMs: 60_000 })
    await expect(
      send('modality_worklist.requested', QUESTION, SECRET, AbortSignal.timeout(100)),
    ).rejects.toThrow('timeout')
  })

  it('huge answers 10,000 items', async () => {
    const { ask } = await open({ scenario: 'huge' })
    const { items } = await ask()
    expect(
      new Set(items.map((item) => (item as { readonly StudyInstanceUID: string }).StudyInstanceUID))
        .size,
    ).toBe(10_000)
  })

  it('oversize answers more than 20 MiB of JSON', async () => {
    const { send } = await open({ scenario: 'oversize' })
    const text = await (await send('modality_worklist.requested', QUESTION)).text()
    expect(text.length).toBeGreaterThan(20 * 1024 * 1024)
    expect(JSON.parse(text)).toMatchObject({ authorized: true, items: [] })
  })
})

describe('a partner that misbehaves on purpose', () => {
  const report = {
    ...STUDY,
    isCritical: false,
    presignedUrl: 'https://pdf.example/1',
    reportId: `rep_${ID.slice(4)}`,
  }

  it('goes through a sequence, then does as its scenario says, and keeps the reports it has accepted', async () => {
    const { simulator, send } = await open()
    simulator.setSequence('report.delivered', ['error', 'refuse', 'gone'])
    const statuses: unknown[] = []
    for (let at = 0; at < 4; at++) {
      const answer = await send('report.delivered', report)
      statuses.push([answer.status, (await answer.json()).success])
    }
    expect(statuses).toEqual([
      [500, undefined],
      [200, false],
      [410, undefined],
      [200, true],
    ])
    expect(await (await send('study.access_requested', STUDY)).json()).toMatchObject({
      authorized: true,
    })
    expect([...simulator.reports]).toEqual([[ID, report]])
    expect(simulator.received.map(({ envelope }) => envelope.type)).toEqual([
      ...Array(4).fill('report.delivered'),
      'study.access_requested',
    ])
    expect(simulator.received[0]?.headers['webhook-id']).toBe(ID)
  })

  it('redirects, hangs after its headers, and sends ten megabytes', async () => {
    const { simulator, send } = await open({ scenario: 'large' })
    expect(
      (await (await send('report.delivered', report)).arrayBuffer()).byteLength,
    ).toBeGreaterThan(10 * 1024 * 1024)
    simulator.setScenario('hang')
    const hanging = await send('report.delivered', report, SECRET, AbortSignal.timeout(300))
    expect(hanging.status).toBe(200)
    await expect(hanging.text()).rejects.toThrow()
    simulator.setSequence('report.delivered', ['redirect'])
    simulator.setScenario('normal')
    const { redirected } = await send('report.delivered', report).catch(() => ({
      redirected: true,
    }))
    expect(redirected).toBe(true)
    expect(simulator.reports.size).toBe(0)
  })

  it('gives out links to its files, which are good for a while, and takes uploads', async () => {
    let now = noon
    const files = await openSimulatedFiles({ clock: () => now })
    onTestFinished(() => files[Symbol.asyncDispose]())
    files.put('1.2.3/a b.dcm', { body: Buffer.from('DICM'), mediaType: 'application/dicom' })
    const { send } = await open({
      files: {
        urlsOf: () => [files.getUrl('1.2.3/a b.dcm')],
        uploadUrlsOf: (uid) => [files.putUrl(`${uid}/sc.dcm`)],
      },
    })
    const { urls } = (await (await send('study.access_requested', STUDY)).json()) as {
      urls: [string]
    }
    expect(new URL(urls[0]).host).toBe(files.host)
    const got = await fetch(urls[0])
    expect([got.status, got.headers.get('content-type'), await got.text()]).toEqual([
      200,
      'application/dicom',
      'DICM',
    ])
    const { uploadUrls } = (await (
      await send('secondary_capture.access_requested', STUDY)
    ).json()) as { uploadUrls: [string] }
    expect(
      (
        await fetch(uploadUrls[0], {
          method: 'PUT',
          body: 'new',
          headers: { 'content-type': 'application/dicom' },
        })
      ).status,
    ).toBe(200)
    expect(files.uploads).toEqual([
      { name: '2.25.1/sc.dcm', body: Buffer.from('new'), mediaType: 'application/dicom' },
    ])
    // Neither another method, nor another file, nor a signature of somebody else.
    expect((await fetch(uploadUrls[0])).status).toBe(403)
    expect((await fetch(urls[0].replace('a%20b', 'c'))).status).toBe(403)
    expect((await fetch(files.getUrl('nothing'))).status).toBe(404)
    expect((await fetch(files.getUrl('nothing'), { method: 'DELETE' })).status).toBe(405)
    now += 901_000
    expect((await fetch(urls[0])).status).toBe(403)
    expect(files.fetched).toEqual(['1.2.3/a b.dcm'])
  })
})
