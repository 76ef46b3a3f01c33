import type { AssociateRj } from '#server/dicom/upper-layer/pdu.ts'
import { type Message, type MessageCode, message } from '#shared/messages/message.ts'
import { explanationOf, MessageError } from '#shared/messages/message-error.ts'

/**
 * Why an association failed.
 *
 * - unreachable: no connection
 * - tls: the certificate is not trusted, or the peer does not use TLS
 * - rejected: A-ASSOCIATE-RJ
 * - not-accepted: the required service was not accepted
 * - aborted: the association ended too early
 * - timeout: the peer stopped responding
 * - cancelled: by the gateway
 */
export type RequestorFault =
  | 'unreachable'
  | 'tls'
  | 'rejected'
  | 'not-accepted'
  | 'aborted'
  | 'timeout'
  | 'cancelled'

/**
 * Why a requested association failed. The message completes a sentence that tells the user what is
 * wrong and what to do.
 */
export class RequestorError extends MessageError {
  override name = 'RequestorError'
  readonly kind: RequestorFault
  constructor(kind: RequestorFault, explanation: Message) {
    super(explanation)
    this.kind = kind
  }
}

/** The endpoints of a call. */
export interface Call {
  readonly host: string
  readonly port: number
  readonly calledAeTitle: string
  readonly callingAeTitle: string
}

/** PS3.8 Table 9-21, by source and reason; other rejections are reported by number. */
const REJECTIONS: Readonly<Record<string, (call: Call) => Message>> = {
  '1/1': () => message('dicom.rejected-without-reason'),
  '1/2': () => message('dicom.rejected-context'),
  '1/3': ({ callingAeTitle }) =>
    message('dicom.rejected-calling-title', { aeTitle: callingAeTitle }),
  '1/7': ({ calledAeTitle }) => message('dicom.rejected-called-title', { aeTitle: calledAeTitle }),
  '2/1': () => message('dicom.rejected-without-reason'),
  '2/2': () => message('dicom.rejected-version'),
  '3/1': () => message('dicom.rejected-busy'),
  '3/2': () => message('dicom.rejected-limit'),
}

/** The error for an A-ASSOCIATE-RJ. */
export function rejectionError(
  { result, source, reason }: AssociateRj,
  call: Call,
): RequestorError {
  const why =
    REJECTIONS[`${source}/${reason}`]?.(call) ??
    message('dicom.rejected-numbers', { result, source, reason })
  return new RequestorError(
    'rejected',
    message('dicom.rejected', { aeTitle: call.calledAeTitle, why }),
  )
}

type DescribeFault = (place: string, call: Call) => Message

/** Network error codes with a specific explanation. */
const FAULTS: Readonly<Record<string, DescribeFault>> = {
  ECONNREFUSED: (place) => message('dicom.nothing-listens', { place }),
  EHOSTUNREACH: (place) => message('dicom.unreachable', { place }),
  ENETUNREACH: (place) => message('dicom.unreachable', { place }),
  EHOSTDOWN: (place) => message('dicom.host-down', { place }),
  ETIMEDOUT: (place) => message('dicom.no-answer', { place }),
  ENOTFOUND: (_, { host }) => message('dicom.name-unknown', { host }),
  EAI_AGAIN: (_, { host }) => message('dicom.name-not-looked-up', { host }),
}

/** The error for a connection that could not be established. */
export function unreachableError(error: NodeJS.ErrnoException, call: Call): RequestorError {
  const hostAndPort = hostAndPortOf(call)
  return new RequestorError(
    'unreachable',
    FAULTS[error.code ?? '']?.(hostAndPort, call) ??
      message('dicom.unreachable-because', { place: hostAndPort, fault: explanationOf(error) }),
  )
}

/** The error for a peer that did not respond within the given time. */
export function timeoutError(call: Call, what: MessageCode, seconds: number): RequestorError {
  const { calledAeTitle: aeTitle } = call
  const params = { aeTitle, place: hostAndPortOf(call), seconds }
  return new RequestorError('timeout', message(what, params))
}

export const hostAndPortOf = ({ host, port }: Call): string =>
  host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`

/** OpenSSL's codes for a certificate that is neither the configured one nor issued by it. */
const UNTRUSTED_CODES: ReadonlySet<string> = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'CERT_SIGNATURE_FAILURE',
])

/** The error for a failed TLS handshake. */
export function tlsError(error: NodeJS.ErrnoException, call: Call): RequestorError {
  return new RequestorError('tls', tlsFault(error, hostAndPortOf(call)))
}

function tlsFault(error: NodeJS.ErrnoException, place: string): Message {
  const code = error.code ?? ''
  if (UNTRUSTED_CODES.has(code)) return message('dicom.tls-other-certificate', { place })
  if (code === 'CERT_HAS_EXPIRED') return message('dicom.tls-expired', { place })
  if (code === 'CERT_NOT_YET_VALID') return message('dicom.tls-not-yet-valid', { place })
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return message('dicom.tls-other-name', { place })
  if (/CERTIFICATE_REQUIRED|HANDSHAKE_FAILURE/i.test(code))
    return message('dicom.tls-refused', { place })
  return message('dicom.no-tls', { place, fault: code || explanationOf(error) })
}
