import { useEffect, useState } from 'react'
import type { Message } from '#shared/messages/message.ts'
import { translateMessage } from '../i18n/messages.ts'
import { t } from '../i18n/t.ts'
import type { Pane } from './engine/pane.ts'
import type { SeriesState } from './engine/stack.ts'
import css from './grid.module.css'
import { seriesOf } from './hangables.ts'
import { PaneView } from './pane-view.tsx'
import { useImages, usePane, useViewerContext, useViewerState } from './viewer-context.ts'
import { PLANES, planePaneIdOf, type VOLUME_PANES } from './viewer-store.ts'

/** A volume in three planes, with crosshairs (MPR), and as a whole where somebody wants it. */
export function Planes() {
  const images = useImages()
  const series = seriesOf(
    images,
    useViewerState((state) => state.planesOf),
  )
  const hasVolume = useViewerState((state) => state.hasVolume)
  return (
    <div className={css.planes} data-has-volume={hasVolume || undefined}>
      {PLANES.map((plane, at) => (
        <VolumePane
          key={plane}
          at={at}
          name={plane}
          series={series}
          show={(pane, series) => pane.showPlane(series, plane)}
        />
      ))}
      {hasVolume && (
        <VolumePane
          at={PLANES.length}
          name="volume"
          series={series}
          show={(pane, series) => pane.showVolume(series)}
        />
      )}
    </div>
  )
}

function VolumePane({
  at,
  name,
  series,
  show,
}: {
  at: number
  name: (typeof VOLUME_PANES)[number]
  series: SeriesState | undefined
  /** @returns why it cannot be shown; null where it can */
  show: (pane: Pane, series: SeriesState) => Message | null
}) {
  const { viewerStore } = useViewerContext()
  const paneId = planePaneIdOf(name)
  const pane = usePane(paneId)
  const isActive = useViewerState((state) => state.activePlane === at)
  const [fault, setFault] = useState('')
  const key = series?.key
  // biome-ignore lint/correctness/useExhaustiveDependencies: the pane follows a series that grows by itself
  useEffect(() => {
    const why = series && show(pane, series)
    setFault(why ? translateMessage(why) : series ? '' : t('ui.viewer.pane.cannotPlane'))
  }, [pane, name, key])
  return (
    <PaneView
      paneId={paneId}
      number={at + 1}
      isActive={isActive}
      isOver={false}
      note={<span>{fault || t('ui.viewer.pane.coming')}</span>}
      onActivate={() => viewerStore.set({ activePlane: at })}
    />
  )
}
