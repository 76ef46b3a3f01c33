import { expect, it } from 'vitest'
import { pngOf } from '#server/dicom/thumbnails/png.ts'
import { readPng } from '../../../../support/png.ts'

const SIZES = [
  [1, 1],
  [3, 2],
  [128, 1],
  [1, 128],
] as const

it('writes pictures of any size that another reader reads as they are', () => {
  for (const [width, height] of SIZES)
    for (const isGrey of [true, false]) {
      const rgba = Uint8ClampedArray.from({ length: width * height * 4 }, (_, at) =>
        at % 4 === 3 ? 255 : ((isGrey ? at >> 2 : at) * 37) & 0xff,
      )
      const bytes = pngOf({ width, height, rgba })
      const png = readPng(bytes)
      expect(png).toMatchObject({ width, height })
      for (let y = 0; y < height; y += 1)
        for (let x = 0; x < width; x += 1) {
          const at = (y * width + x) * 4
          expect(png.at(x, y)).toEqual([...rgba.subarray(at, at + 3)])
        }
      // The colour type: one sample for each pixel of grey.
      expect(bytes[25]).toBe(isGrey ? 0 : 2)
    }
})
