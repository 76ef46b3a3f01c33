import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { openContext } from '#server/context.ts'
import { putClinicalContext } from '#server/modules/reports/clinical-context-queries.ts'
import {
  findDraft,
  listReportRevisions,
  listReports,
} from '#server/modules/reports/report-queries.ts'
import { findStudy } from '#server/modules/studies/study-queries.ts'
import { instantOf } from '#server/platform/clock.ts'
import { atTheWindow, newUser } from '../../../../support/callers.ts'
import { refusalOf, sentenceOf } from '../../../../support/refusal.ts'
import { reportStage, SOUND } from './reports-fixture.ts'

const begin = (windowId: string, more = {}) => ({ windowId, takeOver: false, text: '', ...more })

describe('a report that is begun', () => {
  it('puts the study in progress with the one who writes', () => {
    using on = reportStage()
    const { writing, reading, radiologist, studyId, windowId, status } = on
    writing.beginReport(radiologist, studyId, begin(windowId))
    expect(status()).toBe('in_progress')
    const read = reading.read(radiologist, studyId)
    expect(read).toMatchObject({
      assignedTo: { userId: radiologist.user.userId, name: 'Una Malá' },
      lock: { windowId, name: 'Una Malá', until: instantOf(on.clock() + 60_000) },
      draft: { isAddendum: false, revision: 0, text: '' },
      mayWrite: true,
      whyNot: null,
      reports: [{ status: 'in_progress', text: null, delivery: null, signedAt: null }],
    })
    writing.beginReport(radiologist, studyId, begin(windowId))
    expect(listReports(on.store.database, studyId)).toHaveLength(1)
    const begun = on.store.audit
      .list({ limit: 100 })
      .items.filter(({ action }) => action === 'report.begin')
    const { reportId, ...draft } = findDraft(on.store.database, studyId) ?? {}
    expect(begun).toMatchObject([
      { actor: `user:${on.user.userId}`, target: reportId, detail: { studyId } },
    ])
    expect(draft).toMatchObject({
      ...{
        isAddendum: false,
        status: 'in_progress',
        signedAt: null,
        isCritical: null,
        plainText: null,
      },
      ...{ createdAt: '2026-03-10T09:00:00.000Z', updatedAt: '2026-03-10T09:00:00.000Z' },
      snapshotMetadata: { patientName: 'Ada Example', mrn: 'M-7' },
    })
  })

  it('changes the study once, however often its window is opened', () => {
    using on = reportStage()
    const { writing, radiologist, studyId, windowId, store } = on
    const changedAt = () => findStudy(store.database, studyId)?.updatedAt
    on.clock.pass(1000)
    writing.beginReport(radiologist, studyId, begin(windowId))
    expect(changedAt()).toBe('2026-03-10T09:00:01.000Z')
    on.clock.pass(1000)
    writing.beginReport(radiologist, studyId, begin(windowId))
    expect(changedAt()).toBe('2026-03-10T09:00:01.000Z')
  })

  it('begins with a text, which is its first revision', () => {
    using on = reportStage()
    on.writing.beginReport(on.radiologist, on.studyId, begin(on.windowId, { text: SOUND }))
    expect(on.reading.read(on.radiologist, on.studyId).draft).toMatchObject({
      revision: 1,
      text: SOUND,
    })
    on.writing.beginReport(on.radiologist, on.studyId, begin(on.windowId, { text: 'Another' }))
    expect(on.reading.read(on.radiologist, on.studyId).draft).toMatchObject({
      revision: 1,
      text: SOUND,
    })
  })

  it('is not for who may not write reports, nor of a study that they do not see', () => {
    using on = reportStage()
    const clerk = on.colleague({ canCreateReports: false })
    expect(refusalOf(() => on.writing.beginReport(clerk, on.studyId, begin(on.windowId)))).toBe(
      'not-permitted',
    )
    expect(on.reading.read(clerk, on.studyId)).toMatchObject({
      mayWrite: false,
      whyNot: { code: 'users.may-not-write-reports' },
    })
    const elsewhere = atTheWindow(newUser(on.store), [
      'cus_00000000000000000000000000000001' as never,
    ])
    expect(refusalOf(() => on.writing.beginReport(elsewhere, on.studyId, begin(on.windowId)))).toBe(
      'not-found',
    )
    expect(refusalOf(() => on.reading.read(elsewhere, on.studyId))).toBe('not-found')
  })

  it('is not of a cancelled study, and goes on once that is active again', () => {
    using on = reportStage()
    const { writing, radiologist, studyId, windowId } = on
    on.written()
    on.studies.cancelStudy(on.key, 'scribe', { studyId })
    expect(sentenceOf(() => writing.beginReport(radiologist, studyId, begin(windowId)))).toBe(
      'The study is cancelled: reinstate it first.',
    )
    expect(
      refusalOf(() =>
        writing.saveReport(radiologist, studyId, { windowId, revision: 1, text: 'x' }),
      ),
    ).toBe('refused')
    expect(on.status()).toBe('in_progress')
    on.studies.uncancelStudy(on.key, 'scribe', { studyId })
    expect(
      writing.saveReport(radiologist, studyId, { windowId, revision: 1, text: 'x' }),
    ).toMatchObject({
      outcome: 'saved',
      revision: 2,
    })
  })

  it('is not of a study whose report is signed', async () => {
    using on = reportStage()
    await on.signed()
    expect(
      sentenceOf(() => on.writing.beginReport(on.radiologist, on.studyId, begin(on.windowId))),
    ).toContain('to add something, write an addendum')
  })
})

describe('somebody else’s report', () => {
  it('is taken over only when that is said, and nothing of it is lost', () => {
    using on = reportStage()
    const { writing, reading, studyId, store } = on
    on.written('Half a report')
    const ben = on.colleague()
    const there = randomUUID()
    expect(sentenceOf(() => writing.beginReport(ben, studyId, begin(there)))).toBe(
      'Una Malá is editing this report now: take it over to edit it.',
    )
    on.clock.pass(61_000)
    expect(sentenceOf(() => writing.beginReport(ben, studyId, begin(there)))).toBe(
      'Una Malá has begun this report: take it over to edit it.',
    )
    expect(reading.read(ben, studyId)).toMatchObject({
      mayWrite: false,
      whyNot: 'Una Malá has begun this report: take it over to edit it.',
    })
    writing.beginReport(ben, studyId, begin(there, { takeOver: true }))
    expect(reading.read(ben, studyId)).toMatchObject({
      draft: { text: 'Half a report', savedBy: { name: 'Una Malá' } },
      assignedTo: { name: 'Ben Okoro' },
      lock: { name: 'Ben Okoro' },
    })
    const [taken] = store.audit.list({ limit: 1 }).items
    const draft = findDraft(store.database, studyId)
    expect(taken).toMatchObject({
      action: 'report.take-over',
      target: draft?.reportId,
      detail: { studyId, from: on.user.userId },
    })
    expect(draft).toMatchObject({ userId: ben.user.userId, updatedAt: '2026-03-10T09:01:01.000Z' })
    const save = () =>
      writing.saveReport(on.radiologist, studyId, {
        windowId: on.windowId,
        revision: 1,
        text: 'Mine',
      })
    expect(sentenceOf(save)).toBe('Ben Okoro is editing this report now: take it over to edit it.')
    on.clock.pass(61_000)
    expect(sentenceOf(save)).toBe('This report belongs to Ben Okoro: take it over to edit it.')
  })

  it('is theirs before they have written a word', () => {
    using on = reportStage()
    on.writing.beginReport(on.radiologist, on.studyId, begin(on.windowId))
    on.clock.pass(61_000)
    const sentence = sentenceOf(() =>
      on.writing.beginReport(on.colleague(), on.studyId, begin(randomUUID())),
    )
    expect(sentence).toBe('Una Malá has begun this report: take it over to edit it.')
  })

  it('that was only assigned is theirs too', () => {
    using on = reportStage()
    const ben = on.colleague()
    on.studies.updateStudy(on.key, 'scribe', on.studyId, { assignedTo: on.user.userId })
    expect(sentenceOf(() => on.writing.beginReport(ben, on.studyId, begin(randomUUID())))).toBe(
      'The study is assigned to Una Malá: take it over to write the report.',
    )
    on.writing.beginReport(ben, on.studyId, begin(randomUUID(), { takeOver: true }))
    expect(on.studies.readStudy(on.key, 'scribe', on.studyId).record.assignedTo).toBe(
      ben.user.userId,
    )
    const taken = on.store.audit
      .list({ limit: 100 })
      .items.find(({ action }) => action === 'report.take-over')
    expect(taken).toMatchObject({
      target: on.studyId,
      detail: { studyId: on.studyId, from: on.user.userId },
    })
  })

  it('is not saved to, nor signed, without having been begun', async () => {
    using on = reportStage()
    const order = on.written()
    const ben = on.colleague()
    on.clock.pass(61_000)
    const there = { ...order, windowId: randomUUID() }
    expect(
      sentenceOf(() => on.writing.saveReport(ben, on.studyId, { ...there, text: 'x' })),
    ).toContain('This report belongs to Una Malá')
    await expect(on.writing.sign(ben, on.studyId, there)).rejects.toThrow(
      'This report belongs to Una Malá',
    )
  })

  it('is one’s own in another window, and is taken over there in the same way', () => {
    using on = reportStage()
    const order = on.written('Here')
    const there = randomUUID()
    expect(
      sentenceOf(() => on.writing.beginReport(on.radiologist, on.studyId, begin(there))),
    ).toContain('in another window')
    on.writing.beginReport(on.radiologist, on.studyId, begin(there, { takeOver: true }))
    expect(
      sentenceOf(() => on.writing.saveReport(on.radiologist, on.studyId, { ...order, text: 'x' })),
    ).toContain('in another window')
    expect(on.audited()).not.toContain('report.take-over')
  })
})

describe('saving', () => {
  it('keeps each text as a revision, and the same text once', () => {
    using on = reportStage()
    const { writing, radiologist, studyId, windowId } = on
    on.written('One')
    expect(
      writing.saveReport(radiologist, studyId, { windowId, revision: 1, text: 'One' }),
    ).toMatchObject({ outcome: 'saved', revision: 1 })
    on.clock.pass(5000)
    expect(
      writing.saveReport(radiologist, studyId, { windowId, revision: 1, text: 'One two' }),
    ).toEqual({
      ...{ outcome: 'saved', revision: 2, savedAt: instantOf(on.clock()) },
    })
    expect(writing.listDraftRevisions(radiologist, studyId)).toEqual([
      {
        revision: 2,
        at: instantOf(on.clock()),
        savedBy: { userId: on.user.userId, name: 'Una Malá' },
        characters: 7,
      },
      expect.objectContaining({ revision: 1, characters: 3 }),
    ])
    expect(writing.readDraftRevision(radiologist, studyId, 1)).toEqual({
      ...{
        reportId: findDraft(on.store.database, studyId)?.reportId,
        isAddendum: false,
        revision: 1,
        text: 'One',
      },
      ...{
        savedAt: '2026-03-10T09:00:00.000Z',
        savedBy: { userId: on.user.userId, name: 'Una Malá' },
      },
    })
    expect(refusalOf(() => writing.readDraftRevision(radiologist, studyId, 9))).toBe('not-found')
    on.clock.pass(5000)
    // What is there already was saved when it came.
    const again = { windowId, revision: 2, text: 'One two' }
    expect(writing.saveReport(radiologist, studyId, again)).toEqual({
      outcome: 'saved',
      revision: 2,
      savedAt: '2026-03-10T09:00:05.000Z',
    })
  })

  it('has no revisions before a report is begun', () => {
    using on = reportStage()
    expect(on.writing.listDraftRevisions(on.radiologist, on.studyId)).toEqual([])
    expect(sentenceOf(() => on.writing.readDraftRevision(on.radiologist, on.studyId, 1))).toBe(
      'This revision of the draft is not stored.',
    )
  })

  it('goes on having the report: the lock runs out some time after the last text', () => {
    using on = reportStage()
    on.written('One')
    on.clock.pass(50_000)
    on.writing.saveReport(on.radiologist, on.studyId, {
      windowId: on.windowId,
      revision: 1,
      text: 'One two',
    })
    expect(on.reading.read(on.radiologist, on.studyId).lock?.until).toBe(
      instantOf(on.clock() + 60_000),
    )
  })

  it('never overwrites what was saved in between', () => {
    using on = reportStage()
    const { writing, radiologist, studyId, windowId } = on
    on.written('One')
    const there = randomUUID()
    on.clock.pass(61_000)
    writing.beginReport(radiologist, studyId, begin(there))
    writing.saveReport(radiologist, studyId, { windowId: there, revision: 1, text: 'There' })
    expect(
      writing.saveReport(radiologist, studyId, { windowId, revision: 1, text: 'Here' }),
    ).toMatchObject({
      outcome: 'conflict',
      theirs: { revision: 2, text: 'There', savedBy: { name: 'Una Malá' } },
    })
    expect(on.reading.read(radiologist, studyId).draft?.text).toBe('There')
  })

  it('goes on top of what the same window saved where that window closes, in whatever order its saves arrive', () => {
    for (const isInOrder of [true, false]) {
      using on = reportStage()
      const { writing, reading, radiologist, studyId, windowId } = on
      writing.beginReport(radiologist, studyId, begin(windowId, { text: 'One.' }))
      const save = (text: string, isLast: boolean) =>
        writing.saveReport(radiologist, studyId, { windowId, revision: 1, text, isLast })
      if (isInOrder) save('One. Two.', false)
      expect(save('One. Two. Three.', true)).toMatchObject({ outcome: 'saved' })
      if (!isInOrder) expect(save('One. Two.', false)).toMatchObject({ outcome: 'conflict' })
      // It lets go of the report as well.
      expect(reading.read(radiologist, studyId)).toMatchObject({
        draft: { text: 'One. Two. Three.' },
        lock: null,
      })
    }
  })

  it('goes on top of nobody else’s where a window closes, and of a draft that this window began itself', () => {
    using on = reportStage()
    const { writing, reading, radiologist, studyId, windowId } = on
    writing.beginReport(radiologist, studyId, begin(windowId, { text: 'One.' }))
    writing.beginReport(radiologist, studyId, begin(windowId, { text: 'One. Two.', isLast: true }))
    expect(reading.read(radiologist, studyId)).toMatchObject({
      draft: { revision: 2, text: 'One. Two.' },
      lock: null,
    })
    const other = randomUUID()
    writing.beginReport(radiologist, studyId, begin(other))
    writing.saveReport(radiologist, studyId, {
      windowId: other,
      revision: 2,
      text: 'Of the other window.',
    })
    writing.updateReportLock(radiologist, studyId, { windowId: other, isWriting: false })
    expect(
      writing.saveReport(radiologist, studyId, {
        windowId,
        revision: 2,
        text: 'Late.',
        isLast: true,
      }),
    ).toMatchObject({
      outcome: 'conflict',
    })
    writing.beginReport(radiologist, studyId, begin(windowId, { text: 'Late.', isLast: true }))
    expect(reading.read(radiologist, studyId).draft?.text).toBe('Of the other window.')
  })

  it('keeps the newest hundred revisions', () => {
    using on = reportStage()
    const { writing, radiologist, studyId, windowId } = on
    on.written('0')
    for (let revision = 1; revision < 105; revision++)
      writing.saveReport(radiologist, studyId, { windowId, revision, text: `${revision}` })
    const kept = writing.listDraftRevisions(radiologist, studyId).map(({ revision }) => revision)
    expect([kept.length, kept[0], kept.at(-1)]).toEqual([100, 105, 6])
  })

  it('survives the end of the process, sealed', () => {
    using on = reportStage()
    on.written('A patient’s own words')
    on.store[Symbol.dispose]()
    using store = openContext({ folder: on.folder, clock: on.clock, uuid: randomUUID })
    expect(findDraft(store.database, on.studyId)).toMatchObject({
      revision: 1,
      plainText: 'A patient’s own words',
    })
    const { reportId = '' } = findDraft(store.database, on.studyId) ?? {}
    expect(listReportRevisions(store.database, reportId)[0]?.text).toBe('A patient’s own words')
  })

  it('needs something to be written on', () => {
    using on = reportStage()
    const order = { windowId: on.windowId, revision: 0, text: 'x' }
    expect(sentenceOf(() => on.writing.saveReport(on.radiologist, on.studyId, order))).toContain(
      'begin the report first',
    )
  })
})

describe('a window that writes', () => {
  it('says so again and again, and that it has stopped', () => {
    using on = reportStage()
    const { writing, radiologist, studyId, windowId } = on
    on.written()
    on.clock.pass(50_000)
    expect(
      writing.updateReportLock(radiologist, studyId, { windowId, isWriting: true })?.until,
    ).toBe(instantOf(on.clock() + 60_000))
    const ben = on.colleague()
    expect(
      writing.updateReportLock(ben, studyId, { windowId: randomUUID(), isWriting: true })?.name,
    ).toBe('Una Malá')
    expect(
      writing.updateReportLock(radiologist, studyId, { windowId, isWriting: false }),
    ).toBeNull()
    expect(
      writing.updateReportLock(ben, studyId, { windowId: randomUUID(), isWriting: true }),
    ).toBeNull()
  })

  it('does not go on having the report of a study that was cancelled', () => {
    using on = reportStage()
    const { writing, radiologist, studyId, windowId } = on
    on.written()
    const until = instantOf(on.clock() + 60_000)
    on.studies.cancelStudy(on.key, 'scribe', { studyId })
    on.clock.pass(50_000)
    expect(
      writing.updateReportLock(radiologist, studyId, { windowId, isWriting: true })?.until,
    ).toBe(until)
  })
})

describe('an addendum', () => {
  it('is for whoever writes on it first, and the study stays with its radiologist', async () => {
    using on = reportStage()
    const reportId = await on.signed()
    const ben = on.colleague()
    expect(on.writing.startAddendum(ben, reportId).success).toBe(true)
    const there = randomUUID()
    on.writing.beginReport(ben, on.studyId, begin(there, { text: 'Addendum: no change.' }))
    const draft = findDraft(on.store.database, on.studyId)
    expect(draft).toMatchObject({ isAddendum: true, userId: ben.user.userId, revision: 1 })
    expect(on.studies.readStudy(on.key, 'scribe', on.studyId).record.assignedTo).toBe(
      on.user.userId,
    )
    expect(on.audited().slice(0, 2)).toEqual(['report.begin', 'report.start-addendum'])
    expect(on.store.audit.list({ limit: 1 }).items[0]).toMatchObject({
      target: draft?.reportId,
      detail: { studyId: on.studyId },
    })
    expect(
      sentenceOf(() => on.writing.beginReport(on.radiologist, on.studyId, begin(on.windowId))),
    ).toContain('Ben Okoro')
  })

  it('is not cancelled with what an absent colleague wrote, unless it was taken over', async () => {
    using on = reportStage()
    const reportId = await on.signed()
    on.writing.startAddendum(on.radiologist, reportId)
    on.written('Half an addendum')
    on.clock.pass(120_000)
    const ben = on.colleague()
    expect(on.writing.cancelOwnAddendum(ben, reportId)).toMatchObject({
      success: false,
      message: 'Una Malá has begun this report: take it over to edit it.',
    })
    expect(findDraft(on.store.database, on.studyId)?.plainText).toBe('Half an addendum')
    on.writing.beginReport(ben, on.studyId, begin(randomUUID(), { takeOver: true }))
    expect(on.writing.cancelOwnAddendum(ben, reportId).success).toBe(true)
  })

  it('takes its lock with it where the partner cancels it', async () => {
    using on = reportStage()
    const reportId = await on.signed()
    on.reports.startAddendum(on.key, reportId)
    on.written('Half an addendum')
    expect(on.reading.read(on.radiologist, on.studyId).lock?.name).toBe('Una Malá')
    expect(on.reports.cancelAddendum(on.key, reportId).success).toBe(true)
    expect(on.reading.read(on.radiologist, on.studyId).lock).toBeNull()
    on.reports.startAddendum(on.key, reportId)
    const ben = on.colleague()
    expect(on.reading.read(ben, on.studyId)).toMatchObject({ lock: null, mayWrite: true })
    on.writing.beginReport(ben, on.studyId, begin(randomUUID()))
    // The window that wrote the cancelled one does not write into the new one.
    const late = { windowId: on.windowId, revision: 1, text: 'Half an addendum, and more' }
    expect(on.writing.saveReport(on.radiologist, on.studyId, late)).toMatchObject({
      outcome: 'conflict',
      theirs: { revision: 0, text: '' },
    })
  })

  it('that took the place of a cancelled one is not written or signed by a window that shows the cancelled one', async () => {
    using on = reportStage()
    const reportId = await on.signed()
    on.reports.startAddendum(on.key, reportId)
    const old = findDraft(on.store.database, on.studyId)?.reportId
    const order = { ...on.written('Addendum of before'), reportId: old }
    on.reports.cancelAddendum(on.key, reportId)
    on.reports.startAddendum(on.key, reportId)
    const there = randomUUID()
    on.writing.beginReport(on.radiologist, on.studyId, begin(there, { text: 'Addendum of now' }))
    on.writing.updateReportLock(on.radiologist, on.studyId, { windowId: there, isWriting: false })
    // The revision is the same: it is another text.
    const conflict = {
      outcome: 'conflict',
      theirs: { revision: order.revision, text: 'Addendum of now' },
    }
    expect(
      on.writing.saveReport(on.radiologist, on.studyId, {
        ...order,
        text: 'Addendum of before, and more',
      }),
    ).toMatchObject(conflict)
    expect(await on.writing.sign(on.radiologist, on.studyId, order)).toMatchObject(conflict)
  })

  it('is cancelled with its revisions, but not while somebody else writes it', async () => {
    using on = reportStage()
    const reportId = await on.signed()
    const [before] = listReports(on.store.database, on.studyId)
    on.writing.startAddendum(on.radiologist, reportId)
    on.written('Half an addendum')
    const { reportId: addendumId = '' } = findDraft(on.store.database, on.studyId) ?? {}
    const ben = on.colleague()
    expect(on.writing.cancelOwnAddendum(ben, reportId)).toMatchObject({
      success: false,
      message: 'Una Malá is editing this report now: take it over to edit it.',
    })
    expect(on.locks.findReportLock(addendumId)?.name).toBe('Una Malá')
    expect(on.writing.cancelOwnAddendum(on.radiologist, reportId).success).toBe(true)
    expect(on.locks.findReportLock(addendumId)).toBeUndefined()
    expect(on.status()).toBe('completed')
    expect(listReports(on.store.database, on.studyId)).toEqual([before])
    expect(on.reading.read(on.radiologist, on.studyId)).toMatchObject({ draft: null, lock: null })
    expect(
      on.writing.updateReportLock(on.radiologist, on.studyId, {
        windowId: on.windowId,
        isWriting: true,
      }),
    ).toBeNull()
  })
})

it('cancels no report as if it were an addendum, whoever writes it, and none that is not there', () => {
  using on = reportStage()
  on.written()
  const { reportId = '' } = findDraft(on.store.database, on.studyId) ?? {}
  const nothing = { success: false, message: 'There is no active addendum.' }
  expect(on.writing.cancelOwnAddendum(on.radiologist, reportId)).toEqual(nothing)
  expect(on.writing.cancelOwnAddendum(on.colleague(), reportId)).toEqual(nothing)
  expect(on.locks.findReportLock(reportId)?.name).toBe('Una Malá')
  expect(refusalOf(() => on.writing.cancelOwnAddendum(on.radiologist, 'rep_none'))).toBe(
    'not-found',
  )
})

it('checks a text against why the study was asked for: as the clinical context says, else the study', () => {
  using on = reportStage()
  const check = () =>
    on.writing.checkReport(on.radiologist, on.studyId, {
      text: 'Findings:\nThe right knee is normal.\nImpression:\nNormal right knee.',
      isCritical: false,
    })
  expect(check()).toEqual([])
  on.studies.updateStudy(on.key, 'scribe', on.studyId, {
    clinicalIndication: 'Pain of the left knee',
  })
  expect(check()).toMatchObject([{ check: 'laterality' }])
  const context = {
    studyId: on.studyId,
    state: 'answered' as const,
    askedAt: '2026-03-10T09:00:00.000Z',
    notes: [],
    documents: [],
  }
  const rest = { technologistTechnique: '', technologistNotes: [], priorReports: [] }
  putClinicalContext(on.store.database, {
    ...context,
    ...rest,
    clinicalIndication: 'Pain of the right knee',
  })
  expect(check()).toEqual([])
  putClinicalContext(on.store.database, { ...context, ...rest, clinicalIndication: '' })
  expect(check()).toMatchObject([{ check: 'laterality' }])
})

it('checks a text against the patient it was begun for', () => {
  using on = reportStage()
  on.written()
  const check = () =>
    on.writing.checkReport(on.radiologist, on.studyId, { text: SOUND, isCritical: false })
  expect(check()).toEqual([])
  on.studies.updateStudy(on.key, 'scribe', on.studyId, {
    reportMetadata: { patientName: 'Someone Else', mrn: 'M-8' },
  })
  expect(check()).toMatchObject([{ check: 'patient-changed' }])
})

it('wants an impression of a report, and none of an addendum', async () => {
  using on = reportStage()
  const check = () =>
    on.writing.checkReport(on.radiologist, on.studyId, {
      text: 'Findings:\nNo change.',
      isCritical: false,
    })
  expect(check()).toMatchObject([{ check: 'empty-impression' }])
  on.writing.startAddendum(on.radiologist, await on.signed())
  expect(check()).toEqual([])
})

it('checks a text as it would be signed', () => {
  using on = reportStage()
  const check = (text: string, isCritical = false) =>
    on.writing
      .checkReport(on.radiologist, on.studyId, { text, isCritical })
      .map(({ check: name }) => name)
  expect(check('The prostate is [ ] mm.\r\n')).toEqual(['unfilled-field', 'sex'])
  expect(check(SOUND, true)).toEqual([])
})
