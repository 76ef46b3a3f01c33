import { LRUCache } from 'lru-cache'
import { type Clock, instantOf } from '#server/platform/clock.ts'

const MAX_HOSTS = 50

export type RefusedHosts = ReturnType<typeof openRefusedHosts>

/**
 * Remembers the hosts of file addresses that were refused because no endpoint allows them, so that
 * an administrator can add them. The newest 50 are held in memory only.
 */
export function openRefusedHosts(clock: Clock) {
  const hosts = new LRUCache<
    string,
    { readonly endpointId: string; readonly host: string; readonly at: string }
  >({ max: MAX_HOSTS })
  return {
    /** Records the host of a refused address. */
    note(endpointId: string, text: string): void {
      const url = URL.parse(text)
      if (!url || !/^https?:$/.test(url.protocol)) return
      // In the form of `fileHosts`: with the port unless it is the default port of https.
      const host = url.protocol === 'http:' && url.port === '' ? `${url.hostname}:80` : url.host
      hosts.set(`${endpointId} ${host}`, { endpointId, host, at: instantOf(clock()) })
    },
    /** The refused hosts of an endpoint, newest first. */
    of: (endpointId: string) =>
      [...hosts.values()]
        .filter((one) => one.endpointId === endpointId)
        .map(({ host, at }) => ({ host, at })),
  }
}
