import { getShouldUseCPURendering, type Types } from '@cornerstonejs/core'
import type { PresentationState } from '#shared/contract/referencing-objects.ts'
import { type Message, message, verbatim } from '#shared/messages/message.ts'
import type { Curve } from '#shared/pixels/curves.ts'
import { shapeOf } from '#shared/pixels/pixel-shape.ts'
import { curveOfPresented, presentedGrayscale } from '#shared/pixels/presented-grayscale.ts'
import { displayedCorners, itemFor } from '../referencing/display-coordinates.ts'
import { at } from '../referencing/plane-mapping.ts'
import type { PixelPoint } from '../referencing/scene.ts'
import { extrasOf } from './image.ts'
import { imageToScreen } from './image-canvas.ts'
import type { StackImage } from './stack.ts'
import { flip, rotateBy } from './view.ts'

/** Brightness by a presentation state. */
export interface PresentedBrightness {
  /** As values of the image; null of a colour image. */
  readonly range: { readonly lower: number; readonly upper: number } | null
  /** Undefined where brightness is a straight line. */
  readonly curve: Curve | undefined
  /** Whether low values are bright. */
  readonly isInverted: boolean
  /** What of it cannot be applied to this image; null where all of it is. */
  readonly problem: Message | null
}

/** How a presentation state shows an image. @param image the decoded one */
export function presentedBrightness(
  state: PresentationState,
  of: StackImage,
  image: Types.IImage,
): PresentedBrightness {
  const { pixel, color } = { pixel: of.instance.image, color: image.color }
  const neutral = { range: null, curve: undefined, isInverted: false }
  if (!pixel) return { ...neutral, problem: null }
  if (color)
    return {
      ...neutral,
      problem: state.isColour ? null : message('viewer.presentation-colour-image'),
    }
  const grayscale = presentedGrayscale(state, itemFor(state.voi, of), {
    pixel,
    attributes: of.attributes,
    modalityLut: extrasOf(image)?.modalityLut ?? null,
  })
  if ('code' in grayscale) return { ...neutral, problem: grayscale }
  const { lower, upper, isInverted } = grayscale
  const isWithoutCurve = grayscale.levels !== undefined && getShouldUseCPURendering()
  const name = state.label ? verbatim(state.label) : message('viewer.presentation-curve')
  return {
    range: { lower, upper },
    curve: curveOfPresented(grayscale, name),
    isInverted,
    problem: isWithoutCurve ? message('viewer.presentation-no-curve') : aspectProblem(state, of),
  }
}

/** The aspect ratio of pixels is that of the image (PS3.3 C.10.4.1.2). */
function aspectProblem(state: PresentationState, of: StackImage): Message | null {
  const aspect = itemFor(state.areas, of)?.aspect
  const [height, width] = shapeOf(of) ?? [1, 1]
  if (!aspect || Math.abs(aspect / (height / width) - 1) < 0.01) return null
  return message('viewer.presentation-aspect')
}

/**
 * Turns, flips, zooms and moves the image of a viewport as a presentation state says (PS3.3 C.10.4,
 * C.10.6).
 */
export function showDisplayedArea(
  view: Types.IStackViewport,
  state: PresentationState,
  of: StackImage,
): void {
  view.resetCamera()
  if (state.rotation !== 0) rotateBy(view, state.rotation)
  if (state.isFlipped) flip(view, 'horizontally')
  const area = itemFor(state.areas, of)
  if (!area) return
  const corners = displayedCorners(state, of)
  const { clientWidth, clientHeight } = view.element
  const before = rectangleOf(view, corners)
  if (!before || before.width <= 0 || before.height <= 0) return
  const fitted = Math.min(clientWidth / before.width, clientHeight / before.height)
  const isMagnified = area.mode === 'MAGNIFY' && area.magnification !== null
  const factor = isMagnified ? (area.magnification ?? 1) / before.pixel : fitted
  view.setZoom(view.getZoom() * factor)
  const now = rectangleOf(view, corners)
  if (!now) return
  const [x, y] = view.getPan()
  view.setPan([
    x + clientWidth / 2 - (now.left + now.width / 2),
    y + clientHeight / 2 - (now.top + now.height / 2),
  ])
}

/** Where two corners of the image are on the screen, and the size of a pixel of the image there. */
function rectangleOf(
  view: Types.IStackViewport,
  [topLeft, bottomRight]: readonly [PixelPoint, PixelPoint],
) {
  const toScreen = imageToScreen(view)
  if (!toScreen) return undefined
  const [one, other] = [at(toScreen, ...topLeft), at(toScreen, ...bottomRight)]
  return {
    left: Math.min(one[0], other[0]),
    top: Math.min(one[1], other[1]),
    width: Math.abs(one[0] - other[0]),
    height: Math.abs(one[1] - other[1]),
    pixel: Math.hypot(toScreen[0], toScreen[1]),
  }
}
