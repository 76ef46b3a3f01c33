import { randomUUID } from 'node:crypto'
import type { AssociationObserver } from '#server/dicom/dimse/service.ts'
import { basicWorklist } from '#server/dicom/scp/basic-worklist.ts'
import { mpps } from '#server/dicom/scp/mpps.ts'
import { storage } from '#server/dicom/scp/storage.ts'
import { storageCommitment } from '#server/dicom/scp/storage-commitment.ts'
import { verification } from '#server/dicom/scp/verification.ts'
import { DEFAULT_LIMITS, type DimseLimits } from '#server/dicom/upper-layer/limits.ts'
import type { Certificates } from '#server/http/certificates.ts'
import { type ListenerState, listenByTls, openDimse } from '#server/http/listeners.ts'
import type { Feed } from '#server/modules/dashboard/feed.ts'
import type { Forwarding } from '#server/modules/forwarding/forwarding.ts'
import type { Intake } from '#server/modules/images/intake.ts'
import type { Settings } from '#server/modules/settings/settings.ts'
import type { Worklist } from '#server/modules/worklist/worklist.ts'
import type { Parts } from '#server/parts.ts'
import type { AdmittedConnections } from '#server/platform/connection-budget.ts'
import type { Log } from '#server/platform/log.ts'
import type { Status } from '#shared/contract/dashboard.ts'
import { observeAssociations } from './association-feed.ts'
import type { AssociationLog } from './association-log.ts'
import { openAssociationPolicy } from './association-policy.ts'

export interface DicomOptions {
  readonly log: Log
  readonly feed: Feed
  readonly associationLog: AssociationLog
  readonly worklist: Pick<Worklist, 'cFindScp'>
  readonly intake: Intake
  readonly forwarding: Pick<Forwarding, 'expectsFrom'>
  readonly certificates: Certificates
  readonly admitted: AdmittedConnections
  readonly report: (reference: string, error: unknown) => void
  /** Counts what happens on the network. */
  readonly observing?: (observer: AssociationObserver) => AssociationObserver
}

/** The gateway as a DICOM node: its listeners and what they offer. */
export interface Dicom extends AsyncDisposable {
  /** `HOST:PORT`. */
  readonly address: string
  /** Of the TLS listener; undefined where it is off or down. */
  readonly tlsAddress: string | undefined
  readonly openAssociations: number
  /** Of those, the ones of callers in the device list. */
  readonly openOfDevices: number
  listeners(): Status['listeners']
  /** While it is on, new associations are rejected for the moment, and devices try again later. */
  putOff(isOn: boolean): void
}

// PS3.8 Table 9-21: transient, by the presentation service provider, temporary congestion.
const PUT_OFF = {
  reject: { result: 2, source: 3, reason: 1, why: 'the gateway is about to be updated' },
} as const

/**
 * What a running operation may still take when the gateway closes; a worklist call has 8 s at most
 * by itself.
 */
const DRAIN_MS = 5_000

/**
 * @throws StartError where the plain port cannot be had; the TLS one may be down, which
 *   `listeners` says
 */
export async function openDicom(
  { devices, settings }: Parts,
  options: DicomOptions,
): Promise<Dicom> {
  const {
    log,
    feed,
    associationLog,
    worklist,
    intake,
    forwarding,
    report,
    observing = (observer) => observer,
  } = options
  const { certificates, admitted } = options
  await using opened = new AsyncDisposableStack()
  const host = settings.get('dimse.host')
  let isPutOff = false
  const policy = openAssociationPolicy({
    devices,
    settings,
    storageFault: () => (intake.takesImages() ? undefined : intake.storage().detail),
    isFetchedFrom: forwarding.expectsFrom,
  })
  const server = await openDimse({
    host,
    port: settings.get('dimse.port'),
    services: [
      verification(),
      basicWorklist(worklist.cFindScp),
      storage(intake.cStoreScp, {
        acceptsUnknown: () => settings.get('intake.acceptUnknownClasses'),
      }),
      mpps(intake.mppsScp),
      storageCommitment(intake.storageCommitmentScp, {
        isOn: () => settings.get('commitment.isOn'),
      }),
    ],
    policy: { decide: (request) => (isPutOff ? PUT_OFF : policy.decide(request)) },
    observer: observing(
      tellingIntake(
        observeAssociations({
          feed,
          associationLog,
          devices,
          settings,
          log,
          isFetchedFrom: forwarding.expectsFrom,
        }),
        intake,
      ),
    ),
    isExpectedHost: devices.isDeviceHost,
    admitted,
    limits: limitsOf(settings),
    ids: randomUUID,
    report,
  })
  opened.defer(() => server.drain(DRAIN_MS))
  opened.defer(settings.onChange(() => server.setLimits(limitsOf(settings))))
  const tlsPort = settings.get('dimse.tlsPort')
  const secure: ListenerState | undefined =
    tlsPort === null
      ? undefined
      : await listenByTls(
          server,
          { host, port: tlsPort, ca: settings.get('dimse.tlsAuthorities') },
          certificates,
        )
  if (secure?.detail) log.error({ detail: secure.detail }, 'the DICOM TLS listener is down')

  const kept = opened.move()
  const addressOf = (port: number) => `${hostForUrl(host)}:${port}`
  return {
    address: addressOf(server.port),
    tlsAddress: secure?.port === undefined ? undefined : addressOf(secure.port),
    get openAssociations() {
      return server.openAssociations
    },
    get openOfDevices() {
      return server.openOfDevices
    },
    listeners() {
      const aeTitle = settings.get('dimse.aeTitle')
      const plain = {
        name: 'dimse',
        address: addressOf(server.port),
        aeTitle,
        isUp: true,
        detail: '',
      } as const
      if (!secure || tlsPort === null) return [plain]
      const { port = tlsPort, detail } = secure
      return [
        plain,
        {
          name: 'dimse-tls',
          address: addressOf(port),
          aeTitle,
          isUp: secure.port !== undefined,
          detail,
        },
      ]
    },
    putOff(isOn) {
      isPutOff = isOn
    },
    [Symbol.asyncDispose]: () => kept[Symbol.asyncDispose](),
  }
}

/** A study whose sender has gone is complete sooner, or broken off. */
function tellingIntake(observer: AssociationObserver, intake: Intake): AssociationObserver {
  return {
    ...observer,
    closed(association, how) {
      observer.closed(association, how)
      if (association) intake.associationClosed(association.associationId, how)
    },
  }
}

const limitsOf = (settings: Settings): DimseLimits => ({
  ...DEFAULT_LIMITS,
  associations: settings.get('dimse.maxAssociations'),
  associationsPerCaller: settings.get('dimse.maxAssociationsPerDevice'),
  artimSeconds: settings.get('dimse.artimSeconds'),
  idleSeconds: settings.get('dimse.idleSeconds'),
})

const hostForUrl = (host: string): string => (host.includes(':') ? `[${host}]` : host)
