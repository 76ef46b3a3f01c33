import { expect, it } from 'vitest'
import { dashboard } from '#shared/contract/dashboard.ts'
import { dashboardEvents } from '#shared/contract/events.ts'
import { express } from '#shared/contract/express.ts'
import { dashboardImages } from '#shared/contract/images.ts'
import { scribe } from '#shared/contract/scribe.ts'
import { viewer } from '#shared/contract/viewer.ts'
import type { EventResponse } from '#shared/contract/webhooks.ts'
import {
  EXAM,
  imageOf,
  movableClock,
  openImagingClinic,
  sendImages,
  UID,
  until,
} from '../support/imaging-clinic.ts'
import { tempFolder } from '../support/temp-store.ts'

// The event patient_study.enrichment_requested, about a study that images created, through the
// whole gateway.

/** What the header alone says of the exam. */
const OF_HEADER = {
  patientName: 'Schröder^Anneliese',
  mrn: 'P100000',
  dateOfBirth: '1948-03-12',
  sex: 'female',
  height: { unit: 'cm', value: 178.5 },
  weight: { unit: 'kg', value: 81.5 },
  referringPhysicianName: 'Refer^Rita',
  facilityName: 'Clinic of the Isthmus',
  scanType: 'CT',
  scanDate: '2026-03-10',
  scanTime: '08:45',
  age: '77 years',
}

it.concurrent('seeds a study by its header while the partner is away, and fills later what nobody has set meanwhile', async () => {
  using temp = tempFolder()
  const clock = movableClock()
  const options = { folder: temp.folder, clock }
  {
    await using clinic = await openImagingClinic(options)
    const { call, partner } = clinic.gateway
    partner.setScenario('down')
    await sendImages(clinic, [imageOf(1)])
    const seeded = await clinic.seeded()
    expect(seeded).toMatchObject({
      studyDescription: 'CT head',
      severity: 'normal',
      studyReportStatus: 'unassigned',
    })
    expect(seeded.reportMetadata).toEqual(OF_HEADER)
    const { enrichment } = await clinic.images()
    expect(enrichment).toMatchObject({
      state: 'waiting',
      detail: { code: 'images.no-answer-because' },
    })
    expect(Date.parse(enrichment.nextAt ?? '') - Date.parse(enrichment.askedAt ?? '')).toBe(60_000)

    const body = {
      severity: 'stat',
      reportMetadata: { facilityName: 'Ward 7', height: null },
    } as const
    await call(scribe.update, { params: { studyId: seeded.studyId }, body })
  }
  clock.ahead = 61_000
  await using clinic = await openImagingClinic(options)
  await until(async () => expect((await clinic.images()).enrichment.state).toBe('done'))
  const enriched = await clinic.study()
  expect(enriched).toMatchObject({ studyDescription: 'CT Head', severity: 'stat' })
  const { height: _cleared, ...kept } = OF_HEADER
  expect(enriched?.reportMetadata).toEqual({
    ...kept,
    facilityName: 'Ward 7',
    referringPhysicianName: 'Dr. Example',
    scanType: 'CT of the head without contrast',
    weight: { unit: 'kg', value: 68 },
  })
  expect(clinic.questions()).toBe(1)
})

it.concurrent('takes an answer that is no JSON for none, and asks again when a person says so', async () => {
  await using clinic = await openImagingClinic()
  const { call, partner } = clinic.gateway
  // The simulator's garbage is of two kinds in turn: the second is no JSON.
  await clinic.worklist()
  partner.setScenario('garbage')
  await sendImages(clinic, [imageOf(1)])
  expect((await clinic.seeded()).reportMetadata).toEqual(OF_HEADER)
  expect((await clinic.images()).enrichment).toMatchObject({
    state: 'waiting',
    nextAt: expect.any(String),
  })

  partner.setScenario('normal')
  const { enrichment } = await call(dashboardImages.retryEnrichment, {
    params: { studyInstanceUid: UID },
  })
  expect(enrichment).toMatchObject({ state: 'done', nextAt: null, detail: null })
  expect((await clinic.study())?.reportMetadata).toMatchObject({
    facilityName: 'Simulated partner',
    height: { unit: 'cm', value: 162 },
  })
})

it.concurrent('uses the good fields of an answer, and says of each other one that it was left out', async () => {
  const answer = {
    ...{ severity: 'stat', dateOfBirth: '12.03.1948', sex: 'F', mrn: 'P100000', facilityName: 7 },
    ...{
      height: { unit: 'cm', value: '171' },
      weight: { unit: 'kg', value: 68 },
      studyTime: null,
      unknown: 1,
    },
  } as unknown as EventResponse<'patient_study.enrichment_requested'>
  await using clinic = await openImagingClinic({
    partner: { answers: { 'patient_study.enrichment_requested': () => answer } },
  })
  await sendImages(clinic, [imageOf(1)])
  const seeded = await clinic.seeded()
  expect(seeded.severity).toBe('stat')
  expect(seeded.reportMetadata).toEqual({ ...OF_HEADER, weight: { unit: 'kg', value: 68 } })
  const leftOut = ['dateOfBirth', 'facilityName', 'height', 'sex']
  expect((await clinic.images()).enrichment).toMatchObject({
    ...{ state: 'done', nextAt: null },
    warnings: leftOut.map((field) => `The partner’s ${field} cannot be used and was left out.`),
  })
  const { call } = clinic.gateway
  await until(async () => {
    const { events } = await call(dashboardEvents.list, {
      query: { type: 'patient_study.enrichment_requested' },
    })
    expect(events).toMatchObject([{ outcome: 'accepted', notes: 4 }])
    const { attemptList } = await call(dashboardEvents.read, {
      params: { eventId: events[0]?.eventId as never },
    })
    expect(attemptList[0]?.notes.map(({ path }) => path)).toEqual(leftOut)
  })
})

it.concurrent('takes an answer that knows nothing of the study as one, and asks no more', async () => {
  await using clinic = await openImagingClinic({ partner: { worklist: [] } })
  await sendImages(clinic, [imageOf(1)])
  expect((await clinic.seeded()).reportMetadata).toEqual(OF_HEADER)
  expect((await clinic.images()).enrichment).toMatchObject({ state: 'empty', nextAt: null })
})

it.concurrent('makes studies of images where there is no partner at all', async () => {
  await using clinic = await openImagingClinic({ partner: null })
  await sendImages(clinic, [imageOf(1)])
  expect(await clinic.seeded()).toMatchObject({
    studyDescription: 'CT head',
    severity: 'normal',
    reportMetadata: OF_HEADER,
  })
  expect((await clinic.images()).enrichment).toMatchObject({
    state: 'waiting',
    nextAt: expect.any(String),
  })
})

it.concurrent('does not wait for a partner that is slower than its budget', async () => {
  await using clinic = await openImagingClinic({ partner: { slowMs: 20_000, scenario: 'slow' } })
  await sendImages(clinic, [imageOf(1)])
  expect((await clinic.seeded()).reportMetadata).toEqual(OF_HEADER)
  expect((await clinic.images()).enrichment).toMatchObject({
    state: 'waiting',
    detail: { code: 'images.no-answer-because' },
  })
})

it.concurrent('asks again where the device sends an image anew for another patient, and fills what nobody has set', async () => {
  await using clinic = await openImagingClinic({ partner: { worklist: [] } })
  const { call } = clinic.gateway
  await sendImages(clinic, [imageOf(1, { PatientName: 'Emergency^One', PatientID: 'E1' })])
  const { studyId } = await clinic.seeded()
  await call(scribe.update, {
    params: { studyId },
    body: { reportMetadata: { facilityName: 'Ward 7' } },
  })
  await sendImages(clinic, [imageOf(1)])
  await until(async () =>
    expect((await clinic.study())?.reportMetadata).toEqual({
      ...OF_HEADER,
      facilityName: 'Ward 7',
    }),
  )
  expect(clinic.questions()).toBe(2)
  expect(await clinic.images()).toMatchObject({
    instances: 1,
    patientName: 'Schröder^Anneliese',
    studies: [{ studyId }],
  })
})

it.concurrent('changes nothing where one image among others names another patient, and says so', async () => {
  await using clinic = await openImagingClinic()
  await sendImages(clinic, [imageOf(1), imageOf(2, { PatientName: 'Sample^Sam', PatientID: 'P9' })])
  const study = await clinic.seeded()
  expect(study.reportMetadata).toMatchObject({ patientName: 'Schröder^Anneliese', mrn: 'P100000' })
  expect(await clinic.images()).toMatchObject({ instances: 2, patientId: 'P100000' })
  const { lines } = await clinic.gateway.call(dashboard.feed, { query: {} })
  expect(lines).toContainEqual(
    expect.objectContaining({ kind: 'images', tone: 'danger', studyInstanceUid: UID }),
  )
  expect(JSON.stringify(lines)).not.toMatch(/Sample|P9/)
})

it.concurrent('merges per field, and leaves out a customer that cannot be used with a warning', async () => {
  const customers: string[] = []
  const uid = (index: number) => `1.2.3.800.${index}`
  await using clinic = await openImagingClinic({
    partner: {
      worklist: [],
      answers: {
        'patient_study.enrichment_requested': ({ studyInstanceUid }) => ({
          expressCustomerId: customers[Number(studyInstanceUid.split('.').at(-1))] ?? '',
          externalPatientId: 'EXT-1',
          patientName: 'Schröder-Ober^Anneliese',
          severity: 'high',
          studyTime: '07:30:12',
          height: { unit: 'in', value: 64 },
        }),
      },
    },
  })
  const { call } = clinic.gateway
  const [active, former] = await Promise.all(
    ['North Imaging', 'Former'].map((expressCustomerName) =>
      call(express.create, { body: { expressCustomerName } }),
    ),
  )
  if (!active || !former) throw new Error('no customers')
  await call(express.deactivate, { params: { expressCustomerId: former.expressCustomerId } })
  const unknown = `cus_${'0'.repeat(31)}1`
  customers.push(active.expressCustomerId, former.expressCustomerId, unknown)

  await sendImages(
    clinic,
    customers.map((_, index) =>
      imageOf(1, {
        StudyInstanceUID: uid(index),
        SeriesInstanceUID: `${uid(index)}.1`,
        SOPInstanceUID: `${uid(index)}.1.1`,
      }),
    ),
  )
  for (const index of customers.keys()) {
    const study = await clinic.seeded(uid(index))
    expect(study).toMatchObject({
      severity: 'high',
      studyDescription: 'CT head',
      externalPatientId: 'EXT-1',
    })
    expect(study.reportMetadata).toEqual({
      ...OF_HEADER,
      patientName: 'Schröder-Ober^Anneliese',
      scanTime: '07:30',
      height: { unit: 'in', value: 64 },
    })
    expect(study.expressCustomer?.expressCustomerId).toBe(
      index === 0 ? active.expressCustomerId : undefined,
    )
  }
  const warnings = await Promise.all(
    [0, 1, 2].map(async (index) => (await clinic.images(uid(index))).enrichment.warnings),
  )
  expect(warnings).toEqual([
    [],
    [`The partner’s customer ${former.expressCustomerId} is deactivated and was left out.`],
    ['The partner’s expressCustomerId is not that of a customer of this gateway and was left out.'],
  ])
  const effectOf = async (about: string) =>
    (await call(dashboardEvents.list, { query: { about } })).events.map(({ effect }) => effect)
  await until(async () =>
    expect(await Promise.all([0, 1].map((index) => effectOf(uid(index))))).toEqual([
      ['The response completed the study data.'],
      [
        `The response completed the study data. The partner’s customer ${former.expressCustomerId} is deactivated and was left out.`,
      ],
    ]),
  )
})

it.concurrent('asks once for both areas', async () => {
  await using clinic = await openImagingClinic({
    overrides: { 'intake.areas': ['scribe', 'viewer'] },
  })
  await sendImages(clinic, [imageOf(1), imageOf(2)])
  const study = await clinic.seeded()
  const seen = await clinic.gateway.call(viewer.byUid, { params: { studyInstanceUid: UID } })
  expect(seen).toMatchObject({ studyDescription: 'CT Head', severity: 'normal', assignedTo: null })
  expect(seen.createdByApiKey ?? seen.createdByUser ?? null).toBeNull()
  expect((await clinic.images()).studies).toEqual(
    expect.arrayContaining([
      { area: 'viewer', studyId: seen.studyId, isSeeded: true },
      { area: 'scribe', studyId: study.studyId, isSeeded: true },
    ]),
  )
  expect(clinic.questions()).toBe(1)
})

it.concurrent('attaches images to a study that the area knows already: nothing is made, asked or overwritten', async () => {
  await using clinic = await openImagingClinic()
  const { call } = clinic.gateway
  const reportMetadata = { patientName: 'As the partner wrote it', mrn: 'MRN-9' }
  const made = await call(scribe.create, {
    body: { studyInstanceUid: UID, studyDescription: 'Ordered', severity: 'high', reportMetadata },
  })
  await sendImages(clinic, [imageOf(1)])
  await until(async () => expect(await clinic.images()).toMatchObject({ state: 'complete' }))
  expect(await clinic.images()).toMatchObject({
    studies: [{ area: 'scribe', studyId: made.studyId, isSeeded: false }],
    enrichment: { state: 'not-asked', askedAt: null },
  })
  expect(await clinic.study()).toEqual(made)
  expect(clinic.questions()).toBe(0)
})

it.concurrent('fills an area that does not know the study, and leaves alone the one that does', async () => {
  await using clinic = await openImagingClinic({
    overrides: { 'intake.areas': ['scribe', 'viewer'] },
  })
  const { call } = clinic.gateway
  const made = await call(viewer.create, {
    body: { studyInstanceUid: UID, studyDescription: 'Ordered', severity: 'high' },
  })
  await sendImages(clinic, [imageOf(1)])
  expect(await clinic.seeded()).toMatchObject({ studyDescription: 'CT Head', severity: 'normal' })
  expect(await call(viewer.byUid, { params: { studyInstanceUid: UID } })).toEqual(made)
  expect(clinic.questions()).toBe(1)
})

it.concurrent('enriches by the accession number where the device made a study UID of its own, and shows that it did', async () => {
  await using clinic = await openImagingClinic()
  await clinic.worklist()
  const own = '1.2.3.801'
  const uids = {
    StudyInstanceUID: own,
    SeriesInstanceUID: `${own}.1`,
    SOPInstanceUID: `${own}.1.1`,
  }
  await sendImages(clinic, [imageOf(1, uids)])
  expect(await clinic.seeded(own)).toMatchObject({
    reportMetadata: { facilityName: 'Simulated partner' },
  })
  expect((await clinic.images(own)).identityCheck).toEqual({
    state: 'matched',
    differences: [{ from: 'worklist', field: 'studyInstanceUid', expected: UID, received: own }],
    override: null,
  })
  // Its images are here: the row is done.
  await until(async () =>
    expect(await clinic.worklist()).not.toHaveProperty(String(EXAM.AccessionNumber)),
  )
})
