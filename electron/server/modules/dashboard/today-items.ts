import type { AnchorFault } from '#server/modules/audit/audit-anchor.ts'
import { anchorFaultSentence } from '#server/modules/audit/audit-trail.ts'
import type { UpkeepHealth } from '#server/modules/backups/backup-health.ts'
import type { AuditCheck, Certificate, PartnerStatus, Status } from '#shared/contract/dashboard.ts'
import type { ExamTally } from '#shared/contract/dashboard-exams.ts'
import type { TodayItem, TodayKind } from '#shared/contract/dashboard-today.ts'
import type { UnknownCaller } from '#shared/contract/devices.ts'
import { may, type Permission, type Rights } from '#shared/lifecycle.ts'
import type { CollectorFault, UndeliveredReports } from './ports.ts'
import type { CustomersSeen, Tally, TodayCountsStore } from './today-count-queries.ts'

/** What Today is drawn from. Instants are RFC 3339. */
export interface TodaySituation {
  readonly now: number
  readonly person: Rights & { readonly userId: string }
  /** The person manages the gateway and signs in by password alone. */
  readonly needsSecondFactor: boolean
  readonly isSetUp: boolean
  /** `serve --safe-mode`. */
  readonly isSafe?: boolean | undefined
  readonly listeners: Status['listeners']
  readonly storage: Status['storage']
  readonly records?: Status['records']
  readonly partner: PartnerStatus
  readonly downtime: Status['downtime']
  readonly audit: Pick<AuditCheck, 'firstBadSeq' | 'at'> | undefined
  /** Why a rollback of the audit trail may not be detected. */
  readonly anchorFault?: AnchorFault | undefined
  /** Why the audit collector has not got entries for a while; undefined where it has. */
  readonly collectorFault?: CollectorFault | undefined
  readonly upkeep: UpkeepHealth
  readonly images: Status['images']
  /** Who has to be informed of corrections. */
  readonly notices: Tally
  readonly forwards: Status['forwards']
  readonly undelivered: UndeliveredReports
  readonly callers: readonly UnknownCaller[]
  readonly workstations: number
  readonly exams: ExamTally & { readonly late: number; readonly lateSince: string | null }
  readonly unplanned: Tally
  readonly mail: {
    readonly count: number
    readonly since: string | null
    readonly fault: string | null
  }
  readonly certificates: readonly Pick<Certificate, 'use' | 'isInUse' | 'daysLeft' | 'notAfter'>[]
  /** Lines that have no item of their own. */
  readonly advice: readonly string[]
  readonly counts: TodayCountsStore
  readonly customers: CustomersSeen
  /** Instants: the day's first, a day ago, three days ago. */
  readonly dayAgo: string
  readonly threeDaysAgo: string
}

/** Counting stops there: more is no other message. */
export const MOST_COUNTED = 999
const CERTIFICATE_DAYS = 30
const OPEN_STATUSES = ['unassigned', 'assigned', 'in_progress'] as const
const ALL_SEVERITIES = ['stat', 'high', 'normal'] as const

type Found = Pick<TodayItem, 'tone'> &
  Partial<Pick<TodayItem, 'count' | 'isMore' | 'since' | 'detail'>>

interface Line {
  readonly kind: TodayKind
  /** What it takes to do something about it; null: everybody can. */
  readonly needs: Permission | null
  /** Whose work it is: theirs comes first for them. */
  readonly of: 'gateway' | 'reading' | 'exams'
  /** Undefined, or an empty list: nothing. */
  readonly find: (situation: TodaySituation) => Found | readonly Found[] | undefined
}

const counted = (
  tone: TodayItem['tone'],
  { count, since }: Tally,
  most = MOST_COUNTED,
): Found | undefined =>
  count === 0 ? undefined : { tone, count: Math.min(count, most), isMore: count > most, since }

const faulty = (fault: UpkeepHealth['backup']): Found | undefined =>
  fault && { tone: fault.tone, since: fault.since, detail: fault.sentence }

/** In the order of gravity within the work of each. */
const LINES: readonly Line[] = [
  {
    kind: 'safe-mode',
    needs: 'manageGateway',
    of: 'gateway',
    find: ({ isSafe }) => (isSafe ? { tone: 'danger' } : undefined),
  },
  {
    kind: 'listener-down',
    needs: 'manageGateway',
    of: 'gateway',
    find: ({ listeners }) =>
      listeners.filter(({ isUp }) => !isUp).map(({ detail }) => ({ tone: 'danger', detail })),
  },
  {
    kind: 'disk',
    needs: 'manageGateway',
    of: 'gateway',
    find: ({ storage: { state, detail }, records }) => [
      ...(records && records.state !== 'ok'
        ? [{ tone: 'danger', since: records.since, detail: records.detail } as const]
        : []),
      ...(state === 'ok'
        ? []
        : [{ tone: state === 'low' ? 'warning' : 'danger', detail } as const]),
    ],
  },
  {
    kind: 'partner-away',
    needs: 'manageGateway',
    of: 'gateway',
    find: ({ partner: { state, downSince, detail } }) =>
      state === 'down' || state === 'refusing'
        ? { tone: 'danger', since: downSince, detail }
        : undefined,
  },
  {
    kind: 'audit-broken',
    needs: 'manageGateway',
    of: 'gateway',
    find: ({ audit }) =>
      (audit?.firstBadSeq ?? null) === null
        ? undefined
        : { tone: 'danger', since: audit?.at ?? null },
  },
  {
    kind: 'audit-anchor',
    needs: 'manageGateway',
    of: 'gateway',
    find: ({ anchorFault }) =>
      anchorFault && { tone: 'warning', detail: anchorFaultSentence(anchorFault) },
  },
  {
    kind: 'audit-collector',
    needs: 'manageGateway',
    of: 'gateway',
    find: ({ collectorFault }) => collectorFault && { tone: 'warning', ...collectorFault },
  },
  {
    kind: 'backup',
    needs: 'manageGateway',
    of: 'gateway',
    find: ({ upkeep }) => faulty(upkeep.backup),
  },
  {
    kind: 'rehearsal',
    needs: 'manageGateway',
    of: 'gateway',
    find: ({ upkeep }) => faulty(upkeep.rehearsal),
  },
  {
    kind: 'standby',
    needs: 'manageGateway',
    of: 'gateway',
    find: ({ upkeep }) => faulty(upkeep.standby),
  },
  // While the gateway is not set up, that no partner is set is part of it.
  {
    kind: 'setup',
    needs: 'manageGateway',
    of: 'gateway',
    find: ({ isSetUp }) => (isSetUp ? undefined : { tone: 'info' }),
  },
  {
    kind: 'partner-unset',
    needs: 'manageGateway',
    of: 'gateway',
    find: ({ partner, isSetUp }) =>
      partner.state === 'unset' && isSetUp ? { tone: 'danger' } : undefined,
  },
  {
    kind: 'recovered',
    needs: 'manageStudies',
    of: 'exams',
    find: ({ images }) => counted('danger', { count: images.recovered, since: null }),
  },
  {
    kind: 'mismatches',
    needs: 'manageStudies',
    of: 'exams',
    find: ({ images }) => counted('danger', { count: images.mismatches, since: null }),
  },
  {
    kind: 'correction-notices',
    needs: null,
    of: 'exams',
    find: ({ notices }) => counted('danger', notices),
  },
  {
    kind: 'images-replaced',
    needs: 'manageStudies',
    of: 'exams',
    find: ({ images }) => counted('danger', { count: images.replaced, since: null }),
  },
  {
    kind: 'criticals',
    needs: 'writeReports',
    of: 'reading',
    find: ({ counts, customers }) =>
      counted('danger', counts.criticals(customers, MOST_COUNTED + 1)),
  },
  {
    kind: 'addenda-needed',
    needs: 'writeReports',
    of: 'reading',
    find: ({ counts, customers }) =>
      counted('danger', counts.neededAddenda(customers, MOST_COUNTED + 1)),
  },
  {
    kind: 'stat-unread',
    needs: 'writeReports',
    of: 'reading',
    find: ({ counts, customers }) =>
      counted(
        'danger',
        counts.unread({
          statuses: OPEN_STATUSES,
          severities: ['stat'],
          customers,
          most: MOST_COUNTED + 1,
        }),
      ),
  },
  {
    kind: 'reports-undelivered',
    needs: 'manageGateway',
    of: 'reading',
    find: ({ undelivered: { count, since, fault } }) =>
      count === 0 ? undefined : { tone: 'danger', count, since, detail: fault ?? '' },
  },
  {
    kind: 'endpoints-off',
    needs: 'manageGateway',
    of: 'gateway',
    find: ({ undelivered }) =>
      undelivered.switchedOff.length === 0
        ? undefined
        : {
            tone: 'danger',
            count: undelivered.switchedOff.length,
            detail: undelivered.switchedOff[0]?.reason ?? '',
          },
  },
  {
    kind: 'downtime',
    // Whoever sees that it is over may end it.
    needs: null,
    of: 'exams',
    find: ({ downtime }) =>
      downtime.isOn ? { tone: 'warning', since: downtime.since } : undefined,
  },
  {
    kind: 'unknown-callers',
    needs: 'manageGateway',
    of: 'gateway',
    find: ({ callers }) =>
      counted('warning', {
        count: callers.length,
        since: earliest(callers.map(({ firstAt }) => firstAt)),
      }),
  },
  {
    kind: 'workstations',
    needs: 'manageGateway',
    of: 'gateway',
    find: ({ workstations }) => counted('info', { count: workstations, since: null }),
  },
  {
    kind: 'quarantined',
    needs: 'manageStudies',
    of: 'exams',
    find: ({ images }) => counted('warning', { count: images.quarantined, since: null }),
  },
  {
    kind: 'forwards-failed',
    needs: 'manageStudies',
    of: 'exams',
    find: ({ forwards }) => counted('warning', { count: forwards.failed, since: null }),
  },
  {
    kind: 'exams-withheld',
    needs: null,
    of: 'exams',
    find: ({ exams }) => counted('warning', { count: exams.withheld, since: null }),
  },
  {
    kind: 'exams-overdue',
    needs: null,
    of: 'exams',
    find: ({ exams }) => counted('info', { count: exams.late, since: exams.lateSince }),
  },
  {
    kind: 'images-unplanned',
    needs: null,
    of: 'exams',
    find: ({ unplanned }) => counted('info', unplanned),
  },
  {
    kind: 'my-drafts',
    needs: null,
    of: 'reading',
    find: ({ counts, person }) => counted('info', counts.drafts(person.userId, MOST_COUNTED + 1)),
  },
  {
    kind: 'addenda',
    needs: 'writeReports',
    of: 'reading',
    find: ({ counts, customers }) =>
      counted(
        'info',
        counts.unread({
          statuses: ['addendum_active'],
          severities: ALL_SEVERITIES,
          customers,
          most: MOST_COUNTED + 1,
        }),
      ),
  },
  {
    kind: 'studies-waiting',
    needs: 'writeReports',
    of: 'reading',
    find: ({ counts, customers, dayAgo: before }) =>
      counted(
        'warning',
        counts.unread({
          statuses: OPEN_STATUSES,
          severities: ALL_SEVERITIES,
          customers,
          before,
          most: MOST_COUNTED + 1,
        }),
      ),
  },
  {
    kind: 'events-failed',
    needs: 'manageGateway',
    of: 'gateway',
    find: ({ counts, dayAgo }) => counted('warning', counts.failedEvents(dayAgo, MOST_COUNTED + 1)),
  },
  {
    kind: 'second-factor',
    needs: 'manageGateway',
    of: 'gateway',
    find: ({ needsSecondFactor }) => (needsSecondFactor ? { tone: 'warning' } : undefined),
  },
  {
    kind: 'mail-failing',
    needs: 'manageUsers',
    of: 'gateway',
    find: ({ mail: { count, since, fault } }) =>
      count === 0 || fault === null ? undefined : { tone: 'warning', count, since, detail: fault },
  },
  {
    kind: 'invitations-pending',
    needs: 'manageUsers',
    of: 'gateway',
    find: ({ counts, threeDaysAgo }) =>
      counted('info', counts.pendingInvitations(threeDaysAgo, MOST_COUNTED + 1)),
  },
  {
    kind: 'certificate',
    needs: 'manageGateway',
    of: 'gateway',
    find: ({ certificates }) => {
      const ending = certificates.filter(
        ({ isInUse, daysLeft }) => isInUse && daysLeft < CERTIFICATE_DAYS,
      )
      if (ending.length === 0) return undefined
      return {
        tone: ending.some(({ daysLeft }) => daysLeft < 7) ? 'danger' : 'warning',
        count: ending.length,
      }
    },
  },
  {
    kind: 'advice',
    needs: 'manageGateway',
    of: 'gateway',
    find: ({ advice }) => advice.map((detail) => ({ tone: 'info', detail })),
  },
]

/** Kinds about lists with every patient: not for who sees the studies of some customers only. */
const OF_EVERY_PATIENT: readonly TodayKind[] = [
  'exams-withheld',
  'exams-overdue',
  'images-unplanned',
]

/** Kinds whose fault stops everybody's work: first for all. */
const FOR_ALL: readonly TodayKind[] = ['safe-mode', 'listener-down', 'partner-away']

/**
 * What needs somebody: what stops all work, then what is the person's own, the gravest first in
 * each.
 */
export function itemsOf(situation: TodaySituation): TodayItem[] {
  const { person } = situation
  const order = orderFor(person)
  // Who manages the gateway looks after all of it.
  const isOwn = (of: Line['of']) => person.level !== 'member' || of === order[0]
  const isOpen = ({ kind }: Line) =>
    situation.customers === undefined || !OF_EVERY_PATIENT.includes(kind)
  const found = LINES.filter(isOpen).flatMap(({ kind, needs, of, find }, line) => {
    const items = find(situation) ?? []
    const mayAct = needs === null || may(person, needs)
    return (Array.isArray(items) ? (items as readonly Found[]) : [items as Found]).map((item) => {
      const shown: TodayItem = {
        kind,
        needs,
        mayAct,
        count: 1,
        isMore: false,
        since: null,
        detail: '',
        ...item,
      }
      const isForAll = FOR_ALL.includes(kind) && item.tone === 'danger'
      return {
        shown,
        rank: [
          isForAll ? 0 : 1,
          mayAct ? 0 : 1,
          isOwn(of) ? 0 : 1,
          GRAVITY[item.tone],
          order.indexOf(of),
          line,
        ],
      }
    })
  })
  return found.sort((a, b) => compareRanks(a.rank, b.rank)).map(({ shown }) => shown)
}

const GRAVITY = { danger: 0, warning: 1, info: 2 } as const

function orderFor(person: Rights): readonly Line['of'][] {
  if (person.level !== 'member') return ['gateway', 'exams', 'reading']
  return person.canCreateReports ? ['reading', 'exams', 'gateway'] : ['exams', 'reading', 'gateway']
}

function compareRanks(a: readonly number[], b: readonly number[]): number {
  for (const [at, rank] of a.entries()) if (rank !== b[at]) return rank - (b[at] ?? 0)
  return 0
}

const earliest = (instants: readonly string[]): string | null =>
  instants.reduce<string | null>((first, at) => (first === null || at < first ? at : first), null)
