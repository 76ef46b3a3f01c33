import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { THUMBNAIL_RENDERING } from '#server/dicom/thumbnails/rendering.ts'
import { pictureOf, renderedFrame } from '#server/dicom/thumbnails/thumbnail.ts'
import type { SmallPicture } from '#shared/pixels/small-picture.ts'
import { fileOf, IMAGE, uint16 } from '../electron/server/dicom/pixel-data/viewed-file-fixture.ts'
import { scratchFolder } from '../support/dcmtk.ts'
import { needs, PYDICOM_SAMPLES } from '../support/needs.ts'
import { samples } from '../support/samples.ts'

const run = promisify(execFile)

/** Grey or RGB of DCMTK's picture, pixel by pixel, as RGB. */
interface Rendered {
  readonly width: number
  readonly height: number
  readonly rgb: readonly number[]
}

/** A portable any-map of 8 bits (P5, P6). */
function readPnm(bytes: Buffer): Rendered {
  const head = /^P([56])\s+(?:#.*\s+)*(\d+)\s+(\d+)\s+(\d+)\s/.exec(
    bytes.toString('latin1', 0, 200),
  )
  if (!head) throw new Error('no PNM')
  const [all, kind, width, height] = head
  const data = [...bytes.subarray(all.length)]
  return {
    width: Number(width),
    height: Number(height),
    rgb: kind === '6' ? data : data.flatMap((level) => [level, level, level]),
  }
}

/** By DCMTK, with as many pixels as our picture has. */
async function byDcmtk(
  path: string,
  { width, height }: Pick<SmallPicture, 'width' | 'height'>,
  options: readonly string[],
): Promise<Rendered> {
  using folder = scratchFolder()
  const to = join(folder.path, 'picture.pnm')
  const scale = ['--scale-x-size', String(width), '--scale-y-size', String(height)]
  await run('dcmj2pnm', [...options, ...scale, path, to])
  return readPnm(readFileSync(to))
}

const rgbOf = ({ rgba }: SmallPicture) => [...rgba].filter((_, at) => at % 4 !== 3)

/** Mean difference of two pictures, of 255. */
const difference = (ours: readonly number[], theirs: readonly number[]): number =>
  ours.reduce((sum, level, at) => sum + Math.abs(level - (theirs[at] ?? 0)), 0) / ours.length

/** Pearson's correlation: how alike two pictures are whose windows differ. */
function likeness(ours: readonly number[], theirs: readonly number[]): number {
  const mean = (of: readonly number[]) => of.reduce((sum, one) => sum + one, 0) / of.length
  const [ourMean, theirMean] = [mean(ours), mean(theirs)]
  let [both, our, their] = [0, 0, 0]
  for (const [at, level] of ours.entries()) {
    const [a, b] = [level - ourMean, (theirs[at] ?? 0) - theirMean]
    both += a * b
    our += a * a
    their += b * b
  }
  return both / Math.sqrt(our * their)
}

const CLOSE = 4
const ALIKE = 0.97

/** Rings and a wedge: no two corners are alike, and every level is there. */
function phantom(side: number, value: (share: number) => number): number[] {
  return Array.from({ length: side * side }, (_, at) => {
    const [x, y] = [(at % side) / side, Math.floor(at / side) / side]
    const ring = Math.hypot(x - 0.5, y - 0.4) < 0.3 ? 0.5 + 0.5 * Math.cos(20 * x) : x * y
    return Math.round(value(Math.min(1, Math.max(0, ring))))
  })
}

const SIDE = 200
const BASE = { ...IMAGE, Rows: uint16(SIDE), Columns: uint16(SIDE) }
const SIGNED = {
  ...{ ...BASE, BitsAllocated: uint16(16), BitsStored: uint16(16), HighBit: uint16(15) },
  ...{ PixelRepresentation: uint16(1), RescaleSlope: '1', RescaleIntercept: '-1024' },
  ...{ WindowCenter: '40', WindowWidth: '400', Modality: 'CT' },
  PixelData: uint16(...phantom(SIDE, (share) => share * 2000 - 24)),
}
const RGB = {
  ...{ ...BASE, SamplesPerPixel: uint16(3), PhotometricInterpretation: 'RGB' },
  PlanarConfiguration: uint16(0),
  PixelData: Buffer.from(
    phantom(SIDE, (share) => share * 255).flatMap((level, at) => [level, 255 - level, at % SIDE]),
  ),
}
const entries = (value: (at: number) => number) =>
  uint16(...Array.from({ length: 256 }, (_, at) => value(at) * 257))
const DESCRIPTOR = uint16(256, 0, 16)
const MADE = {
  signed: SIGNED,
  monochrome1: { ...SIGNED, PhotometricInterpretation: 'MONOCHROME1' },
  rgb: RGB,
  planar: {
    ...RGB,
    PlanarConfiguration: uint16(1),
    PixelData: Buffer.from(
      [0, 1, 2].flatMap((channel) => phantom(SIDE, (share) => (share * 255) / (channel + 1))),
    ),
  },
  palette: {
    ...{ ...BASE, PhotometricInterpretation: 'PALETTE COLOR' },
    ...{
      RedPaletteColorLookupTableDescriptor: DESCRIPTOR,
      GreenPaletteColorLookupTableDescriptor: DESCRIPTOR,
      BluePaletteColorLookupTableDescriptor: DESCRIPTOR,
      RedPaletteColorLookupTableData: entries((at) => at),
      GreenPaletteColorLookupTableData: entries((at) => 255 - at),
      BluePaletteColorLookupTableData: entries((at) => at >> 1),
    },
    PixelData: Buffer.from(phantom(SIDE, (share) => share * 255)),
  },
  ultrasound: {
    ...{ ...RGB, SOPClassUID: '1.2.840.10008.5.1.4.1.1.3.1', Modality: 'US', NumberOfFrames: '5' },
    PixelData: Buffer.concat(
      [1, 2, 3, 4, 5].map((frame) =>
        Buffer.from(
          phantom(SIDE, (share) => (share * 255) / frame).flatMap((level) => [
            level,
            level >> 1,
            9,
          ]),
        ),
      ),
    ),
  },
} as const

/** How DCMTK encodes them; JPEG is lossy. */
const ENCODERS = [
  ['as it is', 'dcmconv', '+te'],
  ['in big endian', 'dcmconv', '+tb'],
  ['by RLE', 'dcmcrle'],
  ['by lossless JPEG', 'dcmcjpeg', '+e1'],
  ['by JPEG-LS', 'dcmcjpls'],
] as const

const TWELVE_BITS = {
  ...{ ...BASE, BitsAllocated: uint16(16), BitsStored: uint16(12), HighBit: uint16(11) },
  ...{ WindowCenter: '2048', WindowWidth: '4096' },
  PixelData: uint16(...phantom(SIDE, (share) => share * 4095)),
}

describe('thumbnails', () => {
  it('of JPEG of 12 bits look as DCMTK draws the same image', async (context) => {
    needs(context, 'dcmtk')
    using folder = scratchFolder()
    const [plain, compressed] = ['plain', 'compressed'].map((name) => join(folder.path, name)) as [
      string,
      string,
    ]
    writeFileSync(plain, fileOf(TWELVE_BITS, { pixelVr: 'OW' }))
    await run('dcmcjpeg', ['+ee', '+un', '+q', '95', plain, compressed])
    const theirs = await byDcmtk(plain, { width: 128, height: 128 }, ['+Wi', '1'])
    const ours = await pictureOf(compressed)
    expect(ours).toMatchObject({ width: 128, height: 128 })
    if (ours) expect(difference(rgbOf(ours), theirs.rgb)).toBeLessThan(CLOSE)
  })

  it('look as DCMTK draws the same images, however they are encoded', {
    timeout: 120_000,
  }, async (context) => {
    needs(context, 'dcmtk')
    using folder = scratchFolder()
    for (const [name, values] of Object.entries(MADE)) {
      const plain = join(folder.path, name)
      const bits = 'BitsAllocated' in values && values.BitsAllocated[0] === 16 ? 'OW' : 'OB'
      writeFileSync(plain, fileOf(values, { pixelVr: bits }))
      const lossy =
        name === 'rgb' || name === 'ultrasound'
          ? [['by baseline JPEG', 'dcmcjpeg', '+eb'] as const]
          : []
      const theirs = await byDcmtk(plain, { width: 128, height: 128 }, [
        ...(name === 'signed' || name === 'monochrome1' ? ['+Wi', '1'] : []),
        ...(name === 'ultrasound' ? ['+F', '3'] : []),
      ])
      for (const [how, tool, ...options] of [...ENCODERS, ...lossy]) {
        const path = join(folder.path, `${name}-${tool}-${options.join('')}`)
        await run(tool, [...options, plain, path])
        const ours = await pictureOf(path)
        expect(ours, `${name} ${how}`).toMatchObject({ width: 128, height: 128 })
        if (!ours) continue
        expect(difference(rgbOf(ours), theirs.rgb), `${name} ${how}`).toBeLessThan(CLOSE)
      }
    }
  })

  it('of pydicom’s sample files look as DCMTK draws them', {
    timeout: 120_000,
  }, async (context) => {
    needs(context, 'samples', 'dcmtk')
    let compared = 0
    for (const name of SAMPLES) {
      const path = join(PYDICOM_SAMPLES, name)
      const ours = await pictureOf(path)
      expect(ours, name).not.toBeNull()
      if (!ours) continue
      // This tool of DCMTK decodes neither JPEG 2000 nor JPEG-LS: it draws the file that holds the same image.
      const theirs = await byDcmtk(join(PYDICOM_SAMPLES, SAME[name] ?? name), ours, [
        ...(GREY.test(name) ? ['+Wm'] : []),
        // Without a window of its own a CT image opens in that of soft tissue.
        ...(name.startsWith('CT') ? ['+Ww', '40', '400'] : []),
      ])
      if (GREY.test(name)) expect(likeness(rgbOf(ours), theirs.rgb), name).toBeGreaterThan(ALIKE)
      else expect(difference(rgbOf(ours), theirs.rgb), name).toBeLessThan(CLOSE)
      compared++
    }
    expect(compared).toBe(SAMPLES.length)
  })

  it('of every sample file are there or not, and nothing else happens', {
    timeout: 120_000,
  }, async (context) => {
    needs(context, 'samples')
    const none: string[] = []
    let there = 0
    for (const { path } of samples()) {
      const png = await renderedFrame(path, THUMBNAIL_RENDERING)
      if (png) there++
      else none.push(basename(path))
    }
    expect(there).toBeGreaterThan(60)
    for (const name of ['test-SR.dcm', 'rtplan.dcm', 'MR_truncated.dcm', 'README.txt'])
      expect(none).toContain(name)
    for (const name of ['image_dfl.dcm', 'JPEG2000.dcm', '693_J2KI.dcm', 'badVR.dcm'])
      expect(none).not.toContain(name)
  })
})

/** Windows that fit the values: ours leaves out their ends. */
const GREY = /^MR_/
const SAME: Readonly<Record<string, string>> = {
  'MR_small_jp2klossless.dcm': 'MR_small.dcm',
  'MR_small_jpeg_ls_lossless.dcm': 'MR_small.dcm',
}
const SAMPLES = [
  ...['CT_small.dcm', 'MR_small.dcm', 'MR_small_implicit.dcm', 'MR_small_bigendian.dcm'],
  ...['MR_small_RLE.dcm', 'MR_small_jpeg_ls_lossless.dcm', 'MR_small_jp2klossless.dcm'],
  ...['SC_rgb_rle.dcm', 'SC_rgb_jpeg_dcmtk.dcm', 'SC_rgb_jpeg_gdcm.dcm', 'SC_rgb_small_odd.dcm'],
  ...['SC_rgb_dcmtk_+eb+cr.dcm', 'SC_rgb_dcmtk_+eb+cy+np.dcm', 'SC_rgb_dcmtk_+eb+cy+s4.dcm'],
  ...['SC_ybr_full_422_uncompressed.dcm'],
]
