import { describe, expect, it } from 'vitest'
import {
  columnOf,
  pixelPositionOf,
  rowOf,
  type Vector,
} from '../../../renderer/src/viewer/engine/geometry.ts'
import type { StackImage } from '../../../renderer/src/viewer/engine/stack.ts'
import { edgesOf, type View } from '../../../renderer/src/viewer/engine/view.ts'
import { AXIAL, attributes, instance, SAGITTAL } from './viewed.ts'

type Orientation = [number, number, number, number, number, number]
const CORONAL: Orientation = [1, 0, 0, 0, 0, -1]
/** Half way from axial to coronal. */
const OBLIQUE: Orientation = [1, 0, 0, 0, Math.SQRT1_2, -Math.SQRT1_2]
const SIDE = 100

/**
 * Where a point of the screen lies in the image, of a picture that was mirrored on the screen and
 * then turned clockwise.
 */
function imagePoint(
  [x, y]: readonly [number, number],
  turns: number,
  isFlipped: boolean,
  isUpsideDown: boolean,
): [number, number] {
  let [column, row] = [x - SIDE / 2, y - SIDE / 2]
  for (let n = 0; n < turns; n += 1) [column, row] = [row, -column]
  return [(isFlipped ? -column : column) + SIDE / 2, (isUpsideDown ? -row : row) + SIDE / 2]
}

/**
 * Letters by the corners of the image alone: which of the body's directions grows most from the
 * middle to an edge.
 */
function sideAt(of: StackImage, [column, row]: readonly [number, number]): string {
  const from = pixelPositionOf(of.attributes, SIDE / 2, SIDE / 2) as Vector
  const to = pixelPositionOf(of.attributes, column, row) as Vector
  const parts = (['RL', 'AP', 'FH'] as const).map((pair, axis) => {
    const amount = ((to[axis] as number) - (from[axis] as number)) / (SIDE / 2)
    return { letter: amount > 0 ? pair[1] : pair[0], amount: Math.abs(amount) }
  })
  return parts
    .filter(({ amount }) => amount > 0.2)
    .sort((a, b) => b.amount - a.amount)
    .map(({ letter }) => letter)
    .join('')
}

const image = (orientation: Orientation | null, patientOrientation: string[] = []): StackImage => ({
  imageId: 'x',
  sopInstanceUid: '1',
  frame: 1,
  instance: instance(1, { patientOrientation }),
  attributes: { ...attributes, position: [10, -20, 30], orientation, spacing: [1, 1] },
})

function edges(of: StackImage, turns: number, isFlipped: boolean, isUpsideDown: boolean) {
  const placed = of.attributes.orientation
    ? of.attributes
    : { ...of.attributes, orientation: AXIAL }
  const view = {
    element: { clientWidth: SIDE, clientHeight: SIDE },
    canvasToWorld: (point: readonly [number, number]) =>
      pixelPositionOf(placed, ...imagePoint(point, turns, isFlipped, isUpsideDown)),
  }
  return edgesOf(view as unknown as View, of)
}

const WAYS = [0, 1, 2, 3].flatMap((turns) =>
  [false, true].flatMap((isFlipped) =>
    [false, true].map((isUpsideDown) => [turns, isFlipped, isUpsideDown] as const),
  ),
)

describe('the letters at the edges', () => {
  const planes = { axial: AXIAL, sagittal: SAGITTAL, coronal: CORONAL, oblique: OBLIQUE }
  for (const [name, orientation] of Object.entries(planes)) {
    it(`say the side of the body that lies there, of ${name} images in all 16 ways`, () => {
      const of = image(orientation)
      for (const way of WAYS) {
        const at = (x: number, y: number) => sideAt(of, imagePoint([x, y], ...way))
        expect(edges(of, ...way), way.join(' ')).toEqual({
          left: at(0, SIDE / 2),
          right: at(SIDE, SIDE / 2),
          top: at(SIDE / 2, 0),
          bottom: at(SIDE / 2, SIDE),
        })
      }
      expect(rowOf(orientation)).not.toEqual(columnOf(orientation))
    })
  }

  it('are those everybody knows', () => {
    expect(edges(image(AXIAL), 0, false, false)).toEqual({
      left: 'R',
      right: 'L',
      top: 'A',
      bottom: 'P',
    })
    expect(edges(image(AXIAL), 0, true, false)).toEqual({
      left: 'L',
      right: 'R',
      top: 'A',
      bottom: 'P',
    })
    expect(edges(image(AXIAL), 1, false, false)).toEqual({
      left: 'P',
      right: 'A',
      top: 'R',
      bottom: 'L',
    })
    expect(edges(image(SAGITTAL), 0, false, false)).toEqual({
      left: 'A',
      right: 'P',
      top: 'H',
      bottom: 'F',
    })
    expect(edges(image(CORONAL), 2, false, false)).toEqual({
      left: 'L',
      right: 'R',
      top: 'F',
      bottom: 'H',
    })
  })

  it('come from Patient Orientation where there is no other, in all 16 ways', () => {
    const of = image(null, ['L', 'F'])
    const same = image(CORONAL)
    for (const way of WAYS) expect(edges(of, ...way), way.join(' ')).toEqual(edges(same, ...way))
    expect(edges(image(null), 0, false, false)).toEqual({
      left: '',
      right: '',
      top: '',
      bottom: '',
    })
  })
})
