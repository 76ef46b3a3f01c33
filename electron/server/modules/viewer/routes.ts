import { z } from 'zod'
import { note, userActor } from '#server/audit-log/audit.ts'
import type { Context } from '#server/context.ts'
import { listElements } from '#server/dicom/objects/element-list.ts'
import { readStructuredReport } from '#server/dicom/objects/structured-report.ts'
import { readWaveforms } from '#server/dicom/objects/waveforms.ts'
import type { OpenView } from '#server/http/callers.ts'
import type { HttpApp } from '#server/http/http-app.ts'
import { type HandlersOf, serve, serveAll } from '#server/http/operations.ts'
import { frameBytes, mediaBytes, serveViewBytes, serveViewLines } from '#server/http/view-stream.ts'
import { windowCaller } from '#server/modules/users/caller.ts'
import { runningSession } from '#server/modules/users/sessions.ts'
import { tryWrite } from '#server/platform/write-health.ts'
import { scribe } from '#shared/contract/scribe.ts'
import { viewer } from '#shared/contract/viewer.ts'
import { dashboardViews, MAX_ANNOTATION_CHARACTERS, viewing } from '#shared/contract/viewing.ts'
import { ApiError } from '#shared/errors.ts'
import { message } from '#shared/messages/message.ts'
import { readAnnotations, saveAnnotations } from './annotations.ts'
import {
  canQueryArchives,
  listRetrievals,
  type PriorArchives,
  queryPriors,
  retrievePrior,
} from './archive-priors.ts'
import type { Captures } from './captures.ts'
import { readHangingProtocols, saveHangingProtocols } from './hanging-protocols.ts'
import * as links from './links.ts'
import { priorScope } from './priors.ts'
import { SavedDrawings } from './saved-drawings.ts'
import { captureObstacle, exportObstacle, type ViewSessions, viewReply } from './sessions.ts'
import type { ViewImages } from './view-images.ts'

/** Enough for forty million characters of pixels and the other fields of a capture. */
const MAX_CAPTURE_BYTES = 45 * 1024 * 1024
/** Enough for characters of three bytes and the surrounding JSON. */
const MAX_ANNOTATION_BYTES = 3 * MAX_ANNOTATION_CHARACTERS + 64 * 1024

const PositiveInteger = z.coerce.number().int().positive()
const InstanceParams = z.object({ sopInstanceUid: z.string().min(1).max(64) })
const FrameParams = InstanceParams.extend({ frame: PositiveInteger })
const MediumParams = z.object({ mediaId: z.coerce.number().int().nonnegative() })

/**
 * Serves the calls of the viewer page (`shared/contract/viewing.ts`): its operations, and its paths
 * that return bytes.
 */
export function serveViewing(
  app: HttpApp,
  context: Context,
  sessions: Pick<ViewSessions, 'byLink' | 'close'>,
  images: ViewImages,
  captures: Captures,
  archives: PriorArchives,
): void {
  const drawings = new SavedDrawings(context, images)
  const handlers: HandlersOf<typeof viewing> = {
    open({ body, viewCookie }) {
      const { view, token } = sessions.byLink(body.token)
      viewCookie.set(view.viewId, token)
      return viewReply(context, view)
    },
    read: ({ view }) => viewReply(context, view),
    close({ view, viewCookie }) {
      sessions.close(view.viewId)
      viewCookie.clear(view.viewId)
      return { success: true }
    },

    priors: ({ view }) => ({
      priors: images.priors(view),
      scope: priorScope(context, view),
      canQuery: canQueryArchives(context, archives, view),
    }),
    queryPriors: ({ view }) => queryPriors(context, archives, view),
    retrievePrior: ({ view, body }) => retrievePrior(context, archives, view, body),
    retrievals: ({ view }) => ({ retrievals: listRetrievals(context, archives, view) }),
    addPrior({ view, body: { studyInstanceUid } }) {
      images.addPrior(view, studyInstanceUid)
      // Audited, because the user views another study of the patient.
      noteUse(context, view, 'view.prior', studyInstanceUid)
      return { success: true }
    },
    extras: ({ view, params }) => images.extras(view, params.sopInstanceUid),
    report: ({ view, params }) => images.read(view, params.sopInstanceUid, readStructuredReport),
    waveforms: ({ view, params }) => images.read(view, params.sopInstanceUid, readWaveforms),
    async elements({ view, params: { sopInstanceUid } }) {
      const list = await images.read(view, sopInstanceUid, listElements)
      // It is shown even while nothing can be recorded, as every read is.
      tryWrite(() => noteUse(context, view, 'view.elements', sopInstanceUid))
      return list
    },
    referencing: ({ view, params }) => images.referencing(view, params.sopInstanceUid),

    annotations({ view, params }) {
      if (view.studyInstanceUid !== null)
        checkStudyShown(context, images, view, params.studyInstanceUid)
      return readAnnotations(context, view, params.studyInstanceUid)
    },
    saveAnnotations({ view, params, body }) {
      checkStudyShown(context, images, view, params.studyInstanceUid)
      return saveAnnotations(context, view, params.studyInstanceUid, body)
    },

    hangingProtocols: ({ view }) => readHangingProtocols(context, view),
    saveHangingProtocols: ({ view, body }) => saveHangingProtocols(context, view, body),

    savedDrawings({ view, params }) {
      checkStudyShown(context, images, view, params.studyInstanceUid)
      return drawings.read(params.studyInstanceUid)
    },
    saveDrawings({ view, params, body }) {
      checkStudyShown(context, images, view, params.studyInstanceUid)
      checkCaptureAllowed(context, view)
      return drawings.save(view, params.studyInstanceUid, body)
    },

    capture({ view, body }) {
      checkCaptureAllowed(context, view)
      return captures.make(view, body)
    },
    captures: ({ view }) => ({ captures: captures.list(view) }),
    retryCapture({ view, params }) {
      checkCaptureAllowed(context, view)
      return captures.retry(view, params.captureId)
    },
  }
  serveAll(app, viewing, handlers, {
    bodyBytes: {
      capture: MAX_CAPTURE_BYTES,
      saveAnnotations: MAX_ANNOTATION_BYTES,
      saveDrawings: MAX_ANNOTATION_BYTES,
    },
  })
  serveImageBytes(app, context, images)
}

/** Serves the image list, frames, files and media of a view. */
function serveImageBytes(app: HttpApp, context: Context, images: ViewImages): void {
  serveViewLines(app, '/viewer/:viewId/images', (view, signal) => images.lines(view, signal))
  serveViewBytes(
    app,
    '/viewer/:viewId/instances/:sopInstanceUid/frames/:frame',
    FrameParams,
    async ({ view, params: { sopInstanceUid, frame }, signal }) => {
      const { body, transferSyntaxUid } = await images.frame(view, sopInstanceUid, frame, signal)
      return frameBytes(body, transferSyntaxUid)
    },
  )
  serveViewBytes(
    app,
    '/viewer/:viewId/instances/:sopInstanceUid/file',
    InstanceParams,
    async ({ view, params: { sopInstanceUid }, signal }) => {
      const why = exportObstacle(view)
      if (why) throw new ApiError('not-permitted', why)
      const { headers, body, mimeType } = await images.file(view, sopInstanceUid, signal)
      noteUse(context, view, 'view.export', sopInstanceUid)
      const disposition = `attachment; filename="${sopInstanceUid.replace(/[^\d.]/g, '')}.dcm"`
      return {
        headers: { ...headers, 'content-type': mimeType, 'content-disposition': disposition },
        body,
      }
    },
  )
  serveViewBytes(
    app,
    '/viewer/:viewId/media/:mediaId',
    MediumParams,
    async ({ view, params, range, signal }) =>
      mediaBytes(await images.media(view, params.mediaId, range, signal)),
  )
}

/**
 * Serves the calls of the partner interface that create links to the viewer.
 * @param publicBase the base of the URLs, without a trailing slash
 */
export function serveLinks(app: HttpApp, context: Context, publicBase: () => string): void {
  const urlOf = (path: string) => ({ url: publicBase() + path })
  serve(app, viewer.rerouteUrl, ({ caller, body }) =>
    urlOf(links.createViewerLink(context, caller, body)),
  )
  serve(app, scribe.rerouteUrl, ({ caller, body }) =>
    urlOf(links.createRerouteLink(context, caller, body)),
  )
  serve(app, scribe.viewerOnlyRerouteUrl, ({ caller, body }) =>
    urlOf(links.createViewerOnlyLink(context, caller, body)),
  )
  serve(app, viewer.ephemeralSession, ({ caller, body }) =>
    urlOf(links.createEphemeralLink(context, caller, 'viewer', body)),
  )
  serve(app, scribe.ephemeralSession, ({ caller, body }) =>
    urlOf(links.createEphemeralLink(context, caller, 'scribe', body)),
  )
}

/**
 * Serves the call that opens the viewer from the window. The page then uses the cookie of the view.
 */
export function serveDashboardViews(
  app: HttpApp,
  context: Context,
  sessions: Pick<ViewSessions, 'byUser'>,
): void {
  serve(app, dashboardViews.open, ({ body, user, viewCookie, session }) => {
    const window = session.token ? runningSession(context, session.token, 'background') : undefined
    const caller = windowCaller(context)(user)
    const { view, token } = sessions.byUser(caller, body, window?.sessionId)
    viewCookie.set(view.viewId, token)
    return viewReply(context, view)
  })
}

/**
 * Checks that the view shows the study that is annotated; in an ephemeral session, any study that
 * the partner supplied.
 */
function checkStudyShown(
  context: Context,
  images: Pick<ViewImages, 'priors' | 'shows'>,
  view: OpenView,
  studyInstanceUid: string,
): void {
  if (view.studyInstanceUid === studyInstanceUid) return
  const isOpenPrior = () =>
    images.priors(view).some((one) => one.isOpen && one.studyInstanceUid === studyInstanceUid)
  const isShown =
    view.studyInstanceUid === null ? images.shows(view, studyInstanceUid) : isOpenPrior()
  if (isShown === true) return
  if (isShown === false) throw new ApiError('not-found', message('viewer.study-not-shown'))
  if (readAnnotations(context, view, studyInstanceUid).revision > 0) return
  // The list is not loaded yet, for instance after a restart of the gateway; it is loaded with the
  // next frame that the page requests.
  throw new ApiError('unavailable', message('viewer.images-not-listed-yet'))
}

/** Records what the user of a view did. */
function noteUse(context: Context, view: OpenView, action: string, target: string): void {
  const actor = view.userId === null ? 'gateway' : userActor(view.userId)
  note(context, actor, action, target, { viewId: view.viewId })
}

function checkCaptureAllowed(context: Context, view: OpenView): void {
  const why = captureObstacle(context, view)
  if (why) throw new ApiError('refused', why)
}
