import type { FastifyReply, FastifyRequest } from 'fastify'
import { hostOf } from '#server/platform/connection-budget.ts'
import { ApiError } from '#shared/errors.ts'
import type { PartnerAccess } from '#shared/operation.ts'
import { type Caller, type CallerDeps, type Callers, callerOf, requireAccess } from './callers.ts'
import type { CursorCodec } from './cursor-codec.ts'
import type { Idempotency } from './idempotency.ts'
import type { RateLimit } from './rate-limit.ts'
import type { ReplyCache } from './reply-cache.ts'
import { requireConfirmed, type SessionUse } from './session-authentication.ts'

/** What the interface for partners stands on, beside the window; one for all listeners. */
export interface Partners {
  readonly callers: Callers
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

/**
 * The caller who may make this call; a key's rate is counted and said. @throws ApiError bad-key,
 * too-many, not-permitted, confirm-identity
 */
export function admitCaller(
  request: FastifyRequest,
  reply: FastifyReply,
  { access, use }: { readonly access: PartnerAccess; readonly use: SessionUse },
  { rateLimit, refusedLimit, ...deps }: CallerDeps & Pick<Partners, 'rateLimit' | 'refusedLimit'>,
): Caller {
  const caller = knownCaller(request, use, refusedLimit, deps)
  if (caller.kind === 'api-key') {
    const { isAllowed, headers } = rateLimit.take(caller.apiKeyId)
    reply.headers(headers)
    if (!isAllowed)
      throw new ApiError('too-many', 'This API key makes more calls than it may; wait a little.')
  }
  requireAccess(caller, access)
  if (caller.kind === 'user' && (access === 'people' || access === 'viewer-people'))
    requireConfirmed(request, deps.sessions)
  return caller
}

/**
 * @throws ApiError as `callerOf`; too-many where the host made more calls without a valid key than
 *   one key may make
 */
function knownCaller(
  request: FastifyRequest,
  use: SessionUse,
  refusedLimit: RateLimit,
  deps: CallerDeps,
): Caller {
  try {
    return callerOf(request, use, deps)
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 'bad-key')) throw error
    const { isAllowed, headers } = refusedLimit.take(hostOf(request.socket.remoteAddress ?? ''))
    if (isAllowed) throw error
    const message = 'Too many calls without a valid API key came from this address; wait a little.'
    throw new ApiError('too-many', message, { headers })
  }
}
