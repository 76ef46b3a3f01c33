import { hostOf, isThisPc } from '#server/platform/connection-budget.ts'

/** Hosts whose connections a listener keeps where there are too many. */
export interface ExpectedHosts {
  has(host: string): boolean
  /** A caller of this address has just proven who it is. */
  note(remoteAddress: string): void
}

/** Those heard of longest ago give way. */
const MOST_HOSTS = 1000

/**
 * @param known whether the host was approved beforehand, such as that of a workstation: what is
 *   only noted is forgotten when the gateway ends
 */
export function openExpectedHosts(known: (host: string) => boolean = () => false): ExpectedHosts {
  const noted = new Set<string>()
  return {
    has: (host) => isThisPc(host) || noted.has(host) || known(host),
    note(remoteAddress) {
      const host = hostOf(remoteAddress)
      noted.delete(host)
      noted.add(host)
      const [oldest] = noted
      if (noted.size > MOST_HOSTS && oldest !== undefined) noted.delete(oldest)
    },
  }
}
