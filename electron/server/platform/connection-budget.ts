import { isIPv6, type Socket } from 'node:net'
import ipaddr from 'ipaddr.js'

/** A connection that may have to be closed so that others are served. */
export interface BudgetedConnection {
  /** `hostOf` its remote address. */
  readonly host: string
  /** Something is being answered on it. */
  readonly isBusy?: boolean
}

export interface ConnectionBudget {
  /** Connections at once. */
  readonly most: number
  /**
   * Whether a host is one that is served first: a listed device, an approved workstation, a caller
   * that signed in. Each of the others gets at most a quarter of the connections.
   */
  readonly isExpected: (host: string) => boolean
}

/** A connection that any of several listeners accepted. */
export interface AdmittedConnection extends BudgetedConnection {
  /** Another limit applies to it now, as to an open association. */
  readonly isExempt?: boolean
  close(): void
}

/** Connections that all listeners of a gateway may have at once, apart from open associations. */
const MOST_CONNECTIONS = 1000

/** An idle connection that was accepted so recently may not have had the time to send a request. */
const NEW_MS = 5000

/** Hosts that proved who they are and are remembered. */
const MOST_HOSTS = 1000

/**
 * The connections of several listeners, which share one budget. This PC, hosts that are known
 * beforehand and those of callers that proved who they are come first.
 */
export class AdmittedConnections {
  readonly #budget: ConnectionBudget
  readonly #clock: () => number
  readonly #acceptedAt = new Map<AdmittedConnection, number>()
  readonly #proven = new Set<string>()

  /**
   * @param isKnown whether a host is one of a listed device or of an approved workstation
   * @param clock milliseconds, monotonic
   */
  constructor(
    isKnown: (host: string) => boolean = () => false,
    most = MOST_CONNECTIONS,
    clock: () => number = () => performance.now(),
  ) {
    const isExpected = (host: string) => isThisPc(host) || this.#proven.has(host) || isKnown(host)
    this.#budget = { most, isExpected }
    this.#clock = clock
  }

  isExpected(host: string): boolean {
    return this.#budget.isExpected(host)
  }

  /** A caller of this address proved who it is. Those of longest ago are forgotten. */
  noteProven(remoteAddress: string): void {
    const host = hostOf(remoteAddress)
    this.#proven.delete(host)
    this.#proven.add(host)
    const [oldest] = this.#proven
    if (this.#proven.size > MOST_HOSTS && oldest !== undefined) this.#proven.delete(oldest)
  }

  /** Closes others, or this one, until the budget holds. */
  add(connection: AdmittedConnection): void {
    const now = this.#clock()
    this.#acceptedAt.set(connection, now)
    const isNew = (one: AdmittedConnection) => now - (this.#acceptedAt.get(one) ?? now) < NEW_MS
    for (;;) {
      const counted = [...this.#acceptedAt.keys()].filter(({ isExempt = false }) => !isExempt)
      const surplus = connectionToClose(counted, this.#budget, isNew)
      if (!surplus) return
      this.#acceptedAt.delete(surplus)
      surplus.close()
    }
  }

  /** It was closed. */
  remove(connection: AdmittedConnection): void {
    this.#acceptedAt.delete(connection)
  }
}

/** Expected of every listener: this PC itself. */
export const isThisPc = (host: string): boolean => host === '127.0.0.1' || host === '0:0:0:0'

/**
 * The connection to close where there are more than the budget allows; undefined where there are
 * not. It is, in this order:
 *
 * 1. one of a host that is not expected and has more than a quarter;
 * 2. while all hosts that are not expected have at most a quarter together, an idle one of the host
 *    with the most connections that has one;
 * 3. one of the unexpected host with the most connections;
 * 4. one of the host with the most.
 *
 * An expected host thus keeps its connections while strangers have more than a quarter, but hosts
 * that leak idle connections do not shut out those that are not known yet.
 *
 * @param connections oldest first
 * @param isNew whether it was accepted too recently to have sent anything
 */
export function connectionToClose<T extends BudgetedConnection>(
  connections: Iterable<T>,
  { most, isExpected }: ConnectionBudget,
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
  const bySize = [...byHost].sort(([, a], [, b]) => b.length - a.length)
  const share = Math.max(1, Math.ceil(most / 4))
  const greedy = bySize.find(([host, own]) => own.length > share && !isExpected(host))
  if (greedy) return leastMissed(greedy[1], isNew)
  if (count <= most) return undefined
  const unexpected = bySize.filter(([host]) => !isExpected(host))
  const [[, largest = []] = []] = bySize
  if (unexpected.reduce((sum, [, own]) => sum + own.length, 0) <= most / 4) {
    for (const [, own] of bySize) {
      const old = own.find((one) => isIdle(one) && !isNew(one))
      if (old) return old
    }
    const idle = idleOf(largest, isNew)
    if (idle) return idle
  }
  const [[, largestUnexpected = largest] = []] = unexpected
  return leastMissed(largestUnexpected, isNew)
}

const isIdle = ({ isBusy = false }: BudgetedConnection): boolean => !isBusy

/**
 * The oldest idle connection of a host that is not new. Where all idle ones are new, it is the
 * oldest of them if they are the majority, and otherwise none: the only idle connection beside busy
 * ones is the one that was just accepted, and closing it would shut out everybody else at that
 * host.
 */
function idleOf<T extends BudgetedConnection>(
  own: readonly T[],
  isNew: (connection: T) => boolean,
) {
  const idle = own.filter(isIdle)
  const old = idle.find((one) => !isNew(one))
  return old ?? (idle.length > own.length / 2 ? idle[0] : undefined)
}

function leastMissed<T extends BudgetedConnection>(
  own: readonly T[],
  isNew: (connection: T) => boolean,
) {
  return idleOf(own, isNew) ?? own.find((one) => !isIdle(one))
}

/** One host has a whole IPv6 network of 64 bits (RFC 4291 §2.5.1) and counts as one. */
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
 * The same for both sockets of a TLS connection: the one that was accepted, and the encrypted one
 * upon it.
 */
export const connectionKey = ({
  remoteAddress,
  remotePort,
  localAddress,
  localPort,
}: Socket): string => `${remoteAddress} ${remotePort} ${localAddress} ${localPort}`
