import type { DrawingKind, SavedDrawing } from '#shared/contract/saved-drawings.ts'
import { uidOfUuid } from '#shared/ids.ts'
import { shapeOf } from '#shared/pixels/pixel-shape.ts'
import { columnOf, dot, normalOf, rowOf, subtract, type Vector } from './geometry.ts'
import type { KeptAnnotation } from './kept-annotation.ts'
import { valuesOf } from './measured-values.ts'
import type { StackImage } from './stack.ts'

// Drawings between the form of the engine, in mm in the patient, and that in which they are saved to
// the study, in pixels of their image.

type Pixel = [column: number, row: number]

const TOOL_NAMES_BY_DRAWING_KIND: Readonly<Partial<Record<DrawingKind, string>>> = {
  length: 'Length',
  bidirectional: 'Bidirectional',
  angle: 'Angle',
  cobb: 'CobbAngle',
  rectangle: 'RectangleROI',
  ellipse: 'EllipticalROI',
  circle: 'CircleROI',
  freehand: 'PlanarFreehandROI',
  line: 'PlanarFreehandROI',
  probe: 'Probe',
  arrow: 'ArrowAnnotate',
  text: 'Label',
}

interface Plane {
  readonly position: Vector
  readonly row: Vector
  readonly column: Vector
  readonly normal: Vector
  readonly spacing: readonly [number, number]
}

/** As `imagePlaneModule` gives it to Cornerstone. */
function planeOf(image: StackImage): Plane {
  const { position, orientation } = image.attributes
  const cosines = orientation ?? ([1, 0, 0, 0, 1, 0] as const)
  return {
    position: position ?? [0, 0, 0],
    row: rowOf([...cosines]),
    column: columnOf([...cosines]),
    normal: normalOf([...cosines]),
    spacing: shapeOf(image) ?? [1, 1],
  }
}

/** The centre of the first pixel is 0.5, 0.5 (PS3.3 C.18.6.1.1). */
function pixelOf({ position, row, column, spacing }: Plane, point: Vector): Pixel {
  const from = subtract(point, position)
  return [
    roundToHundredths(dot(from, row) / spacing[1] + 0.5),
    roundToHundredths(dot(from, column) / spacing[0] + 0.5),
  ]
}
function pixelPositionOf(
  { position, row, column, spacing }: Plane,
  [x, y]: Readonly<Pixel>,
): Vector {
  const [right, down] = [(x - 0.5) * spacing[1], (y - 0.5) * spacing[0]]
  const at = (axis: 0 | 1 | 2) => position[axis] + row[axis] * right + column[axis] * down
  return [at(0), at(1), at(2)]
}
// Saved points are read with that precision.
const roundToHundredths = (value: number) => Math.round(value * 100) / 100

interface AnnotationData {
  readonly handles?: { readonly points?: readonly Vector[] }
  readonly contour?: { readonly polyline?: readonly Vector[]; readonly closed?: boolean }
  readonly label?: string
  readonly text?: string
}

/** The tracking UID of a drawing; undefined if its id is not a UUID. */
export const savedUidOf = (id: string): string | undefined =>
  /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id) ? uidOfUuid(id) : undefined

const idOfUid = (uid: string): string => {
  const hex = BigInt(uid.slice('2.25.'.length)).toString(16).padStart(32, '0')
  return [0, 8, 12, 16, 20].map((at, index, all) => hex.slice(at, all[index + 1] ?? 32)).join('-')
}

function kindOf(tool: string, data: AnnotationData): DrawingKind | undefined {
  if (tool === 'PlanarFreehandROI') return data.contour?.closed ? 'freehand' : 'line'
  return (Object.keys(TOOL_NAMES_BY_DRAWING_KIND) as DrawingKind[]).find(
    (kind) => TOOL_NAMES_BY_DRAWING_KIND[kind] === tool,
  )
}

/**
 * A drawing as it is saved to its study; undefined for one that cannot be saved.
 * @param image its image; of one that was drawn in a plane of a volume, that on which it lies
 */
export function savedDrawingOf(kept: KeptAnnotation, image: StackImage): SavedDrawing | undefined {
  const data = kept.data as AnnotationData
  const kind = kindOf(kept.tool, data)
  const uid = savedUidOf(kept.id)
  if (!kind || uid === undefined) return undefined
  const plane = planeOf(image)
  const isContour = kind === 'freehand' || kind === 'line'
  const world = isContour ? data.contour?.polyline : data.handles?.points
  const pixels = world?.map((point) => pixelOf(plane, point)) ?? []
  return {
    ...{ uid, kind, sopInstanceUid: image.sopInstanceUid, frame: image.frame },
    points: kept.pixels?.map(([x, y]): Pixel => [x, y]) ?? orderedPixels(kind, pixels),
    text: (data.label || data.text || '').slice(0, 1000),
    title: null,
    values: valuesOf(kept.id, kind),
  }
}

/** Its points in the patient, in mm. */
export const pointsOfAnnotation = ({ data }: KeptAnnotation): readonly Vector[] => {
  const { contour, handles } = data as AnnotationData
  return contour?.polyline ?? handles?.points ?? []
}

/** In the order of the contract. */
function orderedPixels(kind: DrawingKind, pixels: readonly Pixel[]): Pixel[] {
  const [a, b, c, d] = kind === 'ellipse' ? withUprightAxisFirst(pixels) : pixels
  if (!a || !b || !c || !d) return [...pixels]
  if (kind === 'rectangle') return [a, b, d, c]
  if (kind === 'ellipse') return lengthOf(a, b) >= lengthOf(c, d) ? [a, b, c, d] : [c, d, a, b]
  return [...pixels]
}
const lengthOf = (a: Pixel, b: Pixel) => Math.hypot(a[0] - b[0], a[1] - b[1])

/** The reverse of `ordered`. */
function inEngineOrder(kind: DrawingKind, pixels: readonly Pixel[]): Pixel[] {
  if (kind === 'ellipse') return withUprightAxisFirst(pixels)
  // Cornerstone has both upper corners before both lower ones.
  return kind === 'rectangle' ? orderedPixels(kind, pixels) : [...pixels]
}

/** The ends of the axes of an ellipse as Cornerstone has them: bottom, top, left and right. */
function withUprightAxisFirst(pixels: readonly Pixel[]): Pixel[] {
  const [a, b, c, d] = pixels
  if (!a || !b || !c || !d) return [...pixels]
  const isUpright = Math.abs(a[1] - b[1]) >= Math.abs(a[0] - b[0])
  const upright: Pixel[] = isUpright ? [a, b] : [c, d]
  const level: Pixel[] = isUpright ? [c, d] : [a, b]
  return [
    ...upright.toSorted((one, other) => other[1] - one[1]),
    ...level.toSorted((one, other) => one[0] - other[0]),
  ]
}

/** A saved drawing for the engine, which places it once its image is listed (`placed`). */
export const annotationOfDrawing = (
  saved: SavedDrawing,
  studyInstanceUid: string,
): KeptAnnotation => ({
  id: idOfUid(saved.uid),
  tool: TOOL_NAMES_BY_DRAWING_KIND[saved.kind] ?? '',
  studyInstanceUid,
  sopInstanceUid: saved.sopInstanceUid,
  frame: saved.frame,
  frameOfReferenceUid: '',
  viewPlaneNormal: [0, 0, 1],
  viewUp: [0, -1, 0],
  pixels: saved.points,
  data: {
    label: saved.text,
    handles: { points: [] },
    ...((saved.kind === 'freehand' || saved.kind === 'line') && {
      contour: { polyline: [], closed: saved.kind === 'freehand' },
    }),
  },
})

/** A saved drawing in the form of the engine. */
export function placedAnnotation(
  { pixels = [], ...kept }: KeptAnnotation,
  image: StackImage,
  frameOfReferenceUid: string,
): KeptAnnotation {
  const data = kept.data as AnnotationData
  const plane = planeOf(image)
  const kind = kindOf(kept.tool, data) ?? 'length'
  const points = inEngineOrder(kind, pixels as readonly Pixel[]).map((pixel) =>
    pixelPositionOf(plane, pixel),
  )
  return {
    ...kept,
    frameOfReferenceUid,
    viewPlaneNormal: plane.normal.map((part) => -part),
    viewUp: plane.column.map((part) => -part),
    data: {
      label: data.label ?? '',
      handles: {
        points: data.contour ? [] : points,
        activeHandleIndex: null,
        textBox: { hasMoved: false, worldPosition: [0, 0, 0], worldBoundingBox: NO_BOX },
      },
      ...(data.contour && { contour: { polyline: points, closed: data.contour.closed === true } }),
    },
  }
}
const NO_BOX = {
  ...{ topLeft: [0, 0, 0], topRight: [0, 0, 0] },
  ...{ bottomLeft: [0, 0, 0], bottomRight: [0, 0, 0] },
}
