import { Readable } from 'node:stream'
import type { z } from 'zod'
import type { WindowAccess } from '#shared/operation.ts'
import { type FileCall, serveFile } from './file-route.ts'
import type { HttpApp } from './http-app.ts'

/**
 * A file on its way out: sent as it is made; where making it fails the connection ends before the
 * file does.
 */
export interface Download {
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
