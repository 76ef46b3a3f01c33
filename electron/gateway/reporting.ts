import { archivedReport } from './archived-report.ts'
import { contextAsking } from './context-asking.ts'
import { serveDashboardEvents } from './dashboard/dashboard-events.ts'
import { type DashboardReportsDeps, serveDashboardReports } from './dashboard/dashboard-reports.ts'
import { serveDashboardStudies } from './dashboard/dashboard-studies.ts'
import type { Feed } from './dashboard/feed.ts'
import { serveLinkedReports } from './dashboard/linked-reports.ts'
import { sessionShown } from './dashboard/session.ts'
import { openClinicalContexts } from './domain/clinical-contexts.ts'
import { openCriticalResults } from './domain/critical-results.ts'
import type { EventLog } from './domain/event-log.ts'
import { openEventReplay } from './domain/event-replay.ts'
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
import { openReportSending, type ReportSending } from './report-sending.ts'
import { openOutboxWorker } from './store/outbox-worker.ts'
import { testSending } from './test-sending.ts'
import { type Downloads, openDownloads } from './webhooks/download.ts'
import type { IsOwnListener } from './webhooks/own-listeners.ts'
import type { Requester } from './webhooks/request.ts'

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
export interface Reporting extends AsyncDisposable, Pick<ReportSending, 'begin' | 'noteOutcome' | 'undelivered'> {
  readonly downloads: Downloads
  /** Declares what the window asks about studies, reports and events, and the link to a report's PDF. */
  serve(app: HttpApp): void
}

const REPORT_ARCHIVE = 'report.archive'

/** Connects the writing of reports with the partner, the archive and the window. */
export function openReporting(parts: Parts, options: ReportingOptions): Reporting {
  const { deps, store, settings, endpoints, people } = parts
  const { feed, requester, eventLog, recorder, intake, partnerInterface, publicBase, isOwn, version, onError } = options
  const { links, studies, reports, customersOf } = partnerInterface
  const { clock } = deps
  const opened = new AsyncDisposableStack()
  const plaintextHosts = () => settings.get('partner.plaintextHosts')

  const delivery = openReportDelivery({ store, links })
  const sending = opened.use(openReportSending(parts, { feed, requester, recorder, dataOf: delivery.deliveryOf, onError }))

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
        wake: () => sending.wake(),
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

  return {
    downloads,
    begin: sending.begin,
    serve(app) {
      const desk: DashboardReportsDeps = {
        ...{ store, customersOf, feed, studies, writing, reading, templates, criticals, contexts },
        ports: { sendObjects: objects.send, pdfUrl: links.pdfUrl },
      }
      serveDashboardReports(app, desk)
      serveDashboardStudies(app, { store, lists, savedViews, customersOf })
      serveLinkedReports(app, { ...desk, session: sessionShown({ people, settings, version }) })
      const sendTest = testSending(parts, { requester, endpoints, publicBase })
      serveDashboardEvents(app, { store, eventLog, replay, endpoints, plaintextHosts, feed, ports: { sendTest } })
      serveReportPdf(app, { verify: links.verifyPdf, read: (reportId) => store.reportPdfs.read(reportId) })
    },
    noteOutcome: sending.noteOutcome,
    undelivered: sending.undelivered,
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  }
}
