import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '#shared/errors.ts'
import { type Caller, type CallerDeps, type Callers, callerOf, type PartnerAccess, requireAccess } from './callers.ts'
import type { CursorCodec } from './cursor-codec.ts'
import type { Idempotency } from './idempotency.ts'
import type { RateLimit } from './rate-limit.ts'
import type { ReplyCache } from './reply-cache.ts'
import { requireConfirmed, type SessionUse } from './sessions.ts'

/** What the interface for partners stands on, beside the window; one for all listeners. */
export interface Partners {
  readonly callers: Callers
  readonly rateLimit: RateLimit
  readonly idempotency: Idempotency
  readonly cursors: CursorCodec
  /** Without it every reply is made anew. */
  readonly replies?: ReplyCache
}

/** The caller who may make this call; a key's rate is counted and said. @throws ApiError bad-key, too-many, not-permitted, confirm-identity */
export function admitCaller(
  request: FastifyRequest,
  reply: FastifyReply,
  { access, use }: { readonly access: PartnerAccess; readonly use: SessionUse },
  { rateLimit, ...deps }: CallerDeps & Pick<Partners, 'rateLimit'>,
): Caller {
  const caller = callerOf(request, use, deps)
  if (caller.kind === 'api-key') {
    const { isAllowed, headers } = rateLimit.take(caller.apiKeyId)
    reply.headers(headers)
    if (!isAllowed) throw new ApiError('too-many', 'This API key makes more calls than it may; wait a little.')
  }
  requireAccess(caller, access)
  if (caller.kind === 'user' && (access === 'people' || access === 'viewer-people')) requireConfirmed(request, deps.sessions)
  return caller
}
