import type { Colour, Segmentation, StructureSet } from '#shared/contract/referencing-objects.ts'
import { type Message, message } from '#shared/messages/message.ts'
import { ImageProblem } from '#shared/pixels/image-problem.ts'
import type { SeriesState, StudyState } from '../engine/stack.ts'
import type { BuiltScene } from './build-scene.ts'
import { isSamePatient } from './offers.ts'
import { distanceFrom, planeOf } from './plane-mapping.ts'
import type { LoadedReference, OverlayDisplay } from './referencing-store.ts'
import { type Region, regionOf } from './region-cuts.ts'
import { colourAt } from './scene.ts'
import { type SegmentColours, type SegmentGrid, segmentGrid } from './segment-grid.ts'
import type { SegmentValues } from './segment-values.ts'
import type { SegmentVolumes } from './segment-volumes.ts'

/** What referencing objects draw over the planes of a volume, wherever those lie. */
export interface PlaneScene {
  readonly segments: readonly {
    readonly grid: SegmentGrid
    readonly values: readonly SegmentValues[]
    readonly look: SegmentColours
    /** 0 to 1. */
    readonly opacity: number
  }[]
  readonly regions: readonly { readonly region: Region; readonly colour: Colour }[]
}

export interface BuiltPlaneScene extends Pick<BuiltScene, 'onImage' | 'refusals' | 'isLoading'> {
  /** Null where nothing is drawn. */
  readonly scene: PlaneScene | null
}

/** @param overlays objects that are switched on, and are for the series */
export function buildPlaneScene(
  series: SeriesState,
  studies: readonly StudyState[],
  overlays: readonly (readonly [string, LoadedReference, OverlayDisplay])[],
  volumes: SegmentVolumes,
): BuiltPlaneScene {
  const segments: PlaneScene['segments'][number][] = []
  const regions: PlaneScene['regions'][number][] = []
  const onImage = new Map<string, ReadonlySet<number>>()
  const refusals: BuiltScene['refusals'][number][] = []
  let isLoading = false
  for (const [sopInstanceUid, loaded, shown] of overlays) {
    const { object } = loaded
    if (!object || object.kind === 'presentation-state') continue
    const refuse = (why: Message) => void refusals.push({ sopInstanceUid, why })
    if (series.stack.some(({ instance }) => !isSamePatient(loaded.instance, instance, studies))) {
      refuse(message('viewer.overlay-other-patient'))
      continue
    }
    if (object.kind === 'structure-set') {
      const found = regionsOf(object, series)
      onImage.set(sopInstanceUid, new Set(found.regions.map(({ number }) => number)))
      regions.push(...found.regions.filter(({ number }) => !shown.hidden.has(number)))
      if (found.left > 0) refuse(message('viewer.contours-not-on-planes', { count: found.left }))
      continue
    }
    const grid = isOfSeries(object.frameOfReferenceUid, series)
      ? segmentGrid(object, thicknessOf(series))
      : undefined
    if (!grid) {
      refuse(message('viewer.segmentation-not-on-planes'))
      continue
    }
    if (grid.left > 0) refuse(message('viewer.frames-not-on-planes', { count: grid.left }))
    const numbers = object.segments
      .map(({ number }) => number)
      .filter((number) => object.type === 'LABELMAP' || grid.slices.has(number))
    onImage.set(sopInstanceUid, new Set(numbers))
    const values = volumes.values(sopInstanceUid, object)
    isLoading ||= values === undefined
    if (values instanceof ImageProblem) refuse(values.explanation)
    if (values && !(values instanceof Error))
      segments.push({ grid, values, look: segmentColoursOf(object, shown), opacity: shown.opacity })
  }
  const isEmpty = segments.length + regions.length === 0
  return { scene: isEmpty ? null : { segments, regions }, onImage, refusals, isLoading }
}

/** Without a frame of reference, coordinates of two objects have nothing to do with each other. */
const isOfSeries = (frameOfReferenceUid: string, { stack }: SeriesState): boolean =>
  frameOfReferenceUid !== '' &&
  stack.every(({ instance }) => instance.frameOfReferenceUid === frameOfReferenceUid)

/** Distance between the images of a series in mm, for what lies in one plane only. */
function thicknessOf({ stack: [first, second] }: SeriesState): number {
  const plane = first && planeOf(first.attributes)
  const next = second?.attributes.position
  const gap = plane && next ? Math.abs(distanceFrom(plane, next)) : 0
  return gap || first?.attributes.sliceThickness || 1
}

const grids = new WeakMap<StructureSet, Map<string, ReturnType<typeof regionsOf>>>()

/** The regions that are in the frame of reference of a series, and how many contours are not drawn. */
function regionsOf(
  set: StructureSet,
  series: SeriesState,
): {
  readonly regions: readonly { readonly number: number; region: Region; colour: Colour }[]
  readonly left: number
} {
  const known = grids.get(set)?.get(series.key)
  if (known) return known
  const thickness = thicknessOf(series)
  const found = set.rois.map((roi, index) => {
    const isOfThisSeries = isOfSeries(roi.frameOfReferenceUid, series)
    const region = isOfThisSeries ? regionOf(roi, thickness) : undefined
    return { region, roi, colour: colourAt(roi.colour, index) }
  })
  const made = {
    regions: found.flatMap(({ region, roi, colour }) =>
      region ? [{ number: roi.number, region, colour }] : [],
    ),
    left: found.reduce((sum, { region, roi }) => sum + (region?.left ?? roi.contours.length), 0),
  }
  grids.set(set, new Map(grids.get(set)).set(series.key, made))
  return made
}

const segmentColoursOf = (
  { type, maximum, segments }: Segmentation,
  { hidden }: OverlayDisplay,
): SegmentColours => ({
  ...{ type, maximum },
  colours: new Map(
    segments.flatMap(({ number, colour }, index) =>
      hidden.has(number) ? [] : [[number, colourAt(colour, index)] as const],
    ),
  ),
})
