import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { dashboard } from '#shared/contract/dashboard.ts'
import { dashboardImages } from '#shared/contract/images.ts'
import { dashboardReports } from '#shared/contract/reports.ts'
import { englishText } from '#shared/messages/english.ts'
import {
  BEGINS,
  EXAM,
  EXAMS,
  ended,
  type ImagingClinic,
  imageOf,
  movableClock,
  openImagingClinic,
  STEP_ID,
  sendImages,
  sopUid,
  UID,
  until,
} from '../support/imaging-clinic.ts'
import { tempFolder } from '../support/temp-store.ts'

// From a worklist row to a study and off the worklist (dicom-field §5.7, §5.9), through the whole
// gateway: sockets, files, database and partner are real. The tests wait most of the time, each for
// a gateway of its own: they run side by side.

const ACCESSION = String(EXAM.AccessionNumber)
const STEP = '1.2.3.900.1'
const STEPS = EXAMS.flatMap((exam) =>
  exam.ScheduledProcedureStepSequence.map((step) => String(step.ScheduledProcedureStepID)),
)

/** Seconds, more than a test lasts: the study does not come up by itself. */
const NEVER = 3600

const settled = (clinic: ImagingClinic, uid = UID) =>
  until(async () => {
    const study = await clinic.images(uid)
    expect(study.state).not.toBe('receiving')
    return study
  })
const feedOf = async ({ gateway }: ImagingClinic) =>
  (await gateway.call(dashboard.feed, { query: {} })).lines.map(({ text }) => englishText(text))

/** The study has the partner's values, then the header's; and the images know what they are of. */
async function expectSeededAndEnriched(clinic: ImagingClinic): Promise<void> {
  const study = await clinic.seeded()
  expect(study).toMatchObject({
    studyInstanceUid: UID,
    studyDescription: 'CT Head',
    severity: 'normal',
    studyReportStatus: 'unassigned',
    assignedTo: null,
    reportMetadata: {
      patientName: 'Schröder^Anneliese',
      mrn: 'P100000',
      dateOfBirth: '1948-03-12',
      sex: 'female',
      height: { unit: 'cm', value: 162 },
      weight: { unit: 'kg', value: 68 },
      referringPhysicianName: 'Dr. Example',
      facilityName: 'Simulated partner',
      scanType: 'CT of the head without contrast',
      scanDate: '2026-03-10',
      scanTime: '08:45',
      age: '77 years',
    },
  })
  expect(study.createdByApiKey ?? null).toBeNull()
  expect(study.createdByUser ?? null).toBeNull()
  expect(clinic.questions()).toBe(1)
  expect(clinic.gateway.partner.last).toMatchObject({
    type: 'patient_study.enrichment_requested',
    data: { studyInstanceUid: UID, accessionNumber: ACCESSION, patientId: 'P100000' },
  })
  expect(await settled(clinic)).toMatchObject({
    state: 'complete',
    instances: 3,
    expected: 3,
    missing: 0,
    identity: 'matched',
    identityCheck: { state: 'matched', differences: [], override: null },
    studies: [{ area: 'scribe', studyId: study.studyId, isSeeded: true }],
    enrichment: { state: 'done', warnings: [] },
    performedSteps: [
      {
        sopInstanceUid: STEP,
        status: 'COMPLETED',
        scheduledProcedureStepId: STEP_ID,
        instances: 3,
      },
    ],
  })
}

it.concurrent('takes an exam from the worklist to a study that is enriched, and off the worklist', async () => {
  await using clinic = await openImagingClinic({ idleSeconds: NEVER })
  const { gateway } = clinic
  expect(await clinic.worklist()).toMatchObject({ [STEP_ID]: 'SCHEDULED' })
  await clinic.worklist('CT2')

  await using modality = await clinic.modality()
  expect(await modality.begin(STEP, BEGINS)).toMatchObject({ status: '0000', sopInstanceUid: STEP })
  expect(await clinic.worklist()).toMatchObject({ [STEP_ID]: 'STARTED' })
  expect(await clinic.worklist('CT2')).not.toHaveProperty(STEP_ID)

  for (const number of [1, 2, 3])
    expect(await modality.store(imageOf(number))).toMatchObject({ status: '0000' })
  expect(await clinic.images()).toMatchObject({
    state: 'receiving',
    instances: 3,
    expected: null,
    studies: [],
  })
  expect(await clinic.study()).toBeUndefined()
  expect(await modality.set(STEP, ended('COMPLETED', [1, 2, 3]))).toMatchObject({ status: '0000' })

  await expectSeededAndEnriched(clinic)

  const rows = await clinic.worklist()
  expect(await clinic.worklistSource()).toBe('live')
  expect(rows).not.toHaveProperty(STEP_ID)
  expect(Object.keys(rows).toSorted()).toEqual(STEPS.filter((step) => step !== STEP_ID).toSorted())
  gateway.partner.setScenario('down')
  expect(await clinic.worklist()).toEqual(rows)
  expect(await clinic.worklistSource()).toBe('stored')
  // Nothing about a patient is in a log or in the feed.
  const said = [...gateway.log, ...(await feedOf(clinic))].join('\n')
  expect(said).not.toMatch(/Schröder|Anneliese|P100000|19480312/i)
})

it.concurrent('serves a row again whose step the device discontinued, and refuses to update that step further', async () => {
  await using clinic = await openImagingClinic({ idleSeconds: NEVER })
  await clinic.worklist()
  await using modality = await clinic.modality()
  const { sopInstanceUid, status } = await modality.begin(undefined, BEGINS)
  expect(status).toBe('0000')
  expect(sopInstanceUid).toMatch(/^2\.25\.\d+$/)
  expect(await clinic.worklist()).toMatchObject({ [STEP_ID]: 'STARTED' })
  expect(await modality.set(sopInstanceUid, ended('DISCONTINUED', []))).toMatchObject({
    status: '0000',
  })
  expect(await clinic.worklist()).toMatchObject({ [STEP_ID]: 'SCHEDULED' })

  expect(await modality.set(sopInstanceUid, ended('COMPLETED', [1]))).toMatchObject({
    status: '0110',
    errorId: 0xa710,
  })
  expect(await modality.set('1.2.3.900.9', ended('COMPLETED', [1]))).toMatchObject({
    status: '0112',
  })
  expect(await modality.begin(sopInstanceUid, BEGINS)).toMatchObject({ status: '0111' })
  expect(
    await modality.begin('1.2.3.900.2', { ...BEGINS, PerformedProcedureStepStatus: 'COMPLETED' }),
  ).toMatchObject({ status: '0106' })
  // The same step, begun again.
  await modality.begin('1.2.3.900.3', BEGINS)
  expect(await clinic.worklist()).toMatchObject({ [STEP_ID]: 'STARTED' })
})

it.concurrent('sets images aside that were made under the wrong worklist entry, those that still come too, and leaves it scheduled', async () => {
  await using clinic = await openImagingClinic()
  const { call } = clinic.gateway
  await clinic.worklist()
  await using modality = await clinic.modality()
  await modality.begin(STEP, BEGINS)
  for (const number of [1, 2]) await modality.store(imageOf(number))
  const reason = {
    CodeValue: '110514',
    CodingSchemeDesignator: 'DCM',
    CodeMeaning: 'Incorrect worklist entry selected',
  }
  const wrong = { PerformedProcedureStepDiscontinuationReasonCodeSequence: [reason] }
  expect(await modality.set(STEP, ended('DISCONTINUED', [1, 2, 3], wrong))).toMatchObject({
    status: '0000',
  })
  expect(await modality.store(imageOf(3))).toMatchObject({ status: '0000' })
  await modality.release()

  expect(await clinic.worklist()).toMatchObject({ [STEP_ID]: 'SCHEDULED' })
  const { instances } = await call(dashboardImages.quarantine, { query: {} })
  expect(
    instances.map(({ sopInstanceUid, reason: because }) => [sopInstanceUid, because]).toSorted(),
  ).toEqual([1, 2, 3].map((number) => [sopUid(number), 'wrong-step']))
  expect(await settled(clinic)).toMatchObject({ instances: 0, quarantined: 3, studies: [] })
  expect(await clinic.study()).toBeUndefined()
  expect(clinic.questions()).toBe(0)
  expect(await clinic.worklist()).toMatchObject({ [STEP_ID]: 'SCHEDULED' })

  // A person looks at them and finds that they are right: it is as if they came now.
  const [first] = instances
  if (!first) throw new Error('nothing was set aside')
  const why = 'the technologist mistook it'
  await call(dashboardImages.releaseInstance, {
    params: { instanceId: first.instanceId },
    body: { reason: why },
  })
  const of = { params: { studyInstanceUid: UID } }
  const { groups } = await call(dashboardImages.quarantineGroups, of)
  expect(groups).toMatchObject([
    { reason: 'wrong-step', instances: 2, patientNames: ['Schröder^Anneliese'] },
  ])
  const decision = {
    because: 'wrong-step',
    upTo: groups[0]?.newestInstanceId ?? 0,
    reason: why,
  } as const
  expect(await call(dashboardImages.releaseGroup, { ...of, body: decision })).toMatchObject({
    success: true,
    decided: 2,
    left: 0,
  })
  await clinic.seeded()
  expect(await settled(clinic)).toMatchObject({ instances: 3, quarantined: 0 })
  expect(clinic.gateway.log.filter((line) => line.includes('internal error'))).toEqual([])
})

it.concurrent('seeds a study that no MPPS speaks of when it has been quiet, closes its row, and only counts images that come late', async () => {
  await using clinic = await openImagingClinic({ idleSeconds: 3 })
  await clinic.worklist()
  await sendImages(clinic, [imageOf(1), imageOf(2)])
  const study = await clinic.seeded()
  expect(await settled(clinic)).toMatchObject({ state: 'complete', instances: 2, expected: null })
  expect(await clinic.worklist()).not.toHaveProperty(STEP_ID)

  await sendImages(clinic, [imageOf(3)])
  expect(await clinic.images()).toMatchObject({ state: 'receiving', instances: 3 })
  expect(await clinic.worklist()).not.toHaveProperty(STEP_ID)
  expect(await settled(clinic)).toMatchObject({ state: 'complete', instances: 3 })
  expect(clinic.questions()).toBe(1)
  expect(await clinic.study()).toEqual(study)
})

it.concurrent.each([
  ['its device reports it completed', true],
  ['its images are here', false],
])(
  'takes one step of an exam of two off the worklist when %s, and leaves the other',
  async (_, isReported) => {
    await using clinic = await openImagingClinic()
    const { StudyInstanceUID, ScheduledProcedureStepSequence } = EXAMS[5] ?? EXAM
    const [first = '', second = ''] = ScheduledProcedureStepSequence.map((step) =>
      String(step.ScheduledProcedureStepID),
    )
    expect(await clinic.worklist()).toMatchObject({ [first]: 'SCHEDULED', [second]: 'SCHEDULED' })
    const imageOfStep = (number: number, ScheduledProcedureStepID: string) =>
      imageOf(number, {
        StudyInstanceUID,
        RequestAttributesSequence: [{ StudyInstanceUID, ScheduledProcedureStepID }],
      })
    await using modality = await clinic.modality()
    const doStep = async (step: string, number: number) => {
      const scheduled = { StudyInstanceUID, ScheduledProcedureStepID: step }
      if (isReported)
        await modality.begin(`1.2.3.901.${number}`, {
          ...BEGINS,
          ScheduledStepAttributesSequence: [scheduled],
        })
      expect(await modality.store(imageOfStep(number, step))).toMatchObject({ status: '0000' })
      if (isReported)
        expect(
          await modality.set(`1.2.3.901.${number}`, ended('COMPLETED', [number])),
        ).toMatchObject({ status: '0000' })
    }

    await doStep(first, 1)
    if (!isReported) await modality.release()
    const study = await clinic.seeded(StudyInstanceUID)
    const left = await clinic.worklist()
    expect(left).toMatchObject({ [second]: 'SCHEDULED' })
    expect(left).not.toHaveProperty(first)

    if (isReported) await doStep(second, 2)
    else await sendImages(clinic, [imageOfStep(2, second)])
    await until(async () => expect(await clinic.worklist()).not.toHaveProperty(second))
    expect(await settled(clinic, StudyInstanceUID)).toMatchObject({
      state: 'complete',
      instances: 2,
      studies: [{ studyId: study.studyId }],
    })
    expect(clinic.questions()).toBe(1)
  },
)

it.concurrent('leaves the row on the worklist where images do not close it', async () => {
  await using clinic = await openImagingClinic({ overrides: { 'worklist.closeOnImages': false } })
  await clinic.worklist()
  await sendImages(clinic, [imageOf(1)])
  await clinic.seeded()
  expect(await clinic.worklist()).toMatchObject({ [STEP_ID]: 'SCHEDULED' })
})

it.concurrent('seeds a study that is sent as it is made when it has taken long enough, while its association is open', async () => {
  await using clinic = await openImagingClinic({ overrides: { 'intake.capMinutes': 1.5 / 60 } })
  await using modality = await clinic.modality()
  let sent = 0
  for (; (await clinic.study()) === undefined; sent++) {
    expect(sent).toBeLessThan(100)
    expect(await modality.store(imageOf(sent + 1))).toMatchObject({ status: '0000' })
    await wait(150)
  }
  expect(sent).toBeGreaterThan(1)
  expect(await modality.store(imageOf(sent + 1))).toMatchObject({ status: '0000' })
  await modality.release()
  expect(await settled(clinic)).toMatchObject({
    state: 'complete',
    instances: sent + 1,
    lastTransfer: { how: 'released' },
  })
  expect(clinic.questions()).toBe(1)
})

it.concurrent('waits for the images that a completed step names, and says what is missing', async () => {
  await using clinic = await openImagingClinic({ idleSeconds: NEVER })
  await using modality = await clinic.modality()
  await modality.begin(STEP, BEGINS)
  await modality.store(imageOf(1))
  await modality.set(STEP, ended('COMPLETED', [1, 2]))
  expect(await clinic.images()).toMatchObject({
    state: 'receiving',
    instances: 1,
    expected: 2,
    missing: 1,
  })
  expect(await clinic.study()).toBeUndefined()
  await modality.store(imageOf(2))
  await clinic.seeded()
  expect(await settled(clinic)).toMatchObject({ state: 'complete', instances: 2, missing: 0 })
})

it.concurrent('knows at the last image that an exam is whole which was reported completed before its first', async () => {
  await using clinic = await openImagingClinic({ idleSeconds: NEVER })
  await using modality = await clinic.modality()
  await modality.begin(STEP, BEGINS)
  expect(await modality.set(STEP, ended('COMPLETED', [1, 2]))).toMatchObject({ status: '0000' })
  await modality.store(imageOf(1))
  expect(await clinic.images()).toMatchObject({
    state: 'receiving',
    instances: 1,
    expected: 2,
    missing: 1,
  })
  await modality.store(imageOf(2))
  await clinic.seeded()
  expect(await settled(clinic)).toMatchObject({
    state: 'complete',
    instances: 2,
    expected: 2,
    missing: 0,
  })
  // Of the same exam sent once more nothing is made anew.
  await modality.store(imageOf(2))
  expect(await clinic.images()).toMatchObject({ state: 'complete', instances: 2 })
  expect(clinic.questions()).toBe(1)
})

it.concurrent('goes on waiting after a restart, from its rows', async () => {
  using temp = tempFolder()
  const clock = movableClock()
  const options = { idleSeconds: 60, folder: temp.folder, clock }
  {
    await using clinic = await openImagingClinic(options)
    await sendImages(clinic, [imageOf(1), imageOf(2)])
    expect(await clinic.images()).toMatchObject({ state: 'receiving' })
    expect(await clinic.study()).toBeUndefined()
  }
  {
    await using clinic = await openImagingClinic(options)
    expect(await clinic.images()).toMatchObject({
      state: 'receiving',
      instances: 2,
      lastTransfer: { how: 'released' },
    })
    expect(clinic.questions()).toBe(0)
    const modality = await clinic.modality()
    await modality.store(imageOf(3))
  }
  clock.ahead = 61_000
  await using clinic = await openImagingClinic(options)
  expect(await clinic.seeded()).toMatchObject({
    reportMetadata: { patientName: 'Schröder^Anneliese', facilityName: 'Simulated partner' },
  })
  expect(await settled(clinic)).toMatchObject({
    state: 'incomplete',
    instances: 3,
    lastTransfer: { how: 'aborted' },
  })
  expect(clinic.questions()).toBe(1)
})

it.concurrent('says that a transfer broke off, and that it is complete when all was sent again', async () => {
  await using clinic = await openImagingClinic()
  await using modality = await clinic.modality()
  await modality.store(imageOf(1))
  modality.vanish()
  const broken = await settled(clinic)
  expect(broken).toMatchObject({
    state: 'incomplete',
    instances: 1,
    lastTransfer: { how: 'aborted' },
  })
  expect(broken.lastTransfer.detail).not.toBeNull()

  await sendImages(clinic, [imageOf(1), imageOf(2)])
  await until(async () =>
    expect(await clinic.images()).toMatchObject({
      state: 'complete',
      instances: 2,
      quarantined: 0,
    }),
  )
  expect(await feedOf(clinic)).toContain(
    'The device sent 2 objects from 1 study (1 of them already here).',
  )
})

it.concurrent('says that a transfer broke off whose sender left before its image was answered', async () => {
  await using clinic = await openImagingClinic()
  for (let round = 1; round <= 5; round++) {
    const uid = `1.2.3.802.${round}`
    const modality = await clinic.modality()
    modality.storeAndLeave(
      imageOf(1, {
        StudyInstanceUID: uid,
        SeriesInstanceUID: `${uid}.1`,
        SOPInstanceUID: `${uid}.1.1`,
      }),
    )
    await until(() => clinic.images(uid))
    expect(await settled(clinic, uid)).toMatchObject({
      state: 'incomplete',
      instances: 1,
      lastTransfer: { how: 'aborted' },
    })
  }
})

it.concurrent('says that a transfer is open while one of its associations is, and broken off where one of them broke off', async () => {
  await using clinic = await openImagingClinic()
  const how = async () => (await clinic.images()).lastTransfer.how
  const [one, two, three] = await Promise.all([
    clinic.modality(),
    clinic.modality(),
    clinic.modality(),
  ])
  await one.store(imageOf(1))
  await two.store(imageOf(2))
  await three.store(imageOf(3))
  await one.release()
  await two.store(imageOf(4))
  expect(await how()).toBe('open')
  two.vanish()
  await until(async () => expect(await how()).toBe('aborted'))
  await three.store(imageOf(5))
  await three.release()
  expect(await settled(clinic)).toMatchObject({
    state: 'incomplete',
    instances: 5,
    lastTransfer: { how: 'aborted' },
  })
  await sendImages(clinic, [imageOf(4)])
  await until(async () =>
    expect(await clinic.images()).toMatchObject({
      state: 'complete',
      lastTransfer: { how: 'released' },
    }),
  )
})

it.concurrent('keeps an instance once that comes by two associations at the same moment', async () => {
  await using clinic = await openImagingClinic()
  const ROUNDS = 20
  await using one = await clinic.modality()
  await using other = await clinic.modality('CT2')
  for (let number = 1; number <= ROUNDS; number++) {
    const answers = await Promise.all(
      [one, other].map((modality) => modality.store(imageOf(number))),
    )
    expect(answers.map(({ status }) => status)).toEqual(['0000', '0000'])
  }
  await one.release()
  await other.release()
  expect(await settled(clinic)).toMatchObject({ instances: ROUNDS, quarantined: 0, series: 1 })
  const files = readdirSync(join(clinic.gateway.folder, 'images'), { recursive: true }).filter(
    (name) => String(name).endsWith('.dcm'),
  )
  expect(files).toHaveLength(ROUNDS)
})

it.concurrent('shows side by side where images name another patient than the row they were made for, and blocks signing', async () => {
  await using clinic = await openImagingClinic()
  const { call } = clinic.gateway
  await clinic.worklist()
  await sendImages(clinic, [
    imageOf(1, {
      PatientName: 'Sample^Sam',
      PatientID: 'P9',
      PatientBirthDate: '19800511',
      PatientSex: 'M',
    }),
  ])
  await clinic.seeded()
  const study = await settled(clinic)
  // The partner, which was asked by the accession number, names the patient of the worklist too.
  const differences = ['worklist', 'study'].flatMap((from) => [
    { from, field: 'patientName', expected: 'Schröder^Anneliese', received: 'Sample^Sam' },
    { from, field: 'patientId', expected: 'P100000', received: 'P9' },
    { from, field: 'patientBirthDate', expected: '19480312', received: '19800511' },
    { from, field: 'patientSex', expected: 'F', received: 'M' },
  ])
  expect(study).toMatchObject({
    identity: 'mismatch',
    identityCheck: { state: 'mismatch', differences, override: null },
  })
  // Nothing of the row is put in the place of what the images say.
  expect(study).toMatchObject({ patientName: 'Sample^Sam', patientId: 'P9' })
  const shown = await call(dashboardImages.list, { query: { show: 'mismatch' } })
  expect(shown.studies.map(({ studyInstanceUid }) => studyInstanceUid)).toEqual([UID])
  expect(await feedOf(clinic)).toContain(
    'The patient or order in the images differs from the worklist entry that they were acquired under.',
  )

  const { studyId } = await call(dashboardReports.byUid, { params: { studyInstanceUid: UID } })
  if (!studyId) throw new Error('there is no study to report')
  const reading = await call(dashboardReports.read, { params: { studyId } })
  expect(reading.identity).toEqual(study.identityCheck)
  const checked = await call(dashboardReports.check, {
    params: { studyId },
    body: { text: 'Normal.', isCritical: false },
  })
  expect(checked.findings).toContainEqual(
    expect.objectContaining({ check: 'identity', level: 'error' }),
  )
})
