import type { z } from 'zod'
import type { HttpApp } from './operations.ts'
import { malformed } from './problem.ts'
import { type Access, admit, requireOwnPage, type UserFor } from './sessions.ts'

/** Something somebody else made, to be looked at. */
export interface Document {
  readonly fileName: string
  readonly mediaType: string
  readonly content: Buffer
}

/** What a browser shows without running anything in it; SVG and HTML are not among them. */
const SHOWN: readonly string[] = ['application/pdf', 'image/png', 'image/jpeg', 'image/gif', 'image/webp']

/** Declares a path of the window that answers with a document: shown where a browser shows it safely, else to be saved. */
export function serveDocument<P extends z.ZodType, A extends Access>(
  app: HttpApp,
  path: `/${string}`,
  { access, params }: { readonly access: A; readonly params: P },
  open: (call: { readonly params: z.output<P>; readonly user: UserFor<A> }) => Document,
): void {
  app.declared.push({ method: 'GET', path })
  app.fastify.route({
    method: 'GET',
    url: path,
    exposeHeadRoute: false,
    handler: (request, reply) => {
      requireOwnPage(request, app.publicUrl())
      const user = admit(request, access, app.sessions, 'person')
      const parsed = params.safeParse(request.params)
      if (parsed.error) throw malformed('params', parsed.error)
      const { fileName, mediaType, content } = open({ params: parsed.data, user: user as UserFor<A> })
      const type = mediaType.split(';')[0]?.trim().toLowerCase() ?? ''
      const isShown = SHOWN.includes(type)
      return reply
        .headers({
          'content-type': isShown ? type : 'application/octet-stream',
          'content-disposition': dispositionOf(isShown ? 'inline' : 'attachment', fileName),
          'cache-control': 'private, no-store',
          'x-content-type-options': 'nosniff',
          // Whatever it holds, it runs nothing and asks nobody.
          'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; sandbox",
        })
        .send(content)
    },
  })
}

/** RFC 6266: the name for old readers in ASCII, and as it is in RFC 8187. A path in it is not a path of the reader's PC. */
function dispositionOf(kind: 'inline' | 'attachment', fileName: string): string {
  const name = (fileName.toWellFormed().split(/[/\\]/).at(-1) ?? '').replace(/\p{Cc}/gu, '').trim() || 'document'
  const plain = name.replace(/[^A-Za-z0-9._ -]/g, '_')
  const encoded = encodeURIComponent(name).replace(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
  return `${kind}; filename="${plain}"; filename*=UTF-8''${encoded}`
}
