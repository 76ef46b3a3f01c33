import { cache, type Types, utilities } from '@cornerstonejs/core'
import { storedValueOf } from '#shared/pixels/values.ts'
import { extrasOf } from './image.ts'
import type { ProbedValue, Slab } from './pane.ts'
import { slabValue } from './slab.ts'
import type { StackImage } from './stack.ts'

type ImageData = Parameters<typeof utilities.transformWorldToIndex>[0]

/**
 * The value at a point of a stack, CSS pixels from its corner; undefined outside of the image.
 * @param image the decoded one
 */
export function probeImage(
  view: Types.IStackViewport,
  of: StackImage | null,
  unit: string,
  image: Types.IImage | undefined,
  point: Types.Point2,
): ProbedValue | undefined {
  const worldPoint = view.canvasToWorld(point)
  const data = view.getImageData()?.imageData
  if (!worldPoint || !image || !of || !data) return undefined
  const [column = -1, row = -1] = utilities.transformWorldToIndex(data as ImageData, worldPoint)
  if (column < 0 || row < 0 || column >= image.columns || row >= image.rows) return undefined
  const values = image.getPixelData()
  const at = row * image.columns + column
  if (image.color) {
    const stored = [0, 1, 2].map((channel) => values[at * 3 + channel] ?? 0)
    return { stored, value: null, unit: '', column, row }
  }
  const value = values[at] ?? 0
  const hasTable = extrasOf(image)?.modalityLut != null
  const stored = of.instance.image?.float ? value : storedValueOf(value, of.attributes, hasTable)
  return { stored: stored === undefined ? [] : [stored], value, unit, column, row }
}

/**
 * The voxel at a point of a plane, with the value that the slab shows there; undefined outside of
 * the volume.
 */
export function probeVolume(
  view: Types.IVolumeViewport,
  unit: string,
  point: Types.Point2,
  slab: Slab | null,
): ProbedValue | undefined {
  const place = view.canvasToWorld(point)
  const volume = volumeOf(view)
  const at = place && volume && voxelAt(volume, place)
  if (!at) return undefined
  const { column, row } = at
  const valueAt = (other: Types.Point3) => voxelAt(volume, other)?.value
  const value = slab && slab.kind !== 'slice' ? slabValue(view, slab, place, valueAt) : at.value
  return value === undefined ? undefined : { stored: [], value, unit, column, row }
}

function voxelAt(volume: Types.IImageVolume, place: Types.Point3) {
  if (!volume.imageData) return undefined
  const [column = -1, row = -1, slice = -1] = utilities.transformWorldToIndex(
    volume.imageData,
    place,
  )
  const [columns, rows, slices] = volume.dimensions
  if (column < 0 || row < 0 || slice < 0 || column >= columns || row >= rows || slice >= slices)
    return undefined
  const value = volume.voxelManager?.getAtIJK(column, row, slice)
  return typeof value === 'number' ? { column, row, value } : undefined
}

/** The volume a plane is of. */
function volumeOf(view: Types.IVolumeViewport): Types.IImageVolume | undefined {
  const volumeId = view.getVolumeId()
  return volumeId ? cache.getVolume(volumeId) : undefined
}
