import type { Context } from '#server/context.ts'
import type { OpenView } from '#server/http/callers.ts'
import type { Downloads } from '#server/webhooks/download.ts'
import type { InstanceExtras, ViewedPrior, ViewLine } from '#shared/contract/viewed-images.ts'
import { ApiError } from '#shared/errors.ts'
import { message } from '#shared/messages/message.ts'
import type { AskAccess } from './access-asking.ts'
import { FileFetcher } from './file-fetcher.ts'
import type { Frame } from './image-file.ts'
import type { ShownMedium } from './media.ts'
import { priorsOf } from './priors.ts'
import { ViewCache } from './view-cache.ts'
import { ViewState } from './view-state.ts'

/** More studies beside each other are no comparison. */
const MOST_STUDIES = 12
/** What nobody has looked at for so long is forgotten; a view that goes on begins anew. */
const IDLE_MS = 2 * 60 * 60_000
const LOOK_EVERY_MS = 60_000

/** Each is the one in force unless it is given. */
export interface ViewLimits {
  /** Views held at once, unless somebody listens, and frames that they list. */
  readonly views?: number
  readonly listed?: number
  /** See `FileFetcher`. */
  readonly pausesMs?: readonly number[]
  readonly startMs?: number
  /** See `ViewCache`. */
  readonly cacheBytes?: number
  readonly inflatedBytes?: number
}

/** What its file says of an instance, with its series and its study. */
export type KnownInstance = NonNullable<ReturnType<ViewImages['instanceOf']>>

/**
 * The images of views: what there is, frame by frame, from the archive and from the partner. In
 * memory; a view that is asked for again begins anew.
 */
export class ViewImages implements AsyncDisposable {
  readonly #context: Context
  readonly #ask: AskAccess
  readonly #mostViews: number
  readonly #mostListed: number
  readonly #fetcher: FileFetcher
  readonly #states = new Map<string, ViewState>()
  readonly #looking: NodeJS.Timeout

  constructor(
    context: Context,
    downloads: Pick<Downloads, 'stream'>,
    ask: AskAccess,
    // A list of 20,000 images is tens of megabytes.
    {
      views = 100,
      listed = 200_000,
      pausesMs = [1000, 4000],
      startMs = 2000,
      ...of
    }: ViewLimits = {},
  ) {
    this.#context = context
    this.#ask = ask
    this.#mostViews = views
    this.#mostListed = listed
    const cache = new ViewCache(context, of.cacheBytes, of.inflatedBytes)
    this.#fetcher = new FileFetcher(downloads, cache, pausesMs, startMs)
    this.#looking = setInterval(() => this.#endIdle(), LOOK_EVERY_MS).unref()
  }

  /**
   * The list as it is now and everything that comes, studies before their series before their
   * instances; ends with `done`, when the signal aborts, or when the view ends. After an `addPrior`
   * it is asked for again. Any number may listen.
   */
  lines(view: OpenView, signal: AbortSignal): AsyncGenerator<ViewLine> {
    return this.#stateOf(view).lines(signal)
  }

  /**
   * A frame as it is stored: raw pixels, or one compressed bit stream. Waits until the file is
   * there, a minute at most. @param frame from 1
   * @throws ApiError not-found: no such instance or frame; refused: its file is faulty, and how;
   *   the reason of `signal`
   */
  frame(view: OpenView, uid: string, frame: number, signal: AbortSignal): Promise<Frame> {
    return this.#stateOf(view).image(uid, signal, (image, until) => image.frame(frame, until))
  }

  /** @throws ApiError as `frame` */
  extras(
    view: OpenView,
    sopInstanceUid: string,
    signal: AbortSignal = new AbortController().signal,
  ): Promise<InstanceExtras> {
    return this.#stateOf(view).image(sopInstanceUid, signal, (image, until) => image.extras(until))
  }

  /**
   * @param range the `Range` header @throws ApiError not-found; refused: it cannot be fetched, and
   *   why; the reason of `signal`
   */
  media(
    view: OpenView,
    mediaId: number,
    range: string | undefined,
    signal: AbortSignal,
  ): Promise<ShownMedium> {
    return this.#stateOf(view).medium(mediaId, range, signal)
  }

  priors(view: OpenView): ViewedPrior[] {
    const state = this.#states.get(view.viewId)
    return priorsOf(this.#context, view, (uid) => state?.hasStudy(uid) ?? false)
  }

  /**
   * From then on `lines` has the study. @throws ApiError not-found: it is none of `priors`;
   * refused: too many studies are open
   */
  addPrior(view: OpenView, studyInstanceUid: string): void {
    if (!this.priors(view).some((prior) => prior.studyInstanceUid === studyInstanceUid))
      throw new ApiError('not-found', message('viewer.no-such-prior'))
    const state = this.#stateOf(view)
    if (!state.hasStudy(studyInstanceUid) && state.studies >= MOST_STUDIES)
      throw new ApiError('refused', message('viewer.too-many-studies', { most: MOST_STUDIES }))
    state.addStudy(studyInstanceUid)
  }

  /**
   * Whether the study is listed; undefined where nothing was asked for since the view began anew.
   */
  shows(view: OpenView, studyInstanceUid: string): boolean | undefined {
    const list = this.#states.get(view.viewId)?.list
    return list && list.study(studyInstanceUid) !== undefined
  }

  /** What its file says, for a capture of it; undefined until the file's own header was read. */
  instanceOf(view: OpenView, sopInstanceUid: string) {
    const list = this.#states.get(view.viewId)?.list
    const instance = list?.instance(sopInstanceUid)
    if (!instance || instance.source === 'manifest') return undefined
    const series = list?.series(instance.seriesInstanceUid)
    const study = list?.study(instance.studyInstanceUid)
    return series && study && { instance, series, study }
  }

  /** The view is over: nothing of it is fetched or kept in memory any more. */
  end(viewId: string): void {
    this.#states.get(viewId)?.end()
    this.#states.delete(viewId)
    if (this.#states.size === 0) this.#fetcher.cache.openFiles.close()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#looking)
    for (const viewId of this.#states.keys()) this.end(viewId)
    await this.#fetcher.cache[Symbol.asyncDispose]()
  }

  #stateOf(view: OpenView): ViewState {
    const before = this.#states.get(view.viewId)
    if (before) return before
    this.#makeRoom()
    const state = new ViewState(this.#context, this.#fetcher, view, this.#ask)
    this.#states.set(view.viewId, state)
    return state
  }

  /**
   * Views that nobody listens to end, the one not looked at for longest first; one that goes on
   * begins anew.
   */
  #makeRoom(): void {
    const idle = [...this.#states]
      .filter(([, { lastUse }]) => Number.isFinite(lastUse))
      .sort(([, one], [, other]) => one.lastUse - other.lastUse)
    let held = [...this.#states.values()].reduce((sum, { list }) => sum + list.size, 0)
    for (const [viewId, { list }] of idle) {
      if (this.#states.size < this.#mostViews && held < this.#mostListed) break
      held -= list.size
      this.end(viewId)
    }
  }

  #endIdle(): void {
    const now = this.#context.clock()
    for (const [viewId, { lastUse }] of this.#states) if (now - lastUse > IDLE_MS) this.end(viewId)
  }
}
