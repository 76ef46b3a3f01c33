import { randomUUID } from 'node:crypto'
import type { KeyStoreState } from '#shared/contract/shell.ts'
import { idFromUuid } from '#shared/ids.ts'
import type { SpawnWorker } from './dicom/transcoding/native-process.ts'
import { openCertificates } from './http/certificates.ts'
import { openAdmission, openHttpListeners } from './http/http-listeners.ts'
import {
  addressesOf,
  type Listening,
  listenersOf,
  portsOf,
  windowUrl,
} from './http/listener-status.ts'
import { openChores } from './jobs/maintenance-jobs.ts'
import { openAuditCollector } from './modules/audit/audit-collector.ts'
import { sweepBackupSpool } from './modules/backups/make-backup.ts'
import { openControl } from './modules/control/control.ts'
import { controlAnswers } from './modules/control/control-answers.ts'
import { openWindow } from './modules/dashboard/dashboard-service.ts'
import { openDicom } from './modules/devices/dicom-services.ts'
import { openHealth } from './modules/diagnostics/health.ts'
import { serveHealth } from './modules/diagnostics/health-route.ts'
import { openMetrics } from './modules/diagnostics/metrics.ts'
import { openRecords } from './modules/diagnostics/telemetry.ts'
import { openImages } from './modules/images/images.ts'
import { openMail } from './modules/mail/mail.ts'
import { type GivenPartner, setGivenPartner } from './modules/partners/service.ts'
import { targetFor } from './modules/partners/targets.ts'
import { openReporting, type Reporting } from './modules/reports/reporting.ts'
import { keyStoreNow } from './modules/settings/key-file.ts'
import { openMailServer } from './modules/settings/mail-server.ts'
import { openOwnFolder } from './modules/settings/open-data-directory.ts'
import { openSetup } from './modules/settings/setup-service.ts'
import { serveStudyLists } from './modules/study-lists/routes.ts'
import { sessionsOf } from './modules/users/session-routes.ts'
import { actorName } from './modules/users/users.ts'
import { approvedWorkstation, openApprovedHosts } from './modules/users/workstations.ts'
import { accessAsking } from './modules/viewer/access-asking.ts'
import { openCaptureUpload } from './modules/viewer/capture-upload.ts'
import { openCaptures } from './modules/viewer/captures.ts'
import { openViewImages } from './modules/viewer/images.ts'
import { serveLinks } from './modules/viewer/link-routes.ts'
import { serveDashboardViews, serveViewing } from './modules/viewer/routes.ts'
import { openViewSessions } from './modules/viewer/sessions.ts'
import { openWorklist } from './modules/worklist/worklist.ts'
import { effectOf, feedLineOf, repeatLineOf } from './modules/worklist/worklist-feed.ts'
import { openPartners, servePartnerInterface } from './partner-interface.ts'
import type { SettingOverrides } from './parts.ts'
import type { Clock } from './platform/clock.ts'
import { diskFaultKind, StorageFault } from './platform/disk-fault.ts'
import type { Log } from './platform/log.ts'
import { openRunning } from './running-gateway.ts'
import { ownListeners } from './webhooks/own-listeners.ts'
import { openRequester } from './webhooks/request.ts'

export interface GatewayOptions {
  /** The data folder; made where it is missing. */
  readonly folder: string
  readonly log: Log
  readonly version: string
  /** Where the built window is; a page that says so is served where it is not. */
  readonly pageFolder: string
  /** Settings for this run only. */
  readonly overrides?: SettingOverrides
  /** Kept as the clinic's default endpoint. */
  readonly partner?: GivenPartner
  /**
   * A second listener, for partners and browsers on the LAN, under the gateway's own certificate
   * (row 54).
   */
  readonly https?: { readonly host: string; readonly port: number }
  /** How the native DICOM module gets a process of its own, where that is not plain Node's fork. */
  readonly spawnWorker?: SpawnWorker
  /** The data key of 32 bytes, where something else than the folder's `data.key` keeps it. */
  readonly dataKey?: Buffer | undefined
  /**
   * How the desktop app says the key is kept; nobody says so where the gateway runs as a service.
   */
  readonly keyStore?: KeyStoreState | undefined
  /** A recovery key is in force for this data key, which may leave its plain file. */
  readonly onRecoveryKey?: ((dataKey: Buffer) => void) | undefined
  /**
   * Only the window on this PC: no device is served, nothing that waits is taken up, nothing is
   * sent (`serve --safe-mode`).
   */
  readonly isSafe?: boolean | undefined
  /** Where the log goes; undefined: to stderr. */
  readonly logFile?: string | undefined
  /**
   * Disposes of the gateway and opens it again: a back-up is ready to take the place of the
   * database.
   */
  readonly restart?: (() => void) | undefined
  readonly clock?: Clock
}

export interface Gateway extends AsyncDisposable {
  /** Base URL of the window on this PC. */
  readonly http: string
  /** Base URL of the TLS listener, where there is one. */
  readonly https: string | undefined
  /** `AETITLE@HOST:PORT`; empty in safe mode. */
  readonly dimse: string
  /** The same by TLS; undefined where that listener is off or down. */
  readonly dimseTls: string | undefined
}

/**
 * Opens the gateway: every listener is up when it resolves. Disposing drains it: associations
 * finish, files close.
 * @throws StartError, StoreError: one sentence that names the cause
 */
export async function openGateway(options: GatewayOptions): Promise<Gateway> {
  const { folder, log, version, isSafe = false, clock = Date.now } = options
  await using opened = new AsyncDisposableStack()
  // Of a database that takes no writes the log has one line already, see `records`.
  const report = (reference: string, error: unknown) =>
    log[diskFaultKind(error) === undefined || error instanceof StorageFault ? 'error' : 'debug'](
      { reference, err: error },
      'internal error',
    )
  const onError = (error: unknown) => report(randomUUID().slice(0, 8), error)
  const { parts, restored } = opened.use(await openOwnFolder({ ...options, isSafe, clock }))
  const { store, settings, devices } = parts
  if (options.partner) setGivenPartner(store, settings, options.partner)
  const records = opened.use(openRecords(parts, { log, restored, onError }))
  const { feed, auditTrail, partnerState, eventLog, associationLog, recorder } = records

  // What is opened further down is asked for only when all of it is open.
  const up: Listening = {}
  let reporting: Reporting | undefined
  const metrics = openMetrics({
    ...{ version, store: parts.store, clock, isSafe },
    openAssociations: () => up.dicom?.openAssociations ?? 0,
    storage: () => intake.storage(),
    forwards: () => forwarding.summary(),
    newestBackupAt: async () => (await setup.backups.state()).backups[0]?.madeAt,
  })

  const isOwn = ownListeners(() => portsOf(up))
  const requester = opened.use(
    openRequester({
      endpointFor: (event, apiKeyId) => targetFor(store, event, apiKeyId),
      isOwn,
      plaintextHosts: () => settings.get('partner.plaintextHosts'),
      clock,
      eventId: () => idFromUuid('whe', randomUUID()),
      onOutcome(outcome) {
        metrics.noteCall(outcome)
        partnerState.note(outcome)
        recorder.note(outcome)
        reporting?.noteOutcome(outcome)
      },
    }),
  )
  const worklist = opened.use(
    openWorklist({
      ...parts,
      clock,
      uuid: randomUUID,
      setting: settings.get,
      recogniseDevice: devices.recogniseDevice,
      askPartner: (question, options) =>
        requester.request('modality_worklist.requested', question, options),
      onAnswered: (webhookId, rows, withheld) =>
        eventLog.setEffect(webhookId, effectOf(rows, withheld)),
      onInspected: (summary, associationId) => feed.append(feedLineOf(summary, associationId)),
      onRepeated: (summary, times, associationId) =>
        feed.append(repeatLineOf(summary, times, associationId)),
      onError: report,
    }),
  )
  const certificates = openCertificates({ folder, settings, clock })
  const identity = () => certificates.of('dicom-tls')
  const { spawnWorker } = options
  const images = opened.use(
    await openImages(parts, {
      feed,
      requester,
      eventLog,
      worklist,
      spawnWorker,
      identity,
      report,
      log,
    }),
  )
  const { intake, forwarding } = images

  const publicBase = () => (settings.get('http.publicUrl') ?? windowUrl(up)).replace(/\/+$/, '')
  const mailServer = openMailServer({ ...parts.deps, settings })
  const mail = opened.use(
    openMail(parts.store, mailServer.smtp, {
      onOutcome: (outcome) => log.info(outcome, 'invitation mail'),
      onError: (error) => log.error({ err: error }, 'a mail could not be delivered'),
    }),
  )
  opened.defer(
    settings.onChange((keys) => keys.some((key) => key.startsWith('mail.')) && mail.retry()),
  )
  const partners = openPartners(parts)
  const reports = opened.use(
    openReporting(parts, {
      feed,
      requester,
      eventLog,
      recorder,
      intake,
      publicBase,
      isOwn,
      version,
      onError,
    }),
  )
  reporting = reports
  const { downloads } = reports
  const views = openViewSessions(store)
  const { askImages, askUpload } = accessAsking(store, requester, parts.refusedHosts, eventLog)
  const viewImages = opened.use(openViewImages(store, downloads, askImages))
  opened.defer(views.onEnded(viewImages.end))
  const uploads = opened.use(openCaptureUpload(store, askUpload, downloads.put, feed, onError))
  const captures = openCaptures(store, viewImages, uploads, intake.arriving, feed.noteImages)

  // What an ended gateway left there is as large as the database; nothing of this one is there yet.
  await sweepBackupSpool(folder).catch(onError)
  const { onRecoveryKey, restart, logFile } = options
  const listeners = () => listenersOf(up)
  const listening = () => addressesOf(up, isSafe)
  const keyStore = () => keyStoreNow(folder, options.keyStore)
  const setup = opened.use(
    openSetup(parts, {
      feed,
      auditTrail,
      listeners,
      listening,
      keyStore,
      onRecoveryKey,
      version,
      restart,
      logFile,
      isSafe,
      onError,
    }),
  )
  const collector = isSafe
    ? undefined
    : opened.use(
        openAuditCollector(parts, {
          ...{ certificates, feed, onError },
          nameOf: (actor) => actorName(parts.store, actor),
        }),
      )
  const window = openWindow(parts, {
    collectorFault: () => collector?.fault(),
    ...{
      records,
      requester,
      worklist,
      images,
      mailServer,
      mail,
      publicBase,
      reports,
      certificates,
    },
    ...{ metrics, up, keyStore, isSafe, version },
  })
  const { ports, exams } = window
  const checks = openHealth({
    store: parts.store,
    clock,
    isSafe,
    listeners,
    storage: intake.storage,
  })
  const running = opened.use(
    openRunning(parts, {
      ...{ version, logFile, ports, auditTrail, exams, backups: setup.backups },
      reconciliation: exams.reconciliation,
      openOfDevices: () => up.dicom?.openOfDevices ?? 0,
      putOff: (isOn) => up.dicom?.putOff(isOn),
    }),
  )

  const { pageFolder, https } = options
  const admission = openAdmission(parts, openApprovedHosts(parts.store))
  const httpListeners = opened.use(
    await openHttpListeners(parts, up, {
      ...{
        log,
        pageFolder,
        https,
        certificates,
        admission,
        isSafe,
        onError,
        sessions: sessionsOf(parts.store),
        approvedWorkstation: (token) => approvedWorkstation(parts.store, token),
        partners,
        views,
      },
      noteAnswer: records.noteAnswer,
      register(app) {
        serveHealth(app, { checks, metrics: metrics.text })
        servePartnerInterface(app, store, publicBase, version)
        window.serve(app)
        reports.serve(app)
        serveStudyLists(app, parts.store, settings, reports.locks, eventLog)
        serveViewing(app, store, views, viewImages, captures)
        serveLinks(app, store, publicBase)
        serveDashboardViews(app, store, views)
        setup.serve(app)
      },
    }),
  )
  if (!isSafe) {
    const { observing } = metrics
    const { admitted } = admission
    const offered = { worklist, intake, forwarding, certificates, admitted }
    up.dicom = opened.use(
      await openDicom(parts, { ...{ log, feed, associationLog, report, observing }, ...offered }),
    )
  }
  const context = () => ({
    ...{ origin: windowUrl(up), listening: listening(), keyStore: keyStore() },
    ...{ backups: setup.backups, version, running, forwarding },
  })
  opened.use(await openControl(folder, controlAnswers(parts, context, report)))
  if (isSafe) log.warn('safe mode: no device is served, nothing is sent')
  else reports.begin()
  opened.use(openChores(parts, { views, log, isSafe }))

  const kept = opened.move()
  const aeTitle = settings.get('dimse.aeTitle')
  return {
    http: windowUrl(up),
    https: up.lan?.url,
    dimse: up.dicom ? `${aeTitle}@${up.dicom.address}` : '',
    dimseTls: up.dicom?.tlsAddress && `${aeTitle}@${up.dicom.tlsAddress}`,
    async [Symbol.asyncDispose]() {
      // At the same time: each waits some seconds for its clients, and no longer.
      const ended = await Promise.allSettled([
        up.dicom?.[Symbol.asyncDispose](),
        httpListeners[Symbol.asyncDispose](),
      ])
      await kept[Symbol.asyncDispose]()
      for (const one of ended) if (one.status === 'rejected') throw one.reason
    },
  }
}
