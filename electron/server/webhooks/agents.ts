import { Agent, buildConnector } from 'undici'
import {
  coalescedResolve,
  type IsOwnListener,
  pinnedLookup,
  type Resolve,
  systemResolve,
  URL_KINDS,
  type UrlKind,
} from './address.ts'

/** Time limit in milliseconds for each connection attempt. */
export const CONNECT_TIMEOUT_MS = 2_000

/**
 * HTTP clients for outbound requests: HTTP/1.1 with keep-alive, pinned addresses, no redirects, no
 * cookies, and no proxy from the environment. Each kind of URL has its own connection pool, so that
 * a connection opened while its host was listed is not reused after the host has been removed from
 * the list.
 */
export class Agents implements AsyncDisposable {
  readonly of: Readonly<Record<UrlKind, Agent>>
  /** Identifies the gateway's own listeners, which are never called. */
  readonly isOwn: IsOwnListener
  readonly #resolve: Resolve
  readonly #authorities: readonly string[] | undefined

  /** `authorities`: trusted authorities (PEM) that replace the built-in ones. */
  constructor(
    isOwn: IsOwnListener = () => false,
    resolve: Resolve = systemResolve,
    authorities?: readonly string[],
  ) {
    this.isOwn = isOwn
    this.#resolve = coalescedResolve(resolve)
    this.#authorities = authorities
    const agents = URL_KINDS.map((route) => [route, this.#agentFor(route)])
    this.of = Object.fromEntries(agents) as Record<UrlKind, Agent>
  }

  #agentFor(route: UrlKind): Agent {
    const connectors = new Map<number, buildConnector.connector>()
    return new Agent({
      allowH2: false,
      connections: 32,
      // Limited by the time budget of the request instead.
      headersTimeout: 0,
      bodyTimeout: 0,
      // Whether an address is one of the gateway's listeners depends on the port.
      connect: (options, callback) => {
        const port = Number(options.port || (options.protocol === 'https:' ? 443 : 80))
        const connector = connectors.get(port) ?? this.#connectorFor(route, port)
        connectors.set(port, connector)
        connector(options, callback)
      },
    })
  }

  #connectorFor(route: UrlKind, port: number): buildConnector.connector {
    return buildConnector({
      allowH2: false,
      timeout: CONNECT_TIMEOUT_MS,
      lookup: pinnedLookup(route, this.#resolve, { port, isOwn: this.isOwn }),
      ...(this.#authorities && { ca: [...this.#authorities] }),
    })
  }

  async [Symbol.asyncDispose]() {
    await Promise.all(Object.values(this.of).map((agent) => agent.destroy()))
  }
}
