import { Loader, RingProgress, Tooltip, VisuallyHidden } from '@mantine/core'
import { useIntersection } from '@mantine/hooks'
import { IconPhotoOff } from '@tabler/icons-react'
import { useEffect, useState } from 'react'
import { translateMessage } from '../i18n/messages.ts'
import { t } from '../i18n/t.ts'
import { Tag } from '../ui/tone.tsx'
import { hung } from './board.ts'
import type { SeriesState } from './engine/stack.ts'
import { SERIES_DRAG_TYPE } from './grid.tsx'
import css from './rail.module.css'
import { useOtherWindows } from './use-windows.ts'
import { useImages, useViewerContext } from './viewer-context.ts'
import { activePaneId } from './viewer-store.ts'

/**
 * A series in the list: a click or Enter shows it in the active pane, and it can be dragged to any.
 */
export function Thumbnail({
  series,
  isShown,
  isActive,
}: {
  series: SeriesState
  isShown: boolean
  isActive: boolean
}) {
  const { viewerStore } = useViewerContext()
  const { progress } = useImages()
  const others = useOtherWindows()
  const isInOtherWindow = [...others.values()].some((shown) => shown.series.includes(series.key))
  const { ref, entry } = useIntersection({ threshold: 0 })
  const picture = usePicture(series, entry?.isIntersecting ?? false)
  const { series: of, part, stack, missing } = series
  const unread = stack.filter(({ instance }) => instance.source === 'manifest').length
  const isComing = progress.state !== 'done' && unread > 0
  const count = series.isMultiFrame
    ? t('ui.viewer.rail.frames', { number: stack.length })
    : t('ui.viewer.rail.images', { number: stack.length })
  const show = (isByMouse: boolean) => {
    viewerStore.set((state) => (state.planesOf === null ? {} : { planesOf: null }))
    viewerStore.hang((board) => hung(board, board.active, series.key))
    // The keys are for its images from now on. Who came here by key goes on from here.
    if (isByMouse)
      document
        .querySelector<HTMLElement>(`section[data-pane="${activePaneId(viewerStore.state())}"]`)
        ?.focus({ preventScroll: true })
  }
  return (
    <button
      ref={ref}
      type="button"
      className={css.series}
      aria-current={isActive}
      data-shown={isShown || undefined}
      data-prior={series.isPrior || undefined}
      draggable
      onDragStart={(event) => event.dataTransfer.setData(SERIES_DRAG_TYPE, series.key)}
      onClick={(event) => show(event.detail > 0)}
    >
      <span className={css.picture}>
        {picture === 'none' ? (
          <IconPhotoOff size={20} aria-hidden />
        ) : picture ? (
          <img src={picture} alt="" draggable={false} />
        ) : (
          <Loader size={14} color="gray" />
        )}
        {isComing && <LoadingProgress part={1 - unread / stack.length} />}
      </span>
      <span className={css.about}>
        <span className={css.description}>
          {[of.seriesDescription || t('ui.viewer.rail.untitled'), part && translateMessage(part)]
            .filter(Boolean)
            .join(', ')}
        </span>
        <span className={css.facts}>
          <b>{of.modality}</b>
          {of.seriesNumber !== null && <span>{of.seriesNumber}</span>}
          <span>{count}</span>
        </span>
        {isShown && <VisuallyHidden>{t('ui.viewer.rail.isShown')}</VisuallyHidden>}
        {isInOtherWindow && <Tag tone="info">{t('ui.viewer.windows.shown')}</Tag>}
        {missing.size > 0 && (
          <Tag
            tone="warning"
            meaning={t('ui.viewer.rail.missingMeaning', { number: missing.size })}
          >
            {t('ui.viewer.rail.missing', { number: missing.size })}
          </Tag>
        )}
      </span>
    </button>
  )
}

function LoadingProgress({ part }: { part: number }) {
  return (
    <Tooltip label={t('ui.viewer.rail.reading')}>
      <span className={css.ring}>
        <RingProgress
          size={20}
          thickness={3}
          roundCaps
          sections={[{ value: part * 100, color: 'petrol.4' }]}
          aria-hidden
        />
        <VisuallyHidden>{t('ui.viewer.rail.reading')}</VisuallyHidden>
      </span>
    </Tooltip>
  )
}

/** Pictures that were made, by series. */
const urlsBySeries = new WeakMap<object, Map<string, string>>()

/**
 * The picture of a series, asked for when it is first seen; again where more of the series has come
 * since it failed.
 */
function usePicture(series: SeriesState, isSeen: boolean): string | 'none' | undefined {
  const { engine } = useViewerContext()
  const { progress } = useImages()
  const pictures = urlsBySeries.get(engine) ?? new Map<string, string>()
  urlsBySeries.set(engine, pictures)
  const [picture, setPicture] = useState<string | undefined>(pictures.get(series.key))
  const isDone = progress.state === 'done'
  const isWanted = isSeen && (picture === undefined || (picture === 'none' && isDone))
  const size = isDone ? series.stack.length : 0
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked once for a series, and once more when all has come
  useEffect(() => {
    if (!isWanted) return
    const abortController = new AbortController()
    engine.thumbnail(series, abortController.signal).then(
      (url) => {
        pictures.set(series.key, url)
        if (!abortController.signal.aborted) setPicture(url)
      },
      () => {
        if (!abortController.signal.aborted) setPicture('none')
      },
    )
    return () => abortController.abort()
  }, [engine, series.key, isSeen, size])
  return picture
}
