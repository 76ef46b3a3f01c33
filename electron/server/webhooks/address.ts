import { lookup } from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'
import { networkInterfaces } from 'node:os'
import { type Message, message } from '#shared/messages/message.ts'
import { addressClass, LOOPBACK_MESSAGE, plainAddress } from './address-class.ts'
import { WebhookError } from './webhook-error.ts'

/** Whether an IP address and TCP port belong to one of the gateway's own listeners. */
export type IsOwnListener = (address: string, port: number) => boolean

/**
 * Prevents partners from making the gateway call itself: matches every loopback address and every
 * address of this PC, combined with one of the gateway's ports. A host name is checked by the
 * addresses it resolves to.
 * @param ports the current ports
 */
export function ownListeners(
  ports: () => readonly number[],
  addresses: () => readonly string[] = () =>
    Object.values(networkInterfaces()).flatMap((entries) =>
      (entries ?? []).map((entry) => entry.address),
    ),
): IsOwnListener {
  return (address, port) => {
    // The network interfaces are only read if the port matches.
    if (!ports().includes(port)) return false
    if (addressClass(address).what === LOOPBACK_MESSAGE) return true
    const plain = plainAddress(address)
    return addresses().some((own) => plainAddress(own) === plain)
  }
}

/**
 * The kinds of permitted URLs: https to public hosts; https to a host listed by an administrator,
 * which may be private; http to a listed host, which must be private, so that unencrypted patient
 * data stays inside the clinic; `private`: http or https to a service of the clinic, never to a
 * public host.
 */
export const URL_KINDS = ['https', 'https-listed', 'http-listed', 'private'] as const
export type UrlKind = (typeof URL_KINDS)[number]

const ADMITTED_KINDS: Readonly<Record<UrlKind, readonly string[]>> = {
  https: ['public'],
  'https-listed': ['public', 'private'],
  'http-listed': ['private'],
  private: ['private'],
}

export interface AdmittedUrl {
  readonly url: URL
  readonly route: UrlKind
}

/** Resolves a host name to IPv4 and IPv6 addresses, in the order in which they are tried. */
export type Resolve = (
  hostname: string,
) => Promise<readonly { readonly address: string; readonly family: number }[]>

/**
 * The operating system's resolver, because in clinics names are often defined in the hosts file.
 */
export const systemResolve: Resolve = (hostname) =>
  lookup(hostname, { all: true, order: 'verbatim' })

/**
 * Coalesces concurrent lookups of the same name. Otherwise a name server that does not respond
 * would block all threads of the pool that is also used for writing files. Results are not cached.
 */
export function coalescedResolve(resolve: Resolve): Resolve {
  const pending = new Map<string, ReturnType<Resolve>>()
  return (hostname) => {
    const known = pending.get(hostname)
    if (known) return known
    const answer = resolve(hostname).finally(() => pending.delete(hostname))
    pending.set(hostname, answer)
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
 * Parses the URL of an endpoint and makes all checks that do not require name resolution. An IP
 * address is checked here; a host name is checked at each connection, by `pinnedLookup`. @throws
 * WebhookError `forbidden-address`
 * @param plaintextHosts `host:port` entries; other ports of the same host are not included
 * @param isOwn rejects the gateway's own listeners, even if listed
 */
export function admitUrl(
  text: string,
  plaintextHosts: readonly string[],
  isOwn?: IsOwnListener,
): AdmittedUrl {
  const { url, hostname, hostAndPort } = urlOf(text)
  const isListed = plaintextHosts.some(
    (entry) => listedHostAndPort(entry, url.protocol) === hostAndPort,
  )
  if (url.protocol === 'http:' && !isListed)
    throw forbiddenError(message('webhooks.host-not-plaintext', { host: hostAndPort }))
  const route = url.protocol === 'http:' ? 'http-listed' : isListed ? 'https-listed' : 'https'
  if (isIP(hostname)) admitAddress(hostname, portOf(url), route, isOwn)
  return { url, route }
}

/**
 * Parses the URL of a file from a partner's answer. Permits only hosts on the endpoint's list with
 * https, and http if the host is also listed for it and is on the local network. @throws
 * WebhookError `forbidden-address`
 * @param hosts `host`, meaning port 443, or `host:port`
 */
export function admitFileUrl(
  text: string,
  hosts: readonly string[],
  plaintextHosts: readonly string[],
  isOwn?: IsOwnListener,
): AdmittedUrl {
  const { url, hostname, hostAndPort } = urlOf(text)
  if (!hosts.some((entry) => fileHostOf(entry) === hostAndPort))
    throw forbiddenError(message('webhooks.host-not-listed', { host: hostAndPort }))
  const isPlain = url.protocol === 'http:'
  if (
    isPlain &&
    !plaintextHosts.some((entry) => listedHostAndPort(entry, url.protocol) === hostAndPort)
  )
    throw forbiddenError(message('webhooks.host-not-plaintext', { host: hostAndPort }))
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

/**
 * Reads the address of an archive or object store that an administrator entered: https to any host
 * but the gateway's own listeners; http only to a private address, so that images stay inside the
 * clinic. Throws `WebhookError` `forbidden-address`.
 */
export function admitStoreUrl(text: string, isOwn?: IsOwnListener): AdmittedUrl {
  const { url, hostname } = urlOf(text)
  const route = url.protocol === 'http:' ? 'http-listed' : 'https-listed'
  if (isIP(hostname)) admitAddress(hostname, portOf(url), route, isOwn)
  return { url, route }
}

function urlOf(text: string): {
  readonly url: URL
  readonly hostname: string
  readonly hostAndPort: string
} {
  const url = URL.parse(text)
  if (!url) throw forbiddenError(message('webhooks.address-not-url'))
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw forbiddenError(message('webhooks.address-not-https'))
  if (url.username || url.password) throw forbiddenError(message('webhooks.address-with-user'))
  const hostname = bareHost(url)
  if (METADATA_NAMES.has(hostname)) throw forbiddenError(message('webhooks.address-names-metadata'))
  return { url, hostname, hostAndPort: `${hostname}:${portOf(url)}` }
}

/**
 * A `lookup` function for sockets that resolves the name, rejects it unless **every** address is
 * permitted, and returns exactly those addresses. The checked address is thus the one connected to,
 * even if the name server changes its response in between.
 * @param own the port of the connection, and the listeners it must not reach
 */
export function pinnedLookup(
  route: UrlKind,
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
  route: UrlKind,
  isOwn: IsOwnListener | undefined,
): void {
  if (isOwn?.(address, port)) throw forbiddenError(message('webhooks.address-own-listener'))
  const { kind, what } = addressClass(address)
  if (ADMITTED_KINDS[route].includes(kind)) return
  if (kind === 'public')
    throw forbiddenError(
      message(
        route === 'private' ? 'webhooks.address-outside-clinic' : 'webhooks.plaintext-to-internet',
      ),
    )
  if (kind === 'private') throw forbiddenError(message('webhooks.address-not-listed', { what }))
  throw forbiddenError(message('webhooks.address-never-called', { what }))
}

function listedHostAndPort(entry: string, protocol: string): string {
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
 * In lower case, without brackets or trailing dot. The URL parser has already converted `127.1` and
 * `0x7f000001` to 127.0.0.1.
 */
const bareHost = (url: URL) => url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
const portOf = (url: URL) => Number(url.port || (url.protocol === 'https:' ? 443 : 80))
const forbiddenError = (detail: Message) => new WebhookError('forbidden-address', detail)
