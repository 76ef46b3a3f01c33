import { Loader, VisuallyHidden } from '@mantine/core'
import { useElementSize } from '@mantine/hooks'
import { lazy, Suspense, useEffect, useRef } from 'react'
import { t } from '../i18n/t.ts'
import { filledBoard } from './board.ts'
import { CaptureDialog } from './capture-dialog.tsx'
import { CineBar } from './cine-bar.tsx'
import { CloseDialog } from './close-dialog.tsx'
import { DangerBanner } from './danger-banner.tsx'
import { isShown, openingOf } from './documents/media-name.ts'
import { useKeyImageKeys } from './documents/use-key-images.ts'
import css from './frame.module.css'
import { Grid } from './grid.tsx'
import { hangingSeriesIn } from './hangables.ts'
import { MediaBeside } from './media-beside.tsx'
import { PatientBar } from './patient-bar.tsx'
import { Planes } from './planes.tsx'
import { PriorOffer } from './prior-offer.tsx'
import { Rail } from './rail.tsx'
import { Sheet } from './sheet.tsx'
import { ViewerSidebar } from './side.tsx'
import { StatusLine } from './status-line.tsx'
import { TextDialog } from './text-dialog.tsx'
import { Toolbar } from './toolbar.tsx'
import { useAwaitedPriors } from './use-awaited-priors.ts'
import { useKeys } from './use-keys.ts'
import { useOpeningLayout } from './use-opening-layout.ts'
import { useBestPrior } from './use-priors.ts'
import { useRetrievals } from './use-retrievals.ts'
import { useWindowSync } from './use-windows.ts'
import { useActivePaneId, useImages, useViewerContext, useViewerState } from './viewer-context.ts'
import { PLANES, paneIdOf, planePaneIdOf } from './viewer-store.ts'

const ElementsPanel = lazy(() => import('./documents/elements-panel.tsx'))

/**
 * The whole screen of a view: tools above, series at the left, images, lists at the right, state
 * below.
 */
export function Frame({ onClosed }: { onClosed: (sentence: string) => void }) {
  const isRailOpen = useViewerState((state) => state.isRailOpen)
  const arePlanesShown = useViewerState((state) => state.planesOf !== null)
  const hasElements = useViewerState((state) => state.hasElements)
  const { ref, width } = useElementSize()
  useHanging()
  useEngineSettings()
  useDrawings()
  useFirstDocument()
  const best = useBestPrior()
  useOpeningLayout(best)
  useAwaitedPriors()
  useRetrievals()
  useWindowSync(onClosed)
  useKeys()
  useKeyImageKeys()
  return (
    <div className={css.frame} data-embedded={window.parent !== window || undefined} ref={ref}>
      <section aria-label={t('ui.viewer.toolbar.label')}>
        <VisuallyHidden>
          <h1>{t('ui.viewer.landing.heading')}</h1>
        </VisuallyHidden>
        <PatientBar />
        <DangerBanner />
        {/* Before it is measured: tools of another width would be made for nothing. */}
        <Toolbar width={width || window.innerWidth} />
        <PriorOffer best={best} />
      </section>
      <div className={css.middle}>
        {isRailOpen && <Rail />}
        <main className={css.stage} aria-label={t('ui.viewer.landing.heading')}>
          {arePlanesShown ? <Planes /> : <Grid />}
          {hasElements ? (
            <Suspense fallback={<Loader size="sm" m="md" />}>
              <ElementsPanel />
            </Suspense>
          ) : (
            <MediaBeside />
          )}
        </main>
        <ViewerSidebar />
      </div>
      <CineBar />
      <StatusLine />
      <Sheet />
      <CaptureDialog />
      <TextDialog />
      <CloseDialog onClosed={onClosed} />
    </div>
  )
}

/** Hangs series as they come, where a pane waits for one. */
function useHanging(): void {
  const { viewerStore } = useViewerContext()
  const images = useImages()
  const now = useViewerState((state) => state.board)
  useEffect(() => {
    const board = filledBoard(now, hangingSeriesIn(images))
    if (board !== now) viewerStore.set({ board })
  }, [viewerStore, images, now])
}

/** A study without images, such as an ECG, opens with its first document. */
function useFirstDocument(): void {
  const { viewerStore } = useViewerContext()
  const { studies, media, progress } = useImages()
  const isDone = progress.state === 'done'
  const first = media.find(isShown)
  const isAlone = isDone && !studies.some(({ series }) => series.length > 0)
  const isOpened = useRef(false)
  useEffect(() => {
    if (!isAlone || !first || isOpened.current) return
    isOpened.current = true
    if (viewerStore.state().mediaId === null) viewerStore.set(openingOf(first, false))
  }, [viewerStore, isAlone, first])
}

/** What the screen is set to, told to the engine; and panes that are gone, forgotten. */
function useEngineSettings(): void {
  const { engine } = useViewerContext()
  const active = useActivePaneId()
  const tool = useViewerState((state) => state.tool)
  const link = useViewerState((state) => state.link)
  const hasLines = useViewerState((state) => state.hasLines)
  const arePlanesShown = useViewerState((state) => state.planesOf !== null)
  const hasVolume = useViewerState((state) => state.hasVolume)
  const panes = useViewerState((state) => state.board.panes.length)
  useEffect(() => engine.setActive(active), [engine, active])
  useEffect(() => engine.setTool('left', tool), [engine, tool])
  useEffect(() => engine.setSynchronised(link), [engine, link])
  useEffect(
    () => engine.setReferenceLines(hasLines && !arePlanesShown),
    [engine, hasLines, arePlanesShown],
  )
  useEffect(() => {
    engine.setCrosshairs(arePlanesShown)
    if (!arePlanesShown) for (const plane of PLANES) engine.dropPane(planePaneIdOf(plane))
  }, [engine, arePlanesShown])
  useEffect(() => {
    if (!arePlanesShown || !hasVolume) engine.dropPane(planePaneIdOf('volume'))
  }, [engine, arePlanesShown, hasVolume])
  useEffect(() => {
    for (let at = panes; at < MAX_PANES; at++) engine.dropPane(paneIdOf(at))
  }, [engine, panes])
}
const MAX_PANES = 16

/** Drawings of each study are read once it is there. */
function useDrawings(): void {
  const { drawings } = useViewerContext()
  const { studies } = useImages()
  useEffect(() => {
    for (const { study, series } of studies)
      if (series.length > 0) drawings.open(study.studyInstanceUid)
  }, [drawings, studies])
}
