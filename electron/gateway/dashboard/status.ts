import { clinicDay, startOfDay, timeZoneOf } from '#gateway/domain/clinic-day.ts'
import { instantOf } from '#gateway/store/clock.ts'
import { adviceFor, conditionOf } from './advice.ts'
import { bannerOf } from './banner.ts'
import type { DashboardDeps } from './deps.ts'
import type { DashboardHandlers } from './handlers.ts'

/** The gateway at a glance. `startedAt` is when the handlers were made. */
export function statusHandlers({
  store,
  auditTrail,
  clock,
  settings,
  devices,
  downtime,
  partnerEndpoint,
  ports,
}: Pick<DashboardDeps, 'store' | 'auditTrail' | 'clock' | 'settings' | 'devices' | 'downtime' | 'partnerEndpoint' | 'ports'>): Pick<
  DashboardHandlers,
  'status'
> {
  const startedAt = instantOf(clock())
  return {
    status() {
      const now = clock()
      const timeZone = timeZoneOf(settings.get('clinic.timeZone'))
      const state = {
        listeners: ports.listenerStatus(),
        partner: ports.partnerStatus(),
        downtime: downtime.current(),
        storage: ports.storage(),
      }
      const today = instantOf(startOfDay(clinicDay(now, timeZone), timeZone))
      const images = store.imageStudies.summary(today)
      const forwards = ports.forwards()
      const unknownCallers = store.callers.count()
      return {
        ...state,
        banner: bannerOf({
          ...state,
          audit: auditTrail.latest,
          undelivered: ports.undelivered(),
          now,
          timeZone,
          storedMinutes: settings.get('worklist.storedMinutes'),
          downtimeHours: settings.get('worklist.downtimeHours'),
        }),
        today: store.inspections.today(today),
        images,
        forwards,
        unknownCallers,
        openAssociations: ports.openAssociations(),
        advice: adviceFor(
          conditionOf({
            ...{ store, settings, devices, partnerEndpoint, images, forwards, unknownCallers },
            listeners: state.listeners,
            certificates: ports.certificates(),
          }),
        ),
        startedAt,
        clinicTimeZone: timeZone,
      }
    },
  }
}
