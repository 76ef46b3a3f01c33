import type { StructureSet } from '#shared/contract/referencing-objects.ts'
import { cross, dot, length, subtract, type Vector } from '../engine/geometry.ts'
import { onScreen, type ScreenPlane, unitNormalOf } from './screen-plane.ts'

// A region of a structure set is a stack of contours. Between two of them nothing is known: each
// contour is taken to be as thick as the distance between neighbours.

/** The contours of a region in one plane. */
interface Level {
  readonly depth: number
  readonly contours: readonly (readonly Vector[])[]
}

export interface Region {
  /** Unit normal of the contours. */
  readonly normal: Vector
  /** By depth along the normal, in mm. */
  readonly levels: readonly Level[]
  /** Half of the thickness of a level, in mm. */
  readonly reach: number
  /** Number of contours that are not drawn: points, open ones, and those in other directions. */
  readonly left: number
}

/** What of a region is on a plane, in CSS pixels. */
export interface RegionCut {
  /** Contours that lie in the plane. */
  readonly outlines: readonly (readonly [number, number][])[]
  /** Contours that the plane crosses: corners of bars, of which the first two are one end. */
  readonly bars: readonly (readonly [number, number][])[]
}

/** Rounding of positions in files, in mm. */
const TOLERANCE = 0.01
/** The cosine of a quarter of a degree. */
const PARALLEL = 0.99999

/** @param thickness of a region that has one level, in mm */
export function regionOf(roi: StructureSet['rois'][number], thickness: number): Region | undefined {
  const closed = roi.contours.flatMap(({ type, points }) =>
    type === 'CLOSED_PLANAR' && points.length >= 9 ? [placesOf(points)] : [],
  )
  const normal = closed[0] && normalOfContour(closed[0])
  if (!normal) return undefined
  const flat = closed
    .flatMap((contour) => {
      const depths = contour.map((place) => dot(normal, place))
      const [least, greatest] = [Math.min(...depths), Math.max(...depths)]
      return greatest - least > 2 * TOLERANCE ? [] : [{ depth: (least + greatest) / 2, contour }]
    })
    .toSorted((one, other) => one.depth - other.depth)
  const levels: { depth: number; contours: (readonly Vector[])[] }[] = []
  for (const { depth, contour } of flat) {
    const last = levels.at(-1)
    if (last && depth - last.depth <= 2 * TOLERANCE) last.contours.push(contour)
    else levels.push({ depth, contours: [contour] })
  }
  const gaps = levels.slice(1).map(({ depth }, index) => depth - (levels[index]?.depth ?? 0))
  const reach = (gaps.length > 0 ? Math.min(...gaps) : thickness) / 2
  return { normal, levels, reach, left: roi.contours.length - flat.length }
}

export function cutOf({ normal, levels, reach }: Region, screen: ScreenPlane): RegionCut {
  const across = unitNormalOf(screen)
  const cosine = dot(normal, across)
  if (Math.abs(cosine) > PARALLEL) {
    const depth = dot(normal, screen.origin)
    const nearest = levels.find((level) => isWithin(level.depth - depth, reach))
    const outlines = nearest?.contours.map((contour) =>
      contour.map((place) => onScreen(screen, place)),
    )
    return { outlines: outlines ?? [], bars: [] }
  }
  const along = cross(normal, across)
  // In the plane, by half of a level's thickness along the normal of the contours.
  const share = reach / (1 - cosine * cosine)
  const half = scaled(subtract(normal, scaled(across, cosine)), share)
  const bars = levels.flatMap(({ contours }) => {
    const crossings = contours
      .flatMap((contour) => crossingsOf(contour, screen.origin, across))
      .toSorted((one, other) => dot(one, along) - dot(other, along))
    // Inside from each odd crossing to the next one, so that holes stay empty.
    return Array.from({ length: Math.floor(crossings.length / 2) }, (_, pair) => {
      const [from, to] = [crossings[pair * 2] as Vector, crossings[pair * 2 + 1] as Vector]
      return [subtract(from, half), plus(from, half), plus(to, half), subtract(to, half)].map(
        (place) => onScreen(screen, place),
      )
    })
  })
  return { outlines: [], bars }
}

/** Half-open, so that a plane halfway between two levels shows one of them. */
const isWithin = (distance: number, reach: number): boolean =>
  distance > -reach + TOLERANCE / 2 && distance <= reach + TOLERANCE / 2

const placesOf = (points: readonly number[]): Vector[] =>
  Array.from({ length: Math.floor(points.length / 3) }, (_, n) => [
    points[n * 3] as number,
    points[n * 3 + 1] as number,
    points[n * 3 + 2] as number,
  ])

/** By the areas of the projections (Newell's method); undefined of a line. */
function normalOfContour(contour: readonly Vector[]): Vector | undefined {
  let sum: Vector = [0, 0, 0]
  for (const [index, place] of contour.entries())
    sum = plus(sum, cross(place, contour[(index + 1) % contour.length] as Vector))
  const size = length(sum)
  return size > TOLERANCE ? scaled(sum, 1 / size) : undefined
}

/** Where the edges of a contour go through a plane. */
function crossingsOf(contour: readonly Vector[], origin: Vector, normal: Vector): Vector[] {
  return contour.flatMap((from, index) => {
    const to = contour[(index + 1) % contour.length] as Vector
    const [before, after] = [dot(normal, subtract(from, origin)), dot(normal, subtract(to, origin))]
    if (before < 0 === after < 0) return []
    return [plus(from, scaled(subtract(to, from), before / (before - after)))]
  })
}

const plus = (a: Vector, b: Vector): Vector => [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
const scaled = (a: Vector, by: number): Vector => [a[0] * by, a[1] * by, a[2] * by]
