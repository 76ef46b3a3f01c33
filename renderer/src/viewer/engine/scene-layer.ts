import type { Types } from '@cornerstonejs/core'
import { drawScene } from '../referencing/draw-scene.ts'
import type { Scene } from '../referencing/scene.ts'
import { imageToScreen, putOver } from './image-canvas.ts'
import { layersOf } from './layers.ts'
import type { StackImage } from './stack.ts'

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
    canvas ??= openSceneCanvas(host)
    const context = clearedCanvas(canvas, host)
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

/** An empty canvas over the picture of a pane. */
export function openSceneCanvas(host: HTMLElement): HTMLCanvasElement {
  const canvas = document.createElement('canvas')
  canvas.dataset.scene = ''
  putOver(host, canvas)
  return canvas
}

/** The context of an empty canvas of the size of its host, in CSS pixels. */
export function clearedCanvas(
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
