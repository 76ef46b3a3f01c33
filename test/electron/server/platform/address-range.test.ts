import { describe, expect, it } from 'vitest'
import { isInRange, readAddressRange } from '#server/platform/address-range.ts'

describe('an address range', () => {
  const TEXTS: [given: string, read: string | undefined][] = [
    ['10.0.3.7', '10.0.3.7'],
    ['10.0.3.7/32', '10.0.3.7'],
    ['10.0.3.7/24', '10.0.3.0/24'],
    ['10.0.3.129/25', '10.0.3.128/25'],
    ['10.0.3.7/0', '0.0.0.0/0'],
    ['2001:DB8:0:0::7', '2001:db8::7'],
    ['2001:db8:ffff::/33', '2001:db8:8000::/33'],
    ['::1/128', '::1'],
    ['::ffff:10.0.3.7', '10.0.3.7'],
    [' 10.0.3.0/24 ', '10.0.3.0/24'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2:3:4:5:6'],
    ['2001:db8:1:2:3:4:5:6/120', '2001:db8:1:2:3:4:5:0/120'],
    ['fe80::1%eth0', 'fe80::1'],
    ['10.0.3.7/33', undefined],
    ['10.0.3.7/24x', undefined],
    ['10.0.3.7/x24', undefined],
    ['10.0.3.7/0024', undefined],
    ['10.0.3', undefined],
    ['10.0.3.256', undefined],
    ['10.0.3.7/', undefined],
    ['10.0.3.7/8/8', undefined],
    ['::1/129', undefined],
    ['', undefined],
    ['ct1.clinic.example', undefined],
  ]
  it.each(TEXTS)('%s is read as %s', (given, read) => {
    expect(readAddressRange(given)?.text).toBe(read)
  })

  const MEMBERS: [range: string, address: string, isIn: boolean][] = [
    ['10.0.3.0/24', '10.0.3.255', true],
    ['10.0.3.0/24', '10.0.4.0', false],
    ['10.0.3.128/25', '10.0.3.127', false],
    ['0.0.0.0/0', '192.0.2.1', true],
    ['0.0.0.0/0', '::1', false],
    ['10.0.3.7', '10.0.3.7', true],
    ['10.0.3.7', '::ffff:10.0.3.7', true],
    // IPv4-compatible, which no host has (RFC 4291 §2.5.5.1): ipaddr.js reads the IPv4 address.
    ['10.0.3.7', '::10.0.3.7', true],
    ['10.0.3.7', '10.0.3.70', false],
    ['2001:db8:8000::/33', '2001:db8:ffff::1', true],
    ['2001:db8:8000::/33', '2001:db8:7fff::1', false],
    ['fe80::1', 'fe80::1%eth0', true],
    ['10.0.3.7', 'nowhere', false],
    ['10.0.3.7', ' 10.0.3.7 ', true],
    // Not IPv4-mapped: something stands before the mark, or the mark is not whole.
    ['10.0.3.7', '2001::ffff:10.0.3.7', false],
    ['10.0.3.7', '::ff:10.0.3.7', false],
    ['10.0.3.7', '::ff00:10.0.3.7', false],
    ['10.0.3.7', '2001::ff00:10.0.3.7', false],
    ['2001:db8::/32', '::ffff:10.0.3.7', false],
  ]
  it.each(MEMBERS)('%s holds %s: %s', (range, address, isIn) => {
    const read = readAddressRange(range)
    expect(read && isInRange(read, address)).toBe(isIn)
  })
})
