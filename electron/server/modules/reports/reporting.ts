import type { HttpApp } from '#server/http/http-app.ts'
import { openOutboxWorker } from '#server/jobs/outbox-worker.ts'
import type { Feed } from '#server/modules/dashboard/feed.ts'
import type { EventLog } from '#server/modules/events/log.ts'
import type { EventRecorder } from '#server/modules/events/recorder.ts'
import { openEventReplay } from '#server/modules/events/replay.ts'
import { serveEvents } from '#server/modules/events/routes.ts'
import type { Intake } from '#server/modules/images/intake.ts'
import { serveEndpoints } from '#server/modules/partners/routes.ts'
import { sessionReply } from '#server/modules/users/session-routes.ts'
import { testSending } from '#server/modules/worklist/test-sending.ts'
import type { Parts } from '#server/parts.ts'
import { type Downloads, openDownloads } from '#server/webhooks/download.ts'
import type { IsOwnListener } from '#server/webhooks/own-listeners.ts'
import type { Requester } from '#server/webhooks/request.ts'
import { archivedReport } from './archived-report.ts'
import { openClinicalContexts } from './clinical-contexts.ts'
import { contextAsking } from './context-asking.ts'
import { openCriticalResults } from './critical-results.ts'
import { isReportPdfLink, reportPdfUrl } from './pdf-links.ts'
import { openReportDelivery } from './report-delivery.ts'
import { openReportDestinations } from './report-destinations.ts'
import { openReportLocks, type ReportLocks } from './report-locks.ts'
import { openReportObjects } from './report-objects.ts'
import { serveReportPdf } from './report-pdf-route.ts'
import { openReportReading } from './report-reading.ts'
import { type DashboardReportsDeps, serveDashboardReports } from './report-routes.ts'
import { openReportSending, type ReportSending } from './report-sending.ts'
import { openReportTemplates } from './report-templates.ts'
import { openReportWriting } from './report-writing.ts'
import { openReports } from './reports.ts'
import { serveLinkedReports } from './shared-report-routes.ts'

export interface ReportingOptions {
  readonly feed: Feed
  readonly requester: Requester
  readonly eventLog: EventLog
  readonly recorder: EventRecorder
  readonly intake: Intake
  readonly publicBase: () => string
  readonly isOwn: IsOwnListener
  /** Of the product, as the window shows it. */
  readonly version: string
  readonly onError: (error: unknown) => void
}

/** Reports from the first word to the partner's 2xx, and every event with what came of it. */
export interface Reporting
  extends AsyncDisposable,
    Pick<ReportSending, 'begin' | 'noteOutcome' | 'undelivered'> {
  readonly downloads: Downloads
  /** Who writes a report now: in memory, and shown in the lists. */
  readonly locks: ReportLocks
  /**
   * Declares what the window asks about reports and events, and the link to a report's
   * PDF.
   */
  serve(app: HttpApp): void
}

const REPORT_ARCHIVE = 'report.archive'

/** Connects the writing of reports with the partner, the archive and the window. */
export function openReporting(parts: Parts, options: ReportingOptions): Reporting {
  const { deps, store, settings, refusedHosts } = parts
  const { feed, requester, eventLog, recorder, intake, publicBase, isOwn, version, onError } =
    options
  const reports = openReports({ ...deps, publicBase })
  const { clock } = deps
  const opened = new AsyncDisposableStack()
  const plaintextHosts = () => settings.get('partner.plaintextHosts')

  const delivery = openReportDelivery({ store, publicBase })
  const destinations = openReportDestinations(store)
  const sending = opened.use(
    openReportSending(parts, {
      ...{ feed, requester, recorder, destinations, onError },
      dataOf: delivery.deliveryOf,
    }),
  )

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
    ...contextAsking(store, requester, downloads, refusedHosts, eventLog, closing.signal),
  })
  const replay = opened.use(
    openEventReplay(
      store,
      () => sending.wake(),
      {
        'patient_study.enrichment_requested': (uid) => intake.retryEnrichment(uid),
        'clinical_context.enrichment_requested': (id) => contexts.ask(id, { again: true }),
      },
      onError,
    ),
  )
  // Before the replay waits for what it has asked: a host of documents may hang for minutes.
  opened.defer(() => closing.abort(new Error('the gateway is closing')))
  const locks = openReportLocks({ clock, seconds: () => settings.get('reports.lockSeconds') })
  const criticals = openCriticalResults(deps)
  const writing = openReportWriting({ ...deps, settings, locks, reports, events: eventLog })
  const reading = openReportReading({ ...deps, locks, contexts, criticals, delivery })
  const templates = openReportTemplates(deps)

  return {
    downloads,
    locks,
    begin: sending.begin,
    serve(app) {
      const desk: DashboardReportsDeps = {
        ...{ store, feed, writing, reading, templates, criticals, contexts },
        ports: {
          sendObjects: objects.send,
          pdfUrl: (reportId: string) => reportPdfUrl(store, publicBase(), reportId),
        },
      }
      serveDashboardReports(app, desk)
      serveLinkedReports(app, { ...desk, session: sessionReply(store, settings, version) })
      const sendTest = testSending(parts, { requester, publicBase })
      serveEndpoints(app, store, settings, refusedHosts, destinations.waiting, feed.noteStatus)
      serveEvents(app, store, eventLog, replay, sendTest, feed.noteStatus)
      serveReportPdf(app, {
        verify: (reportId, query) => isReportPdfLink(store, reportId, query),
        read: (reportId) => store.reportPdfs.read(reportId),
      })
    },
    noteOutcome: sending.noteOutcome,
    undelivered: sending.undelivered,
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  }
}
