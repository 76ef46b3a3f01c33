import { Agent, buildConnector } from 'undici'
import { pinnedLookup, type Resolve, ROUTES, type Route } from './address.ts'
import { CONNECT_MS } from './limits.ts'
import type { IsOwnListener } from './own-listeners.ts'

export interface AgentsOptions {
  readonly resolve: Resolve
  /** Trusted certificate authorities in PEM, in place of the built-in ones. */
  readonly authorities?: readonly string[] | undefined
  readonly isOwn?: IsOwnListener | undefined
}

/**
 * Connections out, of each route its own: one opened while its host was listed must not be used
 * again once it is not.
 */
export interface Agents extends AsyncDisposable {
  readonly of: Readonly<Record<Route, Agent>>
}

/**
 * HTTP as others are spoken to: HTTP/1.1 kept alive, addresses pinned, no redirect, no cookies, no
 * proxy from the environment.
 */
export function openAgents({ resolve, authorities, isOwn = () => false }: AgentsOptions): Agents {
  const connectorsOf = (route: Route) => {
    const byPort = new Map<number, buildConnector.connector>()
    return (port: number) => {
      const known = byPort.get(port)
      if (known) return known
      const lookup = pinnedLookup(route, resolve, { port, isOwn })
      const connector = buildConnector({
        allowH2: false,
        timeout: CONNECT_MS,
        lookup,
        ...(authorities && { ca: [...authorities] }),
      })
      byPort.set(port, connector)
      return connector
    }
  }
  const agentFor = (route: Route) => {
    const connectorAt = connectorsOf(route)
    return new Agent({
      allowH2: false,
      connections: 32,
      // The budget of the call governs both.
      headersTimeout: 0,
      bodyTimeout: 0,
      // Which of our own listeners a name may not lead to depends on the port.
      connect: (options, callback) =>
        connectorAt(Number(options.port || (options.protocol === 'https:' ? 443 : 80)))(
          options,
          callback,
        ),
    })
  }
  const of = Object.fromEntries(ROUTES.map((route) => [route, agentFor(route)])) as Record<
    Route,
    Agent
  >
  return {
    of,
    async [Symbol.asyncDispose]() {
      await Promise.all(Object.values(of).map((agent) => agent.destroy()))
    },
  }
}
