import { describe, expect, it } from 'vitest'
import { deleteReport, listReports } from '#server/modules/reports/report-queries.ts'
import * as reportService from '#server/modules/reports/reports.ts'
import { scribeStudyReply } from '#server/modules/reports/scribe-routes.ts'
import * as studyService from '#server/modules/studies/service.ts'
import { readStudy } from '#server/modules/studies/service.ts'
import { bound } from '../../../../support/bound.ts'
import { atTheWindow, newKey, newUser } from '../../../../support/callers.ts'
import { refusalOf } from '../../../../support/refusal.ts'
import { completedReport, draftReport } from '../../../../support/reports.ts'
import { tempStore } from '../../../../support/temp-store.ts'

function stage() {
  const temp = tempStore()
  const { store } = temp
  const studies = bound(studyService, temp.store)
  const reports = bound(reportService, store)
  const key = newKey(store)
  const radiologist = newUser(store)
  const { record } = studies.createStudy(key, 'scribe', {
    studyInstanceUid: '1.2.3',
    studyDescription: 'CT',
    severity: 'normal',
    reportMetadata: { mrn: '7' },
  })
  const of = { studyId: record.studyId, userId: radiologist.userId }
  return {
    ...temp,
    studies,
    reports,
    key,
    radiologist,
    record,
    of,
    [Symbol.dispose]: () => temp[Symbol.dispose](),
  }
}

describe('reports of a study', () => {
  it('are listed oldest first, drafts without their text', () => {
    using on = stage()
    const { reports, key, store, of, record } = on
    const primary = completedReport(store, {
      ...of,
      isCritical: true,
      snapshotMetadata: { age: '40' },
    })
    const addendum = draftReport(store, { ...of, isAddendum: true })
    const listed = reports.listStudyReports(key, { studyInstanceUid: '1.2.3' })
    expect(listed).toMatchObject({ studyId: record.studyId, studyInstanceUid: '1.2.3' })
    expect(
      listed.reports.map((report) => [
        report.reportId,
        report.isAddendum,
        report.status,
        report.plainText,
        report.isCritical,
      ]),
    ).toEqual([
      [primary, false, 'completed', 'No acute findings.', true],
      [addendum, true, 'in_progress', null, null],
    ])
    expect(listed.reports[0]?.snapshotMetadata).toEqual({ age: '40' })
    const study = readStudy(on.store, key, 'scribe', record.studyId)
    expect(scribeStudyReply(on.store, study).reportIds).toEqual([
      { reportId: primary, status: 'completed', isCritical: true },
      { reportId: addendum, status: 'in_progress', isCritical: null },
    ])
  })

  it('give their text when completed: one by its id, all of a study by the study', () => {
    using on = stage()
    const { reports, key, store, of } = on
    const primary = completedReport(store, of)
    const addendum = completedReport(store, { ...of, isAddendum: true, plainText: 'Addendum.' })
    const draft = draftReport(store, { ...of, isAddendum: true })
    const item = {
      studyId: of.studyId,
      studyInstanceUid: '1.2.3',
      snapshotMetadata: {},
      isCritical: false,
    }
    const first = { reportId: primary, ...item, plainText: 'No acute findings.' }
    expect(reports.readSignedReports(key, { reportId: primary })).toEqual(first)
    expect(reports.readSignedReports(key, { studyId: of.studyId })).toEqual({
      reports: [first, { reportId: addendum, ...item, plainText: 'Addendum.' }],
      studyId: of.studyId,
      studyInstanceUid: '1.2.3',
    })
    expect(refusalOf(() => reports.readSignedReports(key, { reportId: draft }))).toBe(
      'refused query.reportId',
    )
    expect(refusalOf(() => reports.readSignedReports(key, {}))).toBe('malformed query.studyId')
    expect(
      refusalOf(() => reports.readSignedReports(key, { reportId: `rep_${'0'.repeat(32)}` })),
    ).toBe('not-found')
  })

  it('by a report and a study that is not its own are malformed', () => {
    using on = stage()
    const { reports, studies, key, store, of } = on
    const reportId = completedReport(store, of)
    const other = studies.createStudy(key, 'scribe', {
      studyInstanceUid: '1.2.4',
      studyDescription: 'CT',
      severity: 'normal',
    }).record
    expect(
      refusalOf(() => reports.readSignedReports(key, { reportId, studyId: other.studyId })),
    ).toBe('malformed query.reportId')
    expect(reports.readSignedReports(key, { reportId, studyInstanceUid: '1.2.3' })).toMatchObject({
      reportId,
    })
  })

  it('are out of the scope of a key that did not make the study', () => {
    using on = stage()
    const { reports, store, of } = on
    const reportId = completedReport(store, of)
    const self = newKey(store, { scope: 'self' })
    for (const work of [
      () => reports.listStudyReports(self, { studyId: of.studyId }),
      () => reports.readSignedReports(self, { reportId }),
      () => reports.startAddendum(self, reportId),
      () => reports.cancelAddendum(self, reportId),
    ])
      expect(refusalOf(work)).toBe('not-found')
  })
})

describe('an addendum', () => {
  it('starts on a completed report as a draft of its radiologist, and is gone when cancelled', () => {
    using on = stage()
    const { reports, studies, key, store, of, radiologist } = on
    const primary = completedReport(store, of)
    const status = () => studies.readStudy(key, 'scribe', of.studyId).record.status
    expect(reports.startAddendum(key, primary)).toEqual({
      success: true,
      message: 'The addendum is active.',
    })
    expect(status()).toBe('addendum_active')
    expect(listReports(store.database, of.studyId)[1]).toMatchObject({
      userId: radiologist.userId,
      isAddendum: true,
      status: 'in_progress',
      signedAt: null,
      snapshotMetadata: { mrn: '7' },
    })
    expect(reports.startAddendum(key, primary).success).toBe(false)
    expect(reports.cancelAddendum(key, primary).success).toBe(true)
    expect([status(), listReports(store.database, of.studyId).length]).toEqual(['completed', 1])
    expect(reports.cancelAddendum(key, primary).success).toBe(false)
  })

  it('is cancelled by its own id, not by that of an earlier one', () => {
    using on = stage()
    const { reports, key, store, of } = on
    completedReport(store, of)
    const earlier = completedReport(store, { ...of, isAddendum: true })
    expect(reports.startAddendum(key, earlier).success).toBe(true)
    const active = listReports(store.database, of.studyId)[2]?.reportId ?? ''
    expect(reports.cancelAddendum(key, earlier).success).toBe(false)
    expect(reports.cancelAddendum(key, active).success).toBe(true)
  })

  it('does not start on a draft, nor on a cancelled study, nor by who may not write', () => {
    using on = stage()
    const { reports, studies, key, store, of } = on
    const draft = draftReport(store, of)
    expect(reports.startAddendum(key, draft)).toEqual({
      success: false,
      message: 'The report is not completed: an addendum needs a completed report.',
    })
    deleteReport(store.database, draft)
    const primary = completedReport(store, of)
    studies.cancelStudy(key, 'scribe', { studyId: of.studyId })
    expect(reports.startAddendum(key, primary)).toEqual({
      success: false,
      message: 'The study was cancelled.',
    })
    const member = atTheWindow(newUser(store, { canCreateReports: false, level: 'member' }))
    expect(refusalOf(() => reports.startAddendum(member, primary))).toBe('not-permitted')
    expect(refusalOf(() => reports.cancelAddendum(member, primary))).toBe('not-permitted')
  })
})
