import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { scribe } from '#shared/contract/scribe.ts'
import { newUid, type StartedInterface, startInterface } from '../../support/interface.ts'
import { completedReport, draftReport } from '../../support/reports.ts'

// Scribe reports, through HTTP and the whole gateway. Their rows are written by the test.

let stage: StartedInterface

beforeAll(async () => {
  stage = await startInterface()
})
afterAll(() => stage[Symbol.asyncDispose]())

const SNAPSHOT = { patientName: 'MÜLLER^ANNA', mrn: 'MRN-17', scanDate: '2026-03-09' }
const newStudy = () =>
  stage.keys.partner.call(scribe.create, {
    body: {
      studyInstanceUid: newUid(),
      studyDescription: 'CT Thorax',
      severity: 'normal',
      reportMetadata: SNAPSHOT,
    },
  })
const signed = async (plainText = 'No acute findings.', more: { isCritical?: boolean } = {}) => {
  const study = await newStudy()
  const reportId = stage.withStore((store) =>
    completedReport(store, {
      studyId: study.studyId,
      userId: stage.userIds.radiologist,
      snapshotMetadata: SNAPSHOT,
      plainText,
      ...more,
    }),
  )
  return { ...study, reportId }
}
const statusOf = async (studyId: string) =>
  (await stage.keys.partner.call(scribe.read, { params: { studyId } })).studyReportStatus
const addendum = (reportId: string) =>
  stage.keys.partner.call(scribe.startAddendum, { params: { reportId } })
const cancel = (reportId: string) =>
  stage.keys.partner.call(scribe.cancelAddendum, { params: { reportId } })
const reportsOf = async (studyId: string) =>
  (await stage.keys.partner.call(scribe.reports, { query: { studyId } })).reports

describe('the reports of a study', () => {
  it('are listed with all their fields, by id or UID', async () => {
    const { studyId, studyInstanceUid, reportId } = await signed('Clear lungs.', {
      isCritical: true,
    })
    const listed = await stage.keys.partner.call(scribe.reports, { query: { studyInstanceUid } })
    expect(listed).toEqual({
      studyId,
      studyInstanceUid,
      reports: [
        {
          reportId,
          studyId,
          userId: stage.userIds.radiologist,
          isAddendum: false,
          status: 'completed',
          signedAt: expect.stringMatching(/Z$/),
          isCritical: true,
          snapshotMetadata: SNAPSHOT,
          reportPlainText: 'Clear lungs.',
          createdAt: expect.stringMatching(/Z$/),
          updatedAt: expect.stringMatching(/Z$/),
        },
      ],
    })
    expect(await stage.keys.partner.call(scribe.reports, { query: { studyId } })).toEqual(listed)
    const { reportIds } = await stage.keys.partner.call(scribe.read, { params: { studyId } })
    expect(reportIds).toEqual([{ reportId, status: 'completed', isCritical: true }])
  })

  it('are none of a study that has none', async () => {
    const { studyId, studyInstanceUid } = await newStudy()
    expect(await stage.keys.partner.call(scribe.reports, { query: { studyId } })).toEqual({
      studyId,
      studyInstanceUid,
      reports: [],
    })
    expect(await stage.keys.partner.call(scribe.reportText, { query: { studyId } })).toEqual({
      studyId,
      studyInstanceUid,
      reports: [],
    })
    expect(await stage.keys.partner.call(scribe.reportPdf, { query: { studyId } })).toEqual({
      studyId,
      studyInstanceUid,
      reports: [],
    })
  })

  it('show a draft without its text, and nowhere in texts and PDFs', async () => {
    const { studyId, studyInstanceUid } = await newStudy()
    const reportId = stage.withStore((store) =>
      draftReport(store, { studyId, userId: stage.userIds.radiologist }),
    )
    const [draft] = await reportsOf(studyId)
    expect(draft).toMatchObject({
      reportId,
      status: 'in_progress',
      signedAt: null,
      isCritical: null,
    })
    expect(draft).not.toHaveProperty('reportPlainText')
    const read = await stage.keys.partner.call(scribe.read, { params: { studyId } })
    expect(read.reportIds).toEqual([{ reportId, status: 'in_progress', isCritical: null }])
    for (const operation of [scribe.reportText, scribe.reportPdf]) {
      expect(await stage.keys.partner.call(operation, { query: { studyId } })).toEqual({
        studyId,
        studyInstanceUid,
        reports: [],
      })
      await expect(stage.keys.partner.call(operation, { query: { reportId } })).rejects.toThrow(
        /^422/,
      )
    }
  })
})

describe('the text and the PDF of a report', () => {
  it('are one item by its id, and a list by its study', async () => {
    const { studyId, studyInstanceUid, reportId } = await signed('Two nodules.')
    const text = {
      reportId,
      studyId,
      studyInstanceUid,
      snapshotMetadata: SNAPSHOT,
      isCritical: false,
      plainText: 'Two nodules.',
    }
    expect(await stage.keys.partner.call(scribe.reportText, { query: { reportId } })).toEqual(text)
    expect(await stage.keys.partner.call(scribe.reportText, { query: { studyId } })).toEqual({
      reports: [text],
      studyId,
      studyInstanceUid,
    })

    const pdf = {
      ...text,
      presignedUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/\S+[?&]\S{20,}/),
    }
    const one = await stage.keys.partner.call(scribe.reportPdf, { query: { reportId } })
    expect(one).toEqual(pdf)
    expect(
      await stage.keys.partner.call(scribe.reportPdf, { query: { studyInstanceUid } }),
    ).toEqual({
      reports: [pdf],
      studyId,
      studyInstanceUid,
    })
  })
})

describe('an addendum', () => {
  it('is started on a completed report and cancelled again; the report is as it was', async () => {
    const { studyId, reportId } = await signed()
    const before = await reportsOf(studyId)
    expect(await addendum(reportId)).toMatchObject({ success: true })
    expect(await statusOf(studyId)).toBe('addendum_active')
    const [primary, draft] = await reportsOf(studyId)
    expect(primary).toEqual(before[0])
    expect(draft).toMatchObject({
      isAddendum: true,
      status: 'in_progress',
      signedAt: null,
      userId: stage.userIds.radiologist,
      studyId,
    })
    expect(await addendum(reportId)).toEqual({ success: false, message: expect.any(String) })
    expect(await cancel(reportId)).toMatchObject({ success: true })
    expect(await statusOf(studyId)).toBe('completed')
    expect(await reportsOf(studyId)).toEqual(before)
    expect(await cancel(reportId)).toEqual({ success: false, message: expect.any(String) })
  })

  it('may be named itself when it is cancelled', async () => {
    const { studyId, reportId } = await signed()
    await addendum(reportId)
    const draft = (await reportsOf(studyId)).find(({ isAddendum }) => isAddendum)
    expect(await cancel(draft?.reportId ?? '')).toMatchObject({ success: true })
    expect(await statusOf(studyId)).toBe('completed')
  })

  it('may follow a completed addendum', async () => {
    const { studyId } = await signed()
    const second = stage.withStore((store) =>
      completedReport(store, {
        studyId,
        userId: stage.userIds.radiologist,
        isAddendum: true,
        plainText: 'See above.',
      }),
    )
    expect(await addendum(second)).toMatchObject({ success: true })
    expect(
      (await reportsOf(studyId)).map(({ isAddendum, status }) => `${isAddendum} ${status}`),
    ).toEqual(['false completed', 'true completed', 'true in_progress'])
  })

  it('is not started on a draft, nor while the study is cancelled', async () => {
    const { studyId } = await newStudy()
    const draft = stage.withStore((store) =>
      draftReport(store, { studyId, userId: stage.userIds.radiologist }),
    )
    expect(await addendum(draft)).toEqual({ success: false, message: expect.any(String) })
    const other = await signed()
    await stage.keys.partner.call(scribe.cancel, { body: { studyId: other.studyId } })
    expect(await addendum(other.reportId)).toEqual({ success: false, message: expect.any(String) })
    expect(await statusOf(other.studyId)).toBe('completed')
  })
})

describe('a study that is being reported', () => {
  it('keeps its radiologist: neither unassigned nor given to another, by update or URL', async () => {
    const { studyId } = await newStudy()
    const update = (assignedTo: string | null) =>
      stage.keys.partner.call(scribe.update, {
        params: { studyId },
        body: { assignedTo: assignedTo as never },
      })
    await update(stage.userIds.radiologist)
    stage.withStore((store) => draftReport(store, { studyId, userId: stage.userIds.radiologist }))
    await expect(update(null)).rejects.toThrow(/^422/)
    await expect(update(stage.userIds.linked)).rejects.toThrow(/^422/)
    const mint = (assignedToUserId: string) =>
      stage.keys.partner.call(scribe.rerouteUrl, {
        body: { studyId, assignedToUserId: assignedToUserId as never },
      })
    await expect(mint(stage.userIds.linked)).rejects.toThrow(/^422/)
    expect((await mint(stage.userIds.radiologist)).url).toMatch(/[A-Za-z0-9_-]{40,}/)
    expect(await statusOf(studyId)).toBe('in_progress')
  })

  it('when completed keeps who it is assigned to, and its URL is for reading', async () => {
    const { studyId } = await signed()
    await stage.keys.partner.call(scribe.rerouteUrl, {
      body: { studyId, assignedToUserId: stage.userIds.linked as never },
    })
    const read = await stage.keys.partner.call(scribe.read, { params: { studyId } })
    expect([read.studyReportStatus, read.assignedTo]).toEqual(['completed', null])
  })
})
