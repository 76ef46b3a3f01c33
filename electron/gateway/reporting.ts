import { archivedReport } from './archived-report.ts'
import { contextAsking } from './context-asking.ts'
import { serveDashboardEvents } from './dashboard/dashboard-events.ts'
import { type DashboardReportsDeps, serveDashboardReports } from './dashboard/dashboard-reports.ts'
import { serveDashboardStudies } from './dashboard/dashboard-studies.ts'
import type { Feed } from './dashboard/feed.ts'
import { serveLinkedReports } from './dashboard/linked-reports.ts'
import type { UndeliveredReports } from './dashboard/ports.ts'
import { sessionShown } from './dashboard/session.ts'
import { openClinicalContexts } from './domain/clinical-contexts.ts'
import { openCriticalResults } from './domain/critical-results.ts'
import type { EventLog } from './domain/event-log.ts'
import { openEventReplay } from './domain/event-replay.ts'
import { DISABLED_SENTENCES } from './domain/event-targets.ts'
import { openReportDelivery } from './domain/report-delivery.ts'
import { openReportLocks } from './domain/report-locks.ts'
import { openReportReading } from './domain/report-reading.ts'
import { openReportTemplates } from './domain/report-templates.ts'
import { openReportWriting } from './domain/report-writing.ts'
import { openSavedViews } from './domain/saved-views.ts'
import { openStudyLists } from './domain/study-lists.ts'
import type { EventRecorder } from './event-recorder.ts'
import type { HttpApp } from './http/operations.ts'
import { serveReportPdf } from './http/report-pdf.ts'
import type { Intake } from './intake/intake.ts'
import { openReportObjects } from './intake/report-objects.ts'
import type { PartnerInterface } from './partner-interface.ts'
import type { Parts } from './parts.ts'
import { instantOf } from './store/clock.ts'
import { openOutboxWorker } from './store/outbox-worker.ts'
import { testSending } from './test-sending.ts'
import { type DeliveryAttempt, openDeliveries, REPORT_DELIVERED } from './webhooks/deliveries.ts'
import { type Downloads, openDownloads } from './webhooks/download.ts'
import type { IsOwnListener } from './webhooks/own-listeners.ts'
import type { PartnerOutcome, Requester } from './webhooks/request.ts'

export interface ReportingOptions {
  readonly feed: Feed
  readonly requester: Requester
  readonly eventLog: EventLog
  readonly recorder: EventRecorder
  readonly intake: Intake
  readonly partnerInterface: PartnerInterface
  readonly publicBase: () => string
  readonly isOwn: IsOwnListener
  /** Of the product, as the window shows it. */
  readonly version: string
  readonly onError: (error: unknown) => void
}

/** Reports from the first word to the partner's 2xx, and every event with what came of it. */
export interface Reporting extends AsyncDisposable {
  readonly downloads: Downloads
  /** The gateway listens: what waits goes out from now on, with links that can be followed. */
  begin(): void
  /** Declares what the window asks about studies, reports and events, and the link to a report's PDF. */
  serve(app: HttpApp): void
  /** Told of every call's end. */
  noteOutcome(outcome: PartnerOutcome): void
  /** What staff must know of reports on their way. */
  undelivered(): UndeliveredReports
}

const REPORT_ARCHIVE = 'report.archive'
/** How long a report may be on its way before the window says so loudly. */
const LATE_MS = 60 * 60_000

/** Connects the writing of reports with the partner, the archive and the window. */
export function openReporting(parts: Parts, options: ReportingOptions): Reporting {
  const { deps, store, settings, endpoints, people } = parts
  const { feed, requester, eventLog, recorder, intake, partnerInterface, publicBase, isOwn, version, onError } = options
  const { links, studies, reports, customersOf } = partnerInterface
  const { clock } = deps
  const opened = new AsyncDisposableStack()
  const plaintextHosts = () => settings.get('partner.plaintextHosts')
  const line = (tone: 'good' | 'warning' | 'danger', text: string, studyInstanceUid: string | null = null) =>
    void feed.append({ kind: 'partner', tone, text, studyInstanceUid, ...{ associationId: '', aeTitle: '', address: '' } })

  let isListening = false
  const delivery = openReportDelivery({ store, links })
  const deliveries = opened.use(
    openDeliveries({
      ...{ store, requester, clock, onError },
      dataOf: delivery.deliveryOf,
      destinationOf: endpoints.ofReports.of,
      attempted(attempt) {
        recorder.attempted(attempt)
        store.database.afterCommit(() => tell(attempt))
      },
      onGone(endpointId) {
        if (!endpoints.switchOff(endpointId)) return
        const name = nameOf(store.endpoints.get(endpointId))
        const text = `The endpoint ${name} is switched off, since it answered 410. Enter its new address or switch it on again under Partner.`
        store.database.afterCommit(() => line('danger', text))
      },
      onChanged: () => feed.noteStatus(),
      isIdle: () => !isListening,
    }),
  )
  opened.defer(endpoints.onChange(() => void setImmediate(retry)))
  opened.defer(settings.onChange((keys) => keys.some((key) => key.startsWith('partner.')) && void setImmediate(retry)))
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
    if (state === 'done') line('good', 'A signed report was delivered to the partner.', studyInstanceUid)
    else if (state === 'failed') line('danger', `A signed report was not delivered: ${fault}.`, studyInstanceUid)
    else if (state === 'waiting' && attempts === 1)
      line('warning', `A signed report did not reach the partner and is tried again: ${fault}.`, studyInstanceUid)
  }

  const objects = openReportObjects({
    ...deps,
    setting: settings.get,
    reportOf: archivedReport(store),
    arriving: intake.arriving,
    onChanged: () => feed.noteImages(),
  })
  opened.use(
    openOutboxWorker({
      ...{ store, kind: REPORT_ARCHIVE, clock, onError },
      async deliver({ subject }) {
        await objects.archive(subject)
        return { outcome: 'sent' }
      },
    }),
  )

  const downloads = opened.use(openDownloads({ plaintextHosts, isOwn, clock }))
  const closing = new AbortController()
  const contexts = openClinicalContexts({
    ...{ ...deps, settings },
    ...contextAsking(requester, downloads, endpoints, eventLog, closing.signal),
  })
  const replay = opened.use(
    openEventReplay({
      ...deps,
      onError,
      ports: {
        wake: () => deliveries.wake(),
        askEnrichment: (studyInstanceUid) => intake.retryEnrichment(studyInstanceUid),
        askContext: (studyId) => contexts.ask(studyId, { again: true }),
      },
    }),
  )
  // Before the replay waits for what it has asked: a host of documents may hang for minutes.
  opened.defer(() => closing.abort(new Error('the gateway is closing')))
  const locks = openReportLocks({ clock, seconds: () => settings.get('reports.lockSeconds') })
  const criticals = openCriticalResults(deps)
  const writing = openReportWriting({ ...deps, settings, locks, reports, events: eventLog })
  const reading = openReportReading({ ...deps, locks, studies, contexts, criticals, delivery })
  const templates = openReportTemplates(deps)
  // Who writes a report now is in memory, and shown in the lists.
  const lists = openStudyLists({ ...deps, settings, locks, eventLog })
  const savedViews = openSavedViews({ ...deps, lists })

  const kept = opened.move()
  return {
    downloads,
    begin() {
      isListening = true
      deliveries.wake()
    },
    serve(app) {
      const desk: DashboardReportsDeps = {
        ...{ store, customersOf, feed, studies, writing, reading, templates, criticals, contexts },
        ports: {
          sendObjects: objects.send,
          pdfUrl: links.pdfUrl,
        },
      }
      serveDashboardReports(app, desk)
      serveDashboardStudies(app, { store, lists, savedViews, customersOf })
      serveLinkedReports(app, { ...desk, session: sessionShown({ people, settings, version }) })
      const sendTest = testSending(parts, { requester, endpoints, publicBase })
      serveDashboardEvents(app, { store, eventLog, replay, endpoints, plaintextHosts, feed, ports: { sendTest } })
      serveReportPdf(app, { verify: links.verifyPdf, read: (reportId) => store.reportPdfs.read(reportId) })
    },
    noteOutcome: deliveries.noteOutcome,
    undelivered: () => ({
      ...store.outbox.overdue(REPORT_DELIVERED, instantOf(clock() - LATE_MS)),
      switchedOff: endpoints.disabled().map((endpoint) => ({
        name: nameOf(endpoint),
        reason: endpoint.disabledReason === null ? '' : DISABLED_SENTENCES[endpoint.disabledReason],
      })),
    }),
    [Symbol.asyncDispose]: () => kept[Symbol.asyncDispose](),
  }
}

/** Its name, or the host of its address: what a person calls it. */
function nameOf(endpoint: { readonly name: string; readonly url: string } | undefined): string {
  return endpoint?.name || (endpoint ? new URL(endpoint.url).host : '')
}
