import { describe, expect, it } from 'vitest'
import { decodedFrame } from '#server/dicom/thumbnails/image-codecs.ts'
import { jpegOf } from '#server/dicom/thumbnails/jpeg.ts'
import type { ImagePixel } from '#shared/contract/viewed-images.ts'

const BASELINE = '1.2.840.10008.1.2.4.50'

function picture(width: number, height: number, of: (x: number, y: number) => readonly number[]) {
  const rgba = new Uint8ClampedArray(width * height * 4)
  for (let at = 0; at < width * height; at++)
    rgba.set([...of(at % width, Math.floor(at / width)), 255], at * 4)
  return { width, height, rgba }
}

/** Decoded by libjpeg-turbo: the greatest difference, and the mean one. */
async function loss(of: ReturnType<typeof picture>, quality: number) {
  const { width, height, rgba } = of
  const jpeg = jpegOf(of, quality)
  const samplesPerPixel = jpeg.readUInt8(jpeg.indexOf(Buffer.from('ffc0', 'hex')) + 9)
  const pixel = {
    ...{ rows: height, columns: width, samplesPerPixel, bitsAllocated: 8, bitsStored: 8 },
    ...{ highBit: 7, pixelRepresentation: 0, planarConfiguration: 0 },
    photometricInterpretation: samplesPerPixel === 1 ? 'MONOCHROME2' : 'YBR_FULL',
  } as unknown as ImagePixel
  const { samples } = await decodedFrame(new Uint8Array(jpeg), pixel, BASELINE)
  const differences = Array.from(samples, (sample, at) => {
    const from = Math.floor(at / samplesPerPixel) * 4 + (at % samplesPerPixel)
    return Math.abs(sample - (rgba[from] as number))
  })
  const sum = differences.reduce((total, each) => total + each, 0)
  return { samplesPerPixel, most: Math.max(...differences), mean: sum / differences.length }
}

describe('a JPEG file', () => {
  it('has the grey levels of its picture', async () => {
    for (const [width, height] of [
      [1, 1],
      [16, 16],
      [50, 37],
    ] as const) {
      const grey = picture(width, height, (x, y) => Array(3).fill((x * 5 + y * 3) % 256))
      const { samplesPerPixel, mean } = await loss(grey, 95)
      expect(samplesPerPixel).toBe(1)
      expect(mean).toBeLessThan(2)
    }
  })

  it('has the colours of its picture', async () => {
    const colours = picture(40, 21, (x, y) => [x * 6, y * 12, 255 - x * 6])
    const { samplesPerPixel, mean } = await loss(colours, 95)
    expect(samplesPerPixel).toBe(3)
    expect(mean).toBeLessThan(2)
  })

  it('has noise and edges in the best quality, and something in the worst', async () => {
    const noise = picture(64, 64, (x, y) => Array(3).fill((x * 7919 + y * 104729) % 2 ? 255 : 0))
    expect((await loss(noise, 100)).most).toBeLessThan(4)
    const wild = picture(33, 33, (x, y) => [(x * 7919 + y * 31) % 256, (x * 17 * y) % 256, y % 256])
    expect((await loss(wild, 100)).mean).toBeLessThan(2)
    expect((await loss(wild, 1)).samplesPerPixel).toBe(3)
  })
})
