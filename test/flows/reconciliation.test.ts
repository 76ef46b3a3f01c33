import { describe, expect, it } from 'vitest'
import type { Context } from '#server/context.ts'
import { openAccounts } from '#server/modules/users/people.ts'
import { findUser, updateUser } from '#server/modules/users/queries.ts'
import { instantOf } from '#server/platform/clock.ts'
import { dashboardCorrections } from '#shared/contract/corrections.ts'
import { dashboard } from '#shared/contract/dashboard.ts'
import { dashboardExams } from '#shared/contract/dashboard-exams.ts'
import { dashboardStudies } from '#shared/contract/dashboard-studies.ts'
import { dashboardToday } from '#shared/contract/dashboard-today.ts'
import { dashboardImages } from '#shared/contract/images.ts'
import { dashboardReconciliation, type Reconciliation } from '#shared/contract/reconciliation.ts'
import { dashboardReports } from '#shared/contract/reports.ts'
import type { WorklistItem } from '#shared/contract/webhooks.ts'
import type { StudyId } from '#shared/ids.ts'
import type { Values } from '../electron/server/modules/images/intake-fixture.ts'
import { callerOf, OWNER, sessionHeaders } from '../support/gateway.ts'
import {
  type ClinicOptions,
  DAY,
  EXAMS,
  type ImagingClinic,
  imageOf,
  openImagingClinic,
  sendImages,
  until,
} from '../support/imaging-clinic.ts'
import { NORMAL, readingWindow } from '../support/reporting-clinic.ts'
import { textOf } from '../support/saying.ts'
import { sameDayClock } from '../support/temp-store.ts'

// A day without the network: two patients are imaged by the worklist, two by hand. When the partner
// is back, one screen says which order each of them belongs to.

const clock = sameDayClock()
const TODAY = instantOf(clock()).slice(0, 10)
const day = DAY.replace(/(....)(..)(..)/, '$1-$2-$3')
const RANGE = { query: { from: TODAY, to: day } } as const

const [FIRST, SECOND, TYPED, MISTYPED] = [4, 11, 14, 18].map((at) => EXAMS[at]) as [
  ...[WorklistItem, WorklistItem, WorklistItem, WorklistItem],
]
const stepOf = (exam: WorklistItem) =>
  String(exam.ScheduledProcedureStepSequence[0]?.ScheduledProcedureStepID)
const timeOf = (exam: WorklistItem) =>
  String(exam.ScheduledProcedureStepSequence[0]?.ScheduledProcedureStepStartTime)
const orderIdOf = (exam: WorklistItem) => `${day} ${exam.StudyInstanceUID} ${stepOf(exam)}`

/** Images that a console made from the row of the worklist. */
const scheduled = (exam: WorklistItem): Values =>
  imageOf(1, {
    ...patientOf(exam),
    ...uidsOf(exam.StudyInstanceUID),
    AccessionNumber: String(exam.AccessionNumber),
    RequestAttributesSequence: [{ ScheduledProcedureStepID: stepOf(exam) }],
  })
/**
 * Images of a patient who was typed at the console: without an order, under a UID of the device.
 */
const typed = (exam: WorklistItem, studyInstanceUid: string, more: Values = {}): Values =>
  imageOf(1, {
    ...patientOf(exam),
    ...uidsOf(studyInstanceUid),
    AccessionNumber: '',
    RequestAttributesSequence: [],
    StudyDate: DAY,
    StudyTime: timeOf(exam),
    Modality: exam.Modality,
    ...more,
  })
const patientOf = (exam: WorklistItem): Values => ({
  PatientName: String(exam.PatientName),
  PatientID: String(exam.PatientID),
  PatientBirthDate: String(exam.PatientBirthDate),
  PatientSex: String(exam.PatientSex),
})
const uidsOf = (uid: string): Values => ({
  StudyInstanceUID: uid,
  SeriesInstanceUID: `${uid}.1`,
  SOPInstanceUID: `${uid}.1.1`,
})

const LINKED = '1.2.826.0.1.3680043.8.498.4001'
const OTHER = '1.2.826.0.1.3680043.8.498.4002'

const settled = (clinic: ImagingClinic, studyInstanceUid: string) =>
  until(async () => {
    const study = await clinic.images(studyInstanceUid)
    expect(study.state).not.toBe('receiving')
    return study
  })

/** The morning: CT1 has its worklist, then nobody can be reached, and four patients are imaged. */
async function openOutage(options: ClinicOptions = {}): Promise<ImagingClinic> {
  const clinic = await openImagingClinic({ clock, ...options })
  await clinic.worklist()
  clinic.gateway.partner.setScenario('down')
  await clinic.worklist()
  await sendImages(clinic, [scheduled(FIRST)])
  await sendImages(clinic, [scheduled(SECOND)])
  await sendImages(clinic, [typed(TYPED, LINKED)], 'CT2')
  const wrong = {
    PatientName: `${String(MISTYPED.PatientName).split('=')[0]}x`,
    PatientID: 'UNKNOWN7',
    PatientBirthDate: '',
  }
  await sendImages(clinic, [typed(MISTYPED, OTHER, wrong)], 'CT2')
  for (const uid of [FIRST.StudyInstanceUID, SECOND.StudyInstanceUID, LINKED, OTHER])
    await settled(clinic, uid)
  return clinic
}

const RADIOLOGIST = { email: 'radiologist@clinic.example', password: OWNER.password }
async function addRadiologist(context: Context): Promise<void> {
  const person = {
    firstName: 'Una',
    lastName: 'Reader',
    level: 'member',
    clinicRole: 'Radiologist',
  } as const
  const { userId } = await openAccounts(context).createUser(
    { ...RADIOLOGIST, ...person },
    'command-line',
  )
  const user = findUser(context.database, userId)
  if (user)
    updateUser(context.database, { ...user, canCreateReports: true, npiNumber: '1234567893' })
}

const read = (clinic: ImagingClinic, query = RANGE.query): Promise<Reconciliation> =>
  clinic.gateway.call(dashboardReconciliation.read, { query })
const examOf = ({ exams }: Reconciliation, uid: string) =>
  exams.find(({ studyInstanceUid }) => studyInstanceUid === uid)
const orderOf = ({ orders }: Reconciliation, exam: WorklistItem) =>
  orders.find(({ orderId }) => orderId === orderIdOf(exam))
const unplanned = async (clinic: ImagingClinic) =>
  (await clinic.gateway.call(dashboardToday.today, {})).items.find(
    ({ kind }) => kind === 'images-unplanned',
  )

describe('a day without the partner', () => {
  it.concurrent('is printed, imaged, reconciled by a link, and reported', async () => {
    await using clinic = await openOutage()
    const { call, http, partner } = clinic.gateway
    const headers = await sessionHeaders(http, OWNER)
    const printed = await fetch(`${http}/dashboard/worklist/exams/print?day=${day}`, { headers })
    expect([printed.status, printed.headers.get('content-type')]).toEqual([200, 'application/pdf'])

    // Everybody sees which exams have no order.
    expect(await clinic.images(FIRST.StudyInstanceUID)).toMatchObject({
      identity: 'matched',
      isUnscheduled: false,
    })
    expect(await clinic.images(LINKED)).toMatchObject({
      identity: 'unverified',
      isUnscheduled: true,
      linkedOrder: null,
    })
    const { studyId } = await clinic.seeded(LINKED)
    const reading = { params: { studyId: studyId as StudyId } }
    expect(await call(dashboardReports.read, reading)).toMatchObject({
      isUnscheduled: true,
      accessionNumber: '',
    })
    const { studies } = await call(dashboardStudies.list, {
      query: { area: 'scribe', search: LINKED },
    })
    expect(studies).toMatchObject([{ studyId, isUnscheduled: true }])
    expect(await unplanned(clinic)).toMatchObject({ count: 2 })

    // By itself the screen shows the days since the partner was lost.
    expect(await read(clinic, {} as never)).toMatchObject({
      from: TODAY,
      to: TODAY,
      outage: { from: TODAY, to: TODAY },
    })
    const before = await read(clinic)
    expect(before.days.at(-1)).toMatchObject({ day, source: { kind: 'stored' }, isOld: false })
    expect(before.exams.map(({ studyInstanceUid }) => studyInstanceUid)).toEqual([LINKED, OTHER])
    expect(orderOf(before, FIRST)).toBeUndefined()
    expect(orderOf(before, TYPED)).toMatchObject({
      accessionNumber: TYPED.AccessionNumber,
      decision: null,
    })

    // The partner is back: it is asked again for the days concerned.
    partner.setScenario('normal')
    await clinic.worklist()
    expect((await read(clinic)).days.map(({ isOld }) => isOld)).toContain(false)
    expect(await call(dashboardExams.refresh, { body: { day } })).toMatchObject({
      asked: 2,
      failed: 0,
    })

    const [best] = examOf(await read(clinic), LINKED)?.candidates ?? []
    expect(best).toMatchObject({ orderId: orderIdOf(TYPED), action: 'link', obstacle: null })
    expect(
      best?.matches.filter(({ result }) => result === 'same').map(({ field }) => field),
    ).toEqual([
      ...['patientId', 'patientName', 'patientBirthDate', 'patientSex', 'modality', 'time'],
    ])
    const decision = await call(dashboardReconciliation.link, {
      body: { studyInstanceUid: LINKED, orderId: orderIdOf(TYPED) },
    })
    expect(decision).toMatchObject({
      kind: 'link',
      order: { accessionNumber: TYPED.AccessionNumber },
      undoObstacle: null,
    })
    const linked = await clinic.images(LINKED)
    expect(linked).toMatchObject({ identity: 'matched', isUnscheduled: false, accessionNumber: '' })
    expect(linked.linkedOrder).toMatchObject({
      accessionNumber: TYPED.AccessionNumber,
      by: decision.by,
    })
    expect((await call(dashboardReports.read, reading)).accessionNumber).toBe(TYPED.AccessionNumber)

    // The partner is asked by the order's accession number, and the order is done everywhere.
    await until(async () =>
      expect((await clinic.study(LINKED))?.reportMetadata).toMatchObject({
        facilityName: 'Simulated partner',
      }),
    )
    const after = await read(clinic)
    expect(orderOf(after, TYPED)).toBeUndefined()
    expect(examOf(after, LINKED)).toMatchObject({
      candidates: [],
      decision: { decisionId: decision.decisionId },
    })
    const { exams } = await call(dashboardExams.exams, { query: { day, show: 'all' } })
    expect(
      exams.find(({ accessionNumber }) => accessionNumber === TYPED.AccessionNumber),
    ).toMatchObject({
      ...{ state: 'completed', images: 1, imageStudyUid: LINKED },
    })
    expect(await unplanned(clinic)).toMatchObject({ count: 1 })
  })

  it.concurrent('does not link images that name another patient, or an order that has images', async () => {
    await using clinic = await openOutage()
    const { call } = clinic.gateway
    clinic.gateway.partner.setScenario('normal')
    const exam = examOf(await read(clinic), OTHER)
    expect(exam?.candidates[0]).toMatchObject({ orderId: orderIdOf(MISTYPED), action: 'correct' })
    expect(exam?.candidates[0]?.matches).toContainEqual(
      expect.objectContaining({
        field: 'patientName',
        result: 'similar',
        order: MISTYPED.PatientName,
      }),
    )
    const link = (studyInstanceUid: string, order: WorklistItem) =>
      call(dashboardReconciliation.link, { body: { studyInstanceUid, orderId: orderIdOf(order) } })
    await expect(link(OTHER, MISTYPED)).rejects.toThrow(/^422 .*correct them/)
    await expect(link(LINKED, FIRST)).rejects.toThrow(/^409 .*Images of this order have arrived/)
    await expect(link(FIRST.StudyInstanceUID, TYPED)).rejects.toThrow(/^409/)
    await expect(link('1.2.3', TYPED)).rejects.toThrow(/^404/)
  })

  it.concurrent('is corrected to the order where the images name another patient, and both exams are signed', async () => {
    await using clinic = await openOutage({ prepare: addRadiologist })
    const { call, http } = clinic.gateway
    clinic.gateway.partner.setScenario('normal')
    expect(await call(dashboardExams.refresh, { body: { day } })).toMatchObject({ failed: 0 })
    await call(dashboardReconciliation.link, {
      body: { studyInstanceUid: LINKED, orderId: orderIdOf(TYPED) },
    })

    const params = { studyInstanceUid: OTHER }
    const request = {
      kind: 'reassign',
      target: { to: 'order', orderId: orderIdOf(MISTYPED) },
    } as const
    const { digest, obstacle, toStudyInstanceUid } = await call(dashboardCorrections.preview, {
      params,
      body: request,
    })
    expect([obstacle, toStudyInstanceUid]).toEqual([null, MISTYPED.StudyInstanceUID])
    const order = {
      ...request,
      cause: 'wrong-worklist-entry',
      reason: 'Typed at the console',
      digest,
    } as const
    await call(dashboardCorrections.apply, { params, body: order })
    const corrected = await settled(clinic, MISTYPED.StudyInstanceUID)
    expect(corrected).toMatchObject({
      identity: 'resolved',
      isUnscheduled: false,
      patientId: MISTYPED.PatientID,
      instances: 1,
    })
    const after = await read(clinic)
    expect(after.exams.filter(({ decision }) => decision === null)).toEqual([])
    expect(orderOf(after, MISTYPED)).toBeUndefined()
    expect(await unplanned(clinic)).toBeUndefined()

    const radiologist = callerOf(http, await sessionHeaders(http, RADIOLOGIST))
    for (const uid of [LINKED, MISTYPED.StudyInstanceUID]) {
      const { studyId } = await clinic.seeded(uid)
      const signed = await readingWindow(radiologist, studyId as StudyId).report(NORMAL)
      expect(signed).toMatchObject({ status: 'completed' })
    }
    const { decision } = examOf(await read(clinic), LINKED) ?? {}
    expect(textOf(decision?.undoObstacle)).toMatch(/^A report has since been signed/)
    const undo = call(dashboardReconciliation.undo, {
      params: { decisionId: decision?.decisionId ?? 0 },
    })
    await expect(undo).rejects.toThrow(/^422 A report has since been signed/)
  })

  it.concurrent('tells the second person what the first decided, and undoes it until a report is signed', async () => {
    await using clinic = await openOutage()
    const { call } = clinic.gateway
    const link = () =>
      call(dashboardReconciliation.link, {
        body: { studyInstanceUid: LINKED, orderId: orderIdOf(TYPED) },
      })
    const outcomes = await Promise.allSettled([link(), link()])
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    const lost = outcomes.find(({ status }) => status === 'rejected') as PromiseRejectedResult
    expect(String(lost.reason)).toMatch(
      new RegExp(`409 .* has linked an exam to the order ${TYPED.AccessionNumber} in the meantime`),
    )
    const keep = () =>
      call(dashboardReconciliation.keep, {
        body: { studyInstanceUid: LINKED, reason: 'Emergency' },
      })
    await expect(keep()).rejects.toThrow(/^409/)
    const notDone = () =>
      call(dashboardReconciliation.notDone, {
        body: { orderId: orderIdOf(TYPED), reason: 'Did not come' },
      })
    await expect(notDone()).rejects.toThrow(/^409/)

    const { decisionId = 0 } = examOf(await read(clinic), LINKED)?.decision ?? {}
    const undo = (id: number) => call(dashboardReconciliation.undo, { params: { decisionId: id } })
    await undo(decisionId)
    await expect(undo(decisionId)).rejects.toThrow(/^409/)
    expect(await clinic.images(LINKED)).toMatchObject({
      identity: 'unverified',
      isUnscheduled: true,
      linkedOrder: null,
    })
    expect(orderOf(await read(clinic), TYPED)).toMatchObject({ decision: null })

    const noted = await notDone()
    expect(orderOf(await read(clinic), TYPED)).toMatchObject({
      decision: { kind: 'not-done', reason: 'Did not come' },
    })
    await expect(link()).rejects.toThrow(
      /^409 .* has marked this order as not done in the meantime/,
    )
    await undo(noted.decisionId)
    const kept = await keep()
    expect(kept).toMatchObject({ kind: 'keep', reason: 'Emergency', order: null })
    expect(await unplanned(clinic)).toMatchObject({ count: 1 })
    expect(await clinic.images(LINKED)).toMatchObject({ isUnscheduled: true })

    const { entries } = await call(dashboard.audit, { query: {} })
    const actions = entries
      .map(({ action }) => action)
      .filter((action) => action.startsWith('reconcile.'))
    expect(actions).toEqual([
      'reconcile.keep',
      'reconcile.undo',
      'reconcile.not-done',
      'reconcile.undo',
      'reconcile.link',
    ])
  })
})

it.concurrent('ties a performed step without a scheduled one to the images that it names', async () => {
  await using clinic = await openImagingClinic({ clock })
  await using modality = await clinic.modality('CT2')
  const uid = `${LINKED}.9`
  const step: Values = {
    ...{
      PerformedProcedureStepStatus: 'IN PROGRESS',
      PerformedProcedureStepID: 'PPS9',
      Modality: 'CT',
    },
    ...{
      PerformedProcedureStepStartDate: DAY,
      PerformedProcedureStepStartTime: '091500',
      PerformedSeriesSequence: [],
    },
    ScheduledStepAttributesSequence: [],
  }
  const named = {
    ReferencedSOPClassUID: '1.2.840.10008.5.1.4.1.1.2',
    ReferencedSOPInstanceUID: `${uid}.1.1`,
  }
  expect(await modality.begin(`${uid}.5`, step)).toMatchObject({ status: '0000' })
  expect(await modality.store(typed(TYPED, uid))).toMatchObject({ status: '0000' })
  const series = [
    {
      SeriesInstanceUID: `${uid}.1`,
      ReferencedImageSequence: [named, { ...named, ReferencedSOPInstanceUID: `${uid}.1.2` }],
    },
  ]
  const ends = { PerformedProcedureStepStatus: 'COMPLETED', PerformedSeriesSequence: series }
  expect(await modality.set(`${uid}.5`, ends)).toMatchObject({ status: '0000' })
  await modality.release()
  const study = await settled(clinic, uid)
  expect(study.performedSteps).toMatchObject([{ status: 'COMPLETED', instances: 2 }])
  expect(study).toMatchObject({ isUnscheduled: true, expected: 2, missing: 1, state: 'incomplete' })
  expect(
    await clinic.gateway.call(dashboardImages.read, { params: { studyInstanceUid: uid } }),
  ).toMatchObject({ instances: 1 })
})
