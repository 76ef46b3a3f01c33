import { type Types, utilities } from '@cornerstonejs/core'
import { drawScene } from '../referencing/draw-scene.ts'
import type { Affine } from '../referencing/plane-mapping.ts'
import type { Scene } from '../referencing/scene.ts'
import { layersOf } from './layers.ts'
import type { StackImage } from './stack.ts'

type ImageData = Parameters<typeof utilities.transformIndexToWorld>[0]

/**
 * What referencing objects draw over the image that a pane shows. A scene is drawn on its own image
 * alone: between two images of a scroll nothing is drawn.
 */
export interface SceneLayer {
  /** @param image the decoded one */
  show(of: StackImage, image: Types.IImage | undefined): void
  setScene(scene: Scene | null): void
  /** Draws it where the image is now. */
  place(view: Types.IStackViewport): void
  close(): void
}

export function openSceneLayer(host: HTMLElement): SceneLayer {
  let canvas: HTMLCanvasElement | undefined
  let scene: Scene | null = null
  let shown: { readonly of: StackImage; readonly image: Types.IImage | undefined } | undefined
  let placed: Types.IStackViewport | undefined
  const remove = () => {
    canvas?.remove()
    canvas = undefined
  }
  const draw = () => {
    const isOfImage = scene !== null && scene.imageId === shown?.of.imageId
    const toScreen = placed && shown && isOfImage ? imageToScreen(placed) : undefined
    if (!scene || !shown || !toScreen) return remove()
    canvas ??= openCanvas(host)
    const context = cleared(canvas, host)
    if (!context) return
    drawScene(context, scene, {
      image: shown.of,
      overlays: layersOf(shown.image).overlays,
      toScreen,
    })
  }
  return {
    show(of, image) {
      shown = { of, image }
      // Drawn by `place`, once the viewport shows it.
      if (scene?.imageId !== of.imageId) remove()
    },
    setScene(next) {
      scene = next
      draw()
    },
    place(view) {
      placed = view
      draw()
    },
    close() {
      remove()
      shown = undefined
      placed = undefined
    },
  }
}

function openCanvas(host: HTMLElement): HTMLCanvasElement {
  const canvas = document.createElement('canvas')
  // By which a picture of the pane finds it (`picture.ts`).
  canvas.dataset.overlayPlanes = ''
  canvas.dataset.scene = ''
  Object.assign(canvas.style, {
    position: 'absolute',
    left: '0',
    top: '0',
    transformOrigin: '0 0',
    pointerEvents: 'none',
  })
  host.append(canvas)
  return canvas
}

/** The context of an empty canvas of the size of its host, in CSS pixels. */
function cleared(
  canvas: HTMLCanvasElement,
  { clientWidth, clientHeight }: HTMLElement,
): CanvasRenderingContext2D | null {
  const scale = window.devicePixelRatio || 1
  const [width, height] = [Math.round(clientWidth * scale), Math.round(clientHeight * scale)]
  // Setting the size clears it.
  if (canvas.width !== width || canvas.height !== height) {
    canvas.width = width
    canvas.height = height
    canvas.style.transform = `scale(${1 / scale})`
  }
  const context = canvas.getContext('2d')
  context?.setTransform(1, 0, 0, 1, 0, 0)
  context?.clearRect(0, 0, width, height)
  context?.scale(scale, scale)
  return context
}

/** From columns and rows of the image, 0 at its outer corner, to CSS pixels of the pane. */
export function imageToScreen(view: Types.IStackViewport): Affine | undefined {
  const data = view.getImageData()?.imageData
  if (!data) return undefined
  const at = (column: number, row: number) =>
    view.worldToCanvas(utilities.transformIndexToWorld(data as ImageData, [column, row, 0]))
  const [corner, right, below] = [at(-0.5, -0.5), at(0.5, -0.5), at(-0.5, 0.5)]
  return [
    right[0] - corner[0],
    right[1] - corner[1],
    below[0] - corner[0],
    below[1] - corner[1],
    corner[0],
    corner[1],
  ]
}
