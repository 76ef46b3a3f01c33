import { expect, it } from 'vitest'
import { installFault } from '../scripts/install-fault.mjs'

const REGISTRY = 'https://registry.clinic.example/'
const PROXY = { HTTPS_PROXY: 'http://user:secret@proxy.clinic.example:3128' }

it.each([
  [
    'npm error code ECONNREFUSED',
    PROXY,
    /cannot be reached through the proxy http:\/\/proxy\.clin/,
  ],
  ['npm error code ENOTFOUND', {}, /cannot be reached: connect this PC to the internet/],
  ['npm error network Invalid response body: idle timeout', PROXY, /correct HTTPS_PROXY/],
  ['npm error code SELF_SIGNED_CERT_IN_CHAIN', PROXY, /set NODE_EXTRA_CA_CERTS/],
  ['npm error 407 Proxy Authentication Required', PROXY, /requires a password: set HTTPS_PROXY/],
])('explains %s in one sentence, without the password of the proxy', (stderr, env, words) => {
  const sentence = installFault(stderr, REGISTRY, env) ?? ''
  expect(sentence).toMatch(words)
  expect(sentence).not.toContain('secret')
  expect(sentence).not.toContain('\n')
})

it('leaves other faults to npm', () => {
  expect(installFault('npm error code EUSAGE', REGISTRY, PROXY)).toBeUndefined()
})
