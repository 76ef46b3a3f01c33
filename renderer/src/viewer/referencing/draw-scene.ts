import type { Colour, PresentationState, Shutter } from '#shared/contract/referencing-objects.ts'
import { bytesOf } from '#shared/pixels/look-up.ts'
import { isCovered, type OverlayPlane } from '#shared/pixels/overlays.ts'
import type { StackImage } from '../engine/stack.ts'
import { annotationsOn } from './belonging.ts'
import { displayedCorners, fromDisplay } from './display-coordinates.ts'
import { drawText } from './draw-text.ts'
import { pathOf } from './graphic-path.ts'
import { type Affine, at, composeAffine } from './plane-mapping.ts'
import { cssColour, type Outline, type PixelPoint, type Scene } from './scene.ts'

/** Of graphics whose layer names no colour. */
export const GRAPHIC_COLOUR: Colour = [255, 235, 150]
const LINE_WIDTH = 1.5
const HALO_WIDTH = 3.5
const FILL_OPACITY = 0.35
const POINT_RADIUS = 3

/** Where a scene is drawn. */
export interface SceneTarget {
  readonly image: StackImage
  /** Those of the image, which a presentation state may show. */
  readonly overlays: readonly OverlayPlane[]
  /** From columns and rows of the image to CSS pixels. */
  readonly toScreen: Affine
}

/** Draws a scene. The transform of the context is that from CSS pixels. */
export function drawScene(
  context: CanvasRenderingContext2D,
  scene: Scene,
  place: SceneTarget,
): void {
  const { presentation } = scene
  for (const { canvas, matrix, opacity } of scene.masks) {
    context.save()
    context.globalAlpha = opacity
    context.imageSmoothingEnabled = false
    context.transform(...composeAffine(place.toScreen, matrix))
    context.drawImage(canvas, 0, 0)
    context.restore()
  }
  for (const outline of scene.outlines) drawOutline(context, outline, place.toScreen)
  // Where the image is hidden, overlays are, too.
  if (presentation?.shutter) drawShutter(context, presentation, presentation.shutter, place)
  if (presentation) {
    drawOverlays(context, presentation, place)
    drawAnnotations(context, presentation, scene.drawn, place)
  }
}

function drawShutter(
  context: CanvasRenderingContext2D,
  state: PresentationState,
  { rectangle, circle, polygon, overlayGroup, colour }: Shutter,
  { image, overlays, toScreen }: SceneTarget,
): void {
  const { columns = 0, rows = 0 } = image.instance.image ?? {}
  const hideOutside = (visible: (path: Path2D) => void) => {
    const path = new Path2D()
    // A little more than the image, whose edges are smoothed.
    path.rect(-1, -1, columns + 2, rows + 2)
    visible(path)
    context.fill(path, 'evenodd')
  }
  context.save()
  context.transform(...toScreen)
  context.fillStyle = cssColour(colour)
  if (rectangle) {
    const [left, right, upper, lower] = rectangle
    hideOutside((path) => path.rect(left - 1, upper - 1, right - left + 1, lower - upper + 1))
  }
  if (circle) {
    const { column, row, radius } = circle
    hideOutside((path) => path.arc(column - 0.5, row - 0.5, radius, 0, 2 * Math.PI))
  }
  if (polygon)
    hideOutside((path) => {
      for (const [index, [x, y]] of polygon.entries())
        if (index === 0) path.moveTo(x - 0.5, y - 0.5)
        else path.lineTo(x - 0.5, y - 0.5)
      path.closePath()
    })
  context.restore()
  if (overlayGroup !== null) {
    const plane = planeOfGroup(state, overlays, overlayGroup)
    if (plane) drawPlane(context, plane, colour, toScreen)
  }
}

const planesOfState = new WeakMap<PresentationState, readonly OverlayPlane[]>()

/** Those of a presentation state itself; its pixels have no bits to embed them in. */
function ownPlanes(state: PresentationState): readonly OverlayPlane[] {
  const known = planesOfState.get(state)
  const planes =
    known ?? state.overlays.map((plane) => ({ ...plane, bits: bytesOf(plane.data), from: 0 }))
  planesOfState.set(state, planes)
  return planes
}

/** That of the presentation state takes the place of that of the image. */
const planeOfGroup = (
  state: PresentationState,
  ofImage: readonly OverlayPlane[],
  group: number,
): OverlayPlane | undefined =>
  [...ownPlanes(state), ...ofImage].find((plane) => plane.group === group)

function drawOverlays(
  context: CanvasRenderingContext2D,
  state: PresentationState,
  { overlays, toScreen }: SceneTarget,
): void {
  for (const { group, layer } of state.activations) {
    if (group === state.shutter?.overlayGroup) continue
    const plane = planeOfGroup(state, overlays, group)
    if (plane) drawPlane(context, plane, colourOfLayer(state, layer), toScreen)
  }
}

const colourOfLayer = (state: PresentationState, layer: string): Colour =>
  state.layers.find(({ name }) => name === layer)?.colour ?? GRAPHIC_COLOUR

const planes = new WeakMap<OverlayPlane, { colour: string; canvas: HTMLCanvasElement }>()

function drawPlane(
  context: CanvasRenderingContext2D,
  plane: OverlayPlane,
  colour: Colour,
  toScreen: Affine,
): void {
  const known = planes.get(plane)
  const key = colour.join()
  const canvas = known?.colour === key ? known.canvas : pictureOfPlane(plane, colour)
  planes.set(plane, { colour: key, canvas })
  context.save()
  context.imageSmoothingEnabled = false
  context.transform(...toScreen)
  context.drawImage(canvas, plane.origin[1] - 1, plane.origin[0] - 1)
  context.restore()
}

function pictureOfPlane(plane: OverlayPlane, colour: Colour): HTMLCanvasElement {
  const { rows, columns } = plane
  const canvas = Object.assign(document.createElement('canvas'), { width: columns, height: rows })
  const context = canvas.getContext('2d')
  if (!context) return canvas
  const picture = context.createImageData(columns, rows)
  for (let n = 0; n < rows * columns; n++)
    if (isCovered(plane, n)) picture.data.set([...colour, 255], n * 4)
  context.putImageData(picture, 0, 0)
  return canvas
}

function drawOutline(
  context: CanvasRenderingContext2D,
  { points, shape, colour }: Outline,
  toScreen: Affine,
): void {
  const onScreen = points.map(([x, y]) => at(toScreen, x, y))
  if (shape === 'points') for (const point of onScreen) drawPoint(context, point, colour)
  else strokeLines(context, onScreen, shape === 'closed', colour)
}

/** Layer by layer, in their order. */
function drawAnnotations(
  context: CanvasRenderingContext2D,
  state: PresentationState,
  drawn: ReadonlySet<string>,
  { image, toScreen }: SceneTarget,
): void {
  const corners = displayedCorners(state, image)
  const orders = new Map(state.layers.map(({ name }, index) => [name, index]))
  const fitting = annotationsOn(state, image, drawn).toSorted(
    (one, other) => (orders.get(one.layer) ?? 0) - (orders.get(other.layer) ?? 0),
  )
  for (const { layer, graphics, texts } of fitting) {
    const colour = colourOfLayer(state, layer)
    const onScreen = (units: 'pixel' | 'display', point: PixelPoint) =>
      at(toScreen, ...(units === 'pixel' ? point : fromDisplay(state, corners, point)))
    for (const graphic of graphics) {
      const own = graphic.colour ?? colour
      const path = pathOf(graphic)
      if (path) {
        const lines = path.points.map((point) => onScreen(graphic.units, point))
        if (graphic.isFilled && path.isClosed) fillLines(context, lines, own)
        strokeLines(context, lines, path.isClosed, own)
      } else
        for (const point of graphic.points) drawPoint(context, onScreen(graphic.units, point), own)
    }
    for (const text of texts) drawText(context, text, onScreen, text.colour ?? colour)
  }
}

function trace(lines: readonly PixelPoint[], isClosed: boolean): Path2D {
  const path = new Path2D()
  for (const [index, [x, y]] of lines.entries())
    if (index === 0) path.moveTo(x, y)
    else path.lineTo(x, y)
  if (isClosed) path.closePath()
  return path
}

function fillLines(
  context: CanvasRenderingContext2D,
  lines: readonly PixelPoint[],
  colour: Colour,
): void {
  context.fillStyle = cssColour(colour, FILL_OPACITY)
  context.fill(trace(lines, true))
}

/** With a dark edge, so that lines are seen on bright images as well. */
export function strokeLines(
  context: CanvasRenderingContext2D,
  lines: readonly PixelPoint[],
  isClosed: boolean,
  colour: Colour,
): void {
  const path = trace(lines, isClosed)
  context.lineJoin = 'round'
  context.strokeStyle = 'rgb(0 0 0 / 0.6)'
  context.lineWidth = HALO_WIDTH
  context.stroke(path)
  context.strokeStyle = cssColour(colour)
  context.lineWidth = LINE_WIDTH
  context.stroke(path)
}

function drawPoint(context: CanvasRenderingContext2D, [x, y]: PixelPoint, colour: Colour): void {
  strokeLines(
    context,
    [
      [x - POINT_RADIUS * 2, y],
      [x + POINT_RADIUS * 2, y],
    ],
    false,
    colour,
  )
  strokeLines(
    context,
    [
      [x, y - POINT_RADIUS * 2],
      [x, y + POINT_RADIUS * 2],
    ],
    false,
    colour,
  )
}
