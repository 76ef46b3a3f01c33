import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { type Message, message } from '#shared/messages/message.ts'

/**
 * public: on the internet; private: on a local network, including this PC; never: must not be
 * called even if an administrator allows it.
 */
export type AddressKind = 'public' | 'private' | 'never'

export interface AddressClass {
  readonly kind: AddressKind
  /** A phrase that precedes the word "address", with its article. */
  readonly what: Message
}

const METADATA_ADDRESS = message('webhooks.address-metadata')
const UNSPECIFIED_ADDRESS = message('webhooks.address-unspecified')
const PRIVATE_ADDRESS = message('webhooks.address-private')
const CARRIER_ADDRESS = message('webhooks.address-carrier-internal')
export const LOOPBACK_MESSAGE = message('webhooks.address-loopback')
const LINK_LOCAL_ADDRESS = message('webhooks.address-link-local')
const RESERVED = message('webhooks.address-reserved')
const DOCUMENTATION_ADDRESS = message('webhooks.address-documentation')
const TEST_NETWORK_ADDRESS = message('webhooks.address-test-network')
const MULTICAST_ADDRESS = message('webhooks.address-multicast')
const BROADCAST_ADDRESS = message('webhooks.address-broadcast')
const SITE_LOCAL_ADDRESS = message('webhooks.address-site-local')
const TUNNEL_ADDRESS = message('webhooks.address-tunnel')
const PUBLIC_ADDRESS = message('webhooks.address-public')
const INVALID_ADDRESS = message('webhooks.address-invalid')

const block = (cidr: string, kind: AddressKind, what: Message) => ({
  cidr: ipaddr.parseCIDR(cidr),
  kind,
  what,
})

// The first match counts. IANA special-purpose address registries (RFC 6890), and the metadata
// services of large cloud providers.
const BLOCKS = [
  block('169.254.169.254/32', 'never', METADATA_ADDRESS),
  block('169.254.170.2/32', 'never', METADATA_ADDRESS),
  block('169.254.170.23/32', 'never', METADATA_ADDRESS),
  block('168.63.129.16/32', 'never', METADATA_ADDRESS),
  block('100.100.100.200/32', 'never', METADATA_ADDRESS),
  block('0.0.0.0/8', 'never', UNSPECIFIED_ADDRESS),
  block('10.0.0.0/8', 'private', PRIVATE_ADDRESS),
  block('100.64.0.0/10', 'private', CARRIER_ADDRESS),
  block('127.0.0.0/8', 'private', LOOPBACK_MESSAGE),
  block('169.254.0.0/16', 'private', LINK_LOCAL_ADDRESS),
  block('172.16.0.0/12', 'private', PRIVATE_ADDRESS),
  block('192.0.0.0/24', 'never', RESERVED),
  block('192.0.2.0/24', 'never', DOCUMENTATION_ADDRESS),
  block('192.88.99.0/24', 'never', RESERVED),
  block('192.168.0.0/16', 'private', PRIVATE_ADDRESS),
  block('198.18.0.0/15', 'private', TEST_NETWORK_ADDRESS),
  block('198.51.100.0/24', 'never', DOCUMENTATION_ADDRESS),
  block('203.0.113.0/24', 'never', DOCUMENTATION_ADDRESS),
  block('224.0.0.0/4', 'never', MULTICAST_ADDRESS),
  block('255.255.255.255/32', 'never', BROADCAST_ADDRESS),
  block('240.0.0.0/4', 'never', RESERVED),
  block('fd00:ec2::/32', 'never', METADATA_ADDRESS),
  block('fd20:ce::254/128', 'never', METADATA_ADDRESS),
  block('::/128', 'never', UNSPECIFIED_ADDRESS),
  block('::1/128', 'private', LOOPBACK_MESSAGE),
  block('fc00::/7', 'private', PRIVATE_ADDRESS),
  block('fe80::/10', 'private', LINK_LOCAL_ADDRESS),
  block('fec0::/10', 'private', SITE_LOCAL_ADDRESS),
  block('ff00::/8', 'never', MULTICAST_ADDRESS),
  block('2001::/32', 'never', TUNNEL_ADDRESS),
  block('2001:10::/28', 'never', RESERVED),
  block('2001:20::/28', 'never', RESERVED),
  block('2001:db8::/32', 'never', DOCUMENTATION_ADDRESS),
  block('3fff::/20', 'never', DOCUMENTATION_ADDRESS),
  block('2000::/3', 'public', PUBLIC_ADDRESS),
]

/**
 * IPv6 formats that embed an IPv4 address, and its byte offset. They are classified as that
 * address.
 */
const CARRIERS = [
  { cidr: ipaddr.parseCIDR('::ffff:0:0/96'), at: 12 },
  { cidr: ipaddr.parseCIDR('::ffff:0:0:0/96'), at: 12 },
  { cidr: ipaddr.parseCIDR('::/96'), at: 12 },
  { cidr: ipaddr.parseCIDR('64:ff9b::/96'), at: 12 },
  { cidr: ipaddr.parseCIDR('2002::/16'), at: 2 },
]

const isInNetwork = (
  address: ipaddr.IPv4 | ipaddr.IPv6,
  cidr: [ipaddr.IPv4 | ipaddr.IPv6, number],
) => address.kind() === cidr[0].kind() && address.match(cidr)

/** Classifies an IP address. A text that is not an address is `never`. */
export function addressClass(text: string): AddressClass {
  const address = parseAddress(text)
  if (!address) return { kind: 'never', what: INVALID_ADDRESS }
  return (
    BLOCKS.find(({ cidr }) => isInNetwork(address, cidr)) ??
    (address.kind() === 'ipv4'
      ? { kind: 'public', what: PUBLIC_ADDRESS }
      : { kind: 'never', what: RESERVED })
  )
}

/**
 * The normalized address without its zone; embedded IPv4 addresses as IPv4. '' if the text is not
 * an address.
 */
export const plainAddress = (text: string): string => parseAddress(text)?.toString() ?? ''

/** Ignores the zone (`%eth0`), which names a network interface. */
function parseAddress(text: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  const [written = ''] = text.split('%')
  if (isIP(written) === 0) return undefined
  const address = ipaddr.parse(written)
  const bytes = address.toByteArray()
  // :: and ::1 are in ::/96 but embed no address.
  if (bytes.slice(0, -1).every((byte) => byte === 0) && (bytes.at(-1) ?? 0) <= 1) return address
  const carrier = CARRIERS.find(({ cidr }) => isInNetwork(address, cidr))
  return carrier ? new ipaddr.IPv4(bytes.slice(carrier.at, carrier.at + 4)) : address
}
