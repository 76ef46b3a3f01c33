import { describe, expect, it } from 'vitest'
import * as customerService from '#server/modules/customers/service.ts'
import { insertReportObject } from '#server/modules/reports/report-document-queries.ts'
import { listReports } from '#server/modules/reports/report-queries.ts'
import { findImageStudy } from '#server/modules/studies/image-study-queries.ts'
import { Reading } from '#shared/contract/reports.ts'
import type { ExpressCustomerId } from '#shared/ids.ts'
import { atTheWindow, newUser } from '../../../../support/callers.ts'
import { seedImages } from '../../../../support/images.ts'
import { refusalOf } from '../../../../support/refusal.ts'
import { completedReport } from '../../../../support/reports.ts'
import { reportStage } from './reports-fixture.ts'

describe('the reporting screen', () => {
  it('counts no copy of a report as an image', async () => {
    using on = reportStage()
    const reportId = await on.signed()
    seedImages(on.store, { uid: on.study.studyInstanceUid })
    const images = () => on.reading.read(on.radiologist, on.studyId).images
    const { instances = 0 } = findImageStudy(on.store.database, on.study.studyInstanceUid) ?? {}
    expect(images()?.instances).toBe(instances)
    for (const kind of (['pdf', 'sr'] as const).slice(0, instances))
      insertReportObject(on.store.database, {
        reportId,
        kind,
        sopInstanceUid: `2.25.${kind.length}`,
        createdAt: '2026-03-10T09:00:00.000Z',
      })
    expect(images()?.instances ?? 0).toBe(Math.max(0, instances - 2))
  })

  it('has what its contract says', async () => {
    using on = reportStage()
    await on.signed(undefined, { isCritical: true, finding: 'Something' })
    on.writing.startAddendum(
      on.radiologist,
      listReports(on.store.database, on.studyId)[0]?.reportId ?? '',
    )
    on.written('Addendum')
    expect(
      Reading.parse(on.reading.read(on.radiologist, on.studyId)).reports.map(
        ({ status }) => status,
      ),
    ).toEqual(['completed', 'in_progress'])
  })

  it('shows nobody an unsigned text who may not write reports', () => {
    using on = reportStage()
    on.written('Unsigned')
    const clerk = on.colleague({ canCreateReports: false })
    const read = on.reading.read(clerk, on.studyId)
    expect(read.draft).toBeNull()
    expect(JSON.stringify(read)).not.toContain('Unsigned')
    expect(on.reading.read(on.colleague(), on.studyId).draft?.text).toBe('Unsigned')
  })

  it('finds its study by the UID, for those who see it', () => {
    using on = reportStage()
    const { studyInstanceUid } = on.study
    expect(on.reading.byUid(on.radiologist, studyInstanceUid)).toBe(on.studyId)
    expect(on.reading.byUid(on.radiologist, '1.9')).toBeNull()
    const elsewhere = atTheWindow(newUser(on.store), [
      'cus_00000000000000000000000000000001' as never,
    ])
    expect(on.reading.byUid(elsewhere, studyInstanceUid)).toBeNull()
    expect(refusalOf(() => on.reading.read(elsewhere, on.studyId))).toBe('not-found')
  })

  it('says whose accession the images were made for', () => {
    using on = reportStage()
    expect(on.reading.read(on.radiologist, on.studyId).accessionNumber).toBe('')
    seedImages(on.store, { uid: on.study.studyInstanceUid })
    const { accessionNumber } =
      findImageStudy(on.store.database, on.study.studyInstanceUid)?.header ?? {}
    expect(on.reading.read(on.radiologist, on.studyId).accessionNumber).toBe(accessionNumber)
    expect(on.reading.read(on.radiologist, on.studyId).images).toMatchObject({ isReceiving: false })
  })
})

describe('earlier reports', () => {
  it('are those signed here, given by the partner and of the context, newest first, each text once', async () => {
    const given = {
      reportText: 'From the context',
      modality: 'CR',
      studyDate: '2025-01-01',
      studyDescription: 'Chest',
    }
    using on = reportStage({
      answer: () => ({ priorReports: [given] }),
    })
    const prior = on.newStudy({
      reportMetadata: { scanDate: '2026-01-05', scanType: 'CT' },
      studyDescription: 'CT 2026',
    })
    const of = { studyId: prior.studyId, userId: on.user.userId }
    completedReport(on.store, { ...of, plainText: 'Signed here.' })
    completedReport(on.store, { ...of, plainText: 'And later.', isAddendum: true })
    const undated = on.newStudy()
    completedReport(on.store, {
      studyId: undated.studyId,
      userId: on.user.userId,
      plainText: 'Undated',
    })
    const viewer = on.studies.createStudy(on.key, 'viewer', {
      ...{ studyInstanceUid: undated.studyInstanceUid, studyDescription: 'x', severity: 'normal' },
    }).record
    on.studies.updateStudy(on.key, 'scribe', on.studyId, {
      priorStudyIds: [prior.studyId, viewer.studyId, on.newStudy().studyId],
      priorReportTexts: ['From the partner', ' From the context\n', '  '],
      priorReports: [{ reportText: 'With the study', studyDate: '2025-06-01' }],
    })
    await on.contexts.ask(on.studyId)
    expect(
      on.reading
        .read(on.radiologist, on.studyId)
        .priors.map(({ source, text, studyDate }) => [source, studyDate, text]),
    ).toEqual([
      ['here', '2026-01-05', 'Signed here.\n\nAddendum\nAnd later.'],
      ['context', '2025-06-01', 'With the study'],
      ['here', null, 'Undated'],
      ['partner', null, 'From the partner'],
      ['partner', null, ' From the context\n'],
    ])
  })

  it('are not those of studies that the person does not see', () => {
    using on = reportStage()
    const { expressCustomerId } = customerService.createCustomer(on.store, on.key, {
      expressCustomerName: 'One',
    })
    const prior = on.newStudy()
    completedReport(on.store, {
      studyId: prior.studyId,
      userId: on.user.userId,
      plainText: 'Not theirs',
    })
    on.studies.updateStudy(on.key, 'scribe', on.studyId, {
      priorStudyIds: [prior.studyId],
      expressCustomerId,
    })
    const theirs = atTheWindow(newUser(on.store), [expressCustomerId as ExpressCustomerId])
    expect(on.reading.read(theirs, on.studyId).priors).toEqual([])
    expect(on.reading.read(on.radiologist, on.studyId).priors).toHaveLength(1)
  })
})
