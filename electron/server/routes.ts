import type { Actor } from '#server/audit-log/audit.ts'
import type { Certificates } from '#server/http/certificates.ts'
import type { HttpApp } from '#server/http/http-app.ts'
import { PartnerInterface } from '#server/http/partner-interface.ts'
import { serveReference } from '#server/http/reference.ts'
import { serveApiKeys } from '#server/modules/api-keys/routes.ts'
import { serveAudit } from '#server/modules/audit/routes.ts'
import type { Backups } from '#server/modules/backups/backups.ts'
import type { RecoveryKeySetup } from '#server/modules/backups/recovery-key-setup.ts'
import type { LiveRestore } from '#server/modules/backups/restore-staging.ts'
import { serveBackups } from '#server/modules/backups/routes.ts'
import {
  serveCorrectionNotices,
  serveCorrections,
} from '#server/modules/corrections/correction-routes.ts'
import { serveCustomers, serveCustomerUsers } from '#server/modules/customers/routes.ts'
import { type LiveState, serveStatus } from '#server/modules/dashboard/status.ts'
import { serveToday } from '#server/modules/dashboard/today.ts'
import { serveTrends } from '#server/modules/dashboard/trends.ts'
import type { AssociationLog } from '#server/modules/devices/association-log.ts'
import type { AssociationTraces } from '#server/modules/devices/association-traces.ts'
import type { Listeners } from '#server/modules/devices/listeners.ts'
import {
  serveDashboardActivity,
  serveDevices,
  serveServiceVisits,
} from '#server/modules/devices/routes.ts'
import { ServiceVisits } from '#server/modules/devices/service-visit.ts'
import { serveDiagnostics } from '#server/modules/diagnostics/diagnostics.ts'
import type { openHealth } from '#server/modules/diagnostics/health.ts'
import { serveHealth } from '#server/modules/diagnostics/health-route.ts'
import type { Metrics } from '#server/modules/diagnostics/metrics.ts'
import type { OtlpExport } from '#server/modules/diagnostics/otlp-export.ts'
import { serveOtlpExport } from '#server/modules/diagnostics/otlp-routes.ts'
import { serveUpdates } from '#server/modules/diagnostics/update-routes.ts'
import { serveDictation } from '#server/modules/dictation/routes.ts'
import type { SpeechEngine } from '#server/modules/dictation/speech-engine.ts'
import type { EventLog } from '#server/modules/events/log.ts'
import { serveOwnEvents } from '#server/modules/events/own-event-routes.ts'
import type { EventReplay } from '#server/modules/events/replay.ts'
import { serveEvents } from '#server/modules/events/routes.ts'
import { createTestSender } from '#server/modules/events/test-sending.ts'
import { serveDestinations } from '#server/modules/forwarding/routes.ts'
import { serveImages } from '#server/modules/images/image-routes.ts'
import { serveThumbnails } from '#server/modules/images/thumbnail-routes.ts'
import type { Erasures } from '#server/modules/lifecycle/erasures.ts'
import { serveLifecycle } from '#server/modules/lifecycle/routes.ts'
import type { Mail } from '#server/modules/mail/mail.ts'
import { serveOwnEndpoints } from '#server/modules/partners/own-endpoint-routes.ts'
import type { RefusedHosts } from '#server/modules/partners/refused-hosts.ts'
import { serveEndpoints, servePartner } from '#server/modules/partners/routes.ts'
import { serveReconciliation } from '#server/modules/reconciliation/routes.ts'
import type { ClinicalContexts } from '#server/modules/reports/clinical-contexts.ts'
import { serveLinkedReports } from '#server/modules/reports/linked-report-routes.ts'
import { serveReportPdf } from '#server/modules/reports/pdf-links.ts'
import type { ReportDestinations } from '#server/modules/reports/report-destinations.ts'
import { serveDashboardReports } from '#server/modules/reports/report-routes.ts'
import { serveScribe } from '#server/modules/reports/scribe-routes.ts'
import type { SandboxActions } from '#server/modules/sandbox/bench.ts'
import { serveSandboxCalls, serveSandboxWindow } from '#server/modules/sandbox/routes.ts'
import type { Sandbox } from '#server/modules/sandbox/sandbox.ts'
import { serveMail } from '#server/modules/settings/mail-routes.ts'
import type { MailServer } from '#server/modules/settings/mail-server.ts'
import { serveSettings } from '#server/modules/settings/routes.ts'
import { serveSetup } from '#server/modules/setup/setup-routes.ts'
import type { TrialSimulators } from '#server/modules/setup/simulators.ts'
import { serveViewerStudies } from '#server/modules/studies/routes.ts'
import { serveStudyLists } from '#server/modules/study-lists/routes.ts'
import { serveTiers } from '#server/modules/tiers/routes.ts'
import type { IdentityProvider } from '#server/modules/users/identity-provider.ts'
import { serveInterfaceUsers } from '#server/modules/users/interface-routes.ts'
import type { People } from '#server/modules/users/people.ts'
import { serveDashboardPeople } from '#server/modules/users/people-routes.ts'
import { serveIdentityProvider } from '#server/modules/users/provider-routes.ts'
import type { ProviderSignIns } from '#server/modules/users/provider-sign-in.ts'
import { customerIdsOfUser } from '#server/modules/users/queries.ts'
import { serveDashboardSecurity } from '#server/modules/users/security-routes.ts'
import { serveSessions, sessionReply } from '#server/modules/users/session-routes.ts'
import type { Captures } from '#server/modules/viewer/captures.ts'
import { serveDashboardViews, serveLinks, serveViewing } from '#server/modules/viewer/routes.ts'
import type { ViewSessions } from '#server/modules/viewer/sessions.ts'
import type { ViewImages } from '#server/modules/viewer/view-images.ts'
import { serveSchedule, serveWorklist } from '#server/modules/worklist/routes.ts'
import type { Schedule } from '#server/modules/worklist/schedule.ts'
import type { Worklist } from '#server/modules/worklist/worklist.ts'
import type { Requester } from '#server/webhooks/request.ts'
import type { ReadinessFinding } from '#shared/contract/dashboard-setup.ts'
import { express } from '#shared/contract/express.ts'
import { scribe } from '#shared/contract/scribe.ts'
import { scribeUsers, viewerUsers } from '#shared/contract/users.ts'
import { viewer } from '#shared/contract/viewer.ts'
import type { Context } from './context.ts'
import type { ImagingServices } from './imaging.ts'
import type { ApiKeys } from './modules/api-keys/api-keys.ts'

/** Excludes invitations and reports, because their replies or the links in them expire. */
const CACHEABLE_READS = [
  ...[
    express.list,
    express.read,
    viewer.list,
    viewer.read,
    viewer.byUid,
    scribe.list,
    scribe.read,
    scribe.byUid,
  ],
  ...[viewerUsers.list, viewerUsers.read, scribeUsers.list, scribeUsers.read],
]

/** State shared by the listeners of the `/v1` interface. */
export const openPartnerInterface = (context: Context, apiKeys: ApiKeys): PartnerInterface =>
  new PartnerInterface(
    context,
    apiKeys.authenticate,
    (userId) => customerIdsOfUser(context.database, userId),
    CACHEABLE_READS,
  )

/** The services that routes call. `server.ts` creates them. */
export interface Services {
  readonly version: string
  /** Base of every URL that is given out, without a trailing slash. */
  readonly publicBase: () => string
  readonly up: Listeners
  readonly live: LiveState
  readonly people: People
  readonly apiKeys: ApiKeys
  readonly associationLog: AssociationLog
  readonly traces: AssociationTraces
  readonly eventLog: EventLog
  readonly requester: Requester
  readonly worklist: Worklist
  readonly schedule: Schedule
  readonly images: ImagingServices
  readonly contexts: ClinicalContexts
  readonly speech: SpeechEngine
  readonly otlp: OtlpExport
  readonly identityProvider: {
    readonly provider: IdentityProvider
    readonly signIns: ProviderSignIns
  }
  readonly destinations: ReportDestinations
  readonly replay: EventReplay
  readonly refusedHosts: RefusedHosts
  readonly certificates: Certificates
  readonly mailServer: MailServer
  readonly mail: Mail
  readonly metrics: Metrics
  readonly checks: ReturnType<typeof openHealth>
  readonly views: ViewSessions
  readonly viewImages: ViewImages
  readonly captures: Captures
  readonly backups: Backups
  readonly erasures: Erasures
  readonly liveRestore: LiveRestore
  readonly recovery: RecoveryKeySetup
  readonly readiness: () => Promise<ReadinessFinding[]>
  readonly simulators: TrialSimulators
  /** The calls of test keys; undefined in the live gateway. */
  readonly bench: SandboxActions | undefined
  /** Undefined in the gateway of the sandbox, as there it empties itself by `emptySandbox`. */
  readonly sandbox: Sandbox | undefined
  readonly emptySandbox: ((actor: Actor) => void) | undefined
  /** The log file; undefined if the log goes to stderr. */
  readonly logFile: string | undefined
  /** Opens the data folder again in this process. */
  readonly restart: (() => void) | undefined
}

/** Registers every route except the window's static files. */
export function serveEverything(app: HttpApp, context: Context, services: Services): void {
  const { publicBase, version } = services
  serveHealth(app, services.checks, services.metrics)
  servePartnerInterface(app, context, publicBase, version)
  serveAdministration(app, context, services)
  serveExamsAndImages(app, context, services)
  serveReporting(app, context, services)
  serveStudyLists(app, context, services.eventLog)
  serveViewing(
    app,
    context,
    services.views,
    services.viewImages,
    services.captures,
    services.images.forwarding,
  )
  serveLinks(app, context, publicBase)
  serveDashboardViews(app, context, services.views)
  serveBackups(app, context, services.backups, services.liveRestore)
  serveUpdates(app, context, services.version, services.restart)
  services.images.dicomweb.serve(app)
  serveSandboxCalls(app, services.bench, services.emptySandbox)
  serveSandboxWindow(app, services.sandbox)
}

/** Registers the `/v1` interface, except links to the viewer, and its reference. */
export function servePartnerInterface(
  app: HttpApp,
  context: Context,
  publicBase: () => string,
  version: string,
): void {
  serveCustomers(app, context)
  serveInterfaceUsers(app, context, publicBase)
  serveViewerStudies(app, context)
  serveScribe(app, context, publicBase)
  serveReference(app, { version })
}

function serveAdministration(app: HttpApp, context: Context, services: Services): void {
  const { people, publicBase, version, certificates, live, up } = services
  const toSessionReply = sessionReply(context, version)
  // Read on each call, because the listener opens after the routes are registered.
  const lan: Parameters<typeof serveDashboardSecurity>[3] = {
    state: () => up.lanListener().state(),
    set: (wanted, actor) => up.lanListener().set(wanted, actor),
  }
  serveStatus(app, context, live)
  serveToday(app, context, live)
  serveTrends(app, context, live)
  serveSessions(
    app,
    context,
    services.metrics.watching(people),
    toSessionReply,
    services.identityProvider.signIns,
  )
  serveIdentityProvider(app, context, services.identityProvider, toSessionReply, () => [
    ...new Set(
      [publicBase(), up.windowUrl(), ...up.lanListener().state().urls].map((url) =>
        url.replace(/\/+$/, ''),
      ),
    ),
  ])
  serveDashboardPeople(app, context, people, publicBase, toSessionReply)
  serveDashboardSecurity(app, context, people, lan, toSessionReply)
  serveCustomerUsers(app, context)
  serveApiKeys(app, context, services.apiKeys)
  serveMail(app, services.mailServer, services.mail)
  servePartner(app, context, services.requester)
  serveSettings(app, context, certificates)
  serveAudit(app, context, live.auditTrail)
  serveOtlpExport(app, services.otlp)
  serveSetup(
    app,
    context,
    services.backups,
    services.recovery,
    up,
    services.readiness,
    services.simulators,
  )
  serveDiagnostics(app, context, version, up, services.readiness, services.logFile)
}

function serveReporting(app: HttpApp, context: Context, services: Services): void {
  const { publicBase, version, eventLog, contexts, destinations, requester } = services
  const { noteStatus } = context.feed
  serveDashboardReports(app, context, eventLog, contexts, publicBase)
  const toSessionReply = sessionReply(context, version)
  serveLinkedReports(app, context, eventLog, contexts, publicBase, toSessionReply)
  serveReportPdf(app, context)
  serveDictation(app, context, services.speech)
  const waiting = () => destinations.waiting()
  serveEndpoints(app, context, services.refusedHosts, waiting, noteStatus)
  const sendTest = createTestSender(context, requester, eventLog, publicBase)
  serveEvents(app, context, eventLog, services.replay, sendTest, noteStatus)
  serveOwnEvents(app, eventLog, services.replay)
  serveOwnEndpoints(app, context, services.refusedHosts, waiting, sendTest, noteStatus)
}

function serveExamsAndImages(app: HttpApp, context: Context, services: Services): void {
  const { associationLog, traces, version, worklist, schedule, images } = services
  serveDashboardActivity(app, context, associationLog, traces, version)
  serveServiceVisits(app, context, new ServiceVisits(context, associationLog, traces), version)
  serveDevices(app, context, (device) => images.forwarding.echoDevice(device))
  serveWorklist(app, context, worklist)
  serveSchedule(app, context, worklist, schedule)
  serveReconciliation(app, context, schedule, (uid, change) =>
    images.completion.orderChanged(uid, change === 'unlinked'),
  )
  serveImages(app, context, images.quarantine, images.creation, images.recovery)
  serveThumbnails(app, context, images.thumbnails)
  serveCorrections(app, context, images.corrections)
  serveCorrectionNotices(app, context)
  serveDestinations(app, context, images.forwarding)
  serveTiers(app, context, images.tiers)
  serveLifecycle(app, context, images.lifecycle, services.erasures)
}
