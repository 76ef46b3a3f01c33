import type { Types } from '@cornerstonejs/core'
import { openOverlayPlanes } from '../overlay-planes.ts'
import type { StackImage } from '../stack.ts'

/**
 * What lies over the pixels of the image that a stack shows, and moves with them. Whatever is drawn
 * by other objects of the study belongs here.
 */
export interface ImageLayers {
  /** @param image the decoded one */
  show(of: StackImage, image: Types.IImage | undefined): void
  /** Puts them where the image is now. */
  place(view: Types.IStackViewport): void
  close(): void
}

export function openImageLayers(host: HTMLElement): ImageLayers {
  const overlayPlanes = openOverlayPlanes(host)
  return {
    show: (of, image) => overlayPlanes.show(image, of.instance.regions ?? []),
    place: (view) => overlayPlanes.place(view),
    close: () => overlayPlanes.close(),
  }
}
