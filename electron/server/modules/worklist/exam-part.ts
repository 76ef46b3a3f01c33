import type { HttpApp } from '#server/http/http-app.ts'
import type { ExamPorts } from '#server/modules/dashboard/ports.ts'
import { type DashboardTodayDeps, serveDashboardToday } from '#server/modules/dashboard/today.ts'
import type { Intake } from '#server/modules/images/intake.ts'
import type { PartnerState } from '#server/modules/partners/state.ts'
import {
  openReconciliation,
  type Reconciliation,
} from '#server/modules/reconciliation/reconciliation.ts'
import {
  type DashboardReconciliationDeps,
  serveDashboardReconciliation,
} from '#server/modules/reconciliation/reconciliation-routes.ts'
import type { Parts } from '#server/parts.ts'
import { clinicDay, timeZoneOf, wallClock } from '#server/platform/clinic-day.ts'
import { msOf } from '#server/platform/clock.ts'
import type { ExamDay } from '#shared/contract/dashboard-exams.ts'
import { type DashboardExamsDeps, serveDashboardExams } from './schedule-routes.ts'
import { openExamDesk } from './schedule-service.ts'
import type { Worklist } from './worklist.ts'
import { renderWorklistSheet } from './worklist-sheet.ts'

export interface ExamPart {
  /** The numbers of the day. */
  readonly today: ExamPorts['today']
  /** Declares the calls about the exams of a day, and Today. */
  serve(
    app: HttpApp,
    today: Pick<DashboardTodayDeps, 'ports' | 'auditTrail'> &
      Pick<DashboardReconciliationDeps & DashboardExamsDeps, 'feed'>,
  ): void
  readonly reconciliation: Reconciliation
}

/** Connects the exams of a day, from the worklist, with the window. */
export function openExamPart(
  parts: Parts,
  {
    worklist,
    partnerState,
    intake,
  }: {
    readonly worklist: Worklist
    readonly partnerState: PartnerState
    readonly intake: Pick<Intake, 'orderChanged'>
  },
): ExamPart {
  const { deps, store, settings, devices, performedSteps } = parts
  const { clock } = deps
  const desk = openExamDesk({
    store,
    clock,
    setting: settings.get,
    devices: devices.list,
    callers: devices.callers,
    performedSteps,
    worklist,
    partner() {
      const { state, fault, downSince } = partnerState.status()
      return state === 'unset' ? { fault: 'no-endpoint', since: null } : { fault, since: downSince }
    },
  })
  const reconciliation = openReconciliation({
    ...deps,
    setting: settings.get,
    scheduled: desk.scheduled,
    orderChanged: intake.orderChanged,
  })
  const asking = ({
    userId,
    firstName,
    lastName,
  }: {
    readonly userId: string
    readonly firstName: string
    readonly lastName: string
  }) => ({
    userId,
    name: `${firstName} ${lastName}`,
  })
  const ports: ExamPorts = {
    day: desk.day,
    today: desk.today,
    refresh: (day, asked, user) => desk.refresh(day, asked, asking(user)),
    explain: (ask, device, user) => desk.explain(ask, device, asking(user)),
  }
  const zone = () => timeZoneOf(settings.get('clinic.timeZone'))
  const shown = (instant: number) => wallClock(instant, zone()).time.slice(0, 5)
  const print = (day: ExamDay, language: 'en' | 'es') =>
    renderWorklistSheet({
      ...{
        day,
        language,
        clinicName: settings.get('clinic.name'),
        paper: settings.get('reports.paper'),
      },
      listedAt: day.source.receivedAt === null ? '' : shown(msOf(day.source.receivedAt)),
      printedAt: `${clinicDay(clock(), zone())} ${shown(clock())}`,
    })
  return {
    today: ports.today,
    reconciliation,
    serve(app, today) {
      serveDashboardExams(app, {
        devices,
        ports,
        today: () => clinicDay(clock(), zone()),
        print,
        feed: today.feed,
      })
      serveDashboardReconciliation(app, { ...parts, ...today, reconciliation })
      serveDashboardToday(app, { ...parts, ...today, clock, exams: desk, reconciliation })
    },
  }
}
