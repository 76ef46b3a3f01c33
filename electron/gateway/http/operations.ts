import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { SignedInUser } from '#shared/contract/people.ts'
import type { CallOf, Operation, OperationShape, ReplyOf } from '#shared/operation.ts'
import { malformed } from './problem.ts'
import {
  type Access,
  admit,
  requireOwnPage,
  type SessionCookie,
  type Sessions,
  type SessionUse,
  sessionCookie,
  type UserFor,
} from './sessions.ts'

/** What a slice declares its operations on. Only this folder touches `fastify`. */
export interface HttpApp {
  readonly fastify: FastifyInstance
  readonly sessions: Sessions
  readonly publicUrl: () => string | null
  /** Calls declared so far; a path asked with another method is answered 405 with these in Allow (RFC 9110 §15.5.6). */
  readonly declared: { readonly method: string; readonly path: string }[]
  /** Ends of the open event streams. */
  readonly openStreams: Set<() => void>
}

/** A call as its handler sees it: parsed, its caller admitted. */
export type Call<S extends OperationShape, A extends Access = Access> = CallOf<S> & {
  readonly user: UserFor<A>
  readonly session: SessionCookie
}
export type Handler<S extends OperationShape, A extends Access = Access> = (call: Call<S, A>) => ReplyOf<S> | Promise<ReplyOf<S>>

type Operations = Readonly<Record<string, Operation>>
/** One handler for each operation of a contract. */
export type HandlersOf<T extends Operations, R extends { readonly [K in keyof T]: Access }> = {
  readonly [K in keyof T]: Handler<T[K], R[K]>
}

/** Who may make a call, and whether making it shows a person at work: what a window asks by itself does not keep its session awake. */
export interface ServeRule<A extends Access = Access> {
  readonly access: A
  readonly use?: SessionUse
}

/** Most bytes of a body that anyone may send: an account's form has far fewer. */
const PUBLIC_BYTES = 16 * 1024

/**
 * Declares one operation of the contract: its route, who may call it, the parsing of what comes in and of what goes out.
 * Refusals are thrown as `ApiError`; a reply that breaks the contract is a fault of ours and never leaves.
 */
export function serve<S extends OperationShape, A extends Access>(
  app: HttpApp,
  operation: Operation<S>,
  { access, use = 'person' }: ServeRule<A>,
  handler: Handler<S, A>,
): void {
  const { method, path } = operation
  app.declared.push({ method, path })
  if (method === 'GET') app.declared.push({ method: 'HEAD', path })
  const users = new WeakMap<FastifyRequest, SignedInUser>()
  app.fastify.route({
    method,
    url: path,
    // Who has signed in may send more; a thousand strangers with a megabyte each are a gigabyte.
    ...(access === 'public' && { bodyLimit: Math.min(PUBLIC_BYTES, app.fastify.initialConfig.bodyLimit ?? PUBLIC_BYTES) }),
    // Before the body is read: a stranger's megabyte is not worth parsing.
    onRequest: async (request, reply) => {
      reply.header('cache-control', 'no-store')
      requireOwnPage(request, app.publicUrl())
      const user = admit(request, access, app.sessions, use)
      if (user) users.set(request, user)
    },
    handler: async (request, reply) => {
      const call = {
        params: parse('params', operation, request.params),
        query: parse('query', operation, request.query),
        body: parse('body', operation, request.body),
        user: users.get(request),
        session: sessionCookie(request, reply),
      } as Call<S, A>
      const spoken = operation.reply.parse(await handler(call))
      return reply
        .code(operation.status ?? 200)
        .type('application/json; charset=utf-8')
        .send(JSON.stringify(spoken))
    },
  })
}

export interface ServeAllOptions<T extends Operations> {
  /** Calls that a window makes by itself. */
  readonly background?: readonly (keyof T)[]
  /** After each change that has succeeded. */
  readonly afterChange?: () => void
}

/** Declares every operation of a contract. */
export function serveAll<T extends Operations, R extends { readonly [K in keyof T]: Access }>(
  app: HttpApp,
  operations: T,
  rules: R,
  handlers: HandlersOf<T, R>,
  { background = [], afterChange }: ServeAllOptions<T> = {},
): void {
  for (const name of Object.keys(operations) as (keyof T & string)[]) {
    const operation = operations[name] as T[typeof name]
    const handler: HandlersOf<T, R>[typeof name] = handlers[name]
    const rule: ServeRule<R[typeof name]> = { access: rules[name], use: background.includes(name) ? 'background' : 'person' }
    if (operation.method === 'GET' || !afterChange) serve(app, operation, rule, handler)
    else
      serve(app, operation, rule, async (call) => {
        const reply = await handler(call)
        afterChange()
        return reply
      })
  }
}

function parse(part: 'params' | 'query' | 'body', operation: Operation, value: unknown): unknown {
  const parsed = operation[part]?.safeParse(value)
  if (parsed?.error) throw malformed(part, parsed.error)
  return parsed?.data
}
