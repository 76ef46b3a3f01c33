import { Enums, type Types } from '@cornerstonejs/core'
import type { UltrasoundRegion } from '#shared/contract/viewed-images.ts'
import { isCovered } from '#shared/pixels/overlays.ts'
import { imageToScreen, putOver } from './image-canvas.ts'
import { type Layers, layersOf } from './layers.ts'

const OVERLAY_COLOUR = [255, 235, 150] as const
const REGION_COLOUR = 'rgb(120 200 255)'

/**
 * What belongs to the pixels of the image that a pane shows, over them: the colours of a supplemental
 * palette (PS3.3 C.7.6.19), overlay planes (C.9.2), and outlines of the ultrasound regions in which
 * distances are known (C.8.5.5).
 */
export interface OverlayPlanes {
  /**
   * Draws those of an image; none where it has none.
   * @param areOverlaysShown false where a presentation state says which are
   */
  show(
    image: Types.IImage | undefined,
    regions: readonly UltrasoundRegion[],
    areOverlaysShown: boolean,
  ): void
  /** Puts them where the image is now. */
  place(view: Types.IStackViewport): void
  close(): void
}

export function openOverlayPlanes(host: HTMLElement): OverlayPlanes {
  let canvas: HTMLCanvasElement | undefined
  /** Of the image whose planes and regions are drawn. */
  let shown: { readonly image: Types.IImage; readonly areOverlaysShown: boolean } | undefined
  const remove = () => {
    canvas?.remove()
    canvas = undefined
    shown = undefined
  }
  return {
    show(image, regions, areOverlaysShown) {
      const { colours, overlays } = layersOf(image)
      const layers = { colours, overlays: areOverlaysShown ? overlays : [] }
      const isEmpty = !layers.colours && layers.overlays.length + regions.length === 0
      if (!image || isEmpty) return remove()
      if (image === shown?.image && areOverlaysShown === shown.areOverlaysShown) return
      remove()
      canvas = drawCanvas(image, layers, regions)
      shown = { image, areOverlaysShown }
      putOver(host, canvas)
    },
    place(view) {
      const toScreen = canvas && imageToScreen(view)
      if (!canvas || !toScreen) return
      canvas.style.transform = `matrix(${toScreen.join(', ')})`
      const { interpolationType } = view.getProperties() ?? {}
      const isSmooth = interpolationType !== Enums.InterpolationType.NEAREST
      canvas.style.imageRendering = isSmooth ? 'auto' : 'pixelated'
    },
    close: remove,
  }
}

function drawCanvas(
  { rows, columns }: Types.IImage,
  { overlays, colours }: Pick<Layers, 'overlays' | 'colours'>,
  regions: readonly UltrasoundRegion[],
): HTMLCanvasElement {
  const canvas = Object.assign(document.createElement('canvas'), { width: columns, height: rows })
  const context = canvas.getContext('2d')
  const picture = context?.createImageData(columns, rows)
  if (!context || !picture) return canvas
  if (colours) picture.data.set(colours)
  for (const overlay of overlays) {
    const [firstRow, firstColumn] = overlay.origin
    for (let n = 0; n < overlay.rows * overlay.columns; n += 1) {
      if (!isCovered(overlay, n)) continue
      const row = Math.floor(n / overlay.columns) + firstRow - 1
      const column = (n % overlay.columns) + firstColumn - 1
      if (row < 0 || column < 0 || row >= rows || column >= columns) continue
      picture.data.set([...OVERLAY_COLOUR, 255], (row * columns + column) * 4)
    }
  }
  context.putImageData(picture, 0, 0)
  context.strokeStyle = REGION_COLOUR
  for (const { left, top, right, bottom } of regions)
    context.strokeRect(left + 0.5, top + 0.5, right - left, bottom - top)
  return canvas
}
