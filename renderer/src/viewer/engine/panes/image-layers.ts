import type { Types } from '@cornerstonejs/core'
import type { Scene } from '../../referencing/scene.ts'
import { openOverlayPlanes } from '../overlay-planes.ts'
import { openSceneLayer } from '../scene-layer.ts'
import type { StackImage } from '../stack.ts'

/**
 * What lies over the pixels of the image that a stack shows, and moves with them. Whatever is drawn
 * by other objects of the study belongs here.
 */
export interface ImageLayers {
  /**
   * @param image the decoded one
   * @param isPresented by a presentation state, which says which overlay planes are shown (PS3.3
   *   C.11.7)
   */
  show(of: StackImage, image: Types.IImage | undefined, isPresented: boolean): void
  /** What referencing objects draw over it. */
  setScene(scene: Scene | null): void
  /** Puts them where the image is now. */
  place(view: Types.IStackViewport): void
  close(): void
}

export function openImageLayers(host: HTMLElement): ImageLayers {
  const overlayPlanes = openOverlayPlanes(host)
  const sceneLayer = openSceneLayer(host)
  return {
    show(of, image, isPresented) {
      overlayPlanes.show(image, of.instance.regions ?? [], !isPresented)
      sceneLayer.show(of, image)
    },
    setScene: (scene) => sceneLayer.setScene(scene),
    place(view) {
      overlayPlanes.place(view)
      sceneLayer.place(view)
    },
    close() {
      overlayPlanes.close()
      sceneLayer.close()
    },
  }
}
