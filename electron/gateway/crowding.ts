import { isIPv6 } from 'node:net'

/** A connection as far as it matters when there are too many. */
export interface Contender {
  readonly remoteAddress: string
}

/**
 * Chooses the connection to close when there are too many: the oldest one of the host that has the
 * most. A host that opens few connections is therefore never refused because of one that opens many.
 * @param connections those that may be closed, oldest first
 */
export function oldestOfLargest<T extends Contender>(connections: Iterable<T>): T | undefined {
  const byHost = Map.groupBy(connections, ({ remoteAddress }) => hostOf(remoteAddress))
  let largest: readonly T[] = []
  for (const own of byHost.values()) if (own.length > largest.length) largest = own
  return largest[0]
}

/** One host has a whole IPv6 network of 64 bits (RFC 4291 §2.5.1) and counts as one. */
export function hostOf(address: string): string {
  const v4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  if (v4 !== undefined || !isIPv6(address)) return v4 ?? address
  const [head = '', tail = ''] = address.replace(/%.*$/, '').split('::')
  const groups = head === '' ? [] : head.split(':')
  const missing = address.includes('::') ? 8 - groups.length - (tail === '' ? 0 : tail.split(':').length) : 0
  const all = [...groups, ...Array.from({ length: missing }, () => '0'), ...(tail === '' ? [] : tail.split(':'))]
  return all
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')
}
