import { type CSSProperties, type DragEvent, useEffect, useState } from 'react'
import { t } from '../i18n/t.ts'
import { awaitedPrior, reasonsOf } from './awaited-prior.ts'
import { activated, aloneToggled, hung, type Pane as Place } from './board.ts'
import type { Pane } from './engine/pane.ts'
import css from './grid.module.css'
import { seriesOf } from './hangables.ts'
import { NAVIGATION_TOOLS } from './icons.ts'
import { PaneView } from './pane-view.tsx'
import { useBestPrior } from './use-priors.ts'
import { useImages, usePane, useViewerContext, useViewerState } from './viewer-context.ts'
import { paneIdOf } from './viewer-store.ts'

/** Type of what is dragged from the list of series. */
export const SERIES_DRAG_TYPE = 'application/x-isthmus-series'

/** The panes of the board, or one of them alone. */
export function Grid() {
  const board = useViewerState((state) => state.board)
  const { rows, columns, panes, alone } = board
  const size = alone === null ? { rows, columns } : { rows: 1, columns: 1 }
  return (
    <div
      className={css.grid}
      style={{ '--rows': size.rows, '--columns': size.columns } as CSSProperties}
    >
      {panes.map(
        (place, at) =>
          (alone === null || alone === at) && <HungPane key={paneIdOf(at)} at={at} place={place} />,
      )}
    </div>
  )
}

function HungPane({ at, place }: { at: number; place: Place }) {
  const { viewerStore } = useViewerContext()
  const [isOver, setIsOver] = useState(false)
  const paneId = paneIdOf(at)
  const pane = usePane(paneId)
  const images = useImages()
  const isActive = useViewerState((state) => state.board.active === at)
  const tool = useViewerState((state) => state.tool)
  const series = seriesOf(images, place.seriesKey)
  // The list makes a new object of a series that grows; the pane follows by itself.
  const key = series?.key
  const start = place.start?.index
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another series is shown anew
  useEffect(() => {
    const now = seriesOf(images, key ?? null)
    if (!now) return pane.clear()
    if (pane.state().series?.key !== key || start !== undefined) pane.show(now, start)
  }, [pane, key, start])
  useMirroring(pane, place)

  const drop = (event: DragEvent) => {
    const dragged = event.dataTransfer.getData(SERIES_DRAG_TYPE)
    setIsOver(false)
    if (!dragged) return
    event.preventDefault()
    viewerStore.hang((board) => hung(board, at, dragged))
  }
  return (
    <PaneView
      paneId={paneId}
      number={at + 1}
      isActive={isActive}
      isOver={isOver}
      note={<Note place={place} />}
      onActivate={() => viewerStore.hang((board) => activated(board, at))}
      onDoubleClick={() =>
        NAVIGATION_TOOLS.includes(tool) && viewerStore.hang((board) => aloneToggled(board, at))
      }
      onDragOver={(event) => {
        if (!event.dataTransfer.types.includes(SERIES_DRAG_TYPE)) return
        event.preventDefault()
        setIsOver(true)
      }}
      onDragLeave={() => setIsOver(false)}
      onDrop={drop}
    />
  )
}

/** What was mirrored already: a pane that comes back to the screen is not mirrored again. */
const lastMirroredImage = new WeakMap<Pane, string>()

/** Mirrors the first image of a pane that is to open mirrored, as soon as it is shown. */
function useMirroring(pane: Pane, { seriesKey, start }: Place): void {
  const opening = start?.isMirrored ? `${seriesKey} ${start.index}` : ''
  useEffect(() => {
    if (opening === '' || lastMirroredImage.get(pane) === opening) return
    const mirror = () => {
      const { isShown, series } = pane.state()
      if (!isShown || series?.key !== seriesKey) return
      stop()
      lastMirroredImage.set(pane, opening)
      pane.flip('horizontally')
    }
    const stop = pane.subscribe(mirror)
    mirror()
    return stop
  }, [pane, seriesKey, opening])
}

/** What an empty pane waits for. */
function Note({ place }: { place: Place }) {
  const { progress, studies, faults } = useImages()
  const isDone = progress.state === 'done'
  const hasSeries = studies.some(({ series }) => series.length > 0)
  if (place.filling === 'named')
    return (
      <span>
        {isDone
          ? t('ui.viewer.pane.noNamed', { name: place.name })
          : t('ui.viewer.pane.named', { name: place.name })}
      </span>
    )
  if (place.filling === 'prior') return <PriorNote />
  if (place.filling === 'free' && !isDone)
    return (
      <span>
        {progress.state === 'asking' ? t('ui.viewer.pane.asking') : t('ui.viewer.pane.coming')}
      </span>
    )
  if (!hasSeries && isDone) {
    return (
      <span>
        <strong>{t('ui.viewer.pane.noImages')}</strong>
        <ReasonList reasons={reasonsOf({ faults })} />
      </span>
    )
  }
  return (
    <span>
      <strong>{t('ui.viewer.pane.empty')}</strong>
      <br />
      {t('ui.viewer.pane.emptyHint')}
    </span>
  )
}

/** What a pane that is kept for a prior study waits for, or why none comes. */
function PriorNote() {
  const images = useImages()
  const best = useBestPrior()
  const problem = useViewerState((state) => state.priorProblem)
  const { isComing, text, reasons } = awaitedPrior(best, problem, images)
  if (isComing) return <span>{text}</span>
  return (
    <span>
      <strong>{text}</strong>
      <ReasonList reasons={reasons} />
    </span>
  )
}

const ReasonList = ({ reasons }: { reasons: readonly string[] }) =>
  reasons.map((sentence) => (
    <span key={sentence} className={css.reason}>
      {sentence}
    </span>
  ))
