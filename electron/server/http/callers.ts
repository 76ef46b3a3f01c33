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

/** One text for each caller, to keep what is kept of one from any other. */
export const callerName = (caller: Caller): string =>
  caller.kind === 'api-key' ? `api-key:${caller.apiKeyId}` : `user:${caller.user.userId}`
