import type { NetworkInterfaceInfo } from 'node:os'
import { expect, it } from 'vitest'
import {
  firewallCommands,
  isFromThisPc,
  lanAddresses,
} from '#server/platform/network-interfaces.ts'

const card = (address: string, more: { internal?: boolean; family?: 'IPv4' | 'IPv6' } = {}) =>
  ({
    address,
    family: 'IPv4',
    internal: false,
    netmask: '',
    mac: '',
    cidr: null,
    ...more,
  }) as NetworkInterfaceInfo

const INTERFACES = {
  lo: [card('127.0.0.1', { internal: true })],
  docker0: [card('172.17.0.1')],
  eth1: [card('169.254.7.7')],
  eth0: [card('10.0.3.5'), card('fe80::1', { family: 'IPv6' })],
  Ethernet: undefined,
}

it('offers the addresses that devices can use, those of the clinic’s network first', () => {
  expect(lanAddresses('0.0.0.0', INTERFACES)).toEqual([
    { address: '10.0.3.5', card: 'eth0', kind: 'network' },
    { address: '172.17.0.1', card: 'docker0', kind: 'virtual' },
    { address: '169.254.7.7', card: 'eth1', kind: 'self-given' },
  ])
})

it('offers the one address that a listener is bound to, and none of a loopback', () => {
  expect(lanAddresses('10.0.3.5', INTERFACES).map(({ address }) => address)).toEqual(['10.0.3.5'])
  expect(lanAddresses('127.0.0.1', INTERFACES)).toEqual([])
})

it('knows a call of this PC', () => {
  expect(isFromThisPc('127.0.0.1', INTERFACES)).toBe(true)
  expect(isFromThisPc('172.17.0.1', INTERFACES)).toBe(true)
  expect(isFromThisPc('10.0.3.6', INTERFACES)).toBe(false)
})

it.each([
  ['win32', /^New-NetFirewallRule .* -LocalPort 11112,2762 .* -Program "C:\\node\.exe"$/],
  ['darwin', /socketfilterfw --add "C:\\node\.exe"$/],
  ['linux', /^sudo ufw allow proto tcp to any port 11112,2762 /],
] as const)('names the rule of the firewall of %s', (platform, first) => {
  expect(firewallCommands(platform, [11_112, 2762], 'C:\\node.exe')[0]).toMatch(first)
})
