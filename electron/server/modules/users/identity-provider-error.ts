import * as client from 'openid-client'
import type { Context } from '#server/context.ts'
import { networkFault } from '#server/webhooks/network-fault.ts'
import { ApiError } from '#shared/errors.ts'
import { message } from '#shared/messages/message.ts'

/** Failures of the transport, by the codes of openid-client. */
const TRANSPORT_CODES: readonly unknown[] = ['OAUTH_TIMEOUT', 'OAUTH_ABORT']
/** What the gateway does not get an answer for. */
const NO_PROVIDER_CODES: readonly unknown[] = [
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
  'OAUTH_RESPONSE_IS_NOT_JSON',
  'OAUTH_PARSE_ERROR',
  'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED',
]

/**
 * Converts an error of the provider or of its answer. The reason is logged; the person gets a
 * sentence that does not tell an attacker which check failed.
 */
export function providerError({ log }: Pick<Context, 'log'>, error: unknown): ApiError {
  if (error instanceof ApiError) return error
  const code = codeOf(error)
  log.warn({ code, why: reasonOf(error) }, 'a sign-in at the identity provider failed')
  if (error instanceof client.AuthorizationResponseError)
    return error.error === 'access_denied'
      ? new ApiError('refused', message('users.provider-cancelled'))
      : new ApiError('refused', message('users.provider-error', { error: word(error.error) }))
  if (error instanceof client.ResponseBodyError)
    return error.error === 'invalid_client' || error.error === 'unauthorized_client'
      ? new ApiError('refused', message('users.provider-client-refused'))
      : new ApiError('refused', message('users.provider-error', { error: word(error.error) }))
  if (TRANSPORT_CODES.includes(code))
    return new ApiError('unavailable', message('users.provider-silent'))
  if (isNetworkFault(error))
    return new ApiError(
      'unavailable',
      message('users.provider-unreachable', { why: networkFault((error as Error).cause).detail }),
    )
  if (NO_PROVIDER_CODES.includes(code))
    return new ApiError('unavailable', message('users.provider-no-provider'))
  return new ApiError('refused', message('users.provider-answer-invalid'))
}

const codeOf = (error: unknown): unknown => (error as { readonly code?: unknown } | null)?.code

/** undici's `fetch failed`, whose cause is the fault of the connection. */
const isNetworkFault = (error: unknown): boolean =>
  error instanceof TypeError && typeof codeOf(error.cause) === 'string'

/** Only the library's own sentence: its cause has the claims of a person. */
const reasonOf = (error: unknown): string =>
  error instanceof Error ? error.message.slice(0, 200) : 'unknown'

/** An error code of RFC 6749 §4.1.2.1; anything else is left out. */
const word = (code: string): string => (/^[a-z_]{1,60}$/.test(code) ? code : 'unknown')
