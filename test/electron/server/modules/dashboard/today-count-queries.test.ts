import { describe, expect, it } from 'vitest'
import { createApiKey } from '#server/modules/api-keys/api-keys.ts'
import { insertCustomer } from '#server/modules/customers/queries.ts'
import {
  countDrafts,
  countEscalatedResults,
  countFailedEvents,
  countNeededAddenda,
  countOpenCriticalResults,
  countPendingInvitations,
  countSignedReports,
  countUnreadStudies,
} from '#server/modules/dashboard/today-count-queries.ts'
import { insertEvent } from '#server/modules/events/queries.ts'
import { countUnscheduledStudies } from '#server/modules/reconciliation/reconciliation-queries.ts'
import { insertEscalation } from '#server/modules/reports/critical-escalation-queries.ts'
import {
  insertCriticalResult,
  listOpenCriticalResults,
} from '#server/modules/reports/report-queries.ts'
import type { NewStudyRecord } from '#server/modules/studies/study-queries.ts'
import { insertStudy } from '#server/modules/studies/study-writing-queries.ts'
import { findExamFacts } from '#server/modules/worklist/queries.ts'
import { instantOf } from '#server/platform/clock.ts'
import type { Severity } from '#shared/contract/values.ts'
import { newKey, newUser } from '../../../../support/callers.ts'
import { correctImages } from '../../../../support/images.ts'
import { completedReport } from '../../../../support/reports.ts'
import { tempStore } from '../../../../support/temp-store.ts'

const OPEN = ['unassigned', 'assigned', 'in_progress'] as const
const ALL = ['stat', 'high', 'normal'] as const

function clinic() {
  const temp = tempStore()
  const { store, clock } = temp
  let made = 0
  const study = (
    more: {
      severity?: Severity
      expressCustomerId?: string | null
      cancelledAt?: string | null
      status?: (typeof OPEN)[number]
    } = {},
  ) => {
    made++
    const at = instantOf(clock())
    return insertStudy(store.database, {
      ...{
        area: 'scribe',
        studyId: `stu_${String(made).padStart(32, '0')}`,
        studyInstanceUid: `2.25.${made}`,
        studyDescription: 'CT',
      },
      ...{
        severity: 'normal',
        status: 'unassigned',
        cancelledAt: null,
        assignedTo: null,
        expressCustomerId: null,
      },
      ...{
        createdByApiKeyId: null,
        createdByUserId: null,
        detail: {},
        createdAt: at,
        updatedAt: at,
      },
      ...more,
    } as NewStudyRecord)
  }
  return { ...temp, study, [Symbol.dispose]: () => temp[Symbol.dispose]() }
}

describe('unread studies', () => {
  it('are counted by urgency, with the time of the oldest; cancelled ones are not', () => {
    using made = clinic()
    const first = instantOf(made.clock())
    made.study({ severity: 'stat' })
    made.clock.pass(60_000)
    made.study({ severity: 'stat', status: 'in_progress' })
    made.study({ severity: 'stat', cancelledAt: first })
    made.study()
    expect(
      countUnreadStudies(made.store.database, {
        statuses: OPEN,
        severities: ['stat'],
        customers: undefined,
        limit: 10,
      }),
    ).toEqual({ count: 2, since: first })
    expect(
      countUnreadStudies(made.store.database, {
        statuses: OPEN,
        severities: ALL,
        customers: undefined,
        limit: 10,
      }),
    ).toEqual({
      count: 3,
      since: first,
    })
  })

  it('are counted up to a bound', () => {
    using made = clinic()
    for (let count = 0; count < 5; count++) made.study()
    expect(
      countUnreadStudies(made.store.database, {
        statuses: OPEN,
        severities: ALL,
        customers: undefined,
        limit: 3,
      }).count,
    ).toBe(3)
  })

  it('of a time are those made before it', () => {
    using made = clinic()
    const first = instantOf(made.clock())
    made.study()
    made.study()
    made.clock.pass(60 * 60_000)
    made.study()
    const of = { statuses: OPEN, severities: ALL, customers: undefined, limit: 10 }
    expect(
      countUnreadStudies(made.store.database, { ...of, before: instantOf(made.clock()) }),
    ).toEqual({ count: 2, since: first })
    expect(countUnreadStudies(made.store.database, { ...of, before: first })).toEqual({
      count: 0,
      since: null,
    })
    expect(
      countUnreadStudies(made.store.database, { ...of, before: instantOf(made.clock() + 1) }).count,
    ).toBe(3)
  })

  it('are those of the person’s customers where it sees no others', () => {
    using made = clinic()
    const at = instantOf(made.clock())
    const key = createApiKey(
      made.store,
      { description: 'RIS', isViewerEnabled: true, scope: 'all' },
      'command-line',
    )
    const customer = {
      createdByApiKeyId: key.apiKey.apiKeyId,
      createdByUserId: null,
      createdAt: at,
      updatedAt: at,
      isActive: true,
    }
    for (const name of ['A', 'B'])
      insertCustomer(made.store.database, {
        ...customer,
        expressCustomerId: `cus_${name}`,
        expressCustomerName: name,
        metadata: undefined,
      } as never)
    made.study({ expressCustomerId: 'cus_A' })
    made.study({ expressCustomerId: 'cus_B' })
    made.study()
    const count = (customers: readonly string[] | undefined) =>
      countUnreadStudies(made.store.database, {
        statuses: OPEN,
        severities: ALL,
        customers,
        limit: 10,
      }).count
    expect([count(undefined), count(['cus_A']), count(['cus_A', 'cus_B']), count([])]).toEqual([
      3, 1, 2, 0,
    ])
  })
})

it('counts critical results of the customers that are seen, and all where nobody is kept from any', () => {
  using made = clinic()
  const { store, clock } = made
  const openedAt = instantOf(clock())
  const { userId } = newUser(store)
  const { apiKeyId } = newKey(store)
  const by = {
    createdByApiKeyId: apiKeyId,
    createdByUserId: null,
    createdAt: openedAt,
    updatedAt: openedAt,
    isActive: true,
  }
  for (const name of ['A', 'B'])
    insertCustomer(store.database, {
      ...by,
      expressCustomerId: `cus_${name}`,
      expressCustomerName: name,
      metadata: undefined,
    } as never)
  for (const expressCustomerId of ['cus_A', 'cus_B', null]) {
    const { studyId } = made.study({ expressCustomerId })
    const reportId = completedReport(store, { studyId, userId, isCritical: true })
    insertCriticalResult(store.database, {
      reportId,
      studyId,
      openedAt,
      communicatedAt: null,
      finding: 'Bleeding',
      communication: null,
    })
  }
  expect(
    [undefined, ['cus_A'], ['cus_A', 'cus_B'], []].map(
      (customers) => countOpenCriticalResults(store.database, customers, 10).count,
    ),
  ).toEqual([3, 1, 2, 0])
  expect(countOpenCriticalResults(store.database, ['cus_B'], 10).since).toBe(openedAt)

  // One that was escalated is counted apart, since its first step.
  expect(countEscalatedResults(store.database, undefined, 10)).toEqual({ count: 0, since: null })
  const [first] = listOpenCriticalResults(store.database, 10)
  const reportId = first?.reportId ?? ''
  const at = ['2026-03-10T10:00:00.000Z', '2026-03-10T10:30:00.000Z'] as const
  insertEscalation(store.database, { reportId, step: 1, at: at[0] })
  insertEscalation(store.database, { reportId, step: 2, at: at[1] })
  expect(countOpenCriticalResults(store.database, undefined, 10).count).toBe(2)
  expect(countEscalatedResults(store.database, undefined, 10)).toEqual({ count: 1, since: at[0] })
  const seen = ['cus_A', 'cus_B']
  const [unescalated, escalated] = [countOpenCriticalResults, countEscalatedResults].map(
    (count) => count(store.database, seen, 10).count,
  )
  expect((unescalated ?? 0) + (escalated ?? 0)).toBe(2)
  const step = { reportId, step: 1, at: at[1] }
  expect(() => insertEscalation(store.database, step)).toThrow(/UNIQUE/)
})

it('counts studies that need an addendum, cancelled ones too, of the customers that are seen', () => {
  using made = clinic()
  const { store, clock } = made
  const first = instantOf(clock())
  const { userId } = newUser(store)
  const { apiKeyId } = newKey(store)
  const by = {
    createdByApiKeyId: apiKeyId,
    createdByUserId: null,
    createdAt: first,
    updatedAt: first,
    isActive: true,
  }
  for (const name of ['A', 'B'])
    insertCustomer(store.database, {
      ...by,
      expressCustomerId: `cus_${name}`,
      expressCustomerName: name,
      metadata: undefined,
    } as never)
  for (const expressCustomerId of ['cus_A', 'cus_B', null]) {
    const { studyId, studyInstanceUid } = made.study({
      expressCustomerId,
      cancelledAt: expressCustomerId === 'cus_A' ? first : null,
    })
    completedReport(store, { studyId, userId, signedAt: instantOf(clock()) })
    clock.pass(60_000)
    correctImages(store, studyInstanceUid, instantOf(clock()))
  }
  expect(
    [undefined, ['cus_A'], ['cus_A', 'cus_B'], []].map(
      (customers) => countNeededAddenda(store.database, customers, 10).count,
    ),
  ).toEqual([3, 1, 2, 0])
  expect(countNeededAddenda(store.database, undefined, 2)).toEqual({
    count: 2,
    since: instantOf(Date.parse(first) + 60_000),
  })
  expect(countNeededAddenda(store.database, ['cus_B'], 10)).toEqual({
    count: 1,
    since: instantOf(Date.parse(first) + 120_000),
  })
})

it('counts nothing in an empty clinic', () => {
  using made = clinic()
  const { store } = made
  const none = { count: 0, since: null }
  const at = instantOf(made.clock())
  expect(countDrafts(store.database, 'usr_1', 10)).toEqual(none)
  expect(countOpenCriticalResults(store.database, undefined, 10)).toEqual(none)
  expect(countNeededAddenda(store.database, undefined, 10)).toEqual(none)
  expect(countSignedReports(store.database, at)).toBe(0)
  expect(countFailedEvents(store.database, at, 10)).toEqual(none)
  expect(countPendingInvitations(store.database, at, 10)).toEqual(none)
  expect(countUnscheduledStudies(store.database, at, 10)).toEqual(none)
  expect(findExamFacts(store.database, [])).toEqual(new Map())
})

it('counts failed events of the day, without tests and worklist questions', () => {
  using made = clinic()
  const at = instantOf(made.clock())
  const event = {
    endpointId: null,
    subject: 's',
    studyInstanceUid: null,
    owner: 'clinic',
    state: 'failed',
    isTest: false,
    createdAt: at,
  } as const
  insertEvent(made.store.database, { ...event, eventId: 'whe_1', type: 'report.delivered' })
  insertEvent(made.store.database, {
    ...event,
    eventId: 'whe_2',
    type: 'report.delivered',
    isTest: true,
  })
  insertEvent(made.store.database, {
    ...event,
    eventId: 'whe_3',
    type: 'modality_worklist.requested',
  })
  insertEvent(made.store.database, {
    ...event,
    eventId: 'whe_4',
    type: 'report.delivered',
    state: 'waiting',
  })
  insertEvent(made.store.database, {
    ...event,
    eventId: 'whe_5',
    type: 'report.delivered',
    createdAt: '2026-03-01T00:00:00.000Z',
  })
  expect(countFailedEvents(made.store.database, at, 10)).toEqual({ count: 1, since: at })
})
