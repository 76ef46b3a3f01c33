import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { SignedInUser } from '#shared/contract/people.ts'
import type { ExpressCustomerId, UserId } from '#shared/ids.ts'
import type { Operation } from '#shared/operation.ts'
import type { ApiKeyCaller } from './callers.ts'
import type { CursorCodec } from './cursor-codec.ts'
import type { Idempotency } from './idempotency.ts'
import type { RateLimit } from './rate-limit.ts'
import type { ReplyCache } from './reply-cache.ts'
import type { Views } from './view-authentication.ts'

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
   * Tells that some session was ended or locked, so that streams look at theirs. Returns what stops
   * it.
   */
  onClosed?(listener: () => void): () => void
}

/** What the interface for partners stands on, beside the window; one for all listeners. */
export interface Partners {
  /** The caller of a live key; undefined for any other text. */
  readonly authenticateKey: (key: string) => ApiKeyCaller | undefined
  /** The customers that the user is linked to. */
  readonly customerIdsOf: (userId: UserId) => readonly ExpressCustomerId[]
  readonly rateLimit: RateLimit
  /**
   * Calls without a valid key, by the caller's host. A bucket of its own: a partner at the same
   * address, such as behind the same proxy, is not refused because of them.
   */
  readonly refusedLimit: RateLimit
  readonly idempotency: Idempotency
  readonly cursors: CursorCodec
  /** Without it every reply is made anew. */
  readonly replies?: ReplyCache
}

/** What a module declares its operations on. Only this folder touches `fastify`. */
export interface HttpApp {
  readonly fastify: FastifyInstance
  readonly sessions: Sessions
  /** Undefined where the server has no interface for partners. */
  readonly partners: Partners | undefined
  /** Undefined where the server has no viewer. */
  readonly views: Views | undefined
  /**
   * The id of an approved workstation by its token; undefined for any other token (decision 0023).
   * Without it no other PC may open the window.
   */
  readonly approvedWorkstation: ((token: string) => string | undefined) | undefined
  readonly publicUrl: () => string | null
  /**
   * Calls declared so far; a path asked with another method is answered 405 with these in Allow
   * (RFC 9110 §15.5.6).
   */
  readonly declared: { readonly method: string; readonly path: string }[]
  /** Ends of the open event streams. */
  readonly openStreams: Set<() => void>
  /** The caller has proven who it is: its host's connections are kept where there are too many. */
  readonly noteExpected: (request: FastifyRequest) => void
  /**
   * Notes that an operation answered: as it is declared, with the parameters of its path and query,
   * and who had called it.
   */
  readonly noteAnswer?:
    | ((
        operation: Pick<Operation, 'method' | 'path'>,
        params: unknown,
        who: { readonly userId: string } | { readonly apiKeyId: string },
      ) => void)
    | undefined
  /** Notes a fault of ours that can be told no client any more. */
  readonly noteFault: (request: FastifyRequest, error: unknown) => void
}
