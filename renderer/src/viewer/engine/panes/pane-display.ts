import type { Types } from '@cornerstonejs/core'
import { type Message, message } from '#shared/messages/message.ts'
import { isNegative as isNegativePixel } from '#shared/pixels/negative.ts'
import { unitOf } from '#shared/pixels/opening-window.ts'
import { shapeOf } from '#shared/pixels/pixel-shape.ts'
import { layersOf } from '../layers.ts'
import type { ContentKind, PaneState } from '../pane.ts'
import { edgesOf, magnificationOf, rotationOf, type View, windowOf } from '../view.ts'

const LENGTH_NOTES: Readonly<Record<string, Message>> = {
  detector: message('viewer.lengths-at-detector'),
  none: message('viewer.lengths-in-pixels'),
}

/** A pane without anything in it. */
export const EMPTY_PANE_STATE: PaneState = {
  series: null,
  kind: 'stack',
  plane: null,
  slab: null,
  rendering: null,
  index: 0,
  count: 0,
  image: null,
  isShown: false,
  problem: null,
  curve: null,
  window: null,
  unit: '',
  isInverted: false,
  rotation: 0,
  isFlippedHorizontally: false,
  isFlippedVertically: false,
  magnification: 0,
  isSmooth: true,
  isPlaying: false,
  framesPerSecond: 10,
  edges: { left: '', right: '', top: '', bottom: '' },
  lengthNote: null,
  notes: [],
  volume: null,
  presentation: null,
  presentationProblem: null,
}

/** The parts of a pane's state that follow from which image it is at. */
export function stateAtImage(
  series: NonNullable<PaneState['series']>,
  index: number,
): Pick<PaneState, 'index' | 'image' | 'unit' | 'lengthNote'> {
  const image = series.stack[index] ?? null
  return {
    index,
    image,
    unit: image ? unitOf(image, series.series.modality) : '',
    lengthNote: LENGTH_NOTES[image?.attributes.spacingFrom ?? ''] ?? null,
  }
}

/** A pane in which a series was opened, before there is a picture. */
export function openedStateAt(
  series: NonNullable<PaneState['series']>,
  kind: ContentKind,
  index: number,
): PaneState {
  const { frameTime } = series
  return {
    ...EMPTY_PANE_STATE,
    series,
    kind,
    ...stateAtImage(series, index),
    ...(kind !== 'stack' && { image: null }),
    count: kind === 'stack' ? series.stack.length : 0,
    framesPerSecond: frameTime ? Math.max(1, Math.min(60, Math.round(1000 / frameTime))) : 10,
  }
}

/** A negative image is inverted as it opens: that is no inversion by the user. */
export function isNegative({ series, image }: PaneState): boolean {
  const pixel = (image ?? series?.stack[0])?.instance.image
  return pixel != null && isNegativePixel(pixel)
}

/** The parts of a pane's state that its viewport knows. @param image the decoded one, of a stack */
export function displayStateOf(
  view: View,
  state: PaneState,
  image: Types.IImage | undefined,
): Partial<PaneState> {
  const { voiRange, invert = false } = view.getProperties() ?? {}
  const { flipHorizontal = false, flipVertical = false } = view.getViewPresentation()
  return {
    window: image?.color ? null : windowOf(voiRange, isExact(image)),
    isInverted: invert !== isNegative(state),
    rotation: rotationOf(view),
    isFlippedHorizontally: flipHorizontal,
    isFlippedVertically: flipVertical,
    magnification: magnificationOf(view, (state.image && shapeOf(state.image)?.[1]) ?? 1),
    edges: edgesOf(view, state.image),
    // A plane has pixels of many images, and none of their layers.
    notes: state.plane ? EMPTY_PANE_STATE.notes : layersOf(image).notes,
  }
}

/** Its windows are LINEAR_EXACT ones (PS3.3 C.11.2.1.3.2). */
export const isExact = (image: Types.IImage | undefined): boolean =>
  image?.voiLUTFunction === 'LINEAR_EXACT'
