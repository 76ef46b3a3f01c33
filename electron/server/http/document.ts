import type { z } from 'zod'
import type { WindowAccess } from '#shared/operation.ts'
import { type FileCall, serveFile } from './file-route.ts'
import type { HttpApp } from './http-app.ts'

/** Something somebody else made, to be looked at. */
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
