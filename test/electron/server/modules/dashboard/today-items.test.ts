import { describe, expect, it } from 'vitest'
import { itemsOf, type TodaySituation } from '#server/modules/dashboard/today-items.ts'
import type { TodayKind } from '#shared/contract/dashboard-today.ts'
import { certificate, STORAGE } from './dashboard-fixture.ts'

const NOW = '2026-11-20T09:00:00.000Z'
const NONE = { count: 0, since: null }
const some = (count = 3) => ({ count, since: NOW })
const NO_COUNTS: TodaySituation['counts'] = {
  unread: () => NONE,
  drafts: () => NONE,
  criticals: () => NONE,
  neededAddenda: () => NONE,
  signed: () => 0,
  failedEvents: () => NONE,
  pendingInvitations: () => NONE,
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
  needsSecondFactor: false,
  isSetUp: true,
  listeners: [
    { name: 'dimse', address: '0.0.0.0:11112', aeTitle: 'ISTHMUS', isUp: true, detail: '' },
  ],
  storage: STORAGE,
  partner: {
    url: 'https://partner.example',
    state: 'up',
    fault: null,
    detail: '',
    lastOkAt: NOW,
    downSince: null,
  },
  downtime: { isOn: false, since: null, until: null, reason: '', userName: '' },
  audit: undefined,
  upkeep: { backup: undefined, rehearsal: undefined, standby: undefined },
  images: { today: 0, receiving: 0, quarantined: 0, mismatches: 0, replaced: 0, recovered: 0 },
  notices: NONE,
  forwards: { waiting: 0, failed: 0 },
  undelivered: { count: 0, since: null, fault: null, switchedOff: [] },
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
  certificates: [certificate()],
  advice: [],
  counts: NO_COUNTS,
  customers: undefined,
  dayAgo: '2026-11-19T09:00:00.000Z',
  threeDaysAgo: '2026-11-17T09:00:00.000Z',
}
const kindsOf = (situation: Partial<TodaySituation>) =>
  itemsOf({ ...calm, ...situation }).map(({ kind }) => kind)
const counts = (more: Partial<TodaySituation['counts']>) => ({ counts: { ...NO_COUNTS, ...more } })
const unreadWhere = (is: (of: Parameters<TodaySituation['counts']['unread']>[0]) => boolean) =>
  counts({ unread: (of) => (is(of) ? some() : NONE) })
const CALLER = {
  ...{ aeTitle: 'US9', address: '10.0.9.9', calledAeTitle: 'ISTHMUS', attempts: 3 },
  ...{ firstAt: NOW, lastAt: NOW, services: [] },
}

describe('what needs somebody', () => {
  it('is nothing on a calm day', () => {
    expect(itemsOf(calm)).toEqual([])
  })

  const CASES: readonly [TodayKind, Partial<TodaySituation>][] = [
    ['safe-mode', { isSafe: true }],
    [
      'listener-down',
      {
        listeners: calm.listeners.map((one) => ({
          ...one,
          isUp: false,
          detail: 'Port 11112 is taken.',
        })),
      },
    ],
    ['disk', { storage: { ...STORAGE, state: 'full', detail: 'The disk is full.' } }],
    [
      'partner-away',
      { partner: { ...calm.partner, state: 'down', fault: 'unreachable', downSince: NOW } },
    ],
    ['partner-unset', { partner: { ...calm.partner, state: 'unset' } }],
    ['audit-broken', { audit: { firstBadSeq: 7, at: NOW } }],
    ['audit-anchor', { anchorFault: 'unwritable' }],
    [
      'audit-collector',
      { collectorFault: { since: NOW, count: 4, isMore: false, detail: 'ECONNREFUSED' } },
    ],
    [
      'backup',
      {
        upkeep: {
          ...calm.upkeep,
          backup: { tone: 'danger', since: NOW, sentence: 'The disk is full.' },
        },
      },
    ],
    [
      'rehearsal',
      {
        upkeep: {
          ...calm.upkeep,
          rehearsal: { tone: 'warning', since: NOW, sentence: 'None was ever tried.' },
        },
      },
    ],
    [
      'standby',
      {
        upkeep: {
          ...calm.upkeep,
          standby: { tone: 'warning', since: NOW, sentence: 'It is behind.' },
        },
      },
    ],
    ['setup', { isSetUp: false, partner: { ...calm.partner, state: 'unset' } }],
    ['recovered', { images: { ...calm.images, recovered: 3 } }],
    ['correction-notices', { notices: { count: 2, since: NOW } }],
    ['images-replaced', { images: { ...calm.images, replaced: 2 } }],
    ['mismatches', { images: { ...calm.images, mismatches: 1 } }],
    ['criticals', counts({ criticals: () => some() })],
    ['addenda-needed', counts({ neededAddenda: () => some() })],
    ['stat-unread', unreadWhere(({ severities }) => severities.length === 1)],
    [
      'reports-undelivered',
      { undelivered: { count: 2, since: NOW, fault: 'It answered 500.', switchedOff: [] } },
    ],
    [
      'endpoints-off',
      {
        undelivered: {
          ...calm.undelivered,
          switchedOff: [{ name: 'RIS', reason: 'It answered 410.' }],
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
    ['my-drafts', counts({ drafts: (userId) => (userId === OWNER.userId ? some() : NONE) })],
    ['addenda', unreadWhere(({ statuses }) => statuses.includes('addendum_active'))],
    ['studies-waiting', unreadWhere(({ before }) => before === calm.dayAgo)],
    ['events-failed', counts({ failedEvents: (since) => (since === calm.dayAgo ? some() : NONE) })],
    ['second-factor', { needsSecondFactor: true }],
    ['mail-failing', { mail: { ...some(), fault: 'The mail server refuses the sender.' } }],
    [
      'invitations-pending',
      counts({ pendingInvitations: (before) => (before === calm.threeDaysAgo ? some() : NONE) }),
    ],
    [
      'certificate',
      {
        certificates: [certificate({ daysLeft: 5 }), certificate({ isInUse: false, daysLeft: 1 })],
      },
    ],
    ['advice', { advice: ['Any device on the network may read the worklist.'] }],
  ]
  it.each(CASES)('is %s', (kind, situation) => {
    expect(kindsOf(situation)).toEqual([kind])
  })

  it('has a case for each kind that there is', async () => {
    const { TODAY_KINDS } = await import('#shared/contract/dashboard-today.ts')
    expect(CASES.map(([kind]) => kind).sort()).toEqual([...TODAY_KINDS].sort())
  })

  it('says how many and since when, and that there are more where counting stopped', () => {
    expect(itemsOf({ ...calm, ...counts({ criticals: () => some(1000) }) })).toMatchObject([
      { count: 999, isMore: true, since: NOW },
    ])
  })

  it('leaves out mail that waits for its first attempt', () => {
    expect(kindsOf({ mail: { ...some(), fault: null } })).toEqual([])
  })

  it('tells who cannot do anything about it what it takes', () => {
    const situation = { ...calm, person: DESK, images: { ...calm.images, mismatches: 1 } }
    expect(itemsOf(situation)).toMatchObject([
      { kind: 'mismatches', mayAct: false, needs: 'manageStudies' },
    ])
  })

  it('is put in the order of whose work it is', () => {
    const busy: Partial<TodaySituation> = {
      images: { ...calm.images, mismatches: 1 },
      exams: { ...calm.exams, withheld: 1 },
      callers: [CALLER],
      ...counts({ drafts: () => some(1), criticals: () => some(1) }),
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

  it('begins with what stops all work, for everybody', () => {
    const away = { ...calm.partner, state: 'down', fault: 'unreachable' } as const
    expect(kindsOf({ person: DESK, partner: away, exams: { ...calm.exams, withheld: 1 } })[0]).toBe(
      'partner-away',
    )
  })
})
