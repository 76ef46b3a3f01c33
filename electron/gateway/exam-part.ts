import { serveDashboardExams } from './dashboard/dashboard-exams.ts'
import type { ExamPorts } from './dashboard/ports.ts'
import { type DashboardTodayDeps, serveDashboardToday } from './dashboard/today.ts'
import { clinicDay, timeZoneOf } from './domain/clinic-day.ts'
import type { HttpApp } from './http/operations.ts'
import type { PartnerState } from './partner-state.ts'
import type { Parts } from './parts.ts'
import { openExamDesk } from './worklist/exam-desk.ts'
import type { Worklist } from './worklist/worklist.ts'

export interface ExamPart {
  /** The numbers of the day. */
  readonly today: ExamPorts['today']
  /** Declares the calls about the exams of a day, and Today. */
  serve(app: HttpApp, today: Pick<DashboardTodayDeps, 'ports' | 'auditTrail' | 'customersOf'>): void
}

/** Connects the exams of a day, from the worklist, with the window. */
export function openExamPart(
  parts: Parts,
  { worklist, partnerState }: { readonly worklist: Worklist; readonly partnerState: PartnerState },
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
  const asking = ({ userId, firstName, lastName }: { readonly userId: string; readonly firstName: string; readonly lastName: string }) => ({
    userId,
    name: `${firstName} ${lastName}`,
  })
  const ports: ExamPorts = {
    day: desk.day,
    today: desk.today,
    refresh: (day, asked, user) => desk.refresh(day, asked, asking(user)),
    explain: (ask, device, user) => desk.explain(ask, device, asking(user)),
  }
  return {
    today: ports.today,
    serve(app, today) {
      serveDashboardExams(app, { devices, ports, today: () => clinicDay(clock(), timeZoneOf(settings.get('clinic.timeZone'))) })
      serveDashboardToday(app, { ...parts, ...today, clock, exams: desk })
    },
  }
}
