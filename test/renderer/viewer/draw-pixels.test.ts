import { expect, test } from 'vitest'
import { BLACK, drawColours, drawPixels } from '../../../renderer/src/viewer/engine/draw-pixels.ts'
import type { Affine } from '../../../renderer/src/viewer/referencing/plane-mapping.ts'

// 1 2 3
// 4 5 6
const IMAGE = { values: new Int16Array([1, 2, 3, 4, 5, 6]), rows: 2, columns: 3 }
/** Each value from 0 to 6, and halves between, is its own colour. */
const SHADES = { lower: 0, upper: 6, colours: Uint32Array.from({ length: 13 }, (_, n) => n) }

function drawn(width: number, height: number, toImage: Affine, isSmooth = false, image = IMAGE) {
  const pixels = new Uint32Array(width * height)
  drawPixels({ pixels, width, height }, toImage, image, SHADES, isSmooth)
  return [...pixels].map((colour) => (colour === BLACK ? null : colour / 2))
}

test('each pixel of the target has the value at its centre, and none is outside of the image', () => {
  expect(drawn(3, 2, [1, 0, 0, 1, 0, 0])).toEqual([1, 2, 3, 4, 5, 6])
  expect(drawn(4, 1, [1, 0, 0, 1, -1, 1])).toEqual([null, 4, 5, 6])
  expect(drawn(4, 2, [0.5, 0, 0, 0.5, 0, 0])).toEqual([1, 1, 2, 2, 1, 1, 2, 2])
})

test('an image is mirrored and turned by quarters', () => {
  expect(drawn(3, 2, [-1, 0, 0, 1, 3, 0])).toEqual([3, 2, 1, 6, 5, 4])
  // Clockwise: columns of the target are rows of the image, from the last one.
  expect(drawn(2, 3, [0, -1, 1, 0, 0, 2])).toEqual([4, 1, 5, 2, 6, 3])
})

test('values are interpolated between centres of pixels, before they become colours', () => {
  expect(drawn(6, 1, [0.5, 0, 0, 1, 0.25, 0], true)).toEqual([1, 1.5, 2, 2.5, 3, null])
  expect(drawn(1, 1, [1, 0, 0, 1, 0.5, 0.5], true)).toEqual([3])
  // Values above the window have its last colour only after the interpolation.
  const steep = { values: new Int16Array([0, 12]), rows: 1, columns: 2 }
  expect(drawn(1, 1, [1, 0, 0, 1, 0.25, 0], true, steep)).toEqual([3])
})

test('an image of one pixel is smooth too', () => {
  const one = { values: new Int16Array([4]), rows: 1, columns: 1 }
  expect(drawn(2, 2, [0.5, 0, 0, 0.5, 0, 0], true, one)).toEqual([4, 4, 4, 4])
})

test('a colour image has three values for each pixel', () => {
  const image = { values: new Uint8Array([10, 20, 30, 50, 60, 70]), rows: 1, columns: 2 }
  const bytes = (isSmooth: boolean, offset: number) => {
    const pixels = new Uint32Array(1)
    const target = { pixels, width: 1, height: 1 }
    drawColours(target, [1, 0, 0, 1, offset, 0], image, { lower: 0, upper: 255 }, isSmooth)
    return [...new Uint8Array(pixels.buffer)]
  }
  expect(bytes(false, 1)).toEqual([50, 60, 70, 255])
  expect(bytes(true, 0.5)).toEqual([30, 40, 50, 255])
})
