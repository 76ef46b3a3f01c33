import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import type { WindowAccess } from '#shared/operation.ts'
import { admissionOf, isView, type UserFor, type ViewFor } from './access-check.ts'
import type { HttpApp } from './http-app.ts'
import { normalQuery, noteRead } from './operations.ts'
import { malformed } from './problem.ts'

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
  /** The page asks without its person, which does not keep the window unlocked. */
  readonly background?: boolean
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
  { access, background = false, params, query }: FileRule<P, Q, A>,
  answer: (call: FileCall<P, Q, A>, reply: FastifyReply, request: FastifyRequest) => unknown,
): void {
  const admitOne = admissionOf(app, { access, background })
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

/** A document from outside, to be viewed. */
export interface Document {
  readonly fileName: string
  readonly mediaType: string
  readonly content: Buffer
}

/** What a browser shows without running anything in it; SVG and HTML are not among them. */
const SHOWN: readonly string[] = [
  'application/pdf',
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
]

/**
 * Declares a path of the window or the viewer that answers with a document: shown where a browser
 * shows it safely, else to be saved.
 */
export function serveDocument<P extends z.ZodType, A extends WindowAccess | 'view'>(
  app: HttpApp,
  path: `/${string}`,
  rule: { readonly access: A; readonly params: P },
  open: (call: FileCall<P, z.ZodType, A>) => Document,
): void {
  serveFile(app, path, rule, (call, reply) => {
    const document = open(call)
    return reply.headers(documentHeaders(document, SHOWN)).send(document.content)
  })
}

/**
 * For something of somebody else's: as one of the types that are `shown`, else to be saved.
 * Whatever it holds, it runs nothing and asks nobody.
 */
export function documentHeaders(
  { fileName, mediaType }: Omit<Document, 'content'>,
  shown: readonly string[],
) {
  const type = mediaType.split(';')[0]?.trim().toLowerCase() ?? ''
  const isShown = shown.includes(type)
  return {
    'content-type': isShown ? type : 'application/octet-stream',
    'content-disposition': dispositionOf(isShown ? 'inline' : 'attachment', fileName),
    'cache-control': 'private, no-store',
    'x-content-type-options': 'nosniff',
    'content-security-policy':
      "default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; sandbox",
  }
}

/**
 * RFC 6266: the name for old readers in ASCII, and as it is in RFC 8187. A path in it is not a path
 * of the reader's PC.
 */
function dispositionOf(kind: 'inline' | 'attachment', fileName: string): string {
  const name =
    (fileName.toWellFormed().split(/[/\\]/).at(-1) ?? '').replace(/\p{Cc}/gu, '').trim() ||
    'document'
  const plain = name.replace(/[^A-Za-z0-9._ -]/g, '_')
  const encoded = encodeURIComponent(name).replace(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `${kind}; filename="${plain}"; filename*=UTF-8''${encoded}`
}

/** A picture in a list of the window. */
interface Picture {
  /** Another one for another picture at the same path. */
  readonly etag: string
  /** Null: there is none. */
  readonly png: Uint8Array | null
}

/**
 * Declares a path of the window that answers with a picture; 204 where there is none, which for a
 * list is an answer like any other. A browser keeps the picture but asks each time whether it is
 * still right, so that a person who lost access sees it no more.
 */
export function servePicture<P extends z.ZodType, A extends WindowAccess>(
  app: HttpApp,
  path: `/${string}`,
  rule: { readonly access: A; readonly params: P },
  open: (call: FileCall<P, z.ZodType, A>) => Promise<Picture>,
): void {
  serveFile(app, path, { ...rule, background: true }, async (call, reply, request) => {
    const { etag, png } = await open(call)
    reply.headers({
      etag,
      'cache-control': 'private, no-cache',
      'x-content-type-options': 'nosniff',
    })
    if (png === null) return reply.code(204).send()
    if (request.headers['if-none-match'] === etag) return reply.code(304).send()
    return reply.type('image/png').send(Buffer.from(png))
  })
}

/**
 * A file on its way out: sent as it is made; where making it fails the connection ends before the
 * file does.
 */
interface Download {
  /** ASCII letters, digits, dots and hyphens. */
  readonly fileName: string
  readonly mediaType: string
  readonly content: AsyncIterable<string | Buffer>
}

/** Declares a path of the window that answers with a file to be saved. */
export function serveDownload<Q extends z.ZodType, A extends WindowAccess>(
  app: HttpApp,
  path: `/${string}`,
  rule: { readonly access: A; readonly query: Q },
  open: (call: FileCall<z.ZodType, Q, A>) => Download,
): void {
  serveFile(app, path, rule, (call, reply) => {
    const { fileName, mediaType, content } = open(call)
    return reply
      .headers({
        'content-type': mediaType,
        'content-disposition': `attachment; filename="${fileName}"`,
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
      })
      .send(Readable.from(content))
  })
}
