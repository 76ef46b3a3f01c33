import type { Context } from '#server/context.ts'
import { createToken, hashToken } from '#server/platform/token.ts'
import type { SignInPurpose } from '#shared/contract/identity-provider.ts'
import {
  PROVIDER_CALLBACK_PATH,
  PROVIDER_END_PATH,
  PROVIDER_START_PATH,
} from '#shared/contract/identity-provider.ts'
import { ApiError } from '#shared/errors.ts'
import { message } from '#shared/messages/message.ts'
import type {
  IdentityProvider,
  ProviderAnswer,
  ProviderPerson,
  ProviderRequest,
} from './identity-provider.ts'
import { isProviderEnabled } from './identity-provider.ts'
import { identityOfUser, userIdOfIdentity } from './identity-queries.ts'
import { hasUser } from './people.ts'
import { accountOf } from './provider-accounts.ts'
import * as sessions from './sessions.ts'

/** A person has this long at the provider. */
const FLOW_LIFETIME_MS = 10 * 60_000
/** More than any clinic has at once; anybody can begin a sign-in. */
const MAX_FLOWS = 500

/** A browser that is on its way to the provider. */
interface Flow {
  /** Of the cookie of the browser. */
  readonly browserHash: string
  readonly at: number
  /** Where `GET /oidc/start` leads. */
  readonly url: string
  /** Undefined for a sign-out. */
  readonly asked?: { readonly purpose: SignInPurpose; readonly request: ProviderRequest }
  /** The session to unlock or confirm. */
  readonly sessionId?: string
}

/** The result of a finished sign-in; `signIn` is a new session. */
export interface ProviderSignInResult {
  readonly purpose: SignInPurpose
  readonly signIn?: sessions.SignIn
}

/** Whether the user can show who they are at the provider that is set. */
export function hasIdentity(context: Context, userId: string): boolean {
  const identity = identityOfUser(context.database, userId)
  return isProviderEnabled(context) && identity?.issuer === context.settings.get('oidc.issuer')
}

/**
 * Sign-ins at the identity provider, from the click until the browser is back. They are in memory:
 * after a restart of the gateway the person begins again.
 */
export class ProviderSignIns {
  readonly #context: Context
  readonly #provider: IdentityProvider
  /** By state, oldest first. */
  readonly #flows = new Map<string, Flow>()
  /**
   * Browsers whose person has no account here. The provider asks them again who they are, because its
   * session would lead to the same refusal.
   */
  readonly #refused = new Set<string>()

  constructor(context: Context, provider: IdentityProvider) {
    this.#context = context
    this.#provider = provider
  }

  /**
   * Returns the path to open in the browser.
   * @param origin of the window, to which the browser comes back
   * @param browser the token of the browser's cookie
   * @param sessionToken the session of the window, for unlock and confirm
   * @throws ApiError refused, unavailable, not-signed-in
   */
  async begin(
    purpose: SignInPurpose,
    origin: string,
    browser: string,
    sessionToken: string | undefined,
  ): Promise<string> {
    if (!hasUser(this.#context)) throw new ApiError('refused', message('users.provider-off'))
    const session = purpose === 'sign-in' ? undefined : this.#session(purpose, sessionToken)
    const browserHash = hashToken(browser)
    const request = await this.#provider.begin(
      `${origin}${PROVIDER_CALLBACK_PATH}`,
      this.#refused.delete(browserHash) || session !== undefined,
    )
    return this.#keep(request.state, {
      ...{ browserHash, at: this.#context.clock(), url: request.url },
      asked: { purpose, request },
      ...(session && { sessionId: session.sessionId }),
    })
  }

  /** The address of the provider for a browser that has begun; undefined for any other. */
  urlOf(state: string, browser: string | undefined): string | undefined {
    const flow = this.#flow(state, browser)
    return flow?.url
  }

  /**
   * Each state is accepted once. @throws ApiError refused, unavailable, not-signed-in
   */
  async finish(
    answer: ProviderAnswer & { readonly state: string },
    browser: string | undefined,
    sessionToken: string | undefined,
    place: sessions.SessionOrigin,
  ): Promise<ProviderSignInResult> {
    const flow = this.#flow(answer.state, browser)
    if (!flow?.asked) throw new ApiError('refused', message('users.provider-state-unknown'))
    this.#flows.delete(answer.state)
    const { purpose, request } = flow.asked
    const person = await this.#provider.finish(request, answer)
    if (purpose === 'sign-in') {
      const user = this.#accountOf(person, flow.browserHash)
      const how = 'identity provider'
      return {
        purpose,
        signIn: sessions.beginSession(this.#context, user, how, place, person.idToken),
      }
    }
    const session = this.#session(purpose, sessionToken)
    if (
      session.sessionId !== flow.sessionId ||
      userIdOfIdentity(this.#context.database, person) !== session.user.userId
    )
      throw new ApiError('refused', message('users.provider-other-person'))
    if (purpose === 'unlock') sessions.unlockSession(this.#context, session.token)
    else sessions.confirmSession(this.#context, session.token)
    return { purpose }
  }

  /**
   * Returns the path that ends the provider's session too; null if there is none, or the provider
   * cannot be reached.
   */
  async signOut(
    idToken: string | undefined,
    origin: string,
    browser: string,
  ): Promise<string | null> {
    const { settings } = this.#context
    if (idToken === undefined || !isProviderEnabled(this.#context)) return null
    if (!settings.get('oidc.endsProviderSession')) return null
    const url = await this.#provider
      .endSessionUrl(idToken, `${origin}${PROVIDER_END_PATH}`)
      .catch(() => undefined)
    if (url === undefined) return null
    const at = this.#context.clock()
    return this.#keep(createToken(), { browserHash: hashToken(browser), at, url })
  }

  #accountOf(person: ProviderPerson, browserHash: string) {
    try {
      return accountOf(this.#context, person)
    } catch (error) {
      if (this.#refused.size >= MAX_FLOWS) this.#refused.clear()
      this.#refused.add(browserHash)
      throw error
    }
  }

  #session(purpose: SignInPurpose, token: string | undefined) {
    const session =
      token === undefined ? undefined : sessions.runningSession(this.#context, token, 'background')
    if (!session || token === undefined || (purpose === 'confirm' && session.isLocked))
      throw new ApiError('not-signed-in', message('users.session-ended'))
    if (!hasIdentity(this.#context, session.user.userId))
      throw new ApiError('refused', message('users.provider-not-linked'))
    return { ...session, token }
  }

  #keep(state: string, flow: Flow): string {
    this.#flows.set(state, flow)
    for (const [old, { at }] of this.#flows) {
      if (this.#flows.size <= MAX_FLOWS && !this.#isOver(at)) break
      this.#flows.delete(old)
    }
    return `${PROVIDER_START_PATH}?${new URLSearchParams({ state })}`
  }

  #flow(state: string, browser: string | undefined): Flow | undefined {
    const flow = this.#flows.get(state)
    if (!flow || browser === undefined || this.#isOver(flow.at)) return undefined
    return flow.browserHash === hashToken(browser) ? flow : undefined
  }

  #isOver(at: number): boolean {
    return Math.abs(this.#context.clock() - at) > FLOW_LIFETIME_MS
  }
}
