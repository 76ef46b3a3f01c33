import { type Types, utilities } from '@cornerstonejs/core'
import type { InstanceExtras } from '#shared/contract/viewing.ts'
import { bytesOf } from './look-up.ts'

const COLOUR = [255, 235, 150] as const

type ImageData = Parameters<typeof utilities.transformIndexToWorld>[0]

/** Overlay planes (PS3.3 C.9.2) of the image that a pane shows, over its pixels. */
export interface OverlayPlanes {
  /** Draws those of an image; none where it has none. */
  show(image: Types.IImage | undefined, extras: InstanceExtras | undefined): void
  /** Puts them where the image is now. */
  place(view: Types.IStackViewport): void
  close(): void
}

export function openOverlayPlanes(host: HTMLElement): OverlayPlanes {
  let canvas: HTMLCanvasElement | undefined
  let shown: InstanceExtras['overlays'] | undefined
  const remove = () => {
    canvas?.remove()
    canvas = undefined
    shown = undefined
  }
  return {
    show(image, extras) {
      const overlays = extras?.overlays ?? []
      if (!image || overlays.length === 0) return remove()
      if (overlays === shown) return
      remove()
      canvas = drawn(image, overlays)
      shown = overlays
      // By which a picture of the pane finds it (`picture.ts`).
      canvas.dataset.overlayPlanes = ''
      Object.assign(canvas.style, { position: 'absolute', left: '0', top: '0', transformOrigin: '0 0', pointerEvents: 'none' })
      host.append(canvas)
    },
    place(view) {
      const data = view.getImageData()?.imageData
      if (!canvas || !data) return
      const at = (column: number, row: number) => view.worldToCanvas(utilities.transformIndexToWorld(data as ImageData, [column, row, 0]))
      const [corner, right, below] = [at(-0.5, -0.5), at(0.5, -0.5), at(-0.5, 0.5)]
      const matrix = [right[0] - corner[0], right[1] - corner[1], below[0] - corner[0], below[1] - corner[1], corner[0], corner[1]]
      canvas.style.transform = `matrix(${matrix.join(', ')})`
    },
    close: remove,
  }
}

function drawn({ rows, columns }: Types.IImage, overlays: InstanceExtras['overlays']): HTMLCanvasElement {
  const canvas = Object.assign(document.createElement('canvas'), { width: columns, height: rows })
  const context = canvas.getContext('2d')
  const picture = context?.createImageData(columns, rows)
  if (!context || !picture) return canvas
  for (const overlay of overlays) {
    const bits = bytesOf(overlay.data)
    const [firstRow, firstColumn] = overlay.origin
    for (let n = 0; n < overlay.rows * overlay.columns; n += 1) {
      if ((((bits[n >> 3] ?? 0) >> (n & 7)) & 1) === 0) continue
      const row = Math.floor(n / overlay.columns) + firstRow - 1
      const column = (n % overlay.columns) + firstColumn - 1
      if (row < 0 || column < 0 || row >= rows || column >= columns) continue
      picture.data.set([...COLOUR, 255], (row * columns + column) * 4)
    }
  }
  context.putImageData(picture, 0, 0)
  return canvas
}
