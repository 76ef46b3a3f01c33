import { useEffect, useState } from 'react'
import { translateMessage } from '../i18n/messages.ts'
import { t } from '../i18n/t.ts'
import { PLANES, planePaneIdOf } from './desk.ts'
import { useBench, useDesk, useImages, usePane } from './desk-context.ts'
import type { Plane } from './engine/pane.ts'
import type { SeriesState } from './engine/stack.ts'
import css from './grid.module.css'
import { seriesOf } from './hangables.ts'
import { PaneView } from './pane-view.tsx'

/** A volume in three planes, with crosshairs (MPR). */
export function Planes() {
  const images = useImages()
  const series = seriesOf(
    images,
    useDesk((state) => state.planesOf),
  )
  return (
    <div className={css.planes}>
      {PLANES.map((plane, at) => (
        <PlanePane key={plane} at={at} plane={plane} series={series} />
      ))}
    </div>
  )
}

function PlanePane({
  at,
  plane,
  series,
}: {
  at: number
  plane: Plane
  series: SeriesState | undefined
}) {
  const { desk } = useBench()
  const paneId = planePaneIdOf(plane)
  const pane = usePane(paneId)
  const isActive = useDesk((state) => state.activePlane === at)
  const [fault, setFault] = useState('')
  const key = series?.key
  // biome-ignore lint/correctness/useExhaustiveDependencies: the pane follows a series that grows by itself
  useEffect(() => {
    const why = series && pane.showPlane(series, plane)
    setFault(why ? translateMessage(why) : series ? '' : t('ui.viewer.pane.cannotPlane'))
  }, [pane, plane, key])
  return (
    <PaneView
      paneId={paneId}
      number={at + 1}
      isActive={isActive}
      isOver={false}
      note={<span>{fault || t('ui.viewer.pane.coming')}</span>}
      onActivate={() => desk.set({ activePlane: at })}
    />
  )
}
