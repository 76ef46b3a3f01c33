import type { Types } from '@cornerstonejs/core'
import { ImageProblem } from '#shared/pixels/image-problem.ts'
import { translateMessage } from '../../i18n/messages.ts'
import type { Frames } from './frames.ts'
import type { ImageList } from './images.ts'
import { imageIdOf } from './series.ts'
import type { ListState } from './stack.ts'
import type { Timings } from './timings.ts'

/** What tests and benches may look at; nothing that the screen does not show. */
interface ViewerForTests {
  /**
   * The value of a pixel of a decoded image, after rescale; RGB of a colour image; undefined while
   * it is not decoded.
   * @param frame from 1
   * @param x,y column and row from 0
   */
  probe(
    sopInstanceUid: string,
    frame: number,
    x: number,
    y: number,
  ): number | readonly number[] | undefined
  /**
   * Decodes it, whether a pane shows it or not. @returns empty, or the sentence why it cannot be
   * shown
   */
  load(sopInstanceUid: string, frame: number): Promise<string>
  readonly timings: Timings
  list(): ListState
  /** Decoded images, ever and in memory now. */
  loaded(): number
}

declare global {
  interface Window {
    isthmusViewer?: ViewerForTests
  }
}

/** Puts it on the window. @returns the way to take it away */
export function exposeForTests(list: ImageList, frames: Frames, timings: Timings): () => void {
  const exposed: ViewerForTests = {
    probe(sopInstanceUid, frame, x, y) {
      const image = frames.cached(imageIdOf(list.viewId, sopInstanceUid, frame))
      return image && valueAt(image, x, y)
    },
    async load(sopInstanceUid, frame) {
      try {
        await frames.load(imageIdOf(list.viewId, sopInstanceUid, frame), 'near')
        return ''
      } catch (error) {
        return error instanceof ImageProblem ? translateMessage(error.explanation) : String(error)
      }
    },
    timings,
    list: () => list.state(),
    loaded: () => frames.loaded.size,
  }
  window.isthmusViewer = exposed
  return () => {
    if (window.isthmusViewer === exposed) delete window.isthmusViewer
  }
}

function valueAt(
  image: Types.IImage,
  x: number,
  y: number,
): number | readonly number[] | undefined {
  const values = image.getPixelData()
  const at = y * image.columns + x
  return image.color ? [0, 1, 2].map((channel) => values[at * 3 + channel] ?? 0) : values[at]
}
