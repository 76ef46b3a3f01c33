import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readBoundSecret } from '#server/configuration/bound-secrets.ts'
import {
  IdentityProvider,
  PROVIDER_SECRET_NAME,
  type ProviderRequest,
} from '#server/modules/users/identity-provider.ts'
import { type Forged, openHostileProvider } from '../../../../support/hostile-provider.ts'
import { CLIENT } from '../../../../support/identity-provider.ts'
import { tempStore } from '../../../../support/temp-store.ts'

const CALLBACK = 'http://127.0.0.1:8042/oidc/callback'
const INVALID = /^The answer of the identity provider is not valid/

let temp: ReturnType<typeof tempStore>
let hostile: Awaited<ReturnType<typeof openHostileProvider>>
let provider: IdentityProvider
beforeEach(async () => {
  temp = tempStore(new Date().toISOString())
  hostile = await openHostileProvider()
  temp.store.settings.change(
    { 'oidc.isOn': true, 'oidc.issuer': hostile.issuer, 'oidc.clientId': CLIENT.id },
    'command-line',
  )
  provider = new IdentityProvider(temp.store)
  provider.setSecret(CLIENT.secret, 'command-line')
})
afterEach(async () => {
  await provider[Symbol.asyncDispose]()
  await hostile[Symbol.asyncDispose]()
  temp[Symbol.dispose]()
})

async function signIn(forged: Forged, { isFresh = false, answer = {} } = {}) {
  hostile.state.forged = forged
  const request = await provider.begin(CALLBACK, isFresh)
  return await finish(request, answer)
}
function finish(request: ProviderRequest, answer = {}) {
  hostile.state.nonce = new URL(request.url).searchParams.get('nonce') ?? ''
  return provider.finish(request, { state: request.state, code: 'a-code', ...answer })
}
const nowSeconds = () => Math.floor(Date.now() / 1000)

describe('a request', () => {
  it('has PKCE, state, nonce, and a new sign-in where one is wanted', async () => {
    const { url } = await provider.begin(CALLBACK, true)
    const { searchParams, origin, pathname } = new URL(url)
    expect(`${origin}${pathname}`).toBe(`${hostile.issuer}/auth`)
    expect(Object.fromEntries(searchParams)).toEqual({
      ...{ client_id: CLIENT.id, redirect_uri: CALLBACK, response_type: 'code' },
      ...{ scope: 'openid profile email', code_challenge_method: 'S256' },
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      ...{ prompt: 'login', max_age: '0' },
    })
    const again = new URL((await provider.begin(CALLBACK, false)).url).searchParams
    expect(again.get('state')).not.toBe(searchParams.get('state'))
    expect(again.has('prompt')).toBe(false)
  })
})

describe('an ID token', () => {
  it('is accepted when it is right', async () => {
    await expect(signIn({})).resolves.toMatchObject({
      ...{ issuer: hostile.issuer, subject: 'rosa', email: 'rosa@clinic.example' },
      ...{ isEmailVerified: true, groups: ['readers'] },
    })
  })

  it.each<[string, Forged]>([
    ['of another nonce', { claims: { nonce: 'another' } }],
    ['without a nonce', { claims: { nonce: undefined } }],
    ['for another audience', { claims: { aud: 'another-client' } }],
    ['for several, issued to another', { claims: { aud: [CLIENT.id, 'x'], azp: 'x' } }],
    ['of another issuer', { claims: { iss: 'https://evil.example' } }],
    ['that has expired', { claims: { exp: 1_600_000_000 } }],
    ['that is not valid yet', { claims: { nbf: 4_000_000_000 } }],
    ['without a subject', { claims: { sub: undefined } }],
    ['without a signature', { signature: 'none' }],
    ['without one, though the provider allows it', { signature: 'none', algorithms: ['none'] }],
    ['signed by a key that is not published', { signature: 'other' }],
    ['signed by the client secret', { signature: 'hmac' }],
    ['signed by it, though the provider allows it', { signature: 'hmac', algorithms: ['HS256'] }],
    ['of a key that is unknown', { header: { kid: 'another' } }],
    ['with a critical extension', { header: { crit: ['x'], x: 1 } }],
  ])('is refused %s', async (_, forged) => {
    await expect(signIn(forged)).rejects.toThrow(INVALID)
  })
})

describe('an answer', () => {
  it.each([
    ['of another state', { state: 'another' }, INVALID],
    ['of another issuer', { iss: 'https://evil.example' }, INVALID],
    ['without a code', { code: undefined }, INVALID],
    ['that cancels', { code: undefined, error: 'access_denied' }, /was cancelled/],
    ['that fails', { code: undefined, error: 'server_error' }, /refused .*\(server_error\)/],
    ['with markup', { code: undefined, error: '<img src=x>' }, /\(unknown\)/],
  ])('is refused %s', async (_, answer, why) => {
    await expect(signIn({}, { answer })).rejects.toThrow(why)
  })

  it('is refused without its issuer, where the provider says that it sends it', async () => {
    const configuration = { authorization_response_iss_parameter_supported: true }
    await expect(signIn({ configuration })).rejects.toThrow(INVALID)
    await expect(
      signIn({ configuration }, { answer: { iss: hostile.issuer } }),
    ).resolves.toMatchObject({ subject: 'rosa' })
  })

  it('is refused once the settings name another provider', async () => {
    const request = await provider.begin(CALLBACK, false)
    await using other = await openHostileProvider()
    temp.store.settings.change({ 'oidc.issuer': other.issuer }, 'command-line')
    await expect(finish(request)).rejects.toThrow(/settings .* were changed/)
  })
})

describe('a new sign-in', () => {
  it('has to be newer than the request', async () => {
    const isFresh = true
    await expect(signIn({}, { isFresh })).resolves.toMatchObject({ subject: 'rosa' })
    const old = { claims: { auth_time: nowSeconds() - 60 } }
    await expect(signIn(old, { isFresh })).rejects.toThrow(/did not ask who you are again/)
    const unknown = { claims: { auth_time: undefined } }
    await expect(signIn(unknown, { isFresh })).rejects.toThrow(/\(auth_time\)/)
    await expect(signIn(old)).resolves.toMatchObject({ subject: 'rosa' })
  })

  it('may take as long as the person needs', async () => {
    const request = await provider.begin(CALLBACK, true)
    temp.clock.pass(5 * 60_000)
    hostile.state.forged = { claims: { auth_time: nowSeconds() - 200 } }
    await expect(finish(request)).resolves.toMatchObject({ subject: 'rosa' })
  })
})

describe('a provider', () => {
  const claim = (name: string, claims: Record<string, unknown>) => {
    temp.store.settings.change({ 'oidc.groupsClaim': name }, 'command-line')
    return signIn({ claims }).then(({ groups }) => groups)
  }

  it('states the groups under any name or path', async () => {
    expect(await claim('roles', { roles: 'one' })).toEqual(['one'])
    expect(await claim('realm_access.roles', { realm_access: { roles: ['a', 'b', 3] } })).toEqual([
      'a',
      'b',
    ])
    expect(await claim('a.b', { 'a.b': ['whole'] })).toEqual(['whole'])
    expect(await claim('constructor.name', {})).toEqual([])
  })

  it.each<[string, Forged, RegExp]>([
    ['no configuration', { body: 'Hello' }, /does not lead to an identity provider/],
    ['that of another', { configuration: { issuer: 'https://evil.example' } }, /names another/],
    ['an endless one', { body: ' '.repeat(2 * 1024 * 1024) }, /cannot be reached|not lead/],
  ])('is refused with %s', async (_, forged, why) => {
    hostile.state.forged = forged
    await expect(provider.test()).rejects.toThrow(why)
  })

  it('that does not answer is given up after seconds, and asked again by the next', async () => {
    hostile.state.forged = { hangs: true }
    await expect(provider.begin(CALLBACK, false)).rejects.toThrow(/does not answer/)
    hostile.state.forged = {}
    await expect(provider.begin(CALLBACK, false)).resolves.toMatchObject({
      issuer: hostile.issuer,
    })
  }, 20_000)

  it('is asked for its configuration once an hour', async () => {
    await provider.begin(CALLBACK, false)
    await provider.begin(CALLBACK, false)
    expect(hostile.state.asked).toBe(1)
    temp.clock.pass(61 * 60_000)
    await provider.begin(CALLBACK, false)
    expect(hostile.state.asked).toBe(2)
  })

  it('has to use TLS, except on this PC', async () => {
    temp.store.settings.change({ 'oidc.issuer': 'http://id.clinic.example' }, 'command-line')
    await expect(provider.begin(CALLBACK, false)).rejects.toThrow(/begin with https/)
  })

  it('is not shown the secret of another', async () => {
    const secret = (issuer: string) => readBoundSecret(temp.store, PROVIDER_SECRET_NAME, issuer)
    expect(secret(hostile.issuer)).toBe(CLIENT.secret)
    expect(secret('https://id.clinic.example')).toBeUndefined()
  })
})
