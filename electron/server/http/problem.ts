import { STATUS_CODES } from 'node:http'
import type { FastifyRequest } from 'fastify'
import type { z } from 'zod'
import { type DiskFaultKind, diskFaultKind, StorageFault } from '#server/platform/disk-fault.ts'
import { textOf } from '#server/platform/log.ts'
import type { Problem } from '#shared/contract/conventions.ts'
import {
  ApiError,
  ERRORS,
  type ErrorCode,
  type FieldFault,
  malformedFields,
} from '#shared/errors.ts'
import { englishText } from '#shared/messages/english.ts'
import { issueMessage } from '#shared/messages/issues.ts'
import { type Message, message } from '#shared/messages/message.ts'
import { CSRF_HEADER } from './session-authentication.ts'

/** A refusal as sent: status, headers and the body of `application/problem+json` (RFC 9457). */
export interface SentProblem {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Problem & { readonly explanation?: Message }
}

/** Media type of a problem. */
export const PROBLEM_MEDIA_TYPE = 'application/problem+json; charset=utf-8'

// Fastify's own errors (its Errors reference), mapped to codes and messages of the contract. Errors
// that are not listed and not 4xx are internal errors.
const FASTIFY_ERRORS: Readonly<Record<string, readonly [ErrorCode, Message]>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: ['too-large', message('http.body-too-large')],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ['not-json', message('http.body-other-type')],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ['malformed', message('http.body-length')],
  FST_ERR_BAD_URL: ['malformed', message('http.path-malformed')],
  FST_ERR_MAX_PARAM_LENGTH: ['not-found', message('http.nothing-here')],
}

// Disk faults after which the client should retry. Damaged data is an internal error and is logged.
// One message for database changes, which are atomic, and one for files, which may have been
// written partially.
const DISK_FAULTS: Readonly<
  Record<Exclude<DiskFaultKind, 'damaged'>, readonly [database: Message, files: Message]>
> = {
  full: [message('http.disk-full-unchanged'), message('http.disk-full')],
  'read-only': [message('http.disk-failed-unchanged'), message('http.disk-failed')],
  failed: [message('http.disk-failed-unchanged'), message('http.disk-failed')],
  busy: [message('http.database-busy'), message('http.folder-busy')],
}

/** Undefined if the error is not a disk fault. */
function diskFaultMessage(thrown: unknown): Message | undefined {
  const kind = diskFaultKind(thrown)
  const isDatabaseError = textOf(thrown, 'code').startsWith('SQLITE_')
  if (
    kind === undefined ||
    kind === 'damaged' ||
    !(isDatabaseError || thrown instanceof StorageFault)
  )
    return undefined
  return DISK_FAULTS[kind][isDatabaseError ? 0 : 1]
}

/** The path of a request, without its query. */
export const pathOf = ({ url }: { readonly url: string }): string => url.split('?', 1)[0] ?? ''

/**
 * Whether the response is for the window. Partners receive exactly the fields of their contract.
 */
export const isForWindow = ({ url, headers }: Pick<FastifyRequest, 'url' | 'headers'>): boolean =>
  !/^\/(v1|dicom-web)\//.test(url) || headers[CSRF_HEADER] !== undefined

/**
 * Converts any thrown value to a problem. An internal error reveals only the id of the request,
 * which is also in the log.
 */
export function problemOf(
  thrown: unknown,
  request: Pick<FastifyRequest, 'url' | 'headers' | 'id'>,
): SentProblem {
  const requestId = request.id
  const error = apiErrorOf(thrown)
  const { status, title } = ERRORS[error.code]
  const isInternal = error.code === 'internal'
  const explanation = isInternal ? message('http.internal-error', { requestId }) : error.explanation
  const detail = englishText(explanation)
  const isExplained = isForWindow(request)
  return {
    status,
    headers: error.headers,
    body: {
      type: `urn:isthmus:problem:${error.code}`,
      title,
      status,
      detail,
      // The query is omitted because it may name a patient.
      instance: pathOf(request),
      message: detail,
      code: error.code,
      errors: isInternal ? [] : error.errors.map((one) => sentFault(one, isExplained)),
      requestId,
      ...(isExplained && { explanation }),
    },
  }
}

function sentFault({ path, message }: FieldFault, isExplained: boolean) {
  return { path, message: englishText(message), ...(isExplained && { explanation: message }) }
}

function apiErrorOf(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown
  const code = textOf(thrown, 'code')
  const known = FASTIFY_ERRORS[code]
  if (known) return new ApiError(...known)
  const stored = diskFaultMessage(thrown)
  if (stored) return new ApiError('unavailable', stored, { headers: { 'retry-after': '10' } })
  return new ApiError('internal', message('http.internal-error', { requestId: '' }))
}

/**
 * Converts a validation failure of the request's `part` (params, query or body) into one error that
 * lists every invalid field.
 */
export function malformedError(part: 'params' | 'query' | 'body', error: z.ZodError): ApiError {
  const errors = error.issues.map(
    (issue): FieldFault => ({
      path: [part, ...issue.path.map(String)].join('.'),
      message: issueMessage(issue),
    }),
  )
  const [first, ...others] = errors
  return first
    ? malformedFields(first, others)
    : new ApiError('malformed', message('http.part-malformed', { part }))
}

/** A response in raw HTTP/1.1 for a connection whose request could not be parsed. */
export function rawProblem(status: 400 | 408 | 431): string {
  const detail = 'The request could not be read as HTTP.'
  const body = JSON.stringify({
    type: 'urn:isthmus:problem:malformed',
    title: STATUS_CODES[status] ?? '',
    status,
    detail,
    instance: '',
    message: detail,
    code: 'malformed',
    errors: [],
  } satisfies Problem)
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\ncontent-type: application/problem+json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`
}
