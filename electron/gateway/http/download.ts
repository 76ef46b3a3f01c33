import { Readable } from 'node:stream'
import type { z } from 'zod'
import type { HttpApp } from './operations.ts'
import { malformed } from './problem.ts'
import { normalQuery } from './query.ts'
import { type Access, admit, requireOwnPage, type UserFor } from './sessions.ts'

/** A file on its way out: sent as it is made; where making it fails the connection ends before the file does. */
export interface Download {
  /** ASCII letters, digits, dots and hyphens. */
  readonly fileName: string
  readonly mediaType: string
  readonly content: AsyncIterable<string | Buffer>
}

/** Declares a path of the window that answers with a file to be saved. */
export function serveDownload<Q extends z.ZodType, A extends Access>(
  app: HttpApp,
  path: `/${string}`,
  { access, query }: { readonly access: A; readonly query: Q },
  open: (call: { readonly query: z.output<Q>; readonly user: UserFor<A> }) => Download,
): void {
  app.declared.push({ method: 'GET', path })
  app.fastify.route({
    method: 'GET',
    url: path,
    exposeHeadRoute: false,
    handler: (request, reply) => {
      requireOwnPage(request, app.publicUrl())
      const user = admit(request, access, app.sessions, 'person')
      const parsed = query.safeParse(normalQuery(request.query))
      if (parsed.error) throw malformed('query', parsed.error)
      const { fileName, mediaType, content } = open({ query: parsed.data, user: user as UserFor<A> })
      return reply
        .headers({
          'content-type': mediaType,
          'content-disposition': `attachment; filename="${fileName}"`,
          'cache-control': 'no-store',
          'x-content-type-options': 'nosniff',
        })
        .send(Readable.from(content))
    },
  })
}
