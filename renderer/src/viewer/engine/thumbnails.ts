import type { Types } from '@cornerstonejs/core'
import { message } from '#shared/messages/message.ts'
import { curvesOf, levelAt } from './curves.ts'
import type { Frames } from './frames.ts'
import { extrasOf } from './image.ts'
import { ImageProblem } from './problem.ts'
import type { SeriesState } from './stack.ts'

const SIDE = 128
const MOST = 500

/** Pictures of series, at the lowest priority. */
interface Thumbnails {
  /**
   * A data URL of the middle image, or of one beside it where that has a problem. @throws
   * ImageProblem
   */
  of(series: SeriesState, signal?: AbortSignal): Promise<string>
}

export function openThumbnails(frames: Pick<Frames, 'load'>): Thumbnails {
  const made = new Map<string, string>()
  return {
    async of(series, signal) {
      const there = series.stack.filter(({ imageId }) => !series.missing.has(imageId))
      // While the stack grows, its middle moves: the picture that there is stays good.
      const known = series.stack.find(({ imageId }) => made.has(imageId))
      if (known) return made.get(known.imageId) as string
      const middle = there.length >> 1
      const tries = [middle, 0, there.length - 1].flatMap((index) => there[index] ?? [])
      let problem = new ImageProblem(message('viewer.series-without-files'))
      for (const { imageId } of tries) {
        try {
          const picture = drawn(await frames.load(imageId, 'thumbnail', signal))
          made.set(imageId, picture)
          const [oldest] = made.keys()
          if (made.size > MOST && oldest !== undefined) made.delete(oldest)
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

/** An image, small, in the window it opens with. */
function drawn(image: Types.IImage): string {
  const { rows, columns, color } = image
  // Pixels that are not square look as they do in a pane.
  const height = rows * (image.rowPixelSpacing ?? 1)
  const width = columns * (image.columnPixelSpacing ?? 1)
  const scale = SIDE / Math.max(width, height)
  const canvas = Object.assign(document.createElement('canvas'), {
    width: Math.max(1, Math.round(width * scale)),
    height: Math.max(1, Math.round(height * scale)),
  })
  const context = canvas.getContext('2d')
  if (!context) throw new ImageProblem(message('viewer.browser-out-of-memory'), true)
  const picture = context.createImageData(canvas.width, canvas.height)
  const values = image.getPixelData()
  const center = Number(image.windowCenter)
  const size = Math.max(Number(image.windowWidth), 1e-6)
  const [curve] = curvesOf(extrasOf(image))
  const grey = (value: number) => {
    const share = (value - center) / size + 0.5
    const level = (curve ? levelAt(curve, share) : share) * 255
    return image.invert ? 255 - level : level
  }
  for (let y = 0; y < canvas.height; y += 1) {
    for (let x = 0; x < canvas.width; x += 1) {
      const from =
        Math.floor((y / canvas.height) * rows) * columns + Math.floor((x / canvas.width) * columns)
      const to = (y * canvas.width + x) * 4
      for (let channel = 0; channel < 3; channel += 1)
        picture.data[to + channel] = color
          ? (values[from * 3 + channel] ?? 0)
          : grey(values[from] ?? 0)
      picture.data[to + 3] = 255
    }
  }
  context.putImageData(picture, 0, 0)
  return canvas.toDataURL()
}
