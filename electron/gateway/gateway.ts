import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import type { Status } from '#shared/contract/dashboard.ts'
import type { KeyStoreState } from '#shared/contract/shell.ts'
import { ApiError } from '#shared/errors.ts'
import { idFromUuid } from '#shared/ids.ts'
import { watchAudit } from './audit-watch.ts'
import { openCertificates } from './certificates.ts'
import { replyOf } from './commands.ts'
import { type ControlReply, openControl } from './control.ts'
import { serveDashboard } from './dashboard/dashboard.ts'
import { serveDashboardActivity } from './dashboard/dashboard-activity.ts'
import { serveDashboardDestinations } from './dashboard/dashboard-destinations.ts'
import { serveDashboardImages } from './dashboard/dashboard-images.ts'
import { serveDashboardPeople } from './dashboard/dashboard-people.ts'
import { type LanPort, serveDashboardSecurity } from './dashboard/dashboard-security.ts'
import { createFeed, type NewFeedLine } from './dashboard/feed.ts'
import type { DashboardPorts } from './dashboard/ports.ts'
import { sessionsOf } from './dashboard/session.ts'
import { type Dicom, openDicom } from './dicom.ts'
import { openAssociationLog } from './domain/association-log.ts'
import { openEventLog } from './domain/event-log.ts'
import { openInvitations } from './domain/invitations.ts'
import { openMailServer } from './domain/mail-server.ts'
import { noteRestores } from './domain/restoring.ts'
import { forgetExpired } from './domain/retention.ts'
import { fillSearch } from './domain/search-fill.ts'
import { openUsers } from './domain/users.ts'
import { recordEvents } from './event-recorder.ts'
import { openExamPart } from './exam-part.ts'
import { lockFolder } from './folder-lock.ts'
import { openHealth } from './health.ts'
import { serveHealth } from './http/health.ts'
import { openImages } from './images.ts'
import { keyStoreNow } from './key-file.ts'
import { type LanListener, openLanListener } from './lan-listener.ts'
import { type HttpOptions, openHttp, openHttps } from './listeners.ts'
import type { Log } from './log.ts'
import { openMail } from './mail/mail.ts'
import { openMetrics } from './metrics.ts'
import { openPartnerInterface } from './partner-interface.ts'
import { openPartnerState } from './partner-state.ts'
import { testPartner } from './partner-test.ts'
import { openParts, type Parts, type SettingOverrides } from './parts.ts'
import { openReporting, type Reporting } from './reporting.ts'
import { keepRescueHint } from './rescue-hint.ts'
import { openRunning } from './running-gateway.ts'
import { atRest } from './safe-mode.ts'
import type { SpawnWorker } from './scu/native.ts'
import { openSetup } from './setup-part.ts'
import { StartError } from './start-error.ts'
import { sweepBackupSpool } from './store/backup.ts'
import type { Clock } from './store/clock.ts'
import { applyStagedRestore } from './store/restore.ts'
import { keyKept } from './store/wrapped-key.ts'
import { openViewer } from './viewer-part.ts'
import { ownListeners } from './webhooks/own-listeners.ts'
import { openRequester } from './webhooks/request.ts'
import { openWorklist } from './worklist/worklist.ts'
import { effectOf, feedLineOf, repeatLineOf } from './worklist-feed.ts'

export interface GatewayOptions {
  /** The data folder; made where it is missing. */
  readonly folder: string
  readonly log: Log
  readonly version: string
  /** Where the built window is; a page that says so is served where it is not. */
  readonly pageFolder: string
  /** Settings for this run only. */
  readonly overrides?: SettingOverrides
  /** Kept as the clinic's default endpoint; without `secret` the one that is kept goes on. */
  readonly partner?: { readonly url: string; readonly secret?: string }
  /** A second listener, for partners and browsers on the LAN, under the gateway's own certificate (row 54). */
  readonly https?: { readonly host: string; readonly port: number }
  /** How the native DICOM module gets a process of its own, where that is not plain Node's fork. */
  readonly spawnWorker?: SpawnWorker
  /** The data key of 32 bytes, where something else than the folder's `data.key` keeps it. */
  readonly dataKey?: Buffer | undefined
  /** How the desktop app says the key is kept; nobody says so where the gateway runs as a service. */
  readonly keyStore?: KeyStoreState | undefined
  /** A recovery key is in force for this data key, which may leave its plain file. */
  readonly onRecoveryKey?: ((dataKey: Buffer) => void) | undefined
  /** Only the window on this PC: no device is served, nothing that waits is taken up, nothing is sent (`serve --safe-mode`). */
  readonly isSafe?: boolean | undefined
  /** Where the log goes; undefined: to stderr. */
  readonly logFile?: string | undefined
  /** Disposes of the gateway and opens it again: a back-up is ready to take the place of the database. */
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

const FORGET_EVERY_MS = 10 * 60_000

/**
 * Opens the gateway: every listener is up when it resolves. Disposing drains it: associations finish, files close.
 * @throws StartError, StoreError: one sentence that names the cause
 */
export async function openGateway({
  folder,
  log,
  version,
  pageFolder,
  overrides,
  partner,
  https,
  spawnWorker,
  dataKey,
  keyStore: toldKeyStore,
  onRecoveryKey,
  isSafe = false,
  logFile,
  restart,
  clock = Date.now,
}: GatewayOptions): Promise<Gateway> {
  await using opened = new AsyncDisposableStack()
  opened.use(await lockFolder(folder))
  applyStagedRestore(folder, clock())
  // A back-up of another data key brings it as a plain file, which then counts.
  const keyInForce = keyKept(folder) === 'plain' ? undefined : dataKey
  const inForce = { ...overrides, ...(isSafe && { 'https.isOn': false }) }
  const whole = opened.use(openParts(folder, { clock, dataKey: keyInForce, overrides: inForce }))
  const parts = isSafe ? atRest(whole) : whole
  const restored = noteRestores(parts.deps, 'gateway')
  const { settings, devices, people, partnerEndpoint, endpoints } = parts
  opened.defer(keepRescueHint(folder, settings))
  if (partner) setPartner(parts, partner)

  const feed = createFeed({ clock })
  for (const name of restored) feed.append(restoredLine(name))
  const { trail: auditTrail } = opened.use(watchAudit(parts, { feed, log }))
  const partnerState = openPartnerState({ partnerEndpoint, feed, newestAnswerAt: () => parts.store.answers.newest() })
  const report = (reference: string, error: unknown) => log.error({ reference, err: error }, 'internal error')
  const onError = (error: unknown) => report(randomUUID().slice(0, 8), error)
  const eventLog = opened.use(openEventLog({ ...parts.deps, onError }))
  const associationLog = opened.use(openAssociationLog({ ...parts.deps, onError }))
  opened.defer(feed.subscribe((news) => news.kind === 'line' && associationLog.line(news.line)))
  const recorder = recordEvents(eventLog, clock)
  const metrics = openMetrics({
    ...{ version, store: parts.store, clock, isSafe },
    openAssociations: () => windowPorts.openAssociations(),
    storage: () => intake.storage(),
    forwards: () => forwarding.summary(),
    newestBackupAt: async () => (await setup.backups.state()).backups[0]?.madeAt,
  })
  let reporting: Reporting | undefined
  let lan: LanListener | undefined
  const ports: number[] = []
  const isOwn = ownListeners(() => [...ports, ...portOf(lan?.url)])
  const requester = opened.use(
    openRequester({
      endpointFor: endpoints.targetFor,
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
      askPartner: (question, options) => requester.request('modality_worklist.requested', question, options),
      onAnswered: (webhookId, rows, withheld) => eventLog.setEffect(webhookId, effectOf(rows, withheld)),
      onInspected: (summary, associationId) => feed.append(feedLineOf(summary, associationId)),
      onRepeated: (summary, times, associationId) => feed.append(repeatLineOf(summary, times, associationId)),
      onError: report,
    }),
  )
  const certificates = openCertificates({ folder, settings, clock })
  const identity = () => certificates.of('dicom-tls')
  const { intake, forwarding } = opened.use(await openImages(parts, { feed, requester, eventLog, worklist, spawnWorker, identity, report }))

  const publicBase = () => (settings.get('http.publicUrl') ?? http.url).replace(/\/+$/, '')
  const users = openUsers(parts.deps)
  const invitations = openInvitations({ ...parts.deps, settings, people, publicBase })
  const mailServer = openMailServer({ ...parts.deps, settings })
  const mail = opened.use(
    openMail({
      store: parts.store,
      smtp: () => mailServer.smtp(),
      clinicName: () => settings.get('clinic.name'),
      clock,
      onOutcome: (outcome) => log.info(outcome, 'invitation mail'),
      onError: (error) => log.error({ err: error }, 'a mail could not be delivered'),
    }),
  )
  opened.defer(settings.onChange((keys) => keys.some((key) => key.startsWith('mail.')) && mail.retry()))
  const partnerInterface = openPartnerInterface(parts, { version, publicBase, users, invitations })
  const reports = opened.use(
    openReporting(parts, { feed, requester, eventLog, recorder, intake, partnerInterface, publicBase, isOwn, version, onError }),
  )
  reporting = reports
  const viewer = opened.use(
    openViewer(parts, { feed, requester, eventLog, intake, partnerInterface, downloads: reports.downloads, onError }),
  )
  let dicom: Dicom | undefined
  const listeners = (): Status['listeners'] => [
    ...(dicom?.listeners() ?? []),
    { name: 'http', address: http.url, aeTitle: null, isUp: true, detail: '' },
    ...lanListeners(lan),
  ]
  const keyStore = () => keyStoreNow(folder, toldKeyStore)
  const listening = () => (dicom || isSafe ? { http: http.url, dimse: dicom?.address ?? '', dimseTls: dicom?.tlsAddress } : undefined)
  // What an ended gateway left there is as large as the database; nothing of this one is there yet.
  await sweepBackupSpool(folder).catch(onError)
  const setup = opened.use(
    openSetup(parts, { feed, auditTrail, listeners, listening, keyStore, onRecoveryKey, version, restart, logFile, isSafe, onError }),
  )
  const windowPorts: DashboardPorts = {
    feed,
    askWorklist: (ask, device, user) => worklist.ask(ask, device, { userId: user.userId, name: `${user.firstName} ${user.lastName}` }),
    inspection: worklist.inspection,
    lint: (device, user) => worklist.lint(device, { userId: user.userId, name: `${user.firstName} ${user.lastName}` }),
    echoDevice: forwarding.echoDevice,
    isSafe,
    listenerStatus: listeners,
    partnerStatus: () => partnerState.status(),
    testPartner: () => testPartner({ requester, settings, clock }),
    openAssociations: () => dicom?.openAssociations ?? 0,
    storage: intake.storage,
    forwards: forwarding.summary,
    undelivered: reports.undelivered,
    keyStore,
    certificates: certificates.list,
    renewCertificate: certificates.renew,
  }
  const exams = openExamPart(parts, { worklist, partnerState })
  const checks = openHealth({ store: parts.store, clock, isSafe, listeners, storage: intake.storage })
  const { customersOf } = partnerInterface
  const running = opened.use(
    openRunning(parts, {
      ...{ version, logFile, ports: windowPorts, auditTrail, customersOf, exams, backups: setup.backups },
      putOff: (isOn) => dicom?.putOff(isOn),
    }),
  )
  const shared: Omit<HttpOptions, 'host' | 'port'> = {
    log,
    uuid: randomUUID,
    pageFolder,
    allowedHosts: () => settings.get('http.allowedHosts'),
    publicUrl: () => settings.get('http.publicUrl'),
    sessions: sessionsOf(people, parts.store),
    workstations: { approvedOf: (token) => approvedOf(parts.workstations, token) },
    partners: partnerInterface.partners,
    views: viewer.views,
    register(app) {
      serveHealth(app, { checks, metrics: metrics.text })
      partnerInterface.serve(app)
      serveDashboardActivity(app, { ...parts, clock, version, associationLog })
      serveDashboardPeople(app, { ...parts, clock, version, users, invitations, customers: partnerInterface.customers, mailServer, mail })
      const lanPort: LanPort = { state: () => lanOf(lan).state(), set: (wanted, actor) => lanOf(lan).set(wanted, actor) }
      serveDashboardSecurity(app, { ...parts, ...parts.deps, version, lan: lanPort, feed })
      serveDashboard(app, { ...parts, people: metrics.watching(people), clock, version, auditTrail, ports: windowPorts })
      exams.serve(app, { ports: windowPorts, auditTrail, customersOf })
      const shared = { ...parts, feed, customersOf }
      serveDashboardImages(app, { ...shared, ports: intake })
      serveDashboardDestinations(app, { ...shared, forwarding })
      reports.serve(app)
      viewer.serve(app)
      setup.serve(app)
    },
  }
  const http = opened.use(await openHttp({ ...shared, host: settings.get('http.host'), port: settings.get('http.port') }))
  const hosts = () => [...settings.get('http.allowedHosts'), hostname()]
  const hint = https ? undefined : 'https.port (Settings, Access from other PCs)'
  const secure = opened.use(
    await openLanListener({
      ...{ settings, certificates, override: isSafe ? undefined : https, onError },
      open: (at) => openHttps({ ...shared, ...at, allowedHosts: hosts }, certificates, hint),
    }),
  )
  lan = secure

  const { observing } = metrics
  const node = isSafe
    ? undefined
    : opened.use(await openDicom(parts, { log, feed, associationLog, worklist, intake, forwarding, certificates, report, observing }))
  dicom = node
  ports.push(...[http.url, node && `tcp://${node.address}`, node?.tlsAddress && `tcp://${node.tlsAddress}`].flatMap(portOf))
  opened.use(
    await openControl(folder, (request) =>
      replyOf(parts, request, {
        origin: http.url,
        listening: listening(),
        keyStore: keyStore(),
        backups: setup.backups,
        version,
        running,
      }).catch((error: unknown): ControlReply => {
        const reference = randomUUID().slice(0, 8)
        report(reference, error)
        return { ok: false, output: `The gateway has an internal error, reference ${reference}; its log has the same.` }
      }),
    ),
  )
  if (isSafe) log.warn('safe mode: no device is served, nothing is sent')
  else {
    reports.begin()
    const filling = new AbortController()
    const filled = fillSearch(parts.deps, filling.signal).catch((error: unknown) =>
      log.error({ err: error }, 'older studies could not be made searchable; the next start goes on with them'),
    )
    opened.defer(() => {
      filling.abort()
      return filled
    })
  }
  const forgetting = setInterval(
    () =>
      void forgetExpired({ ...parts.deps, views: viewer.sessions }).catch((error: unknown) =>
        log.error({ err: error }, 'what is past its time could not be forgotten'),
      ),
    FORGET_EVERY_MS,
  )
  opened.defer(() => clearInterval(forgetting))

  const kept = opened.move()
  return {
    http: http.url,
    https: secure.url,
    dimse: node ? `${settings.get('dimse.aeTitle')}@${node.address}` : '',
    dimseTls: node?.tlsAddress && `${settings.get('dimse.aeTitle')}@${node.tlsAddress}`,
    [Symbol.asyncDispose]: () => kept[Symbol.asyncDispose](),
  }
}

/** While the gateway starts, the listener of this PC answers already. @throws ApiError unavailable */
function lanOf(lan: LanListener | undefined): LanListener {
  if (lan) return lan
  throw new ApiError('unavailable', 'The gateway is starting: try again in a moment.')
}

/** Told of where it is on. */
function lanListeners(lan: LanListener | undefined): Status['listeners'] {
  const state = lan?.state()
  if (!state?.isOn) return []
  return [
    {
      name: 'https',
      address: lan?.url ?? `${state.host}:${state.port}`,
      aeTitle: null,
      isUp: state.isUp,
      detail: state.isUp ? '' : state.detail,
    },
  ]
}

function approvedOf({ find }: Parts['workstations'], token: string): string | undefined {
  const { state, record } = find(token)
  return state === 'approved' ? record?.workstationId : undefined
}

const restoredLine = (name: string): NewFeedLine => ({
  ...{ kind: 'audit', tone: 'warning', associationId: '', aeTitle: '', address: '' },
  text: `The back-up ${name} was put back: what was written after it is not in the database any more, and is kept aside in the data folder.`,
})

function portOf(url: string | undefined): number[] {
  if (url === undefined) return []
  const { port, protocol } = new URL(url)
  return [Number(port || (protocol === 'https:' ? 443 : 80))]
}

/** The partner given at the start is kept like one set in the window; the same one again changes nothing. */
function setPartner({ partnerEndpoint }: Parts, { url, secret }: { readonly url: string; readonly secret?: string }): void {
  const before = partnerEndpoint.read()
  const known = partnerEndpoint.endpointFor('modality_worklist.requested')
  if (secret === undefined && !before.hasSecret) {
    throw new StartError(
      '--partner-url needs the secret the partner verifies with: --partner-secret whsec_… or --partner-secret-file FILE.',
    )
  }
  if (URL.canParse(url) && known?.url === new URL(url).href && (secret === undefined || known.secrets[0] === secret)) return
  try {
    partnerEndpoint.set({ url, secret, allowPlaintext: true }, 'command-line')
  } catch (error) {
    if (error instanceof ApiError) throw new StartError(`The partner was not set. ${error.message}`, { cause: error })
    throw error
  }
}
