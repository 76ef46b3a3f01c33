import { lookup } from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'
import { networkInterfaces } from 'node:os'
import { type Message, message } from '#shared/messages/message.ts'
import { addressClass, LOOPBACK, plainAddress } from './address-class.ts'
import { WebhookError } from './webhook-error.ts'

/** Whether an IP address and a TCP port are one of the gateway's own listeners. */
export type IsOwnListener = (address: string, port: number) => boolean

/**
 * Nobody's answer makes the gateway call itself: every loopback address and every
 * address of this PC, at one of our ports. A name is judged by the addresses it resolves to.
 * @param ports as they are now
 */
export function ownListeners(
  ports: () => readonly number[],
  addresses: () => readonly string[] = () =>
    Object.values(networkInterfaces()).flatMap((entries) =>
      (entries ?? []).map((entry) => entry.address),
    ),
): IsOwnListener {
  return (address, port) => {
    // The network cards are asked only where the port is one of ours.
    if (!ports().includes(port)) return false
    if (addressClass(address).what === LOOPBACK) return true
    const plain = plainAddress(address)
    return addresses().some((own) => plainAddress(own) === plain)
  }
}

/**
 * What an address may be: https to the world; https to a host that an administrator listed, which
 * may be private; http to a listed host, which must be private, since patients' data in the clear
 * stays inside the clinic; private: http or https to a service of the clinic, never to the world.
 */
export const ROUTES = ['https', 'https-listed', 'http-listed', 'private'] as const
export type Route = (typeof ROUTES)[number]

const ADMITS: Readonly<Record<Route, readonly string[]>> = {
  https: ['public'],
  'https-listed': ['public', 'private'],
  'http-listed': ['private'],
  private: ['private'],
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
 * The resolver of the operating system: in a clinic, names are in its hosts file as often as in a
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
    throw forbidden(message('webhooks.host-not-plaintext', { host: here }))
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
    throw forbidden(message('webhooks.host-not-listed', { host: here }))
  const isPlain = url.protocol === 'http:'
  if (isPlain && !plaintextHosts.some((entry) => listedAs(entry, url.protocol) === here))
    throw forbidden(message('webhooks.host-not-plaintext', { host: here }))
  const route = isPlain ? 'http-listed' : 'https-listed'
  if (isIP(hostname)) admitAddress(hostname, portOf(url), route, isOwn)
  return { url, route }
}

/**
 * Reads the address of a service of the clinic that an administrator entered: http or https, at a
 * private address or on this PC. Throws `WebhookError` `forbidden-address`.
 * @param isOwn refuses the gateway's own listeners
 */
export function admitPrivateUrl(text: string, isOwn?: IsOwnListener): AdmittedUrl {
  const { url, hostname } = urlOf(text)
  if (isIP(hostname)) admitAddress(hostname, portOf(url), 'private', isOwn)
  return { url, route: 'private' }
}

function urlOf(text: string): {
  readonly url: URL
  readonly hostname: string
  readonly here: string
} {
  const url = URL.parse(text)
  if (!url) throw forbidden(message('webhooks.address-not-url'))
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw forbidden(message('webhooks.address-not-https'))
  if (url.username || url.password) throw forbidden(message('webhooks.address-with-user'))
  const hostname = bareHost(url)
  if (METADATA_NAMES.has(hostname)) throw forbidden(message('webhooks.address-names-metadata'))
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
  if (isOwn?.(address, port)) throw forbidden(message('webhooks.address-own-listener'))
  const { kind, what } = addressClass(address)
  if (ADMITS[route].includes(kind)) return
  if (kind === 'public')
    throw forbidden(
      message(
        route === 'private' ? 'webhooks.address-outside-clinic' : 'webhooks.plaintext-to-internet',
      ),
    )
  if (kind === 'private') throw forbidden(message('webhooks.address-not-listed', { what }))
  throw forbidden(message('webhooks.address-never-called', { what }))
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
const forbidden = (detail: Message) => new WebhookError('forbidden-address', detail)
