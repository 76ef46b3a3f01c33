import { describe, expect, it } from 'vitest'
import type { Segmentation } from '#shared/contract/referencing-objects.ts'
import type { ScreenPlane } from '../../../../renderer/src/viewer/referencing/screen-plane.ts'
import {
  type SegmentColours,
  sampledSegments,
  segmentGrid,
} from '../../../../renderer/src/viewer/referencing/segment-grid.ts'

const RED = [255, 0, 0] as const
const BLUE = [0, 0, 255] as const
/** Frames of 4 × 2 pixels, 2 mm wide and 3 mm high. */
const segmentation = (
  frames: readonly { segment: number; z: number | null; orientation?: readonly number[] }[],
  type: Segmentation['type'] = 'BINARY',
): Segmentation =>
  ({
    ...{ type, maximum: 200, pixel: { rows: 2, columns: 4 } },
    frames: frames.map(({ segment, z, orientation = [1, 0, 0, 0, 1, 0] }) => ({
      ...{ segment, orientation, spacing: [3, 2], references: [] },
      position: z === null ? null : [1, 1.5, z],
    })),
  }) as unknown as Segmentation
const look = (type: Segmentation['type'], ...colours: [number, readonly number[]][]) =>
  ({ type, maximum: 200, colours: new Map(colours) }) as unknown as SegmentColours

/** One CSS pixel is one millimetre; the first pixel begins at 0, 0. */
const axial = (z: number): ScreenPlane => ({
  ...{ width: 10, height: 8, origin: [0, 0, z], right: [1, 0, 0], down: [0, 1, 0] },
})
const coronal: ScreenPlane = {
  ...{ width: 10, height: 20, origin: [0, 2, 20], right: [1, 0, 0], down: [0, 0, -1] },
}
/** Letters of what is at each pixel of some rows. */
const drawn = (data: ImageData['data'], width: number, rows: readonly number[]) =>
  rows.map((row) =>
    Array.from({ length: width }, (_, column) => {
      const [red = 0, , blue = 0, alpha = 0] = data.slice((row * width + column) * 4)
      return alpha === 0 ? '.' : red > blue ? 'r' : 'b'
    }).join(''),
  )
const values = [
  [1, 0, 0, 1, 0, 0, 0, 0],
  [0, 1, 0, 0, 0, 0, 0, 0],
]

describe('a segmentation', () => {
  const two = segmentation([
    { segment: 1, z: 2.5 },
    { segment: 2, z: 7.5 },
  ])
  const grid = segmentGrid(two, 1)
  const both = look('BINARY', [1, RED], [2, BLUE])
  const at = (screen: ScreenPlane, how = both) =>
    grid ? sampledSegments(grid, values, how, screen, 1) : new Uint8ClampedArray()

  it('has in planes of its frames the pixels of the nearest one', () => {
    expect(drawn(at(axial(2.5)), 10, [0, 2, 3])).toEqual(['rr....rr..', 'rr....rr..', '..........'])
    expect(drawn(at(axial(4.9)), 10, [0])).toEqual(['rr....rr..'])
    expect(drawn(at(axial(5.1)), 10, [0])).toEqual(['..bb......'])
    expect(drawn(at(axial(10.1)), 10, [0])).toEqual(['..........'])
  })

  it('has in other planes frames as thick as their distance', () => {
    // From 10 mm down to 0, with the head above at 20.
    expect(drawn(at(coronal), 10, [9, 10, 14, 15, 19])).toEqual([
      ...['..........', '..bb......', '..bb......', 'rr....rr..', 'rr....rr..'],
    ])
  })

  it('has no segments that are hidden', () => {
    const one = look('BINARY', [2, BLUE])
    expect(drawn(at(coronal, one), 10, [12, 17])).toEqual(['..bb......', '..........'])
  })

  it('of fractions is the fainter the smaller they are', () => {
    const of = segmentGrid(segmentation([{ segment: 1, z: 0 }], 'FRACTIONAL'), 1)
    const data =
      of &&
      sampledSegments(of, [[200, 100, 0, 0, 0, 0, 0, 0]], look('FRACTIONAL', [1, RED]), axial(0), 1)
    expect([data?.[3], data?.[2 * 4 + 3], data?.[4 * 4 + 3]]).toEqual([255, 128, 0])
  })

  it('as a label map has the numbers of segments as values', () => {
    const of = segmentGrid(segmentation([{ segment: 0, z: 0 }], 'LABELMAP'), 1)
    const how = look('LABELMAP', [1, RED], [2, BLUE])
    const data = of && sampledSegments(of, [[1, 2, 0, 3, 0, 0, 0, 0]], how, axial(0), 1)
    expect(data && drawn(data, 10, [0])).toEqual(['rrbb......'])
  })

  it('leaves out frames without a place, and in other directions', () => {
    const mixed = segmentation([
      { segment: 1, z: 0 },
      { segment: 1, z: null },
      { segment: 1, z: 5, orientation: [0, 1, 0, 0, 0, 1] },
    ])
    expect(segmentGrid(mixed, 1)?.left).toBe(2)
    expect(segmentGrid(segmentation([{ segment: 1, z: null }]), 1)).toBeUndefined()
  })
})
