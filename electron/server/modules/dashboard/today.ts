import type { Context } from '#server/context.ts'
import type { HttpApp } from '#server/http/http-app.ts'
import { serveAll } from '#server/http/operations.ts'
import { overdueOutboxJobs } from '#server/jobs/outbox-queries.ts'
import { backupHealth } from '#server/modules/backups/backup-health.ts'
import { listUnknownCallers } from '#server/modules/devices/unknown-caller-queries.ts'
import { summariseImages } from '#server/modules/images/image-study-list-queries.ts'
import { countUnscheduledStudies } from '#server/modules/reconciliation/reconciliation-queries.ts'
import { visibleCustomerIds } from '#server/modules/studies/study-access.ts'
import { windowCaller } from '#server/modules/users/caller.ts'
import { needsSecondFactor } from '#server/modules/users/second-factor.ts'
import { countPendingWorkstations } from '#server/modules/users/workstation-queries.ts'
import { currentDowntime } from '#server/modules/worklist/downtime.ts'
import { countInspectionsSince } from '#server/modules/worklist/inspection-queries.ts'
import { clinicDay, startOfDay, timeZoneOf } from '#server/platform/clinic-day.ts'
import { instantOf } from '#server/platform/clock.ts'
import { dashboardToday, type Today } from '#shared/contract/dashboard-today.ts'
import { ESCALATION_MAIL, INVITATION_MAIL } from '#shared/contract/mail.ts'
import type { SignedInUser } from '#shared/contract/people.ts'
import { message } from '#shared/messages/message.ts'
import { adviceFor, conditionOf } from './advice.ts'
import { type LiveState, recordsOf } from './status.ts'
import { countSignedReports } from './today-count-queries.ts'
import { countForToday, MAX_COUNT } from './today-counts.ts'
import { todayItems } from './today-items.ts'

/** An invitation that has not been delivered after this time is reported as delayed. */
const MAIL_DELAYED_MS = 10 * 60_000

/** Registers the Today operation (`shared/contract/dashboard-today.ts`). */
export function serveToday(app: HttpApp, context: Context, live: LiveState): void {
  const today = todayOf(context, live)
  serveAll(app, dashboardToday, { today: ({ user }) => today(user) })
}

/**
 * Returns a function that computes a user's Today items and figures. Counts use indexes, so that
 * their cost does not grow with the data.
 */
export function todayOf(context: Context, live: LiveState): (user: SignedInUser) => Promise<Today> {
  const { clock } = context
  const callerOf = windowCaller(context)

  return async (user) => {
    const now = clock()
    const timeZone = timeZoneOf(context.settings.get('clinic.timeZone'))
    const dayStart = instantOf(startOfDay(clinicDay(now, timeZone), timeZone))
    const unplannedSince = instantOf(startOfDay(live.firstReconciledDay(), timeZone))
    const { userId } = user
    const customers = visibleCustomerIds(callerOf(user))
    const counts = countForToday(context.database, { userId, customers, now })
    const examsToday = await live.examsToday()
    const images = {
      ...summariseImages(context.database, dayStart),
      recovered: live.recoveredFiles(),
    }
    const notices = live.correctionNotices(callerOf(user), MAX_COUNT + 1)
    const forwards = live.forwards()
    const callers = listUnknownCallers(context.database)
    const listeners = live.listeners()
    const certificates = live.certificates()
    const condition = conditionOf(context, {
      listeners,
      images,
      forwards,
      certificates,
      unknownCallers: callers.length,
    })
    const items = todayItems({
      now,
      person: user,
      customers,
      needsSecondFactor: needsSecondFactor(context, user),
      isSafe: context.isSafe,
      isSetUp: context.settings.get('setup.isDone'),
      listeners,
      storage: live.storage(),
      forecast: live.forecast(),
      records: recordsOf(context.writeHealth),
      partner: live.partner(),
      downtime: currentDowntime(context),
      audit: live.auditTrail.latest,
      anchorFault: context.audit.anchorFault,
      collectorFault: live.collectorFault(),
      backups: backupHealth(context),
      images,
      notices,
      forwards,
      undelivered: live.undelivered(),
      callers,
      workstations: countPendingWorkstations(context.database),
      exams: examsToday,
      unplanned: countUnscheduledStudies(context.database, unplannedSince, MAX_COUNT + 1),
      mail: overdueOutboxJobs(context.database, INVITATION_MAIL, instantOf(now - MAIL_DELAYED_MS)),
      escalationMail: delayedEscalationMail(context),
      certificates,
      advice: adviceFor(condition, 'without-items'),
      counts,
    })
    return {
      items,
      numbers: {
        exams: examsToday.all,
        examsBegun: examsToday.begun,
        examsCompleted: examsToday.completed,
        queries: countInspectionsSince(context.database, dayStart).queries,
        imagesToday: images.today,
        receiving: images.receiving,
        unread: {
          count: Math.min(counts.unread.count, MAX_COUNT),
          isMore: counts.unread.count > MAX_COUNT,
        },
        signedToday: countSignedReports(context.database, dayStart),
        devicesConnected: live.openAssociations(),
      },
      at: instantOf(now),
    }
  }
}

/** All waiting mails, and why: the last failure, or that no mail server is configured. */
function delayedEscalationMail({ database, settings, clock }: Context) {
  const overdue = overdueOutboxJobs(database, ESCALATION_MAIL, instantOf(clock() + 1))
  const hasServer = settings.get('mail.host') !== null && settings.get('mail.from') !== null
  return { ...overdue, fault: hasServer ? overdue.fault : message('mail.no-server') }
}
