import type { Context } from '#server/context.ts'
import {
  findLatestOutboxJob,
  type OutboxState,
  overdueOutboxJobs,
} from '#server/jobs/outbox-queries.ts'
import { listEvents } from '#server/modules/events/queries.ts'
import type { EventRecorder } from '#server/modules/events/recorder.ts'
import { findEndpoint, listEndpoints } from '#server/modules/partners/queries.ts'
import { disableEndpoint } from '#server/modules/partners/service.ts'
import { DISABLED_MESSAGES, endpointName } from '#server/modules/partners/targets.ts'
import { findStudy } from '#server/modules/studies/study-queries.ts'
import { instantOf } from '#server/platform/clock.ts'
import {
  Deliveries,
  type DeliveryAttempt,
  type DeliveryData,
  type Destination,
  REPORT_DELIVERED,
} from '#server/webhooks/deliveries.ts'
import type { Requester } from '#server/webhooks/request.ts'
import type { Delivery } from '#shared/contract/reports.ts'
import type { ReportId, StudyId } from '#shared/ids.ts'
import { type Message, message } from '#shared/messages/message.ts'
import { reportPdfUrl } from './pdf-links.ts'
import type { ReportDestinations } from './report-destinations.ts'
import { findReport } from './report-queries.ts'

/** How long a delivery may take before the window shows a warning. */
const OVERDUE_MS = 60 * 60_000

/**
 * Delivers signed reports to the partner once `begin` has been called, retries immediately when an
 * endpoint or the partner is reconfigured, and reports the outcome in the activity feed.
 */
export class ReportDeliveries extends Deliveries {
  readonly #recorder: EventRecorder
  readonly #destinations: ReportDestinations
  readonly #publicBase: () => string
  readonly #subscriptions = new DisposableStack()
  #isListening = false

  constructor(
    context: Context,
    requester: Requester,
    recorder: EventRecorder,
    destinations: ReportDestinations,
    publicBase: () => string,
  ) {
    super(context, requester)
    this.#recorder = recorder
    this.#destinations = destinations
    this.#publicBase = publicBase
    const { database, settings } = context
    const retrySoon = () => void setImmediate(() => this.#isListening && this.retry())
    this.#subscriptions.defer(database.subscribe('endpoints', retrySoon))
    // Reports of a study with a mismatch are held until it is resolved or overridden.
    this.#subscriptions.defer(database.subscribe('mismatches', retrySoon))
    this.#subscriptions.defer(
      settings.onChange((keys) => keys.some((key) => key.startsWith('partner.')) && retrySoon()),
    )
  }

  /** Starts delivering. Called when the gateway listens, so that the links in the events work. */
  begin(): void {
    this.#isListening = true
    this.wake()
  }

  protected isIdle(): boolean {
    return !this.#isListening
  }

  protected dataOf(reportId: string): DeliveryData | undefined {
    return deliveryData(this.context, this.#publicBase(), reportId)
  }

  protected destinationOf(reportId: string): Destination {
    return this.#destinations.of(reportId)
  }

  protected attempted(attempt: DeliveryAttempt): void {
    this.#recorder.attempted(attempt)
    this.context.database.afterCommit(() => this.#appendAttempt(attempt))
  }

  protected endpointGone(endpointId: string): void {
    const { database } = this.context
    if (!disableEndpoint(this.context, endpointId)) return
    const endpoint = findEndpoint(database, endpointId)
    const name = endpoint ? endpointName(endpoint) : ''
    const text = message('reports.endpoint-switched-off', { name })
    database.afterCommit(() => this.#append('danger', text, null))
  }

  /** Only the first failure and the final outcome are shown; the event log has every attempt. */
  #appendAttempt({ reportId, state, fault, attempts }: DeliveryAttempt): void {
    const { database } = this.context
    const report = findReport(database, reportId)
    const uid = (report && findStudy(database, report.studyId)?.studyInstanceUid) ?? null
    if (state === 'done') this.#append('good', message('reports.delivered'), uid)
    else if (fault && state === 'failed')
      this.#append('danger', message('reports.not-delivered', { fault }), uid)
    else if (fault && state === 'waiting' && attempts === 1)
      this.#append('warning', message('reports.delivery-tried-again', { fault }), uid)
  }

  #append(
    tone: 'good' | 'warning' | 'danger',
    text: Message,
    studyInstanceUid: string | null,
  ): void {
    this.context.feed.append({
      ...{ kind: 'partner', tone, text, studyInstanceUid },
      ...{ associationId: '', aeTitle: '', address: '' },
    })
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    this.#isListening = false
    this.#subscriptions.dispose()
    await super[Symbol.asyncDispose]()
  }
}

/** Overdue deliveries, and endpoints that are disabled. */
export interface UndeliveredReports {
  /** Number of reports that have been waiting for more than an hour. */
  readonly count: number
  /** When the oldest of them was signed. */
  readonly since: string | null
  /** The error of the last attempt. */
  readonly fault: Message | null
  readonly disabledEndpoints: readonly { readonly name: string; readonly reason: Message }[]
}

export const undeliveredReports = ({ database, clock }: Context): UndeliveredReports => ({
  ...overdueOutboxJobs(database, REPORT_DELIVERED, instantOf(clock() - OVERDUE_MS)),
  disabledEndpoints: listEndpoints(database)
    .filter(({ disabledAt }) => disabledAt !== null)
    .map((endpoint) => ({
      name: endpointName(endpoint),
      reason: DISABLED_MESSAGES[endpoint.disabledReason ?? 'person'],
    })),
})

/**
 * The data of a `report.delivered` event, with a new link to the PDF. Undefined if the report is
 * not signed, because an unsigned text never leaves the gateway. The event is sent to the endpoint
 * of the API key that created the study.
 */
export function deliveryData(
  context: Context,
  publicBase: string,
  reportId: string,
): DeliveryData | undefined {
  const report = findReport(context.database, reportId)
  const study = report && findStudy(context.database, report.studyId)
  if (report?.status !== 'completed' || !study) return undefined
  const { externalPatientId } = study.detail
  return {
    apiKeyId: study.createdByApiKeyId,
    data: {
      isCritical: report.isCritical ?? false,
      presignedUrl: reportPdfUrl(context, publicBase, reportId),
      reportId: reportId as ReportId,
      studyId: study.studyId as StudyId,
      studyInstanceUid: study.studyInstanceUid,
      ...(externalPatientId && { externalPatientId }),
      ...(report.plainText !== null && { plainText: report.plainText }),
    },
  }
}

const STATES: Readonly<Record<OutboxState, Delivery['state']>> = {
  waiting: 'waiting',
  sent: 'delivered',
  failed: 'failed',
  dropped: 'dropped',
}

/** The state of the delivery of a report to the partner. */
export function deliveryOf({ database }: Context, reportId: string): Delivery {
  const job = findLatestOutboxJob(database, REPORT_DELIVERED, reportId)
  const about = { subject: reportId }
  const [event] = listEvents(database, {
    ...{ type: REPORT_DELIVERED, show: 'all', about, limit: 1 },
  }).items
  return {
    state: job ? STATES[job.state] : 'none',
    attempts: job?.attempts ?? 0,
    nextAt: job?.state === 'waiting' ? job.notBefore : null,
    lastError: job?.lastError ?? null,
    deliveredAt: job?.state === 'sent' ? job.updatedAt : null,
    eventId: event?.eventId ?? null,
  }
}
