import { cross, dot, length, subtract, type Vector } from '../engine/geometry.ts'

/**
 * The plane of the patient that a pane shows. The place of CSS pixel x, y is `origin` + x · `right`
 * + y · `down`, in mm.
 */
export interface ScreenPlane {
  readonly origin: Vector
  readonly right: Vector
  readonly down: Vector
  /** Of the pane, in CSS pixels. */
  readonly width: number
  readonly height: number
}

export const unitNormalOf = ({ right, down }: ScreenPlane): Vector => {
  const normal = cross(right, down)
  const size = length(normal)
  return [normal[0] / size, normal[1] / size, normal[2] / size]
}

/** Where a place is on the screen; its distance from the plane is ignored. */
export function onScreen({ origin, right, down }: ScreenPlane, place: Vector): [number, number] {
  const from = subtract(place, origin)
  return [dot(from, right) / dot(right, right), dot(from, down) / dot(down, down)]
}
