import type { FastifyReply, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import { ApiError } from '#shared/errors.ts'
import { englishText } from '#shared/messages/english.ts'
import { isMessage, message } from '#shared/messages/message.ts'
import type { CallOf, Operation, OperationShape, ReplyOf } from '#shared/operation.ts'
import {
  type AuthenticatedCaller,
  admissionOf,
  type CallerFor,
  isCaller,
  isView,
  type UserFor,
  type ViewFor,
} from './access-check.ts'
import { type Caller, callerName } from './callers.ts'
import type { HttpApp } from './http-app.ts'
import { type Answer, IDEMPOTENCY_HEADER, idempotencyKeyOf } from './idempotency.ts'
import { isForWindow, malformedError, PROBLEM_MEDIA_TYPE, pathOf, problemOf } from './problem.ts'
import type { ReplyCache } from './reply-cache.ts'
import { type SessionCookie, sessionCookie } from './session-authentication.ts'
import { originOf, type SignInCookie, signInCookie } from './sign-in-cookie.ts'
import { isStrict, requireKnownFields, STRICT_APPLIED } from './strict.ts'
import { type ViewCookie, viewCookie } from './view-authentication.ts'
import { type WorkstationCookie, workstationCookie } from './workstation-authentication.ts'

/**
 * A request as passed to its handler: parsed, with its caller authorized. `user` is set for the
 * window, `caller` for the partner interface, `view` for the viewer.
 */
export type Call<S extends OperationShape> = CallOf<S> & {
  readonly user: UserFor<S['access']>
  readonly caller: CallerFor<S['access']>
  readonly view: ViewFor<S['access']>
  readonly session: SessionCookie
  readonly viewCookie: ViewCookie
  readonly workstation: WorkstationCookie
  readonly signIn: SignInCookie
  /** Of the page that sent the request, such as `https://192.0.2.7:8443`. */
  readonly origin: string
}
/**
 * A synchronous handler runs in one transaction with the response stored for an `Idempotency-Key`.
 * In lists of the interface `query.cursor` and the reply's `cursor` are plain positions of the
 * module; they are sealed here.
 */
export type Handler<S extends OperationShape> = (call: Call<S>) => ReplyOf<S> | Promise<ReplyOf<S>>

type Operations = Readonly<Record<string, Operation>>
/** One handler for each operation of a contract. */
export type HandlersOf<T extends Operations> = { readonly [K in keyof T]: Handler<T[K]> }

/** Maximum body size in bytes of public operations; forms such as sign-in are far smaller. */
const MAX_PUBLIC_BODY_BYTES = 16 * 1024

/**
 * Registers an operation of the contract: its route, the authorization of the caller, and the
 * validation of request and reply. Refusals are thrown as `ApiError`; a reply that violates the
 * contract is an internal error and is not sent.
 */
export function serve<S extends OperationShape>(
  app: HttpApp,
  operation: Operation<S>,
  handler: Handler<S>,
  { bodyBytes }: { readonly bodyBytes?: number | undefined } = {},
): void {
  const { method, path, access } = operation
  const admitted = new WeakMap<FastifyRequest, AuthenticatedCaller>()
  const replies = app.partners?.replies.covers(operation as Operation)
    ? app.partners.replies
    : undefined
  const admitOne = admissionOf(app, operation)
  app.declared.push({ method, path })
  if (method === 'GET') app.declared.push({ method: 'HEAD', path })
  app.fastify.route({
    method,
    url: path,
    ...(bodyBytes !== undefined && { bodyLimit: bodyBytes }),
    // Authenticated callers may send more. A thousand anonymous connections with a megabyte each
    // would use a gigabyte.
    ...(access === 'public' && {
      bodyLimit: Math.min(
        MAX_PUBLIC_BODY_BYTES,
        app.fastify.initialConfig.bodyLimit ?? MAX_PUBLIC_BODY_BYTES,
      ),
    }),
    // Runs before the body is read, so that bodies of unauthorized callers are not parsed.
    onRequest: (request, reply, done) => {
      reply.header('cache-control', 'no-store')
      try {
        const who = admitOne(request, reply)
        const kept =
          replies && isCaller(who) && request.method === 'GET'
            ? replies.find(who, request.url)
            : undefined
        if (kept) {
          noteRead(app, operation, request, who)
          return void reply.type(typeOf(200)).send(kept)
        }
        if (who) admitted.set(request, who)
      } catch (error) {
        return done(error as Error)
      }
      done()
    },
    handler: async (request, reply) => {
      const who = admitted.get(request)
      // The path ends with a slash: it names no record.
      if (Object.values(request.params ?? {}).includes(''))
        throw new ApiError('not-found', message('http.nothing-here'))
      if (operation.body && isStrict(request.headers.prefer)) {
        requireKnownFields(operation.body, request.body)
        reply.headers(STRICT_APPLIED)
      }
      const parts: RequestParts = {
        params: parse('params', operation, request.params),
        query: parse('query', operation, normalizeQuery(request.query)),
        body: parse('body', operation, request.body),
      }
      const run = () => runHandler(app, operation, handler, parts, who, request, reply)
      const answer = await (replies && isCaller(who)
        ? runCached(replies, who, request.url, run)
        : runIdempotent(app, who, request, reply, run))
      noteRead(app, operation, parts, who)
      return reply.code(answer.status).type(typeOf(answer.status)).send(answer.body)
    },
  })
}

/** Runs the handler and validates its reply by the contract; synchronous if the handler is. */
function runHandler<S extends OperationShape>(
  app: HttpApp,
  operation: Operation<S>,
  handler: Handler<S>,
  parts: RequestParts,
  who: AuthenticatedCaller | undefined,
  request: FastifyRequest,
  reply: FastifyReply,
): Answer | Promise<Answer> {
  const caller = isCaller(who) ? who : undefined
  const view = isView(who) ? who : undefined
  const cursors = caller && sealedCursors(app, operation, parts)
  const print = (answer: unknown): Answer => {
    const fullReply = operation.reply.parse(answer)
    const parsed = isForWindow(request) ? fullReply : withEnglishMessage(fullReply)
    return {
      status: operation.status ?? 200,
      body: JSON.stringify(cursors ? cursors.seal(parsed) : parsed),
    }
  }
  const answer = handler({
    ...parts,
    ...(cursors && { query: cursors.query }),
    user: caller || view ? undefined : who,
    caller,
    view,
    session: sessionCookie(request, reply),
    viewCookie: viewCookie(request, reply),
    workstation: workstationCookie(request, reply),
    signIn: signInCookie(request, reply),
    origin: originOf(request),
  } as Call<S>)
  return answer instanceof Promise ? answer.then(print) : print(answer)
}

async function runCached(
  replies: ReplyCache,
  caller: Caller,
  url: string,
  run: () => Answer | Promise<Answer>,
) {
  const version = replies.version()
  const { status, body } = await run()
  const bytes = Buffer.from(body)
  replies.keep(caller, url, bytes, version)
  return { status, body: bytes }
}

/** Changes are recorded in the audit log where they are made, so only reads are recorded here. */
export function noteRead(
  { noteAnswer }: HttpApp,
  operation: Pick<Operation, 'method' | 'path'>,
  { params, query }: Pick<RequestParts, 'params' | 'query'>,
  who: AuthenticatedCaller | undefined,
): void {
  if (!noteAnswer || !who || isView(who)) return
  const given = { ...(isRecord(query) && query), ...(isRecord(params) && params) }
  if (!isCaller(who)) noteAnswer(operation, given, { userId: who.userId })
  else
    noteAnswer(
      operation,
      given,
      who.kind === 'user' ? { userId: who.user.userId } : { apiKeyId: who.apiKeyId },
    )
}

/** A request after parsing by the contract. */
type RequestParts = { readonly [K in 'params' | 'query' | 'body']: unknown }

/**
 * Seals the cursors of a list together with its filters. An empty cursor means the first page, as
 * an empty filter means no filter.
 */
function sealedCursors(
  { partners }: HttpApp,
  { method, path }: Operation,
  { params, query }: RequestParts,
) {
  if (!partners || !isRecord(query) || !('limit' in query)) return undefined
  const list = `${method} ${path}`
  const filters = { ...(isRecord(params) && params), ...query }
  const given = typeof query.cursor === 'string' && query.cursor !== '' ? query.cursor : undefined
  return {
    query: {
      ...query,
      cursor: given === undefined ? undefined : partners.cursors.decode(given, list, filters),
    },
    seal: (reply: unknown): unknown =>
      isRecord(reply) && typeof reply.cursor === 'string'
        ? { ...reply, cursor: partners.cursors.encode(reply.cursor, list, filters) }
        : reply,
  }
}

/**
 * Runs a POST with an `Idempotency-Key` once. A refusal is stored like any other response, unless a
 * retry may succeed.
 */
async function runIdempotent(
  { partners }: HttpApp,
  who: AuthenticatedCaller | undefined,
  request: FastifyRequest,
  reply: FastifyReply,
  run: () => Answer | Promise<Answer>,
): Promise<Answer> {
  const key =
    partners && isCaller(who) && request.method === 'POST'
      ? idempotencyKeyOf(request.headers[IDEMPOTENCY_HEADER])
      : undefined
  if (!partners || !isCaller(who) || key === undefined) return run()
  const slot = { caller: callerName(who), call: `${request.method} ${pathOf(request)}`, key }
  const refusalAnswer = (error: unknown): Answer => {
    const { status, body } = problemOf(error, request)
    if (status >= 500 || status === 429) throw error
    return { status, body: JSON.stringify(body) }
  }
  const answer = await partners.idempotency.answer(slot, request.body, () => {
    try {
      const given = run()
      return given instanceof Promise ? given.catch(refusalAnswer) : given
    } catch (error) {
      return refusalAnswer(error)
    }
  })
  if (answer.isReplayed) reply.header('idempotency-replayed', 'true')
  return answer
}

const typeOf = (status: number) =>
  status < 400 ? 'application/json; charset=utf-8' : PROBLEM_MEDIA_TYPE
/** The reply with its message in English. */
const withEnglishMessage = (reply: unknown): unknown =>
  isRecord(reply) && isMessage(reply.message)
    ? { ...reply, message: englishText(reply.message) }
    : reply
const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

export interface ServeAllOptions<T extends Operations> {
  /** Maximum body size in bytes, for operations that exceed the server's default. */
  readonly bodyBytes?: { readonly [K in keyof T]?: number }
  /** Called after each successful change. */
  readonly afterChange?: () => void
}

/** Registers all operations of a contract. */
export function serveAll<T extends Operations>(
  app: HttpApp,
  operations: T,
  handlers: HandlersOf<T>,
  { bodyBytes, afterChange }: ServeAllOptions<T> = {},
): void {
  for (const name of Object.keys(operations) as (keyof T & string)[]) {
    const operation = operations[name] as T[typeof name]
    const handler: HandlersOf<T>[typeof name] = handlers[name]
    const options = { bodyBytes: bodyBytes?.[name] }
    if (operation.method === 'GET' || !afterChange) serve(app, operation, handler, options)
    else
      serve(
        app,
        operation,
        (call) => {
          const afterSuccess = <T>(reply: T): T => {
            afterChange()
            return reply
          }
          const reply = handler(call)
          return reply instanceof Promise ? reply.then(afterSuccess) : afterSuccess(reply)
        },
        options,
      )
  }
}

/** @throws ApiError malformed */
export function parse(
  part: 'params' | 'query' | 'body',
  operation: Operation,
  value: unknown,
): unknown {
  const parsed = parseBySchema(operation[part], part, value)
  if (parsed?.error) throw malformedError(part, parsed.error)
  return parsed?.data
}

function parseBySchema(shape: z.ZodType | undefined, part: string, value: unknown) {
  try {
    return shape?.safeParse(value)
  } catch (error) {
    // The parser recurses once per nesting level.
    if (error instanceof RangeError)
      throw new ApiError('malformed', message('http.nested-too-deeply', { part }))
    throw error
  }
}

/**
 * Treats `name[]=a&name[]=b` as `name=a&name=b`; if both forms occur, their values are combined.
 */
export function normalizeQuery(query: unknown): unknown {
  if (typeof query !== 'object' || query === null) return query
  const names = Object.keys(query)
  if (!names.some((name) => name.endsWith('[]'))) return query
  const normal = new Map<string, unknown>()
  for (const name of names) {
    const plain = name.replace(/\[\]$/, '')
    const given: unknown = Reflect.get(query, name)
    const before = normal.get(plain)
    // A list even for a single value, so that an operation that expects one value rejects it like a
    // repeated parameter.
    normal.set(plain, name === plain && before === undefined ? given : [before ?? [], given].flat())
  }
  return Object.fromEntries(normal)
}
