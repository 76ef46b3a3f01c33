import { type Dispatcher, errors } from 'undici'
import { type Message, type MessageCode, message } from '#shared/messages/message.ts'
import { WebhookError } from './webhook-error.ts'

type NetworkFault = 'unreachable' | 'invalid' | 'oversize'
interface Explanation {
  readonly fault: NetworkFault
  readonly words: Message
}

const unreachable = (code: MessageCode): Explanation => ({
  fault: 'unreachable',
  words: message(code),
})
const CLOSED = unreachable('webhooks.connection-closed')
const NO_ANSWER = unreachable('webhooks.connection-timeout')
const NO_RESPONSE = unreachable('webhooks.no-response')
const NO_ROUTE = unreachable('webhooks.no-route')
const UNTRUSTED_CERTIFICATE = unreachable('webhooks.certificate-untrusted')

/** Explanations of Node and undici error codes. */
const EXPLANATIONS: Readonly<Record<string, Explanation>> = {
  ECONNREFUSED: unreachable('webhooks.connection-refused'),
  ENOTFOUND: unreachable('webhooks.host-unknown'),
  EAI_AGAIN: unreachable('webhooks.name-server-silent'),
  ETIMEDOUT: NO_ANSWER,
  UND_ERR_CONNECT_TIMEOUT: NO_ANSWER,
  UND_ERR_HEADERS_TIMEOUT: NO_RESPONSE,
  UND_ERR_BODY_TIMEOUT: NO_RESPONSE,
  EHOSTUNREACH: NO_ROUTE,
  ENETUNREACH: NO_ROUTE,
  EADDRNOTAVAIL: NO_ROUTE,
  ECONNRESET: CLOSED,
  EPIPE: CLOSED,
  UND_ERR_SOCKET: CLOSED,
  UND_ERR_CLOSED: CLOSED,
  UND_ERR_DESTROYED: CLOSED,
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: CLOSED,
  CERT_HAS_EXPIRED: unreachable('webhooks.certificate-expired'),
  CERT_NOT_YET_VALID: unreachable('webhooks.certificate-not-yet-valid'),
  CERT_REVOKED: unreachable('webhooks.certificate-revoked'),
  ERR_TLS_CERT_ALTNAME_INVALID: unreachable('webhooks.certificate-other-host'),
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED_CERTIFICATE,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED_CERTIFICATE,
  UNABLE_TO_GET_ISSUER_CERT: UNTRUSTED_CERTIFICATE,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED_CERTIFICATE,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED_CERTIFICATE,
  EPROTO: unreachable('webhooks.no-secure-connection'),
  UND_ERR_HEADERS_OVERFLOW: { fault: 'oversize', words: message('webhooks.headers-too-large') },
}

/** Errors after which the request was certainly not processed, so that a retry cannot repeat it. */
const RETRYABLE_CODES = new Set([
  ...[
    'ECONNREFUSED',
    'ENOTFOUND',
    'EAI_AGAIN',
    'ETIMEDOUT',
    'UND_ERR_CONNECT_TIMEOUT',
    'EHOSTUNREACH',
    'ENETUNREACH',
  ],
  ...['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'],
])

/** Whether a request that failed this way before any response header can be retried immediately. */
export const isConnectFailure = (error: unknown) => RETRYABLE_CODES.has(codeOf(error))

/** Converts an error of the network stack; a `WebhookError` is returned unchanged. */
export function networkFault(error: unknown): WebhookError {
  if (error instanceof WebhookError) return error
  // This error contains received data, which may include patient data, so it is not kept as the
  // cause.
  if (error instanceof errors.HTTPParserError)
    return new WebhookError('invalid', message('webhooks.not-http'))
  const code = codeOf(error)
  const explanation = EXPLANATIONS[code] ?? explanationByFamily(code)
  return new WebhookError(explanation.fault, explanation.words, {}, error)
}

function explanationByFamily(code: string): Explanation {
  if (code.startsWith('ERR_SSL') || code.startsWith('ERR_TLS'))
    return unreachable('webhooks.no-secure-connection')
  if (!code) return unreachable('webhooks.connection-failed')
  return { fault: 'unreachable', words: message('webhooks.connection-failed-code', { code }) }
}

function codeOf(error: unknown): string {
  // If several addresses were tried, Node combines their errors; the first is that of the preferred
  // address.
  const one = error instanceof AggregateError && !('code' in error) ? error.errors[0] : error
  const code = (one as { readonly code?: unknown } | null | undefined)?.code
  return typeof code === 'string' ? code : ''
}

/** Explanations of statuses that usually have a cause on the gateway's side. */
const STATUS_MESSAGES: Readonly<Record<number, Message>> = {
  400: message('webhooks.status-of-signature', { status: 400 }),
  401: message('webhooks.status-of-signature', { status: 401 }),
  404: message('webhooks.status-of-path'),
  410: message('webhooks.status-gone'),
}

/** The error for an answer that is not 2xx. */
export function statusError(
  { statusCode, headers }: Dispatcher.ResponseData,
  now: number,
): WebhookError {
  if (statusCode >= 300 && statusCode < 400)
    return new WebhookError('status', message('webhooks.status-redirect', { status: statusCode }), {
      httpStatus: statusCode,
    })
  const words = STATUS_MESSAGES[statusCode] ?? message('webhooks.status', { status: statusCode })
  return new WebhookError('status', words, {
    httpStatus: statusCode,
    retryAfterMs: retryAfterMs(headers['retry-after'], now),
  })
}

const MAX_RETRY_AFTER_MS = 24 * 60 * 60_000

/** Parses seconds or a date; limited to one day. */
function retryAfterMs(
  header: string | readonly string[] | undefined,
  now: number,
): number | undefined {
  if (typeof header !== 'string') return undefined
  const wait = /^\s*\d+\s*$/.test(header) ? Number(header) * 1000 : Date.parse(header) - now
  return Number.isNaN(wait) ? undefined : Math.min(MAX_RETRY_AFTER_MS, Math.max(0, wait))
}

/**
 * Runs a request within its time limit. @throws WebhookError `timeout` if it was exceeded; the
 * reason of `signal`
 */
export async function withinBudget<T>(
  budgetMs: number,
  signal: AbortSignal | undefined,
  run: (budget: AbortSignal) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted()
  const budget = new AbortController()
  const forwardAbort = () => budget.abort(signal?.reason)
  signal?.addEventListener('abort', forwardAbort, { once: true })
  let isTimedOut = false
  const timer = setTimeout(() => {
    isTimedOut = true
    budget.abort()
  }, budgetMs)
  try {
    return await run(budget.signal)
  } catch (error) {
    if (isTimedOut)
      throw new WebhookError(
        'timeout',
        message('webhooks.timeout', { seconds: budgetMs / 1000 }),
        {},
        error,
      )
    throw signal?.aborted ? signal.reason : networkFault(error)
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', forwardAbort)
  }
}
