import type { Colour, Segmentation } from '#shared/contract/referencing-objects.ts'
import {
  columnOf,
  dot,
  isSameOrientation,
  normalOf,
  rowOf,
  type Vector,
} from '../engine/geometry.ts'
import { type ImagePlane, planeOf } from './plane-mapping.ts'
import type { ScreenPlane } from './screen-plane.ts'
import type { SegmentValues } from './segment-values.ts'

interface Slice {
  /** From 0. */
  readonly frame: number
  /** Column and row of the origin of the patient, from the centre of the first pixel. */
  readonly column: number
  readonly row: number
}

/** The frames of a segmentation in the patient. */
export interface SegmentGrid {
  readonly rows: number
  readonly columns: number
  readonly plane: ImagePlane
  /** Of the first frame along the normal, in mm. */
  readonly first: number
  /** Thickness of a frame in mm, which is the distance to the next one. */
  readonly thickness: number
  /** By number of the segment (0 of a label map), then by depth from the first, in thicknesses. */
  readonly slices: ReadonlyMap<number, ReadonlyMap<number, Slice>>
  /** Number of frames that are not drawn: their place is unknown, or they lie in another direction. */
  readonly left: number
}

/** Rounding of positions in files, in mm. */
const TOLERANCE = 0.01

/** @param thickness of a segmentation in one plane, in mm */
export function segmentGrid(
  { frames, pixel: { rows, columns } }: Segmentation,
  thickness: number,
): SegmentGrid | undefined {
  const placed = frames.flatMap((frame, index) => {
    const plane = frame.segment < 0 ? undefined : planeOf(frame)
    return plane ? [{ frame: index, segment: frame.segment, plane }] : []
  })
  const plane = placed[0]?.plane
  if (!plane) return undefined
  const fitting = placed.filter((one) => isSameGrid(one.plane, plane))
  const normal = normalOf(plane.orientation)
  const depths = fitting
    .map((one) => dot(normal, one.plane.position))
    .toSorted((one, other) => one - other)
  const gaps = depths
    .slice(1)
    .map((depth, index) => depth - (depths[index] ?? 0))
    .filter((gap) => gap > TOLERANCE)
  const size = gaps.length > 0 ? Math.min(...gaps) : thickness
  const first = depths[0] ?? 0
  const slices = new Map<number, Map<number, Slice>>()
  for (const { frame, segment, plane: own } of fitting) {
    const depth = dot(normal, own.position) - first
    const of = slices.get(segment) ?? new Map<number, Slice>()
    slices.set(segment, of)
    of.set(Math.round(depth / size), {
      frame,
      column: -dot(own.position, rowOf(own.orientation)) / own.spacing[1],
      row: -dot(own.position, columnOf(own.orientation)) / own.spacing[0],
    })
  }
  return {
    ...{ rows, columns, plane, slices, first },
    ...{ thickness: size, left: frames.length - fitting.length },
  }
}

const isSameGrid = (one: ImagePlane, other: ImagePlane): boolean =>
  isSameOrientation(one.orientation, other.orientation) &&
  one.spacing.every((part, axis) => Math.abs(part - (other.spacing[axis] ?? 0)) < 1e-4)

/** How the segments are coloured. */
export interface SegmentColours {
  readonly type: Segmentation['type']
  /** The value of a fractional segmentation that means one. */
  readonly maximum: number
  /** Of the visible segments, by number. */
  readonly colours: ReadonlyMap<number, Colour>
}

/**
 * The segments on the plane of a pane as RGBA: each pixel has the value of the voxel that it lies in.
 * @param values of the frames, from 0
 * @param step CSS pixels for a pixel of the picture
 */
export function sampledSegments(
  grid: SegmentGrid,
  values: readonly SegmentValues[],
  look: SegmentColours,
  screen: ScreenPlane,
  step: number,
): ImageData['data'] {
  const width = Math.ceil(screen.width / step)
  const height = Math.ceil(screen.height / step)
  const picture = new Uint8ClampedArray(width * height * 4)
  const { orientation, spacing } = grid.plane
  const along = (axis: Vector, unit: number) => ({
    start: dot(screen.origin, axis) / unit + 0.5,
    x: (dot(screen.right, axis) / unit) * step,
    y: (dot(screen.down, axis) / unit) * step,
  })
  const column = along(rowOf(orientation), spacing[1])
  const row = along(columnOf(orientation), spacing[0])
  const depth = along(normalOf(orientation), grid.thickness)
  const start = depth.start - grid.first / grid.thickness
  for (const [segment, slices] of grid.slices) {
    if (look.type !== 'LABELMAP' && !look.colours.has(segment)) continue
    for (let n = 0; n < width * height; n++) {
      // The middle of the pixel.
      const [x, y] = [(n % width) + 0.5, Math.floor(n / width) + 0.5]
      const slice = slices.get(Math.floor(start + depth.x * x + depth.y * y))
      if (!slice) continue
      const columnIndex = Math.floor(column.start + column.x * x + column.y * y + slice.column)
      const rowIndex = Math.floor(row.start + row.x * x + row.y * y + slice.row)
      if (columnIndex < 0 || rowIndex < 0 || columnIndex >= grid.columns || rowIndex >= grid.rows)
        continue
      const value = values[slice.frame]?.[rowIndex * grid.columns + columnIndex] ?? 0
      if (value === 0) continue
      const colour = look.colours.get(look.type === 'LABELMAP' ? value : segment)
      if (!colour) continue
      const share = look.type === 'FRACTIONAL' ? Math.min(1, value / look.maximum) : 1
      // The later segment lies over the earlier one.
      if (share * 255 >= (picture[n * 4 + 3] ?? 0))
        picture.set([...colour, Math.round(share * 255)], n * 4)
    }
  }
  return picture
}
