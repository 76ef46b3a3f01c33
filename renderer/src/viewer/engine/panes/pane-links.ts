import { type ScrollAnchor, synchronisedIndex } from '../synchronise.ts'
import type { Tools } from '../tools.ts'
import type { EnginePane } from './pane-context.ts'

export type SynchronisationMode = 'off' | 'position' | 'index'

/** A stack that was scrolled; places are from 0, `anchor` as in `ScrollAnchor`. */
export interface ScrolledStack {
  readonly seriesKey: string
  readonly index: number
  readonly anchor: number
}

/** How panes follow the active one, and show its plane as a line. */
export interface PaneLinks {
  setActive(paneId: string): void
  setSynchronised(how: SynchronisationMode): void
  setReferenceLines(areShown: boolean): void
  /** Moves the other panes as a person has moved this one, and tells the listeners. */
  moved(pane: EnginePane): void
  /** Moves the panes as one of another window has been moved. */
  followFrom(from: ScrollAnchor): void
  /** Told where a person has scrolled a stack. @returns the way to stop */
  onScrolled(listener: (moved: ScrolledStack) => void): () => void
  /** Brings a pane whose series was just opened to where the active one has been scrolled. */
  join(opened: EnginePane): void
  /** A pane has a new picture: if it is the active one, its plane may be another. */
  showLines(): void
}

export function openPaneLinks(
  panes: ReadonlyMap<string, EnginePane>,
  tools: Pick<Tools, 'setReferenceLines'>,
): PaneLinks {
  let active = ''
  let areLinesShown = false
  let synchronised: SynchronisationMode = 'off'
  const listeners = new Set<(moved: ScrolledStack) => void>()
  const move = (pane: EnginePane, from: ScrollAnchor) => {
    const other = pane.anchored()
    if (synchronised === 'off' || !other || pane.state().isPlaying) return
    const index = synchronisedIndex(synchronised, from, other)
    if (index !== undefined) pane.moveTo(index, 'sync')
  }
  const follow = (from: ScrollAnchor, moved?: EnginePane) => {
    for (const pane of panes.values()) if (pane !== moved) move(pane, from)
  }
  const links: PaneLinks = {
    setActive(paneId) {
      active = paneId
      links.showLines()
    },
    setSynchronised(how) {
      synchronised = how
      for (const pane of panes.values()) pane.setAnchor()
      const pane = panes.get(active)
      const from = pane?.anchored()
      if (from) follow(from, pane)
    },
    setReferenceLines(areShown) {
      areLinesShown = areShown
      links.showLines()
    },
    moved(pane) {
      const from = pane.anchored()
      if (!from) return
      follow(from, pane)
      const { series, index } = pane.state()
      if (!series) return
      for (const listener of listeners)
        listener({ seriesKey: series.key, index, anchor: from.anchor })
    },
    followFrom: (from) => follow(from),
    onScrolled(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    join(opened) {
      const from = panes.get(active)?.anchored()
      // Where nobody has scrolled yet, every series begins with its first image.
      if (from && from.index !== from.anchor && opened.paneId !== active) move(opened, from)
    },
    showLines() {
      const isShown = areLinesShown && panes.get(active)?.state().isShown
      tools.setReferenceLines(isShown ? active : undefined)
    },
  }
  return links
}
