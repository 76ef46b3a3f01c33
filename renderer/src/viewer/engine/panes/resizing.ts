import type { RenderingEngine } from '@cornerstonejs/core'
import { fitToPane, isFitted, type View } from '../view.ts'

/** Gives the viewports of all panes the size that their elements have now. */
export interface ViewportResizer {
  /** A pane has another size: all are measured with the next picture of the screen. */
  request(): void
  /** @returns the way to stop */
  onResized(listener: () => void): () => void
  close(): void
}

/**
 * One for all panes, because a layout changes the size of several at once and Cornerstone measures
 * all of them each time. A picture that fitted its pane fits it afterwards; one that the user has
 * zoomed or moved keeps its magnification.
 */
export function openViewportResizer(engine: RenderingEngine): ViewportResizer {
  const listeners = new Set<() => void>()
  let frameRequest: number | undefined
  const resize = () => {
    frameRequest = undefined
    const fitted = (engine.getViewports() as View[]).filter(isFitted)
    engine.resize(true, true)
    for (const view of fitted) {
      fitToPane(view)
      view.render()
    }
    for (const listener of listeners) listener()
  }
  return {
    request() {
      frameRequest ??= requestAnimationFrame(resize)
    },
    onResized(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    close() {
      if (frameRequest !== undefined) cancelAnimationFrame(frameRequest)
      listeners.clear()
    },
  }
}
