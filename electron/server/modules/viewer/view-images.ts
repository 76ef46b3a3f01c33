import type { Context } from '#server/context.ts'
import type { ByteSource } from '#server/dicom/data-set/byte-window.ts'
import type { OpenView } from '#server/http/callers.ts'
import type { ByteStream } from '#server/http/view-stream.ts'
import type { Downloads } from '#server/webhooks/download.ts'
import type { ReferencingObject } from '#shared/contract/referencing-objects.ts'
import type { InstanceExtras, ViewedPrior, ViewLine } from '#shared/contract/viewed-images.ts'
import { ApiError } from '#shared/errors.ts'
import { message } from '#shared/messages/message.ts'
import { type StreamedContent, streamContent } from './content-stream.ts'
import { FileFetcher } from './file-fetcher.ts'
import { type Frame, referencingObjectOf, withApiErrors } from './image-file.ts'
import type { ShownMedium } from './media.ts'
import type { AskAccess } from './partner-access.ts'
import { priorsOf } from './priors.ts'
import { ViewCache } from './view-cache.ts'
import { ViewState } from './view-state.ts'

/** Maximum number of studies for comparison. */
const MAX_STUDIES = 12
/** Idle views are dropped from memory after this time, and reloaded when they are used again. */
const IDLE_MS = 2 * 60 * 60_000
const CHECK_INTERVAL_MS = 60_000

/** Limits for tests; by default those in effect. */
export interface ViewLimits {
  /** Number of views in memory, not counting those in use, and number of frames that they list. */
  readonly views?: number
  readonly listed?: number
  /** See `FileFetcher`. */
  readonly pausesMs?: readonly number[]
  readonly startMs?: number
  /** See `ViewCache`. */
  readonly cacheBytes?: number
  readonly inflatedBytes?: number
}

/** An instance according to its file, with its series and study. */
export type KnownInstance = NonNullable<ReturnType<ViewImages['instanceOf']>>

/**
 * The images of views, from the archive and from partners, frame by frame. The state is held in
 * memory; a view that was dropped is reloaded.
 */
export class ViewImages implements AsyncDisposable {
  readonly #context: Context
  readonly #ask: AskAccess
  readonly #maxViews: number
  readonly #maxListed: number
  readonly #fetcher: FileFetcher
  readonly #states = new Map<string, ViewState>()
  readonly #timer: NodeJS.Timeout

  constructor(
    context: Context,
    downloads: Pick<Downloads, 'stream'>,
    ask: AskAccess,
    // A list of 20,000 images takes tens of megabytes.
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
    this.#maxViews = views
    this.#maxListed = listed
    const cache = new ViewCache(context, of.cacheBytes, of.inflatedBytes)
    this.#fetcher = new FileFetcher(downloads, cache, pausesMs, startMs)
    this.#timer = setInterval(() => this.#endIdle(), CHECK_INTERVAL_MS).unref()
  }

  /**
   * Yields the current list and all changes: studies before their series, series before their
   * instances. Ends with `done`, when the signal is aborted, or when the view ends. After
   * `addPrior` it has to be called again. Any number of readers is possible.
   */
  lines(view: OpenView, signal: AbortSignal): AsyncGenerator<ViewLine> {
    return this.#stateOf(view).lines(signal)
  }

  /**
   * Returns a frame in its stored encoding: raw pixels, or one compressed bit stream. Waits for the
   * file for at most a minute.
   * @param number from 1
   * @throws ApiError not-found: there is no such instance or frame; refused: its file is faulty;
   *   the abort reason of `signal`
   */
  async frame(view: OpenView, uid: string, number: number, signal: AbortSignal): Promise<Frame> {
    const state = this.#stateOf(view)
    const frame = await state.image(uid, signal, (image, until) => image.frame(number, until))
    const { body } = frame
    if (!('send' in body)) return frame
    const send: ByteStream['send'] = (write, until) =>
      body.send(write, AbortSignal.any([until, state.ending]))
    return { ...frame, body: { length: body.length, send } }
  }

  /**
   * Returns lookup tables and overlays of an instance.
   * @throws ApiError those of `frame`
   */
  extras(
    view: OpenView,
    sopInstanceUid: string,
    signal: AbortSignal = new AbortController().signal,
  ): Promise<InstanceExtras> {
    return this.#stateOf(view).image(sopInstanceUid, signal, (image, until) => image.extras(until))
  }

  /**
   * Runs `read` on the complete file of an instance.
   * @throws ApiError those of `frame`
   */
  read<T>(
    view: OpenView,
    sopInstanceUid: string,
    read: (source: ByteSource) => T,
    signal: AbortSignal = new AbortController().signal,
  ): Promise<T> {
    return this.#stateOf(view).image(sopInstanceUid, signal, (image, until) =>
      image.use(until, async ({ source }) => withApiErrors(() => read(source))),
    )
  }

  /**
   * Streams the DICOM file of an instance. That of a deflated one is inflated.
   * @throws ApiError those of `frame`
   */
  file(view: OpenView, sopInstanceUid: string, signal: AbortSignal): Promise<StreamedContent> {
    const wholeFile = ({ length }: ByteSource) => ({
      ...{ spans: [{ at: 0, length }], mimeType: 'application/dicom' },
    })
    // The download may take longer than the request for an image may.
    return this.#stateOf(view).image(sopInstanceUid, signal, (image) =>
      streamContent(image, wholeFile, undefined, signal),
    )
  }

  /**
   * Returns a presentation state, segmentation or structure set, once its file is complete.
   * @throws ApiError those of `frame`
   */
  referencing(
    view: OpenView,
    sopInstanceUid: string,
    signal: AbortSignal = new AbortController().signal,
  ): Promise<ReferencingObject> {
    return this.#stateOf(view).image(sopInstanceUid, signal, (image, until) =>
      image.use(until, referencingObjectOf),
    )
  }

  /**
   * Opens a medium.
   * @param range the `Range` header
   * @throws ApiError not-found; refused: it cannot be downloaded; the abort reason of `signal`
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
   * Adds a prior study to `lines`.
   * @throws ApiError not-found: it is not one of `priors`; refused: too many studies are open
   */
  addPrior(view: OpenView, studyInstanceUid: string): void {
    if (!this.priors(view).some((prior) => prior.studyInstanceUid === studyInstanceUid))
      throw new ApiError('not-found', message('viewer.no-such-prior'))
    const state = this.#stateOf(view)
    if (!state.hasStudy(studyInstanceUid) && state.studies >= MAX_STUDIES)
      throw new ApiError('refused', message('viewer.too-many-studies', { most: MAX_STUDIES }))
    state.addStudy(studyInstanceUid)
  }

  /**
   * Whether the study is listed; undefined if the list has not been requested since the view was
   * loaded.
   */
  shows(view: OpenView, studyInstanceUid: string): boolean | undefined {
    const list = this.#states.get(view.viewId)?.list
    return list && list.study(studyInstanceUid) !== undefined
  }

  /**
   * The data of an instance from its file, for a capture; undefined until the header of the file
   * has been read.
   */
  instanceOf(view: OpenView, sopInstanceUid: string) {
    const list = this.#states.get(view.viewId)?.list
    const instance = list?.instance(sopInstanceUid)
    if (!instance || instance.source === 'manifest') return undefined
    const series = list?.series(instance.seriesInstanceUid)
    const study = list?.study(instance.studyInstanceUid)
    return series && study && { instance, series, study }
  }

  /** Ends a view: stops its downloads and drops it from memory. */
  end(viewId: string): void {
    this.#states.get(viewId)?.end()
    this.#states.delete(viewId)
    if (this.#states.size === 0) this.#fetcher.cache.openFiles.close()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer)
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
   * Drops views without readers, least recently used first; they are reloaded if they are used
   * again.
   */
  #makeRoom(): void {
    const idle = [...this.#states]
      .filter(([, { lastUse }]) => Number.isFinite(lastUse))
      .sort(([, one], [, other]) => one.lastUse - other.lastUse)
    let held = [...this.#states.values()].reduce((sum, { list }) => sum + list.size, 0)
    for (const [viewId, { list }] of idle) {
      if (this.#states.size < this.#maxViews && held < this.#maxListed) break
      held -= list.size
      this.end(viewId)
    }
  }

  #endIdle(): void {
    const now = this.#context.clock()
    for (const [viewId, { lastUse }] of this.#states) if (now - lastUse > IDLE_MS) this.end(viewId)
  }
}
