import { describe, expect, it } from 'vitest'
import {
  cachedHostCheck,
  type HostCheckInput,
  isAllowedHost,
  isOwnOrigin,
} from '#server/http/host-names.ts'

const rule: HostCheckInput = {
  boundHost: '0.0.0.0',
  localAddress: '::ffff:192.168.7.20',
  publicUrl: 'https://Imaging.Clinic.example:8443/gateway',
  allowedHosts: ['isthmus.local', 'fd00::7'],
}

describe('the host allow-list', () => {
  it.each([
    'localhost',
    'LocalHost:8042',
    '127.0.0.1:8042',
    '[::1]:8042',
    '192.168.7.20',
    '192.168.7.20:8042',
    'imaging.clinic.example:8443',
    'imaging.clinic.example',
    'isthmus.local:80',
    '[fd00::7]:8042',
  ])('takes %s', (host) => expect(isAllowedHost(host, rule)).toBe(true))

  it.each([
    undefined,
    '',
    'evil.example',
    'evil.example:8042',
    'localhost.evil.example',
    'localhost.',
    'evil@localhost',
    'localhost/evil',
    'localhost:8042:1',
    'localhost:123456',
    'localhost evil',
    '127.0.0.1.nip.example',
    '2130706433',
    '192.168.7.21',
    '[::1',
    '::1',
  ])('refuses %s', (host) => expect(isAllowedHost(host, rule)).toBe(false))
})

describe('our origin', () => {
  it('is that of the host asked or of the public URL', () => {
    expect(isOwnOrigin('http://127.0.0.1:8042', '127.0.0.1:8042', null)).toBe(true)
    expect(isOwnOrigin('https://imaging.clinic.example:8443', 'inner:8042', rule.publicUrl)).toBe(
      true,
    )
  })

  it('is no other port, scheme of the public URL, opaque origin or text', () => {
    expect(isOwnOrigin('http://127.0.0.1:5000', '127.0.0.1:8042', null)).toBe(false)
    expect(isOwnOrigin('http://imaging.clinic.example:8443', 'inner:8042', rule.publicUrl)).toBe(
      false,
    )
    expect(isOwnOrigin('null', 'null', null)).toBe(false)
    expect(isOwnOrigin('file://', '', null)).toBe(false)
    expect(isOwnOrigin('nonsense', 'nonsense', null)).toBe(false)
    expect(isOwnOrigin('http://127.0.0.1:8042', undefined, null)).toBe(false)
  })
})

describe('a check that remembers', () => {
  it('allows and refuses as the rule is at that moment', () => {
    const isOurs = cachedHostCheck()
    const names = [
      'isthmus.local',
      'imaging.clinic.example',
      '192.168.7.20',
      'localhost',
      'evil.example',
    ]
    const rules: HostCheckInput[] = [
      rule,
      { ...rule, allowedHosts: [] },
      { ...rule, publicUrl: null },
      { ...rule, localAddress: undefined },
      { ...rule, boundHost: 'evil.example' },
    ]
    for (const name of names) {
      for (const each of [...rules, ...rules.toReversed()]) {
        expect(isOurs(name, each)).toBe(isAllowedHost(name, each))
        expect(isOurs(name, each)).toBe(isAllowedHost(name, each))
      }
    }
    expect(isOurs(undefined, rule)).toBe(false)
  })
})
