import { isIPv6, type Socket } from 'node:net'
import ipaddr from 'ipaddr.js'

/** A connection that may be closed to make room for others. */
export interface BudgetedConnection {
  /** The remote host, normalized by `hostOf`. */
  readonly host: string
  /** Whether a request on it is being answered. */
  readonly isBusy?: boolean
}

export interface ConnectionBudget {
  /** Maximum number of concurrent connections. */
  readonly max: number
  /**
   * Whether a host has priority: a listed device, an approved workstation, or a client that has
   * authenticated. Any other host gets at most a quarter of the connections.
   */
  readonly isExpected: (host: string) => boolean
}

/** A connection accepted by any of the listeners that share the budget. */
export interface AdmittedConnection extends BudgetedConnection {
  /** Not counted, because another limit applies to it, such as the limit on open associations. */
  readonly isExempt?: boolean
  close(): void
}

/** Limit for all listeners of a gateway together, not counting open associations. */
const MAX_CONNECTIONS = 1000

/** An idle connection younger than this may not have had time to send its first request. */
const GRACE_MS = 5000

/** Number of authenticated hosts that are remembered. */
const MAX_AUTHENTICATED_HOSTS = 1000

/**
 * The open connections of several listeners that share one budget. This PC, known hosts and hosts
 * of authenticated clients have priority.
 */
export class AdmittedConnections {
  readonly #budget: ConnectionBudget
  readonly #clock: () => number
  readonly #acceptedAt = new Map<AdmittedConnection, number>()
  readonly #authenticated = new Set<string>()

  /**
   * @param isKnown whether the host belongs to a listed device or an approved workstation
   * @param clock monotonic, in milliseconds
   */
  constructor(
    isKnown: (host: string) => boolean = () => false,
    max = MAX_CONNECTIONS,
    clock: () => number = () => performance.now(),
  ) {
    const isExpected = (host: string) =>
      isThisPc(host) || this.#authenticated.has(host) || isKnown(host)
    this.#budget = { max, isExpected }
    this.#clock = clock
  }

  isExpected(host: string): boolean {
    return this.#budget.isExpected(host)
  }

  /**
   * Records that a client at this address has authenticated. The least recent hosts are dropped.
   */
  noteAuthenticated(remoteAddress: string): void {
    const host = hostOf(remoteAddress)
    this.#authenticated.delete(host)
    this.#authenticated.add(host)
    const [oldest] = this.#authenticated
    if (this.#authenticated.size > MAX_AUTHENTICATED_HOSTS && oldest !== undefined)
      this.#authenticated.delete(oldest)
  }

  /** Adds a connection, then closes connections (possibly this one) until the budget is met. */
  add(connection: AdmittedConnection): void {
    const now = this.#clock()
    this.#acceptedAt.set(connection, now)
    if (isWithinShare(this.#acceptedAt.size, this.#budget)) return
    const isNew = (one: AdmittedConnection) => now - (this.#acceptedAt.get(one) ?? now) < GRACE_MS
    for (;;) {
      const counted = [...this.#acceptedAt.keys()].filter(({ isExempt = false }) => !isExempt)
      const surplus = connectionToClose(counted, this.#budget, isNew)
      if (!surplus) return
      this.#acceptedAt.delete(surplus)
      surplus.close()
    }
  }

  /** Removes a closed connection. */
  remove(connection: AdmittedConnection): void {
    this.#acceptedAt.delete(connection)
  }
}

/** Whether the host is this PC, which every listener gives priority. */
export const isThisPc = (host: string): boolean => host === '127.0.0.1' || host === '0:0:0:0'

/** Number of connections that a host without priority may have. */
const shareOf = (max: number): number => Math.max(1, Math.ceil(max / 4))

/** Whether so many connections cannot exceed the budget, whichever hosts they are of. */
export const isWithinShare = (connections: number, { max }: Pick<ConnectionBudget, 'max'>) =>
  connections <= Math.min(max, shareOf(max))

/**
 * Chooses the connection to close when the budget is exceeded; undefined if it is not. In order of
 * preference:
 *
 * - one of a host without priority that holds more than a quarter of the budget;
 * - while the hosts without priority together hold at most a quarter, an idle one of the host with
 *   the most connections that has an idle one;
 * - one of the host without priority that has the most connections;
 * - one of the host that has the most connections.
 *
 * Hosts with priority therefore keep their connections while other hosts hold more than a quarter,
 * but a host that leaks idle connections cannot lock out hosts that are not known yet.
 *
 * @param connections oldest first
 * @param isNew whether it was accepted too recently to have sent a request
 */
export function connectionToClose<T extends BudgetedConnection>(
  connections: Iterable<T>,
  { max, isExpected }: ConnectionBudget,
  isNew: (connection: T) => boolean = () => false,
): T | undefined {
  let count = 0
  const byHost = new Map<string, T[]>()
  for (const connection of connections) {
    count++
    const own = byHost.get(connection.host)
    if (own) own.push(connection)
    else byHost.set(connection.host, [connection])
  }
  const hostsBySize = [...byHost].sort(([, a], [, b]) => b.length - a.length)
  const share = shareOf(max)
  const overShareHost = hostsBySize.find(([host, own]) => own.length > share && !isExpected(host))
  if (overShareHost) return connectionToCloseOf(overShareHost[1], isNew)
  if (count <= max) return undefined
  const unexpectedHosts = hostsBySize.filter(([host]) => !isExpected(host))
  const [[, largest = []] = []] = hostsBySize
  if (unexpectedHosts.reduce((sum, [, own]) => sum + own.length, 0) <= max / 4) {
    for (const [, own] of hostsBySize) {
      const old = own.find((one) => isIdle(one) && !isNew(one))
      if (old) return old
    }
    const idle = oldestIdle(largest, isNew)
    if (idle) return idle
  }
  const [[, largestUnexpected = largest] = []] = unexpectedHosts
  return connectionToCloseOf(largestUnexpected, isNew)
}

const isIdle = ({ isBusy = false }: BudgetedConnection): boolean => !isBusy

/**
 * The oldest idle connection of a host that is not new. If all idle ones are new, the oldest of
 * them when they are the majority, otherwise none: a single idle connection among busy ones is the
 * one that was just accepted, and closing it would lock out every other client at that host.
 */
function oldestIdle<T extends BudgetedConnection>(
  own: readonly T[],
  isNew: (connection: T) => boolean,
) {
  const idle = own.filter(isIdle)
  const old = idle.find((one) => !isNew(one))
  return old ?? (idle.length > own.length / 2 ? idle[0] : undefined)
}

function connectionToCloseOf<T extends BudgetedConnection>(
  own: readonly T[],
  isNew: (connection: T) => boolean,
) {
  return oldestIdle(own, isNew) ?? own.find((one) => !isIdle(one))
}

/**
 * The host that an address is counted under. All addresses of an IPv6 /64 network count as one host
 * (RFC 4291 §2.5.1).
 */
export function hostOf(address: string): string {
  if (!isIPv6(address)) return address
  const parsed = ipaddr.IPv6.parse(address)
  if (parsed.isIPv4MappedAddress()) return parsed.toIPv4Address().toString()
  return parsed.parts
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')
}

/**
 * Identifies a connection by its endpoints. The key is the same for both sockets of a TLS
 * connection, the accepted TCP socket and the encrypted one on top of it.
 */
export const connectionKey = ({
  remoteAddress,
  remotePort,
  localAddress,
  localPort,
}: Socket): string => `${remoteAddress} ${remotePort} ${localAddress} ${localPort}`
