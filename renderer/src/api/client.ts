import type { ExplainedProblem } from '#shared/contract/conventions.ts'
import { CONTRACT_VERSION_HEADER, isOwnContract } from '#shared/contract-version.ts'
import type { ErrorCode } from '#shared/errors.ts'
import { isMessage, type Message, message } from '#shared/messages/message.ts'
import type { InputOf, Operation, OperationShape, ReplyOf } from '#shared/operation.ts'
import { translateMessage } from '../i18n/messages.ts'

/**
 * `unreachable`: no answer at all; `unreadable`: an answer that is not in the form of the contract.
 */
export type ProblemCode = ErrorCode | 'unreachable' | 'unreadable'

export interface FieldFault {
  /** Dotted path of the field, e.g. `body.email`. */
  readonly path: string
  readonly explanation: Message
}

/**
 * A refusal of the gateway, or the lack of a readable answer. `message` is for a person, in the
 * language of the page.
 */
export class ProblemError extends Error {
  override name = 'ProblemError'
  readonly code: ProblemCode
  /** HTTP status, 0 when there was no answer. */
  readonly status: number
  readonly errors: readonly FieldFault[]
  /** Id of the request in the gateway's log, for support. */
  readonly requestId: string | null
  constructor(
    code: ProblemCode,
    explanation: Message,
    more: { status?: number; errors?: readonly FieldFault[]; requestId?: string | null } = {},
  ) {
    super(translateMessage(explanation))
    this.code = code
    this.status = more.status ?? 0
    this.errors = more.errors ?? []
    this.requestId = more.requestId ?? null
  }
}

/**
 * Calls an operation of the contract and gives its reply, which the gateway has validated.
 * @throws ProblemError for every refusal and failure; the signal's reason when it was aborted
 */
export type Call = <S extends OperationShape>(
  operation: Operation<S>,
  input: InputOf<S>,
  signal?: AbortSignal,
  options?: CallOptions,
) => Promise<ReplyOf<S>>

export interface CallOptions {
  /** The call is made while the page is being left, and is to arrive all the same. */
  readonly outlivesPage?: boolean
  /** The body, for an operation that takes a file; with its type. */
  readonly file?: Blob
}
/** Fetch Standard, 4.6: bodies of such calls have 64 KiB together. */
const MAX_KEEPALIVE_BODY_BYTES = 60_000

interface CallInput {
  readonly params?: Record<string, unknown>
  readonly query?: Record<string, unknown>
  readonly body?: unknown
}

/** The typed client. `origin` is empty for calls to the page's own origin. */
export function openClient(environment: {
  readonly fetch: typeof fetch
  readonly origin: string
}): Call {
  return async (operation, input, signal, options) => {
    const given = input as CallInput
    const response = await send(environment, operation, given, signal, options)
    const requestId = response.headers.get('x-request-id')
    const body = await readJson(response, signal)
    if (!response.ok) throw problemOf(response.status, body, requestId)
    // A gateway of this contract has validated its reply. Another program, or a gateway that was
    // updated while the page was open, may mean something else by it.
    if (!isOwnContract(response.headers.get(CONTRACT_VERSION_HEADER)) || body === undefined)
      throw new ProblemError('unreadable', UNREADABLE_MESSAGE, {
        status: response.status,
        requestId,
      })
    return body as ReplyOf<typeof operation>
  }
}

/** The address of a call: path parameters filled in, absent query values left out. */
export function addressOf(
  path: string,
  input: { readonly params?: Record<string, unknown>; readonly query?: Record<string, unknown> },
): string {
  const filledPath = path.replace(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent(String(input.params?.[name])),
  )
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(input.query ?? {})) {
    for (const one of Array.isArray(value) ? value : [value])
      if (one !== undefined && one !== null) query.append(name, String(one))
  }
  return query.size === 0 ? filledPath : `${filledPath}?${query}`
}

/**
 * Faults by field, as a form wants them, in the language of the page: `body.email` becomes `email`.
 * A field named twice keeps its first fault.
 * @param within path of the object the form edits
 * @param fieldOf the field of a path within it, where it has another name
 */
export function faultsByField(
  error: ProblemError,
  within = 'body',
  fieldOf = (path: string): string => path,
): Record<string, string> {
  const faults: Record<string, string> = {}
  for (const fault of error.errors) {
    const path = fault.path.startsWith(`${within}.`)
      ? fault.path.slice(within.length + 1)
      : fault.path
    faults[fieldOf(path)] ??= translateMessage(fault.explanation)
  }
  return faults
}

const UNREACHABLE = message('http.no-answer')
const UNREADABLE_MESSAGE = message('http.unknown-form')

async function send(
  world: { fetch: typeof fetch; origin: string },
  operation: Operation,
  given: CallInput,
  signal?: AbortSignal,
  options?: CallOptions,
): Promise<Response> {
  const body = given.body === undefined ? undefined : JSON.stringify(given.body)
  const isSmall = new TextEncoder().encode(body ?? '').byteLength < MAX_KEEPALIVE_BODY_BYTES
  try {
    return await world.fetch(world.origin + addressOf(operation.path, given), {
      method: operation.method,
      credentials: 'same-origin',
      headers: {
        accept: 'application/json',
        // A simple cross-site form cannot send this header.
        'x-isthmus-csrf': '1',
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(options?.file && { 'content-type': options.file.type }),
      },
      ...(body !== undefined && { body }),
      ...(options?.file && { body: options.file }),
      ...(options?.outlivesPage && isSmall && { keepalive: true }),
      ...(signal && { signal }),
    })
  } catch (error) {
    if (signal?.aborted) throw error
    throw new ProblemError('unreachable', UNREACHABLE)
  }
}

async function readJson(response: Response, signal?: AbortSignal): Promise<unknown> {
  try {
    const text = await response.text()
    return text === '' ? undefined : JSON.parse(text)
  } catch (error) {
    if (signal?.aborted) throw error
    if (error instanceof SyntaxError) return undefined
    throw new ProblemError('unreachable', UNREACHABLE)
  }
}

function problemOf(status: number, body: unknown, requestId: string | null): ProblemError {
  if (isProblem(body)) {
    const { code, explanation, errors } = body
    return new ProblemError(code as ErrorCode, explanation, { status, errors, requestId })
  }
  return new ProblemError('unreadable', message('http.unexplained', { status }), {
    status,
    requestId,
  })
}

/** Whether a body is problem+json as the gateway sends it to the window. */
export const isProblem = (body: unknown): body is ExplainedProblem =>
  typeof body === 'object' &&
  body !== null &&
  'code' in body &&
  typeof body.code === 'string' &&
  'explanation' in body &&
  isMessage(body.explanation) &&
  'errors' in body &&
  Array.isArray(body.errors)
