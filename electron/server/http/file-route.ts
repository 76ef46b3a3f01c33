import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import type { WindowAccess } from '#shared/operation.ts'
import { admissionOf, isView, type UserFor, type ViewFor } from './access-check.ts'
import type { HttpApp } from './http-app.ts'
import { normalizeQuery, noteRead } from './operations.ts'
import { malformedError } from './problem.ts'

/** A request for a file, as passed to its handler: parsed, with its caller authorized. */
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

export interface FileRouteOptions<
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
 * Registers a GET path of the window or the viewer whose response is not JSON. Refusals are still
 * sent as problems.
 */
export function serveFile<
  P extends z.ZodType,
  Q extends z.ZodType,
  A extends WindowAccess | 'view',
>(
  app: HttpApp,
  path: `/${string}`,
  { access, background = false, params, query }: FileRouteOptions<P, Q, A>,
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
        params: parsePart('params', params, request.params),
        query: parsePart('query', query, normalizeQuery(request.query)),
        ...(isView(who) ? { user: undefined, view: who } : { user: who, view: undefined }),
      }
      const sent = answer(call as FileCall<P, Q, A>, reply, request)
      const recordRead = (result: unknown): unknown => {
        noteRead(app, { method: 'GET', path }, call, who)
        return result
      }
      return sent instanceof Promise ? sent.then(recordRead) : recordRead(sent)
    },
  })
}

function parsePart(
  part: 'params' | 'query',
  shape: z.ZodType | undefined,
  value: unknown,
): unknown {
  const read = shape?.safeParse(value)
  if (read?.error) throw malformedError(part, read.error)
  return read?.data
}

/** An external document to be displayed. */
export interface Document {
  readonly fileName: string
  readonly mediaType: string
  readonly content: Buffer
}

/** Media types that a browser can display without running scripts; SVG and HTML are excluded. */
const INLINE_TYPES: readonly string[] = [
  'application/pdf',
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
]

/**
 * Registers a path of the window or the viewer that responds with a document, displayed inline if
 * that is safe and otherwise as a download.
 */
export function serveDocument<P extends z.ZodType, A extends WindowAccess | 'view'>(
  app: HttpApp,
  path: `/${string}`,
  rule: { readonly access: A; readonly params: P },
  open: (call: FileCall<P, z.ZodType, A>) => Document,
): void {
  serveFile(app, path, rule, (call, reply) => {
    const document = open(call)
    return reply.headers(documentHeaders(document, INLINE_TYPES)).send(document.content)
  })
}

/**
 * Headers for external content: inline if its type is one of `shown`, otherwise as a download. The
 * content cannot run scripts or send requests.
 */
export function documentHeaders(
  { fileName, mediaType }: Omit<Document, 'content'>,
  shown: readonly string[],
) {
  const type = mediaType.split(';')[0]?.trim().toLowerCase() ?? ''
  const isInline = shown.includes(type)
  return {
    'content-type': isInline ? type : 'application/octet-stream',
    'content-disposition': dispositionOf(isInline ? 'inline' : 'attachment', fileName),
    'cache-control': 'private, no-store',
    'x-content-type-options': 'nosniff',
    'content-security-policy':
      "default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; sandbox",
  }
}

/**
 * RFC 6266: the file name in ASCII for old clients, and in full in the encoding of RFC 8187. Path
 * separators are removed.
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
 * A file that is streamed while it is created. If creation fails, the connection is closed before
 * the end of the file.
 */
interface DownloadFile {
  /** Only ASCII letters, digits, dots and hyphens. */
  readonly fileName: string
  readonly mediaType: string
  readonly content: AsyncIterable<string | Buffer>
}

/** Registers a path of the window that responds with a download. */
export function serveDownload<Q extends z.ZodType, A extends WindowAccess>(
  app: HttpApp,
  path: `/${string}`,
  rule: { readonly access: A; readonly query: Q },
  open: (call: FileCall<z.ZodType, Q, A>) => DownloadFile,
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
