import type { ViewRecord } from '#server/database/tables/viewing.ts'
import type { DicomwebRight, EventAccess } from '#shared/contract/dashboard-people.ts'
import type { SignedInUser } from '#shared/contract/people.ts'
import type { ExpressCustomerId } from '#shared/ids.ts'

/**
 * A request caused by a person keeps the session from becoming idle; a background request (a
 * stream, polling) does not.
 */
export type SessionUse = 'person' | 'background'

/** The sessions of the window. */
export interface Sessions {
  /**
   * The user of a valid session; undefined if the token is unknown, ended or expired; `locked` if
   * the session is locked.
   */
  userOf(token: string, use: SessionUse): SignedInUser | 'locked' | undefined
  /** Whether the user has signed in or confirmed their identity recently. */
  isConfirmed(token: string): boolean
  /** Whether the user may only see studies of certain customers. */
  isLimited(user: SignedInUser): boolean
  /**
   * Calls the listener when a session has been ended or locked, so that event streams check theirs.
   * Returns a function that unsubscribes.
   */
  onClosed?(listener: () => void): () => void
}

/** An open view and its user's current account. */
export interface OpenView extends ViewRecord {
  readonly user: SignedInUser | undefined
}

/** Authenticates viewer views by their cookie. */
export interface ViewAuthenticator {
  /**
   * The open view with this id and token; undefined if it has ended, does not exist or has a
   * different token.
   * @throws ApiError refused: the view can no longer be used, with the reason, e.g. that its study
   * was cancelled; locked: the window session that opened it is locked
   */
  viewOf(viewId: string, token: string, use?: SessionUse): OpenView | undefined
}

/** A partner, authenticated by API key. */
export interface ApiKeyCaller {
  readonly kind: 'api-key'
  readonly apiKeyId: string
  /** self: only studies created with this key, and what belongs to them. */
  readonly scope: 'all' | 'self'
  readonly isViewerEnabled: boolean
  /** Whether it may invite and change users and link them to customers; defaults to false. */
  readonly managesPeople?: boolean | undefined
  /** What it may do by DICOMweb; defaults to `none`. */
  readonly dicomweb?: DicomwebRight | undefined
  /** What it may see of its own events; defaults to `none`. */
  readonly eventAccess?: EventAccess | undefined
  /** Whether its events include those that belong to no key; defaults to false. */
  readonly seesClinicEvents?: boolean | undefined
  /** Whether it may manage its own endpoints; defaults to false. */
  readonly managesEndpoints?: boolean | undefined
  /** Whether it is a key of the sandbox; defaults to false. */
  readonly isTest?: boolean | undefined
}

/** A user of the clinic, authenticated by a window session. */
export interface UserCaller {
  readonly kind: 'user'
  /**
   * `customerIds`: the Express customers the user is linked to. A member who has any sees only
   * their studies.
   */
  readonly user: SignedInUser & { readonly customerIds: readonly ExpressCustomerId[] }
  /** The study of a dictation link, which the user may see regardless of its customer. */
  readonly linkedStudyId?: string
}

/** The caller of a partner interface operation. */
export type Caller = ApiKeyCaller | UserCaller

/**
 * Identifies a caller uniquely, so that data stored for one caller is never returned to another.
 */
export const callerName = (caller: Caller): string =>
  caller.kind === 'api-key' ? `api-key:${caller.apiKeyId}` : `user:${caller.user.userId}`
