import type { ViewedInstance, ViewedSeries } from '#shared/contract/viewed-images.ts'
import { type Message, message } from '#shared/messages/message.ts'
import { viewPaths } from '#shared/view-paths.ts'
import { dot, isSameOrientation, normalOf, type Vector } from './geometry.ts'
import type { SeriesState, StackImage } from './stack.ts'
import { volumeFault } from './volume-fault.ts'

/** More orientations than this are one stack, such as radial slices. */
const MAX_ORIENTATIONS = 3

/** Name of a frame's image for Cornerstone. @param frame from 1 */
export const imageIdOf = (viewId: string, sopInstanceUid: string, frame: number): string =>
  `isthmus:${viewId}/${encodeURIComponent(sopInstanceUid)}/${frame}`

/** What an image id names; undefined where it is not ours. */
export function parseImageId(
  imageId: string,
): { readonly sopInstanceUid: string; readonly frame: number } | undefined {
  const found = /^isthmus:[^/]*\/([^/]+)\/(\d+)$/.exec(imageId)
  return found?.[1]
    ? { sopInstanceUid: decodeURIComponent(found[1]), frame: Number(found[2]) }
    : undefined
}

/** Where the gateway has the frame of an image. */
export function framePathOf(viewId: string, imageId: string): string {
  const { sopInstanceUid, frame } = parseImageId(imageId) ?? { sopInstanceUid: '', frame: 1 }
  return viewPaths.frame(viewId, sopInstanceUid, frame)
}

/** It has pixels, or the manifest alone knows it, which names images only. */
export const isImage = (instance: ViewedInstance): boolean =>
  instance.image !== null || instance.notImage === null

export const attributesOf = (instance: ViewedInstance, frame: number) =>
  instance.perFrame?.[frame - 1] ?? instance.attributes

/**
 * The stacks of one DICOM series: a multi-frame object stands alone; single frames are grouped by
 * localizer, size, colour and orientation.
 * @param instances all of the series, in any order; those that are no images are passed over
 * @param isWhole nothing more comes: what the manifest alone knows is missing
 */
export function displaySeries(
  viewId: string,
  series: ViewedSeries,
  instances: readonly ViewedInstance[],
  { isPrior, isWhole }: { readonly isPrior: boolean; readonly isWhole: boolean },
): SeriesState[] {
  return partsOf(instances.filter(isImage)).map(({ key, part, instances: group, isMultiFrame }) => {
    const stack = stackOf(viewId, group, isMultiFrame)
    const missingImages = stack.filter(({ instance }) => isWhole && instance.source === 'manifest')
    const missing = new Set(missingImages.map(({ imageId }) => imageId))
    const whyNoVolume = volumeFault(stack, missing.size)
    return {
      key: `${series.seriesInstanceUid}/${key}`,
      studyInstanceUid: series.studyInstanceUid,
      isPrior,
      series,
      part,
      stack,
      missing,
      isMultiFrame,
      frameTime: stack[0]?.instance.frameTime ?? null,
      isVolume: whyNoVolume === null,
      whyNoVolume,
    }
  })
}

/** Images of a series that are one stack. */
interface SeriesPart {
  readonly key: string
  /** What tells it from the others; null where it is the only one. */
  readonly part: Message | null
  readonly instances: readonly ViewedInstance[]
  readonly isMultiFrame: boolean
}

function partsOf(images: readonly ViewedInstance[]): SeriesPart[] {
  const groups = [...groupsOf(images.filter(({ frames }) => frames === 1))]
  const multiFrame = images
    .filter(({ frames }) => frames > 1)
    .sort((a, b) => a.instanceNumber - b.instanceNumber || byUid(a, b))
  const isOnlyOne = groups.length + multiFrame.length === 1
  return [
    ...groups.map(([key, group]) => ({
      key,
      part: partOf(key, groups),
      instances: group,
      isMultiFrame: false,
    })),
    ...multiFrame.map((instance) => ({
      key: instance.sopInstanceUid,
      part: isOnlyOne ? null : message('viewer.part-frames', { frames: instance.frames }),
      instances: [instance],
      isMultiFrame: true,
    })),
  ]
}

/** The frames of images, in their order in space or in the file. */
const stackOf = (viewId: string, instances: readonly ViewedInstance[], isMultiFrame: boolean) =>
  sortStack(
    instances.flatMap((instance) =>
      Array.from({ length: instance.frames }, (_, index) => ({
        imageId: imageIdOf(viewId, instance.sopInstanceUid, index + 1),
        sopInstanceUid: instance.sopInstanceUid,
        frame: index + 1,
        instance,
        attributes: attributesOf(instance, index + 1),
      })),
    ),
    isMultiFrame,
  )

/** Series in the order of study, number and part. */
export const bySeriesNumber = (a: SeriesState, b: SeriesState): number =>
  (a.series.seriesNumber ?? Number.MAX_SAFE_INTEGER) -
    (b.series.seriesNumber ?? Number.MAX_SAFE_INTEGER) ||
  compare(a.series.seriesInstanceUid, b.series.seriesInstanceUid) ||
  compare(a.key, b.key)

/** Characters alone decide: UIDs are no words. */
export const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
const byUid = (a: ViewedInstance, b: ViewedInstance) => compare(a.sopInstanceUid, b.sopInstanceUid)

function groupsOf(instances: readonly ViewedInstance[]): Map<string, readonly ViewedInstance[]> {
  const shapes = Map.groupBy(instances, ({ image, imageType }) =>
    image
      ? `${imageType.includes('LOCALIZER') ? 'localizer ' : ''}${image.columns} × ${image.rows}${image.samplesPerPixel > 1 ? ' colour' : ''}`
      : '',
  )
  // What the manifest knows without its size stands with the most.
  const unknown = shapes.get('')
  if (unknown && shapes.size > 1) {
    shapes.delete('')
    const [most, others] = [...shapes].reduce((a, b) => (b[1].length > a[1].length ? b : a))
    shapes.set(most, [...others, ...unknown])
  }
  return new Map([...shapes].flatMap(([shape, group]) => byOrientation(shape, group)))
}

function byOrientation(
  shape: string,
  group: readonly ViewedInstance[],
): [string, readonly ViewedInstance[]][] {
  const parts: ViewedInstance[][] = []
  const unknown: ViewedInstance[] = []
  for (const instance of group) {
    const { orientation } = instance.attributes
    if (!orientation) {
      unknown.push(instance)
      continue
    }
    const part = parts.find(
      ([first]) =>
        first?.attributes.orientation &&
        isSameOrientation(first.attributes.orientation, orientation),
    )
    if (part) part.push(instance)
    else if (parts.length === MAX_ORIENTATIONS) return [[shape, group]]
    else parts.push([instance])
  }
  const [first, ...others] = parts.sort((a, b) => b.length - a.length)
  if (!first || others.length === 0) return [[shape, group]]
  first.push(...unknown)
  return parts.map((part) => [`${shape} ${planeOf(part[0] as ViewedInstance)}`, part])
}

function planeOf({ attributes: { orientation } }: ViewedInstance): string {
  const [x, y, z] = orientation ? normalOf(orientation).map(Math.abs) : []
  if (x === undefined || y === undefined || z === undefined) return ''
  const plane = z >= x && z >= y ? 'axial' : x >= y ? 'sagittal' : 'coronal'
  return `${plane} ${orientation?.map((cosine) => cosine.toFixed(3)).join(' ')}`
}

const GROUP_LABEL = /^(localizer )?(\d+) × (\d+)( colour)?(?: (axial|sagittal|coronal))?/

/** What sets a group apart: the direction cosines in its key are for nobody to read. */
function partOf(key: string, groups: readonly (readonly [string, unknown])[]): Message | null {
  if (groups.length === 1) return null
  const [found, localizer, columns = '', rows = '', colour, plane = 'none'] =
    GROUP_LABEL.exec(key) ?? []
  if (!found) return message('viewer.part-of-unknown-size')
  const kind = localizer ? 'localizer' : 'other'
  return message('viewer.part', { kind, columns, rows, colour: colour ? 'yes' : 'no', plane })
}

/**
 * By position along the normal where all have one and no two are at one place; else by number, then
 * UID.
 */
function sortStack(stack: readonly StackImage[], isMultiFrame: boolean): StackImage[] {
  if (isMultiFrame) return [...stack]
  const sortedByNumber = stack.toSorted(
    (a, b) =>
      a.instance.instanceNumber - b.instance.instanceNumber || byUid(a.instance, b.instance),
  )
  const orientation = stack[0]?.attributes.orientation
  if (!orientation || stack.length < 2) return sortedByNumber
  const normal = normalOf(orientation)
  const depths = new Map<StackImage, number>()
  for (const image of stack) {
    const { position, orientation: other } = image.attributes
    if (!position || !other || !isSameOrientation(orientation, other)) return sortedByNumber
    depths.set(image, dot(position as Vector, normal))
  }
  const depth = (image: StackImage) => depths.get(image) ?? 0
  const sortedByDepth = sortedByNumber.toSorted((a, b) => depth(a) - depth(b))
  const isRepeated = sortedByDepth.some(
    (image, index) =>
      index > 0 && depth(image) - depth(sortedByDepth[index - 1] as StackImage) < 0.001,
  )
  const hasUniqueNumbers =
    new Set(sortedByNumber.map(({ instance }) => instance.instanceNumber)).size === stack.length
  if (isRepeated && hasUniqueNumbers) return sortedByNumber
  // The way of the numbers is the way in which it was taken to be read, such as from head to feet.
  const risingCount = sortedByDepth.filter(
    ({ instance }, index) =>
      index > 0 &&
      instance.instanceNumber > (sortedByDepth[index - 1] as StackImage).instance.instanceNumber,
  ).length
  return risingCount * 2 < stack.length - 1 ? sortedByDepth.reverse() : sortedByDepth
}
