import type { Context } from '#server/context.ts'
import type { HandlersOf } from '#server/http/operations.ts'
import type { OpenView } from '#server/http/view-authentication.ts'
import { note, userActor } from '#server/modules/audit/audit.ts'
import type { viewing } from '#shared/contract/viewing.ts'
import { ApiError } from '#shared/errors.ts'
import type { AnnotationsOfViews } from './annotations.ts'
import type { Captures } from './captures.ts'
import type { ViewImages } from './view-images.ts'
import type { ViewSessions } from './view-sessions.ts'

export interface ViewsHandlersDeps {
  readonly store: Context
  readonly views: Pick<ViewSessions, 'byLink' | 'close' | 'shown'>
  readonly images: Pick<ViewImages, 'priors' | 'addPrior' | 'extras' | 'shows'>
  readonly annotations: AnnotationsOfViews
  readonly captures: Pick<Captures, 'make' | 'list' | 'retry'>
}

export function viewsHandlers(deps: ViewsHandlersDeps): HandlersOf<typeof viewing> {
  const { store, views, images, annotations, captures } = deps

  /**
   * What is drawn is of a study that the view shows; those of an ephemeral session are the ones
   * that the partner gave.
   */
  function demandShown(view: OpenView, studyInstanceUid: string): void {
    if (view.studyInstanceUid === studyInstanceUid) return
    if (view.studyInstanceUid === null) demandGiven(view, studyInstanceUid)
    else if (
      !images
        .priors(view)
        .some((prior) => prior.isOpen && prior.studyInstanceUid === studyInstanceUid)
    )
      throw new ApiError('not-found', 'This view does not show such a study.')
  }

  function demandGiven(view: OpenView, studyInstanceUid: string): void {
    const isShown = images.shows(view, studyInstanceUid)
    if (
      isShown === true ||
      (isShown === undefined && annotations.read(view, studyInstanceUid).revision > 0)
    )
      return
    if (isShown === false) throw new ApiError('not-found', 'This view does not show such a study.')
    // As after a restart of the gateway: it passes with the next frame that the page asks for.
    throw new ApiError(
      'unavailable',
      'The images of this view are not listed yet: look at another image, or reload the page.',
    )
  }

  function demandCapture(view: OpenView): void {
    const { whyNoCapture } = views.shown(view)
    if (whyNoCapture !== '') throw new ApiError('refused', whyNoCapture)
  }

  return {
    open({ body, viewCookie }) {
      const { view, token } = views.byLink(body.token)
      viewCookie.set(view.viewId, token)
      return views.shown(view)
    },
    read: ({ view }) => views.shown(view),
    close({ view, viewCookie }) {
      views.close(view.viewId)
      viewCookie.clear(view.viewId)
      return { success: true }
    },

    priors: ({ view }) => ({ priors: images.priors(view) }),
    async addPrior({ view, body: { studyInstanceUid } }) {
      await images.addPrior(view, studyInstanceUid)
      // Who looked at what of a patient is on record (ux-security E.8).
      note(
        store,
        view.userId === null ? 'gateway' : userActor(view.userId),
        'view.prior',
        studyInstanceUid,
        {
          viewId: view.viewId,
        },
      )
      return { success: true }
    },
    extras: ({ view, params }) => images.extras(view, params.sopInstanceUid),

    annotations({ view, params }) {
      if (view.studyInstanceUid !== null) demandShown(view, params.studyInstanceUid)
      return annotations.read(view, params.studyInstanceUid)
    },
    saveAnnotations({ view, params, body }) {
      demandShown(view, params.studyInstanceUid)
      return annotations.save(view, params.studyInstanceUid, body)
    },

    capture({ view, body }) {
      demandCapture(view)
      return captures.make(view, body)
    },
    captures: ({ view }) => ({ captures: captures.list(view) }),
    retryCapture({ view, params }) {
      demandCapture(view)
      return captures.retry(view, params.captureId)
    },
  }
}
