import type { Store } from '#gateway/store/store.ts'
import type { EventTargets } from './event-targets.ts'

const EVENT = 'report.delivered'
const MOST_KNOWN = 10_000

/** Where a report's event goes now: an endpoint, or why it has to wait. */
export type ReportDestination = { readonly endpointId: string } | { readonly whyNot: string }

export interface ReportDestinations {
  of(reportId: string): ReportDestination
  /** Reports that wait, by the endpoint they are for, also where it is switched off. */
  waiting(): ReadonlyMap<string, number>
}

/** Reports and the endpoints they are for (interface-choices §6 row 50): that of the key that created the study, else the clinic's own. */
export function openReportDestinations(
  { reports, studies, outbox, database }: Pick<Store, 'reports' | 'studies' | 'outbox' | 'database'>,
  targets: Pick<EventTargets, 'takerOf' | 'secretsOf'>,
): ReportDestinations {
  /** The key of a report's study never changes. */
  const keys = new Map<string, string | null>()

  function keyOf(reportId: string): string | null {
    const known = keys.get(reportId)
    if (known !== undefined) return known
    const report = reports.get(reportId)
    const key = (report && studies.get(report.studyId)?.createdByApiKeyId) ?? null
    if (keys.size >= MOST_KNOWN) keys.clear()
    if (report) keys.set(reportId, key)
    return key
  }

  /** Of each key, while nothing changed: thousands of reports that waited out an outage are asked about in one go. */
  const known = new Map<string | null, ReportDestination>()
  let knownAt = -1

  function destinationOf(key: string | null): ReportDestination {
    const taker = targets.takerOf(EVENT, key)
    if (!taker) return { whyNot: 'no endpoint takes reports' }
    if (taker.disabledAt !== null) return { whyNot: 'its endpoint is switched off' }
    if (targets.secretsOf(taker.endpointId).length === 0) return { whyNot: 'its endpoint has no signing secret' }
    return { endpointId: taker.endpointId }
  }

  return {
    of(reportId) {
      const key = keyOf(reportId)
      // What a transaction sees may still be rolled back.
      if (database.inTransaction) return destinationOf(key)
      const version = database.changeCount
      if (version !== knownAt) known.clear()
      knownAt = version
      const destination = known.get(key) ?? destinationOf(key)
      known.set(key, destination)
      return destination
    },
    waiting() {
      const counts = new Map<string, number>()
      const takers = new Map<string | null, string | undefined>()
      for (const { subject } of outbox.waiting(EVENT)) {
        const key = keyOf(subject)
        if (!takers.has(key)) takers.set(key, targets.takerOf(EVENT, key)?.endpointId)
        const endpointId = takers.get(key)
        if (endpointId !== undefined) counts.set(endpointId, (counts.get(endpointId) ?? 0) + 1)
      }
      return counts
    },
  }
}
