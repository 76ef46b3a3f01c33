import { describe, expect, it } from 'vitest'
import { dashboard } from '#shared/contract/dashboard.ts'
import { dashboardReports } from '#shared/contract/reports.ts'
import { scribe } from '#shared/contract/scribe.ts'
import type { ReportId, StudyId } from '#shared/ids.ts'
import { EXAM, EXAMS, until } from '../support/imaging-clinic.ts'
import { type StartedInterface, startInterface } from '../support/interface.ts'
import { needs } from '../support/needs.ts'
import { readPdf } from '../support/report-pdf.ts'
import {
  fetchPdf,
  NORMAL,
  newScribeStudy,
  OF_THE_PATIENT,
  PATIENT,
  readingWindow,
} from '../support/reporting-clinic.ts'

// Reports as partners read them, and two windows that write one; "What it must show" 2 of the
// issue.

const openClinic = (): Promise<StartedInterface> => startInterface({ partner: { worklist: EXAMS } })

/** A study, and its report operations as the partner asks them. */
async function openReported({ keys, users }: StartedInterface) {
  const { call } = keys.partner
  const { studyId, studyInstanceUid } = await newScribeStudy(call)
  const names = { studyId, studyInstanceUid }
  const texts = (query: object) => call(scribe.reportText, { query })
  const pdfs = (query: object) => call(scribe.reportPdf, { query })
  return {
    ...{ studyId, names, texts, pdfs },
    window: readingWindow(users.radiologist.call, studyId),
    versions: async () => (await call(scribe.reports, { query: { studyId } })).reports,
    addendum: (reportId: string) =>
      call(scribe.startAddendum, { params: { reportId: reportId as ReportId } }),
    cancel: (reportId: string) =>
      call(scribe.cancelAddendum, { params: { reportId: reportId as ReportId } }),
    async isOf(status: string, reportIds: readonly object[]) {
      const { studyReportStatus, ...read } = await call(scribe.read, { params: { studyId } })
      expect([studyReportStatus, read.reportIds]).toEqual([status, reportIds])
    },
    async hasNothing() {
      for (const list of [texts, pdfs]) expect(await list(names)).toEqual({ ...names, reports: [] })
    },
  }
}
type Reported = Awaited<ReturnType<typeof openReported>>
const REFUSED = { success: false, message: expect.any(String) }

/** Somebody dictates: a version without its text. */
async function dictated({
  window,
  isOf,
  versions,
  hasNothing,
  texts,
  pdfs,
  addendum,
  cancel,
}: Reported) {
  const { draft } = await window.begin({ text: NORMAL })
  const reportId = draft?.reportId as ReportId
  await isOf('in_progress', [{ reportId, status: 'in_progress', isCritical: null }])
  const [begun, ...more] = await versions()
  expect(more).toEqual([])
  expect(begun).toMatchObject({
    reportId,
    status: 'in_progress',
    isAddendum: false,
    signedAt: null,
    isCritical: null,
  })
  expect(begun).not.toHaveProperty('reportPlainText')
  await hasNothing()
  for (const read of [texts, pdfs]) await expect(read({ reportId })).rejects.toThrow(/^422/)
  expect([await addendum(reportId), await cancel(reportId)]).toEqual([REFUSED, REFUSED])
  return { reportId, createdAt: begun?.createdAt }
}

/** Gives what the operations say of it, and its PDF. */
async function signed(
  clinic: StartedInterface,
  study: Reported,
  { reportId, createdAt }: Awaited<ReturnType<typeof dictated>>,
) {
  const { studyId, names, window, versions, texts, pdfs } = study
  await window.report(NORMAL)
  await study.isOf('completed', [{ reportId, status: 'completed', isCritical: false }])
  const primary = {
    reportId,
    ...names,
    snapshotMetadata: PATIENT,
    isCritical: false,
    plainText: NORMAL,
  }
  const link = expect.stringMatching(
    new RegExp(`^${clinic.http}/reports/${reportId}/pdf\\?expires=\\d+&signature=`),
  )
  expect(await versions()).toEqual([
    {
      ...{
        reportId,
        studyId,
        userId: clinic.userIds.radiologist,
        isAddendum: false,
        status: 'completed',
        isCritical: false,
      },
      ...{
        snapshotMetadata: PATIENT,
        reportPlainText: NORMAL,
        signedAt: expect.stringMatching(/Z$/),
      },
      ...{ createdAt, updatedAt: expect.stringMatching(/Z$/) },
    },
  ])
  expect(await texts({ reportId })).toEqual(primary)
  for (const query of [{ studyId }, { studyInstanceUid: names.studyInstanceUid }]) {
    expect(await texts(query)).toEqual({ ...names, reports: [primary] })
    expect(await pdfs(query)).toEqual({ ...names, reports: [{ ...primary, presignedUrl: link }] })
  }
  const linked = (await pdfs({ reportId })) as { presignedUrl: string }
  expect(linked).toEqual({ ...primary, presignedUrl: link })
  const pdf = await fetchPdf(linked.presignedUrl)
  expect([pdf.status, pdf.type]).toEqual([200, 'application/pdf'])
  return { primary, pdf }
}
type Signed = Awaited<ReturnType<typeof signed>>

/** An addendum is begun and given up: all is as before. Gives its id. */
async function givenUp(
  { names, window, versions, isOf, texts, addendum, cancel }: Reported,
  { primary }: Signed,
) {
  const { studyId, reportId } = primary
  const before = await versions()
  expect(await addendum(reportId)).toMatchObject({ success: true })
  expect(await addendum(reportId)).toEqual(REFUSED)
  const [, given] = await versions()
  expect(given).toMatchObject({ isAddendum: true, status: 'in_progress', signedAt: null })
  await isOf('addendum_active', [
    { reportId, status: 'completed', isCritical: false },
    { reportId: given?.reportId, status: 'in_progress', isCritical: null },
  ])
  expect(await window.begin({ text: 'Never signed.' })).toMatchObject({
    draft: { isAddendum: true, text: 'Never signed.' },
  })
  expect(await texts({ studyId })).toEqual({ ...names, reports: [primary] })
  await expect(texts({ reportId: given?.reportId })).rejects.toThrow(/^422/)
  expect(await cancel(given?.reportId ?? '')).toMatchObject({ success: true })
  expect(await versions()).toEqual(before)
  await isOf('completed', [{ reportId, status: 'completed', isCritical: false }])
  expect(await cancel(reportId)).toEqual(REFUSED)
  return given?.reportId
}

/** A second addendum is written and signed. Gives what the operations say of it. */
async function added(
  { names, window, versions, isOf, texts, pdfs, addendum }: Reported,
  { primary, pdf }: Signed,
  givenUpId?: string,
) {
  const { studyId, reportId } = primary
  const before = await versions()
  expect(await addendum(reportId)).toMatchObject({ success: true })
  const plainText = 'A small apical pneumothorax is seen on review.'
  await window.report(plainText, { isCritical: true, finding: 'Apical pneumothorax' })
  const second = (await versions())[1]?.reportId as ReportId
  expect(second).not.toBe(givenUpId)
  await isOf('completed', [
    { reportId, status: 'completed', isCritical: false },
    { reportId: second, status: 'completed', isCritical: true },
  ])
  const item = { ...primary, reportId: second, isCritical: true, plainText }
  expect(await texts({ studyId })).toEqual({ ...names, reports: [primary, item] })
  expect(await texts({ reportId: second })).toEqual(item)
  expect((await versions())[0]).toEqual(before[0])
  const both = (await pdfs({ studyId })) as {
    reports: { reportId: string; presignedUrl: string }[]
  }
  expect(both.reports.map((one) => one.reportId)).toEqual([reportId, second])
  const [first, withAddendum] = await Promise.all(
    both.reports.map(({ presignedUrl }) => fetchPdf(presignedUrl)),
  )
  expect(first?.sha256).toBe(pdf.sha256)
  expect([withAddendum?.status, withAddendum?.type]).toEqual([200, 'application/pdf'])
  expect(withAddendum?.sha256).not.toBe(pdf.sha256)
  return item
}

describe('a study that is reported', () => {
  it('answers the five report operations from its reports at each step', {
    timeout: 60_000,
  }, async () => {
    await using clinic = await openClinic()
    const { partner } = clinic.started
    const study = await openReported(clinic)
    await study.isOf('unassigned', [])
    await study.hasNothing()
    const report = await signed(clinic, study, await dictated(study))
    const addendum = await added(study, report, await givenUp(study, report))

    // Each was delivered, in their order, with what these operations answer.
    await until(() => expect(partner.reports.size).toBe(2))
    const told = [report.primary, addendum].map(({ snapshotMetadata: _, ...rest }) => rest)
    expect([...partner.reports.values()].map(({ presignedUrl: _, ...data }) => data)).toEqual(told)
    // Row 7: a cancelled study takes no addendum.
    await clinic.keys.partner.call(scribe.cancel, { body: { studyId: study.studyId } })
    expect(await study.addendum(addendum.reportId)).toEqual(REFUSED)
    expect(JSON.stringify(clinic.started.log)).not.toMatch(OF_THE_PATIENT)
  })
})

describe('the PDF of an addendum', () => {
  it('has the report and every addendum before it, and no patient in its properties', async (context) => {
    needs(context, 'poppler')
    await using clinic = await openClinic()
    const { call } = clinic.keys.partner
    const { studyId } = await newScribeStudy(call)
    const window = readingWindow(clinic.users.radiologist.call, studyId)
    const texts = [NORMAL, 'The heart is of normal size.', 'No fracture of the ribs.']
    for (const text of texts) {
      const { reports } = await window.report(text)
      await call(scribe.startAddendum, { params: { reportId: reports[0]?.reportId as ReportId } })
    }
    const { reports } = (await call(scribe.reportPdf, { query: { studyId } })) as {
      reports: { presignedUrl: string }[]
    }
    const pdfs = await Promise.all(
      reports.map(async ({ presignedUrl }) => readPdf((await fetchPdf(presignedUrl)).bytes)),
    )
    const said = ['The lungs are clear.', ...texts.slice(1)]
    expect(pdfs.map(({ text }) => said.map((words) => text.includes(words)))).toEqual([
      [true, false, false],
      [true, true, false],
      [true, true, true],
    ])
    for (const { text, info } of pdfs) {
      expect(text).toContain(PATIENT.mrn)
      expect(info).not.toMatch(OF_THE_PATIENT)
    }
  })
})

describe('two windows on one study', () => {
  it('never overwrite one another: the second is told, takes over, and the first is shown what was written', async () => {
    await using clinic = await openClinic()
    const { studyId } = await newScribeStudy(clinic.keys.partner.call)
    const mine = readingWindow(clinic.users.radiologist.call, studyId)
    const mineToo = readingWindow(clinic.users.radiologist.call, studyId)
    const theirs = readingWindow(clinic.users.linked.call, studyId)

    expect(await mine.begin()).toMatchObject({
      lock: { userId: clinic.userIds.radiologist, windowId: mine.windowId },
      mayWrite: true,
    })
    await mine.save('One.')

    // The same person in another window.
    await expect(mineToo.begin()).rejects.toThrow(
      '422 You are editing this report in another window',
    )
    expect(await mineToo.begin({ takeOver: true })).toMatchObject({
      draft: { text: 'One.' },
      lock: { windowId: mineToo.windowId },
    })
    await mineToo.save('Two.')
    expect(await mine.save('One and a half.')).toMatchObject({
      outcome: 'conflict',
      theirs: { revision: 2, text: 'Two.' },
    })
    await mine.read()
    await expect(mine.save('One and a half.')).rejects.toThrow('422')
    expect((await mine.read()).draft?.text).toBe('Two.')

    // Another person.
    expect(await theirs.read()).toMatchObject({
      mayWrite: false,
      whyNot: expect.stringContaining('is editing this report now'),
    })
    await expect(theirs.begin()).rejects.toThrow(
      '422 Una radiologist is editing this report now: take it over to edit it.',
    )
    await expect(theirs.save('Three.')).rejects.toThrow('422')
    expect(await theirs.begin({ takeOver: true })).toMatchObject({
      lock: { userId: clinic.userIds.linked },
      draft: { text: 'Two.' },
    })
    await theirs.save(NORMAL)
    expect(await mineToo.sign()).toMatchObject({
      outcome: 'conflict',
      theirs: { text: NORMAL, savedBy: { userId: clinic.userIds.linked } },
    })
    await mineToo.read()
    await expect(mineToo.sign()).rejects.toThrow('422')
    const signed = await theirs.sign()
    expect(signed).toMatchObject({
      outcome: 'signed',
      reading: { lock: null, reports: [{ author: { userId: clinic.userIds.linked } }] },
    })
    await expect(mine.save('Too late.')).rejects.toThrow('422 The report is signed')

    const { entries } = await clinic.users.owner.call(dashboard.audit, { query: { limit: 100 } })
    expect(entries.map(({ action }) => action)).toContain('report.take-over')
  })
})

describe('the clinical context', () => {
  const context = 'clinical_context.enrichment_requested'
  const ask = ({ users }: StartedInterface, studyId: StudyId, again = false) =>
    users.radiologist.call(dashboardReports.askContext, { params: { studyId }, body: { again } })

  it('is asked once when the report is opened, by however many windows', async () => {
    await using clinic = await openClinic()
    const { partner } = clinic.started
    const { studyId } = await newScribeStudy(clinic.keys.partner.call, {
      studyInstanceUid: EXAM.StudyInstanceUID,
    })
    expect(await Promise.all([ask(clinic, studyId), ask(clinic, studyId)])).toMatchObject([
      { state: 'answered' },
      { state: 'answered' },
    ])
    const { context: kept } = await readingWindow(clinic.users.radiologist.call, studyId).begin()
    expect(kept).toMatchObject({
      ...{
        state: 'answered',
        clinicalIndication: `Referred for: ${EXAM.RequestedProcedureDescription}`,
      },
      ...{ technologistNotes: ['Simulated partner.'], notes: [] },
    })
    await ask(clinic, studyId)
    expect(partner.requestsOf[context]).toBe(1)
    await ask(clinic, studyId, true)
    expect(partner.requestsOf[context]).toBe(2)
  })

  it('is empty where the partner fails, which keeps nobody from reporting', async () => {
    await using clinic = await openClinic()
    const { partner } = clinic.started
    const { studyId } = await newScribeStudy(clinic.keys.partner.call, {
      studyInstanceUid: EXAM.StudyInstanceUID,
    })
    partner.setSequence(context, ['garbage', 'error'])
    for (let failures = 0; failures < 2; failures++)
      expect(await ask(clinic, studyId)).toEqual({
        ...{
          state: 'failed',
          askedAt: expect.any(String),
          notes: [expect.stringMatching(/^The partner provided no clinical context: .+\.$/)],
        },
        ...{
          clinicalHistory: '',
          clinicalIndication: '',
          technologistTechnique: '',
          technologistNotes: [],
          documents: [],
        },
      })
    const { status } = await readingWindow(clinic.users.radiologist.call, studyId).report(NORMAL)
    expect(status).toBe('completed')
    expect(await ask(clinic, studyId)).toMatchObject({ state: 'answered' })
  })
})
