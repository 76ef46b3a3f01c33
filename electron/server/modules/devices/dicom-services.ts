import type { Context } from '#server/context.ts'
import type { AssociationObserver, AssociationPolicy } from '#server/dicom/dimse/service.ts'
import type { ServiceClass } from '#server/dicom/dimse/service-class.ts'
import { DEFAULT_LIMITS, type DimseLimits } from '#server/dicom/upper-layer/limits.ts'
import { DimseServer } from '#server/dicom/upper-layer/server.ts'
import type { Certificates } from '#server/http/certificates.ts'
import { type ListenerState, listenPlain, listenWithTls } from '#server/http/listeners.ts'
import type { AdmittedConnections } from '#server/platform/connection-budget.ts'
import { reportError } from '#server/platform/log.ts'
import type { Status } from '#shared/contract/dashboard.ts'
import { englishText } from '#shared/messages/english.ts'
import { message } from '#shared/messages/message.ts'
import { isDeviceHost } from './devices.ts'

// PS3.8 Table 9-21: rejected transient, presentation related function, temporary congestion.
const BUSY_REJECTION = {
  reject: { result: 2, source: 3, reason: 1, why: message('devices.about-to-be-updated') },
} as const

/**
 * How long running operations may take when the gateway closes. A worklist query takes 8 s at most.
 */
const DRAIN_MS = 5_000

/** The DICOM listeners of the gateway. */
export class Dicom implements AsyncDisposable {
  readonly #context: Context
  readonly #policy: AssociationPolicy
  readonly #host: string
  readonly #opened = new AsyncDisposableStack()
  #server: DimseServer | undefined
  #tls: { readonly port: number; readonly state: ListenerState } | undefined
  #isRejecting = false

  constructor(context: Context, policy: AssociationPolicy) {
    this.#context = context
    this.#policy = policy
    this.#host = context.settings.get('dimse.host')
  }

  /**
   * Starts the listeners.
   * @throws StartError if the plain port is not available; a failure of the TLS listener is
   *   reported by `listeners`
   */
  async listen(
    services: readonly ServiceClass[],
    observer: AssociationObserver,
    certificates: Certificates,
    admitted: AdmittedConnections,
  ): Promise<void> {
    const context = this.#context
    const { settings } = context
    const host = this.#host
    const server = new DimseServer(
      services,
      {
        decide: (request) => (this.#isRejecting ? BUSY_REJECTION : this.#policy.decide(request)),
        isExpectedHost: (remote) => isDeviceHost(context, remote),
      },
      observer,
      limitsOf(context),
      (reference, error) => reportError(context, error, reference),
      admitted,
    )
    await listenPlain(server, host, settings.get('dimse.port'))
    this.#server = server
    this.#opened.defer(() => server.drain(DRAIN_MS))
    this.#opened.defer(settings.onChange(() => server.setLimits(limitsOf(context))))
    const port = settings.get('dimse.tlsPort')
    if (port === null) return
    const ca = settings.get('dimse.tlsAuthorities')
    const state = await listenWithTls(server, { host, port, ca }, certificates)
    this.#tls = { port, state }
    if (state.detail)
      context.log.error({ detail: englishText(state.detail) }, 'the DICOM TLS listener is down')
  }

  /** `HOST:PORT`. */
  get address(): string {
    return this.#addressOf(this.#server?.port ?? 0)
  }

  /** `HOST:PORT` of the TLS listener; `undefined` if it is off or down. */
  get tlsAddress(): string | undefined {
    const port = this.#tls?.state.port
    return port === undefined ? undefined : this.#addressOf(port)
  }

  get openAssociations(): number {
    return this.#server?.openAssociations ?? 0
  }

  /** The number of open associations of known devices. */
  get openOfDevices(): number {
    return this.#server?.openOfDevices ?? 0
  }

  listeners(): Status['listeners'] {
    const aeTitle = this.#context.settings.get('dimse.aeTitle')
    const { address } = this
    const plain = { name: 'dimse', address, aeTitle, isUp: true, detail: null } as const
    if (!this.#tls) return [plain]
    const { port, state } = this.#tls
    const tlsAddress = this.#addressOf(state.port ?? port)
    const isUp = state.port !== undefined
    const tls = {
      name: 'dimse-tls',
      address: tlsAddress,
      aeTitle,
      isUp,
      detail: state.detail,
    } as const
    return [plain, tls]
  }

  /** While on, new associations are rejected as transient, so that devices try again later. */
  setRejecting(isOn: boolean): void {
    this.#isRejecting = isOn
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#opened[Symbol.asyncDispose]()
  }

  #addressOf(port: number): string {
    return `${this.#host.includes(':') ? `[${this.#host}]` : this.#host}:${port}`
  }
}

const limitsOf = (context: Context): DimseLimits => ({
  ...DEFAULT_LIMITS,
  associations: context.settings.get('dimse.maxAssociations'),
  associationsPerCaller: context.settings.get('dimse.maxAssociationsPerDevice'),
  artimSeconds: context.settings.get('dimse.artimSeconds'),
  idleSeconds: context.settings.get('dimse.idleSeconds'),
})
