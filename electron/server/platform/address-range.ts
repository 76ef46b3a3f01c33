import { isIP } from 'node:net'

/** IP addresses that share their first `prefix` bits. */
export interface AddressRange {
  /** 4 or 16 bytes, zero behind the prefix. */
  readonly bytes: readonly number[]
  readonly prefix: number
  /** The one text of the range: `10.0.3.0/24`, `10.0.3.7`, `2001:db8::/32`. */
  readonly text: string
}

/** Reads an address or a CIDR range; `undefined` where it is none. */
export function readAddressRange(text: string): AddressRange | undefined {
  const [address = '', length, ...rest] = text.trim().split('/')
  const bytes = addressBytes(address)
  if (bytes === undefined || rest.length > 0 || (length !== undefined && !/^\d{1,3}$/.test(length)))
    return undefined
  const bits = bytes.length * 8
  const prefix = length === undefined ? bits : Number(length)
  if (prefix > bits) return undefined
  const network = bytes.map((byte, index) => byte & maskOf(prefix - index * 8))
  return {
    bytes: network,
    prefix,
    text: prefix === bits ? addressText(network) : `${addressText(network)}/${prefix}`,
  }
}

/** Whether the address is in the range; what is no address is in none. */
export function isInRange(range: AddressRange, address: string): boolean {
  const bytes = addressBytes(address)
  if (bytes?.length !== range.bytes.length) return false
  return bytes.every(
    (byte, index) => (byte & maskOf(range.prefix - index * 8)) === range.bytes[index],
  )
}

/** Bits of the prefix that fall in a byte, when so many are left. */
const maskOf = (left: number) => (0xff << (8 - Math.min(8, Math.max(0, left)))) & 0xff

function addressBytes(text: string): number[] | undefined {
  // A link-local address may name its interface: fe80::1%eth0.
  const address = text.trim().replace(/%.*/, '')
  const version = isIP(address)
  if (version === 0) return undefined
  if (version === 4) return address.split('.').map(Number)
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::')
  const groups = (part: string) =>
    part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16))
  const [before, after] = [groups(head), groups(tail ?? '')]
  const all = [...before, ...Array<number>(8 - before.length - after.length).fill(0), ...after]
  const bytes = all.flatMap((group) => [group >> 8, group & 0xff])
  // RFC 4291 §2.5.5.2: an IPv4-mapped address is the IPv4 one.
  const isMapped =
    bytes.slice(0, 10).every((byte) => byte === 0) && bytes[10] === 0xff && bytes[11] === 0xff
  return isMapped ? bytes.slice(12) : bytes
}

function addressText(bytes: readonly number[]): string {
  if (bytes.length === 4) return bytes.join('.')
  const groups = Array.from({ length: 8 }, (_, index) =>
    (((bytes[index * 2] ?? 0) << 8) | (bytes[index * 2 + 1] ?? 0)).toString(16),
  )
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1)
}
