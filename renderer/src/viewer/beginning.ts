import type { SavedDrawings } from '#shared/contract/saved-drawings.ts'
import { type View, viewing } from '#shared/contract/viewing.ts'
import { message, verbatim } from '#shared/messages/message.ts'
import { ProblemError } from '../api/client.ts'
import { randomId } from '../format/random-id.ts'
import { LOCK_CHANNEL } from '../ui/image-panel/child-windows.ts'
import { call } from './calls.ts'
import { openKeyImages } from './documents/key-images.ts'
import { type DrawingsKeeperOptions, openDrawingsKeeper } from './drawings-keeper.ts'
import { idOf } from './drawings-merge.ts'
import { Fetches } from './engine/fetches.ts'
import { ImageList } from './engine/images.ts'
import { framePathOf } from './engine/series.ts'
import { fetchOnce } from './first-requests.ts'
import { openReferencingStore } from './referencing/referencing-store.ts'
import { openSegmentFrames } from './referencing/segment-values.ts'
import { openSegmentVolumes } from './referencing/segment-volumes.ts'
import { drawingOfKeyImage, isKeyImage, keyImageOfDrawing } from './saved-to-study.ts'
import type { ViewerContext } from './viewer-context.ts'
import { createViewerStore } from './viewer-store.ts'
import { openWindows } from './windows.ts'

// Its four megabytes are on their way while the link is still exchanged.
const engineModule = import('./engine/engine.ts')
engineModule.catch(() => undefined)

export interface StartedView {
  readonly list: ImageList
  readonly bench: Promise<ViewerContext>
}
let begun: { readonly viewId: string; readonly begun: StartedView } | undefined

/**
 * Begins a view: its list opens at once, the engine as soon as it is here. A page has one view:
 * called again, it gives the same.
 */
export function startView(view: View): StartedView {
  if (begun?.viewId === view.viewId) return begun.begun
  const list = new ImageList(view.viewId, { fetch: fetchOnce })
  const fetches = new Fetches({ fetch: fetchOnce })
  onFirstImage(list, (imageId) => fetches.fetchAhead(framePathOf(view.viewId, imageId)))
  begun = { viewId: view.viewId, begun: { list, bench: createViewerContext(view, list, fetches) } }
  return begun.begun
}

/** Below this width of the page, in CSS pixels, the series stand aside at first. */
const NARROW_WIDTH = 900

async function createViewerContext(
  view: View,
  list: ImageList,
  fetches: Fetches,
): Promise<ViewerContext> {
  const viewerStore = createViewerStore(view, {
    isNarrow: window.innerWidth < NARROW_WIDTH,
    preferences: localWishes,
  })
  const [{ startEngine }, { measured }, { annotationOfDrawing: keptOfSaved, savedUidOf }] =
    await Promise.all([engineModule, import('./measured.ts'), import('./engine/saved-form.ts')])
  const engine = await startEngine(list, fetches)
  onFirstImage(list, engine.prepare)
  const windows = openWindows(new BroadcastChannel(`isthmus view ${view.viewId}`), randomId())
  const calls = drawingsCalls(view)
  const drawings = openDrawingsKeeper({
    ...calls,
    async save(studyInstanceUid, stored, isLast) {
      const revision = await calls.save(studyInstanceUid, stored, isLast)
      windows.post({ kind: 'drawn', studyInstanceUid })
      return revision
    },
    async saveToStudy(studyInstanceUid, changes) {
      const saved = await calls.saveToStudy(studyInstanceUid, changes)
      windows.post({ kind: 'drawn', studyInstanceUid })
      return saved
    },
    drawn: engine.annotations,
    restore: engine.restore,
    forms: {
      uidOf: (kept) => (isKeyImage(kept) ? kept.id : savedUidOf(idOf(kept))),
      toSaved: (kept) => (isKeyImage(kept) ? drawingOfKeyImage(kept) : engine.toSaved(kept)),
      toKept: (saved, studyUid) =>
        saved.kind === 'keyImage'
          ? keyImageOfDrawing(saved, studyUid)
          : keptOfSaved(saved, studyUid),
    },
    // Those who were sent a link do not remove what others see.
    mayRemoveSaved: view.kind === 'window',
  })
  engine.onDrawn((studyUid) => drawings.changed(studyUid))
  const keyImages = openKeyImages(list, (sopInstanceUid) =>
    call(viewing.report, { params: { viewId: view.viewId, sopInstanceUid } }),
  )
  window.addEventListener('pagehide', () => {
    drawings.flush(true)
    windows.post({ kind: 'left' })
  })
  // What was opened from the window is not seen after that was locked.
  if (view.kind === 'window') {
    new BroadcastChannel(LOCK_CHANNEL).onmessage = () => {
      window.close()
      // A tab that a person has opened stays: the gateway tells it that the window is locked.
      window.location.reload()
    }
  }
  // A page that comes back from the browser's cache is a window again.
  window.addEventListener('pageshow', (event) => {
    if (event.persisted) windows.post({ kind: 'hello' })
  })
  const referencing = openReferencingStore({
    list,
    read: (sopInstanceUid, signal) =>
      call(viewing.referencing, { params: { viewId: view.viewId, sopInstanceUid } }, signal),
    problemOf: (error) =>
      error instanceof ProblemError ? verbatim(error.message) : message('viewer.overlay-not-read'),
  })
  const segmentFrames = openSegmentFrames(engine.storedFrame)
  const segmentVolumes = openSegmentVolumes(engine.storedFrame)
  return {
    ...{
      viewerStore: viewerStore,
      list,
      engine,
      drawings,
      keyImages,
      referencing,
      measured,
      windows,
    },
    ...{ segmentFrames, segmentVolumes },
  }
}

/** Calls once, with the image that most views open with: it comes while the screen is made. */
function onFirstImage(list: ImageList, run: (imageId: string) => void): void {
  const runIfPresent = () => {
    const current = list.state().studies.find(({ study }) => !study.isPrior)
    const first = current?.series[0]?.stack[0]
    if (first) run(first.imageId)
    return first !== undefined
  }
  if (runIfPresent()) return
  const stop = list.subscribe(() => runIfPresent() && stop())
}

/** A browser may refuse its storage. */
const localWishes = {
  get(name: string): string | null {
    try {
      return window.localStorage.getItem(name)
    } catch {
      return null
    }
  },
  set(name: string, value: string): void {
    try {
      window.localStorage.setItem(name, value)
    } catch {
      // Then the wish lasts as long as the page.
    }
  },
}

type DrawingsCalls = Omit<DrawingsKeeperOptions, 'drawn' | 'restore' | 'forms' | 'mayRemoveSaved'>
const NOTHING_SAVED: SavedDrawings = { version: 0, savedAt: null, savedBy: '', drawings: [] }

function drawingsCalls({ viewId, studyInstanceUid: viewed }: View): DrawingsCalls {
  const paramsOf = (studyInstanceUid: string) => ({ viewId, studyInstanceUid })
  return {
    read: (studyUid) => call(viewing.annotations, { params: paramsOf(studyUid) }),
    // Images that a partner shows without a study have no archive.
    readStudy: async (studyUid) =>
      viewed === null
        ? NOTHING_SAVED
        : await call(viewing.savedDrawings, { params: paramsOf(studyUid) }),
    saveToStudy: (studyUid, body) =>
      call(viewing.saveDrawings, { params: paramsOf(studyUid), body }),
    async save(studyUid, { revision, annotations }, isLast) {
      // Drawings are JSON: they come from it and go into it.
      const body = { revision, annotations: annotations as never[] }
      const saved = await call(
        viewing.saveAnnotations,
        { params: paramsOf(studyUid), body },
        undefined,
        { outlivesPage: isLast },
      )
      return saved.revision
    },
    faultOf(error) {
      if (!(error instanceof ProblemError)) return { kind: 'refused', sentence: String(error) }
      const kind =
        error.code === 'refused'
          ? 'conflict'
          : RETRYABLE_CODES.has(error.code)
            ? 'again'
            : 'refused'
      return { kind, sentence: error.message }
    },
    after(milliseconds, run) {
      const timer = window.setTimeout(run, milliseconds)
      return () => window.clearTimeout(timer)
    },
  }
}

const RETRYABLE_CODES: ReadonlySet<string> = new Set([
  'unreachable',
  'unavailable',
  'too-many',
  'internal',
  'in-flight',
])
