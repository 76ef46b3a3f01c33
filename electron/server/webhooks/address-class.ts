import { isIP } from 'node:net'

/**
 * public: of the internet; private: of a network somebody runs, this PC included; never: not to be
 * called by anybody's wish.
 */
export type AddressKind = 'public' | 'private' | 'never'

export interface AddressClass {
  readonly kind: AddressKind
  /** With its article, before the word "address". */
  readonly what: string
}

interface Block extends AddressClass {
  readonly prefix: readonly number[]
  readonly bits: number
}

const block = (cidr: string, kind: AddressKind, what: string): Block => {
  const [address = '', bits = ''] = cidr.split('/')
  return { prefix: bytesOf(address), bits: Number(bits), kind, what }
}

// First match wins. IANA special-purpose address registries (RFC 6890), and the metadata services
// of the large clouds.
const IPV4 = [
  block('169.254.169.254/32', 'never', 'a cloud metadata'),
  block('169.254.170.2/32', 'never', 'a cloud metadata'),
  block('169.254.170.23/32', 'never', 'a cloud metadata'),
  block('168.63.129.16/32', 'never', 'a cloud metadata'),
  block('100.100.100.200/32', 'never', 'a cloud metadata'),
  block('0.0.0.0/8', 'never', 'an unspecified'),
  block('10.0.0.0/8', 'private', 'a private'),
  block('100.64.0.0/10', 'private', 'a carrier-internal'),
  block('127.0.0.0/8', 'private', 'a loopback'),
  block('169.254.0.0/16', 'private', 'a link-local'),
  block('172.16.0.0/12', 'private', 'a private'),
  block('192.0.0.0/24', 'never', 'a reserved'),
  block('192.0.2.0/24', 'never', 'a documentation'),
  block('192.88.99.0/24', 'never', 'a reserved'),
  block('192.168.0.0/16', 'private', 'a private'),
  block('198.18.0.0/15', 'private', 'a test-network'),
  block('198.51.100.0/24', 'never', 'a documentation'),
  block('203.0.113.0/24', 'never', 'a documentation'),
  block('224.0.0.0/4', 'never', 'a multicast'),
  block('255.255.255.255/32', 'never', 'a broadcast'),
  block('240.0.0.0/4', 'never', 'a reserved'),
]
const IPV6 = [
  block('fd00:ec2::/32', 'never', 'a cloud metadata'),
  block('fd20:ce::254/128', 'never', 'a cloud metadata'),
  block('::/128', 'never', 'an unspecified'),
  block('::1/128', 'private', 'a loopback'),
  block('fc00::/7', 'private', 'a private'),
  block('fe80::/10', 'private', 'a link-local'),
  block('fec0::/10', 'private', 'a site-local'),
  block('ff00::/8', 'never', 'a multicast'),
  block('2001::/32', 'never', 'a tunnel'),
  block('2001:10::/28', 'never', 'a reserved'),
  block('2001:20::/28', 'never', 'a reserved'),
  block('2001:db8::/32', 'never', 'a documentation'),
  block('3fff::/20', 'never', 'a documentation'),
  block('2000::/3', 'public', 'a public'),
]

/** Forms of IPv6 that carry an IPv4 address, and where: they are what that address is. */
const CARRIERS = [
  { ...block('::ffff:0:0/96', 'never', ''), at: 12 },
  { ...block('::ffff:0:0:0/96', 'never', ''), at: 12 },
  { ...block('::/96', 'never', ''), at: 12 },
  { ...block('64:ff9b::/96', 'never', ''), at: 12 },
  { ...block('2002::/16', 'never', ''), at: 2 },
]

const isIn = ({ prefix, bits }: Block, bytes: readonly number[]) =>
  prefix.every((byte, at) => {
    const mask = 0xff00 >> Math.max(0, Math.min(8, bits - at * 8))
    return (byte & mask & 0xff) === ((bytes[at] ?? 0) & mask & 0xff)
  })

/** What an IP address is. Text that is none is `never`. */
export function addressClass(address: string): AddressClass {
  const bytes = bytesOf(address)
  if (bytes.length === 4)
    return IPV4.find((known) => isIn(known, bytes)) ?? { kind: 'public', what: 'a public' }
  if (bytes.length === 0) return { kind: 'never', what: 'no valid' }
  const own = IPV6.find((known) => isIn(known, bytes))
  if (own) return byCarried(bytes) ?? own
  return byCarried(bytes) ?? { kind: 'never', what: 'a reserved' }
}

/**
 * The address in one form, without its zone: an IPv4 address that an IPv6 one carries is itself. ''
 * for text that is none.
 */
export function plainAddress(address: string): string {
  const bytes = bytesOf(address)
  return (
    carriedBy(bytes) ??
    (bytes.length === 4 ? bytes.join('.') : bytes.map((byte) => byte.toString(16)).join(':'))
  )
}

function byCarried(bytes: readonly number[]): AddressClass | undefined {
  const carried = carriedBy(bytes)
  return carried === undefined ? undefined : addressClass(carried)
}

function carriedBy(bytes: readonly number[]): string | undefined {
  if (bytes.length !== 16) return undefined
  const isLocal = bytes.slice(0, 15).every((byte) => byte === 0) && (bytes[15] ?? 0) <= 1
  const carrier = isLocal ? undefined : CARRIERS.find((known) => isIn(known, bytes))
  return carrier && bytes.slice(carrier.at, carrier.at + 4).join('.')
}

/**
 * The 4 or 16 bytes of an address; none for text that is no address. A zone (`%eth0`) says which
 * network card, not which address.
 */
function bytesOf(text: string): number[] {
  const [address = ''] = text.split('%')
  if (isIP(address) === 4) return address.split('.').map(Number)
  if (isIP(address) !== 6) return []
  // The URL parser prints an address with the IPv4 tail already in hexadecimal.
  const groups = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::')
  const [head = [], tail = []] = groups.map((part) => part.split(':').filter(Boolean))
  const zeros = groups.length === 2 ? Array<string>(8 - head.length - tail.length).fill('0') : []
  return [...head, ...zeros, ...tail].flatMap((group) => [
    Number.parseInt(group, 16) >> 8,
    Number.parseInt(group, 16) & 0xff,
  ])
}
