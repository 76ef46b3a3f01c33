import { describe, expect, it } from 'vitest'
import type { StructureSet } from '#shared/contract/referencing-objects.ts'
import { cutOf, regionOf } from '../../../../renderer/src/viewer/referencing/region-cuts.ts'
import type { ScreenPlane } from '../../../../renderer/src/viewer/referencing/screen-plane.ts'

type Contour = StructureSet['rois'][number]['contours'][number]
const contour = (points: number[], type: Contour['type'] = 'CLOSED_PLANAR'): Contour => ({
  ...{ type, references: [], points },
})
const square = (from: number, to: number, z: number) =>
  contour([from, from, z, to, from, z, to, to, z, from, to, z])
const region = (...contours: Contour[]) => regionOf({ contours } as never, 4)

/** One CSS pixel is one millimetre. */
const screen = { width: 100, height: 100 }
const axial = (z: number): ScreenPlane => ({
  ...{ ...screen, origin: [0, 0, z], right: [1, 0, 0], down: [0, 1, 0] },
})
/** From the front, the head above. */
const coronal = (y: number): ScreenPlane => ({
  ...{ ...screen, origin: [0, y, 50], right: [1, 0, 0], down: [0, 0, -1] },
})
const sorted = (bar: readonly (readonly [number, number])[]) => [
  Math.min(...bar.map(([x]) => x)),
  Math.max(...bar.map(([x]) => x)),
  Math.min(...bar.map(([, y]) => y)),
  Math.max(...bar.map(([, y]) => y)),
]

describe('a region of a structure set', () => {
  const two = region(square(10, 30, 5), square(10, 40, 10))

  it('is an outline in planes of its contours, as far as the middle between two', () => {
    const at = (z: number) => two && cutOf(two, axial(z)).outlines.map((one) => one[1])
    expect(at(5)).toEqual([[30, 10]])
    expect(at(7.4)).toEqual([[30, 10]])
    expect(at(7.6)).toEqual([[40, 10]])
    expect(at(13)).toEqual([])
  })

  it('is a bar for each contour that another plane crosses, as thick as their distance', () => {
    const { bars, outlines } = two ? cutOf(two, coronal(20)) : { bars: [], outlines: [] }
    expect(outlines).toEqual([])
    // The head is above: z of 5 is 45 pixels below the top.
    expect(bars.map(sorted)).toEqual([
      [10, 30, 42.5, 47.5],
      [10, 40, 37.5, 42.5],
    ])
    expect(two && cutOf(two, coronal(35)).bars.map(sorted)).toEqual([[10, 40, 37.5, 42.5]])
    expect(two && cutOf(two, coronal(41)).bars).toEqual([])
  })

  it('leaves holes empty', () => {
    const ring = region(square(10, 50, 5), square(20, 30, 5))
    const bars = ring && cutOf(ring, coronal(25)).bars.map((bar) => sorted(bar).slice(0, 2).join())
    expect(bars?.toSorted()).toEqual(['10,20', '30,50'])
  })

  it('of one contour is as thick as the slices of the series', () => {
    const one = region(square(10, 30, 5))
    expect(one && cutOf(one, coronal(20)).bars.map(sorted)).toEqual([[10, 30, 43, 47]])
  })

  it('ends where the plane is turned, too', () => {
    const turned = { ...coronal(0), right: [Math.SQRT1_2, Math.SQRT1_2, 0] as const }
    // Along the diagonal, 20 mm are 28.3.
    const bars = two && cutOf(two, turned).bars.map(sorted)
    expect(bars?.[0]?.slice(0, 2).map(Math.round)).toEqual([14, 42])
  })

  it('says how many contours it leaves out', () => {
    const mixed = region(
      square(10, 30, 5),
      contour([1, 1, 1], 'POINT'),
      contour([0, 0, 0, 9, 0, 0, 9, 0, 9], 'CLOSED_PLANAR'),
    )
    expect(mixed?.left).toBe(2)
    expect(region(contour([1, 1, 1], 'POINT'))).toBeUndefined()
  })
})
