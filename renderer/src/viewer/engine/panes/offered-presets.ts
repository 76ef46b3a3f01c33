import type { Types } from '@cornerstonejs/core'
import { curvesOf } from '#shared/pixels/curves.ts'
import { automaticWindow } from '#shared/pixels/opening-window.ts'
import { rescaledPadding, type Values } from '#shared/pixels/values.ts'
import { extrasOf } from '../image.ts'
import type { PaneState, WindowPreset } from '../pane.ts'
import { presetsOf } from '../presets.ts'
import { openedWindow } from './pane-actions.ts'
import { isExact } from './pane-display.ts'

/** Presets for what a pane shows; none of a colour image. @param shown the decoded image */
export function offeredPresets(
  { series, image, kind }: PaneState,
  shown: Types.IImage | undefined,
): readonly WindowPreset[] {
  const of = image ?? series?.stack[series.stack.length >> 1]
  const opened = openedWindow(shown)
  if (!of || !series || !shown || !opened) return []
  const extras = extrasOf(shown)
  const padding = rescaledPadding(of.instance.image, of.attributes, extras?.modalityLut != null)
  const automatic = automaticWindow(
    shown.getPixelData() as Values,
    shown.minPixelValue,
    shown.maxPixelValue,
    padding,
    isExact(shown),
  )
  // A plane has no curves: its voxels are of many images.
  return presetsOf(
    of,
    series.series.modality,
    automatic,
    opened,
    kind === 'stack' ? curvesOf(extras) : [],
    isExact(shown),
  )
}
