import { useEffect } from 'react'
import { t } from '../i18n/t.ts'
import { reasonsOf } from './awaited-prior.ts'
import { counterpart, withPriorBeside } from './board.ts'
import { hangingSeriesIn, hangingSeriesOf } from './hangables.ts'
import { useImages, useViewerContext, useViewerState } from './viewer-context.ts'

/** How long a study may be listed without an image until it counts as one without images. */
const EMPTY_STUDY_TIMEOUT_MS = 3000

/** Hangs a prior study beside as soon as its series are there. */
export function useAwaitedPriors(): void {
  const { viewerStore } = useViewerContext()
  const awaited = useViewerState((state) => state.awaitedPriors)
  const images = useImages()
  useEffect(() => {
    for (const studyUid of awaited) {
      const study = images.studies.find(({ study }) => study.studyInstanceUid === studyUid)
      const { board } = viewerStore.state()
      const now = hangingSeriesIn(images).find(
        ({ seriesKey }) => seriesKey === board.panes[board.active]?.seriesKey,
      )
      const found = counterpart(now, study?.series.map(hangingSeriesOf) ?? [])
      if (!found) continue
      viewerStore.set({ planesOf: null, awaitedPriors: awaited.filter((one) => one !== studyUid) })
      viewerStore.hang((board) => withPriorBeside(board, found.seriesKey))
    }
  }, [viewerStore, awaited, images])
  // A study that turns out to have no images is not waited for.
  useEffect(() => {
    if (awaited.length === 0 || images.progress.state !== 'done') return
    const timer = window.setTimeout(() => {
      const why = reasonsOf(images, awaited)
      const text = [t('ui.viewer.priors.noImages'), ...why.slice(0, 1)].join(' ')
      viewerStore.set({ awaitedPriors: [], statusMessage: { text } })
    }, EMPTY_STUDY_TIMEOUT_MS)
    return () => window.clearTimeout(timer)
  }, [viewerStore, awaited, images])
}
