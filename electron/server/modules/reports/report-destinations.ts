import type { Context } from '#server/context.ts'
import { listWaitingOutboxJobs } from '#server/jobs/outbox-queries.ts'
import { endpointFor, signingSecrets } from '#server/modules/partners/targets.ts'
import { isStudyMismatched } from '#server/modules/studies/image-study-queries.ts'
import { findStudy } from '#server/modules/studies/study-queries.ts'
import { type Destination, REPORT_DELIVERED } from '#server/webhooks/deliveries.ts'
import { message } from '#shared/messages/message.ts'
import { findReport } from './report-queries.ts'

const MOST_KNOWN = 10_000

/**
 * The endpoint that takes the event of a report: that of the key that created the study, else the
 * clinic's own.
 */
export class ReportDestinations {
  readonly #context: Context
  /**
   * Of each report its study and the key of the partner that created it, which never change.
   */
  readonly #studies = new Map<string, { key: string | null; studyInstanceUid: string }>()
  /**
   * Of each key, while nothing changed in the database: thousands of reports that waited out an
   * outage are asked about in one go.
   */
  readonly #destinations = new Map<string | null, Destination>()
  #knownAt = -1

  constructor(context: Context) {
    this.#context = context
  }

  /** Where the event of the report goes now, or why it has to wait. */
  of(reportId: string): Destination {
    const { database } = this.#context
    const { key, studyInstanceUid } = this.#studyOf(reportId)
    // Images that arrived after the signature may be of another patient than the report.
    if (isStudyMismatched(database, studyInstanceUid))
      return { whyNot: message('reports.held-by-mismatch') }
    // What a transaction sees may still be rolled back.
    if (database.inTransaction) return destinationOf(this.#context, key)
    if (database.changeCount !== this.#knownAt) this.#destinations.clear()
    this.#knownAt = database.changeCount
    const destination = this.#destinations.get(key) ?? destinationOf(this.#context, key)
    this.#destinations.set(key, destination)
    return destination
  }

  /** Reports that wait, counted by the endpoint they are for, also where it is switched off. */
  waiting(): ReadonlyMap<string, number> {
    const { database } = this.#context
    const counts = new Map<string, number>()
    const takers = new Map<string | null, string | undefined>()
    for (const { subject } of listWaitingOutboxJobs(database, REPORT_DELIVERED)) {
      const { key } = this.#studyOf(subject)
      if (!takers.has(key))
        takers.set(key, endpointFor(database, REPORT_DELIVERED, key)?.endpointId)
      const endpointId = takers.get(key)
      if (endpointId !== undefined) counts.set(endpointId, (counts.get(endpointId) ?? 0) + 1)
    }
    return counts
  }

  #studyOf(reportId: string) {
    const known = this.#studies.get(reportId)
    if (known !== undefined) return known
    const report = findReport(this.#context.database, reportId)
    const study = report && findStudy(this.#context.database, report.studyId)
    const found = {
      key: study?.createdByApiKeyId ?? null,
      studyInstanceUid: study?.studyInstanceUid ?? '',
    }
    if (this.#studies.size >= MOST_KNOWN) this.#studies.clear()
    if (report) this.#studies.set(reportId, found)
    return found
  }
}

function destinationOf(context: Context, key: string | null): Destination {
  const taker = endpointFor(context.database, REPORT_DELIVERED, key)
  if (!taker) return { whyNot: message('reports.no-endpoint') }
  if (taker.disabledAt !== null) return { whyNot: message('reports.endpoint-off') }
  if (signingSecrets(context, taker.endpointId).length === 0)
    return { whyNot: message('reports.endpoint-without-secret') }
  return { endpointId: taker.endpointId }
}
