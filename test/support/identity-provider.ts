import { generateKeyPairSync } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider from 'oidc-provider'

export const CLIENT = { id: 'isthmus', secret: 'a client secret of a test' } as const

/** A person at the provider, by the name that they sign in with. */
export interface ProviderAccount {
  readonly email: string
  readonly email_verified?: boolean
  readonly given_name?: string
  readonly family_name?: string
  readonly groups?: readonly string[]
}

/**
 * A real OpenID Connect provider, the package oidc-provider, on a free port of 127.0.0.1. Anybody
 * signs in by the name of an account, without a password.
 * @param cookieSeconds longer where the clock of the browser is another one
 * @param redirectUrls read when a client registers, which is at the first request
 */
export async function openIdentityProvider(
  accounts: Readonly<Record<string, ProviderAccount>>,
  redirectUrls: readonly string[],
  signedOutUrls: readonly string[] = [],
  cookieSeconds = 3600,
) {
  const server = createServer()
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: CLIENT.id,
        client_secret: CLIENT.secret,
        redirect_uris: redirectUrls,
        post_logout_redirect_uris: signedOutUrls,
      },
    ],
    cookies: { keys: ['a key of a test'] },
    claims: {
      openid: ['sub'],
      email: ['email', 'email_verified'],
      profile: ['given_name', 'family_name', 'groups'],
    },
    jwks: { keys: [newKey()] },
    features: {
      devInteractions: { enabled: false },
      rpInitiatedLogout: { enabled: true, logoutSource },
    },
    findAccount: (_: unknown, id: string) =>
      accounts[id] && { accountId: id, claims: () => ({ sub: id, ...accounts[id] }) },
    interactions: { url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    // Nobody is asked what the gateway may know.
    async loadExistingGrant({ oidc }: { oidc: OidcContext }) {
      const grant = new oidc.provider.Grant({
        clientId: oidc.client.clientId,
        accountId: oidc.session.accountId,
      })
      grant.addOIDCScope('openid profile email')
      await grant.save()
      return grant
    },
    ttl: {
      ...{ Session: cookieSeconds, Interaction: cookieSeconds },
      ...{ Grant: cookieSeconds, AccessToken: 600, IdToken: 3600 },
    },
  })
  const handle = provider.callback()
  server.on('request', (request, response) => {
    if (!request.url?.startsWith('/interaction/')) return void handle(request, response)
    interact(provider, request, response).catch((error: unknown) => {
      response.writeHead(500).end(String(error))
    })
  })
  return { issuer, [Symbol.asyncDispose]: () => close(server) }
}

interface OidcContext {
  readonly provider: { readonly Grant: new (of: object) => Grant }
  readonly client: { readonly clientId: string }
  readonly session: { readonly accountId: string }
}
interface Grant {
  addOIDCScope(scope: string): void
  save(): Promise<string>
}

const newKey = () => ({
  ...generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' }),
  ...{ kid: 'test', use: 'sig', alg: 'RS256' },
})

/** The sign-in page, and what it sends. */
async function interact(provider: Provider, request: IncomingMessage, response: ServerResponse) {
  const { uid } = await provider.interactionDetails(request, response)
  if (request.method === 'GET') {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(`<!doctype html>
      <title>Clinic accounts</title><h1>Clinic accounts</h1>
      <form method="post" action="/interaction/${uid}">
        <label>Account <input name="account" autofocus></label>
        <button>Continue</button> <button name="cancel" value="1">Cancel</button>
      </form>`)
    return
  }
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const form = new URLSearchParams(Buffer.concat(chunks).toString())
  const result = form.has('cancel')
    ? { error: 'access_denied' }
    : { login: { accountId: form.get('account') } }
  await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false })
}

/** Signs out without another question. */
function logoutSource(context: { body: string }, form: string): void {
  context.body = `<!doctype html><title>Signing out</title>${form}
    <script>document.forms[0].insertAdjacentHTML('beforeend','<input name="logout" value="yes">');
    document.forms[0].submit()</script>`
}

const close = (server: Server): Promise<void> =>
  new Promise((done) => {
    server.close(() => done())
    server.closeAllConnections()
  })
