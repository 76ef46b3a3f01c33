import type { Types } from '@cornerstonejs/core'
import type { ValueWindow } from '#shared/pixels/opening-window.ts'
import type { PaneState } from '../pane.ts'
import { rangeOf, type View } from '../view.ts'

/** How a person saw a stack when its viewport was taken away. */
export interface KeptDisplay {
  /** Of the series. */
  readonly key: string
  readonly presentation: Types.ViewPresentation
  /** Null: each image's own, since nobody has chosen one. */
  readonly window: ValueWindow | null
  readonly isInverted: boolean
}

export const keptDisplayOf = (
  view: View,
  key: string,
  { window, isInverted }: PaneState,
): KeptDisplay => ({
  key,
  presentation: view.getViewPresentation(),
  window: (view as Types.IStackViewport).getProperties()?.isComputedVOI ? null : window,
  isInverted,
})

/** Gives it back, its inversion not: that goes with the curve. */
export function restoreDisplay(
  viewport: Types.IStackViewport,
  { presentation, window }: KeptDisplay,
  isExact: boolean,
): void {
  viewport.setViewPresentation(presentation)
  if (window) viewport.setProperties({ voiRange: rangeOf(window, isExact) })
}
