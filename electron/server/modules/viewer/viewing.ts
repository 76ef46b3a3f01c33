import { z } from 'zod'
import { type HttpApp, serveAll } from '#server/http/operations.ts'
import { frameBytes, mediaBytes, serveViewBytes, serveViewLines } from '#server/http/view-stream.ts'
import { ANNOTATION_CHARACTERS, viewing } from '#shared/contract/viewing.ts'
import type { ViewImages } from './view-images.ts'
import { type ViewsHandlersDeps, viewsHandlers } from './views-handlers.ts'

export interface ViewingDeps extends Omit<ViewsHandlersDeps, 'images'> {
  readonly images: ViewImages
}

/** Forty million characters of pixels, and the rest of the capture. */
const CAPTURE_BYTES = 45 * 1024 * 1024
/** Characters of three bytes, and what is around them. */
const ANNOTATION_BYTES = 3 * ANNOTATION_CHARACTERS + 64 * 1024

const Place = z.coerce.number().int().positive()
const Frame = z.object({ sopInstanceUid: z.string().min(1).max(64), frame: Place })
const Medium = z.object({ mediaId: z.coerce.number().int().nonnegative() })

/**
 * Declares the calls of the viewer's page (`shared/contract/viewing.ts`): the operations, and its
 * paths that answer with bytes.
 */
export function serveViewing(app: HttpApp, deps: ViewingDeps): void {
  const { images } = deps
  serveAll(app, viewing, viewsHandlers(deps), {
    bodyBytes: { capture: CAPTURE_BYTES, saveAnnotations: ANNOTATION_BYTES },
  })
  serveViewLines(app, '/viewer/:viewId/images', (view, signal) => images.lines(view, signal))
  serveViewBytes(
    app,
    '/viewer/:viewId/instances/:sopInstanceUid/frames/:frame',
    Frame,
    async ({ view, params, signal }) => {
      const { body, transferSyntaxUid } = await images.frame(
        view,
        params.sopInstanceUid,
        params.frame,
        signal,
      )
      return frameBytes(body, transferSyntaxUid)
    },
  )
  serveViewBytes(
    app,
    '/viewer/:viewId/media/:mediaId',
    Medium,
    async ({ view, params, range, signal }) =>
      mediaBytes(await images.media(view, params.mediaId, range, signal)),
  )
}
