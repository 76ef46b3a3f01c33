import { describe, expect, it } from 'vitest'
import { addressClass, plainAddress } from '#server/webhooks/address-class.ts'

describe('addressClass', () => {
  it.each([
    ['8.8.8.8', 'public'],
    ['172.15.255.255', 'public'],
    ['172.32.0.0', 'public'],
    ['100.63.255.255', 'public'],
    ['169.253.255.255', 'public'],
    ['223.255.255.255', 'public'],
    ['2606:4700::1111', 'public'],
    ['2001:4860:4860::8888', 'public'],
    ['10.0.0.1', 'private'],
    ['100.64.0.1', 'private'],
    ['100.127.255.255', 'private'],
    ['127.0.0.1', 'private'],
    ['127.255.255.254', 'private'],
    ['169.254.1.1', 'private'],
    ['172.16.0.1', 'private'],
    ['172.31.255.255', 'private'],
    ['192.168.255.255', 'private'],
    ['::1', 'private'],
    ['fc00::1', 'private'],
    ['fdff:ffff::1', 'private'],
    ['fe80::1%eth0', 'private'],
    ['febf::1', 'private'],
    ['::ffff:10.0.0.1', 'private'],
    ['::ffff:7f00:1', 'private'],
    ['64:ff9b::192.168.0.1', 'private'],
    ['2002:a00:1::', 'private'],
    ['::10.0.0.1', 'private'],
    ['::ffff:0:10.0.0.1', 'private'],
    ['::ffff:8.8.8.8', 'public'],
    ['64:ff9b::808:808', 'public'],
    ['2002:808:808::1', 'public'],
    ['0.0.0.0', 'never'],
    ['0.1.2.3', 'never'],
    ['169.254.169.254', 'never'],
    ['169.254.170.2', 'never'],
    ['168.63.129.16', 'never'],
    ['100.100.100.200', 'never'],
    ['::ffff:169.254.169.254', 'never'],
    ['64:ff9b::a9fe:a9fe', 'never'],
    ['2002:a9fe:a9fe::', 'never'],
    ['fd00:ec2::254', 'never'],
    ['192.0.2.1', 'never'],
    ['224.0.0.1', 'never'],
    ['239.255.255.250', 'never'],
    ['240.0.0.1', 'never'],
    ['255.255.255.255', 'never'],
    ['::', 'never'],
    ['ff02::1', 'never'],
    ['2001::1', 'never'],
    ['2001:db8::1', 'never'],
    ['64:ff9b:1::1', 'never'],
    ['4000::1', 'never'],
    ['100::1', 'never'],
    ['name.example', 'never'],
    ['', 'never'],
  ])('finds %s %s', (address, kind) => {
    expect(addressClass(address).kind).toBe(kind)
  })

  it('says in words what an address is', () => {
    expect(addressClass('::ffff:169.254.169.254').what).toEqual('a cloud metadata')
    expect(addressClass('127.0.0.1').what).toEqual('a loopback')
    expect(addressClass('8.8.8.8').what).toEqual('a public')
    expect(addressClass('nowhere').what).toEqual('no valid')
    expect(addressClass('4000::1').what).toEqual('a reserved')
    expect(addressClass('::').what).toEqual('an unspecified')
    expect(addressClass('::1').what).toEqual('a loopback')
    expect(addressClass('::2').what).toEqual('an unspecified')
  })
})

describe('plainAddress', () => {
  it.each([
    ['10.0.0.1', '10.0.0.1'],
    ['::ffff:10.0.0.1', '10.0.0.1'],
    ['::10.0.0.1', '10.0.0.1'],
    ['2002:a00:1::', '10.0.0.1'],
    ['::1', '::1'],
    ['FD00::20%eth0', 'fd00::20'],
    ['fd00:1:2:3:4:5:6:ff20', 'fd00:1:2:3:4:5:6:ff20'],
    ['nowhere', ''],
  ])('writes %s as %s', (address, plain) => {
    expect(plainAddress(address)).toBe(plain)
  })
})
