import { expect, it } from 'vitest'
import { type CorrectedPatient, dashboardCorrections } from '#shared/contract/corrections.ts'
import { dashboard } from '#shared/contract/dashboard.ts'
import { dashboardPeople } from '#shared/contract/dashboard-people.ts'
import { dashboardImages } from '#shared/contract/images.ts'
import { dashboardReports, REPORT_CHECKS } from '#shared/contract/reports.ts'
import type { UserId } from '#shared/ids.ts'
import type { Values } from '../electron/server/modules/images/intake-fixture.ts'
import {
  EXAM,
  EXAMS,
  imageOf,
  openImagingClinic,
  sendImages,
  sopUid,
  UID,
  until,
} from '../support/imaging-clinic.ts'
import { NORMAL, readingWindow } from '../support/reporting-clinic.ts'

// Images that name another patient than the exam they were made for: from the mismatch to the
// signature.

/** Another exam of the day, whose patient the images name. */
const OTHER = EXAMS.find(
  ({ StudyInstanceUID, PatientID }) => StudyInstanceUID !== UID && PatientID !== EXAM.PatientID,
) as (typeof EXAMS)[number]
const OF_NOBODY: Values = {
  PatientName: 'Sample^Sam',
  PatientID: 'P9',
  PatientBirthDate: '19800511',
  PatientSex: 'M',
}
const CAUSE = {
  cause: 'wrong-worklist-entry',
  reason: 'The wrong worklist entry was chosen at the console',
} as const

it('leads from a mismatch to a reassigned and signed study, and then refuses the undo', async () => {
  await using clinic = await openImagingClinic()
  const { call } = clinic.gateway
  await clinic.worklist()
  await sendImages(clinic, [imageOf(1, OF_NOBODY), imageOf(2, OF_NOBODY)])
  await clinic.seeded()
  await until(async () =>
    expect(await clinic.images()).toMatchObject({ identity: 'mismatch', state: 'complete' }),
  )

  const params = { studyInstanceUid: UID }
  const { identities } = await call(dashboardCorrections.identities, { params })
  expect(identities).toMatchObject([
    {
      patientName: 'Sample^Sam',
      patientId: 'P9',
      instanceIds: [expect.any(Number), expect.any(Number)],
    },
  ])
  const { targets } = await call(dashboardCorrections.targets, {
    params,
    query: { search: String(OTHER.PatientID) },
  })
  const [order] = targets
  expect(order).toMatchObject({
    target: { to: 'order' },
    patientId: String(OTHER.PatientID),
    instances: 0,
  })
  const request = {
    kind: 'reassign',
    target: order?.target as NonNullable<typeof order>['target'],
  } as const
  const preview = await call(dashboardCorrections.preview, { params, body: request })
  expect(preview).toMatchObject({
    obstacle: null,
    toStudyInstanceUid: OTHER.StudyInstanceUID,
    instances: 2,
    signedReports: 0,
  })

  // What was shown is not so any more.
  await sendImages(clinic, [imageOf(3, OF_NOBODY)])
  await expect(
    call(dashboardCorrections.apply, {
      params,
      body: { ...request, ...CAUSE, digest: preview.digest },
    }),
  ).rejects.toThrow('409')
  await until(async () => expect(await clinic.images()).toMatchObject({ state: 'complete' }))
  const { digest } = await call(dashboardCorrections.preview, { params, body: request })
  const { correctionId } = await call(dashboardCorrections.apply, {
    params,
    body: { ...request, ...CAUSE, digest },
  })

  expect(await clinic.images()).toMatchObject({ instances: 0, identity: 'unverified' })
  const target = { studyInstanceUid: OTHER.StudyInstanceUID }
  const seeded = await clinic.seeded(OTHER.StudyInstanceUID)
  await until(async () =>
    expect(await clinic.images(OTHER.StudyInstanceUID)).toMatchObject({
      instances: 3,
      identity: 'resolved',
      state: 'complete',
    }),
  )
  expect(seeded.reportMetadata?.mrn).toBe(String(OTHER.PatientID))
  const shown = await call(dashboardImages.list, { query: { show: 'mismatch' } })
  expect(shown.studies).toEqual([])
  // The console sends an image again: it stays where it was put.
  await sendImages(clinic, [imageOf(1, OF_NOBODY)])
  expect(await clinic.images()).toMatchObject({ instances: 0, quarantined: 0 })
  expect((await clinic.images(OTHER.StudyInstanceUID)).instances).toBe(3)

  const { corrections } = await call(dashboardCorrections.list, { params: target })
  expect(corrections).toMatchObject([
    { correctionId, reason: CAUSE.reason, undone: null, undoObstacle: null },
  ])
  const { entries } = await call(dashboard.audit, { query: { limit: 50 } })
  expect(entries).toContainEqual(expect.objectContaining({ action: 'images.correct', target: UID }))

  const { studyId } = await call(dashboardReports.byUid, { params: target })
  if (!studyId) throw new Error('there is no study to report')
  const checked = await call(dashboardReports.check, {
    params: { studyId },
    body: { text: 'Findings: normal.', isCritical: false },
  })
  expect(checked.findings.filter(({ check }) => check === 'identity')).toEqual([])
  const { user } = await call(dashboard.session, {})
  await call(dashboardPeople.updatePerson, {
    params: { userId: (user?.userId ?? '') as UserId },
    body: { canCreateReports: true, npiNumber: '1234567893' },
  })
  await readingWindow(call, studyId).report(NORMAL, { acknowledged: [...REPORT_CHECKS] })
  const undo = call(dashboardCorrections.undo, {
    params: { correctionId },
    body: { reason: 'after all not' },
  })
  await expect(undo).rejects.toThrow('A report was signed with the corrected images.')
  expect((await clinic.images(OTHER.StudyInstanceUID)).instances).toBe(3)
})

it('undoes a correction, and the mismatch is there again', async () => {
  await using clinic = await openImagingClinic()
  const { call } = clinic.gateway
  await clinic.worklist()
  await sendImages(clinic, [imageOf(1, OF_NOBODY)])
  await clinic.seeded()
  await until(async () =>
    expect(await clinic.images()).toMatchObject({ identity: 'mismatch', state: 'complete' }),
  )
  const params = { studyInstanceUid: UID }
  const patient: CorrectedPatient = {
    ...{
      patientName: String(EXAM.PatientName),
      patientId: String(EXAM.PatientID),
      patientBirthDate: String(EXAM.PatientBirthDate),
    },
    ...{ patientSex: 'F', accessionNumber: String(EXAM.AccessionNumber) },
  }
  const request = { kind: 'correct', target: { to: 'patient', patient } } as const
  const { digest, toStudyInstanceUid } = await call(dashboardCorrections.preview, {
    params,
    body: request,
  })
  expect(toStudyInstanceUid).toBe(UID)
  const { correctionId } = await call(dashboardCorrections.apply, {
    params,
    body: { ...request, ...CAUSE, digest },
  })
  expect(await clinic.images()).toMatchObject({
    identity: 'resolved',
    patientName: patient.patientName,
    instances: 1,
  })
  await call(dashboardCorrections.undo, {
    params: { correctionId },
    body: { reason: 'after all not' },
  })
  const study = await clinic.images()
  expect(study).toMatchObject({
    identity: 'mismatch',
    patientName: 'Sample^Sam',
    instances: 1,
    versions: [],
  })
  expect(study.seriesList).toMatchObject([
    { seriesInstanceUid: sopUid(1).replace(/\.1$/, ''), instances: 1 },
  ])
})
