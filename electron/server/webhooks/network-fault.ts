import { errors } from 'undici'
import { WebhookError } from './webhook-error.ts'

type NetworkFault = 'unreachable' | 'invalid' | 'oversize'
interface Meaning {
  readonly fault: NetworkFault
  readonly words: string
}

const unreachable = (words: string): Meaning => ({ fault: 'unreachable', words })
const CLOSED = unreachable('the connection was closed before the answer was complete')
const NO_ANSWER = unreachable('no connection within the time limit')
const NO_ROUTE = unreachable('there is no route to the host')
const UNTRUSTED = unreachable('its certificate is not signed by an authority this PC trusts')

/** Error codes of Node and undici, in words for the screen. */
const MEANINGS: Readonly<Record<string, Meaning>> = {
  ECONNREFUSED: unreachable('the connection was refused'),
  ENOTFOUND: unreachable('the host name is not known'),
  EAI_AGAIN: unreachable('the name server did not answer'),
  ETIMEDOUT: NO_ANSWER,
  UND_ERR_CONNECT_TIMEOUT: NO_ANSWER,
  EHOSTUNREACH: NO_ROUTE,
  ENETUNREACH: NO_ROUTE,
  EADDRNOTAVAIL: NO_ROUTE,
  ECONNRESET: CLOSED,
  EPIPE: CLOSED,
  UND_ERR_SOCKET: CLOSED,
  UND_ERR_CLOSED: CLOSED,
  UND_ERR_DESTROYED: CLOSED,
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: CLOSED,
  CERT_HAS_EXPIRED: unreachable('its certificate has expired'),
  CERT_NOT_YET_VALID: unreachable(
    'its certificate is not valid yet; is the clock of this PC right?',
  ),
  CERT_REVOKED: unreachable('its certificate was revoked'),
  ERR_TLS_CERT_ALTNAME_INVALID: unreachable('its certificate is for another host name'),
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  EPROTO: unreachable('no secure connection could be agreed'),
  UND_ERR_HEADERS_OVERFLOW: { fault: 'oversize', words: 'the headers of the answer are too large' },
}

/**
 * Codes after which nothing of the request was answered, so that a second try asks nothing twice.
 */
const UNANSWERED = new Set([
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

/** Whether a try that ended so before any header came may be made again at once. */
export const isConnectFailure = (error: unknown) => UNANSWERED.has(codeOf(error))

/** The fault behind an error of the network stack; a `WebhookError` is itself. */
export function networkFault(error: unknown): WebhookError {
  if (error instanceof WebhookError) return error
  // This one carries what was received, which may be about a patient: it is not kept as the cause.
  if (error instanceof errors.HTTPParserError)
    return new WebhookError('invalid', 'the answer is not HTTP')
  const code = codeOf(error)
  const meaning = MEANINGS[code] ?? byFamily(code)
  return new WebhookError(meaning.fault, meaning.words, {}, error)
}

function byFamily(code: string): Meaning {
  if (code.startsWith('ERR_SSL') || code.startsWith('ERR_TLS'))
    return unreachable('no secure connection could be agreed')
  return unreachable(code ? `the connection failed (${code})` : 'the connection failed')
}

function codeOf(error: unknown): string {
  // Several addresses tried: Node reports them together, and the first one is the preferred
  // address.
  const one = error instanceof AggregateError && !('code' in error) ? error.errors[0] : error
  const code = (one as { readonly code?: unknown } | null | undefined)?.code
  return typeof code === 'string' ? code : ''
}
