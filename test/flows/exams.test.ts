import { Secret, TOTP } from 'otpauth'
import { describe, expect, it, vi } from 'vitest'
import { dashboard } from '#shared/contract/dashboard.ts'
import { dashboardExams, type Exam } from '#shared/contract/dashboard-exams.ts'
import { dashboardSecurity } from '#shared/contract/dashboard-security.ts'
import { dashboardToday } from '#shared/contract/dashboard-today.ts'
import { scribe } from '#shared/contract/scribe.ts'
import { CT, image } from '../electron/server/modules/images/intake-fixture.ts'
import { item, NOW, openPartner } from '../electron/server/modules/worklist/worklist-fixture.ts'
import { OWNER, type StartedGateway, sessionHeaders, startGateway } from '../support/gateway.ts'
import { DAY, EXAM, EXAMS, openImagingClinic, STEP_ID, UID } from '../support/imaging-clinic.ts'
import { needs } from '../support/needs.ts'
import { printedBarcodes } from '../support/printed-barcodes.ts'
import { readPdf } from '../support/report-pdf.ts'
import { standingClock } from '../support/temp-store.ts'
import { queryWorklist } from '../support/worklist-client.ts'

const day = DAY.replace(/(....)(..)(..)/, '$1-$2-$3')
const OF_THE_DAY = { query: { day, show: 'all' } } as const

const examOf = async (gateway: StartedGateway): Promise<Exam | undefined> => {
  const { exams } = await gateway.call(dashboardExams.exams, OF_THE_DAY)
  return exams.find(({ studyInstanceUid }) => studyInstanceUid === UID)
}
const STEP = {
  ...{
    PerformedProcedureStepStatus: 'IN PROGRESS',
    Modality: 'CT',
    PerformedProcedureStepID: 'P1',
    PerformedStationAETitle: 'CT1',
  },
  ...{ PerformedProcedureStepStartDate: DAY, PerformedProcedureStepStartTime: '090000' },
  ScheduledStepAttributesSequence: [{ StudyInstanceUID: UID, ScheduledProcedureStepID: STEP_ID }],
}

it('are printed by room, with what a console reads by its barcode reader, also while the partner is away', async (context) => {
  needs(context, 'poppler')
  const partner = await openPartner({
    items: [
      item(1, { PatientName: 'Müller^Änne' }, { ScheduledProcedureStepLocation: 'ROOM 2' }),
      item(
        2,
        { PatientName: 'Yamada^Tarou=山田^太郎' },
        { ScheduledProcedureStepLocation: 'ROOM 1' },
      ),
      item(3),
      item(4, { PatientID: '' }, { ScheduledProcedureStepLocation: 'ROOM 1' }),
    ],
  })
  await using gateway = await startGateway({
    partner: partner.url,
    clock: standingClock(NOW),
    overrides: { 'clinic.timeZone': 'UTC' },
  })
  expect((await queryWorklist(gateway.dimsePort)).status).toBe('0000')
  await gateway.call(dashboard.closeStep, {
    body: { studyInstanceUid: '2.25.10003', scheduledProcedureStepId: 'S003' },
  })
  await partner.close()
  const headers = await sessionHeaders(gateway.http, OWNER)
  const printed = async (query: string) => {
    const response = await fetch(`${gateway.http}/dashboard/worklist/exams/print?${query}`, {
      headers,
    })
    const bytes = Buffer.from(await response.arrayBuffer())
    return { response, bytes, pdf: await readPdf(bytes) }
  }
  const { response, bytes, pdf } = await printed('')
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/pdf'])
  expect(pdf.pages).toHaveLength(2)
  const [first = '', second = ''] = pdf.pages
  expect(first).toContain('ROOM 1')
  expect(first).toContain('Yamada, Tarou · 山田, 太郎')
  expect(first).toContain('A002')
  expect((await printedBarcodes(bytes)).map(({ text }) => text)).toEqual(['A002', 'A004'])
  expect(first).toContain('Not sent to devices: it has no PatientID')
  expect(second).toContain('ROOM 2')
  expect(second).toContain('Müller, Änne')
  expect(pdf.text).not.toContain('A003')
  expect(pdf.text).toContain('As the partner listed it at 09:00.')
  expect((await printed('language=es&day=2026-12-24')).pdf.text).toContain(
    'No hay exploraciones pendientes.',
  )
  expect((await fetch(`${gateway.http}/dashboard/worklist/exams/print`)).status).toBe(401)
})

describe('the exams of the day at the window', () => {
  it('go from planned to completed by what the device does, and staff find out why one is off its list', async () => {
    await using clinic = await openImagingClinic()
    const { gateway } = clinic
    const devices = (await gateway.call(dashboard.devices, {})).devices
    const ct1 = devices.find(({ aeTitle }) => aeTitle === 'CT1')?.deviceId ?? ''

    expect((await gateway.call(dashboardExams.exams, OF_THE_DAY)).source.kind).toBe('none')
    expect(await gateway.call(dashboardExams.refresh, { body: { day } })).toMatchObject({
      asked: 2,
      failed: 0,
    })
    expect(await examOf(gateway)).toMatchObject({
      state: 'scheduled',
      devices: [],
      patientName: EXAM.PatientName,
    })

    await clinic.worklist()
    expect(await examOf(gateway)).toMatchObject({
      state: 'handed-out',
      devices: [{ aeTitle: 'CT1', isOnList: true }],
    })
    const given = await gateway.call(dashboardExams.explain, {
      body: { day, deviceId: ct1, studyInstanceUid: UID, scheduledProcedureStepId: STEP_ID },
    })
    expect(given.checks.filter(({ state }) => state !== 'ok')).toEqual([])
    expect(given.isGiven).toBe(true)

    await using modality = await clinic.modality()
    await modality.begin('1.2.9.1', STEP)
    expect(await examOf(gateway)).toMatchObject({ state: 'started', images: 0 })
    await modality.store(
      image(1, { StudyInstanceUID: UID, SeriesInstanceUID: '1.2.9.9', SOPClassUID: CT }),
    )
    expect(await examOf(gateway)).toMatchObject({ state: 'started', images: 1, imageStudyUid: UID })
    await modality.set('1.2.9.1', {
      ...{
        PerformedProcedureStepStatus: 'COMPLETED',
        PerformedProcedureStepEndDate: DAY,
        PerformedProcedureStepEndTime: '091000',
      },
      PerformedSeriesSequence: [
        { SeriesInstanceUID: '1.2.9.9', ProtocolName: 'HEAD', ReferencedImageSequence: [] },
      ],
    })
    await modality.release()
    expect(await examOf(gateway)).toMatchObject({ state: 'completed' })
    await vi.waitFor(
      async () => expect(await examOf(gateway)).toMatchObject({ study: { area: 'scribe' } }),
      {
        timeout: 15_000,
        interval: 200,
      },
    )

    const done = await gateway.call(dashboardExams.explain, {
      body: { day, deviceId: ct1, studyInstanceUid: UID, scheduledProcedureStepId: STEP_ID },
    })
    expect(done.checks.find(({ state }) => state === 'failed')).toMatchObject({
      check: 'open',
      link: 'images',
    })
    // Nothing of a patient is said to a log by it.
    expect(gateway.log.join('\n')).not.toContain(EXAM.PatientName.split('^')[0])
  })

  it('are images before they are complete, where the device reports nothing', async () => {
    await using clinic = await openImagingClinic({ idleSeconds: 600 })
    await clinic.worklist()
    await using modality = await clinic.modality()
    await modality.store(
      image(1, { StudyInstanceUID: UID, SeriesInstanceUID: '1.2.9.9', SOPClassUID: CT }),
    )
    expect(await examOf(clinic.gateway)).toMatchObject({ state: 'images', images: 1 })
    await modality.release()
  })

  it('stay what they were while the partner is away, and say so', async () => {
    await using clinic = await openImagingClinic()
    await clinic.worklist()
    clinic.gateway.partner.setSequence(
      'modality_worklist.requested',
      Array.from({ length: 20 }, () => 'error' as const),
    )
    const refreshed = await clinic.gateway.call(dashboardExams.refresh, { body: { day } })
    expect(refreshed.failed).toBeGreaterThan(0)
    const seen = await clinic.gateway.call(dashboardExams.exams, OF_THE_DAY)
    expect(seen).toMatchObject({
      source: { kind: 'stored', fault: expect.any(String) },
      tally: { all: expect.any(Number) },
    })
    expect(seen.exams.length).toBeGreaterThanOrEqual(EXAMS.length)
  })

  it('refuse a device that is none, or is switched off', async () => {
    await using clinic = await openImagingClinic({
      devices: [{ aeTitle: 'CT1', isEnabled: false }],
    })
    const [device] = (await clinic.gateway.call(dashboard.devices, {})).devices
    const deviceId = device?.deviceId ?? ''
    const none = '3f0e1b52-6a4e-4d7e-9d55-0a8f3a1b2c3d'
    await expect(
      clinic.gateway.call(dashboardExams.refresh, { body: { deviceId } }),
    ).rejects.toThrow(/^422 This device is disabled/)
    await expect(clinic.gateway.call(dashboardExams.refresh, { body: {} })).rejects.toThrow(
      /^422 No device is enabled/,
    )
    await expect(
      clinic.gateway.call(dashboardExams.explain, { body: { deviceId: none, text: 'x' } }),
    ).rejects.toThrow(/^422 There is no such/)
    await expect(
      clinic.gateway.call(dashboardExams.explain, { body: { deviceId } }),
    ).rejects.toThrow(/^400/)
  })
})

it('Today says what needs somebody, and is calm once it was seen to', async () => {
  await using clinic = await openImagingClinic({
    overrides: { 'setup.isDone': true, 'http.publicUrl': 'https://gw.clinic.example' },
  })
  const today = async () => {
    const { items, numbers } = await clinic.gateway.call(dashboardToday.today, {})
    return { kinds: items.map(({ kind }) => kind), numbers }
  }
  expect((await today()).kinds).toEqual(['second-factor'])
  await setUpSecondFactor(clinic.gateway)
  expect(await today()).toMatchObject({
    kinds: [],
    numbers: { exams: 0, queries: 0, unread: { count: 0, isMore: false } },
  })
  const reportMetadata = {
    patientName: 'NOVAKOVA^ANA',
    mrn: '1',
    sex: 'female',
    dateOfBirth: '1961-03-07',
  } as const
  const study = await clinic.gateway.call(scribe.create, {
    body: {
      studyInstanceUid: '2.25.99',
      studyDescription: 'XR chest',
      severity: 'stat',
      reportMetadata,
    },
  })
  expect(await today()).toMatchObject({ kinds: ['stat-unread'], numbers: { unread: { count: 1 } } })
  await clinic.gateway.call(scribe.cancel, { body: { studyId: study.studyId } })
  expect((await today()).kinds).toEqual([])
})

/** The owner's own, by an authenticator app. */
async function setUpSecondFactor({ call }: Pick<StartedGateway, 'call'>): Promise<void> {
  const { password } = OWNER
  const { secret } = await call(dashboardSecurity.beginSecondFactor, { body: { password } })
  const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate()
  await call(dashboardSecurity.confirmSecondFactor, { body: { code } })
}
