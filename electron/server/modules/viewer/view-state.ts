import type { OpenView } from '#server/http/view-authentication.ts'
import type { ViewLine } from '#shared/contract/viewing.ts'
import { ApiError } from '#shared/errors.ts'
import type { ImageFile } from './image-file.ts'
import { mediaFiles } from './media.ts'
import type { OpenFiles } from './open-files.ts'
import { shownStudies } from './shown-studies.ts'
import { type StudyImages, studyImages } from './study-images.ts'
import type { ViewCache } from './view-cache.ts'
import type { AskedStudy, ShownMedium, ViewImagesDeps } from './view-images.ts'
import { type Progress, type ViewList, viewList } from './view-list.ts'

const PAUSES_MS = [1000, 4000]
const START_MS = 2000
/** Frames that one view waits for or reads at once: a browser asks for six. */
const MOST_AT_ONCE = 100
/** How long a frame is waited for. */
const PATIENCE_MS = 60_000

/** What the gateway holds of a view in memory. */
export interface ViewState {
  readonly list: ViewList
  readonly studies: ReadonlyMap<string, StudyImages>
  /** Milliseconds since 1970; `Infinity` while somebody listens or waits for an image. */
  readonly lastUse: number
  addStudy(studyInstanceUid: string): void
  lines(signal: AbortSignal): AsyncGenerator<ViewLine>
  /** See `MediaFiles`; waits until it is known. */
  medium(mediaId: number, range: string | undefined, signal: AbortSignal): Promise<ShownMedium>
  /**
   * The instance, once it is known. @throws ApiError not-found, unavailable, too-many; the reason
   * of `signal`
   */
  image<T>(
    sopInstanceUid: string,
    signal: AbortSignal,
    work: (image: ImageFile, signal: AbortSignal) => Promise<T>,
  ): Promise<T>
  end(): void
}

export interface ViewStateDeps extends ViewImagesDeps {
  readonly cache: ViewCache
  readonly openFiles: OpenFiles
}

export function openViewState(deps: ViewStateDeps, view: OpenView): ViewState {
  const { store, clock, downloads } = deps
  const ending = new AbortController()
  const { signal } = ending
  const list = viewList()
  const shown = shownStudies(store, list)
  const media = mediaFiles(downloads, list)
  const studies = new Map<string, StudyImages>()
  let listeners = 0
  /** Frames of images that are not known yet. */
  let waiting = 0
  /** Frames that are asked for. */
  let asking = 0
  let lastUse = clock()

  /**
   * The row by which a partner knows the study: the view's own, or one of its area before one of
   * the other; none that is cancelled.
   */
  function askedStudy(studyInstanceUid: string): AskedStudy | undefined {
    if (view.studyId !== null && studyInstanceUid === view.studyInstanceUid)
      return { studyId: view.studyId, studyInstanceUid }
    const areas =
      view.area === 'viewer' ? (['viewer', 'scribe'] as const) : (['scribe', 'viewer'] as const)
    const row = areas
      .flatMap((area) => store.studies.byUid(area, studyInstanceUid) ?? [])
      .find(({ cancelledAt }) => cancelledAt === null)
    return row && { studyId: row.studyId, studyInstanceUid }
  }

  function add(studyInstanceUid: string | null): void {
    const asked = studyInstanceUid === null ? null : askedStudy(studyInstanceUid)
    const study = studyImages({
      ...{ ...deps, list, shown, media, signal, studyInstanceUid },
      pausesMs: deps.pausesMs ?? PAUSES_MS,
      startMs: deps.startMs ?? START_MS,
      isPrior: studyInstanceUid !== view.studyInstanceUid,
      isWanted: () => listeners + waiting > 0,
      ask: asked === undefined ? undefined : () => deps.ask(view, asked, signal),
    })
    studies.set(studyInstanceUid ?? '', study)
    study.go()
  }
  add(view.studyInstanceUid)

  function progress(): Progress {
    const all = [...studies.values()]
    const state =
      (['asking', 'loading'] as const).find((one) => all.some((study) => study.state === one)) ??
      'done'
    const sum = (part: 'read' | 'files') => all.reduce((total, study) => total + study[part], 0)
    return { state, read: sum('read'), files: sum('files') }
  }

  async function imageOf(sopInstanceUid: string, within: AbortSignal): Promise<ImageFile> {
    for (;;) {
      for (const study of studies.values()) {
        const image = study.find(sopInstanceUid)
        if (image) return image
      }
      if (progress().state === 'done')
        throw new ApiError('not-found', 'There is no such image in this view.')
      waiting++
      for (const study of studies.values()) study.wake()
      const settle = [...studies.values()].map((study) => study.urge(sopInstanceUid))
      try {
        await list.watch.next(within)
      } finally {
        waiting--
        for (const each of settle) each()
      }
    }
  }

  return {
    list,
    studies,
    get lastUse() {
      return listeners + asking > 0 ? Number.POSITIVE_INFINITY : lastUse
    },
    addStudy(studyInstanceUid) {
      if (!studies.has(studyInstanceUid)) add(studyInstanceUid)
    },
    async *lines(listening) {
      listeners++
      try {
        for (const study of studies.values()) study.go()
        yield* list.lines(progress, AbortSignal.any([listening, signal]))
      } finally {
        listeners--
        lastUse = clock()
      }
    },
    async medium(mediaId, range, wanted) {
      lastUse = clock()
      const within = AbortSignal.any([wanted, signal])
      while (!media.has(mediaId) && progress().state !== 'done') await list.watch.next(within)
      return await media.open(mediaId, range, within)
    },
    async image(sopInstanceUid, wanted, work) {
      if (asking >= MOST_AT_ONCE)
        throw new ApiError('too-many', 'This view asks for too many images at once.', {
          headers: { 'retry-after': '1' },
        })
      lastUse = clock()
      asking++
      const patience = AbortSignal.timeout(PATIENCE_MS)
      const within = AbortSignal.any([wanted, signal, patience])
      try {
        return await work(await imageOf(sopInstanceUid, within), within)
      } catch (error) {
        if (wanted.aborted) throw wanted.reason
        if (signal.aborted) throw new ApiError('not-found', 'This view has ended.')
        if (patience.aborted)
          throw new ApiError('unavailable', 'The image has not come within a minute: try again.')
        throw error
      } finally {
        asking--
      }
    },
    end() {
      ending.abort(new Error('The view has ended.'))
      for (const study of studies.values()) study.close()
      list.watch.changed()
    },
  }
}
