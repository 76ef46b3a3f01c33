import { isIPv6 } from 'node:net'

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

/** The connections of several listeners, which share one budget. */
export interface AdmittedConnections {
  /** Closes others, or this one, until the budget holds. */
  add(connection: AdmittedConnection): void
  /** It was closed. */
  remove(connection: AdmittedConnection): void
}

/** Connections that all listeners of a gateway may have at once, apart from open associations. */
export const MOST_CONNECTIONS = 1000

export function openAdmittedConnections(budget: ConnectionBudget): AdmittedConnections {
  const connections = new Set<AdmittedConnection>()
  return {
    add(connection) {
      connections.add(connection)
      for (;;) {
        const counted = [...connections].filter(({ isExempt = false }) => !isExempt)
        const surplus = connectionToClose(counted, budget)
        if (!surplus) return
        connections.delete(surplus)
        surplus.close()
      }
    },
    remove: (connection) => void connections.delete(connection),
  }
}

/** Expected of every listener: this PC itself. */
export const isThisPc = (host: string): boolean => host === '127.0.0.1' || host === '0:0:0:0'

/**
 * The connection to close where there are more than the budget allows; undefined where there are
 * not. It is, in this order, one of a host that is not expected and has more than a quarter; an
 * idle one of a host that has more than half; one of the unexpected host with the most connections;
 * one of the host with the most. Of a host the oldest idle connection is closed, or else its oldest.
 *
 * An expected host thus keeps its connections while strangers have any, but one that leaks idle
 * connections does not shut out hosts that are not known yet.
 *
 * @param connections oldest first
 */
export function connectionToClose<T extends BudgetedConnection>(
  connections: Iterable<T>,
  { most, isExpected }: ConnectionBudget,
): T | undefined {
  let count = 0
  const byHost = new Map<string, T[]>()
  for (const connection of connections) {
    count++
    const own = byHost.get(connection.host)
    if (own) own.push(connection)
    else byHost.set(connection.host, [connection])
  }
  let largest: readonly T[] = []
  let largestUnexpected: readonly T[] = []
  for (const [host, own] of byHost) {
    if (own.length > largest.length) largest = own
    if (own.length > largestUnexpected.length && !isExpected(host)) largestUnexpected = own
  }
  if (largestUnexpected.length > Math.max(1, Math.ceil(most / 4))) return leastMissed(largestUnexpected)
  if (count <= most) return undefined
  // `most` is 0 where bytes are shared, and not connections: nothing is half of it.
  const idle = most > 0 && largest.length > most / 2 ? idleOf(largest) : undefined
  if (idle) return idle
  return leastMissed(largestUnexpected.length > 0 ? largestUnexpected : largest)
}

const idleOf = <T extends BudgetedConnection>(own: readonly T[]): T | undefined => own.find(({ isBusy = false }) => !isBusy)
const leastMissed = <T extends BudgetedConnection>(own: readonly T[]): T | undefined => idleOf(own) ?? own[0]

/** One host has a whole IPv6 network of 64 bits (RFC 4291 §2.5.1) and counts as one. */
export function hostOf(address: string): string {
  const v4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  if (v4 !== undefined || !isIPv6(address)) return v4 ?? address
  const [head = '', tail = ''] = address.replace(/%.*$/, '').split('::')
  const groups = head === '' ? [] : head.split(':')
  const rest = tail === '' ? [] : tail.split(':')
  const zeros = address.includes('::') ? 8 - groups.length - rest.length : 0
  return [...groups, ...Array.from({ length: zeros }, () => '0'), ...rest]
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')
}
