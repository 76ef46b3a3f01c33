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
import { may, type Permission, type Rights } from '#shared/lifecycle.ts'
import type { Message } from '#shared/messages/message.ts'
import { diskItems } from './disk-items.ts'
import type { CountSince, VisibleCustomers } from './today-count-queries.ts'
import { type countForToday, MAX_COUNT } from './today-counts.ts'

interface DelayedMail {
  readonly count: number
  readonly since: string | null
  readonly fault: Message | null
}

/** The state from which Today is derived. Times are RFC 3339. */
export interface TodaySituation {
  readonly now: number
  readonly person: Rights & { readonly userId: string }
  readonly customers: VisibleCustomers
  /** Whether the user manages the gateway but has not enabled two-factor authentication. */
  readonly needsSecondFactor: boolean
  readonly isSetUp: boolean
  /** Started with `serve --safe-mode`. */
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
  /** Why the audit collector is not receiving entries; `undefined` if it is. */
  readonly collectorFault?: CollectorFault | undefined
  readonly backups: BackupHealth
  readonly images: Status['images']
  /** Correction notices that require action. */
  readonly notices: CountSince
  readonly forwards: Status['forwards']
  readonly undelivered: UndeliveredReports
  readonly callers: readonly UnknownCaller[]
  readonly workstations: number
  readonly exams: ExamTally & { readonly late: number; readonly lateSince: string | null }
  readonly unplanned: CountSince
  readonly mail: DelayedMail
  /** Mails about critical results that were not communicated in time. */
  readonly escalationMail: DelayedMail
  readonly certificates: readonly Pick<Certificate, 'use' | 'isInUse' | 'daysLeft' | 'notAfter'>[]
  /** Advice that has no item of its own. */
  readonly advice: readonly Message[]
  readonly counts: ReturnType<typeof countForToday>
}

const CERTIFICATE_DAYS = 30

export type FoundItem = Pick<TodayItem, 'tone'> &
  Partial<Pick<TodayItem, 'count' | 'isMore' | 'since' | 'detail'>>

export interface TodayRule {
  readonly kind: TodayKind
  /** The permission required to act on it; `null` if every user can. */
  readonly needs: Permission | null
  /** An alternative permission that is also sufficient. */
  readonly alternativeNeeds?: Permission
  /** The area of work. Users see items of their own area first. */
  readonly of: 'gateway' | 'reading' | 'exams'
  /** Returns the items; `undefined` or an empty list if there are none. */
  readonly find: (situation: TodaySituation) => FoundItem | readonly FoundItem[] | undefined
}

const countedItem = (
  tone: TodayItem['tone'],
  { count, since }: CountSince,
  limit = MAX_COUNT,
): FoundItem | undefined =>
  count === 0 ? undefined : { tone, count: Math.min(count, limit), isMore: count > limit, since }

const backupItem = (fault: BackupHealth['backup']): FoundItem | undefined =>
  fault && { tone: fault.tone, since: fault.since, detail: fault.sentence }

/** In order of severity within each area. */
export const TODAY_RULES: readonly TodayRule[] = [
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
    find: ({ listeners, person }) =>
      listeners
        .filter(({ isUp }) => !isUp)
        .map(({ detail }) => ({
          tone: 'danger',
          detail: may(person, 'manageGateway') ? detail : null,
        })),
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
    find: ({ backups }) => backupItem(backups.backup),
  },
  {
    kind: 'rehearsal',
    needs: 'manageGateway',
    of: 'gateway',
    find: ({ backups }) => backupItem(backups.rehearsal),
  },
  {
    kind: 'standby',
    needs: 'manageGateway',
    of: 'gateway',
    find: ({ backups }) => backupItem(backups.standby),
  },
  // Before the setup is complete, the item for the setup covers the missing partner.
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
    find: ({ images }) => countedItem('danger', { count: images.recovered, since: null }),
  },
  {
    kind: 'mismatches',
    needs: 'manageStudies',
    of: 'exams',
    find: ({ images }) => countedItem('danger', { count: images.mismatches, since: null }),
  },
  {
    kind: 'correction-notices',
    needs: null,
    of: 'exams',
    find: ({ notices }) => countedItem('danger', notices),
  },
  {
    kind: 'images-replaced',
    needs: 'manageStudies',
    of: 'exams',
    find: ({ images }) => countedItem('danger', { count: images.replaced, since: null }),
  },
  {
    kind: 'criticals-escalated',
    needs: 'writeReports',
    // Users who manage studies may also phone the clinician.
    alternativeNeeds: 'manageStudies',
    of: 'reading',
    find: ({ counts }) => countedItem('danger', counts.escalatedResults),
  },
  {
    kind: 'criticals',
    needs: 'writeReports',
    of: 'reading',
    find: ({ counts }) => countedItem('danger', counts.openCriticalResults),
  },
  {
    kind: 'addenda-needed',
    needs: 'writeReports',
    of: 'reading',
    find: ({ counts }) => countedItem('danger', counts.neededAddenda),
  },
  {
    kind: 'stat-unread',
    needs: 'writeReports',
    of: 'reading',
    find: ({ counts }) => countedItem('danger', counts.unreadStat),
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
      undelivered.disabledEndpoints.length === 0
        ? undefined
        : {
            tone: 'danger',
            count: undelivered.disabledEndpoints.length,
            detail: undelivered.disabledEndpoints[0]?.reason ?? null,
          },
  },
  {
    kind: 'downtime',
    // Any user may end downtime mode when the partner is available again.
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
      countedItem('warning', {
        count: callers.length,
        since: earliest(callers.map(({ firstAt }) => firstAt)),
      }),
  },
  {
    kind: 'workstations',
    needs: 'manageGateway',
    of: 'gateway',
    find: ({ workstations }) => countedItem('info', { count: workstations, since: null }),
  },
  {
    kind: 'quarantined',
    needs: 'manageStudies',
    of: 'exams',
    find: ({ images }) => countedItem('warning', { count: images.quarantined, since: null }),
  },
  {
    kind: 'forwards-failed',
    needs: 'manageStudies',
    of: 'exams',
    find: ({ forwards }) => countedItem('warning', { count: forwards.failed, since: null }),
  },
  {
    kind: 'exams-withheld',
    needs: null,
    of: 'exams',
    find: ({ exams }) => countedItem('warning', { count: exams.withheld, since: null }),
  },
  {
    kind: 'exams-overdue',
    needs: null,
    of: 'exams',
    find: ({ exams }) => countedItem('info', { count: exams.late, since: exams.lateSince }),
  },
  {
    kind: 'images-unplanned',
    needs: null,
    of: 'exams',
    find: ({ unplanned }) => countedItem('info', unplanned),
  },
  {
    kind: 'my-drafts',
    needs: null,
    of: 'reading',
    find: ({ counts }) => countedItem('info', counts.drafts),
  },
  {
    kind: 'addenda',
    needs: 'writeReports',
    of: 'reading',
    find: ({ counts }) => countedItem('info', counts.activeAddenda),
  },
  {
    kind: 'studies-waiting',
    needs: 'writeReports',
    of: 'reading',
    find: ({ counts }) => countedItem('warning', counts.unreadForADay),
  },
  {
    kind: 'events-failed',
    needs: 'manageGateway',
    of: 'gateway',
    find: ({ counts }) => countedItem('warning', counts.failedEvents),
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
    find: ({ counts }) => countedItem('info', counts.pendingInvitations),
  },
  {
    kind: 'certificate',
    needs: 'manageGateway',
    of: 'gateway',
    find: ({ certificates }) => {
      const expiringCertificates = certificates.filter(
        ({ isInUse, daysLeft }) => isInUse && daysLeft < CERTIFICATE_DAYS,
      )
      if (expiringCertificates.length === 0) return undefined
      return {
        tone: expiringCertificates.some(({ daysLeft }) => daysLeft < 7) ? 'danger' : 'warning',
        count: expiringCertificates.length,
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
