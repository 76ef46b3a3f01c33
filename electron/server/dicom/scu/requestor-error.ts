import type { AssociateRj } from '#server/dicom/upper-layer/pdu.ts'
import { type Message, message } from '#shared/messages/message.ts'
import { explanationOf, MessageError } from '#shared/messages/message-error.ts'

/**
 * unreachable: no connection; tls: a connection that is not trusted, or to a side that speaks no
 * TLS; rejected: A-ASSOCIATE-RJ; not-accepted: not for the service that is needed; aborted: it
 * ended before its work was done; timeout: the other side went silent; cancelled: by us.
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
 * Why an association that we asked for came to nothing, as part of a sentence for a person: what is
 * wrong, and what to do.
 */
export class RequestorError extends MessageError {
  override name = 'RequestorError'
  readonly kind: RequestorFault
  constructor(kind: RequestorFault, explanation: Message) {
    super(explanation)
    this.kind = kind
  }
}

/** Who called whom. */
export interface Call {
  readonly host: string
  readonly port: number
  readonly calledAeTitle: string
  readonly callingAeTitle: string
}

/** PS3.8 Table 9-21, by source and reason; any other is told by its numbers. */
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

/** An A-ASSOCIATE-RJ in words. */
export function rejected({ result, source, reason }: AssociateRj, call: Call): RequestorError {
  const why =
    REJECTIONS[`${source}/${reason}`]?.(call) ??
    message('dicom.rejected-numbers', { result, source, reason })
  return new RequestorError(
    'rejected',
    message('dicom.rejected', { aeTitle: call.calledAeTitle, why }),
  )
}

type At = (place: string, call: Call) => Message

/** Error codes of the network, by what a person can do about them. */
const FAULTS: Readonly<Record<string, At>> = {
  ECONNREFUSED: (place) => message('dicom.nothing-listens', { place }),
  EHOSTUNREACH: (place) => message('dicom.unreachable', { place }),
  ENETUNREACH: (place) => message('dicom.unreachable', { place }),
  EHOSTDOWN: (place) => message('dicom.host-down', { place }),
  ETIMEDOUT: (place) => message('dicom.no-answer', { place }),
  ENOTFOUND: (_, { host }) => message('dicom.name-unknown', { host }),
  EAI_AGAIN: (_, { host }) => message('dicom.name-not-looked-up', { host }),
}

/** Why no connection came to be. */
export function unreachable(error: NodeJS.ErrnoException, call: Call): RequestorError {
  const place = placeOf(call)
  return new RequestorError(
    'unreachable',
    FAULTS[error.code ?? '']?.(place, call) ??
      message('dicom.unreachable-because', { place, fault: explanationOf(error) }),
  )
}

export const placeOf = ({ host, port }: Call): string =>
  host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`

/** What OpenSSL calls a certificate that is not the one entered, or not of its issuer. */
const UNTRUSTED: ReadonlySet<string> = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'CERT_SIGNATURE_FAILURE',
])

/** Why TLS did not come to be on a connection that did. */
export function untrusted(error: NodeJS.ErrnoException, call: Call): RequestorError {
  return new RequestorError('tls', tlsFault(error, placeOf(call)))
}

function tlsFault(error: NodeJS.ErrnoException, place: string): Message {
  const code = error.code ?? ''
  if (UNTRUSTED.has(code)) return message('dicom.tls-other-certificate', { place })
  if (code === 'CERT_HAS_EXPIRED') return message('dicom.tls-expired', { place })
  if (code === 'CERT_NOT_YET_VALID') return message('dicom.tls-not-yet-valid', { place })
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return message('dicom.tls-other-name', { place })
  if (/CERTIFICATE_REQUIRED|HANDSHAKE_FAILURE/i.test(code))
    return message('dicom.tls-refused', { place })
  return message('dicom.no-tls', { place, fault: code || explanationOf(error) })
}
