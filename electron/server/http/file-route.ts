import type { FastifyReply, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import type { WindowAccess } from '#shared/operation.ts'
import { admissionOf, isView, type UserFor, type ViewFor } from './access-check.ts'
import type { HttpApp } from './http-app.ts'
import { noteRead } from './operations.ts'
import { malformed } from './problem.ts'
import { normalQuery } from './query.ts'

/** A call that is answered with bytes, as its handler sees it: parsed, its caller admitted. */
export interface FileCall<
  P extends z.ZodType,
  Q extends z.ZodType,
  A extends WindowAccess | 'view',
> {
  readonly params: z.output<P>
  readonly query: z.output<Q>
  readonly user: UserFor<A>
  readonly view: ViewFor<A>
}

export interface FileRule<
  P extends z.ZodType,
  Q extends z.ZodType,
  A extends WindowAccess | 'view',
> {
  readonly access: A
  readonly params?: P
  readonly query?: Q
}

/**
 * Declares a path of the window or the viewer that answers a GET with something else than JSON;
 * what is refused is a problem all the same.
 */
export function serveFile<
  P extends z.ZodType,
  Q extends z.ZodType,
  A extends WindowAccess | 'view',
>(
  app: HttpApp,
  path: `/${string}`,
  { access, params, query }: FileRule<P, Q, A>,
  answer: (call: FileCall<P, Q, A>, reply: FastifyReply, request: FastifyRequest) => unknown,
): void {
  const admitOne = admissionOf(app, { access })
  app.declared.push({ method: 'GET', path })
  app.fastify.route({
    method: 'GET',
    url: path,
    exposeHeadRoute: false,
    handler: (request, reply) => {
      const who = admitOne(request, reply)
      const call = {
        params: parsed('params', params, request.params),
        query: parsed('query', query, normalQuery(request.query)),
        ...(isView(who) ? { user: undefined, view: who } : { user: who, view: undefined }),
      }
      const sent = answer(call as FileCall<P, Q, A>, reply, request)
      const noted = (result: unknown): unknown => {
        noteRead(app, { method: 'GET', path }, call, who)
        return result
      }
      return sent instanceof Promise ? sent.then(noted) : noted(sent)
    },
  })
}

function parsed(part: 'params' | 'query', shape: z.ZodType | undefined, value: unknown): unknown {
  const read = shape?.safeParse(value)
  if (read?.error) throw malformed(part, read.error)
  return read?.data
}
