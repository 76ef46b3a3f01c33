import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** An address or a CIDR range. IPv4-mapped IPv6 addresses are read as IPv4 (RFC 4291 §2.5.5.2). */
export interface AddressRange {
  readonly network: ipaddr.IPv4 | ipaddr.IPv6
  /** Prefix length in bits. */
  readonly prefix: number
  /** Address length in bits: 32 or 128. */
  readonly bits: number
  /** Canonical form: `10.0.3.0/24`, `10.0.3.7`, `2001:db8::/32`. */
  readonly text: string
}

/** Parses an address or a CIDR range; `undefined` if the text is neither. */
export function readAddressRange(text: string): AddressRange | undefined {
  const [written = '', length, ...rest] = text.trim().split('/')
  const address = readAddress(written)
  if (!address || rest.length > 0 || (length !== undefined && !/^\d{1,3}$/.test(length)))
    return undefined
  const bits = address.toByteArray().length * 8
  const prefix = length === undefined ? bits : Number(length)
  if (prefix > bits) return undefined
  const family = address.kind() === 'ipv4' ? ipaddr.IPv4 : ipaddr.IPv6
  const network = family.networkAddressFromCIDR(`${address}/${prefix}`)
  return {
    ...{ network, prefix, bits },
    text: prefix === bits ? `${network}` : `${network}/${prefix}`,
  }
}

/** Whether the address is in the range. A text that is not an address is in no range. */
export function isInRange({ network, prefix }: AddressRange, text: string): boolean {
  const address = readAddress(text)
  return address?.kind() === network.kind() && address.match([network, prefix])
}

/** Accepts only full notations. A link-local address may carry a zone: fe80::1%eth0. */
function readAddress(text: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  const address = text.trim().replace(/%.*/, '')
  return isIP(address) === 0 ? undefined : ipaddr.process(address)
}
