import { describe, expect, it } from 'vitest'
import { type ShownImage, smallPicture } from '#shared/pixels/small-picture.ts'

const image = (more: Partial<ShownImage>): ShownImage => ({
  rows: 2,
  columns: 2,
  shape: null,
  isColour: false,
  values: [0, 100, 200, 300],
  window: { center: 128, width: 256 },
  voiLutFunction: '',
  curve: undefined,
  isInverted: false,
  ...more,
})
const square = (side: number) => ({ width: side, height: side })
/** The first channel of each pixel. */
const levels = (of: ShownImage, side = 128) =>
  [...smallPicture(of, square(side)).rgba].filter((_, at) => at % 4 === 0)

describe('a small picture', () => {
  it('is as large as the image where that is smaller', () => {
    expect(smallPicture(image({}), square(128))).toMatchObject({ width: 2, height: 2 })
  })

  it('has its longest side as it is asked for, whichever that is', () => {
    const values = new Uint8Array(400 * 100)
    expect(smallPicture(image({ rows: 100, columns: 400, values }), square(128))).toMatchObject({
      width: 128,
      height: 32,
    })
    expect(smallPicture(image({ rows: 400, columns: 100, values }), square(128))).toMatchObject({
      width: 32,
      height: 128,
    })
  })

  it('has the shape that pixels have which are not square', () => {
    const values = new Uint8Array(300 * 300)
    const wide = { rows: 300, columns: 300, values, shape: [1, 2] as const }
    expect(smallPicture(image(wide), square(128))).toMatchObject({ width: 128, height: 64 })
    const absurd = { rows: 300, columns: 300, values, shape: [1e9, 1] as const }
    expect(smallPicture(image(absurd), square(128))).toMatchObject({ width: 1, height: 128 })
  })

  it('goes through the window: LINEAR takes one from the width, LINEAR_EXACT does not', () => {
    const window = { center: 100, width: 200 }
    const at = (voiLutFunction: string) => levels(image({ window, voiLutFunction }))
    expect(at('LINEAR')).toEqual([0, 128, 255, 255])
    expect(at('LINEAR_EXACT')).toEqual([0, 128, 255, 255])
    expect(levels(image({ values: [0, 50, 150, 199], window }))).toEqual([0, 64, 192, 255])
    expect(at('SIGMOID')).toEqual([30, 128, 225, 250])
  })

  it('is a threshold where the window is one value wide', () => {
    const window = { center: 150, width: 1 }
    expect(levels(image({ window }))).toEqual([0, 0, 255, 255])
  })

  it('shows the least value of MONOCHROME1 white', () => {
    const window = { center: 150.5, width: 301 }
    expect(levels(image({ window, isInverted: true }))).toEqual([255, 170, 85, 0])
  })

  it('goes through a look-up table in place of the window’s line', () => {
    const curve = {
      name: { code: 'viewer.curve-of-image', params: {} } as never,
      lower: 0,
      upper: 300,
      levels: Float32Array.of(1, 0),
    }
    const window = { center: 150.5, width: 301 }
    expect(levels(image({ window, curve }))).toEqual([255, 170, 85, 0])
  })

  it('is the mean of what a pixel stands for', () => {
    const values = [0, 255, 255, 0]
    expect(levels(image({ values }), 1)).toEqual([128])
    const rgb = [255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 255]
    const { rgba } = smallPicture(image({ values: rgb, isColour: true }), square(1))
    expect([...rgba]).toEqual([128, 128, 128, 255])
  })

  it('keeps colours as they are', () => {
    const rgb = [255, 0, 0, 0, 255, 0, 0, 0, 255, 9, 8, 7]
    const { rgba } = smallPicture(image({ values: rgb, isColour: true }), square(128))
    expect([...rgba]).toEqual([255, 0, 0, 255, 0, 255, 0, 255, 0, 0, 255, 255, 9, 8, 7, 255])
  })
})
