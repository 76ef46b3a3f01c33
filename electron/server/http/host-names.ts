import { isIP } from 'node:net'
import { hostname } from 'node:os'
import type { Settings } from '#server/configuration/settings.ts'

// A page of another site can reach a listener on loopback or the LAN by resolving its own name to
// that address (DNS rebinding). The browser then sends that name as Host, with neither Origin nor
// Sec-Fetch-Site, so only known names are accepted.
const LOOPBACK_NAMES = ['localhost', '127.0.0.1', '::1']

/** Host names from the settings. */
export interface HostNames {
  /** `http.publicUrl` */
  readonly publicUrl: string | null
  /** `http.allowedHosts` */
  readonly allowedHosts: readonly string[]
}

/** The LAN listener, which uses TLS, also accepts this PC's host name. */
export function hostNamesOf(settings: Pick<Settings, 'get'>, hasTls: boolean): HostNames {
  const allowedHosts = settings.get('http.allowedHosts')
  return {
    publicUrl: settings.get('http.publicUrl'),
    allowedHosts: hasTls ? [...allowedHosts, hostname()] : allowedHosts,
  }
}

/** The inputs of the allow-list at the time of a request. */
export interface HostCheckInput extends HostNames {
  /** Address or name that the listener is bound to. */
  readonly boundHost: string
  /** Local address of the connection, for a listener bound to all addresses. */
  readonly localAddress: string | undefined
}

/**
 * Whether the Host header names this gateway. The port is not compared, because a proxy or tunnel
 * may change it.
 */
export function isAllowedHost(header: string | undefined, rule: HostCheckInput): boolean {
  const name = hostNameOf(header)
  if (name === undefined) return false
  const publicName =
    rule.publicUrl && URL.canParse(rule.publicUrl)
      ? hostNameOf(new URL(rule.publicUrl).host)
      : undefined
  const allowed = [
    ...LOOPBACK_NAMES,
    rule.boundHost,
    rule.localAddress,
    publicName,
    ...rule.allowedHosts,
  ]
  return allowed.some((own) => own !== undefined && plainName(own) === name)
}

/**
 * Caches the last allowed header of `isAllowedHost`, because nearly all requests have the same host and
 * the same rule.
 */
export function cachedHostCheck(): typeof isAllowedHost {
  let last: (HostCheckInput & { readonly header: string }) | undefined
  return (header, rule) => {
    if (last && last.header === header && HOST_CHECK_KEYS.every((key) => last?.[key] === rule[key]))
      return true
    if (header === undefined || !isAllowedHost(header, rule)) return false
    last = { header, ...rule }
    return true
  }
}

const HOST_CHECK_KEYS = [
  'boundHost',
  'localAddress',
  'publicUrl',
  'allowedHosts',
] as const satisfies readonly (keyof HostCheckInput)[]

/**
 * Whether an Origin header is that of the gateway's own page: the host the request was sent to, or
 * the origin of the public URL.
 */
export function isOwnOrigin(
  origin: string,
  host: string | undefined,
  publicUrl: string | null,
): boolean {
  if (!URL.canParse(origin)) return false
  const url = new URL(origin)
  if (url.origin === 'null') return false
  return (
    url.host === host?.toLowerCase() ||
    (publicUrl !== null && URL.canParse(publicUrl) && url.origin === new URL(publicUrl).origin)
  )
}

/**
 * `localhost:8042` → `localhost`, `[::1]:8042` → `::1`; undefined if it is not a host with an
 * optional port (RFC 9110 §7.2).
 */
function hostNameOf(header: string | undefined): string | undefined {
  const match = /^(?:\[([0-9a-f:.]+)\]|([^\s:/?#@[\]\\]+))(?::\d{1,5})?$/i.exec(header ?? '')
  const name = match?.[1] ?? match?.[2]
  return name === undefined ? undefined : plainName(name)
}

/** In lower case, without brackets, and with IPv4-mapped addresses as IPv4. */
function plainName(name: string): string {
  const plain = name.toLowerCase().replace(/^\[(.*)\]$/, '$1')
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(plain)?.[1]
  return mapped && isIP(mapped) === 4 ? mapped : plain
}
