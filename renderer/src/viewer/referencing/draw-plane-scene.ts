import { strokeLines } from './draw-scene.ts'
import type { PlaneScene } from './plane-scene.ts'
import { cutOf } from './region-cuts.ts'
import { cssColour } from './scene.ts'
import type { ScreenPlane } from './screen-plane.ts'
import { sampledSegments } from './segment-grid.ts'

const FILL_OPACITY = 0.3
/** Segments that are sampled for each CSS pixel; of more, for every other one. */
const MAX_FINE_SEGMENTS = 6

/** Draws a scene where a plane cuts it. The transform of the context is that from CSS pixels. */
export function drawPlaneScene(
  context: CanvasRenderingContext2D,
  { segments, regions }: PlaneScene,
  screen: ScreenPlane,
): void {
  const count = segments.reduce((sum, { grid }) => sum + grid.slices.size, 0)
  const step = count > MAX_FINE_SEGMENTS ? 2 : 1
  for (const { grid, values, look, opacity } of segments) {
    const data = sampledSegments(grid, values, look, screen, step)
    const [width, height] = [Math.ceil(screen.width / step), Math.ceil(screen.height / step)]
    const canvas = Object.assign(document.createElement('canvas'), { width, height })
    canvas.getContext('2d')?.putImageData(new ImageData(data, width, height), 0, 0)
    context.save()
    context.globalAlpha = opacity
    context.imageSmoothingEnabled = false
    context.drawImage(canvas, 0, 0, width * step, height * step)
    context.restore()
  }
  for (const { region, colour } of regions) {
    const { outlines, bars } = cutOf(region, screen)
    for (const outline of outlines) strokeLines(context, outline, true, colour)
    const path = new Path2D()
    for (const [from, ...others] of bars) {
      if (!from) continue
      path.moveTo(...from)
      for (const corner of others) path.lineTo(...corner)
      path.closePath()
    }
    context.fillStyle = cssColour(colour, FILL_OPACITY)
    context.fill(path)
    // Both ends of a bar are on the outline of the region.
    for (const [a, b, c, d] of bars)
      if (a && b && c && d)
        for (const end of [
          [a, b],
          [c, d],
        ])
          strokeLines(context, end, false, colour)
  }
}
