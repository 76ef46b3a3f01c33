import { Enums, type Types, utilities } from '@cornerstonejs/core'
import type { ValueWindow } from '#shared/pixels/opening-window.ts'
import { columnOf, letters, oppositeLetters, rowOf, type Vector } from './geometry.ts'
import type { PaneState } from './pane.ts'
import type { StackImage } from './stack.ts'
import { STEP_WIDTH, steepenedWindow, unsteepenedWindow } from './steep-window.ts'

/** What a viewport of images and one of planes have in common. */
export type View = Types.IStackViewport | Types.IVolumeViewport

const IDENTITY = [1, 0, 0, 0, 1, 0] as const

export function windowOf(
  range: { readonly lower: number; readonly upper: number } | undefined,
  isExact: boolean,
): ValueWindow | null {
  if (!range) return null
  if (isExact) return { center: (range.lower + range.upper) / 2, width: range.upper - range.lower }
  const { windowCenter, windowWidth } = utilities.windowLevel.toWindowLevel(
    range.lower,
    range.upper,
  )
  return unsteepenedWindow({ center: windowCenter, width: windowWidth })
}

export function rangeOf(window: ValueWindow, isExact: boolean): { lower: number; upper: number } {
  const { center, width } = isExact
    ? window
    : steepenedWindow({ ...window, width: Math.max(window.width, 1) })
  const { lower, upper } = utilities.windowLevel.toLowHighRange(
    Math.max(width, Number.MIN_VALUE),
    center,
    isExact ? Enums.VOILUTFunctionType.LINEAR_EXACT : Enums.VOILUTFunctionType.LINEAR,
  )
  // Both ends at one place would be no picture.
  return upper > lower ? { lower, upper } : { lower, upper: lower + STEP_WIDTH }
}

/** How the picture lies, of a view that has one: degrees clockwise. */
export function rotationOf(view: View): number {
  return quarterTurn(view.getViewPresentation().rotation ?? 0)
}

/** @param degrees clockwise on the screen, whatever was flipped */
export function rotateBy(view: View, degrees: number): void {
  const before = view.getViewPresentation()
  view.setViewPresentation({ ...before, rotation: quarterTurn((before.rotation ?? 0) + degrees) })
}

/**
 * Left and right, or top and bottom, change places on the screen; Cornerstone flips what is rotated
 * afterwards.
 */
export function flip(view: View, way: 'horizontally' | 'vertically'): void {
  const before = view.getViewPresentation()
  const isOnItsSide = rotationOf(view) % 180 !== 0
  // `setViewPresentation` sets a flip, and takes none away.
  view.setCamera(
    (way === 'horizontally') !== isOnItsSide
      ? { flipHorizontal: !before.flipHorizontal }
      : { flipVertical: !before.flipVertical },
  )
  view.setViewPresentation({
    ...view.getViewPresentation(),
    rotation: quarterTurn(before.rotation ?? 0),
  })
}

const quarterTurn = (degrees: number) => (((Math.round(degrees / 90) * 90) % 360) + 360) % 360

/** The picture is as large as its pane allows, and nobody has moved it. */
export function isFitted(view: View): boolean {
  // Cornerstone's tool that turns a volume also fits it.
  if (view.type === Enums.ViewportType.VOLUME_3D) return false
  const [right, down] = view.getPan()
  return Math.abs(view.getZoom() - 1) < 0.001 && Math.hypot(right, down) < 1
}

/** As large as its pane allows; rotation, flips and the slice of a plane stay. */
export function fitToPane(view: View): void {
  if (view.type === Enums.ViewportType.VOLUME_3D) {
    view.resetCamera()
    return
  }
  const { rotation, flipHorizontal, flipVertical } = view.getViewPresentation()
  if (view.type === Enums.ViewportType.STACK) view.resetCamera()
  else (view as Types.IVolumeViewport).resetCamera(SLICE_KEEPING_OPTIONS)
  view.setViewPresentation({
    ...view.getViewPresentation(),
    ...(rotation !== undefined && { rotation }),
    ...(flipHorizontal !== undefined && { flipHorizontal }),
    ...(flipVertical !== undefined && { flipVertical }),
  })
}

const SLICE_KEEPING_OPTIONS = {
  resetToCenter: false,
  resetOrientation: false,
  resetRotation: false,
}

/**
 * CSS pixels for a pixel of the image, or for a millimetre of a plane; 0 where there is nothing.
 */
export function magnificationOf(view: View, spacing: number): number {
  const { clientWidth, clientHeight } = view.element
  const at = (x: number) => view.canvasToWorld([x, clientHeight / 2])
  const from = at(clientWidth / 2)
  const to = at(clientWidth / 2 + 100)
  if (!from || !to) return 0
  const world = Math.hypot(to[0] - from[0], to[1] - from[1], to[2] - from[2])
  return world > 0 ? (100 / world) * spacing : 0
}

/** Letters at the edges of the picture. @param image null of a plane, whose world is the patient */
export function edgesOf(view: View, image: StackImage | null): PaneState['edges'] {
  const { clientWidth: width, clientHeight: height } = view.element
  const middle = view.canvasToWorld([width / 2, height / 2])
  const direction = (x: number, y: number): Vector => {
    const to = view.canvasToWorld([width / 2 + x, height / 2 + y])
    return middle && to ? [to[0] - middle[0], to[1] - middle[1], to[2] - middle[2]] : [0, 0, 0]
  }
  const right = sideOf(direction(50, 0), image)
  const bottom = sideOf(direction(0, 50), image)
  return { right, left: oppositeLetters(right), bottom, top: oppositeLetters(bottom) }
}

/** The side of the body that a direction of the world points to. */
export function sideOf(direction: Vector, image: StackImage | null): string {
  if (!image || image.attributes.orientation) return letters(direction)
  // A radiograph: Patient Orientation says where its rows and columns point to (PS3.3 C.7.6.1.1.1).
  const [row = '', column = ''] = image.instance.patientOrientation
  const known = [rowOf([...IDENTITY]), columnOf([...IDENTITY])].map(
    (axis) => axis[0] * direction[0] + axis[1] * direction[1] + axis[2] * direction[2],
  )
  const [x = 0, y = 0] = known
  if (Math.abs(x) >= Math.abs(y)) return x > 0 ? row : oppositeLetters(row)
  return y > 0 ? column : oppositeLetters(column)
}
