import type { Context } from '#server/context.ts'
import type { HttpApp } from '#server/http/http-app.ts'
import { serveAll } from '#server/http/operations.ts'
import { overdueOutboxJobs } from '#server/jobs/outbox-queries.ts'
import { backupHealth } from '#server/modules/backups/backup-health.ts'
import { listUnknownCallers } from '#server/modules/devices/unknown-caller-queries.ts'
import { summariseImages } from '#server/modules/images/image-study-list-queries.ts'
import { countUnscheduledStudies } from '#server/modules/reconciliation/reconciliation-queries.ts'
import { visibleCustomers } from '#server/modules/studies/study-access.ts'
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
import { countForToday, MOST_COUNTED } from './today-counts.ts'
import { itemsOf } from './today-items.ts'

/** An invitation that is in no mailbox after so long waits for something. */
const MAIL_LATE_MS = 10 * 60_000

/** Declares the call behind Today (`shared/contract/dashboard-today.ts`). */
export function serveToday(app: HttpApp, context: Context, live: LiveState): void {
  const look = todayOf(context, live)
  serveAll(app, dashboardToday, { today: ({ user }) => look(user) })
}

/**
 * What needs the person now, and the numbers of the day: counts along indexes, whatever the clinic
 * has stored.
 */
export function todayOf(context: Context, live: LiveState): (user: SignedInUser) => Promise<Today> {
  const { clock } = context
  const callerOf = windowCaller(context)

  return async (user) => {
    const now = clock()
    const timeZone = timeZoneOf(context.settings.get('clinic.timeZone'))
    const dayBegan = instantOf(startOfDay(clinicDay(now, timeZone), timeZone))
    const unplannedSince = instantOf(startOfDay(live.firstReconciledDay(), timeZone))
    const { userId } = user
    const customers = visibleCustomers(callerOf(user))
    const counts = countForToday(context.database, { userId, customers, now })
    const planned = await live.examsToday()
    const images = {
      ...summariseImages(context.database, dayBegan),
      recovered: live.recoveredFiles(),
    }
    const notices = live.correctionNotices(callerOf(user), MOST_COUNTED + 1)
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
    const items = itemsOf({
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
      exams: planned,
      unplanned: countUnscheduledStudies(context.database, unplannedSince, MOST_COUNTED + 1),
      mail: overdueOutboxJobs(context.database, INVITATION_MAIL, instantOf(now - MAIL_LATE_MS)),
      escalationMail: lateEscalationMail(context),
      certificates,
      advice: adviceFor(condition, 'without-items'),
      counts,
    })
    return {
      items,
      numbers: {
        exams: planned.all,
        examsBegun: planned.begun,
        examsCompleted: planned.completed,
        queries: countInspectionsSince(context.database, dayBegan).queries,
        imagesToday: images.today,
        receiving: images.receiving,
        unread: {
          count: Math.min(counts.unread.count, MOST_COUNTED),
          isMore: counts.unread.count > MOST_COUNTED,
        },
        signedToday: countSignedReports(context.database, dayBegan),
        devicesConnected: live.openAssociations(),
      },
      at: instantOf(now),
    }
  }
}

/** Every mail that waits, with why: the last failure, or that there is no mail server. */
function lateEscalationMail({ database, settings, clock }: Context) {
  const late = overdueOutboxJobs(database, ESCALATION_MAIL, instantOf(clock() + 1))
  const hasServer = settings.get('mail.host') !== null && settings.get('mail.from') !== null
  return { ...late, fault: hasServer ? late.fault : message('mail.no-server') }
}
