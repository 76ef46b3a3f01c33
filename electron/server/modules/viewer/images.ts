import type { Context } from '#server/context.ts'
import type { OpenView } from '#server/http/view-authentication.ts'
import type { Downloads } from '#server/webhooks/download.ts'
import { ApiError } from '#shared/errors.ts'
import type { AskAccess } from './access-asking.ts'
import { openViewCache } from './cache.ts'
import { openFiles } from './open-files.ts'
import { priorsOf } from './priors.ts'
import { openViewState, type ViewState } from './view-state.ts'

/** More studies beside are no comparison. */
const MOST_STUDIES = 12
/** What nobody has looked at for so long is forgotten; a view that goes on begins anew. */
const IDLE_MS = 2 * 60 * 60_000
const LOOK_EVERY_MS = 60_000

/** Each is the one in force unless it is given. */
export interface ViewLimits {
  /** Views held at once, unless somebody listens, and frames that they list. */
  readonly views?: number
  readonly listed?: number
  /** Milliseconds before the first and the second new try of a file. */
  readonly pausesMs?: readonly number[]
  /** Milliseconds after which files come at full speed though no image was asked for. */
  readonly startMs?: number
  /** See `openViewCache`. */
  readonly cacheBytes?: number
  readonly inflatedBytes?: number
}

export type ViewImages = ReturnType<typeof openViewImages>

/** What its file says of an instance, with its series and its study. */
export type KnownInstance = NonNullable<ReturnType<ViewImages['instanceOf']>>

/**
 * The images of views: what there is, frame by frame, from the archive and from the partner. In
 * memory; a view that is asked for again begins anew.
 */
export function openViewImages(
  context: Context,
  downloads: Pick<Downloads, 'stream'>,
  ask: AskAccess,
  {
    // A list of 20,000 images is tens of megabytes.
    views: mostViews = 100,
    listed: mostListed = 200_000,
    pausesMs = [1000, 4000],
    startMs = 2000,
    ...cacheLimits
  }: ViewLimits = {},
) {
  const { clock } = context
  const cache = openViewCache(context, cacheLimits)
  const files = openFiles()
  const states = new Map<string, ViewState>()
  const never = new AbortController().signal

  /** The view is over: nothing of it is fetched or kept in memory any more. */
  function end(viewId: string): void {
    states.get(viewId)?.end()
    states.delete(viewId)
    if (states.size === 0) files.close()
  }

  function stateOf(view: OpenView): ViewState {
    const before = states.get(view.viewId)
    if (before) return before
    makeRoom()
    const shared = { context, downloads, cache, openFiles: files, pausesMs, startMs }
    const state = openViewState(shared, view, ask)
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
    priorsOf(context, view, (uid) => states.get(view.viewId)?.studies.has(uid) ?? false)

  return {
    /**
     * The list as it is now and everything that comes, studies before their series before their
     * instances; ends with `done`, when the signal aborts, or when the view ends. After an
     * `addPrior` it is asked for again. Any number may listen.
     */
    lines: (view: OpenView, signal: AbortSignal) => stateOf(view).lines(signal),
    /**
     * A frame as it is stored: raw pixels, or one compressed bit stream. Waits until the file is
     * there, a minute at most. @param frame from 1
     * @throws ApiError not-found: no such instance or frame; refused: its file is faulty, and how;
     *   the reason of `signal`
     */
    frame: (view: OpenView, sopInstanceUid: string, frame: number, signal: AbortSignal) =>
      stateOf(view).image(sopInstanceUid, signal, (image, within) => image.frame(frame, within)),
    /** @throws ApiError as `frame` */
    extras: (view: OpenView, sopInstanceUid: string, signal: AbortSignal = never) =>
      stateOf(view).image(sopInstanceUid, signal, (image, within) => image.extras(within)),
    /**
     * @param range the `Range` header @throws ApiError not-found; refused: it cannot be fetched,
     *   and why; the reason of `signal`
     */
    media: (view: OpenView, mediaId: number, range: string | undefined, signal: AbortSignal) =>
      stateOf(view).medium(mediaId, range, signal),
    priors,
    /**
     * Once it resolves, `lines` has the study. @throws ApiError not-found: it is none of `priors`
     */
    async addPrior(view: OpenView, studyInstanceUid: string): Promise<void> {
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
    /**
     * Whether the study is listed; undefined where nothing was asked for since the view began anew.
     */
    shows(view: OpenView, studyInstanceUid: string): boolean | undefined {
      const list = states.get(view.viewId)?.list
      return list && list.study(studyInstanceUid) !== undefined
    },
    /** What its file says, for a capture of it; undefined until the file's own header was read. */
    instanceOf(view: OpenView, sopInstanceUid: string) {
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
