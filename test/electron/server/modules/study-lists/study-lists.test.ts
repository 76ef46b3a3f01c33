import { describe, expect, it } from 'vitest'
import { note } from '#server/audit-log/audit.ts'
import * as customerService from '#server/modules/customers/service.ts'
import { EventLog } from '#server/modules/events/log.ts'
import { updateImageStudy } from '#server/modules/images/image-study-writing-queries.ts'
import { findImageStudy } from '#server/modules/studies/image-study-queries.ts'
import * as studyService from '#server/modules/studies/service.ts'
import * as savedViewService from '#server/modules/study-lists/saved-views.ts'
import {
  countStudies,
  listStudies,
  readStudy,
  type StudyListRequest,
} from '#server/modules/study-lists/service.ts'
import type { UserCaller } from '#server/modules/users/caller.ts'
import {
  SavedView,
  StudyListFilter,
  StudyMoment,
  WindowStudy,
} from '#shared/contract/dashboard-studies.ts'
import type { ExpressCustomerId } from '#shared/ids.ts'
import { bound } from '../../../../support/bound.ts'
import { atTheWindow, newKey, newUser } from '../../../../support/callers.ts'
import { MISMATCH, seedImages } from '../../../../support/images.ts'
import { refusal } from '../../../../support/refusal.ts'
import { tempStore } from '../../../../support/temp-store.ts'

function stage() {
  const temp = tempStore('2026-11-20T09:00:00.000Z')
  const { store } = temp
  temp.store.settings.change({ 'clinic.timeZone': 'Europe/Madrid' }, 'command-line')
  const eventLog = new EventLog(temp.store)
  const studies = bound(studyService, temp.store)
  const customers = bound(customerService, temp.store)
  const key = newKey(store)
  const lists = {
    list: (caller: UserCaller, asked: Parameters<typeof listStudies>[2]) =>
      listStudies(store, caller, asked),
    counts: (caller: UserCaller, asked: StudyListRequest) => countStudies(store, caller, asked),
    read: (caller: UserCaller, studyId: string) => readStudy(store, eventLog, caller, studyId),
  }
  const savedViews = bound(savedViewService, store)
  let counted = 0
  return {
    ...{ ...temp, studies, lists, savedViews, key, eventLog },
    customer: (name: string) =>
      customers.createCustomer(key, { expressCustomerName: name })
        .expressCustomerId as ExpressCustomerId,
    study: (
      more: Partial<Parameters<typeof studies.createStudy>[2]> = {},
      area: 'scribe' | 'viewer' = 'scribe',
    ) =>
      studies.createStudy(key, area, {
        ...{
          studyInstanceUid: `2.25.${counted++}`,
          studyDescription: 'CT Thorax',
          severity: 'normal',
          ...more,
        },
        ...(area === 'scribe' && {
          reportMetadata: { patientName: 'Nováková^Eva', ...more.reportMetadata },
        }),
      }).record,
    person: (level: 'owner' | 'member', customerIds: ExpressCustomerId[] = []): UserCaller =>
      atTheWindow(newUser(store, { level }), customerIds),
    [Symbol.dispose]: () => temp[Symbol.dispose](),
  }
}

const asked = (more: Partial<StudyListRequest> = {}): StudyListRequest => ({
  ...StudyListFilter.parse({}),
  area: 'scribe',
  ...more,
})
const page = { order: 'newest', limit: 20 } as const
/** Code and sentence of the refusal. */
function refusalOf(work: () => unknown): string {
  const refused = refusal(work)
  return refused ? `${refused.code}: ${refused.message}` : 'none'
}

describe('a row of the lists', () => {
  it('says what the study says of the patient, and else what its images say', () => {
    using on = stage()
    seedImages(on.store, { uid: '1.2.3', instances: 2 })
    updateImageStudy(on.store.database, '1.2.3', { mismatch: MISMATCH })
    on.study({
      studyInstanceUid: '1.2.3',
      reportMetadata: { patientName: 'Meier^Anna Maria', scanDate: '2026-11-19' },
    })
    const { items } = on.lists.list(on.person('owner'), { ...asked(), ...page })
    const [row] = items.map((item) => WindowStudy.parse(item))
    expect(row).toMatchObject({
      ...{
        patientName: 'Meier^Anna Maria',
        mrn: 'P-4711',
        dateOfBirth: '1980-01-31',
        sex: 'female',
        accessionNumber: 'A-100',
      },
      ...{
        scanDate: '2026-11-19',
        scanTime: '09:30',
        modalities: ['CT'],
        identity: 'mismatch',
        isCritical: false,
        lock: null,
      },
      images: { instances: 2, expected: null, isReceiving: false },
      madeBy: { kind: 'partner', name: 'RIS' },
    })
  })

  it('has nothing where nobody said anything', () => {
    using on = stage()
    on.study({}, 'viewer')
    const [row] = on.lists.list(on.person('owner'), { ...asked({ area: 'viewer' }), ...page }).items
    expect(WindowStudy.parse(row)).toMatchObject({
      patientName: '',
      sex: '',
      age: '',
      modalities: [],
      images: null,
      scanTime: '',
      priors: 0,
    })
  })
})

describe('the lists of studies', () => {
  it('find a study by its images, which came before it or after it', () => {
    using on = stage()
    const owner = on.person('owner')
    const found = (search: string) =>
      on.lists.list(owner, { ...asked({ search }), ...page }).items.length
    seedImages(on.store, { uid: '1.2.1' })
    on.study({ studyInstanceUid: '1.2.1' })
    on.study({ studyInstanceUid: '1.2.2' })
    expect([found('meier'), found('a-100'), found('p-47'), found('novakova')]).toEqual([1, 1, 1, 2])
    seedImages(on.store, { uid: '1.2.2' })
    expect(found('meier anna')).toBe(2)
    const header = findImageStudy(on.store.database, '1.2.2')?.header
    if (header)
      updateImageStudy(on.store.database, '1.2.2', {
        header: { ...header, patientName: 'OLSEN^PER' },
      })
    expect([found('meier anna'), found('olsen')]).toEqual([1, 1])
  })

  it('take the days of the clinic, mine, nobody’s, and studies without a customer', () => {
    using on = stage()
    const me = on.person('owner')
    // 23:30 in Madrid, and half an hour into the next day.
    on.clock.now = Date.parse('2026-11-19T22:30:00.000Z')
    on.study({ assignedTo: me.user.userId })
    on.clock.now = Date.parse('2026-11-19T23:30:00.000Z')
    on.study({ expressCustomerId: on.customer('North') })
    const count = (more: Partial<StudyListRequest>) =>
      on.lists.list(me, { ...asked(more), ...page }).items.length
    expect([
      count({ from: '2026-11-20' }),
      count({ to: '2026-11-19' }),
      count({ from: '2026-11-19', to: '2026-11-20' }),
    ]).toEqual([1, 1, 2])
    expect([
      count({ from: '2026-11-21' }),
      count({ from: '2026-11-20', to: '2026-11-19' }),
    ]).toEqual([0, 0])
    expect([
      count({ assignedTo: 'me' }),
      count({ assignedTo: 'nobody' }),
      count({ assignedTo: me.user.userId }),
    ]).toEqual([1, 1, 1])
    expect([count({ expressCustomerId: 'none' }), count({ status: [], severity: [] })]).toEqual([
      1, 2,
    ])
    expect(on.lists.counts(me, asked({ from: '2026-11-20' }))).toEqual({
      shown: { count: 1, isMore: false },
      hidden: { count: 1, isMore: false },
    })
  })

  it('show and count nothing that the person may not see', () => {
    using on = stage()
    const [north, south] = [on.customer('North'), on.customer('South')]
    const ours = on.study({ expressCustomerId: north })
    const theirs = on.study({ expressCustomerId: south })
    on.study()
    const linked = on.person('member', [north])
    const seen = (more: Partial<StudyListRequest> = {}) =>
      on.lists.list(linked, { ...asked(more), ...page }).items.map(({ studyId }) => studyId)
    expect(seen()).toEqual([ours.studyId])
    expect(seen({ search: 'nov' })).toEqual([ours.studyId])
    expect([seen({ expressCustomerId: south }), seen({ expressCustomerId: 'none' })]).toEqual([
      [],
      [],
    ])
    for (const search of ['', 'novak'])
      expect(on.lists.counts(linked, asked({ search, severity: ['stat'] }))).toEqual({
        shown: { count: 0, isMore: false },
        hidden: { count: 1, isMore: false },
      })
    expect(on.lists.read(linked, ours.studyId).study.studyId).toBe(ours.studyId)
    expect(refusalOf(() => on.lists.read(linked, theirs.studyId))).toMatch(/^not-found/)
    expect(on.lists.list(on.person('member'), { ...asked(), ...page }).items).toHaveLength(3)
  })
})

describe('what happened to a study', () => {
  it('is its audit trail and the events about it, newest first; events are opened by those who may', () => {
    using on = stage()
    const owner = on.person('owner')
    const { studyId, studyInstanceUid } = on.study()
    on.clock.pass(1000)
    on.studies.updateStudy(owner, 'scribe', studyId, { severity: 'stat' })
    on.clock.pass(1000)
    on.store.database.transaction(() =>
      on.eventLog.begin({
        eventId: 'whe_1',
        type: 'study.access_requested',
        endpointId: null,
        subject: studyId,
        studyInstanceUid,
        apiKeyId: null,
      }),
    )
    on.clock.pass(1000)
    note(on.store, 'gateway', 'study.enrich', studyId, {})
    on.study()
    const { moments } = on.lists.read(owner, studyId)
    expect(
      moments
        .map((moment) => StudyMoment.parse(moment))
        .map(({ what, who, eventId }) => [what, who, eventId]),
    ).toEqual([
      ['study.enrich', 'gateway', null],
      ['study.access_requested', '', 'whe_1'],
      ['study.update', 'Una Malá', null],
      ['study.create', 'RIS', null],
    ])
    expect(on.lists.read(on.person('member'), studyId).moments[1]?.eventId).toBe(null)
  })
})

describe('saved views', () => {
  const VIEW = {
    list: 'reading',
    area: 'scribe',
    name: 'Mine, urgent',
    order: 'priority',
    isShared: false,
  } as const
  const filter = StudyListFilter.parse({ assignedTo: 'me', severity: ['stat'], search: 'novakova' })

  it('are kept for the person, shared where they say so, and count for whoever looks', async () => {
    using on = stage()
    const [one, other] = [on.person('member'), on.person('member')]
    on.study({ assignedTo: one.user.userId, severity: 'stat' })
    const made = SavedView.parse(on.savedViews.addSavedView(one, { ...VIEW, filter }))
    expect(made).toMatchObject({
      ...VIEW,
      filter,
      owner: { userId: one.user.userId, name: 'Una Malá' },
    })
    expect(await on.savedViews.listSavedViews(one, 'reading')).toEqual([
      { ...made, shown: { count: 1, isMore: false } },
    ])
    expect([
      await on.savedViews.listSavedViews(other, 'reading'),
      await on.savedViews.listSavedViews(one, 'studies'),
    ]).toEqual([[], []])
    on.savedViews.changeSavedView(one, made.savedViewId, { isShared: true, name: 'Urgent' })
    expect(await on.savedViews.listSavedViews(other, 'reading')).toEqual([
      { ...made, isShared: true, name: 'Urgent', shown: { count: 0, isMore: false } },
    ])
    expect(on.store.audit.of([made.savedViewId], 10).map(({ action }) => action)).toEqual([
      'saved-view.change',
      'saved-view.add',
    ])
    on.savedViews.removeSavedView(one, made.savedViewId)
    expect(await on.savedViews.listSavedViews(other, 'reading')).toEqual([])
  })

  it('are changed by who made them, and shared ones by those who manage the gateway', () => {
    using on = stage()
    const [one, other, owner] = [on.person('member'), on.person('member'), on.person('owner')]
    const { savedViewId } = on.savedViews.addSavedView(one, { ...VIEW, filter })
    for (const stranger of [other, owner])
      expect(
        refusalOf(() => on.savedViews.changeSavedView(stranger, savedViewId, { name: 'x' })),
      ).toBe('not-found: There is no such view.')
    on.savedViews.changeSavedView(one, savedViewId, { isShared: true })
    expect(refusalOf(() => on.savedViews.removeSavedView(other, savedViewId))).toMatch(
      /^not-permitted/,
    )
    expect(on.savedViews.changeSavedView(owner, savedViewId, { name: 'Everybody’s' }).name).toBe(
      'Everybody’s',
    )
    expect(on.savedViews.changeSavedView(owner, savedViewId, {}).owner.userId).toBe(one.user.userId)
    on.savedViews.removeSavedView(owner, savedViewId)
    expect(refusalOf(() => on.savedViews.removeSavedView(one, savedViewId))).toMatch(/^not-found/)
  })

  it('have a name of their own in each list of a person', () => {
    using on = stage()
    const [one, other] = [on.person('member'), on.person('member')]
    on.savedViews.addSavedView(one, { ...VIEW, filter })
    expect(
      refusalOf(() => on.savedViews.addSavedView(one, { ...VIEW, name: 'MINE, urgent', filter })),
    ).toMatch(/^refused: body.name/)
    on.savedViews.addSavedView(one, { ...VIEW, list: 'studies', filter })
    on.savedViews.addSavedView(other, { ...VIEW, filter })
    const { savedViewId } = on.savedViews.addSavedView(one, { ...VIEW, name: 'Second', filter })
    expect(
      refusalOf(() => on.savedViews.changeSavedView(one, savedViewId, { name: 'Mine, urgent' })),
    ).toMatch(/^refused/)
  })
})
