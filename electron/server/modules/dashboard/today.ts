import type { HttpApp } from '#server/http/http-app.ts'
import { serveAll } from '#server/http/operations.ts'
import { upkeepHealth } from '#server/modules/backups/backup-health.ts'
import { visibleCustomers } from '#server/modules/studies/study-access.ts'
import { windowCaller } from '#server/modules/users/caller.ts'
import { needsSecondFactor } from '#server/modules/users/second-factor.ts'
import { workstationsAsking } from '#server/modules/users/workstation-queries.ts'
import { clinicDay, startOfDay, timeZoneOf } from '#server/platform/clinic-day.ts'
import { instantOf } from '#server/platform/clock.ts'
import { dashboardToday, type Today } from '#shared/contract/dashboard-today.ts'
import type { SignedInUser } from '#shared/contract/people.ts'
import { adviceFor, conditionOf } from './advice.ts'
import type { DashboardDeps } from './deps.ts'
import type { DashboardPorts, ExamPorts, ReconciliationPort } from './ports.ts'
import { recordsOf } from './status.ts'
import { itemsOf, MOST_COUNTED } from './today-items.ts'

export interface DashboardTodayDeps
  extends Pick<
    DashboardDeps,
    'store' | 'clock' | 'auditTrail' | 'settings' | 'devices' | 'downtime'
  > {
  readonly ports: Pick<
    DashboardPorts,
    | 'isSafe'
    | 'collectorFault'
    | 'listenerStatus'
    | 'partnerStatus'
    | 'openAssociations'
    | 'storage'
    | 'recoveredFiles'
    | 'correctionNotices'
    | 'forwards'
    | 'undelivered'
    | 'certificates'
  >
  readonly exams: Pick<ExamPorts, 'today'>
  readonly reconciliation: Pick<ReconciliationPort, 'firstDay'>
}

const HOUR_MS = 60 * 60_000
const DAY_MS = 24 * HOUR_MS
/** An invitation that is in no mailbox after so long waits for something. */
const MAIL_LATE_MS = 10 * 60_000
const OPEN_STATUSES = ['unassigned', 'assigned', 'in_progress'] as const

/** Declares the call behind Today (`shared/contract/dashboard-today.ts`). */
export function serveDashboardToday(app: HttpApp, deps: DashboardTodayDeps): void {
  const look = todayOf(deps)
  serveAll(app, dashboardToday, { today: ({ user }) => look(user) })
}

/**
 * What needs the person now, and the numbers of the day: counts along indexes, whatever the clinic
 * has stored.
 */
export function todayOf(deps: DashboardTodayDeps): (user: SignedInUser) => Promise<Today> {
  const { store, clock, auditTrail, settings, downtime, ports, exams, reconciliation } = deps
  const callerOf = windowCaller(store)

  return async (user) => {
    const now = clock()
    const timeZone = timeZoneOf(settings.get('clinic.timeZone'))
    const dayBegan = instantOf(startOfDay(clinicDay(now, timeZone), timeZone))
    const unplannedSince = instantOf(startOfDay(reconciliation.firstDay(), timeZone))
    const customers = visibleCustomers(callerOf(user))
    const planned = await exams.today()
    const images = { ...store.imageStudies.summary(dayBegan), recovered: ports.recoveredFiles() }
    const notices = ports.correctionNotices(callerOf(user), MOST_COUNTED + 1)
    const forwards = ports.forwards()
    const callers = store.callers.list()
    const listeners = ports.listenerStatus()
    const certificates = ports.certificates()
    const condition = conditionOf({
      ...deps,
      listeners,
      images,
      forwards,
      certificates,
      unknownCallers: callers.length,
    })
    const items = itemsOf({
      now,
      person: user,
      needsSecondFactor: needsSecondFactor(store, user),
      isSafe: ports.isSafe,
      isSetUp: settings.get('setup.isDone'),
      listeners,
      storage: ports.storage(),
      records: recordsOf(store.writeHealth),
      partner: ports.partnerStatus(),
      downtime: downtime.current(),
      audit: auditTrail.latest,
      anchorFault: store.audit.anchorFault,
      collectorFault: ports.collectorFault(),
      upkeep: upkeepHealth({ store, clock, settings }),
      images,
      notices,
      forwards,
      undelivered: ports.undelivered(),
      callers,
      workstations: workstationsAsking(store.database),
      exams: planned,
      unplanned: store.examFacts.unplanned(unplannedSince, MOST_COUNTED + 1),
      mail: store.outbox.overdue('invitation.mail', instantOf(now - MAIL_LATE_MS)),
      certificates,
      advice: adviceFor(condition, 'without-items'),
      counts: store.todayCounts,
      customers,
      dayAgo: instantOf(now - DAY_MS),
      threeDaysAgo: instantOf(now - 3 * DAY_MS),
    })
    const unread = store.todayCounts.unread({
      statuses: OPEN_STATUSES,
      severities: ['stat', 'high', 'normal'],
      customers,
      most: MOST_COUNTED + 1,
    })
    return {
      items,
      numbers: {
        exams: planned.all,
        examsBegun: planned.begun,
        examsCompleted: planned.completed,
        queries: store.inspections.today(dayBegan).queries,
        imagesToday: images.today,
        receiving: images.receiving,
        unread: {
          count: Math.min(unread.count, MOST_COUNTED),
          isMore: unread.count > MOST_COUNTED,
        },
        signedToday: store.todayCounts.signed(dayBegan),
        devicesConnected: ports.openAssociations(),
      },
      at: instantOf(now),
    }
  }
}
