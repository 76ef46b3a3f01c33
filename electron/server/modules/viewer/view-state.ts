import type { Context } from '#server/context.ts'
import type { OpenView } from '#server/http/view-authentication.ts'
import { ApiError } from '#shared/errors.ts'
import type { AskAccess, AskedStudy } from './access-asking.ts'
import type { ImageFile } from './image-file.ts'
import { type Progress, viewList } from './list.ts'
import { mediaFiles } from './media.ts'
import type { ViewFiles, ViewScope } from './scope.ts'
import { shownStudies } from './shown-studies.ts'
import { type StudyImages, studyImages } from './study-images.ts'

/** Frames that one view waits for or reads at once: a browser asks for six. */
const MOST_AT_ONCE = 100
/** How long a frame is waited for. */
const PATIENCE_MS = 60_000

export type ViewState = ReturnType<typeof openViewState>

/** What the gateway holds of a view in memory. */
export function openViewState(files: ViewFiles, view: OpenView, ask: AskAccess) {
  const { context, downloads } = files
  const { clock } = context
  const ending = new AbortController()
  const { signal } = ending
  const list = viewList()
  const media = mediaFiles(downloads, list)
  const studies = new Map<string, StudyImages>()
  let listeners = 0
  /** Frames of images that are not known yet. */
  let waiting = 0
  /** Frames that are asked for. */
  let asking = 0
  let lastUse = clock()
  const scope: ViewScope = {
    ...{ ...files, list, media, signal, shown: shownStudies(context, list) },
    isWanted: () => listeners + waiting > 0,
  }

  function add(studyInstanceUid: string | null): void {
    const asked = studyInstanceUid === null ? null : askedStudy(context, view, studyInstanceUid)
    const isPrior = studyInstanceUid !== view.studyInstanceUid
    const askAgain = asked === undefined ? undefined : () => ask(view, asked, signal)
    const study = studyImages(scope, studyInstanceUid, isPrior, askAgain)
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
    studies: studies as ReadonlyMap<string, StudyImages>,
    /** Milliseconds since 1970; `Infinity` while somebody listens or waits for an image. */
    get lastUse() {
      return listeners + asking > 0 ? Number.POSITIVE_INFINITY : lastUse
    },
    addStudy(studyInstanceUid: string): void {
      if (!studies.has(studyInstanceUid)) add(studyInstanceUid)
    },
    async *lines(listening: AbortSignal) {
      listeners++
      try {
        for (const study of studies.values()) study.go()
        yield* list.lines(progress, AbortSignal.any([listening, signal]))
      } finally {
        listeners--
        lastUse = clock()
      }
    },
    /** See `mediaFiles`; waits until it is known. */
    async medium(mediaId: number, range: string | undefined, wanted: AbortSignal) {
      lastUse = clock()
      const within = AbortSignal.any([wanted, signal])
      while (!media.has(mediaId) && progress().state !== 'done') await list.watch.next(within)
      return await media.open(mediaId, range, within)
    },
    /**
     * The instance, once it is known. @throws ApiError not-found, unavailable, too-many; the reason
     * of `wanted`
     */
    async image<T>(
      sopInstanceUid: string,
      wanted: AbortSignal,
      work: (image: ImageFile, signal: AbortSignal) => Promise<T>,
    ): Promise<T> {
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
    end(): void {
      ending.abort(new Error('The view has ended.'))
      for (const study of studies.values()) study.close()
      list.watch.changed()
    },
  }
}

/**
 * The row by which a partner knows the study: the view's own, or one of its area before one of the
 * other; none that is cancelled.
 */
function askedStudy(
  { studies }: Context,
  view: OpenView,
  studyInstanceUid: string,
): AskedStudy | undefined {
  if (view.studyId !== null && studyInstanceUid === view.studyInstanceUid)
    return { studyId: view.studyId, studyInstanceUid }
  const areas =
    view.area === 'viewer' ? (['viewer', 'scribe'] as const) : (['scribe', 'viewer'] as const)
  const row = areas
    .flatMap((area) => studies.byUid(area, studyInstanceUid) ?? [])
    .find(({ cancelledAt }) => cancelledAt === null)
  return row && { studyId: row.studyId, studyInstanceUid }
}
