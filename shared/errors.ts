import { type Message, message } from './messages/message.ts'
import { MessageError } from './messages/message-error.ts'

/**
 * The error codes of the HTTP API, with status and title. A permanent error never has status 409 or
 * 5xx.
 */
export const ERRORS = {
  malformed: { status: 400, title: 'Malformed request' },
  'not-signed-in': { status: 401, title: 'Not signed in' },
  /** The session continues; the user unlocks the window with the password. */
  locked: { status: 401, title: 'Window locked' },
  /** The call came through the HTTPS listener from a PC that has not been approved. */
  'workstation-unknown': { status: 403, title: 'Workstation not approved' },
  'bad-key': { status: 401, title: 'No valid API key' },
  /** The window asks the user to confirm their identity, and repeats the call. */
  'confirm-identity': { status: 403, title: 'Confirm your identity' },
  'not-permitted': { status: 403, title: 'Not permitted' },
  'not-found': { status: 404, title: 'Not found' },
  'method-not-allowed': { status: 405, title: 'Method not allowed' },
  'not-acceptable': { status: 406, title: 'Not acceptable' },
  // The only 409 of the interface: the first call with this Idempotency-Key is still in progress,
  // so repeating the request is correct.
  'in-flight': { status: 409, title: 'Request in progress' },
  /**
   * The data that the window showed has changed. The user can repeat the action after seeing the
   * current data.
   */
  outdated: { status: 409, title: 'Changed in the meantime' },
  'too-large': { status: 413, title: 'Too large' },
  'not-json': { status: 415, title: 'Not JSON' },
  'media-type': { status: 415, title: 'Unsupported media type' },
  'wrong-host': { status: 421, title: 'Unknown host name' },
  refused: { status: 422, title: 'Violates a rule' },
  'too-many': { status: 429, title: 'Too many requests' },
  internal: { status: 500, title: 'Internal error' },
  unavailable: { status: 503, title: 'Not available' },
} as const satisfies Record<string, { status: number; title: string }>
export type ErrorCode = keyof typeof ERRORS

export interface FieldFault {
  /** Dotted path of the field, e.g. `body.email`. */
  readonly path: string
  /** What is wrong with the value and how to correct it. */
  readonly message: Message
}

/** An error of an API call; `server/http/server` translates it to problem+json. */
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

/** Creates an error for invalid fields: it describes the first one and counts the others. */
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
