import { PassThrough, type Readable } from 'node:stream'
import { ApiError } from '#shared/errors.ts'
import { message } from '#shared/messages/message.ts'
import type { CallOf, Operation, OperationShape, ReplyOf, WindowAccess } from '#shared/operation.ts'
import { admissionOf, type UserFor } from './access-check.ts'
import type { HttpApp } from './http-app.ts'
import { normalizeQuery, parse } from './operations.ts'

type UploadShape = OperationShape & { readonly access: WindowAccess }

/** A call whose body is a file, as its handler sees it. */
export type Upload<S extends UploadShape> = Pick<CallOf<S>, 'params' | 'query'> & {
  readonly user: UserFor<S['access']>
  /** It is received while it is read. */
  readonly content: Readable
  /** As the caller says. */
  readonly bytes: number
  /** Aborted when the caller hangs up. */
  readonly signal: AbortSignal
}

interface UploadOptions {
  readonly mediaType: string
  readonly maxBytes: number
  /** Milliseconds that the answer may take. */
  readonly responseTimeoutMs: () => number
}

/**
 * Declares an operation of the window whose body is a file of one media type. Where the file is too
 * large, nothing of it is read.
 */
export function serveUpload<S extends UploadShape>(
  app: HttpApp,
  operation: Operation<S>,
  rule: UploadOptions,
  handler: (upload: Upload<S>) => Promise<ReplyOf<S>>,
): void {
  const { method, path } = operation
  const admitOne = admissionOf(app, operation)
  app.declared.push({ method, path })
  // Parsers of bodies belong to a scope: others stay with JSON.
  app.fastify.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser(rule.mediaType, (_request, payload, done) => done(null, payload))
    const callers = new WeakMap<object, UserFor<S['access']>>()
    scope.route({
      method,
      url: path,
      onRequest: (request, reply, done) => {
        reply.header('cache-control', 'no-store')
        try {
          callers.set(request, admitOne(request, reply) as UserFor<S['access']>)
          requireBodySize(Number(request.headers['content-length']), rule.maxBytes)
        } catch (error) {
          return done(error as Error)
        }
        done()
      },
      handler: async (request, reply) => {
        request.raw.socket.setTimeout(rule.responseTimeoutMs())
        const bytes = Number(request.headers['content-length'])
        const abortController = new AbortController()
        reply.raw.once('close', () => reply.raw.writableFinished || abortController.abort())
        const upload = {
          params: parse('params', operation, request.params),
          query: parse('query', operation, normalizeQuery(request.query)),
          user: callers.get(request) as UserFor<S['access']>,
          content: bufferedBody(request.body as Readable | undefined, bytes),
          ...{ bytes, signal: abortController.signal },
        } as Upload<S>
        try {
          const answer = operation.reply.parse(await handler(upload))
          return reply.type('application/json; charset=utf-8').send(JSON.stringify(answer))
        } catch (error) {
          // Nobody waits for an answer, and that the caller hung up is no fault of ours.
          if (abortController.signal.aborted) return reply.hijack()
          throw error
        }
      },
    })
  })
}

function requireBodySize(bytes: number, maxBytes: number): void {
  if (!(bytes > 0)) throw new ApiError('malformed', message('http.body-length'))
  if (bytes > maxBytes) throw new ApiError('too-large', message('http.body-too-large'))
}

/** A reader that is slow does not hold up its sender: at most the whole file is in memory. */
function bufferedBody(body: Readable | undefined, bytes: number): Readable {
  const content = new PassThrough({ highWaterMark: bytes })
  // Whoever reads it is told; without a reader nobody has to be.
  content.on('error', () => undefined)
  if (!body) return content.end()
  body.once('error', (error) => content.destroy(error))
  body.once('close', () => body.readableEnded || content.destroy(new Error('cut off')))
  return body.pipe(content)
}
