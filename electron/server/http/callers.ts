import type { SignedInUser } from '#shared/contract/people.ts'
import type { ExpressCustomerId } from '#shared/ids.ts'

/** A partner, by its key. */
export interface ApiKeyCaller {
  readonly kind: 'api-key'
  readonly apiKeyId: string
  /** self: only the studies it made, and what belongs to them. */
  readonly scope: 'all' | 'self'
  readonly isViewerEnabled: boolean
  /** It may invite and change people, and link them to customers; absent: it may not. */
  readonly managesPeople?: boolean | undefined
}

/** A person of the clinic, by the session of the window. */
export interface UserCaller {
  readonly kind: 'user'
  /**
   * `customerIds`: the Express customers this person is linked to; a member who has any sees only
   * their studies.
   */
  readonly user: SignedInUser & { readonly customerIds: readonly ExpressCustomerId[] }
  /** Of a link for dictation: its study, which this person sees whosever it is. */
  readonly linkedStudyId?: string
}

/** Who makes a call of the interface. */
export type Caller = ApiKeyCaller | UserCaller

<<<<<<< HEAD
/** Port: who a key belongs to, and what belongs to a person. */
export interface Callers {
  /** The caller of a live key; undefined for any other text. */
  authenticateKey(key: string): ApiKeyCaller | undefined
  customerIdsOf(userId: UserId): readonly ExpressCustomerId[]
}

/** Which keys may make a call of the interface; a signed-in person may make all of them. */
export const PARTNER_ACCESS = {
  partner: () => true,
  viewer: (key) => key.isViewerEnabled,
  people: (key) => key.managesPeople === true,
  'viewer-people': (key) => key.isViewerEnabled && key.managesPeople === true,
} as const satisfies Record<PartnerAccess, (key: ApiKeyCaller) => boolean>

export interface CallerDeps {
  readonly callers: Callers
  readonly sessions: Sessions
  readonly workstations?: Workstations | undefined
  readonly publicUrl: string | null
}

/**
 * Whose call this is: the key of `Authorization: Bearer` wins; without that header the
 * session cookie, and only from a script of our own page, at a PC where the window may be opened.
 * @throws ApiError bad-key, with `WWW-Authenticate: Bearer`; locked, workstation-unknown
 */
export function callerOf(
  request: FastifyRequest,
  use: SessionUse,
  { callers, sessions, workstations, publicUrl }: CallerDeps,
): Caller {
  const { authorization } = request.headers
  if (authorization !== undefined) {
    const key = /^Bearer +([\x21-\x7e]{1,200})$/i.exec(authorization)?.[1]
    const caller = key && callers.authenticateKey(key)
    if (caller) return caller
    // RFC 6750 §3.1: what was sent is no live token.
    throw unauthenticated(
      'The API key is not one of this gateway, or was revoked.',
      'Bearer error="invalid_token"',
    )
  }
  const token = sessionTokenOf(request)
  if (token && request.headers[CSRF_HEADER] === '1' && isFromOwnPage(request, publicUrl)) {
    admitWorkstation(request, workstations)
    const user = sessions.userOf(token, use)
    if (user === 'locked') throw locked()
    if (user)
      return { kind: 'user', user: { ...user, customerIds: callers.customerIdsOf(user.userId) } }
  }
  throw unauthenticated(
    'This call needs an API key: send Authorization: Bearer sk_live_….',
    'Bearer',
  )
}

/** @throws ApiError not-permitted */
export function requireAccess(caller: Caller, access: PartnerAccess): void {
  if (caller.kind === 'user') {
    if (!caller.user.hasDashboardAccess)
      throw new ApiError('not-permitted', 'This account may not use the window.')
    return
  }
  if (PARTNER_ACCESS[access](caller)) return
  throw new ApiError(
    'not-permitted',
    access === 'people' || caller.isViewerEnabled
      ? 'This API key may not manage people: an administrator of the gateway can allow it.'
      : 'This API key has no access to the viewer area.',
  )
}

=======
>>>>>>> main
/** One text for each caller, to keep what is kept of one from any other. */
export const callerName = (caller: Caller): string =>
  caller.kind === 'api-key' ? `api-key:${caller.apiKeyId}` : `user:${caller.user.userId}`
