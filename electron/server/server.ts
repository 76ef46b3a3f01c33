import type { Actor } from '#server/audit-log/audit.ts'
import { openNotices } from '#server/modules/corrections/correction-notices.ts'
import { countForwards } from '#server/modules/forwarding/forward-queries.ts'
import { ViewImages } from '#server/modules/viewer/view-images.ts'
import type { KeyStoreState } from '#shared/contract/shell.ts'
import { message } from '#shared/messages/message.ts'
import type { Context } from './context.ts'
import { openCertificates } from './http/certificates.ts'
import { hostNamesOf } from './http/host-names.ts'
import { openLanListener } from './http/lan-listener.ts'
import { openHttp } from './http/listeners.ts'
import { type ListenerAddress, openHttpServer } from './http/server.ts'
import { StartError } from './http/start-error.ts'
import { openDevices, openImages } from './imaging.ts'
import { openApiKeys } from './modules/api-keys/api-keys.ts'
import { AuditCollector } from './modules/audit/audit-collector.ts'
import type { AuditTrail } from './modules/audit/audit-trail.ts'
import { Backups } from './modules/backups/backups.ts'
import { listKeptCopies } from './modules/backups/kept-copies.ts'
import { LogShipping } from './modules/backups/log-shipping.ts'
import { sweepBackupSpool } from './modules/backups/make-backup.ts'
import { openDataDirectory } from './modules/backups/open-data-directory.ts'
import { RecoveryKeySetup } from './modules/backups/recovery-key-setup.ts'
import { LiveRestore } from './modules/backups/restore-staging.ts'
import { runInGateway } from './modules/control/commands.ts'
import { openControl } from './modules/control/control.ts'
import {
  type Gateway,
  type GatewayOptions,
  type LiveGateway,
  sandboxOptions,
} from './modules/control/gateway-options.ts'
import { UpdatePreparation } from './modules/control/shell-commands.ts'
import { shellState } from './modules/control/shell-state.ts'
import type { LiveState } from './modules/dashboard/status.ts'
import { AssociationTraces } from './modules/devices/association-traces.ts'
import { Listeners, openAdmittedConnections } from './modules/devices/listeners.ts'
import { openHealth } from './modules/diagnostics/health.ts'
import { openMaintenance } from './modules/diagnostics/maintenance-jobs.ts'
import { Metrics } from './modules/diagnostics/metrics.ts'
import { OtlpExport } from './modules/diagnostics/otlp-export.ts'
import { readinessOf } from './modules/diagnostics/readiness.ts'
import { openTelemetry } from './modules/diagnostics/telemetry.ts'
import { updatePreflight } from './modules/diagnostics/update-preflight.ts'
import { SpeechEngine } from './modules/dictation/speech-engine.ts'
import { EventReplay } from './modules/events/replay.ts'
import { Erasures } from './modules/lifecycle/erasures.ts'
import { Mail } from './modules/mail/mail.ts'
import { openRefusedHosts } from './modules/partners/refused-hosts.ts'
import { applyPartnerOption } from './modules/partners/service.ts'
import type { PartnerState } from './modules/partners/state.ts'
import { targetFor } from './modules/partners/targets.ts'
import { openPerformedSteps } from './modules/procedure-steps/performed-steps.ts'
import { firstReconciledDay } from './modules/reconciliation/reconciliation.ts'
import { ClinicalContexts } from './modules/reports/clinical-contexts.ts'
import { CriticalEscalations } from './modules/reports/critical-escalations.ts'
import { openReportArchiver } from './modules/reports/report-archive.ts'
import { ReportDeliveries, undeliveredReports } from './modules/reports/report-delivery.ts'
import { ReportDestinations } from './modules/reports/report-destinations.ts'
import { SandboxActions } from './modules/sandbox/bench.ts'
import { Sandbox } from './modules/sandbox/sandbox.ts'
import { currentKeyStore } from './modules/settings/key-file.ts'
import { openMailServer } from './modules/settings/mail-server.ts'
import { TrialSimulators } from './modules/setup/simulators.ts'
import { IdentityProvider } from './modules/users/identity-provider.ts'
import { openAccounts } from './modules/users/people.ts'
import { ProviderSignIns } from './modules/users/provider-sign-in.ts'
import { sessionsOf } from './modules/users/session-routes.ts'
import { approvedWorkstationId } from './modules/users/workstations.ts'
import { openCaptureUpload } from './modules/viewer/capture-upload.ts'
import { Captures } from './modules/viewer/captures.ts'
import { PartnerAccess } from './modules/viewer/partner-access.ts'
import { ViewSessions } from './modules/viewer/sessions.ts'
import { DeviceLists } from './modules/worklist/device-lists.ts'
import { Schedule } from './modules/worklist/schedule.ts'
import { Worklist } from './modules/worklist/worklist.ts'
import { reportError } from './platform/log.ts'
import { openPartnerInterface, type Services, serveEverything } from './routes.ts'
import { type IsOwnListener, ownListeners } from './webhooks/address.ts'
import { Agents } from './webhooks/agents.ts'
import { Downloads } from './webhooks/download.ts'
import { type PartnerOutcome, Requester } from './webhooks/request.ts'

/**
 * Opens the gateway. Every listener is listening when the promise resolves. Disposing drains it:
 * associations finish and files are closed.
 * @throws StartError, StoreError: one sentence that names the cause
 */
export async function openGateway(options: GatewayOptions): Promise<Gateway> {
  const { folder, log, version, isSafe = false, clock = Date.now } = options
  await using opened = new AsyncDisposableStack()
  const { context, restored } = opened.use(await openDataDirectory({ ...options, isSafe, clock }))
  if (context.isSandbox && !options.live) throw new StartError(message('sandbox.not-alone'))
  const { integrity } = context.database
  opened.defer(() => integrity.end())
  if (options.partner) applyPartnerOption(context, options.partner)
  const up = new Listeners()
  const services = opened.use(await openServices(context, options, restored, up))
  const { backups, images, live, deliveries } = services
  const preparation = opened.use(
    new UpdatePreparation(backups, up, undefined, undefined, () => updatePreflight(context)),
  )
  const status = shellState(context, live, version)

  const admitted = openAdmittedConnections(context)
  const sessions = sessionsOf(context)
  const serveAt = (address: ListenerAddress) =>
    openHttpServer(
      address,
      () => hostNamesOf(context.settings, address.tls !== undefined),
      log,
      options.pageFolder,
      (app) => {
        app.holdChanges(integrity)
        app.sessions = sessions
        app.approvedWorkstation = (token) => approvedWorkstationId(context, token)
        app.partners = services.partners
        app.views = services.views
        app.noteAnswer = services.noteAnswer
        app.sandbox = services.sandbox?.answer
        serveEverything(app, context, services)
      },
      admitted,
    )
  const [host, port] = [context.settings.get('http.host'), context.settings.get('http.port')]
  const listenerAddress = { host, port, isInternal: options.live !== undefined }
  const http = opened.use(await openHttp(listenerAddress, serveAt))
  up.http = http
  const https = isSafe ? undefined : options.https
  const lan = opened.use(await openLanListener(context, services.certificates, https, serveAt))
  up.lan = lan
  if (!isSafe) up.dicom = opened.use(await openDevices(context, services, admitted))
  const gateway = () => ({
    ...{ origin: up.windowUrl(), listening: up.addresses(context), keyStore: live.keyStore() },
    ...{ backups, forwarding: images.forwarding, logFile: options.logFile, status },
    ...{ lifecycle: images.lifecycle, verifications: images.tiers.verifications },
    sandbox: services.sandbox,
    prepareUpdate: () => preparation.run(),
    restart: options.restart,
  })
  opened.use(
    await openControl(folder, (request) => runInGateway(context, request, gateway(), version)),
  )
  if (isSafe) log.warn('safe mode: no device is served, nothing is sent')
  else deliveries.begin()
  opened.use(openMaintenance(context, services.views))
  // Not awaited: the live gateway does not wait for the sandbox. Requests of test keys do.
  if (!isSafe) void services.sandbox?.begin()
  integrity.begin()

  const resources = opened.move()
  const aeTitle = context.settings.get('dimse.aeTitle')
  return {
    http: http.url,
    https: lan.url,
    dimse: up.dicom ? `${aeTitle}@${up.dicom.address}` : '',
    dimseTls: up.dicom?.tlsAddress && `${aeTitle}@${up.dicom.tlsAddress}`,
    ...{ context, bench: services.bench, answer: http.answer },
    integrityCheck: integrity.passed,
    async [Symbol.asyncDispose]() {
      // Requests that wait for the check would keep their listener open.
      await integrity.end()
      // In parallel, because each listener waits up to a few seconds for its clients.
      const ended = await Promise.allSettled(
        [up.dicom, http, lan].map((listener) => listener?.[Symbol.asyncDispose]()),
      )
      await resources[Symbol.asyncDispose]()
      for (const one of ended) if (one.status === 'rejected') throw one.reason
    },
  }
}

/**
 * The sandbox, which `begin` opens; undefined in the gateway of the sandbox.
 * @param opened disposes of it
 */
function openSandbox(
  opened: AsyncDisposableStack,
  context: Context,
  options: GatewayOptions,
  live: Pick<LiveGateway, 'publicBase' | 'ports'>,
): Sandbox | undefined {
  if (context.isSandbox) return undefined
  return opened.use(
    new Sandbox(context, async (folder, own) => {
      const emptySandbox = (actor: Actor) => own.emptySoon(actor)
      const { bench, ...gateway } = await openGateway(
        sandboxOptions(options, folder, {
          ...{ ...live, emptySandbox },
          warnGigabytes: context.settings.get('intake.warnGigabytes'),
        }),
      )
      if (!bench) throw new TypeError('The folder is not marked as a sandbox')
      return { ...gateway, bench }
    }),
  )
}

/**
 * Opens the services of the modules in the order of their dependencies.
 * @param restored names of the backups that were restored since the last run
 * @param up the listeners, which open after the services
 */
async function openServices(
  context: Context,
  { version, folder, spawnWorker, restart, logFile, ...options }: GatewayOptions,
  restored: readonly string[],
  up: Listeners,
) {
  const { isSafe, settings } = context
  await using opened = new AsyncDisposableStack()
  const people = openAccounts(context)
  const apiKeys = openApiKeys(context)
  const refusedHosts = openRefusedHosts(context.clock)
  const performedSteps = openPerformedSteps(context)
  const records = opened.use(openTelemetry(context, restored))
  const { auditTrail, partnerState, eventLog, recorder, noteAnswer } = records
  const { live } = options
  const publicBase =
    live?.publicBase ??
    (() => (settings.get('http.publicUrl') ?? up.windowUrl()).replace(/\/+$/, ''))
  // The callbacks run only when metrics are read or a partner request ends, which is after
  // everything below is open.
  const metrics = new Metrics(
    context,
    version,
    () => up.dicom?.openAssociations ?? 0,
    () => images.disk.storage(),
    () => countForwards(context.database),
    async () => (await backups.state()).backups[0]?.madeAt,
  )
  const isOwn = ownListeners(() => [...up.ports(), ...(live?.ports() ?? [])])
  const requester = opened.use(
    openRequester(context, isOwn, (outcome) => {
      for (const one of [partnerState, recorder]) one.note(outcome)
      metrics.noteCall(outcome)
      deliveries.noteOutcome(outcome)
    }),
  )
  const otlp = opened.use(new OtlpExport(context, metrics, version))
  const destinations = new ReportDestinations(context)
  const deliveries = new ReportDeliveries(context, requester, recorder, destinations, publicBase)
  const worklist = opened.use(new Worklist(context, requester, eventLog, performedSteps))
  const lists = new DeviceLists(context, worklist.answers)
  const certificates = openCertificates(context)
  const tlsIdentity = () => certificates.of('dicom-tls')
  const images = opened.use(
    await openImages(context, requester, records, worklist, lists, tlsIdentity, spawnWorker, isOwn),
  )
  const mailServer = openMailServer(context)
  const mail = opened.use(new Mail(context, mailServer.smtp))
  opened.use(new CriticalEscalations(context, mail, publicBase))
  opened.use(deliveries)
  opened.use(openReportArchiver(context))
  const speech = opened.use(new SpeechEngine(context, new Agents(isOwn)))
  const provider = opened.use(new IdentityProvider(context))
  const identityProvider = { provider, signIns: new ProviderSignIns(context, provider) }
  const downloads = opened.use(new Downloads(context, new Agents(isOwn)))
  const contexts = new ClinicalContexts(context, requester, downloads, refusedHosts, eventLog)
  const replay = opened.use(
    new EventReplay(context, () => deliveries.wake(), {
      'patient_study.enrichment_requested': (uid) => images.creation.retry(uid),
      'clinical_context.enrichment_requested': (id) => contexts.ask(id, { again: true }),
    }),
  )
  // Disposed of before the replay, which waits for its requests.
  opened.use(contexts)
  const access = new PartnerAccess(context, requester, refusedHosts, eventLog)
  const viewing = openViewing(opened, context, access, downloads)

  const backups = await openBackups(opened, context, version)
  const caches = { views: viewing.views, dicomweb: images.dicomweb, pulls: images.forwarding.pulls }
  const erasures = opened.use(new Erasures(context, () => listKeptCopies(context, backups), caches))
  const liveRestore = opened.use(new LiveRestore(context, people, restart))
  const recovery = new RecoveryKeySetup(context, () =>
    options.onRecoveryKey?.(context.database.seal.exportKey()),
  )
  const collector = isSafe ? undefined : opened.use(new AuditCollector(context, certificates))
  const schedule = new Schedule(context, lists, performedSteps, partnerState)
  const simulators = opened.use(new TrialSimulators(context, () => up.dicomPort()))
  const dicomPort = () => up.dicomPort()
  const bench = context.isSandbox
    ? opened.use(
        new SandboxActions(context, { requester, eventLog, deliveries, publicBase, dicomPort }),
      )
    : undefined
  const sandbox = openSandbox(
    opened,
    context,
    { ...options, version, folder, spawnWorker },
    { publicBase, ports: () => up.ports() },
  )
  const keyStore = () => currentKeyStore(folder, options.keyStore)
  const resources = opened.move()
  const services = {
    ...{ version, publicBase, up, people, apiKeys, eventLog, requester, worklist, schedule },
    ...{ images, certificates, mailServer, mail, metrics, ...viewing },
    ...{ backups, erasures, liveRestore, recovery, simulators, logFile, restart },
    ...{ contexts, speech, identityProvider, otlp, destinations, replay, refusedHosts },
    ...{ bench, sandbox, emptySandbox: live?.emptySandbox },
    associationLog: records.associationLog,
    traces: new AssociationTraces(context.clock),
    checks: openHealth(
      context,
      () => up.states(),
      () => images.disk.storage(),
    ),
    readiness: () => checkReadiness(context, { up, images }, auditTrail, keyStore()),
  } satisfies Omit<Services, 'live'>
  return {
    ...services,
    live: liveState(context, services, auditTrail, partnerState, collector, keyStore),
    ...{ deliveries, noteAnswer, partners: openPartnerInterface(context, apiKeys) },
    [Symbol.asyncDispose]: () => resources[Symbol.asyncDispose](),
  }
}

/** @param onOutcome called at the end of every request */
const openRequester = (
  context: Context,
  isOwn: IsOwnListener,
  onOutcome: (outcome: PartnerOutcome) => void,
) =>
  new Requester(
    context,
    new Agents(isOwn),
    (event, apiKeyId) => targetFor(context, event, apiKeyId),
    onOutcome,
  )

/**
 * Opens what shows images of studies, and takes captures of them.
 * @param opened disposes of it
 */
function openViewing(
  opened: AsyncDisposableStack,
  context: Context,
  access: PartnerAccess,
  downloads: Downloads,
) {
  const viewImages = opened.use(new ViewImages(context, downloads, access.askImages))
  const views = new ViewSessions(context, (viewId) => viewImages.end(viewId))
  const uploads = opened.use(
    openCaptureUpload(context, access.askUpload, (...file) => downloads.put(...file)),
  )
  return { viewImages, views, captures: new Captures(context, viewImages, uploads) }
}

/**
 * Scheduled backups and the log for the standby, which a start in safe mode does not begin.
 * @param opened disposes of both
 */
async function openBackups(opened: AsyncDisposableStack, context: Context, version: string) {
  // A previous run may have left files as large as the database. This run has not written any yet.
  await sweepBackupSpool(context.folder).catch((error: unknown) => reportError(context, error))
  const logShipping = context.isSafe ? undefined : opened.use(new LogShipping(context))
  const backups = opened.use(new Backups(context, version, logShipping))
  if (!context.isSafe) backups.begin()
  logShipping?.begin(() => backups.make('scheduled', 'gateway'))
  opened.defer(() => logShipping?.end())
  return backups
}

/** The checks of System status, with what the running gateway knows. */
const checkReadiness = (
  context: Context,
  { up, images }: Pick<Services, 'up' | 'images'>,
  auditTrail: AuditTrail,
  keyStore: KeyStoreState | undefined,
) =>
  readinessOf(context, {
    ...{ listening: up.addresses(context), keyStore },
    ...{ latestAudit: auditTrail.latest, forecast: images.lifecycle.forecast() },
  })

/** State of the services that the dashboard shows. */
const liveState = (
  context: Context,
  { up, images, certificates, schedule }: Omit<Services, 'live'>,
  auditTrail: AuditTrail,
  partnerState: PartnerState,
  collector: AuditCollector | undefined,
  keyStore: () => KeyStoreState | undefined,
): LiveState => ({
  auditTrail,
  collectorFault: () => collector?.fault(),
  listeners: () => up.states(),
  partner: partnerState.status,
  openAssociations: () => up.dicom?.openAssociations ?? 0,
  recoveredFiles: () => images.recovery.count(),
  correctionNotices: (caller, most) => openNotices(context, caller, most),
  storage: () => images.disk.storage(),
  forecast: () => images.lifecycle.forecast(),
  forwards: () => countForwards(context.database),
  undelivered: () => undeliveredReports(context),
  keyStore,
  certificates: certificates.list,
  examsToday: () => schedule.today(),
  firstReconciledDay: () => firstReconciledDay(context),
})
