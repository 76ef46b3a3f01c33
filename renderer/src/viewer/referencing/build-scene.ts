import type {
  PresentationState,
  Segmentation,
  StructureSet,
} from '#shared/contract/referencing-objects.ts'
import type { Message } from '#shared/messages/message.ts'
import { ImageProblem } from '#shared/pixels/image-problem.ts'
import type { SeriesState, StackImage, StudyState } from '../engine/stack.ts'
import {
  contoursOn,
  framesOn,
  type PlacedFrame,
  type PlacedImage,
  placedImage,
} from './belonging.ts'
import { isSamePatient } from './offers.ts'
import { type ImagePlane, pixelAt } from './plane-mapping.ts'
import type { LoadedReference, OverlayDisplay } from './referencing-store.ts'
import { colourAt, type Mask, type Outline, type Scene } from './scene.ts'
import type { SegmentFrames, SegmentValues } from './segment-values.ts'

/** What is drawn on an image, and what a person has to know of it. */
export interface BuiltScene {
  /** Null where nothing is drawn. */
  readonly scene: Scene | null
  /** By SOP Instance UID: numbers of segments or regions on this image. */
  readonly onImage: ReadonlyMap<string, ReadonlySet<number>>
  /** Why something that names this image is not drawn on it. */
  readonly refusals: readonly { readonly sopInstanceUid: string; readonly why: Message }[]
  readonly isLoading: boolean
}

/** @param overlays objects that are switched on */
export function buildScene(
  image: StackImage,
  { stack }: SeriesState,
  studies: readonly StudyState[],
  presentation: PresentationState | null,
  drawn: ReadonlySet<string>,
  overlays: readonly (readonly [string, LoadedReference, OverlayDisplay])[],
  frames: SegmentFrames,
): BuiltScene {
  const masks: Mask[] = []
  const outlines: Outline[] = []
  const onImage = new Map<string, ReadonlySet<number>>()
  const refusals: BuiltScene['refusals'][number][] = []
  let isLoading = false
  const placed = overlays.length > 0 ? placedImage(image, stack) : undefined
  for (const [sopInstanceUid, { instance, object }, shown] of overlays) {
    if (!object || !placed || object.kind === 'presentation-state') continue
    // Whether it may be drawn at all was decided for the series; images of it may differ.
    if (!isSamePatient(instance, image.instance, studies)) continue
    if (object.kind === 'segmentation') {
      const of = framesOn(object, placed)
      const drawn = maskOf(sopInstanceUid, object, of.items, shown, frames)
      if (drawn.mask) masks.push(drawn.mask)
      if (drawn.problem) refusals.push({ sopInstanceUid, why: drawn.problem })
      isLoading ||= drawn.isLoading
      onImage.set(sopInstanceUid, drawn.segments)
      refusals.push(...of.refusals.map((why) => ({ sopInstanceUid, why })))
    } else {
      const of = outlinesOf(object, placed, shown)
      outlines.push(...of.outlines)
      onImage.set(sopInstanceUid, of.regions)
      refusals.push(...of.refusals.map((why) => ({ sopInstanceUid, why })))
    }
  }
  const isEmpty = !presentation && masks.length + outlines.length === 0
  const scene = isEmpty ? null : { imageId: image.imageId, presentation, drawn, masks, outlines }
  return { scene, onImage, refusals, isLoading }
}

function outlinesOf(set: StructureSet, placed: PlacedImage, { hidden, opacity }: OverlayDisplay) {
  const { items, refusals } = contoursOn(set, placed)
  const regions = new Set(items.map(({ roi }) => roi.number))
  const plane = placed.plane
  if (!plane || opacity === 0) return { outlines: [], regions, refusals }
  const places = new Map(set.rois.map((roi, index) => [roi, index]))
  const outlines = items
    .filter(({ roi }) => !hidden.has(roi.number))
    .map(({ roi, contour }): Outline => {
      const shape =
        contour.type === 'POINT' ? 'points' : contour.type === 'CLOSED_PLANAR' ? 'closed' : 'open'
      return {
        colour: colourAt(roi.colour, places.get(roi) ?? 0),
        points: pixelsOf(contour.points, plane),
        shape,
      }
    })
  return { outlines, regions, refusals }
}

const pixelsOf = (points: readonly number[], plane: ImagePlane): [number, number][] =>
  Array.from({ length: Math.floor(points.length / 3) }, (_, n) =>
    pixelAt(plane, [
      points[n * 3] as number,
      points[n * 3 + 1] as number,
      points[n * 3 + 2] as number,
    ]),
  )

interface DrawnMask {
  readonly mask: Mask | undefined
  readonly segments: ReadonlySet<number>
  readonly isLoading: boolean
  readonly problem: Message | undefined
}

/** All visible segments on an image as one picture. */
function maskOf(
  sopInstanceUid: string,
  segmentation: Segmentation,
  placed: readonly PlacedFrame[],
  { hidden, opacity }: OverlayDisplay,
  frames: SegmentFrames,
): DrawnMask {
  const { pixel, type, segments } = segmentation
  const own = new Set(placed.map(({ segment }) => segment).filter((segment) => segment > 0))
  const [first] = placed
  if (!first) return { mask: undefined, segments: own, isLoading: false, problem: undefined }
  const visible = placed.filter(({ segment }) => segment === 0 || !hidden.has(segment))
  const read = visible.map((frame) => ({
    ...frame,
    values: frames.values(sopInstanceUid, frame.frame, pixel),
  }))
  const failed = read.find(({ values }) => values instanceof Error)?.values
  const ready = read.filter(
    (one): one is PlacedFrame & { readonly values: SegmentValues } =>
      one.values !== undefined && !(one.values instanceof Error),
  )
  const isLoading = read.some(({ values }) => values === undefined)
  const problem = failed instanceof ImageProblem ? failed.explanation : undefined
  if (type === 'LABELMAP') for (const { values } of ready) addLabels(own, values)
  const key = [
    ...ready.map(({ frame }) => frame),
    ...(type === 'LABELMAP' ? [...hidden].toSorted() : []),
  ].join()
  const known = pictures.get(segmentation)
  const canvas =
    known?.key === key ? known.canvas : pictureOf(segmentation, segments, ready, hidden)
  pictures.set(segmentation, { key, canvas })
  return {
    mask: { canvas, matrix: first.matrix, opacity },
    segments: own,
    isLoading,
    problem,
  }
}

/** The last picture of each segmentation. */
const pictures = new WeakMap<Segmentation, { key: string; canvas: HTMLCanvasElement }>()

function addLabels(segments: Set<number>, values: SegmentValues): void {
  for (let n = 0; n < values.length; n++) {
    const value = values[n] as number
    if (value > 0) segments.add(value)
  }
}

function pictureOf(
  { pixel, type, maximum }: Segmentation,
  segments: Segmentation['segments'],
  frames: readonly (PlacedFrame & { readonly values: SegmentValues })[],
  hidden: ReadonlySet<number>,
): HTMLCanvasElement {
  const { rows, columns } = pixel
  const canvas = Object.assign(document.createElement('canvas'), { width: columns, height: rows })
  const context = canvas.getContext('2d')
  if (!context) return canvas
  const picture = context.createImageData(columns, rows)
  const colours = new Map(
    segments.map(({ number, colour }, index) => [number, colourAt(colour, index)]),
  )
  const maxValue = type === 'FRACTIONAL' ? maximum : 1
  for (const { segment, values } of frames)
    for (let n = 0; n < rows * columns; n++) {
      const value = values[n] ?? 0
      if (value === 0) continue
      const number = type === 'LABELMAP' ? value : segment
      const colour = colours.get(number)
      if (!colour || hidden.has(number)) continue
      const share = type === 'LABELMAP' ? 1 : Math.min(1, value / maxValue)
      const at = n * 4
      // The later segment lies over the earlier one.
      if (share * 255 >= (picture.data[at + 3] ?? 0))
        picture.data.set([...colour, Math.round(share * 255)], at)
    }
  context.putImageData(picture, 0, 0)
  return canvas
}
