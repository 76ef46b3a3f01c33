import { describe, expect, it } from 'vitest'
import { connectionToClose, hostOf } from '#gateway/admission/connection-budget.ts'
import { openExpectedHosts } from '#gateway/admission/expected-hosts.ts'

const of = (host: string, count: number, isBusy = false) =>
  Array.from({ length: count }, (_, n) => ({ name: `${host} ${n}`, host, isBusy }))
const budget = { most: 8, isExpected: (host: string) => host.startsWith('ct') }

describe('the connection that is closed where there are too many', () => {
  it.each([
    ['none within the budget', [...of('ct1', 4), ...of('a', 2), ...of('b', 2)], undefined],
    ['of a host with more than a quarter', [...of('ct1', 2), ...of('a', 3)], 'a 0'],
    ['of the unexpected host with the most', [...of('ct1', 3), ...of('ct2', 3), ...of('a', 1), ...of('b', 2)], 'b 0'],
    ['of a stranger, not of a device', [...of('ct1', 4), ...of('ct2', 4), ...of('a', 1)], 'a 0'],
    ['an idle one of a device that holds more than half', [...of('ct1', 8), ...of('a', 1)], 'ct1 0'],
    ['of a stranger where a device holds more than half and is answered on all', [...of('ct1', 8, true), ...of('a', 1)], 'a 0'],
    ['of the device with the most where there are only devices', [...of('ct1', 3), ...of('ct2', 6)], 'ct2 0'],
    ['one on which nothing is answered', [...of('a', 2, true), ...of('a', 1).map((one) => ({ ...one, name: 'idle' }))], 'idle'],
    ['the oldest where something is answered on all', of('a', 3, true), 'a 0'],
  ])('is %s', (_what, connections, expected) => {
    expect(connectionToClose(connections, budget)?.name).toBe(expected)
  })

  it.each([
    ['10.0.3.7', '10.0.3.7'],
    ['::ffff:10.0.3.7', '10.0.3.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
    ['2001:db8::1', '2001:db8:0:0'],
    ['fe80::1%eth0', 'fe80:0:0:0'],
    ['::1', '0:0:0:0'],
  ])('counts %s as of the host %s', (address, host) => expect(hostOf(address)).toBe(host))
})

describe('hosts that are expected', () => {
  it('are this PC, those known beforehand and those that proved who they are', () => {
    const hosts = openExpectedHosts((host) => host === '10.0.3.8')
    hosts.note('::ffff:10.0.3.7')
    const asked = ['127.0.0.1', '10.0.3.8', '10.0.3.7', '10.0.3.66', '127.0.0.66']
    expect(asked.map((host) => hosts.has(host))).toEqual([true, true, true, false, false])
  })

  it('are forgotten in the order in which they were last heard of', () => {
    const hosts = openExpectedHosts()
    const address = (n: number) => `10.0.${n >> 8}.${n & 255}`
    for (let n = 0; n < 1000; n++) hosts.note(address(n))
    hosts.note(address(0))
    hosts.note(address(1000))
    expect([0, 1, 2].map((n) => hosts.has(address(n)))).toEqual([true, false, true])
  })
})
