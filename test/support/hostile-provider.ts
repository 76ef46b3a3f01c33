import { createHmac, generateKeyPairSync, randomUUID, sign } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { CLIENT } from './identity-provider.ts'

/** How an ID token of the provider differs from a right one. */
export interface Forged {
  readonly claims?: Readonly<Record<string, unknown>>
  readonly header?: Readonly<Record<string, unknown>>
  /** none: without a signature; other: by a key that is not published; hmac: by the client secret. */
  readonly signature?: 'none' | 'other' | 'hmac'
  /** The provider says in its configuration that it also signs in this way. */
  readonly algorithms?: readonly string[]
  readonly configuration?: Readonly<Record<string, unknown>>
  /** Sent in place of the configuration. */
  readonly body?: string
  readonly hangs?: boolean
}

const rsa = () => generateKeyPairSync('rsa', { modulusLength: 2048 })
const [own, other] = [rsa(), rsa()]

/** A provider that answers what a test wants, right or wrong. `forged` may be changed at any time. */
export async function openHostileProvider() {
  const state = { forged: {} as Forged, nonce: '', asked: 0 }
  const server = createServer((request, response) => {
    const { forged } = state
    const answer = (json: unknown) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(json))
    const { pathname } = new URL(request.url ?? '', issuer)
    if (forged.hangs) return
    if (pathname === '/.well-known/openid-configuration') {
      state.asked++
      if (forged.body !== undefined) return void response.end(forged.body)
      return void answer({
        ...{ issuer, authorization_endpoint: `${issuer}/auth`, token_endpoint: `${issuer}/token` },
        ...{ jwks_uri: `${issuer}/jwks`, response_types_supported: ['code'] },
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['RS256', ...(forged.algorithms ?? [])],
        ...forged.configuration,
      })
    }
    if (pathname === '/jwks')
      return void answer({
        keys: [{ ...own.publicKey.export({ format: 'jwk' }), kid: 'a', alg: 'RS256', use: 'sig' }],
      })
    return void answer({
      ...{ access_token: randomUUID(), token_type: 'Bearer', expires_in: 60 },
      id_token: token(),
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  function token(): string {
    const { claims, header, signature } = state.forged
    const now = Math.floor(Date.now() / 1000)
    const algorithm = signature === 'none' ? 'none' : signature === 'hmac' ? 'HS256' : 'RS256'
    const text = [
      { alg: algorithm, kid: 'a', ...header },
      {
        ...{ iss: issuer, aud: CLIENT.id, sub: 'rosa', iat: now, exp: now + 300 },
        ...{ nonce: state.nonce, auth_time: now, email: 'rosa@clinic.example' },
        ...{ email_verified: true, groups: ['readers'], ...claims },
      },
    ]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.')
    if (signature === 'none') return `${text}.`
    const bytes =
      signature === 'hmac'
        ? createHmac('sha256', CLIENT.secret).update(text).digest()
        : sign('sha256', Buffer.from(text), (signature === 'other' ? other : own).privateKey)
    return `${text}.${bytes.toString('base64url')}`
  }

  return {
    issuer,
    state,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}
