import type { Feed } from '#server/modules/dashboard/feed.ts'
import type { UndeliveredReports } from '#server/modules/dashboard/ports.ts'
import type { EventRecorder } from '#server/modules/events/recorder.ts'
import { findEndpoint, listEndpoints } from '#server/modules/partners/queries.ts'
import { switchOffEndpoint } from '#server/modules/partners/service.ts'
import { DISABLED_SENTENCES, endpointName } from '#server/modules/partners/targets.ts'
import type { Parts } from '#server/parts.ts'
import { instantOf } from '#server/platform/clock.ts'
import {
  type Deliveries,
  type DeliveriesOptions,
  type DeliveryAttempt,
  openDeliveries,
  REPORT_DELIVERED,
} from '#server/webhooks/deliveries.ts'
import type { Requester } from '#server/webhooks/request.ts'
import type { ReportDestinations } from './report-destinations.ts'

export interface ReportSendingOptions extends Pick<DeliveriesOptions, 'dataOf'> {
  readonly feed: Feed
  readonly requester: Requester
  readonly recorder: EventRecorder
  readonly destinations: ReportDestinations
  readonly onError: (error: unknown) => void
}

/** Signed reports on their way to the partner. */
export interface ReportSending extends AsyncDisposable, Pick<Deliveries, 'wake' | 'noteOutcome'> {
  /** The gateway listens: what waits goes out from now on, with links that can be followed. */
  begin(): void
  /** What staff must know of reports on their way. */
  undelivered(): UndeliveredReports
}

/** How long a report may be on its way before the window says so loudly. */
const LATE_MS = 60 * 60_000

/**
 * Sends what is signed, tries again at once where an endpoint or the partner is set anew, and tells
 * staff how it goes.
 */
export function openReportSending(
  parts: Parts,
  { feed, requester, recorder, destinations, dataOf, onError }: ReportSendingOptions,
): ReportSending {
  const { deps, store, settings } = parts
  const { clock } = deps
  const opened = new AsyncDisposableStack()
  const line = (
    tone: 'good' | 'warning' | 'danger',
    text: string,
    studyInstanceUid: string | null = null,
  ) =>
    void feed.append({
      kind: 'partner',
      tone,
      text,
      studyInstanceUid,
      ...{ associationId: '', aeTitle: '', address: '' },
    })

  let isListening = false
  const deliveries = opened.use(
    openDeliveries({
      ...{ store, requester, clock, onError, dataOf },
      destinationOf: destinations.of,
      attempted(attempt) {
        recorder.attempted(attempt)
        store.database.afterCommit(() => tell(attempt))
      },
      onGone(endpointId) {
        if (!switchOffEndpoint(store, endpointId)) return
        const endpoint = findEndpoint(store.database, endpointId)
        const text = `The endpoint ${endpoint ? endpointName(endpoint) : ''} is switched off, since it answered 410. Enter its new address or switch it on again under Partner.`
        store.database.afterCommit(() => line('danger', text))
      },
      onChanged: () => feed.noteStatus(),
      isIdle: () => !isListening,
    }),
  )
  opened.defer(store.database.subscribe('endpoints', () => void setImmediate(retry)))
  // Reports of a study with a mismatch wait for it to be resolved or overridden.
  opened.defer(store.imageStudies.onMismatchEnd(() => void setImmediate(retry)))
  opened.defer(
    settings.onChange(
      (keys) => keys.some((key) => key.startsWith('partner.')) && void setImmediate(retry),
    ),
  )
  opened.defer(() => {
    isListening = false
  })
  function retry(): void {
    if (isListening) deliveries.retry()
  }

  /** The first failure and the end of it; what is between is in the record of events. */
  function tell({ reportId, state, fault, attempts }: DeliveryAttempt): void {
    const report = store.reports.get(reportId)
    const studyInstanceUid = (report && store.studies.get(report.studyId)?.studyInstanceUid) ?? null
    if (state === 'done')
      line('good', 'A signed report was delivered to the partner.', studyInstanceUid)
    else if (state === 'failed')
      line('danger', `A signed report was not delivered: ${fault}.`, studyInstanceUid)
    else if (state === 'waiting' && attempts === 1)
      line(
        'warning',
        `A signed report did not reach the partner and is tried again: ${fault}.`,
        studyInstanceUid,
      )
  }

  return {
    wake: deliveries.wake,
    noteOutcome: deliveries.noteOutcome,
    begin() {
      isListening = true
      deliveries.wake()
    },
    undelivered: () => ({
      ...store.outbox.overdue(REPORT_DELIVERED, instantOf(clock() - LATE_MS)),
      switchedOff: listEndpoints(store.database)
        .filter(({ disabledAt }) => disabledAt !== null)
        .map((endpoint) => ({
          name: endpointName(endpoint),
          reason: endpoint.disabledReason ? DISABLED_SENTENCES[endpoint.disabledReason] : '',
        })),
    }),
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  }
}
