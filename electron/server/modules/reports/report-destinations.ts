import type { Context } from '#server/context.ts'
import { listWaitingOutboxJobs } from '#server/jobs/outbox-queries.ts'
import { endpointFor, signingSecrets } from '#server/modules/partners/targets.ts'
import { isStudyMismatched } from '#server/modules/studies/image-study-queries.ts'
import { findStudy } from '#server/modules/studies/study-queries.ts'
import { type Destination, REPORT_DELIVERED } from '#server/webhooks/deliveries.ts'
import { message } from '#shared/messages/message.ts'
import { findReport } from './report-queries.ts'

const MAX_CACHED_REPORTS = 10_000

/**
 * Determines the endpoint for the event of a report: that of the API key that created the study,
 * otherwise the default endpoint.
 */
export class ReportDestinations {
  readonly #context: Context
  /** The study of each report and the API key that created it, which never change. */
  readonly #studies = new Map<string, { key: string | null; studyInstanceUid: string }>()
  /**
   * The destination for each API key; cleared when the database changes. After an outage, thousands
   * of waiting reports are looked up in succession.
   */
  readonly #destinations = new Map<string | null, Destination>()
  #cachedAt = -1

  constructor(context: Context) {
    this.#context = context
  }

  /** The endpoint for the event of the report, or the reason why it has to wait. */
  of(reportId: string): Destination {
    const { database } = this.#context
    const { key, studyInstanceUid } = this.#studyOf(reportId)
    // Images that arrived after signing may belong to another patient.
    if (isStudyMismatched(database, studyInstanceUid))
      return { whyNot: message('reports.held-by-mismatch') }
    // Not cached within a transaction, which may be rolled back.
    if (database.inTransaction) return destinationOf(this.#context, key)
    if (database.changeCount !== this.#cachedAt) this.#destinations.clear()
    this.#cachedAt = database.changeCount
    const destination = this.#destinations.get(key) ?? destinationOf(this.#context, key)
    this.#destinations.set(key, destination)
    return destination
  }

  /** The number of waiting reports by endpoint ID, including disabled endpoints. */
  waiting(): ReadonlyMap<string, number> {
    const { database } = this.#context
    const counts = new Map<string, number>()
    const endpointIds = new Map<string | null, string | undefined>()
    for (const { subject } of listWaitingOutboxJobs(database, REPORT_DELIVERED)) {
      const { key } = this.#studyOf(subject)
      if (!endpointIds.has(key))
        endpointIds.set(key, endpointFor(database, REPORT_DELIVERED, key)?.endpointId)
      const endpointId = endpointIds.get(key)
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
    if (this.#studies.size >= MAX_CACHED_REPORTS) this.#studies.clear()
    if (report) this.#studies.set(reportId, found)
    return found
  }
}

function destinationOf(context: Context, key: string | null): Destination {
  const endpoint = endpointFor(context.database, REPORT_DELIVERED, key)
  if (!endpoint) return { whyNot: message('reports.no-endpoint') }
  if (endpoint.disabledAt !== null) return { whyNot: message('reports.endpoint-off') }
  if (signingSecrets(context, endpoint.endpointId).length === 0)
    return { whyNot: message('reports.endpoint-without-secret') }
  return { endpointId: endpoint.endpointId }
}
