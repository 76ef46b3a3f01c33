import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { DATABASE_FILE } from '#server/database/data-directory.ts'
import * as customerService from '#server/modules/customers/service.ts'
import {
  listCreatedStudies,
  saveCreatedStudy,
} from '#server/modules/studies/created-study-queries.ts'
import type { NewStudy } from '#server/modules/studies/service.ts'
import * as studyService from '#server/modules/studies/service.ts'
import { saveStudy } from '#server/modules/studies/study-writing-queries.ts'
import type { ExpressCustomerId } from '#shared/ids.ts'
import { bound } from '../../../../support/bound.ts'
import { atTheWindow, newKey, newUser, revoke } from '../../../../support/callers.ts'
import { refusalOf } from '../../../../support/refusal.ts'
import { tempStore } from '../../../../support/temp-store.ts'

let counted = 0
const study = (more: Partial<NewStudy> = {}): NewStudy => ({
  studyInstanceUid: `1.2.${counted++}`,
  studyDescription: 'CT Thorax',
  severity: 'normal',
  ...more,
})

function stage() {
  const temp = tempStore()
  const { store } = temp
  const studies = bound(studyService, temp.store)
  const customers = bound(customerService, temp.store)
  const key = newKey(store)
  const customer = (expressCustomerName = 'A') =>
    customers.createCustomer(key, { expressCustomerName }).expressCustomerId as ExpressCustomerId
  return {
    ...temp,
    studies,
    customers,
    key,
    customer,
    [Symbol.dispose]: () => temp[Symbol.dispose](),
  }
}

describe('a new study', () => {
  it('is incomplete in the viewer area, unassigned or assigned in the scribe area', () => {
    using on = stage()
    const { studies, key, store } = on
    const { userId } = newUser(store)
    expect(studies.createStudy(key, 'viewer', study({ assignedTo: userId })).record.status).toBe(
      'incomplete',
    )
    expect(studies.createStudy(key, 'scribe', study()).record.status).toBe('unassigned')
    expect(studies.createStudy(key, 'scribe', study({ assignedTo: userId })).record.status).toBe(
      'assigned',
    )
  })

  it('is given back with what it refers to, and read so by id and by UID', () => {
    using on = stage()
    const { studies, key, store, customer } = on
    const reader = newUser(store, { middleName: 'B.' })
    const expressCustomerId = customer('Reading group')
    const detail = {
      reportMetadata: { patientName: 'DOE^JANE' },
      metadata: { a: '1' },
      externalPatientId: null,
    }
    const made = studies.createStudy(
      key,
      'scribe',
      study({ assignedTo: reader.userId, expressCustomerId, ...detail }),
    )
    expect(made).toMatchObject({
      record: {
        area: 'scribe',
        cancelledAt: null,
        createdByApiKeyId: key.apiKeyId,
        createdByUserId: null,
        detail,
      },
      assignedTo: {
        userId: reader.userId,
        email: reader.email,
        firstName: 'Una',
        lastName: 'Malá',
        middleName: 'B.',
      },
      createdByApiKey: { apiKeyId: key.apiKeyId, description: 'RIS', isViewerEnabled: true },
      createdByUser: null,
      expressCustomer: { expressCustomerId, expressCustomerName: 'Reading group' },
    })
    expect(made.assignedTo).not.toHaveProperty('suffix1')
    expect(studies.readStudy(key, 'scribe', made.record.studyId)).toEqual(made)
    expect(studies.readStudyByUid(key, 'scribe', made.record.studyInstanceUid)).toEqual(made)
  })

  it('keeps nothing of the patient readable in the database', () => {
    using on = stage()
    const { studies, key, store } = on
    studies.createStudy(
      key,
      'scribe',
      study({ reportMetadata: { patientName: 'SECRET^NAME' }, metadata: { secret: 'SECRET' } }),
    )
    const row = store.database.get(store.database.sql.selectFrom('studies').selectAll())
    expect(
      JSON.stringify({ ...row, sealedDetail: row?.sealedDetail?.toString('latin1') }),
    ).not.toContain('SECRET')
  })

  it('may have the UID of a study of the other area, with a row of its own, but not of its own area', () => {
    using on = stage()
    const { studies, key } = on
    const given = study()
    const [viewed, read] = [
      studies.createStudy(key, 'viewer', given),
      studies.createStudy(key, 'scribe', given),
    ]
    expect(viewed.record.studyId).not.toBe(read.record.studyId)
    studies.cancelStudy(key, 'viewer', { studyInstanceUid: given.studyInstanceUid })
    expect(studies.readStudy(key, 'scribe', read.record.studyId).record.cancelledAt).toBeNull()
    expect(refusalOf(() => studies.createStudy(key, 'viewer', given))).toBe(
      'refused body.studyInstanceUid',
    )
    expect(refusalOf(() => studies.readStudy(key, 'viewer', read.record.studyId))).toBe('not-found')
  })

  it('is refused where a reference does not hold, and nothing of it is kept', () => {
    using on = stage()
    const { studies, customers, key, store, customer } = on
    const gone = newUser(store)
    revoke(store, gone)
    const closed = customer()
    customers.deactivateCustomer(key, closed)
    const prior = studies.createStudy(key, 'viewer', study()).record.studyId
    const self = newKey(store, { scope: 'self' })
    const create = (more: Partial<NewStudy>, caller = key) =>
      refusalOf(() => studies.createStudy(caller, 'scribe', study(more)))
    expect(create({ assignedTo: `usr_${'0'.repeat(32)}` })).toBe('refused body.assignedTo')
    expect(create({ assignedTo: gone.userId })).toBe('refused body.assignedTo')
    expect(create({ expressCustomerId: `cus_${'0'.repeat(32)}` })).toBe(
      'refused body.expressCustomerId',
    )
    expect(create({ expressCustomerId: closed })).toBe('refused body.expressCustomerId')
    expect(create({ priorStudyIds: [prior, `stu_${'0'.repeat(32)}`] })).toBe(
      'refused body.priorStudyIds.1',
    )
    expect(create({ priorStudyIds: [prior] }, self)).toBe('refused body.priorStudyIds.0')
    expect(studies.listStudies(key, 'scribe', { limit: 20 }).items).toEqual([])
    expect(create({ priorStudyIds: [prior] })).toBe('none')
  })

  it('may be assigned to a user who has not accepted the invitation yet', () => {
    using on = stage()
    const { userId } = newUser(on.store, { passwordHash: null })
    expect(
      on.studies.createStudy(on.key, 'viewer', study({ assignedTo: userId })).assignedTo?.userId,
    ).toBe(userId)
  })
})

describe('a PATCH', () => {
  it('changes what it names and nothing else', () => {
    using on = stage()
    const { studies, key, clock } = on
    const detail = {
      metadata: { a: '1' },
      priorReportTexts: ['x'],
      reportMetadata: { mrn: '7', age: '40' },
    }
    const { record } = studies.createStudy(key, 'scribe', study(detail))
    const update = (patch: Parameters<typeof studies.updateStudy>[3]) =>
      studies.updateStudy(key, 'scribe', record.studyId, patch).record
    clock.pass(1000)
    expect(update({})).toEqual(record)
    expect(update({ severity: 'stat' })).toEqual({
      ...record,
      severity: 'stat',
      updatedAt: '2026-03-10T09:00:01.000Z',
    })
    expect(update({ reportMetadata: { mrn: null, sex: 'female' } }).detail).toEqual({
      ...detail,
      reportMetadata: { age: '40', sex: 'female' },
    })
    expect(update({ metadata: { b: '2' }, priorReportTexts: [] }).detail).toMatchObject({
      metadata: { b: '2' },
      priorReportTexts: [],
    })
    expect(
      update({ metadata: null, priorReportTexts: null, reportMetadata: { age: null, sex: null } })
        .detail,
    ).toEqual({
      reportMetadata: {},
    })
    expect(update({ clinicalIndication: 'Cough' }).detail).toMatchObject({
      clinicalIndication: 'Cough',
    })
    expect(update({ clinicalIndication: null }).detail).toMatchObject({ clinicalIndication: null })
    expect(studies.readStudy(key, 'scribe', record.studyId).record).toMatchObject({
      severity: 'stat',
      detail: { clinicalIndication: null },
    })
  })

  it('notes of one that the gateway seeded which fields were set, to whatever value', () => {
    using on = stage()
    const { studies, key, store } = on
    const { studyId, studyInstanceUid } = studies.createStudy(key, 'scribe', study()).record
    const touched = () =>
      listCreatedStudies(store.database, studyInstanceUid).flatMap((seed) => seed.touched)
    saveCreatedStudy(
      store.database,
      studyInstanceUid,
      'scribe',
      studyId,
      '2026-03-10T09:00:00.000Z',
      {},
    )
    studies.updateStudy(key, 'scribe', studyId, { severity: undefined })
    expect(touched()).toEqual([])
    studies.updateStudy(key, 'scribe', studyId, {
      severity: 'normal',
      reportMetadata: { mrn: null },
    })
    expect(touched()).toEqual(['mrn', 'severity'])
  })

  it('names the changed fields in the audit trail', () => {
    using on = stage()
    const { studies, key, store } = on
    const { studyId } = studies.createStudy(key, 'scribe', study({ metadata: { a: '1' } })).record
    studies.updateStudy(key, 'scribe', studyId, { severity: 'high', metadata: null })
    expect(store.audit.list({ limit: 1 }).items[0]).toMatchObject({
      actor: `api-key:${key.apiKeyId}`,
      action: 'study.update',
      target: studyId,
      detail: { severity: { before: 'normal', after: 'high' }, detail: ['metadata'] },
    })
  })

  it('moves a viewer study between incomplete and complete, and leaves its status alone when it is reassigned', () => {
    using on = stage()
    const { studies, key, store } = on
    const { userId } = newUser(store)
    const { studyId } = studies.createStudy(key, 'viewer', study()).record
    const update = (patch: Parameters<typeof studies.updateStudy>[3]) =>
      studies.updateStudy(key, 'viewer', studyId, patch)
    expect(update({ studyViewerStatus: 'complete' }).record.status).toBe('complete')
    expect(update({ assignedTo: userId })).toMatchObject({
      record: { status: 'complete' },
      assignedTo: { userId },
    })
    expect(update({ studyViewerStatus: 'incomplete', assignedTo: null })).toMatchObject({
      record: { status: 'incomplete' },
      assignedTo: null,
    })
  })

  it('does not reassign a cancelled study, nor one that somebody is at work on, but leaves the same assignment be', () => {
    using on = stage()
    const { studies, key, store } = on
    const [one, other] = [newUser(store), newUser(store)]
    const { record } = studies.createStudy(key, 'scribe', study({ assignedTo: one.userId }))
    const { studyId } = record
    const reassign = (assignedTo: string | null) =>
      refusalOf(() => studies.updateStudy(key, 'scribe', studyId, { assignedTo }))
    studies.cancelStudy(key, 'scribe', { studyId })
    expect([reassign(other.userId), reassign(null), reassign(one.userId)]).toEqual([
      'refused body.assignedTo',
      'refused body.assignedTo',
      'none',
    ])
    studies.uncancelStudy(key, 'scribe', { studyId })
    saveStudy(store.database, { ...record, area: 'scribe', status: 'in_progress' }, record)
    expect([reassign(other.userId), reassign(null), reassign(one.userId)]).toEqual([
      'refused body.assignedTo',
      'refused body.assignedTo',
      'none',
    ])
  })

  it('keeps the customer and the assignment that have been closed since, and takes no new one of them', () => {
    using on = stage()
    const { studies, customers, key, store, customer } = on
    const expressCustomerId = customer()
    const user = newUser(store)
    const { studyId } = studies.createStudy(
      key,
      'scribe',
      study({ expressCustomerId, assignedTo: user.userId }),
    ).record
    customers.deactivateCustomer(key, expressCustomerId)
    revoke(store, user)
    const same = studies.updateStudy(key, 'scribe', studyId, {
      expressCustomerId,
      assignedTo: user.userId,
      severity: 'high',
    })
    expect(same).toMatchObject({
      record: { severity: 'high' },
      expressCustomer: { expressCustomerId },
      assignedTo: { userId: user.userId },
    })
    expect(
      studies.updateStudy(key, 'scribe', studyId, { expressCustomerId: null, assignedTo: null }),
    ).toMatchObject({
      record: { status: 'unassigned' },
      expressCustomer: null,
      assignedTo: null,
    })
    const again = (patch: object) =>
      refusalOf(() => studies.updateStudy(key, 'scribe', studyId, patch))
    expect(again({ expressCustomerId })).toBe('refused body.expressCustomerId')
    expect(again({ assignedTo: user.userId })).toBe('refused body.assignedTo')
  })
})

describe('cancelling', () => {
  it('can be done twice, uncancelling once', () => {
    using on = stage()
    const { studies, key } = on
    const { studyId, studyInstanceUid } = studies.createStudy(key, 'viewer', study()).record
    const cancelledAt = () => studies.readStudy(key, 'viewer', studyId).record.cancelledAt
    expect(studies.cancelStudy(key, 'viewer', { studyId }).success).toBe(true)
    expect(cancelledAt()).toBe('2026-03-10T09:00:00.000Z')
    on.clock.pass(5000)
    expect(studies.cancelStudy(key, 'viewer', { studyInstanceUid }).success).toBe(true)
    expect(cancelledAt()).toBe('2026-03-10T09:00:00.000Z')
    expect(studies.uncancelStudy(key, 'viewer', { studyId, studyInstanceUid }).success).toBe(true)
    expect(cancelledAt()).toBeNull()
    expect(studies.uncancelStudy(key, 'viewer', { studyId })).toEqual({
      success: false,
      message: 'The study is not cancelled.',
    })
  })

  it('needs the study named, by names that agree', () => {
    using on = stage()
    const { studies, key } = on
    const { studyId } = studies.createStudy(key, 'viewer', study()).record
    const other = studies.createStudy(key, 'viewer', study()).record
    const cancel = (either: object) => refusalOf(() => studies.cancelStudy(key, 'viewer', either))
    expect(cancel({})).toBe('malformed body.studyId')
    expect(cancel({ studyId, studyInstanceUid: other.studyInstanceUid })).toBe(
      'malformed body.studyInstanceUid',
    )
    expect(cancel({ studyId, studyInstanceUid: '1.2.999.1' })).toBe(
      'malformed body.studyInstanceUid',
    )
    expect(cancel({ studyInstanceUid: '1.2.999.1' })).toBe('not-found')
    expect(cancel({ studyId: `stu_${'0'.repeat(32)}` })).toBe('not-found')
  })
})

describe('the scope', () => {
  it('of a key with scope self is what it made', () => {
    using on = stage()
    const { studies, key, store } = on
    const self = newKey(store, { scope: 'self' })
    const owner = atTheWindow(newUser(store, { level: 'owner' }))
    const others = [
      studies.createStudy(key, 'scribe', study()),
      studies.createStudy(owner, 'scribe', study()),
    ].map(({ record }) => record)
    const own = studies.createStudy(self, 'scribe', study()).record
    expect(
      studies.listStudies(self, 'scribe', { limit: 20 }).items.map(({ record }) => record),
    ).toEqual([own])
    expect(studies.listStudies(key, 'scribe', { limit: 20 }).items).toHaveLength(3)
    for (const { studyId, studyInstanceUid } of others) {
      expect(refusalOf(() => studies.readStudy(self, 'scribe', studyId))).toBe('not-found')
      expect(refusalOf(() => studies.readStudyByUid(self, 'scribe', studyInstanceUid))).toBe(
        'not-found',
      )
      expect(
        refusalOf(() => studies.updateStudy(self, 'scribe', studyId, { severity: 'stat' })),
      ).toBe('not-found')
      expect(refusalOf(() => studies.cancelStudy(self, 'scribe', { studyId }))).toBe('not-found')
    }
  })

  it('of a member linked to customers is their studies; of one who is not, and of an admin, all', () => {
    using on = stage()
    const { studies, key, store, customer } = on
    const [a, b] = [customer('A'), customer('B')]
    const made = [a, b, undefined].map(
      (expressCustomerId) =>
        studies.createStudy(key, 'viewer', study({ expressCustomerId })).record,
    )
    const user = newUser(store, { canManageStudies: true })
    const member = atTheWindow(user, [a])
    const seen = (caller = member, query: object = {}) =>
      studies
        .listStudies(caller, 'viewer', { limit: 20, ...query })
        .items.map(({ record }) => record.seq)
    expect(seen()).toEqual([1])
    expect(seen(member, { expressCustomerId: a })).toEqual([1])
    expect(seen(member, { expressCustomerId: b })).toEqual([])
    expect(seen(member, { expressCustomerId: null })).toEqual([])
    expect(seen(atTheWindow(user))).toEqual([3, 2, 1])
    expect(seen(atTheWindow(newUser(store, { level: 'admin' }), [a]))).toEqual([3, 2, 1])
    expect(refusalOf(() => studies.readStudy(member, 'viewer', made[1]?.studyId ?? ''))).toBe(
      'not-found',
    )
    expect(studies.readStudy(member, 'viewer', made[0]?.studyId ?? '').record).toEqual(made[0])
    expect(
      refusalOf(() => studies.createStudy(member, 'viewer', study({ expressCustomerId: b }))),
    ).toBe('refused body.expressCustomerId')
    expect(
      studies.createStudy(member, 'viewer', study({ expressCustomerId: a })).createdByUser?.userId,
    ).toBe(user.userId)
  })

  it('of a member without the right is to read', () => {
    using on = stage()
    const { studies, key, store } = on
    const { studyId } = studies.createStudy(key, 'viewer', study()).record
    const member = atTheWindow(newUser(store))
    expect(studies.readStudy(member, 'viewer', studyId).record.studyId).toBe(studyId)
    for (const work of [
      () => studies.createStudy(member, 'viewer', study()),
      () => studies.updateStudy(member, 'viewer', studyId, {}),
      () => studies.cancelStudy(member, 'viewer', { studyId }),
      () => studies.uncancelStudy(member, 'viewer', { studyId }),
      () =>
        studies.listStudies(atTheWindow(newUser(store, { hasDashboardAccess: false })), 'viewer', {
          limit: 1,
        }),
    ])
      expect(refusalOf(work)).toBe('not-permitted')
  })
})

describe('listeners to changes of studies', () => {
  it('are called after the commit of each create, patch and cancellation, by whoever it is, and not when it is refused', () => {
    using on = stage()
    const { studies, key, store } = on
    const seen: number[] = []
    const ofUid = study()
    const stop = store.database.subscribe('studies', () => {
      // By a second connection: it sees what is committed.
      const beside = new Sqlite(join(on.folder, DATABASE_FILE), { readonly: true })
      seen.push(beside.prepare('select count(*) from studies').pluck().get() as number)
      beside.close()
    })
    const { studyId } = studies.createStudy(key, 'scribe', ofUid).record
    expect(seen).toEqual([1])
    refusalOf(() => studies.createStudy(key, 'scribe', ofUid))
    expect(seen).toHaveLength(1)
    studies.updateStudy(key, 'scribe', studyId, { severity: 'stat' })
    studies.cancelStudy(key, 'scribe', { studyId })
    studies.uncancelStudy(key, 'scribe', { studyId })
    expect(seen).toHaveLength(4)
    studies.updateStudy(key, 'scribe', studyId, { severity: 'stat' })
    expect(seen, 'nothing was changed').toHaveLength(4)
    expect(() =>
      store.database.transaction(() => {
        studies.createStudy(key, 'viewer', study())
        throw new Error('rolled back')
      }),
    ).toThrow('rolled back')
    expect(seen).toHaveLength(4)
    stop()
    studies.createStudy(key, 'viewer', study())
    expect(seen).toHaveLength(4)
  })
})
