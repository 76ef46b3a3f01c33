import { describe, expect, it } from 'vitest'
import { listStepStatuses } from '#server/modules/procedure-steps/performed-step-queries.ts'
import {
  keepExam,
  linkExam,
  markNotDone,
  type OrderChange,
  undoDecision,
} from '#server/modules/reconciliation/decisions.ts'
import {
  firstReconciledDay,
  readReconciliation,
} from '#server/modules/reconciliation/reconciliation.ts'
import { findImageStudy } from '#server/modules/studies/image-study-queries.ts'
import type { UserCaller } from '#server/modules/users/caller.ts'
import { insertInspection } from '#server/modules/worklist/inspection-queries.ts'
import type { Schedule, ScheduledExam } from '#server/modules/worklist/schedule.ts'
import type { Exam, ExamSource } from '#shared/contract/dashboard-exams.ts'
import { verbatim } from '#shared/messages/message.ts'
import { atTheWindow, newUser } from '../../../../support/callers.ts'
import { seedImages } from '../../../../support/images.ts'
import { inspectionRecord } from '../../../../support/inspection-record.ts'
import { codeOf } from '../../../../support/refusal.ts'
import { tempStore } from '../../../../support/temp-store.ts'

const NOW = '2026-11-20T18:00:00.000Z'
const TODAY = '2026-11-20'
const PATIENT = {
  patientName: 'Sample^Ada',
  patientId: 'P-7',
  patientBirthDate: '19710503',
  patientSex: 'F',
}

/** An order of today for the patient of the images, 2.25.70 unless it is another. */
const order = (more: Partial<Exam> = {}): ScheduledExam => ({
  exam: {
    ...{
      studyInstanceUid: '2.25.70',
      scheduledProcedureStepId: 'S7',
      ...PATIENT,
      accessionNumber: 'A-7',
      modality: 'CT',
    },
    ...{
      description: 'CT head',
      location: '',
      startDate: '20261120',
      startTime: '090000',
      severity: 'normal',
      state: 'scheduled',
    },
    ...{
      since: null,
      images: 0,
      imageStudyUid: null,
      study: null,
      withheld: '',
      remarks: [],
      isOverdue: false,
      isClosed: false,
    },
    ...{ devices: [], ...more },
  } as Exam,
  requestedProcedureId: 'R7',
})

function stage() {
  const temp = tempStore(NOW)
  const { store } = temp
  store.settings.set('clinic.timeZone', 'UTC')
  const changes: (readonly [string, OrderChange])[] = []
  const worklist = {
    orders: [order()] as readonly ScheduledExam[],
    source: { kind: 'live', receivedAt: NOW, fault: null, awaySince: null } as ExamSource,
    oldestAt: NOW as string | null,
  }
  const schedule: Pick<Schedule, 'scheduled'> = {
    async scheduled(day) {
      const { orders, source, oldestAt } = worklist
      return { exams: day === TODAY ? [...orders] : [], source, oldestAt }
    },
  }
  const orderChanged = (uid: string, change: OrderChange) => void changes.push([uid, change])
  const reconciliation = {
    read: (range: { from?: string; to?: string }, isVisible = (_: string) => true) =>
      readReconciliation(store, schedule, range, isVisible),
    link: (caller: UserCaller, uid: string, orderId: string) =>
      linkExam(store, schedule, caller, uid, orderId, orderChanged),
    keep: (caller: UserCaller, uid: string, reason: string) =>
      keepExam(store, caller, uid, reason, orderChanged),
    notDone: (caller: UserCaller, orderId: string, reason: string) =>
      markNotDone(store, schedule, caller, orderId, reason),
    undo: (caller: UserCaller, decisionId: number) =>
      undoDecision(store, caller, decisionId, orderChanged),
  }
  return {
    ...temp,
    worklist,
    changes,
    reconciliation,
    manager: atTheWindow(newUser(store, { canManageStudies: true })),
    other: atTheWindow(newUser(store, { canManageStudies: true, firstName: 'Otto' })),
    reader: atTheWindow(newUser(store)),
    images: (uid: string, header: object = PATIENT, at = `${TODAY}T09:10:00.000Z`) =>
      seedImages(store, {
        uid,
        at,
        header: {
          accessionNumber: '',
          scheduledProcedureStepId: '',
          studyTime: '091000',
          ...header,
        },
      }),
    fault: (at: string, fault: 'timeout' | 'no-endpoint' = 'timeout') =>
      insertInspection(store.database, inspectionRecord(at, { fault })),
    read: (range: { from?: string; to?: string } = {}) => reconciliation.read(range),
    [Symbol.dispose]: () => temp[Symbol.dispose](),
  }
}
const ORDER_ID = `${TODAY} 2.25.70 S7`

describe('the days that are reconciled', () => {
  it('are by themselves those since the partner was last away, or today', async () => {
    using on = stage()
    expect(await on.read()).toMatchObject({ from: TODAY, to: TODAY, outage: null })
    on.fault('2026-11-20T08:00:00.000Z', 'no-endpoint')
    on.fault('2026-11-12T08:00:00.000Z')
    on.fault('2026-11-15T08:00:00.000Z')
    on.fault('2026-11-17T23:59:59.000Z')
    on.fault('2026-11-18T08:00:00.000Z')
    expect(await on.read()).toMatchObject({
      from: '2026-11-17',
      to: TODAY,
      outage: { from: '2026-11-17', to: '2026-11-18' },
    })
    expect(firstReconciledDay(on.store)).toBe('2026-11-17')
    expect(
      (await on.read({ from: '2026-11-01', to: '2026-11-02' })).days.map(({ day }) => day),
    ).toEqual(['2026-11-01', '2026-11-02'])
  })

  it('are two weeks at most, and end after they begin', async () => {
    using on = stage()
    await expect(on.read({ from: '2026-11-01', to: '2026-11-15' })).rejects.toThrow(
      'Choose at most 14 days.',
    )
    await expect(on.read({ from: '2026-11-02', to: '2026-11-01' })).rejects.toThrow(
      'must not be before',
    )
  })

  it('are asked for again where the partner answers and was last asked before it was away', async () => {
    using on = stage()
    on.fault('2026-11-20T12:00:00.000Z')
    const isOld = async () => (await on.read({ from: TODAY })).days[0]?.isOld
    expect(await isOld()).toBe(false)
    on.worklist.oldestAt = '2026-11-20T11:00:00.000Z'
    expect(await isOld()).toBe(true)
    on.worklist.source = { ...on.worklist.source, kind: 'stored', fault: 'timeout' }
    expect(await isOld()).toBe(false)
  })
})

describe('an exam without an order', () => {
  it('may be linked with an order of its patient, and corrected to one of another', async () => {
    using on = stage()
    on.images('1.2.1')
    on.images('1.2.2', { ...PATIENT, patientId: 'P-8' })
    on.images('1.2.3', { ...PATIENT, accessionNumber: 'A-8' })
    const actions = (await on.read()).exams.map(({ studyInstanceUid, candidates }) => [
      studyInstanceUid,
      candidates[0]?.action,
    ])
    expect(actions).toEqual([
      ['1.2.1', 'link'],
      ['1.2.2', 'correct'],
      ['1.2.3', 'correct'],
    ])
    await expect(on.reconciliation.link(on.manager, '1.2.2', ORDER_ID)).rejects.toMatchObject({
      code: 'refused',
    })
    await expect(
      on.reconciliation.link(on.manager, '1.2.1', `${TODAY} 2.25.71 S7`),
    ).rejects.toMatchObject({ code: 'not-found' })
    expect(on.changes).toEqual([])
  })

  it('is not linked with an order that no device may have', async () => {
    using on = stage()
    on.images('1.2.1')
    on.worklist.orders = [
      order({ withheld: verbatim('It is unfit.') }),
      order({ studyInstanceUid: '', withheld: verbatim('It has no Study Instance UID.') }),
    ]
    const { exams, orders } = await on.read()
    expect(exams[0]?.candidates).toMatchObject([
      { action: 'none', obstacle: 'It is unfit.' },
      { action: 'none', obstacle: 'It has no Study Instance UID.' },
    ])
    expect(orders.map(({ orderId }) => orderId)).toEqual([ORDER_ID, `${TODAY} ? P-7 A-7`])
    await expect(on.reconciliation.link(on.manager, '1.2.1', ORDER_ID)).rejects.toThrow(
      'It is unfit.',
    )
    const notDone = on.reconciliation.notDone(on.manager, `${TODAY} ? P-7 A-7`, 'Did not come')
    await expect(notDone).rejects.toThrow('It has no Study Instance UID.')
  })

  it('is decided on by who may manage studies, and shown to who may see it', async () => {
    using on = stage()
    on.images('1.2.1')
    await expect(on.reconciliation.link(on.reader, '1.2.1', ORDER_ID)).rejects.toMatchObject({
      code: 'not-permitted',
    })
    expect(codeOf(() => on.reconciliation.keep(on.reader, '1.2.1', 'Emergency'))).toBe(
      'not-permitted',
    )
    await expect(
      on.reconciliation.notDone(on.reader, ORDER_ID, 'Did not come'),
    ).rejects.toMatchObject({ code: 'not-permitted' })
    expect((await on.reconciliation.read({}, () => false)).exams).toEqual([])
  })
})

describe('a decision', () => {
  it('gives the study its order, and undone takes it away again', async () => {
    using on = stage()
    on.images('1.2.1')
    const { decisionId } = await on.reconciliation.link(on.manager, '1.2.1', ORDER_ID)
    const linked = findImageStudy(on.store.database, '1.2.1')
    expect(linked?.handedOut).toMatchObject({
      ...PATIENT,
      accessionNumber: 'A-7',
      requestedProcedureId: 'R7',
      linkedBy: 'Una Malá',
    })
    expect(listStepStatuses(on.store.database, '2.25.70')).toMatchObject([
      { scheduledProcedureStepId: 'S7', status: 'RECEIVED' },
    ])
    on.reconciliation.undo(on.other, decisionId)
    expect(findImageStudy(on.store.database, '1.2.1')).toMatchObject({
      handedOut: null,
      mismatch: null,
    })
    expect(listStepStatuses(on.store.database, '2.25.70')).toEqual([])
    expect(on.changes).toEqual([
      ['1.2.1', 'linked'],
      ['1.2.1', 'unlinked'],
    ])
  })

  it('of one person is told to the next', async () => {
    using on = stage()
    on.images('1.2.1')
    on.images('1.2.2')
    const { decisionId } = await on.reconciliation.link(on.other, '1.2.1', ORDER_ID)
    const happened = 'Otto Malá has linked an exam to the order A-7 in the meantime.'
    expect(() => on.reconciliation.keep(on.manager, '1.2.1', 'Emergency')).toThrow(happened)
    await expect(on.reconciliation.link(on.manager, '1.2.2', ORDER_ID)).rejects.toMatchObject({
      code: 'outdated',
      message: happened,
    })
    on.reconciliation.undo(on.other, decisionId)
    expect(codeOf(() => on.reconciliation.undo(on.manager, decisionId))).toBe('outdated')
    const noted = await on.reconciliation.notDone(on.manager, ORDER_ID, 'Did not come')
    expect((await on.read()).orders).toMatchObject([
      { decision: { decisionId: noted.decisionId, reason: 'Did not come' } },
    ])
    expect((await on.read()).exams[0]?.candidates).toEqual([])
  })
})
