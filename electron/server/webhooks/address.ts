import { lookup } from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'
import { addressClass } from './address-class.ts'
import type { IsOwnListener } from './own-listeners.ts'
import { WebhookError } from './webhook-error.ts'

/**
 * What an address may be: https to the world; https to a host that an administrator listed, which
 * may be private; http to a listed host, which must be private, since patients' data in the clear
 * stays inside the clinic.
 */
export const ROUTES = ['https', 'https-listed', 'http-listed'] as const
export type Route = (typeof ROUTES)[number]

const ADMITS: Readonly<Record<Route, readonly string[]>> = {
  https: ['public'],
  'https-listed': ['public', 'private'],
  'http-listed': ['private'],
}

export interface AdmittedUrl {
  readonly url: URL
  readonly route: Route
}

/** The addresses of a host name, IPv4 and IPv6, in the order to try them. */
export type Resolve = (
  hostname: string,
) => Promise<readonly { readonly address: string; readonly family: number }[]>

/**
 * The resolver of the operating system: in a clinic, names live in its hosts file as often as in a
 * name server.
 */
export const systemResolve: Resolve = (hostname) =>
  lookup(hostname, { all: true, order: 'verbatim' })

/**
 * One question at a time for each name: a name server that does not answer would otherwise take
 * every thread of the pool that files are written with. Nothing is kept once it is answered.
 */
export function askedOnce(resolve: Resolve): Resolve {
  const asking = new Map<string, ReturnType<Resolve>>()
  return (hostname) => {
    const known = asking.get(hostname)
    if (known) return known
    const answer = resolve(hostname).finally(() => asking.delete(hostname))
    asking.set(hostname, answer)
    return answer
  }
}

const METADATA_NAMES = new Set([
  'metadata',
  'metadata.google.internal',
  'metadata.goog',
  'instance-data',
  'instance-data.ec2.internal',
])

/**
 * Reads the address of an endpoint and decides all that can be decided before a name is resolved. A
 * host given as an IP address is judged here; a name is judged at each connection, by
 * `pinnedLookup`. Throws `WebhookError` `forbidden-address`.
 * @param plaintextHosts `host:port` entries; another port of the same host is not listed
 * @param isOwn refuses the gateway's own listeners, listed or not
 */
export function admitUrl(
  text: string,
  plaintextHosts: readonly string[],
  isOwn?: IsOwnListener,
): AdmittedUrl {
  const { url, hostname, here } = urlOf(text)
  const isListed = plaintextHosts.some((entry) => listedAs(entry, url.protocol) === here)
  if (url.protocol === 'http:' && !isListed)
    throw forbidden(`http is allowed only to hosts listed for it, and ${here} is not`)
  const route = url.protocol === 'http:' ? 'http-listed' : isListed ? 'https-listed' : 'https'
  if (isIP(hostname)) admitAddress(hostname, portOf(url), route, isOwn)
  return { url, route }
}

/**
 * Reads the address of a file, as an answer names it: only hosts on the endpoint's list, by https;
 * by http where the host is also listed for that and is inside the clinic. Throws `WebhookError`
 * `forbidden-address`.
 * @param hosts `host`, which is its port 443, or `host:port`
 */
export function admitFileUrl(
  text: string,
  hosts: readonly string[],
  plaintextHosts: readonly string[],
  isOwn?: IsOwnListener,
): AdmittedUrl {
  const { url, hostname, here } = urlOf(text)
  if (!hosts.some((entry) => fileHostOf(entry) === here))
    throw forbidden(`${here} is not on the list of hosts that files may come from`)
  const isPlain = url.protocol === 'http:'
  if (isPlain && !plaintextHosts.some((entry) => listedAs(entry, url.protocol) === here))
    throw forbidden(`http is allowed only to hosts listed for it, and ${here} is not`)
  const route = isPlain ? 'http-listed' : 'https-listed'
  if (isIP(hostname)) admitAddress(hostname, portOf(url), route, isOwn)
  return { url, route }
}

function urlOf(text: string): {
  readonly url: URL
  readonly hostname: string
  readonly here: string
} {
  const url = URL.parse(text)
  if (!url) throw forbidden('the address of the partner is not a URL')
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw forbidden('the address must begin with https://')
  if (url.username || url.password)
    throw forbidden('the address must not carry a user name or password')
  const hostname = bareHost(url)
  if (METADATA_NAMES.has(hostname)) throw forbidden('the address names a cloud metadata service')
  return { url, hostname, here: `${hostname}:${portOf(url)}` }
}

/**
 * A `lookup` for sockets that resolves the name itself, refuses unless **every** address is
 * admitted, and hands on exactly those: the address judged is the address connected to, also when
 * the name server changes its mind in between.
 * @param own the port of the connection, and which listeners it must not reach
 */
export function pinnedLookup(
  route: Route,
  resolve: Resolve,
  own?: { readonly port: number; readonly isOwn: IsOwnListener },
): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname).then(
      (addresses) => {
        try {
          const [first] = addresses
          if (!first) throw Object.assign(new Error('no address'), { code: 'ENOTFOUND' })
          for (const { address } of addresses)
            admitAddress(address, own?.port ?? 0, route, own?.isOwn)
          if (options.all) callback(null, [...addresses])
          else callback(null, first.address, first.family)
        } catch (error) {
          callback(error as NodeJS.ErrnoException, '')
        }
      },
      (error: NodeJS.ErrnoException) => callback(error, ''),
    )
  }
}

function admitAddress(
  address: string,
  port: number,
  route: Route,
  isOwn: IsOwnListener | undefined,
): void {
  if (isOwn?.(address, port))
    throw forbidden('it is a listener of this gateway, which is never called')
  const { kind, what } = addressClass(address)
  if (ADMITS[route].includes(kind)) return
  if (kind === 'public')
    throw forbidden(
      'http is allowed only inside the clinic, and this is an address of the internet',
    )
  if (kind === 'private')
    throw forbidden(`it is ${what} address, and its host and port are not listed`)
  throw forbidden(`it is ${what} address, which is never called`)
}

function listedAs(entry: string, protocol: string): string {
  const url = URL.parse(`${protocol}//${entry}`)
  const port = /:(\d{1,5})$/.exec(entry)?.[1]
  return url && port ? `${bareHost(url)}:${Number(port)}` : ''
}

function fileHostOf(entry: string): string {
  const url = URL.parse(`https://${entry}`)
  return url && url.pathname === '/' && !url.search && !url.username
    ? `${bareHost(url)}:${portOf(url)}`
    : ''
}

/**
 * Lower-case and without brackets or the root's dot: the URL parser has already turned `127.1` or
 * `0x7f000001` into 127.0.0.1.
 */
const bareHost = (url: URL) => url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
const portOf = (url: URL) => Number(url.port || (url.protocol === 'https:' ? 443 : 80))
const forbidden = (detail: string) => new WebhookError('forbidden-address', detail)
