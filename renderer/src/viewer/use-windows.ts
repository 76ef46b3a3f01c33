import { useEffect, useSyncExternalStore } from 'react'
import { viewBase } from '#shared/view-paths.ts'
import { t } from '../i18n/t.ts'
import type { ViewerState } from './desk.ts'
import { useBench, useDesk } from './desk-context.ts'
import type { ShownElsewhere } from './windows.ts'

/** What the other windows of this view show. */
export function useOtherWindows(): ReadonlyMap<string, ShownElsewhere> {
  const { windows } = useBench()
  return useSyncExternalStore(windows.subscribe, windows.others)
}

/**
 * Keeps this window and the others of the view together: scrolling, how it is linked, drawings, and
 * the end of the view. Each window has its own layout.
 */
export function useWindows(onClosed: (sentence: string) => void): void {
  const { desk, engine, list, drawings, windows } = useBench()
  const board = useDesk((state) => state.board)
  const planesOf = useDesk((state) => state.planesOf)
  useEffect(() => {
    // Only what a person changes here is told: an echo could overtake the next change.
    let link = desk.state().link
    const stopLinks = desk.subscribe(() => {
      if (desk.state().link === link) return
      link = desk.state().link
      windows.post({ kind: 'linked', link })
    })
    const stopMessages = windows.onMessage((message) => {
      if (message.kind === 'hello') {
        windows.post({ kind: 'shows', ...shownBy(desk.state()) })
        windows.post({ kind: 'linked', link: desk.state().link })
      } else if (message.kind === 'scrolled') {
        if (link !== 'off') engine.followOther(message)
      } else if (message.kind === 'linked') {
        link = message.link
        if (link !== desk.state().link) desk.set({ link })
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
  }, [desk, engine, list, drawings, windows, onClosed])
  useEffect(
    () => windows.post({ kind: 'shows', ...shownBy({ board, planesOf }) }),
    [windows, board, planesOf],
  )
}

function shownBy({ board, planesOf }: Pick<ViewerState, 'board' | 'planesOf'>): ShownElsewhere {
  const keys = planesOf ? [planesOf] : board.panes.map(({ seriesKey }) => seriesKey)
  return {
    series: [...new Set(keys.filter((key) => key !== null))],
    active: planesOf ?? board.panes[board.active]?.seriesKey ?? null,
  }
}
