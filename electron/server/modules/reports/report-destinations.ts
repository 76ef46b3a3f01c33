import type { Context } from '#server/context.ts'
import { endpointTaking, signingSecrets } from '#server/modules/partners/targets.ts'

const EVENT = 'report.delivered'
const MOST_KNOWN = 10_000
const HELD_BY_MISMATCH =
  'the images of the study differ from the worklist or the study in the patient or the exam'

interface ReportStudy {
  /** Of the partner that created the study. */
  readonly key: string | null
  readonly studyInstanceUid: string
}

/** Where a report's event goes now: an endpoint, or why it has to wait. */
export type ReportDestination = { readonly endpointId: string } | { readonly whyNot: string }

export type ReportDestinations = ReturnType<typeof openReportDestinations>

/**
 * Reports and the endpoints they are for: that of the key that created the study, else the
 * clinic's own.
 */
export function openReportDestinations(context: Context) {
  const { reports, studies, imageStudies, outbox, database } = context
  /** The study of a report never changes, nor does its key. */
  const studiesOf = new Map<string, ReportStudy>()

  function studyOf(reportId: string): ReportStudy {
    const known = studiesOf.get(reportId)
    if (known !== undefined) return known
    const report = reports.get(reportId)
    const study = report && studies.get(report.studyId)
    const found = {
      key: study?.createdByApiKeyId ?? null,
      studyInstanceUid: study?.studyInstanceUid ?? '',
    }
    if (studiesOf.size >= MOST_KNOWN) studiesOf.clear()
    if (report) studiesOf.set(reportId, found)
    return found
  }

  /**
   * Of each key, while nothing changed: thousands of reports that waited out an outage are asked
   * about in one go.
   */
  const known = new Map<string | null, ReportDestination>()
  let knownAt = -1

  function destinationOf(key: string | null): ReportDestination {
    const taker = endpointTaking(database, EVENT, key)
    if (!taker) return { whyNot: 'no endpoint takes reports' }
    if (taker.disabledAt !== null) return { whyNot: 'its endpoint is switched off' }
    if (signingSecrets(context, taker.endpointId).length === 0)
      return { whyNot: 'its endpoint has no signing secret' }
    return { endpointId: taker.endpointId }
  }

  return {
    of(reportId: string): ReportDestination {
      const { key, studyInstanceUid } = studyOf(reportId)
      // Images that arrived after the signature may be of another patient than the report.
      if (imageStudies.isMismatched(studyInstanceUid)) return { whyNot: HELD_BY_MISMATCH }
      // What a transaction sees may still be rolled back.
      if (database.inTransaction) return destinationOf(key)
      const version = database.changeCount
      if (version !== knownAt) known.clear()
      knownAt = version
      const destination = known.get(key) ?? destinationOf(key)
      known.set(key, destination)
      return destination
    },
    /** Reports that wait, by the endpoint they are for, also where it is switched off. */
    waiting(): ReadonlyMap<string, number> {
      const counts = new Map<string, number>()
      const takers = new Map<string | null, string | undefined>()
      for (const { subject } of outbox.waiting(EVENT)) {
        const { key } = studyOf(subject)
        if (!takers.has(key)) takers.set(key, endpointTaking(database, EVENT, key)?.endpointId)
        const endpointId = takers.get(key)
        if (endpointId !== undefined) counts.set(endpointId, (counts.get(endpointId) ?? 0) + 1)
      }
      return counts
    },
  }
}
