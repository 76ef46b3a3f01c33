import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import type {
  AssociationObserver,
  AssociationPolicy,
  TlsPeer,
} from '#server/dicom/dimse/service.ts'
import type { ServiceClass } from '#server/dicom/dimse/service-class.ts'
import type { AdmittedConnection, AdmittedConnections } from '#server/platform/connection-budget.ts'
import { message } from '#shared/messages/message.ts'
import { Acceptor } from './acceptor.ts'
import { Association } from './association.ts'
import type { DimseLimits } from './limits.ts'
import { peerOf, type TlsCertificate, TlsListener } from './tls-listener.ts'

/** Time allowed for a connection to close after an A-ABORT. */
const CLOSE_TIMEOUT_MS = 1000
const STOPPING_MESSAGE = message('dicom.stopping')

/** Accepts associations, with and without TLS; limits apply to both together. */
export class DimseServer implements AsyncDisposable {
  readonly #acceptor: Acceptor
  readonly #admitted: AdmittedConnections | undefined
  readonly #servers: Server[] = []
  readonly #tlsListeners: TlsListener[] = []
  /** Port of the plain listener; 0 before it listens. */
  port = 0
  #closing: Promise<void> | undefined

  /**
   * @param onError logs an exception under the reference sent to the peer (status C003). Its
   * message may contain patient data, so only name and stack frames may be logged.
   * @param admitted connections of all listeners that share a budget; without it only the limits of
   * this server apply
   */
  constructor(
    services: readonly ServiceClass[],
    policy: AssociationPolicy,
    observer: AssociationObserver,
    limits: DimseLimits,
    onError: (reference: string, error: unknown) => void,
    admitted?: AdmittedConnections,
  ) {
    this.#acceptor = new Acceptor(services, policy, observer, limits, onError)
    this.#admitted = admitted
  }

  get openAssociations(): number {
    return this.#acceptor.open.length
  }

  /** Number of open associations of devices in the device list. */
  get openOfDevices(): number {
    return this.#acceptor.open.filter(({ isUnlisted }) => !isUnlisted).length
  }

  /** Applies to new associations; open ones keep their limits. */
  setLimits(limits: DimseLimits): void {
    this.#acceptor.limits = limits
  }

  /**
   * @param port 0: any free port
   * @throws the error of `net.Server.listen`, e.g. `EADDRINUSE`.
   */
  async listen(host: string, port: number): Promise<number> {
    const server = createServer({ noDelay: true }, (socket) => this.#connect(socket))
    this.port = await this.#listen(server, host, port)
    return this.port
  }

  /** The same with TLS. `setCertificate` applies to new connections. */
  async listenByTls(host: string, port: number, certificate: TlsCertificate) {
    const { artimSeconds, pendingConnections } = this.#acceptor.limits
    const listener = new TlsListener(
      certificate,
      artimSeconds,
      { max: pendingConnections, isExpected: this.#acceptor.isExpected },
      this.#admitted,
      (socket) => this.#connect(socket, peerOf(socket)),
    )
    const boundPort = await this.#listen(listener.server, host, port)
    this.#tlsListeners.push(listener)
    return {
      port: boundPort,
      /** @throws if key and certificate do not match */
      setCertificate: (next: { readonly key: string; readonly cert: string }) =>
        listener.setCertificate({ ...certificate, ...next }),
    }
  }

  /**
   * Stops accepting, lets running requests finish for at most `timeoutMs` milliseconds, then aborts
   * the rest. Resolves when all connections are closed.
   */
  drain(timeoutMs: number): Promise<void> {
    this.#closing ??= this.#close(timeoutMs)
    return this.#closing
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.drain(0)
  }

  async #listen(server: Server, host: string, port: number): Promise<number> {
    server.listen(port, host)
    await once(server, 'listening')
    // For example when file descriptors run out. That connection is lost; open ones are not
    // affected.
    server.on('error', (error) => this.#acceptor.report(error))
    this.#servers.push(server)
    return (server.address() as AddressInfo).port
  }

  #connect(socket: Socket, tls?: TlsPeer): void {
    const { connections } = this.#acceptor
    const association = new Association(socket, this.#acceptor, tls)
    const connection: AdmittedConnection = {
      host: association.host,
      get isExempt() {
        return association.isOpen
      },
      close() {
        connections.delete(association)
        association.destroy(message('dicom.too-many-connections'))
      },
    }
    connections.add(association)
    socket.once('close', () => {
      connections.delete(association)
      this.#admitted?.remove(connection)
    })
    this.#acceptor.closeSurplus()
    if (connections.has(association)) this.#admitted?.add(connection)
  }

  async #close(timeoutMs: number): Promise<void> {
    const { connections } = this.#acceptor
    const closed = Promise.all(this.#servers.map((server) => once(server, 'close')))
    for (const server of this.#servers) server.close()
    for (const listener of this.#tlsListeners) listener.destroyHandshakes()
    for (const connection of connections)
      if (!connection.isOpen) connection.destroy(STOPPING_MESSAGE)
    await waitAtMost(timeoutMs, Promise.all(this.#acceptor.open.map((one) => one.whenIdle())))
    for (const connection of connections) connection.terminate(STOPPING_MESSAGE)
    await waitAtMost(CLOSE_TIMEOUT_MS, closed)
    for (const connection of connections) connection.destroy(STOPPING_MESSAGE)
    await closed
  }
}

/** Waits for the work, but at most this long. */
async function waitAtMost(ms: number, work: Promise<unknown>): Promise<void> {
  const timeout = Promise.withResolvers<void>()
  const timer = setTimeout(timeout.resolve, ms)
  await Promise.race([work, timeout.promise])
  clearTimeout(timer)
}
