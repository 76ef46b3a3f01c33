import { cache, type Types, utilities } from '@cornerstonejs/core'
import { storedOf } from '#shared/pixels/values.ts'
import type { PaneState, Probed } from './pane.ts'
import type { StackImage } from './stack.ts'
import type { View } from './view.ts'

type ImageData = Parameters<typeof utilities.transformWorldToIndex>[0]

/**
 * The value at a point of a pane, CSS pixels from its corner. @param image the decoded one; @param
 * hasTable its values come from a look-up table
 */
export function probedAt(
  view: View,
  { plane, image: of, unit }: PaneState,
  image: Types.IImage | undefined,
  hasTable: boolean,
  point: Types.Point2,
): Probed | undefined {
  const place = view.canvasToWorld(point)
  if (!place) return undefined
  if (plane) return probedVolume(volumeOf(view as Types.IVolumeViewport), place, unit)
  const data = (view as Types.IStackViewport).getImageData()?.imageData
  if (!image || !of || !data) return undefined
  const [column = -1, row = -1] = utilities.transformWorldToIndex(data as ImageData, place)
  return probedImage(image, of, hasTable, unit, column, row)
}

/** The value of a pixel of a decoded image; undefined outside of it. @param column,row from 0 */
function probedImage(
  image: Types.IImage,
  of: StackImage,
  hasTable: boolean,
  unit: string,
  column: number,
  row: number,
): Probed | undefined {
  if (column < 0 || row < 0 || column >= image.columns || row >= image.rows) return undefined
  const values = image.getPixelData()
  const at = row * image.columns + column
  if (image.color) {
    const stored = [0, 1, 2].map((channel) => values[at * 3 + channel] ?? 0)
    return { stored, value: null, unit: '', column, row }
  }
  const value = values[at] ?? 0
  const stored = of.instance.image?.float ? value : storedOf(value, of.attributes, hasTable)
  return { stored: stored === undefined ? [] : [stored], value, unit, column, row }
}

/** The voxel at a place of the patient; undefined outside of the volume. */
function probedVolume(
  volume: Types.IImageVolume | undefined,
  place: Types.Point3,
  unit: string,
): Probed | undefined {
  if (!volume?.imageData) return undefined
  const [column = -1, row = -1, slice = -1] = utilities.transformWorldToIndex(
    volume.imageData,
    place,
  )
  const [columns, rows, slices] = volume.dimensions
  if (column < 0 || row < 0 || slice < 0 || column >= columns || row >= rows || slice >= slices)
    return undefined
  const value = volume.voxelManager?.getAtIJK(column, row, slice)
  return typeof value === 'number' ? { stored: [], value, unit, column, row } : undefined
}

/** The volume a plane is of. */
function volumeOf(view: Types.IVolumeViewport): Types.IImageVolume | undefined {
  const volumeId = view.getVolumeId()
  return volumeId ? cache.getVolume(volumeId) : undefined
}
