import { clinicDay, startOfDay, timeZoneOf } from '#server/platform/clinic-day.ts'
import { instantOf } from '#server/platform/clock.ts'
import { type WriteHealth, writeFaultSentence } from '#server/platform/write-health.ts'
import type { Status } from '#shared/contract/dashboard.ts'
import { adviceFor, conditionOf } from './advice.ts'
import { bannerOf, type Situation } from './banner.ts'
import type { DashboardDeps, DashboardHandlers } from './deps.ts'

type SituationDeps = Pick<
  DashboardDeps,
  'store' | 'auditTrail' | 'clock' | 'settings' | 'downtime' | 'ports'
>

/** What the line across the window is drawn from, as it is now. */
export const situationOf = ({
  store,
  auditTrail,
  clock,
  settings,
  downtime,
  ports,
}: SituationDeps): Situation => ({
  isSafe: ports.isSafe,
  listeners: ports.listenerStatus(),
  partner: ports.partnerStatus(),
  downtime: downtime.current(),
  storage: ports.storage(),
  records: recordsOf(store.writeHealth),
  audit: auditTrail.latest,
  undelivered: ports.undelivered(),
  keyStore: ports.keyStore?.(),
  now: clock(),
  timeZone: timeZoneOf(settings.get('clinic.timeZone')),
  storedMinutes: settings.get('worklist.storedMinutes'),
  downtimeHours: settings.get('worklist.downtimeHours'),
})

/** Whether what the gateway records of its work can be written. */
export function recordsOf(health: WriteHealth): Status['records'] {
  const fault = health.fault()
  return fault
    ? { state: fault.kind, since: instantOf(fault.since), detail: writeFaultSentence(fault) }
    : { state: 'ok', since: null, detail: '' }
}

/** The gateway at a glance. `startedAt` is when the handlers were made. */
export function statusHandlers(
  deps: SituationDeps & Pick<DashboardDeps, 'devices'>,
): Pick<DashboardHandlers, 'status'> {
  const { store, clock, settings, devices, ports } = deps
  const startedAt = instantOf(clock())
  return {
    status() {
      const situation = situationOf(deps)
      const { listeners, partner, downtime, storage, now, timeZone } = situation
      const today = instantOf(startOfDay(clinicDay(now, timeZone), timeZone))
      const images = { ...store.imageStudies.summary(today), recovered: ports.recoveredFiles() }
      const forwards = ports.forwards()
      const unknownCallers = store.callers.count()
      return {
        ...{ listeners, partner, downtime, storage, records: recordsOf(store.writeHealth) },
        banner: bannerOf(situation),
        today: store.inspections.today(today),
        images,
        forwards,
        unknownCallers,
        openAssociations: ports.openAssociations(),
        advice: adviceFor(
          conditionOf({
            ...{ store, settings, devices, images, forwards, unknownCallers },
            listeners,
            certificates: ports.certificates(),
          }),
        ),
        startedAt,
        clinicTimeZone: timeZone,
      }
    },
  }
}
