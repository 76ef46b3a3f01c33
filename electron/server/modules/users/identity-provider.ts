import * as client from 'openid-client'
import { Agent, fetch } from 'undici'
import type { Actor } from '#server/audit-log/audit.ts'
import { readBoundSecret, setBoundSecret } from '#server/configuration/bound-secrets.ts'
import { hasSecret } from '#server/configuration/secret-queries.ts'
import type { Context } from '#server/context.ts'
import { ApiError } from '#shared/errors.ts'
import { message } from '#shared/messages/message.ts'
import { providerError } from './identity-provider-error.ts'
import type { ProviderIdentity } from './identity-queries.ts'

export const PROVIDER_SECRET_NAME = 'oidc.clientSecret'
/** Seconds for each request to the provider, for which a person waits. */
const TIMEOUT_SECONDS = 8
/** How long the provider's configuration is used before it is read again. */
const CONFIGURATION_CACHE_MS = 60 * 60_000
const MAX_RESPONSE_BYTES = 1024 * 1024
/** Difference of the clocks of gateway and provider, in seconds. */
const CLOCK_TOLERANCE_SECONDS = 60
/** `iat` and `auth_time` are whole seconds, and may be of two machines of the provider. */
const AUTH_TIME_TOLERANCE_SECONDS = 5
const LOOPBACK_HOST = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/

/** What the gateway remembers of a request until the provider's answer. */
export interface ProviderRequest {
  readonly issuer: string
  readonly clientId: string
  readonly redirectUrl: string
  /** The person has to authenticate now, whatever session the provider has. */
  readonly isFresh: boolean
  readonly state: string
  readonly nonce: string
  readonly codeVerifier: string
  readonly at: number
  /** Where the browser is sent. */
  readonly url: string
}

/** The parameters that the provider sends with the browser. */
export type ProviderAnswer = Readonly<
  Partial<Record<'code' | 'state' | 'iss' | 'error', string | undefined>>
>

/** What the provider states about a person. */
export interface ProviderPerson extends ProviderIdentity {
  /** Null if it states none. */
  readonly email: string | null
  readonly isEmailVerified: boolean
  readonly firstName: string
  readonly lastName: string
  readonly groups: readonly string[]
  readonly idToken: string
}

/** Whether sign-in at the identity provider is turned on and set up. */
export const isProviderEnabled = ({ settings }: Pick<Context, 'settings'>): boolean =>
  settings.get('oidc.isOn') &&
  settings.get('oidc.issuer') !== null &&
  settings.get('oidc.clientId') !== null

/**
 * The OpenID Connect provider of the clinic, such as Keycloak or Entra ID: authorization code flow
 * with PKCE (RFC 7636), state and nonce. The signature of each ID token is verified, although it
 * comes straight from the provider.
 */
export class IdentityProvider implements AsyncDisposable {
  readonly #context: Context
  #kept:
    | {
        readonly key: string
        readonly at: number
        readonly agent: Agent
        readonly ready: Promise<client.Configuration>
      }
    | undefined

  readonly #unsubscribe: () => void

  constructor(context: Context) {
    this.#context = context
    this.#unsubscribe = context.database.subscribe('secrets', () => {
      this.#kept = undefined
    })
  }

  get hasSecret(): boolean {
    return hasSecret(this.#context, PROVIDER_SECRET_NAME)
  }

  /** Null removes it. @throws ApiError refused: no issuer is set */
  setSecret(secret: string | null, actor: Actor): void {
    setProviderSecret(this.#context, secret, actor)
  }

  /** @throws ApiError refused, unavailable */
  async begin(redirectUrl: string, isFresh: boolean): Promise<ProviderRequest> {
    const configuration = await this.#configuration()
    const codeVerifier = client.randomPKCECodeVerifier()
    const [state, nonce] = [client.randomState(), client.randomNonce()]
    const { settings, clock } = this.#context
    const url = client.buildAuthorizationUrl(configuration, {
      redirect_uri: redirectUrl,
      scope: settings.get('oidc.scopes'),
      ...{ state, nonce, code_challenge_method: 'S256' },
      code_challenge: await client.calculatePKCECodeChallenge(codeVerifier),
      ...(isFresh && { prompt: 'login', max_age: '0' }),
    })
    return {
      issuer: configuration.serverMetadata().issuer,
      clientId: configuration.clientMetadata().client_id,
      ...{ redirectUrl, isFresh, state, nonce, codeVerifier, at: clock(), url: url.href },
    }
  }

  /**
   * Exchanges the code of the answer and checks the ID token. @throws ApiError refused, unavailable
   */
  async finish(request: ProviderRequest, answer: ProviderAnswer): Promise<ProviderPerson> {
    const configuration = await this.#configuration()
    const { issuer } = configuration.serverMetadata()
    // The settings may have changed while the person was at the former provider.
    if (request.issuer !== issuer || request.clientId !== configuration.clientMetadata().client_id)
      throw new ApiError('refused', message('users.provider-changed'))
    const url = new URL(request.redirectUrl)
    for (const [name, value] of Object.entries(answer))
      if (value !== undefined) url.searchParams.set(name, value)
    try {
      const tokens = await client.authorizationCodeGrant(configuration, url, {
        pkceCodeVerifier: request.codeVerifier,
        expectedState: request.state,
        expectedNonce: request.nonce,
        idTokenExpected: true,
      })
      const claims = tokens.claims()
      if (!claims || tokens.id_token === undefined) throw new TypeError('No ID token')
      if (request.isFresh) this.#checkFresh(request, claims)
      const asked = await this.#userInfo(configuration, tokens.access_token, claims)
      return personOf(this.#context, { ...asked, ...claims }, issuer, tokens.id_token)
    } catch (error) {
      throw providerError(this.#context, error)
    }
  }

  /** Where the provider's session ends (OpenID Connect RP-Initiated Logout 1.0). */
  async endSessionUrl(idToken: string, returnUrl: string): Promise<string | undefined> {
    const configuration = await this.#configuration()
    if (configuration.serverMetadata().end_session_endpoint === undefined) return undefined
    return client.buildEndSessionUrl(configuration, {
      id_token_hint: idToken,
      post_logout_redirect_uri: returnUrl,
    }).href
  }

  /** Reads the provider's configuration again. @throws ApiError refused, unavailable */
  async test(): Promise<string> {
    this.#kept = undefined
    return (await this.#configuration()).serverMetadata().issuer
  }

  /**
   * The authentication has to be newer than the request. Both times are of the provider's clock,
   * and the nonce proves that the token was issued after the request.
   */
  #checkFresh({ at }: ProviderRequest, { iat, auth_time: authenticatedAt }: client.IDToken): void {
    if (authenticatedAt === undefined)
      throw new ApiError('refused', message('users.provider-no-auth-time'))
    const elapsedSeconds = (this.#context.clock() - at) / 1000
    if (iat - authenticatedAt > elapsedSeconds + AUTH_TIME_TOLERANCE_SECONDS)
      throw new ApiError('refused', message('users.provider-not-fresh'))
  }

  /** Claims that are not in the ID token. */
  async #userInfo(
    configuration: client.Configuration,
    accessToken: string,
    claims: client.IDToken,
  ): Promise<object> {
    const isComplete =
      'email' in claims && claimOf(claims, this.#context.settings.get('oidc.groupsClaim'))
    if (isComplete || configuration.serverMetadata().userinfo_endpoint === undefined) return {}
    return await client.fetchUserInfo(configuration, accessToken, claims.sub)
  }

  async #configuration(): Promise<client.Configuration> {
    const { settings, clock } = this.#context
    const [issuer, clientId] = [settings.get('oidc.issuer'), settings.get('oidc.clientId')]
    if (!isProviderEnabled(this.#context) || issuer === null || clientId === null)
      throw new ApiError('refused', message('users.provider-off'))
    const key = JSON.stringify([issuer, clientId, settings.get('oidc.authorities')])
    if (this.#kept?.key !== key || Math.abs(clock() - this.#kept.at) > CONFIGURATION_CACHE_MS) {
      void this.#kept?.agent.close().catch(() => undefined)
      const agent = this.#agent()
      const ready = this.#discover(issuer, clientId, agent)
      this.#kept = { key, at: clock(), agent, ready }
    }
    const kept = this.#kept
    try {
      return await kept.ready
    } catch (error) {
      // Asked again by the next sign-in.
      if (this.#kept === kept) this.#kept = undefined
      throw providerError(this.#context, error)
    }
  }

  #agent(): Agent {
    const authorities = this.#context.settings.get('oidc.authorities')
    return new Agent({
      allowH2: false,
      maxResponseSize: MAX_RESPONSE_BYTES,
      connect: { timeout: 3000, ...(authorities !== null && { ca: authorities }) },
    })
  }

  async #discover(issuer: string, clientId: string, agent: Agent): Promise<client.Configuration> {
    const url = new URL(issuer)
    const isLoopback = LOOPBACK_HOST.test(url.hostname)
    if (url.protocol !== 'https:' && !isLoopback)
      throw new ApiError('refused', message('users.provider-needs-https'))
    const secret = readBoundSecret(this.#context, PROVIDER_SECRET_NAME, issuer)
    return await client.discovery(
      url,
      clientId,
      { [client.clockTolerance]: CLOCK_TOLERANCE_SECONDS },
      secret === undefined ? client.None() : clientAuthOf(secret),
      {
        timeout: TIMEOUT_SECONDS,
        execute: [
          client.enableNonRepudiationChecks,
          ...(isLoopback ? [client.allowInsecureRequests] : []),
        ],
        [client.customFetch]: (target, options) =>
          fetch(target, { ...options, dispatcher: agent } as never) as never,
      },
    )
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#unsubscribe()
    await this.#kept?.agent.destroy()
  }
}

/** Null removes it. @throws ApiError refused: no issuer is set */
export function setProviderSecret(context: Context, secret: string | null, actor: Actor): void {
  const issuer = context.settings.get('oidc.issuer')
  if (issuer === null && secret !== null)
    throw new ApiError('refused', message('users.provider-no-issuer'))
  const secretEntry = { name: PROVIDER_SECRET_NAME, action: 'oidc.secret' }
  setBoundSecret(context, secretEntry, issuer ?? '', secret, actor)
}

/** In the way that the provider supports; basic is the default of OpenID Connect Discovery 1.0. */
const clientAuthOf =
  (secret: string): client.ClientAuth =>
  (server, metadata, body, headers) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
    const authenticate = methods.includes('client_secret_basic')
      ? client.ClientSecretBasic(secret)
      : client.ClientSecretPost(secret)
    return authenticate(server, metadata, body, headers)
  }

/** A claim by its name, or by a path of names with dots, such as `realm_access.roles`. */
function claimOf(claims: object, name: string): unknown {
  if (Object.hasOwn(claims, name)) return Reflect.get(claims, name)
  return name
    .split('.')
    .reduce<unknown>(
      (value, part) =>
        typeof value === 'object' && value !== null && Object.hasOwn(value, part)
          ? Reflect.get(value, part)
          : undefined,
      claims,
    )
}

const text = (value: unknown): string =>
  typeof value === 'string' ? value.trim().slice(0, 100) : ''

function personOf(
  { settings }: Context,
  claims: client.IDToken & client.UserInfoResponse,
  issuer: string,
  idToken: string,
): ProviderPerson {
  const groups = claimOf(claims, settings.get('oidc.groupsClaim'))
  const [first = '', ...rest] = text(claims.name).split(/\s+/)
  const email = text(claims.email)
  return {
    ...{ issuer, subject: claims.sub, idToken },
    email: /^[^\s@]+@[^\s@]+$/.test(email) ? email : null,
    // Some providers write the text.
    isEmailVerified:
      claims.email_verified === true || (claims.email_verified as unknown) === 'true',
    firstName: text(claims.given_name) || first,
    lastName: text(claims.family_name) || rest.join(' '),
    groups: [groups].flat().filter((group) => typeof group === 'string'),
  }
}
