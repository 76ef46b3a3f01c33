import { describe, expect, it } from 'vitest'
import type { PresentationState } from '#shared/contract/referencing-objects.ts'
import {
  displayedCorners,
  fromDisplay,
  itemFor,
} from '../../../../renderer/src/viewer/referencing/display-coordinates.ts'
import { pathOf } from '../../../../renderer/src/viewer/referencing/graphic-path.ts'

const image = {
  sopInstanceUid: '2.25.1',
  frame: 1,
  instance: { image: { columns: 40, rows: 20 } },
} as never
const state = (more: Partial<PresentationState>) =>
  ({ areas: [], rotation: 0, isFlipped: false, ...more }) as unknown as PresentationState
const area = (topLeft: [number, number], bottomRight: [number, number], uid?: string) => ({
  references: uid === undefined ? [] : [{ sopInstanceUid: uid, frames: null }],
  topLeft,
  bottomRight,
  mode: 'SCALE TO FIT' as const,
  magnification: null,
  aspect: null,
})

describe('the displayed area', () => {
  it('is the outer corners of its first and last pixel, as displayed', () => {
    const corners = (...given: Parameters<typeof area>) =>
      displayedCorners(state({ areas: [area(...given)] }), image)
    expect(corners([11, 6], [20, 15])).toEqual([
      [10, 5],
      [20, 15],
    ])
    // Flipped: the first pixel displayed is the last column.
    expect(corners([20, 6], [11, 15])).toEqual([
      [20, 5],
      [10, 15],
    ])
  })

  it('is all of the image where there is none, rotated before it is flipped', () => {
    const of = (rotation: PresentationState['rotation'], isFlipped: boolean) =>
      displayedCorners(state({ rotation, isFlipped }), image)
    expect(of(0, false)).toEqual([
      [0, 0],
      [40, 20],
    ])
    expect(of(0, true)).toEqual([
      [40, 0],
      [0, 20],
    ])
    // After a clockwise turn, the first column of the last row is at the top left.
    expect(of(90, false)[0]).toEqual([0, 20])
    expect(of(90, true)[0]).toEqual([0, 0])
    expect(of(180, false)[0]).toEqual([40, 20])
    expect(of(270, false)[0]).toEqual([40, 0])
    expect(of(270, true)[0]).toEqual([40, 20])
  })

  it('of an image goes before that of all images', () => {
    const all = area([1, 1], [40, 20])
    const own = area([1, 1], [10, 10], '2.25.1')
    expect(itemFor([all, own], image)).toBe(own)
    expect(itemFor([all, area([1, 1], [5, 5], '2.25.2')], image)).toBe(all)
    expect(itemFor([area([1, 1], [5, 5], '2.25.2')], image)).toBeUndefined()
  })
})

it('places fractions of the displayed area across and down the screen', () => {
  const corners = (rotation: PresentationState['rotation']) =>
    displayedCorners(state({ rotation }), image)
  expect(fromDisplay({ rotation: 0 }, corners(0), [0.25, 0.5])).toEqual([10, 10])
  // Across the screen runs from the last row to the first one.
  expect(fromDisplay({ rotation: 90 }, corners(90), [0.25, 0])).toEqual([0, 15])
  expect(fromDisplay({ rotation: 180 }, corners(180), [0.25, 0])).toEqual([30, 20])
})

describe('a graphic object as lines', () => {
  it('is a circle around its center through its second point', () => {
    const path = pathOf({
      type: 'CIRCLE',
      points: [
        [10, 10],
        [13, 14],
      ],
    })
    expect(path?.isClosed).toBe(true)
    for (const [x, y] of path?.points ?? []) expect(Math.hypot(x - 10, y - 10)).toBeCloseTo(5)
  })

  it('is an ellipse by the ends of its axes', () => {
    const path = pathOf({
      type: 'ELLIPSE',
      points: [
        [0, 5],
        [20, 5],
        [10, 0],
        [10, 10],
      ],
    })
    for (const [x, y] of path?.points ?? [])
      expect(((x - 10) / 10) ** 2 + ((y - 5) / 5) ** 2).toBeCloseTo(1)
  })

  it('is a curve through all points of an interpolated one, closed where it ends at its start', () => {
    const points: [number, number][] = [
      [0, 0],
      [10, 0],
      [10, 10],
      [0, 0],
    ]
    const path = pathOf({ type: 'INTERPOLATED', points })
    expect(path?.isClosed).toBe(true)
    for (const point of points) expect(path?.points).toContainEqual(point)
    expect(pathOf({ type: 'POLYLINE', points: points.slice(0, 3) })?.isClosed).toBe(false)
    expect(pathOf({ type: 'POINT', points: [[1, 1]] })).toBeUndefined()
  })
})
