import { describe, expect, it, vi } from 'vitest'
import type { Database } from '#server/database/database.ts'
import {
  countDrafts,
  countEscalatedResults,
  countFailedEvents,
  countNeededAddenda,
  countOpenCriticalResults,
  countPendingInvitations,
  countUnreadStudies,
} from '#server/modules/dashboard/today-count-queries.ts'
import { countForToday } from '#server/modules/dashboard/today-counts.ts'
import { todayItems } from '#server/modules/dashboard/today-items.ts'
import type { TodaySituation } from '#server/modules/dashboard/today-rules.ts'
import type { TodayKind } from '#shared/contract/dashboard-today.ts'
import { verbatim } from '#shared/messages/message.ts'
import { certificate, STORAGE } from './dashboard-fixture.ts'

vi.mock('#server/modules/dashboard/today-count-queries.ts', { spy: true })

const NOW = '2026-11-20T09:00:00.000Z'
const NONE = { count: 0, since: null }
const some = (count = 3) => ({ count, since: NOW })
const NO_COUNTS: TodaySituation['counts'] = {
  escalatedResults: NONE,
  openCriticalResults: NONE,
  neededAddenda: NONE,
  unread: NONE,
  unreadStat: NONE,
  unreadForADay: NONE,
  activeAddenda: NONE,
  drafts: NONE,
  failedEvents: NONE,
  pendingInvitations: NONE,
}
const OWNER = {
  userId: 'usr_1',
  level: 'owner',
  canManageStudies: true,
  canCreateReports: true,
  hasDashboardAccess: true,
} as const
const RADIOLOGIST = { ...OWNER, level: 'member', canManageStudies: false } as const
const DESK = {
  ...OWNER,
  level: 'member',
  canManageStudies: false,
  canCreateReports: false,
} as const

const calm: TodaySituation = {
  now: Date.parse(NOW),
  person: OWNER,
  customers: undefined,
  needsSecondFactor: false,
  isSetUp: true,
  listeners: [
    { name: 'dimse', address: '0.0.0.0:11112', aeTitle: 'ISTHMUS', isUp: true, detail: null },
  ],
  storage: STORAGE,
  forecast: { days: [], stopBytes: 5e9, fullInDays: 30, unknownBecause: null },
  partner: {
    url: 'https://partner.example',
    state: 'up',
    fault: null,
    detail: null,
    lastOkAt: NOW,
    downSince: null,
  },
  downtime: { isOn: false, since: null, until: null, reason: '', userName: '' },
  audit: undefined,
  backups: { backup: undefined, rehearsal: undefined, standby: undefined },
  images: { today: 0, receiving: 0, quarantined: 0, mismatches: 0, replaced: 0, recovered: 0 },
  notices: NONE,
  forwards: { waiting: 0, failed: 0 },
  undelivered: { count: 0, since: null, fault: null, disabledEndpoints: [] },
  callers: [],
  workstations: 0,
  exams: {
    all: 4,
    waiting: 1,
    withheld: 0,
    overdue: 0,
    begun: 0,
    completed: 0,
    late: 0,
    lateSince: null,
  },
  unplanned: NONE,
  mail: { ...NONE, fault: null },
  escalationMail: { ...NONE, fault: null },
  certificates: [certificate()],
  advice: [],
  counts: NO_COUNTS,
}
const kindsOf = (situation: Partial<TodaySituation>) =>
  todayItems({ ...calm, ...situation }).map(({ kind }) => kind)
const counts = (more: Partial<TodaySituation['counts']>) => ({ counts: { ...NO_COUNTS, ...more } })
const CALLER = {
  ...{ aeTitle: 'US9', address: '10.0.9.9', calledAeTitle: 'ISTHMUS', attempts: 3 },
  ...{ firstAt: NOW, lastAt: NOW, services: [] },
}

describe('what needs somebody', () => {
  it('shows the cause of a listener that is down to administrators only', () => {
    const detail = verbatim('Choose another port with --dimse-tls PORT.')
    const listeners = calm.listeners.map((one) => ({ ...one, isUp: false, detail }))
    const detailsFor = (person: TodaySituation['person']) =>
      todayItems({ ...calm, listeners, person }).map((item) => item.detail)
    expect(new Set(detailsFor(OWNER))).toEqual(new Set([detail]))
    expect(new Set(detailsFor(RADIOLOGIST))).toEqual(new Set([null]))
  })

  it('is nothing on a calm day', () => {
    expect(todayItems(calm)).toEqual([])
  })

  const CASES: readonly [TodayKind, Partial<TodaySituation>][] = [
    ['safe-mode', { isSafe: true }],
    [
      'listener-down',
      {
        listeners: calm.listeners.map((one) => ({
          ...one,
          isUp: false,
          detail: verbatim('Port 11112 is taken.'),
        })),
      },
    ],
    ['disk', { storage: { ...STORAGE, state: 'full', detail: verbatim('The disk is full.') } }],
    [
      'partner-away',
      { partner: { ...calm.partner, state: 'down', fault: 'unreachable', downSince: NOW } },
    ],
    ['partner-unset', { partner: { ...calm.partner, state: 'unset' } }],
    ['audit-broken', { audit: { firstBadSeq: 7, at: NOW } }],
    ['audit-anchor', { anchorFault: 'unwritable' }],
    [
      'audit-collector',
      { collectorFault: { since: NOW, count: 4, isMore: false, detail: verbatim('ECONNREFUSED') } },
    ],
    [
      'backup',
      {
        backups: {
          ...calm.backups,
          backup: { tone: 'danger', since: NOW, sentence: verbatim('The disk is full.') },
        },
      },
    ],
    [
      'rehearsal',
      {
        backups: {
          ...calm.backups,
          rehearsal: { tone: 'warning', since: NOW, sentence: verbatim('None was ever tried.') },
        },
      },
    ],
    [
      'standby',
      {
        backups: {
          ...calm.backups,
          standby: { tone: 'warning', since: NOW, sentence: verbatim('It is behind.') },
        },
      },
    ],
    ['setup', { isSetUp: false, partner: { ...calm.partner, state: 'unset' } }],
    ['recovered', { images: { ...calm.images, recovered: 3 } }],
    ['correction-notices', { notices: { count: 2, since: NOW } }],
    ['images-replaced', { images: { ...calm.images, replaced: 2 } }],
    ['mismatches', { images: { ...calm.images, mismatches: 1 } }],
    ['criticals-escalated', counts({ escalatedResults: some() })],
    [
      'escalation-mail-failing',
      { escalationMail: { count: 1, since: NOW, fault: verbatim('no mail server is configured') } },
    ],
    ['criticals', counts({ openCriticalResults: some() })],
    ['addenda-needed', counts({ neededAddenda: some() })],
    ['stat-unread', counts({ unreadStat: some() })],
    [
      'reports-undelivered',
      {
        undelivered: {
          count: 2,
          since: NOW,
          fault: verbatim('It answered 500.'),
          disabledEndpoints: [],
        },
      },
    ],
    [
      'endpoints-off',
      {
        undelivered: {
          ...calm.undelivered,
          disabledEndpoints: [{ name: 'RIS', reason: verbatim('It answered 410.') }],
        },
      },
    ],
    [
      'downtime',
      { downtime: { isOn: true, since: NOW, until: NOW, reason: 'line down', userName: 'Anna' } },
    ],
    ['quarantined', { images: { ...calm.images, quarantined: 5 } }],
    ['forwards-failed', { forwards: { waiting: 0, failed: 9 } }],
    ['unknown-callers', { callers: [CALLER] }],
    ['workstations', { workstations: 1 }],
    ['exams-overdue', { exams: { ...calm.exams, late: 2, lateSince: NOW } }],
    ['images-unplanned', { unplanned: some() }],
    ['exams-withheld', { exams: { ...calm.exams, withheld: 2 } }],
    ['my-drafts', counts({ drafts: some() })],
    ['addenda', counts({ activeAddenda: some() })],
    ['studies-waiting', counts({ unreadForADay: some() })],
    ['events-failed', counts({ failedEvents: some() })],
    ['second-factor', { needsSecondFactor: true }],
    [
      'mail-failing',
      { mail: { ...some(), fault: verbatim('The mail server refuses the sender.') } },
    ],
    ['invitations-pending', counts({ pendingInvitations: some() })],
    [
      'certificate',
      {
        certificates: [certificate({ daysLeft: 5 }), certificate({ isInUse: false, daysLeft: 1 })],
      },
    ],
    ['advice', { advice: [verbatim('Any device on the network can read the worklist.')] }],
  ]
  it.each(CASES)('is %s', (kind, situation) => {
    expect(kindsOf(situation)).toEqual([kind])
  })

  it('has a case for each kind that there is', async () => {
    const { TODAY_KINDS } = await import('#shared/contract/dashboard-today.ts')
    expect(CASES.map(([kind]) => kind).sort()).toEqual([...TODAY_KINDS].sort())
  })

  it('recommends to who manages the gateway to do something before the disk is full', () => {
    const filling = { ...calm, forecast: { ...calm.forecast, fullInDays: 29 } }
    expect(todayItems(filling)).toMatchObject([
      {
        ...{ kind: 'disk', tone: 'info', mayAct: true },
        detail: 'At the current rate it will be full in 29 days. Free some space, or add a disk.',
      },
    ])
    expect(todayItems({ ...filling, person: DESK })).toEqual([])
    // The state of the disk replaces the forecast.
    const storage = { ...STORAGE, state: 'low', detail: verbatim('19 GB are free.') } as const
    expect(todayItems({ ...filling, storage })).toMatchObject([
      { kind: 'disk', tone: 'warning', detail: '19 GB are free.' },
    ])
  })

  it('says how many and since when, and that there are more where counting stopped', () => {
    expect(todayItems({ ...calm, ...counts({ openCriticalResults: some(1000) }) })).toMatchObject([
      { count: 999, isMore: true, since: NOW },
    ])
  })

  it('leaves out mail that waits for its first attempt', () => {
    expect(kindsOf({ mail: { ...some(), fault: null } })).toEqual([])
  })

  it('tells who cannot do anything about it what it takes', () => {
    const situation = { ...calm, person: DESK, images: { ...calm.images, mismatches: 1 } }
    expect(todayItems(situation)).toMatchObject([
      { kind: 'mismatches', mayAct: false, needs: 'manageStudies' },
    ])
  })

  it('is put in the order of whose work it is', () => {
    const busy: Partial<TodaySituation> = {
      images: { ...calm.images, mismatches: 1 },
      exams: { ...calm.exams, withheld: 1 },
      callers: [CALLER],
      ...counts({ drafts: some(1), openCriticalResults: some(1) }),
    }
    expect(kindsOf(busy)).toEqual([
      'mismatches',
      'criticals',
      'unknown-callers',
      'exams-withheld',
      'my-drafts',
    ])
    expect(kindsOf({ ...busy, person: RADIOLOGIST })).toEqual([
      ...['criticals', 'my-drafts', 'exams-withheld', 'mismatches', 'unknown-callers'],
    ])
    expect(kindsOf({ ...busy, person: DESK })).toEqual([
      'exams-withheld',
      'my-drafts',
      'mismatches',
      'criticals',
      'unknown-callers',
    ])
  })

  it('begins with escalated critical results, for everybody who may document them', () => {
    const escalated = {
      images: { ...calm.images, mismatches: 1 },
      ...counts({ escalatedResults: some(1) }),
    }
    for (const person of [OWNER, RADIOLOGIST, { ...DESK, canManageStudies: true }])
      expect(todayItems({ ...calm, ...escalated, person })[0]).toMatchObject({
        ...{ kind: 'criticals-escalated', mayAct: true, tone: 'danger', since: NOW },
      })
    expect(todayItems({ ...calm, ...escalated, person: DESK }).map(({ mayAct }) => mayAct)).toEqual(
      [false, false],
    )
  })

  it('begins with what stops all work, for everybody', () => {
    const away = { ...calm.partner, state: 'down', fault: 'unreachable' } as const
    expect(kindsOf({ person: DESK, partner: away, exams: { ...calm.exams, withheld: 1 } })[0]).toBe(
      'partner-away',
    )
  })
})

it('counts what waits for the person: of their customers, and since when', () => {
  vi.mocked(countUnreadStudies).mockReturnValue(NONE)
  vi.mocked(countEscalatedResults).mockReturnValue(NONE)
  vi.mocked(countOpenCriticalResults).mockReturnValue(NONE)
  vi.mocked(countNeededAddenda).mockReturnValue(NONE)
  vi.mocked(countDrafts).mockReturnValue(NONE)
  vi.mocked(countFailedEvents).mockReturnValue(NONE)
  vi.mocked(countPendingInvitations).mockReturnValue(NONE)
  const database = {} as Database
  const customers = ['cus_A']
  countForToday(database, { userId: 'usr_1', customers, now: Date.parse(NOW) })
  const statuses = ['unassigned', 'assigned', 'in_progress']
  const unread = { statuses, severities: ['stat', 'high', 'normal'], customers, limit: 1000 }
  expect(vi.mocked(countUnreadStudies).mock.calls.map(([, of]) => of)).toEqual([
    unread,
    { ...unread, severities: ['stat'] },
    { ...unread, before: '2026-11-19T09:00:00.000Z' },
    { ...unread, statuses: ['addendum_active'] },
  ])
  expect(countEscalatedResults).toHaveBeenCalledWith(database, customers, 1000)
  expect(countOpenCriticalResults).toHaveBeenCalledWith(database, customers, 1000)
  expect(countNeededAddenda).toHaveBeenCalledWith(database, customers, 1000)
  expect(countDrafts).toHaveBeenCalledWith(database, 'usr_1', 1000)
  expect(countFailedEvents).toHaveBeenCalledWith(database, '2026-11-19T09:00:00.000Z', 1000)
  expect(countPendingInvitations).toHaveBeenCalledWith(database, '2026-11-17T09:00:00.000Z', 1000)
})
