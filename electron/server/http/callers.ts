import type { ViewRecord } from '#server/database/tables/viewing.ts'
import type { SignedInUser } from '#shared/contract/people.ts'
import type { ExpressCustomerId } from '#shared/ids.ts'

/**
 * A person's call keeps a session from going idle; a look in the background (a stream, a poll) does
 * not.
 */
export type SessionUse = 'person' | 'background'

/** The sessions of the window. */
export interface Sessions {
  /**
   * The user of a live session; undefined for a token that is unknown, ended or expired; `locked`
   * where its window is.
   */
  userOf(token: string, use: SessionUse): SignedInUser | 'locked' | undefined
  /** Whether its person signed in, or proved who they are since, a short time ago. */
  isConfirmed(token: string): boolean
  /** Whether the person sees the studies of some customers only. */
  isLimited(user: SignedInUser): boolean
  /**
   * Calls the listener when any session was ended or locked, so that streams check theirs. Returns
   * what stops it.
   */
  onClosed?(listener: () => void): () => void
}

/** A live view, and whom it is for as they are now. */
export interface OpenView extends ViewRecord {
  readonly user: SignedInUser | undefined
}

/** Views by their cookie. */
export interface Views {
  /**
   * The live view of this id and token; undefined where it ended, never was, or is another one's.
   * @throws ApiError refused: it cannot be used any more, and why, such as that its study was
   *   cancelled; locked: with the window that opened it
   */
  viewOf(viewId: string, token: string, use?: SessionUse): OpenView | undefined
}

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

/** One text for each caller, so that what is kept for one is found by no other. */
export const callerName = (caller: Caller): string =>
  caller.kind === 'api-key' ? `api-key:${caller.apiKeyId}` : `user:${caller.user.userId}`
