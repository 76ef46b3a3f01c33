import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import type {
  AssociationInfo,
  AssociationObserver,
  AssociationPolicy,
  TlsPeer,
} from '#server/dicom/dimse/service.ts'
import type { ServiceClass } from '#server/dicom/dimse/service-class.ts'
import {
  type AdmittedConnection,
  type AdmittedConnections,
  connectionToClose,
  hostOf,
  isThisPc,
} from '#server/platform/connection-budget.ts'
import { Association } from './association.ts'
import type { DimseLimits } from './limits.ts'
import { createSlicePool } from './slice-pool.ts'
import {
  createTlsListener,
  peerOf,
  secureContextOf,
  type TlsListenerOptions,
} from './tls-listener.ts'

export interface DimseServerOptions {
  readonly host: string
  /** 0: any free port. */
  readonly port: number
  readonly services: readonly ServiceClass[]
  readonly policy: AssociationPolicy
  readonly observer: AssociationObserver
  /**
   * Whether a host is that of a listed device: its connections are kept where there are too many.
   */
  readonly isExpectedHost?: (host: string) => boolean
  /**
   * Connections of this and other listeners; without it those of this one have its limits alone.
   */
  readonly admitted?: AdmittedConnections
  readonly limits: DimseLimits
  /** Ids of associations; the first eight characters of one are the reference of an error. */
  readonly ids: () => string
  /**
   * Notes an exception under the reference that the peer was told (status C003). Its message may
   * quote a patient: keep name and stack frames only.
   */
  readonly report: (reference: string, error: unknown) => void
  /** Milliseconds, monotonic. */
  readonly clock?: () => number
}

/** A listener by TLS beside the plain one. */
export interface TlsListener {
  readonly port: number
  /** For connections to come. @throws where key and certificate do not go together */
  setCertificate(certificate: { readonly key: string; readonly cert: string }): void
}

export interface DimseServer extends AsyncDisposable {
  readonly port: number
  /**
   * Listens by TLS too; associations of both count together. @throws the error of
   * `tls.Server.listen`, e.g. `EADDRINUSE`.
   */
  listenByTls(
    options: TlsListenerOptions & { readonly host: string; readonly port: number },
  ): Promise<TlsListener>
  readonly openAssociations: number
  /** Of those, the ones of callers in the device list. */
  readonly openOfDevices: number
  /** For associations to come; those that are open keep what they began with. */
  setLimits(limits: DimseLimits): void
  /**
   * Stops accepting, lets running requests finish for at most so long, then aborts what is left;
   * resolves when all is closed.
   */
  drain(timeoutMs: number): Promise<void>
}

/** Kept for the next data set: what four devices that send at once have in hand. */
const DATA_SLICES = 32

/** What a connection may take to close after our A-ABORT. */
const CLOSING_MS = 1000

/**
 * Listens for associations.
 * @throws the error of `net.Server.listen`, e.g. `EADDRINUSE`.
 */
export async function openDimseServer(options: DimseServerOptions): Promise<DimseServer> {
  const {
    services,
    policy,
    observer,
    isExpectedHost,
    admitted,
    ids,
    report,
    clock = () => performance.now(),
  } = options
  const isExpected = (host: string) => isThisPc(host) || (isExpectedHost?.(host) ?? false)
  const bySopClass = new Map(
    services.flatMap((service) =>
      service.sopClasses.map((sopClass) => [sopClass, service] as const),
    ),
  )
  const connections = new Set<Association>()
  let limits = options.limits

  const open = (): Association[] => [...connections].filter(({ isOpen }) => isOpen)
  const host = {
    get limits() {
      return limits
    },
    slices: createSlicePool(limits.sliceBytes),
    dataSlices: createSlicePool(limits.dataSliceBytes, DATA_SLICES),
    policy,
    observer,
    serviceOf: (abstractSyntax: string) =>
      bySopClass.get(abstractSyntax) ?? services.find(({ offers }) => offers?.(abstractSyntax)),
    pendingGrew: refuseSurplusBytes,
    get isTooMuchAhead() {
      return (
        [...connections].reduce((sum, { aheadBytes }) => sum + aheadBytes, 0) > limits.aheadBytes
      )
    },
    get isTooMuchGathered() {
      return (
        [...connections].reduce((sum, { gatheredBytes }) => sum + gatheredBytes, 0) >
        limits.gatheredBytes
      )
    },
    openAssociations({ callingAeTitle, remoteAddress }: AssociationInfo) {
      const all = open()
      return {
        all: all.length,
        ofCaller: all.filter(
          ({ info }) =>
            info?.callingAeTitle === callingAeTitle && info.remoteAddress === remoteAddress,
        ).length,
        unlisted: all.filter(({ isUnlisted }) => isUnlisted).length,
        // Behind one address there may be a whole site of listed devices, or a tunnel of this PC.
        ofHost: isExpected(hostOf(remoteAddress))
          ? 0
          : all.filter((one) => one.host === hostOf(remoteAddress)).length,
        unlistedOfHost: all.filter((one) => one.isUnlisted && one.host === hostOf(remoteAddress))
          .length,
      }
    },
    ids,
    report(error: unknown): string {
      const reference = ids().slice(0, 8)
      report(reference, error)
      return reference
    },
    clock,
  }

  const listener = createServer({ noDelay: true }, (socket) => connect(socket))
  const listeners: Server[] = [listener]
  const tlsListeners: { destroyHandshakes(): void }[] = []

  function connect(socket: Socket, tls?: TlsPeer): void {
    const association = new Association(socket, host, tls)
    const connection: AdmittedConnection = {
      host: association.host,
      get isExempt() {
        return association.isOpen
      },
      close() {
        connections.delete(association)
        association.destroy('too many connections')
      },
    }
    connections.add(association)
    socket.once('close', () => {
      connections.delete(association)
      admitted?.remove(connection)
    })
    refuseSurplus()
    if (connections.has(association)) admitted?.add(connection)
  }

  const pending = (): Association[] => [...connections].filter(({ isOpen }) => !isOpen)

  function refuseSurplus(): void {
    const most = limits.pendingConnections
    for (;;) {
      const surplus = connectionToClose(pending(), { most, isExpected })
      if (!surplus) return
      connections.delete(surplus)
      surplus.destroy(`more than ${most} connections without an association`)
    }
  }

  function refuseSurplusBytes(): void {
    const holding = new Set(pending().filter(({ heldBytes }) => heldBytes > 0))
    let bytes = [...holding].reduce((sum, { heldBytes }) => sum + heldBytes, 0)
    while (bytes > limits.pendingBytes) {
      const association = connectionToClose(holding, { most: 0, isExpected })
      if (!association) return
      holding.delete(association)
      connections.delete(association)
      bytes -= association.heldBytes
      association.destroy('too much from connections without an association')
    }
  }

  async function listen(
    server: Server,
    at: { readonly host: string; readonly port: number },
  ): Promise<number> {
    server.listen(at.port, at.host)
    await once(server, 'listening')
    // Out of file descriptors, say: that connection is lost, those that are open are not.
    server.on('error', (error) => host.report(error))
    return (server.address() as AddressInfo).port
  }

  const port = await listen(listener, options)
  let closing: Promise<void> | undefined

  async function close(timeoutMs: number): Promise<void> {
    const closed = Promise.all(listeners.map((server) => once(server, 'close')))
    for (const server of listeners) server.close()
    for (const { destroyHandshakes } of tlsListeners) destroyHandshakes()
    for (const association of connections)
      if (!association.isOpen) association.destroy('the gateway is stopping')
    await within(timeoutMs, Promise.all(open().map((association) => association.whenIdle())))
    for (const association of connections) association.terminate('the gateway is stopping')
    await within(CLOSING_MS, closed)
    for (const association of connections) association.destroy('the gateway is stopping')
    await closed
  }

  const drain = (timeoutMs: number): Promise<void> => (closing ??= close(timeoutMs))
  return {
    port,
    get openAssociations() {
      return open().length
    },
    get openOfDevices() {
      return open().filter(({ isUnlisted }) => !isUnlisted).length
    },
    setLimits(next) {
      limits = next
    },
    async listenByTls({ host: address, port: wanted, ...rest }) {
      const handshakes = { most: limits.pendingConnections, isExpected }
      const secure = createTlsListener(
        { ...rest, handshakeSeconds: limits.artimSeconds, handshakes, admitted },
        (socket) => connect(socket, peerOf(socket)),
      )
      const { server } = secure
      const tlsPort = await listen(server, { host: address, port: wanted })
      listeners.push(server)
      tlsListeners.push(secure)
      return {
        port: tlsPort,
        setCertificate: (certificate) =>
          server.setSecureContext(secureContextOf({ ...rest, ...certificate })),
      }
    },
    drain,
    [Symbol.asyncDispose]: () => drain(0),
  }
}

/** Waits for the work, but no longer than this. */
async function within(ms: number, work: Promise<unknown>): Promise<void> {
  const late = Promise.withResolvers<void>()
  const timer = setTimeout(late.resolve, ms)
  await Promise.race([work, late.promise])
  clearTimeout(timer)
}
