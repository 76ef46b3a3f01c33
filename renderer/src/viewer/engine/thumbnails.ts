import type { Types } from '@cornerstonejs/core'
import { message } from '#shared/messages/message.ts'
import { curvesOf } from '#shared/pixels/curves.ts'
import { ImageProblem } from '#shared/pixels/image-problem.ts'
import { smallPicture } from '#shared/pixels/small-picture.ts'
import type { Frames } from './frames.ts'
import { extrasOf } from './image.ts'
import type { SeriesState } from './stack.ts'

const THUMBNAIL_SIDE = 128
const MAX_THUMBNAILS = 500
/** How long a busy page may hold up a picture, in ms. */
const MAX_WAIT_MS = 1000

/** Pictures of series, at the lowest priority. */
interface Thumbnails {
  /**
   * A data URL of the middle image, or of one beside it where that has a problem. @throws
   * ImageProblem
   */
  of(series: SeriesState, signal?: AbortSignal): Promise<string>
}

export function openThumbnails(frames: Pick<Frames, 'load'>): Thumbnails {
  const urlsByImageId = new Map<string, string>()
  return {
    async of(series, signal) {
      const available = series.stack.filter(({ imageId }) => !series.missing.has(imageId))
      // While the stack grows, its middle moves: the picture that there is stays good.
      const known = series.stack.find(({ imageId }) => urlsByImageId.has(imageId))
      if (known) return urlsByImageId.get(known.imageId) as string
      const middle = available.length >> 1
      const tries = [middle, 0, available.length - 1].flatMap((index) => available[index] ?? [])
      let problem = new ImageProblem(message('viewer.series-without-files'))
      for (const { imageId } of tries) {
        try {
          const image = await frames.load(imageId, 'thumbnail', signal)
          await idle()
          const picture = thumbnailUrlOf(image)
          urlsByImageId.set(imageId, picture)
          const [oldest] = urlsByImageId.keys()
          if (urlsByImageId.size > MAX_THUMBNAILS && oldest !== undefined)
            urlsByImageId.delete(oldest)
          return picture
        } catch (error) {
          if (!(error instanceof ImageProblem) || signal?.aborted) throw error
          problem = error
        }
      }
      throw problem
    },
  }
}

/**
 * Resolves once the page has nothing else to do after its next frame, in which panes are drawn. The
 * page is also idle between an image that was decoded and that frame.
 */
const idle = (): Promise<void> =>
  new Promise((resolve) => {
    // A hidden page has no frames.
    setTimeout(resolve, MAX_WAIT_MS)
    window.requestAnimationFrame(() => {
      // Not every browser has it.
      if ('requestIdleCallback' in window) window.requestIdleCallback(() => resolve())
      else setTimeout(resolve)
    })
  })

/** An image, small, in the window it opens with. */
function thumbnailUrlOf(image: Types.IImage): string {
  const [curve] = curvesOf(extrasOf(image))
  const { width, height, rgba } = smallPicture(
    {
      rows: image.rows,
      columns: image.columns,
      // Pixels that are not square look as they do in a pane.
      shape: [image.rowPixelSpacing ?? 1, image.columnPixelSpacing ?? 1],
      isColour: image.color,
      values: image.getPixelData(),
      window: { center: Number(image.windowCenter), width: Number(image.windowWidth) },
      voiLutFunction: image.voiLUTFunction ?? 'LINEAR',
      curve,
      isInverted: image.invert,
    },
    { width: THUMBNAIL_SIDE, height: THUMBNAIL_SIDE },
  )
  const canvas = Object.assign(document.createElement('canvas'), { width, height })
  const context = canvas.getContext('2d')
  if (!context) throw new ImageProblem(message('viewer.browser-out-of-memory'), true)
  context.putImageData(new ImageData(rgba, width, height), 0, 0)
  return canvas.toDataURL()
}
