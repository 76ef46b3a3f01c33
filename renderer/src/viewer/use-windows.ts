import { useEffect, useSyncExternalStore } from 'react'
import { viewBase } from '#shared/view-paths.ts'
import { t } from '../i18n/t.ts'
import { useViewerContext, useViewerState } from './viewer-context.ts'
import type { ViewerState } from './viewer-store.ts'
import type { OtherWindowState } from './windows.ts'

/** What the other windows of this view show. */
export function useOtherWindows(): ReadonlyMap<string, OtherWindowState> {
  const { windows } = useViewerContext()
  return useSyncExternalStore(windows.subscribe, windows.others)
}

/**
 * Keeps this window and the others of the view together: scrolling, how it is linked, drawings, and
 * the end of the view. Each window has its own layout.
 */
export function useWindowSync(onClosed: (sentence: string) => void): void {
  const { viewerStore, engine, list, drawings, windows } = useViewerContext()
  const board = useViewerState((state) => state.board)
  const planesOf = useViewerState((state) => state.planesOf)
  useEffect(() => {
    // Only what a person changes here is told: an echo could overtake the next change.
    let link = viewerStore.state().link
    const stopLinks = viewerStore.subscribe(() => {
      if (viewerStore.state().link === link) return
      link = viewerStore.state().link
      windows.post({ kind: 'linked', link })
    })
    const stopMessages = windows.onMessage((message) => {
      if (message.kind === 'hello') {
        windows.post({ kind: 'shows', ...shownStateOf(viewerStore.state()) })
        windows.post({ kind: 'linked', link: viewerStore.state().link })
      } else if (message.kind === 'scrolled') {
        if (link !== 'off') engine.followOther(message)
      } else if (message.kind === 'linked') {
        link = message.link
        if (link !== viewerStore.state().link) viewerStore.set({ link })
      } else if (message.kind === 'drawn') drawings.refresh(message.studyInstanceUid)
      else if (message.kind === 'ended') {
        list.close()
        window.history.replaceState(null, '', `${viewBase}/viewer`)
        onClosed(t('ui.viewer.close.closedElsewhere'))
      }
    })
    const stopScrolls = engine.onScrolled((moved) => {
      if (link !== 'off') windows.post({ kind: 'scrolled', ...moved })
    })
    return () => {
      stopLinks()
      stopMessages()
      stopScrolls()
    }
  }, [viewerStore, engine, list, drawings, windows, onClosed])
  useEffect(
    () => windows.post({ kind: 'shows', ...shownStateOf({ board, planesOf }) }),
    [windows, board, planesOf],
  )
}

function shownStateOf({
  board,
  planesOf,
}: Pick<ViewerState, 'board' | 'planesOf'>): OtherWindowState {
  const keys = planesOf ? [planesOf] : board.panes.map(({ seriesKey }) => seriesKey)
  return {
    series: [...new Set(keys.filter((key) => key !== null))],
    active: planesOf ?? board.panes[board.active]?.seriesKey ?? null,
  }
}
