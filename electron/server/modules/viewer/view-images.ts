import type { Readable } from 'node:stream'
import type { Context } from '#server/context.ts'
import type { OpenView } from '#server/http/view-authentication.ts'
import type { ImageStudies } from '#server/modules/images/image-studies.ts'
import type { Downloads } from '#server/webhooks/download.ts'
import type { Manifest } from '#server/webhooks/manifest.ts'
import type {
  InstanceExtras,
  ViewedInstance,
  ViewedPrior,
  ViewedSeries,
  ViewedStudy,
  ViewLine,
  ViewMedia,
} from '#shared/contract/viewing.ts'
import { ApiError } from '#shared/errors.ts'
import { openFiles } from './open-files.ts'
import { priorsOf } from './priors.ts'
import { type CacheLimits, openViewCache } from './view-cache.ts'
import { openViewState, type ViewState } from './view-state.ts'

/** The study that is asked for; of an ephemeral session there is none. */
export interface AskedStudy {
  readonly studyId: string
  readonly studyInstanceUid: string
}

export interface AccessMedium {
  readonly url: string
  readonly mimeType: string
  readonly fileName?: string | undefined
}

/** What a partner answered to `study.access_requested` or `ephemeral.access_requested`. */
export interface AccessAnswer {
  readonly urls: readonly string[]
  /** None or one of a study; any number of an ephemeral session. */
  readonly manifests: readonly Manifest[]
  readonly media: readonly AccessMedium[]
  /** The endpoint's `fileHosts` as they are now. */
  hosts(): readonly string[]
  /** That a URL named a host that is not listed (`partners/refused-hosts`). */
  noteRefusedHost(url: string): void
  /** Parts of the answer that were left out: `path: sentence`. */
  readonly notes: readonly string[]
}

/**
 * Implemented by `server.ts`: asks the partner whose images they are. `study` is null for an
 * ephemeral session (then `view.ephemeral` says what is asked). @throws WebhookError, of
 * `no-endpoint` where no endpoint takes the event; the reason of `signal`
 */
export type AskAccess = (
  view: OpenView,
  study: AskedStudy | null,
  signal: AbortSignal,
) => Promise<AccessAnswer>

export interface ViewImagesDeps {
  readonly store: Context
  readonly clock: () => number
  readonly uuid: () => string
  /** For priors: what the view's person may see. */
  readonly imageStudies: Pick<ImageStudies, 'isVisible'>
  readonly ask: AskAccess
  readonly downloads: Pick<Downloads, 'stream'>
  /**
   * Milliseconds before the first and the second new try of a file; 1,000 and 4,000 unless told.
   */
  readonly pausesMs?: readonly number[]
  /**
   * Milliseconds after which files come at full speed though no image was asked for; 2,000 unless
   * told.
   */
  readonly startMs?: number
  /** Where they are not those of the settings. */
  readonly limits?: CacheLimits & { readonly views?: number; readonly listed?: number }
}

export interface ShownFrame {
  /** The frame as it is stored: raw pixels, or one compressed bit stream. */
  readonly body: Buffer
  readonly transferSyntaxUid: string
}

/** A medium as it is answered to the page; `headers` are those that a range needs. */
export interface ShownMedium {
  readonly status: 200 | 206
  readonly headers: Readonly<Record<string, string>>
  readonly body: Readable
  readonly shownAs: ViewMedia['shownAs']
  /** Safe to be told to a browser. */
  readonly mimeType: string
  readonly fileName: string
}

export interface KnownInstance {
  readonly instance: ViewedInstance
  readonly series: ViewedSeries
  readonly study: ViewedStudy
}

/**
 * The images of views: what there is, frame by frame, from the archive and from the partner. In
 * memory; a view that is asked for again begins anew.
 */
export interface ViewImages extends AsyncDisposable {
  /**
   * The list as it is now and everything that comes, studies before their series before their
   * instances; ends with `done`, when the signal aborts, or when the view ends. After an `addPrior`
   * it is asked for again. Any number may listen.
   */
  lines(view: OpenView, signal: AbortSignal): AsyncIterable<ViewLine>
  /**
   * Waits until the file is there, a minute at most. @param frame from 1
   * @throws ApiError not-found: no such instance or frame; refused: its file is faulty, and how;
   *   the reason of `signal`
   */
  frame(
    view: OpenView,
    sopInstanceUid: string,
    frame: number,
    signal: AbortSignal,
  ): Promise<ShownFrame>
  /** @throws ApiError as `frame` */
  extras(view: OpenView, sopInstanceUid: string, signal?: AbortSignal): Promise<InstanceExtras>
  /**
   * @param range the `Range` header @throws ApiError not-found; refused: it cannot be fetched,
   *   and why; the reason of `signal`
   */
  media(
    view: OpenView,
    mediaId: number,
    range: string | undefined,
    signal: AbortSignal,
  ): Promise<ShownMedium>
  priors(view: OpenView): ViewedPrior[]
  /** Once it resolves, `lines` has the study. @throws ApiError not-found: it is none of `priors` */
  addPrior(view: OpenView, studyInstanceUid: string): Promise<void>
  /**
   * Whether the study is listed; undefined where nothing was asked for since the view began anew.
   */
  shows(view: OpenView, studyInstanceUid: string): boolean | undefined
  /** What its file says, for a capture of it; undefined until the file's own header was read. */
  instanceOf(view: OpenView, sopInstanceUid: string): KnownInstance | undefined
  /** The view is over: nothing of it is fetched or kept in memory any more. */
  end(viewId: string): void
}

/** More studies beside are no comparison. */
const MOST_STUDIES = 12
/** Held at once, unless somebody listens: a list of 20,000 images is tens of megabytes. */
const MOST_VIEWS = 100
const MOST_LISTED = 200_000
/** What nobody has looked at for so long is forgotten; a view that goes on begins anew. */
const IDLE_MS = 2 * 60 * 60_000
const LOOK_EVERY_MS = 60_000

export function openViewImages(deps: ViewImagesDeps): ViewImages {
  const {
    clock,
    limits: { views: mostViews = MOST_VIEWS, listed: mostListed = MOST_LISTED } = {},
  } = deps
  const cache = openViewCache(deps)
  const files = openFiles()
  const states = new Map<string, ViewState>()
  const never = new AbortController().signal

  function end(viewId: string): void {
    states.get(viewId)?.end()
    states.delete(viewId)
    if (states.size === 0) files.close()
  }

  function stateOf(view: OpenView): ViewState {
    const before = states.get(view.viewId)
    if (before) return before
    makeRoom()
    const state = openViewState({ ...deps, cache, openFiles: files }, view)
    states.set(view.viewId, state)
    return state
  }

  /**
   * Views that nobody listens to go, the one not looked at for longest first; one that goes on
   * begins anew.
   */
  function makeRoom(): void {
    const idle = [...states]
      .filter(([, { lastUse }]) => Number.isFinite(lastUse))
      .sort(([, one], [, other]) => one.lastUse - other.lastUse)
    let held = [...states.values()].reduce((sum, { list }) => sum + list.size, 0)
    for (const [viewId, { list }] of idle) {
      if (states.size < mostViews && held < mostListed) break
      held -= list.size
      end(viewId)
    }
  }

  const looking = setInterval(() => {
    for (const [viewId, { lastUse }] of states) if (clock() - lastUse > IDLE_MS) end(viewId)
  }, LOOK_EVERY_MS).unref()

  const priors = (view: OpenView) =>
    priorsOf(deps, view, (uid) => states.get(view.viewId)?.studies.has(uid) ?? false)

  return {
    lines: (view, signal) => stateOf(view).lines(signal),
    frame: (view, sopInstanceUid, frame, signal) =>
      stateOf(view).image(sopInstanceUid, signal, (image, within) => image.frame(frame, within)),
    extras: (view, sopInstanceUid, signal = never) =>
      stateOf(view).image(sopInstanceUid, signal, (image, within) => image.extras(within)),
    media: (view, mediaId, range, signal) => stateOf(view).medium(mediaId, range, signal),
    priors,
    async addPrior(view, studyInstanceUid) {
      if (!priors(view).some((prior) => prior.studyInstanceUid === studyInstanceUid))
        throw new ApiError(
          'not-found',
          'This is no earlier study of the patient that can be put beside.',
        )
      const state = stateOf(view)
      if (!state.studies.has(studyInstanceUid) && state.studies.size >= MOST_STUDIES)
        throw new ApiError(
          'refused',
          `No more than ${MOST_STUDIES} studies can be open in a view: open the earlier study by itself.`,
        )
      state.addStudy(studyInstanceUid)
    },
    shows: (view, studyInstanceUid) => {
      const list = states.get(view.viewId)?.list
      return list && list.study(studyInstanceUid) !== undefined
    },
    instanceOf(view, sopInstanceUid) {
      const list = states.get(view.viewId)?.list
      const instance = list?.instance(sopInstanceUid)
      if (!instance || instance.source === 'manifest') return undefined
      const series = list?.series(instance.seriesInstanceUid)
      const study = list?.study(instance.studyInstanceUid)
      return series && study && { instance, series, study }
    },
    end,
    async [Symbol.asyncDispose]() {
      clearInterval(looking)
      for (const viewId of [...states.keys()]) end(viewId)
      files.close()
      await cache[Symbol.asyncDispose]()
    },
  }
}
