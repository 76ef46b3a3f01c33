import { describe, expect, it } from 'vitest'
import type { Vector } from '../../../renderer/src/viewer/engine/geometry.ts'
import { imageOfPoints } from '../../../renderer/src/viewer/engine/image-of-points.ts'
import { seriesKeyOfVolume, volumeIdOf } from '../../../renderer/src/viewer/engine/volume-id.ts'
import { slice, stacks } from './viewed.ts'

const FRAME = '1.2.3.9'
/** Images of 6 × 4 pixels of 1 mm, 5 mm apart. */
const [series] = stacks([1, 2, 3].map((number) => slice(number, number * 5)))
const at = (...points: Vector[]) =>
  series && imageOfPoints(points, FRAME, series)?.instance.instanceNumber

describe('what was drawn in a plane of a volume', () => {
  it('belongs to the image on which all of its points lie', () => {
    expect(at([1, 1, 10], [4, 2, 10.05])).toBe(2)
  })
  it('belongs to none between images, across them, or beyond one', () => {
    expect(at([1, 1, 12], [4, 2, 12])).toBeUndefined()
    expect(at([1, 1, 5], [1, 1, 10])).toBeUndefined()
    expect(at([1, 1, 5], [7, 1, 5])).toBeUndefined()
    expect(at()).toBeUndefined()
  })
  it('belongs to no image of another frame of reference', () => {
    expect(series && imageOfPoints([[1, 1, 5]], '1.2.3.8', series)).toBeUndefined()
  })
})

it('the id of a volume names its series', () => {
  if (!series) throw new Error('no series')
  expect(seriesKeyOfVolume(volumeIdOf(series))).toBe(series.key)
  expect(seriesKeyOfVolume('another:id/1')).toBeUndefined()
})
