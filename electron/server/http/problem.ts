import { STATUS_CODES } from 'node:http'
import type { z } from 'zod'
import { type DiskFaultKind, diskFaultKind, StorageFault } from '#server/platform/disk-fault.ts'
import type { Problem } from '#shared/contract/conventions.ts'
import { ApiError, ERRORS, type ErrorCode, type FieldFault } from '#shared/errors.ts'

/**
 * <<<<<<< HEAD A refusal as it is spoken: status, headers and the body of
 * `application/problem+json` (RFC 9457). ======= A refusal as it is spoken: status, headers and the
 * body of `application/problem+json` (RFC 9457;). >>>>>>> main
 */
export interface SpokenProblem {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Problem
}

/** Media type of a refusal. */
export const PROBLEM = 'application/problem+json; charset=utf-8'

/** `instance` is the path of the request without its query, which may name a patient. */
export interface ProblemContext {
  readonly instance: string
  readonly requestId: string
}

// Fastify's own refusals (its Errors reference), in our codes and words. What is not listed and not
// 4xx is a fault of ours.
const FASTIFY_ERRORS: Readonly<Record<string, readonly [ErrorCode, string]>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: ['too-large', 'The body is larger than this call accepts.'],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: [
    'not-json',
    'The body must be JSON: send Content-Type: application/json.',
  ],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: [
    'malformed',
    'The body is not as long as Content-Length says.',
  ],
  FST_ERR_BAD_URL: ['malformed', 'The path is not a valid URL path.'],
  FST_ERR_MAX_PARAM_LENGTH: ['not-found', 'There is nothing at this path.'],
}

// A disk that cannot take the change: asking again later is right. What is damaged is a fault of
// ours, and logged. The sentence for a change to the database, which is made as a whole, and that
// for files, of which a part may be there.
const DISK_FAULTS: Readonly<
  Record<Exclude<DiskFaultKind, 'damaged'>, readonly [database: string, files: string]>
> = {
  full: [
    'The disk of the gateway is full; nothing was changed.',
    'The disk of the gateway is full.',
  ],
  'read-only': [
    'The data folder of the gateway cannot be written; nothing was changed.',
    'The data folder of the gateway cannot be written.',
  ],
  failed: [
    'The data folder of the gateway cannot be written; nothing was changed.',
    'The data folder of the gateway cannot be written.',
  ],
  busy: [
    'The database of the gateway is busy; nothing was changed, try again.',
    'The data folder of the gateway is busy: try again.',
  ],
}

/** Undefined where the error is not about the disk. */
function diskSentence(thrown: unknown): string | undefined {
  const kind = diskFaultKind(thrown)
  const isDatabase = textOf(thrown, 'code').startsWith('SQLITE_')
  if (kind === undefined || kind === 'damaged' || !(isDatabase || thrown instanceof StorageFault))
    return undefined
  return DISK_FAULTS[kind][isDatabase ? 0 : 1]
}

/** The path of a request, without its query. */
export const pathOf = ({ url }: { readonly url: string }): string => url.split('?', 1)[0] ?? ''

/**
 * The refusal for any thrown value. A fault of ours says nothing but the request's id, which the
 * log has too.
 */
export function problemOf(thrown: unknown, { instance, requestId }: ProblemContext): SpokenProblem {
  const error = apiErrorOf(thrown)
  const { status, title } = ERRORS[error.code]
  const detail =
    error.code === 'internal'
      ? `The gateway failed to do this; its log has it under request ${requestId}.`
      : error.message
  return {
    status,
    headers: error.headers,
    body: {
      type: `urn:isthmus:problem:${error.code}`,
      title,
      status,
      detail,
      instance,
      message: detail,
      code: error.code,
      errors:
        error.code === 'internal'
          ? []
          : error.errors.map(({ path, message }) => ({ path, message })),
      requestId,
    },
  }
}

function apiErrorOf(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown
  const code = textOf(thrown, 'code')
  const known = FASTIFY_ERRORS[code]
  if (known) return new ApiError(...known)
  const stored = diskSentence(thrown)
  if (stored) return new ApiError('unavailable', stored, { headers: { 'retry-after': '10' } })
  return new ApiError('internal', '')
}

/**
 * A parse failure of the request's `part` (params, query or body) as one refusal that names every
 * field at fault.
 */
export function malformed(part: 'params' | 'query' | 'body', error: z.ZodError): ApiError {
  const errors = error.issues.map(
    (issue): FieldFault => ({
      path: [part, ...issue.path.map(String)].join('.'),
      message: issue.message,
    }),
  )
  const [first] = errors
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : ''
  return new ApiError(
    'malformed',
    first ? `${first.path}: ${first.message}${more}` : `${part} is malformed`,
    { errors },
  )
}

/**
 * What the log may hold of a fault of ours: the error's name, code and the places it passed, never
 * its message (it may quote a value).
 */
export function faultForLog(thrown: unknown): { readonly error: string; readonly at: string } {
  const code = textOf(thrown, 'code')
  const name = thrown instanceof Error ? thrown.name : typeof thrown
  const frames =
    thrown instanceof Error
      ? (thrown.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line))
      : []
  return {
    error: code ? `${name} ${code}` : name,
    at: frames
      .slice(0, 6)
      .map((frame) => frame.trim().replace(/^at /, ''))
      .join(' < '),
  }
}

/** A problem for a connection whose request could not be read at all, as raw HTTP/1.1. */
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

function textOf(thrown: unknown, key: string): string {
  const value: unknown =
    typeof thrown === 'object' && thrown !== null ? Reflect.get(thrown, key) : undefined
  return typeof value === 'string' ? value : ''
}
