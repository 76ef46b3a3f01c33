import type { Types } from '@cornerstonejs/core'
import { drawPlaneScene } from '../referencing/draw-plane-scene.ts'
import type { PlaneScene } from '../referencing/plane-scene.ts'
import type { ScreenPlane } from '../referencing/screen-plane.ts'
import { subtract, type Vector } from './geometry.ts'
import { clearedCanvas, openSceneCanvas } from './scene-layer.ts'

/** What referencing objects draw over a plane of a volume. */
export interface PlaneSceneLayer {
  setScene(scene: PlaneScene | null): void
  /** Draws it for where the plane is now. */
  place(view: Types.IVolumeViewport): void
  close(): void
}

export function openPlaneSceneLayer(host: HTMLElement): PlaneSceneLayer {
  let canvas: HTMLCanvasElement | undefined
  let scene: PlaneScene | null = null
  let screen: ScreenPlane | undefined
  /** The scene and the plane that are drawn. */
  let drawn: readonly [PlaneScene | null, string] = [null, '']
  const draw = () => {
    const key = JSON.stringify(screen)
    if (drawn[0] === scene && drawn[1] === key) return
    drawn = [scene, key]
    if (!scene || !screen) {
      canvas?.remove()
      canvas = undefined
      return
    }
    canvas ??= openSceneCanvas(host)
    const context = clearedCanvas(canvas, host)
    if (context) drawPlaneScene(context, scene, screen)
  }
  return {
    setScene(next) {
      scene = next
      draw()
    },
    place(view) {
      screen = screenOf(view)
      draw()
    },
    close() {
      canvas?.remove()
      canvas = undefined
    },
  }
}

/** Undefined while the pane has no size. */
function screenOf(view: Types.IVolumeViewport): ScreenPlane | undefined {
  const { clientWidth: width, clientHeight: height } = view.element
  if (width === 0 || height === 0) return undefined
  const at = (x: number, y: number) => view.canvasToWorld([x, y]) as unknown as Vector
  const origin = at(0, 0)
  const along = (to: Vector, pixels: number): Vector => {
    const [x, y, z] = subtract(to, origin)
    return [x / pixels, y / pixels, z / pixels]
  }
  return {
    ...{ origin: [...origin], width, height },
    right: along(at(width, 0), width),
    down: along(at(0, height), height),
  }
}
