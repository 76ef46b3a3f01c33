import { Agent, buildConnector } from 'undici'
import {
  askedOnce,
  type IsOwnListener,
  pinnedLookup,
  type Resolve,
  ROUTES,
  type Route,
  systemResolve,
} from './address.ts'

/** Milliseconds a connection may take, of each try. */
export const CONNECT_MS = 2_000

/**
 * HTTP as others are spoken to: HTTP/1.1 kept alive, addresses pinned, no redirect, no cookies, no
 * proxy from the environment. Each route has its own connections: one opened while its host was
 * listed must not be used again once it is not.
 */
export class Agents implements AsyncDisposable {
  readonly of: Readonly<Record<Route, Agent>>
  /** The gateway's own listeners, which are never called. */
  readonly isOwn: IsOwnListener
  readonly #resolve: Resolve
  readonly #authorities: readonly string[] | undefined

  /** `authorities`: trusted ones in PEM, in place of the built-in ones. */
  constructor(
    isOwn: IsOwnListener = () => false,
    resolve: Resolve = systemResolve,
    authorities?: readonly string[],
  ) {
    this.isOwn = isOwn
    this.#resolve = askedOnce(resolve)
    this.#authorities = authorities
    const agents = ROUTES.map((route) => [route, this.#agentFor(route)])
    this.of = Object.fromEntries(agents) as Record<Route, Agent>
  }

  #agentFor(route: Route): Agent {
    const connectors = new Map<number, buildConnector.connector>()
    return new Agent({
      allowH2: false,
      connections: 32,
      // The budget of the call governs both.
      headersTimeout: 0,
      bodyTimeout: 0,
      // Which of our own listeners a name may not lead to depends on the port.
      connect: (options, callback) => {
        const port = Number(options.port || (options.protocol === 'https:' ? 443 : 80))
        const connector = connectors.get(port) ?? this.#connectorFor(route, port)
        connectors.set(port, connector)
        connector(options, callback)
      },
    })
  }

  #connectorFor(route: Route, port: number): buildConnector.connector {
    return buildConnector({
      allowH2: false,
      timeout: CONNECT_MS,
      lookup: pinnedLookup(route, this.#resolve, { port, isOwn: this.isOwn }),
      ...(this.#authorities && { ca: [...this.#authorities] }),
    })
  }

  async [Symbol.asyncDispose]() {
    await Promise.all(Object.values(this.of).map((agent) => agent.destroy()))
  }
}
