import { synchronisedIndex } from '../synchronise.ts'
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
      if (synchronised === 'off' || !from) return
      for (const pane of panes.values()) {
        const other = pane === moved ? undefined : pane.anchored()
        if (!other || pane.state().isPlaying) continue
        const index = synchronisedIndex(synchronised, from, other)
        if (index !== undefined) pane.moveTo(index, 'sync')
      }
    },
    showLines() {
      const isShown = areLinesShown && panes.get(active)?.state().isShown
      tools.setReferenceLines(isShown ? active : undefined)
    },
  }
  return links
}
