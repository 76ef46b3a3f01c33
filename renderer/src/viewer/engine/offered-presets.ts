import type { Types } from '@cornerstonejs/core'
import type { PaneState, WindowPreset } from './pane.ts'
import { openedWindow } from './pane-actions.ts'
import { automaticWindow, presetsOf } from './presets.ts'
import type { Values } from './values.ts'

/** Presets for what a pane shows; none of a colour image. @param shown the decoded image */
export function offeredPresets({ series, image }: PaneState, shown: Types.IImage | undefined): readonly WindowPreset[] {
  const of = image ?? series?.stack[series.stack.length >> 1]
  const opened = openedWindow(shown)
  if (!of || !series || !shown || !opened) return []
  const padding = of.instance.image?.padding?.[0]
  const automatic = automaticWindow(shown.getPixelData() as Values, shown.minPixelValue, shown.maxPixelValue, padding)
  return presetsOf(of, series.series.modality, automatic, opened)
}
