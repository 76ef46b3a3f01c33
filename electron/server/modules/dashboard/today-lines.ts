import type { AnchorFault } from '#server/audit-log/audit-anchor.ts'
import type { CollectorFault } from '#server/modules/audit/audit-collector.ts'
import { anchorFaultSentence } from '#server/modules/audit/audit-trail.ts'
import type { BackupHealth } from '#server/modules/backups/backup-health.ts'
import type { DiskForecast } from '#server/modules/images/disk-forecast.ts'
import type { UndeliveredReports } from '#server/modules/reports/report-delivery.ts'
import type { AuditCheck, Certificate, PartnerStatus, Status } from '#shared/contract/dashboard.ts'
import type { ExamTally } from '#shared/contract/dashboard-exams.ts'
import type { TodayItem, TodayKind } from '#shared/contract/dashboard-today.ts'
import type { UnknownCaller } from '#shared/contract/devices.ts'
import type { Permission, Rights } from '#shared/lifecycle.ts'
import type { Message } from '#shared/messages/message.ts'
import { diskItems } from './disk-items.ts'
import type { CustomersSeen, Tally } from './today-count-queries.ts'
import { type countForToday, MOST_COUNTED } from './today-counts.ts'

interface LateMail {
  readonly count: number
  readonly since: string | null
  readonly fault: Message | null
}

/** What Today is drawn from. Instants are RFC 3339. */
export interface TodaySituation {
  readonly now: number
  readonly person: Rights & { readonly userId: string }
  readonly customers: CustomersSeen
  /** The person manages the gateway and signs in by password alone. */
  readonly needsSecondFactor: boolean
  readonly isSetUp: boolean
  /** `serve --safe-mode`. */
  readonly isSafe?: boolean | undefined
  readonly listeners: Status['listeners']
  readonly storage: Status['storage']
  readonly forecast: DiskForecast
  readonly records?: Status['records']
  readonly partner: PartnerStatus
  readonly downtime: Status['downtime']
  readonly audit: Pick<AuditCheck, 'firstBadSeq' | 'at'> | undefined
  /** Why a rollback of the audit trail may not be detected. */
  readonly anchorFault?: AnchorFault | undefined
  /** Why the audit collector has not got entries for a while; undefined where it has. */
  readonly collectorFault?: CollectorFault | undefined
  readonly backups: BackupHealth
  readonly images: Status['images']
  /** Who has to be informed of corrections. */
  readonly notices: Tally
  readonly forwards: Status['forwards']
  readonly undelivered: UndeliveredReports
  readonly callers: readonly UnknownCaller[]
  readonly workstations: number
  readonly exams: ExamTally & { readonly late: number; readonly lateSince: string | null }
  readonly unplanned: Tally
  readonly mail: LateMail
  /** About critical results that were not communicated in time. */
  readonly escalationMail: LateMail
  readonly certificates: readonly Pick<Certificate, 'use' | 'isInUse' | 'daysLeft' | 'notAfter'>[]
  /** Lines that have no item of their own. */
  readonly advice: readonly Message[]
  readonly counts: ReturnType<typeof countForToday>
}

const CERTIFICATE_DAYS = 30

export type Found = Pick<TodayItem, 'tone'> &
  Partial<Pick<TodayItem, 'count' | 'isMore' | 'since' | 'detail'>>

export interface Line {
  readonly kind: TodayKind
  /** What it takes to do something about it; null: everybody can. */
  readonly needs: Permission | null
  /** Another permission that is enough to do something about it. */
  readonly orNeeds?: Permission
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

const faulty = (fault: BackupHealth['backup']): Found | undefined =>
  fault && { tone: fault.tone, since: fault.since, detail: fault.sentence }

/** In the order of gravity within the work of each. */
export const LINES: readonly Line[] = [
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
    find: diskItems,
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
    find: ({ backups }) => faulty(backups.backup),
  },
  {
    kind: 'rehearsal',
    needs: 'manageGateway',
    of: 'gateway',
    find: ({ backups }) => faulty(backups.rehearsal),
  },
  {
    kind: 'standby',
    needs: 'manageGateway',
    of: 'gateway',
    find: ({ backups }) => faulty(backups.standby),
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
    kind: 'criticals-escalated',
    needs: 'writeReports',
    // Whoever manages studies may phone the clinician, too.
    orNeeds: 'manageStudies',
    of: 'reading',
    find: ({ counts }) => counted('danger', counts.escalatedResults),
  },
  {
    kind: 'criticals',
    needs: 'writeReports',
    of: 'reading',
    find: ({ counts }) => counted('danger', counts.openCriticalResults),
  },
  {
    kind: 'addenda-needed',
    needs: 'writeReports',
    of: 'reading',
    find: ({ counts }) => counted('danger', counts.neededAddenda),
  },
  {
    kind: 'stat-unread',
    needs: 'writeReports',
    of: 'reading',
    find: ({ counts }) => counted('danger', counts.unreadStat),
  },
  {
    kind: 'reports-undelivered',
    needs: 'manageGateway',
    of: 'reading',
    find: ({ undelivered: { count, since, fault } }) =>
      count === 0 ? undefined : { tone: 'danger', count, since, detail: fault },
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
            detail: undelivered.switchedOff[0]?.reason ?? null,
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
    find: ({ counts }) => counted('info', counts.drafts),
  },
  {
    kind: 'addenda',
    needs: 'writeReports',
    of: 'reading',
    find: ({ counts }) => counted('info', counts.activeAddenda),
  },
  {
    kind: 'studies-waiting',
    needs: 'writeReports',
    of: 'reading',
    find: ({ counts }) => counted('warning', counts.unreadForADay),
  },
  {
    kind: 'events-failed',
    needs: 'manageGateway',
    of: 'gateway',
    find: ({ counts }) => counted('warning', counts.failedEvents),
  },
  {
    kind: 'second-factor',
    needs: 'manageGateway',
    of: 'gateway',
    find: ({ needsSecondFactor }) => (needsSecondFactor ? { tone: 'warning' } : undefined),
  },
  {
    kind: 'escalation-mail-failing',
    needs: 'manageGateway',
    of: 'gateway',
    find: ({ escalationMail: { count, since, fault } }) =>
      count === 0 || fault === null ? undefined : { tone: 'danger', count, since, detail: fault },
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
    find: ({ counts }) => counted('info', counts.pendingInvitations),
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

const earliest = (instants: readonly string[]): string | null =>
  instants.reduce<string | null>((first, at) => (first === null || at < first ? at : first), null)
