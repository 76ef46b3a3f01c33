import { LRUCache } from 'lru-cache'
import { type Clock, instantOf } from '#server/platform/clock.ts'

const MOST = 50

export type RefusedHosts = ReturnType<typeof openRefusedHosts>

/**
 * Hosts that answers named and that no list allows, for whoever sets the list: in memory only, the
 * newest of them.
 */
export function openRefusedHosts(clock: Clock) {
  const known = new LRUCache<
    string,
    { readonly endpointId: string; readonly host: string; readonly at: string }
  >({ max: MOST })
  return {
    /** Remembers the host of an address that was not allowed. */
    note(endpointId: string, text: string): void {
      const url = URL.parse(text)
      if (!url || !/^https?:$/.test(url.protocol)) return
      // As the list of hosts has it: the port where it is not that of https.
      const host = url.protocol === 'http:' && url.port === '' ? `${url.hostname}:80` : url.host
      known.set(`${endpointId} ${host}`, { endpointId, host, at: instantOf(clock()) })
    },
    /** Newest first. */
    of: (endpointId: string) =>
      [...known.values()]
        .filter((one) => one.endpointId === endpointId)
        .map(({ host, at }) => ({ host, at })),
  }
}
