import { VisuallyHidden } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { type DragEventHandler, type ReactNode, useEffect, useRef } from 'react'
import { translateMessage } from '../i18n/messages.ts'
import { t } from '../i18n/t.ts'
import { pressShortcut } from '../ui/shortcuts.ts'
import { ToneIcon } from '../ui/tone.tsx'
import { KeyMark } from './documents/key-mark.tsx'
import type { PaneState } from './engine/pane.ts'
import { useIsKeyImage } from './key-image-list.tsx'
import { Overlay } from './overlay.tsx'
import { nameOf, spokenText } from './overlay-text.ts'
import css from './pane.module.css'
import { PointerValue } from './pointer-value.tsx'
import { PaneReferencing } from './referencing/pane-referencing.tsx'
import {
  useImages,
  usePane,
  usePaneState,
  useViewerContext,
  useViewerState,
} from './viewer-context.ts'

/** A place on the screen with its images, what is known of them, and what is wrong with them. */
export function PaneView(props: {
  paneId: string
  number: number
  isActive: boolean
  /** Something is held above it that it would take. */
  isOver: boolean
  /** What an empty pane says. */
  note: ReactNode
  onActivate: () => void
  onDoubleClick?: () => void
  onDragOver?: DragEventHandler
  onDragLeave?: DragEventHandler
  onDrop?: DragEventHandler
}) {
  const { paneId, number, isActive, isOver, note, onActivate, onDoubleClick, ...drag } = props
  const pane = usePane(paneId)
  const isKeyImage = useIsKeyImage(paneId)
  const container = useRef<HTMLDivElement>(null)
  const state = usePaneState(paneId, (state) => state)
  const { studies } = useImages()
  const isAnonymous = useViewerState((desk) => desk.isAnonymous)
  const study = studies.find(
    ({ study }) => study.studyInstanceUid === state.series?.studyInstanceUid,
  )?.study
  const currentDate = studies.find(({ study }) => !study.isPrior)?.study.studyDate ?? ''
  useEffect(() => (container.current ? pane.attach(container.current) : undefined), [pane])
  // Focus follows the active pane where it is in a pane already, so that keys and the frame around
  // it go together.
  const frame = useRef<HTMLElement>(null)
  useEffect(() => {
    if (isActive && document.activeElement?.closest('[data-pane]'))
      frame.current?.focus({ preventScroll: true })
  }, [isActive])
  return (
    <section
      ref={frame}
      className={css.pane}
      data-pane={paneId}
      data-active={isActive || undefined}
      data-prior={study?.isPrior || undefined}
      data-over={isOver || undefined}
      aria-label={t('ui.viewer.pane.label', {
        number,
        what: state.series ? nameOf(state.series) : t('ui.viewer.pane.empty'),
      })}
      aria-current={isActive}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: keys scroll and measure in the pane that has the focus (WCAG 2.1.1)
      tabIndex={0}
      // Cornerstone takes every key of its element, even Tab, which then would not lead out of it
      // (WCAG 2.1.2).
      onKeyDownCapture={(event) => {
        // Choices that are opened from a pane hear their keys themselves.
        if ((event.target as Element).closest('[role="dialog"]')) return
        event.stopPropagation()
        pressShortcut(event.nativeEvent)
      }}
      onFocus={onActivate}
      onPointerDownCapture={onActivate}
      onDoubleClick={onDoubleClick}
      onContextMenu={(event) => event.preventDefault()}
      {...drag}
    >
      <div ref={container} className={css.image} data-testid={`image-${paneId}`} />
      {state.series ? (
        <Overlay state={state} study={study} currentDate={currentDate} isKeyImage={isKeyImage} />
      ) : (
        <div className={css.note}>{note}</div>
      )}
      {state.series && <KeyMark state={state} />}
      {state.series && <PaneReferencing paneId={paneId} state={state} />}
      {state.series && <PointerValue pane={pane} place={container} />}
      {state.series && <PaneFault state={state} />}
      {state.series && <StackTrack state={state} />}
      <LiveAnnouncement
        state={state}
        text={spokenText(state, study, { isAnonymous, currentDate })}
        isActive={isActive}
      />
    </section>
  )
}

/** Why there is no image to see. Never beside the pixels of another one. */
function PaneFault({ state }: { state: PaneState }) {
  const { problem, index, isShown, volume, kind } = state
  const { engine } = useViewerContext()
  if (problem) {
    return (
      <div className={css.problem} role="alert">
        <ToneIcon tone="warning" size={26} />
        <p>
          {t('ui.viewer.pane.cannot', { number: index + 1, problem: translateMessage(problem) })}
        </p>
      </div>
    )
  }
  const isFilling = volume !== null && volume.read < volume.of
  if (isFilling)
    return (
      <div className={css.loading}>
        {t('ui.viewer.pane.volume', { read: volume.read, of: volume.of })}
      </div>
    )
  const isSlow = kind === 'volume' && engine.isSoftware
  return isShown ? null : (
    <div className={`${css.loading} ${css.late}`}>
      {t(isSlow ? 'ui.viewer.pane.isWaitingLong' : 'ui.viewer.pane.isWaiting')}
    </div>
  )
}

/** Where in the stack it is, and where images are missing. */
function StackTrack({ state }: { state: PaneState }) {
  const { index, count, series } = state
  const hasOverlay = useViewerState((desk) => desk.hasOverlay)
  if (count < 2 || !hasOverlay) return null
  const at = (position: number) => `${(position / count) * 100}%`
  const missing =
    state.plane || !series
      ? []
      : series.stack.flatMap(({ imageId }, position) =>
          series.missing.has(imageId) ? [position] : [],
        )
  return (
    <div className={css.track} aria-hidden="true">
      {missing.slice(0, MAX_MARKS).map((position) => (
        <i
          key={position}
          className={css.gap}
          style={{ top: at(position), height: `max(2px, ${at(1)})` }}
        />
      ))}
      <i
        className={css.thumb}
        style={{ top: `calc(${(index / (count - 1)) * 100}% - ${(index / (count - 1)) * 18}px)` }}
      />
    </div>
  )
}
const MAX_MARKS = 200

/**
 * Said when scrolling pauses, and of the active pane alone: nobody can listen to 30 images a
 * second.
 */
function LiveAnnouncement({
  state,
  text,
  isActive,
}: {
  state: PaneState
  text: string
  isActive: boolean
}) {
  const [spoken] = useDebouncedValue(text, 600)
  return (
    <VisuallyHidden
      role={isActive ? 'status' : undefined}
      aria-live={isActive && !state.isPlaying ? 'polite' : 'off'}
    >
      {spoken}
    </VisuallyHidden>
  )
}
