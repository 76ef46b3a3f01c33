import { expect, it } from 'vitest'
import { KEY_OBJECT_SELECTION } from '#server/dicom/objects/rejection-note.ts'
import { openAccounts } from '#server/modules/users/people.ts'
import {
  type CorrectionNotice,
  dashboardCorrectionNotices,
} from '#shared/contract/correction-notices.ts'
import { dashboardCorrections } from '#shared/contract/corrections.ts'
import { dashboard } from '#shared/contract/dashboard.ts'
import { dashboardStudies } from '#shared/contract/dashboard-studies.ts'
import { dashboardToday } from '#shared/contract/dashboard-today.ts'
import { dashboardDestinations } from '#shared/contract/destinations.ts'
import { dashboardReports, REPORT_CHECKS } from '#shared/contract/reports.ts'
import type { StudyId } from '#shared/ids.ts'
import { englishText } from '#shared/messages/english.ts'
import {
  type Archive,
  openArchive,
} from '../electron/server/modules/forwarding/forwarding-fixture.ts'
import type { Values } from '../electron/server/modules/images/intake-fixture.ts'
import { callerOf, OWNER, sessionHeaders } from '../support/gateway.ts'
import { httpCall } from '../support/http-call.ts'
import {
  EXAM,
  EXAMS,
  type ImagingClinic,
  imageOf,
  openImagingClinic,
  sendImages,
  sopUid,
  UID,
  until,
} from '../support/imaging-clinic.ts'
import { readPdf } from '../support/report-pdf.ts'
import { fetchPdf, NORMAL, RADIOLOGIST, readingWindow } from '../support/reporting-clinic.ts'

// A report signed over images of another patient, and the correction of them: what reaches the
// archive, who is to be informed, and the addendum.

const OF_NOBODY: Values = {
  PatientName: 'Sample^Sam',
  PatientID: 'P9',
  PatientBirthDate: '19800511',
  PatientSex: 'M',
}
const ACKNOWLEDGED = { acknowledged: [...REPORT_CHECKS] }

/** Images with a mismatch that the archive has, and a report that was signed by an override. */
async function signedByOverride(clinic: ImagingClinic, archive: Archive) {
  const { call } = clinic.gateway
  const body = {
    name: 'PACS',
    aeTitle: 'PACS',
    host: '127.0.0.1',
    port: archive.port,
    isAutomatic: true,
  }
  const { destinationId } = await call(dashboardDestinations.add, { body })
  await clinic.worklist()
  await sendImages(clinic, [imageOf(1, OF_NOBODY), imageOf(2, OF_NOBODY)])
  await clinic.seeded()
  await until(async () =>
    expect(await clinic.images()).toMatchObject({ identity: 'mismatch', state: 'complete' }),
  )
  await until(() => expect(archive.received).toEqual([sopUid(1), sopUid(2)]))
  const { studyId } = await call(dashboardReports.byUid, { params: { studyInstanceUid: UID } })
  if (!studyId) throw new Error('there is no study to report')
  const { http } = clinic.gateway
  const radiologist = callerOf(http, await sessionHeaders(http, RADIOLOGIST))
  const { identity } = await radiologist(dashboardReports.read, { params: { studyId } })
  const override = { reason: 'The patient is known here', differences: identity.differences }
  await radiologist(dashboardReports.overrideIdentity, { params: { studyId }, body: override })
  await readingWindow(radiologist, studyId).report(NORMAL, ACKNOWLEDGED)
  // Whoever makes the correction is not on the list, though they have read the report's images.
  const seen = {
    method: 'POST',
    headers: await sessionHeaders(http, OWNER),
    json: { studyInstanceUid: UID },
  }
  expect((await httpCall(`${http}/dashboard/views`, seen)).status).toBe(200)
  return { studyId, destinationId, radiologist }
}

/** The images get the patient of the exam. Resolves with whom the preview named to be notified. */
async function correct({ gateway: { call } }: ImagingClinic): Promise<readonly string[]> {
  const patient = {
    ...{ patientName: String(EXAM.PatientName), patientId: String(EXAM.PatientID) },
    ...({ patientBirthDate: String(EXAM.PatientBirthDate), patientSex: 'F' } as const),
    accessionNumber: String(EXAM.AccessionNumber),
  }
  const params = { studyInstanceUid: UID }
  const request = { kind: 'correct', target: { to: 'patient', patient } } as const
  const { digest, destinations, recipients } = await call(dashboardCorrections.preview, {
    params,
    body: request,
  })
  const order = {
    cause: 'patient-safety',
    reason: 'Wrong entry chosen at the console',
    digest,
  } as const
  await call(dashboardCorrections.apply, { params, body: { ...request, ...order } })
  return [...destinations, ...recipients]
}

const noticesOf = async (
  { gateway: { call } }: ImagingClinic,
  show: 'open' | 'all' = 'open',
): Promise<CorrectionNotice[]> =>
  (await call(dashboardCorrectionNotices.list, { query: { show, limit: 50 } })).notices
const ofKind = (notices: readonly CorrectionNotice[], kind: CorrectionNotice['kind']) =>
  notices.find((one) => one.kind === kind)

const listed = async ({ gateway: { call } }: ImagingClinic, studyId: StudyId) =>
  (await call(dashboardStudies.list, { query: { area: 'scribe' } })).studies.find(
    (one) => one.studyId === studyId,
  )

const WITH_RADIOLOGIST: Parameters<typeof openImagingClinic>[0] = {
  async prepare(context) {
    const people = openAccounts(context, { logN: 10, r: 8, p: 1 })
    const names = { firstName: 'Una', lastName: 'Reader' }
    await people.createUser(
      { ...RADIOLOGIST, ...names, level: 'member', clinicRole: 'Radiologist' },
      'command-line',
    )
  },
}

it('sends a rejection note and the copies, lists who else has the wrong version, and asks for an addendum', async () => {
  await using archive = await openArchive()
  await using clinic = await openImagingClinic(WITH_RADIOLOGIST)
  const { call } = clinic.gateway
  const { studyId, radiologist } = await signedByOverride(clinic, archive)
  expect((await listed(clinic, studyId))?.needsAddendumSince).toBeNull()
  await until(async () =>
    expect((await clinic.images()).enrichment.state).toMatch(/^(done|empty)$/),
  )
  // Copies of the report may arrive between preview and order, which is a conflict.
  let named: readonly string[] = []
  await until(async () => {
    named = await correct(clinic)
  })
  expect((await noticesOf(clinic, 'all')).map(({ name }) => name).toSorted()).toEqual(
    named.toSorted(),
  )

  await until(() => expect(archive.received).toHaveLength(5))
  expect(
    archive.requests.slice(2).map(({ sopClassUid }) => sopClassUid === KEY_OBJECT_SELECTION),
  ).toEqual([true, false, false])
  expect(archive.received.slice(3)).not.toContain(sopUid(1))
  await until(async () =>
    expect(ofKind(await noticesOf(clinic, 'all'), 'destination')).toMatchObject({
      name: 'PACS',
      state: 'done',
    }),
  )
  // Two images and the two copies of the report: the note is no image of the study.
  expect(await clinic.images()).toMatchObject({
    instances: 4,
    modalities: ['CT', 'DOC', 'SR'],
    identity: 'resolved',
  })

  const open = await noticesOf(clinic)
  const signer = ofKind(open, 'person')
  expect(open.filter(({ kind, name }) => kind === 'person' && name === 'Olga Owner')).toEqual([])
  expect(signer).toMatchObject({
    name: 'Una Reader',
    contacts: [{ what: 'signed' }],
    patientName: 'Sample^Sam',
    state: 'open',
  })
  expect(signer?.correctedPatientName).toBe(String(EXAM.PatientName))
  expect(ofKind(open, 'partner')?.contacts.map(({ what }) => what)).toContain('enrichment')
  const today = await call(dashboardToday.today, {})
  expect(today.items).toContainEqual(
    expect.objectContaining({ kind: 'correction-notices', tone: 'danger', count: open.length }),
  )

  // The signed report stays as it is, and asks for an addendum.
  expect((await listed(clinic, studyId))?.needsAddendumSince).not.toBeNull()
  const reading = await radiologist(dashboardReports.read, { params: { studyId } })
  expect(reading).toMatchObject({
    status: 'completed',
    mayWrite: false,
    needsAddendumSince: expect.any(String),
  })
  const primary = reading.reports[0]?.reportId ?? expect.fail()
  await radiologist(dashboardReports.startAddendum, { params: { reportId: primary } })
  expect((await listed(clinic, studyId))?.needsAddendumSince).not.toBeNull()
  const after = await readingWindow(radiologist, studyId).report(
    'The images are now of the right patient.',
    ACKNOWLEDGED,
  )
  expect(after.needsAddendumSince).toBeNull()
  expect((await listed(clinic, studyId))?.needsAddendumSince).toBeNull()
  const addendum = after.reports.find(({ isAddendum }) => isAddendum)?.reportId ?? expect.fail()
  const { url } = await call(dashboardReports.pdfLink, { params: { reportId: addendum } })
  const { text } = await readPdf((await fetchPdf(url)).bytes)
  expect(text).toMatch(
    /Addendum 1\s+Follows a correction of the identity of the images, .+ reference [0-9a-f]{8}\./,
  )

  for (const { noticeId } of open)
    await call(dashboardCorrectionNotices.confirm, {
      params: { noticeId },
      body: { note: 'Called, it is corrected there' },
    })
  expect(await noticesOf(clinic)).toEqual([])
  const again = call(dashboardCorrectionNotices.confirm, {
    params: { noticeId: open[0]?.noticeId ?? 0 },
    body: { note: 'once more' },
  })
  await expect(again).rejects.toThrow('This recipient is already marked as notified.')
  const { entries } = await call(dashboard.audit, { query: { limit: 100 } })
  // One entry each, that of the gateway for the archive too.
  expect(entries.filter(({ action }) => action === 'correction.inform')).toHaveLength(
    open.length + 1,
  )
})

/** Studies of the list of needed addenda, which the counts of the view and of Today agree with. */
async function needingAddendum({ gateway: { call } }: ImagingClinic): Promise<StudyId[]> {
  const query = { area: 'scribe', addendum: 'needed', cancelled: 'all' } as const
  const { studies } = await call(dashboardStudies.list, { query })
  const { shown } = await call(dashboardStudies.counts, { query })
  const { items } = await call(dashboardToday.today, {})
  const onToday = items.find(({ kind }) => kind === 'addenda-needed')?.count ?? 0
  expect([shown.count, onToday]).toEqual([studies.length, studies.length])
  for (const { needsAddendumSince } of studies) expect(needsAddendumSince).not.toBeNull()
  return studies.map(({ studyId }) => studyId)
}

it('lists a signed study whose images were reassigned until that is undone, or an addendum is signed', async () => {
  await using clinic = await openImagingClinic(WITH_RADIOLOGIST)
  const { http, call } = clinic.gateway
  await clinic.worklist()
  await sendImages(clinic, [imageOf(1), imageOf(2)])
  await clinic.seeded()
  await until(async () =>
    expect(await clinic.images()).toMatchObject({ identity: 'matched', state: 'complete' }),
  )
  const params = { studyInstanceUid: UID }
  const { studyId } = await call(dashboardReports.byUid, { params })
  if (!studyId) throw new Error('there is no study to report')
  const radiologist = callerOf(http, await sessionHeaders(http, RADIOLOGIST))
  const window = readingWindow(radiologist, studyId)
  const { reports } = await window.report(NORMAL, ACKNOWLEDGED)
  expect(await needingAddendum(clinic)).toEqual([])

  const other = EXAMS.find(
    ({ StudyInstanceUID, PatientID }) => StudyInstanceUID !== UID && PatientID !== EXAM.PatientID,
  )
  const { targets } = await call(dashboardCorrections.targets, {
    params,
    query: { search: String(other?.PatientID) },
  })
  const request = { kind: 'reassign', target: targets[0]?.target ?? expect.fail() } as const
  const order = {
    cause: 'wrong-worklist-entry',
    reason: 'Wrong entry chosen at the console',
  } as const
  // Copies of the report may arrive between preview and order, which is a conflict.
  const reassign = () =>
    until(async () => {
      const { digest } = await call(dashboardCorrections.preview, { params, body: request })
      return call(dashboardCorrections.apply, { params, body: { ...request, ...order, digest } })
    })
  const { correctionId } = await reassign()
  expect(await needingAddendum(clinic)).toEqual([studyId])
  await call(dashboardCorrections.undo, {
    params: { correctionId },
    body: { reason: 'It was the right entry' },
  })
  expect(await needingAddendum(clinic)).toEqual([])
  expect((await window.read()).needsAddendumSince).toBeNull()

  await reassign()
  expect(await needingAddendum(clinic)).toEqual([studyId])
  await radiologist(dashboardReports.startAddendum, {
    params: { reportId: reports[0]?.reportId ?? expect.fail() },
  })
  expect(await needingAddendum(clinic)).toEqual([studyId])
  await window.report(
    'The images were of another patient: this report does not apply.',
    ACKNOWLEDGED,
  )
  expect(await needingAddendum(clinic)).toEqual([])
})

/** Images of the same patient, in a study of their own. */
const SECOND = `${UID}.2`
const ofSecond = {
  StudyInstanceUID: SECOND,
  SeriesInstanceUID: `${SECOND}.1`,
  SOPInstanceUID: `${SECOND}.1.1`,
  AccessionNumber: '',
}

it('lists who has the report of a study that images are merged into, which says that images were added', async () => {
  await using clinic = await openImagingClinic(WITH_RADIOLOGIST)
  const { call, http } = clinic.gateway
  await clinic.worklist()
  await sendImages(clinic, [imageOf(1)])
  const { studyId } = await clinic.seeded()
  const radiologist = callerOf(http, await sessionHeaders(http, RADIOLOGIST))
  const signed = await readingWindow(radiologist, studyId as StudyId).report(NORMAL, ACKNOWLEDGED)
  expect(signed.imageChanges).toEqual([])
  await until(async () => {
    const { reports } = await radiologist(dashboardReports.read, {
      params: { studyId: studyId as StudyId },
    })
    expect(reports[0]?.delivery?.state).toBe('delivered')
  })
  await sendImages(clinic, [imageOf(1, ofSecond)])
  await clinic.seeded(SECOND)
  // The copies of its report are no images that could be chosen.
  await until(async () =>
    expect(await clinic.images()).toMatchObject({ instances: 3, modalities: ['CT', 'DOC', 'SR'] }),
  )
  const { targets } = await call(dashboardCorrections.targets, {
    params: { studyInstanceUid: SECOND },
    query: { search: '' },
  })
  const target = targets.find(
    (one) => one.target.to === 'study' && one.target.studyInstanceUid === UID,
  )
  expect(target).toMatchObject({ instances: 1, modality: 'CT' })

  await until(async () => {
    const params = { studyInstanceUid: SECOND }
    const request = { kind: 'merge', target: { to: 'study', studyInstanceUid: UID } } as const
    const { digest, warnings } = await call(dashboardCorrections.preview, { params, body: request })
    expect(warnings.map(englishText).join()).toContain(
      'A report of the target study is already signed',
    )
    const order = {
      cause: 'wrong-worklist-entry',
      reason: 'The console was restarted during the exam',
      digest,
    } as const
    await call(dashboardCorrections.apply, { params, body: { ...request, ...order } })
  })

  const open = await noticesOf(clinic)
  const ofReport = open.filter(({ contacts }) =>
    contacts.every(({ isOfTarget }) => isOfTarget === true),
  )
  expect(
    ofReport.map(({ name, contacts }) => [name, contacts.map(({ what }) => what)]),
  ).toContainEqual(['Una Reader', ['signed']])
  for (const {
    patientName,
    correctedPatientName,
    studyInstanceUid,
    correctedStudyInstanceUid,
  } of ofReport) {
    expect([patientName, correctedPatientName]).toEqual([
      String(EXAM.PatientName),
      String(EXAM.PatientName),
    ])
    expect([studyInstanceUid, correctedStudyInstanceUid]).toEqual([UID, UID])
  }
  // The partner was asked about the images, too, and is listed once.
  const ofPartner = open
    .filter(({ kind }) => kind === 'partner')
    .flatMap(({ contacts }) => contacts)
  expect(ofPartner).toContainEqual({ what: 'report', at: expect.any(String), isOfTarget: true })
  expect(ofPartner).toContainEqual({ what: 'enrichment', at: expect.any(String) })

  const params = { studyId: studyId as StudyId }
  const { imageChanges, reports } = await radiologist(dashboardReports.read, { params })
  expect(imageChanges).toEqual([{ what: 'added', at: expect.any(String) }])
  await radiologist(dashboardReports.startAddendum, {
    params: { reportId: reports[0]?.reportId ?? expect.fail() },
  })
  const after = await readingWindow(radiologist, studyId as StudyId).report(
    'The added images show nothing else.',
    ACKNOWLEDGED,
  )
  expect(after.imageChanges).toEqual([])
  const addendum = after.reports.find(({ isAddendum }) => isAddendum)?.reportId ?? expect.fail()
  const { url } = await call(dashboardReports.pdfLink, { params: { reportId: addendum } })
  const { text } = await readPdf((await fetchPdf(url)).bytes)
  expect(text).toMatch(
    /Addendum 1\s+Follows the addition of images from another study, .+ reference [0-9a-f]{8}\./,
  )
})
