import { type Anchored, synchronisedIndex } from '../synchronise.ts'
import type { Tools } from '../tools.ts'
import type { EnginePane } from './pane-context.ts'

export type Synchronised = 'off' | 'position' | 'index'

/** How panes follow the active one, and show its plane as a line. */
export interface PaneLinks {
  setActive(paneId: string): void
  setSynchronised(how: Synchronised): void
  setReferenceLines(areShown: boolean): void
  /** Moves the other panes as a person has moved this one. */
  follow(moved: EnginePane): void
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
  let synchronised: Synchronised = 'off'
  const move = (pane: EnginePane, from: Anchored) => {
    const other = pane.anchored()
    if (synchronised === 'off' || !other || pane.state().isPlaying) return
    const index = synchronisedIndex(synchronised, from, other)
    if (index !== undefined) pane.moveTo(index, 'sync')
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
      if (pane) links.follow(pane)
    },
    setReferenceLines(areShown) {
      areLinesShown = areShown
      links.showLines()
    },
    follow(moved) {
      const from = moved.anchored()
      if (!from) return
      for (const pane of panes.values()) if (pane !== moved) move(pane, from)
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
