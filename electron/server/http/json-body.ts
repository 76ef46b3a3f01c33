import type { FastifyInstance } from 'fastify'
import { ApiError } from '#shared/errors.ts'

/**
 * Bodies are JSON in UTF-8 (RFC 8259 §8.1) or nothing: an empty body is no body under any
 * Content-Type, a non-empty one of another type is refused with 415,
 * bytes that are not UTF-8 and keys that reach for the prototype with 400.
 */
export function readJsonBodies(fastify: FastifyInstance): void {
  const parseJson = fastify.getDefaultJsonParser('error', 'error')
  fastify.removeAllContentTypeParsers()
  fastify.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    (request, bytes: Buffer, done) => {
      if (bytes.length === 0) return done(null, undefined)
      const text = utf8(bytes)
      if (text === undefined) return done(new ApiError('malformed', 'The body is not UTF-8.'))
      return parseJson(request, text, (error, body) =>
        error ? done(new ApiError('malformed', 'The body is not valid JSON.')) : done(null, body),
      )
    },
  )
  fastify.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, bytes: Buffer, done) => {
    if (bytes.length === 0) return done(null, undefined)
    return done(
      new ApiError('not-json', 'The body must be JSON: send Content-Type: application/json.'),
    )
  })
}

function utf8(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}
