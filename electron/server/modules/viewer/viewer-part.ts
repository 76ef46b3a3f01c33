import type { HttpApp } from '#server/http/http-app.ts'
import type { Views } from '#server/http/view-authentication.ts'
import type { Feed } from '#server/modules/dashboard/feed.ts'
import type { EventLog } from '#server/modules/events/log.ts'
import type { Intake } from '#server/modules/images/intake.ts'
import { openOwnInstances } from '#server/modules/images/own-instances.ts'
import { runningSession } from '#server/modules/users/sessions.ts'
import type { Parts } from '#server/parts.ts'
import type { Downloads } from '#server/webhooks/download.ts'
import type { Requester } from '#server/webhooks/request.ts'
import { accessAsking } from './access-asking.ts'
import { openCaptures } from './captures.ts'
import { openViewImages } from './images.ts'
import { serveLinks } from './link-routes.ts'
import { serveViewing } from './routes.ts'
import { openViewSessions, type ViewSessions } from './sessions.ts'
import { serveDashboardViews } from './window-routes.ts'

export interface ViewerOptions {
  readonly feed: Pick<Feed, 'append' | 'noteImages'>
  readonly requester: Requester
  readonly eventLog: Pick<EventLog, 'setEffect'>
  readonly downloads: Downloads
  readonly intake: Pick<Intake, 'arriving'>
  /** Base of every URL given out, without a slash at its end. */
  readonly publicBase: () => string
  readonly onError: (error: unknown) => void
}

/** The viewer behind its page: its sessions, the images of them, and captures on their way. */
export interface Viewer extends AsyncDisposable {
  /** For the listeners: views by their cookie. */
  readonly views: Views
  /** For the timer: views that ended are forgotten, and what is held for them is let go. */
  readonly sessions: Pick<ViewSessions, 'purge'>
  /** Declares the calls of the viewer's page, and the window's way into it. */
  serve(app: HttpApp): void
}

/** Connects the viewer with the partner, the archive and the window. */
export function openViewer(parts: Parts, options: ViewerOptions): Viewer {
  const { deps, store, settings, refusedHosts } = parts
  const { feed, requester, eventLog, downloads, intake, publicBase, onError } = options
  const opened = new AsyncDisposableStack()
  const plaintextHosts = () => settings.get('partner.plaintextHosts')
  const { askImages, askUpload } = accessAsking({
    store,
    requester,
    refusedHosts,
    eventLog,
    plaintextHosts,
  })

  const sessions = openViewSessions(store)
  const images = opened.use(openViewImages(store, downloads, askImages))
  opened.defer(sessions.onEnded((viewId) => images.end(viewId)))
  const own = openOwnInstances({ ...deps, setting: settings.get, arriving: intake.arriving })
  const captures = opened.use(
    openCaptures({
      ...{ ...deps, settings, images, onError },
      ask: askUpload,
      put: downloads.put,
      async keep(objects, header, also) {
        await own.keep(objects, header, also)
        feed.noteImages()
      },
      onFailed: (tone, text, studyInstanceUid) =>
        void feed.append({
          kind: 'partner',
          tone,
          text,
          studyInstanceUid,
          ...{ associationId: '', aeTitle: '', address: '' },
        }),
    }),
  )

  const kept = opened.move()
  return {
    views: { viewOf: sessions.viewOf },
    sessions,
    serve(app) {
      serveViewing(app, store, sessions, images, captures)
      serveLinks(app, store, publicBase)
      serveDashboardViews(app, {
        store,
        views: sessions,
        sessionOf: (token) => runningSession(store, token, 'background'),
      })
    },
    [Symbol.asyncDispose]: () => kept[Symbol.asyncDispose](),
  }
}
