import { isIP } from 'node:net'

// A page of another site reaches a listener on loopback or the LAN by pointing its own name at it
// (DNS rebinding); the browser then sends that name as Host, with neither Origin nor
// Sec-Fetch-Site. So only names known to be ours are answered.
const LOOPBACK_NAMES = ['localhost', '127.0.0.1', '::1']

/** Names that the settings give the gateway. */
export interface HostNames {
  /** `http.publicUrl` */
  readonly publicUrl: string | null
  /** `http.allowedHosts` */
  readonly allowedHosts: readonly string[]
}

/** What the allow-list is made of, at the moment of a request. */
export interface HostRule extends HostNames {
  /** Address or name that the listener is bound to. */
  readonly boundHost: string
  /** Address of this end of the connection: what a listener on all addresses was reached at. */
  readonly localAddress: string | undefined
}

/**
 * Whether a request with this Host header is meant for us. The port is not compared: a proxy or a
 * tunnel may change it.
 */
export function isOurHost(header: string | undefined, rule: HostRule): boolean {
  const name = hostNameOf(header)
  if (name === undefined) return false
  const publicName =
    rule.publicUrl && URL.canParse(rule.publicUrl)
      ? hostNameOf(new URL(rule.publicUrl).host)
      : undefined
  const ours = [
    ...LOOPBACK_NAMES,
    rule.boundHost,
    rule.localAddress,
    publicName,
    ...rule.allowedHosts,
  ]
  return ours.some((own) => own !== undefined && plainName(own) === name)
}

/**
 * `isOurHost` that remembers what it has allowed last: nearly every call comes by the same name,
 * under the same rule.
 */
export function hostCheck(): typeof isOurHost {
  let last: (HostRule & { readonly header: string }) | undefined
  return (header, rule) => {
    if (last && last.header === header && RULE_KEYS.every((key) => last?.[key] === rule[key]))
      return true
    if (header === undefined || !isOurHost(header, rule)) return false
    last = { header, ...rule }
    return true
  }
}

const RULE_KEYS = [
  'boundHost',
  'localAddress',
  'publicUrl',
  'allowedHosts',
] as const satisfies readonly (keyof HostRule)[]

/**
 * Whether an Origin header is that of our own page: the host the request was sent to, or the public
 * URL's origin.
 */
export function isOurOrigin(
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
 * `localhost:8042` → `localhost`, `[::1]:8042` → `::1`; undefined where it is not a host with an
 * optional port (RFC 9110 §7.2).
 */
function hostNameOf(header: string | undefined): string | undefined {
  const match = /^(?:\[([0-9a-f:.]+)\]|([^\s:/?#@[\]\\]+))(?::\d{1,5})?$/i.exec(header ?? '')
  const name = match?.[1] ?? match?.[2]
  return name === undefined ? undefined : plainName(name)
}

/** Lower case; without brackets; an IPv4-mapped address in its IPv4 form. */
function plainName(name: string): string {
  const plain = name.toLowerCase().replace(/^\[(.*)\]$/, '$1')
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(plain)?.[1]
  return mapped && isIP(mapped) === 4 ? mapped : plain
}
