import { type Message, message } from './messages/message.ts'
import { MessageError } from './messages/message-error.ts'

/**
 * Every refusal the HTTP side can speak: code → status and title. Never 409 or 5xx for a permanent
 * one.
 */
export const ERRORS = {
  malformed: { status: 400, title: 'Malformed request' },
  'not-signed-in': { status: 401, title: 'Not signed in' },
  /** The session goes on; its person unlocks the window with the password. */
  locked: { status: 401, title: 'Window locked' },
  /** By the HTTPS listener, from a PC nobody has approved. */
  'workstation-unknown': { status: 403, title: 'Workstation not approved' },
  'bad-key': { status: 401, title: 'No valid API key' },
  /** The window asks its person to confirm who they are, and makes the call again. */
  'confirm-identity': { status: 403, title: 'Confirm your identity' },
  'not-permitted': { status: 403, title: 'Not permitted' },
  'not-found': { status: 404, title: 'Not found' },
  'method-not-allowed': { status: 405, title: 'Method not allowed' },
  // The one 409 of the interface, of an Idempotency-Key whose first call is under way: asking again
  // is right.
  'in-flight': { status: 409, title: 'Still under way' },
  /**
   * What the window showed before an order is not so any more: shown again, it can be ordered
   * again.
   */
  outdated: { status: 409, title: 'Changed meanwhile' },
  'too-large': { status: 413, title: 'Too large' },
  'not-json': { status: 415, title: 'Not JSON' },
  'wrong-host': { status: 421, title: 'Unknown host name' },
  refused: { status: 422, title: 'Refused by a rule' },
  'too-many': { status: 429, title: 'Too many requests' },
  internal: { status: 500, title: 'Internal error' },
  unavailable: { status: 503, title: 'Not available' },
} as const satisfies Record<string, { status: number; title: string }>
export type ErrorCode = keyof typeof ERRORS

export interface FieldFault {
  /** Dotted path of the field, e.g. `body.email`. */
  readonly path: string
  /** The value's fault and the remedy. */
  readonly message: Message
}

/** Thrown where the fault is known; translated to problem+json once, in `server/http/server`. */
export class ApiError extends MessageError {
  override name = 'ApiError'
  readonly code: ErrorCode
  readonly errors: readonly FieldFault[]
  readonly headers: Readonly<Record<string, string>>
  constructor(
    code: ErrorCode,
    explanation: Message,
    more: { errors?: readonly FieldFault[]; headers?: Readonly<Record<string, string>> } = {},
  ) {
    super(explanation)
    this.code = code
    this.errors = more.errors ?? []
    this.headers = more.headers ?? {}
  }
}

/** A refusal for faults of fields: it says what the first is, and how many others there are. */
export const malformedFields = (
  first: FieldFault,
  others: readonly FieldFault[] = [],
  headers: Readonly<Record<string, string>> = {},
): ApiError =>
  new ApiError(
    'malformed',
    message('http.field-faults', { path: first.path, fault: first.message, more: others.length }),
    { errors: [first, ...others], headers },
  )
