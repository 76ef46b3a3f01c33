import { type Types, utilities } from '@cornerstonejs/core'
import { type Affine, affineOf } from '../referencing/plane-mapping.ts'

type ImageData = Parameters<typeof utilities.transformIndexToWorld>[0]

/** Puts a canvas over the picture of a pane, which takes no clicks away from it. */
export function putOver(host: HTMLElement, canvas: HTMLCanvasElement): void {
  // By which a picture of the pane finds it (`picture.ts`).
  canvas.dataset.overlayPlanes = ''
  Object.assign(canvas.style, {
    position: 'absolute',
    left: '0',
    top: '0',
    transformOrigin: '0 0',
    pointerEvents: 'none',
  })
  host.append(canvas)
}

/** From columns and rows of the image, 0 at its outer corner, to CSS pixels of the pane. */
export function imageToScreen(view: Types.IStackViewport): Affine | undefined {
  const shown = view.getImageData()
  if (!shown?.imageData) return undefined
  const [columns, rows] = shown.dimensions
  // By its far corners: by those of one pixel, rounding would grow with the size of the image.
  const [a, b, c, d, e, f] = affineOf((x, y) =>
    view.worldToCanvas(
      utilities.transformIndexToWorld(shown.imageData as ImageData, [
        x * columns - 0.5,
        y * rows - 0.5,
        0,
      ]),
    ),
  )
  return [a / columns, b / columns, c / rows, d / rows, e, f]
}
