import type { Context } from '#server/context.ts'
import type { OpenView } from '#server/http/callers.ts'
import { findStudyByUid } from '#server/modules/studies/study-queries.ts'
import { ApiError } from '#shared/errors.ts'
import { message } from '#shared/messages/message.ts'
import type { FileFetcher } from './file-fetcher.ts'
import type { ImageFile } from './image-file.ts'
import { MediaFiles, type ShownMedium } from './media.ts'
import type { AskAccess, RequestedStudy } from './partner-access.ts'
import { ShownStudies } from './shown-studies.ts'
import { StudyImages } from './study-images.ts'
import { type Progress, ViewList } from './view-list.ts'

/** Maximum number of concurrent frame requests of a view; a browser makes six. */
const MAX_CONCURRENT_FRAMES = 100
/** How long a request waits for a frame. */
const FRAME_TIMEOUT_MS = 60_000

/** The in-memory state of a view. */
export class ViewState {
  readonly list = new ViewList()
  readonly #context: Context
  readonly #fetcher: FileFetcher
  readonly #view: OpenView
  readonly #ask: AskAccess
  readonly #shown: ShownStudies
  readonly #ending = new AbortController()
  readonly #studies = new Map<string, StudyImages>()
  /** Number of frames being requested. */
  #frameRequests = 0
  #lastUse: number

  constructor(context: Context, fetcher: FileFetcher, view: OpenView, ask: AskAccess) {
    this.#context = context
    this.#fetcher = fetcher
    this.#view = view
    this.#ask = ask
    const media = new MediaFiles(fetcher.downloads, this.list)
    this.#shown = new ShownStudies(context, this.list, media)
    this.#lastUse = context.clock()
    this.#add(view.studyInstanceUid)
  }

  /**
   * Time of the last use in milliseconds since 1970; `Infinity` while there are readers or frame
   * requests.
   */
  get lastUse(): number {
    return this.list.hasReaders || this.#frameRequests > 0
      ? Number.POSITIVE_INFINITY
      : this.#lastUse
  }

  /** Number of studies. */
  get studies(): number {
    return this.#studies.size
  }

  hasStudy(studyInstanceUid: string): boolean {
    return this.#studies.has(studyInstanceUid)
  }

  addStudy(studyInstanceUid: string): void {
    if (!this.hasStudy(studyInstanceUid)) this.#add(studyInstanceUid)
  }

  async *lines(signal: AbortSignal) {
    this.list.addReader()
    try {
      for (const study of this.#studies.values()) study.start()
      const until = AbortSignal.any([signal, this.#ending.signal])
      yield* this.list.lines(() => this.#progress(), until)
    } finally {
      this.list.removeReader()
      this.#lastUse = this.#context.clock()
    }
  }

  /** Opens a medium once it is listed, see `MediaFiles.open`. */
  async medium(
    mediaId: number,
    range: string | undefined,
    signal: AbortSignal,
  ): Promise<ShownMedium> {
    this.#lastUse = this.#context.clock()
    const { media } = this.#shown
    const until = AbortSignal.any([signal, this.#ending.signal])
    while (!media.has(mediaId) && this.#progress().state !== 'done')
      await this.list.watch.next(until)
    return await media.open(mediaId, range, until)
  }

  /**
   * Runs `work` on an instance once it is listed.
   * @throws ApiError not-found, unavailable, too-many; the abort reason of `signal`
   */
  async image<T>(
    sopInstanceUid: string,
    signal: AbortSignal,
    work: (image: ImageFile, signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    if (this.#frameRequests >= MAX_CONCURRENT_FRAMES)
      throw new ApiError('too-many', message('viewer.too-many-frames-at-once'), {
        headers: { 'retry-after': '1' },
      })
    this.#lastUse = this.#context.clock()
    this.#frameRequests++
    const ending = this.#ending.signal
    const timeout = AbortSignal.timeout(FRAME_TIMEOUT_MS)
    const until = AbortSignal.any([signal, ending, timeout])
    try {
      return await work(await this.#imageOf(sopInstanceUid, until), until)
    } catch (error) {
      if (signal.aborted) throw signal.reason
      if (ending.aborted) throw new ApiError('not-found', message('viewer.view-ended'))
      if (timeout.aborted) throw new ApiError('unavailable', message('viewer.image-not-come'))
      throw error
    } finally {
      this.#frameRequests--
    }
  }

  /** Aborted when the view ends. */
  get ending(): AbortSignal {
    return this.#ending.signal
  }

  end(): void {
    this.#ending.abort(new Error('The view has ended.'))
    for (const study of this.#studies.values()) study.close()
    this.list.watch.changed()
  }

  #add(studyInstanceUid: string | null): void {
    const context = this.#context
    const view = this.#view
    const { signal } = this.#ending
    const asked = studyInstanceUid === null ? null : requestedStudy(context, view, studyInstanceUid)
    const study = new StudyImages(
      context,
      this.#fetcher,
      this.#shown,
      studyInstanceUid,
      studyInstanceUid !== view.studyInstanceUid,
      asked === undefined ? undefined : () => this.#ask(view, asked, signal),
      signal,
    )
    this.#studies.set(studyInstanceUid ?? '', study)
    study.start()
  }

  #progress(): Progress {
    const studies = [...this.#studies.values()]
    const state =
      (['asking', 'loading'] as const).find((one) => studies.some((of) => of.state === one)) ??
      'done'
    const sum = (part: 'read' | 'files') => studies.reduce((total, of) => total + of[part], 0)
    return { state, read: sum('read'), files: sum('files') }
  }

  async #imageOf(sopInstanceUid: string, signal: AbortSignal): Promise<ImageFile> {
    for (;;) {
      const studies = [...this.#studies.values()]
      for (const study of studies) {
        const image = study.find(sopInstanceUid)
        if (image) return image
      }
      if (this.#progress().state === 'done')
        throw new ApiError('not-found', message('viewer.no-such-image'))
      this.list.addReader()
      for (const study of studies) study.wake()
      const requests = studies.map((study) => study.prioritize(sopInstanceUid))
      try {
        await this.list.watch.next(signal)
      } finally {
        this.list.removeReader()
        for (const withdraw of requests) withdraw()
      }
    }
  }
}

/**
 * The study under which a partner is asked for images: that of the view, otherwise one of the
 * view's area, otherwise one of the other area. Cancelled studies are excluded.
 */
function requestedStudy(
  { database }: Context,
  view: OpenView,
  studyInstanceUid: string,
): RequestedStudy | undefined {
  if (view.studyId !== null && studyInstanceUid === view.studyInstanceUid)
    return { studyId: view.studyId, studyInstanceUid }
  const areas = view.area === 'viewer' ? ['viewer', 'scribe'] : ['scribe', 'viewer']
  const row = (areas as ('viewer' | 'scribe')[])
    .flatMap((area) => findStudyByUid(database, area, studyInstanceUid) ?? [])
    .find(({ cancelledAt }) => cancelledAt === null)
  return row && { studyId: row.studyId, studyInstanceUid }
}
