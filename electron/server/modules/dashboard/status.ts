import type { Context } from '#server/context.ts'
import { serveFeedEvents } from '#server/http/feed-routes.ts'
import type { HttpApp } from '#server/http/http-app.ts'
import { serveAll } from '#server/http/operations.ts'
import type { CollectorFault } from '#server/modules/audit/audit-collector.ts'
import type { AuditTrail } from '#server/modules/audit/audit-trail.ts'
import type { openNotices } from '#server/modules/corrections/correction-notices.ts'
import { countUnknownCallers } from '#server/modules/devices/unknown-caller-queries.ts'
import type { DiskForecast } from '#server/modules/images/disk-forecast.ts'
import { summariseImages } from '#server/modules/images/image-study-list-queries.ts'
import type { UndeliveredReports } from '#server/modules/reports/report-delivery.ts'
import type { UserCaller } from '#server/modules/users/caller.ts'
import { currentDowntime } from '#server/modules/worklist/downtime.ts'
import { countInspectionsSince } from '#server/modules/worklist/inspection-queries.ts'
import type { TodaysExams } from '#server/modules/worklist/schedule.ts'
import { clinicDay, startOfDay, timeZoneOf } from '#server/platform/clinic-day.ts'
import { instantOf } from '#server/platform/clock.ts'
import { type WriteHealth, writeFaultMessage } from '#server/platform/write-health.ts'
import {
  type Certificate,
  dashboardStatus,
  type PartnerStatus,
  type Status,
} from '#shared/contract/dashboard.ts'
import type { KeyStoreState } from '#shared/contract/shell.ts'
import { adviceFor, conditionOf } from './advice.ts'
import { type BannerState, bannerOf } from './banner.ts'

/** Functions that return the current state of the gateway's services. */
export interface LiveState {
  readonly auditTrail: AuditTrail
  readonly collectorFault: () => CollectorFault | undefined
  readonly listeners: () => Status['listeners']
  readonly partner: () => PartnerStatus
  readonly openAssociations: () => number
  /** The number, up to `most`, and age of correction notices that require action by a user. */
  readonly correctionNotices: (caller: UserCaller, most: number) => ReturnType<typeof openNotices>
  /** Number of files in the recovery folder. */
  readonly recoveredFiles: () => number
  /** State of the image storage. */
  readonly storage: () => Status['storage']
  /** When the disk will be too full to accept images. */
  readonly forecast: () => DiskForecast
  /** Number of waiting and failed instances of all destinations. */
  readonly forwards: () => Status['forwards']
  readonly undelivered: () => UndeliveredReports
  /** How the data key is stored, if the desktop app has reported it. */
  readonly keyStore: () => KeyStoreState | undefined
  readonly certificates: () => Certificate[]
  readonly examsToday: () => Promise<TodaysExams>
  /** The first day for which exams without an order are counted, `YYYY-MM-DD`. */
  readonly firstReconciledDay: () => string
}

/** The current state from which the banner is derived. */
export const situationOf = (context: Context, live: LiveState): BannerState => ({
  isSafe: context.isSafe,
  listeners: live.listeners(),
  partner: live.partner(),
  downtime: currentDowntime(context),
  storage: live.storage(),
  records: recordsOf(context.writeHealth),
  audit: live.auditTrail.latest,
  undelivered: live.undelivered(),
  keyStore: live.keyStore(),
  now: context.clock(),
  timeZone: timeZoneOf(context.settings.get('clinic.timeZone')),
  storedMinutes: context.settings.get('worklist.storedMinutes'),
  downtimeHours: context.settings.get('worklist.downtimeHours'),
})

/** Whether the gateway can write its records. */
export function recordsOf(health: WriteHealth): Status['records'] {
  const fault = health.fault()
  return fault
    ? { state: fault.kind, since: instantOf(fault.since), detail: writeFaultMessage(fault) }
    : { state: 'ok', since: null, detail: null }
}

/**
 * Registers the status operations. The time of the call is reported as the start of the gateway.
 */
export function serveStatus(app: HttpApp, context: Context, live: LiveState): void {
  const startedAt = instantOf(context.clock())
  serveAll(app, dashboardStatus, {
    status: () => ({ ...statusNow(context, live), startedAt }),
    feed({ query }) {
      const { items, ...rest } = context.feed.latest(query)
      return { lines: items, ...rest }
    },
  })
  serveFeedEvents(app, context.feed)
}

function statusNow(context: Context, live: LiveState): Omit<Status, 'startedAt'> {
  const situation = situationOf(context, live)
  const { listeners, partner, downtime, storage, now, timeZone } = situation
  const today = instantOf(startOfDay(clinicDay(now, timeZone), timeZone))
  const images = { ...summariseImages(context.database, today), recovered: live.recoveredFiles() }
  const forwards = live.forwards()
  const unknownCallers = countUnknownCallers(context.database)
  const certificates = live.certificates()
  return {
    ...{ listeners, partner, downtime, storage, records: recordsOf(context.writeHealth) },
    banner: bannerOf(situation),
    today: countInspectionsSince(context.database, today),
    images,
    forwards,
    unknownCallers,
    openAssociations: live.openAssociations(),
    advice: adviceFor(
      conditionOf(context, { images, forwards, unknownCallers, listeners, certificates }),
    ),
    clinicTimeZone: timeZone,
  }
}
