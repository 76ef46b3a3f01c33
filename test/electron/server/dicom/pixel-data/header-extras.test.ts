import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { writeDataSet } from '#server/dicom/data-set/data-set.ts'
import type { NamedValues } from '#server/dicom/data-set/named-data-set.ts'
import { TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import { SRGB_PROFILE } from '#server/dicom/objects/srgb-profile.ts'
import { isSrgbProfile } from '#server/dicom/pixel-data/icc-profile.ts'
import { paletteTable } from '#server/dicom/pixel-data/palette-table.ts'
import { ViewedFile } from '#server/dicom/pixel-data/viewed-file.ts'
import { element, fileOf, IMAGE, meta, opened, TestSource, uint16 } from './viewed-file-fixture.ts'

const fileWith = (values: NamedValues, transferSyntaxUid?: string) =>
  opened(
    fileOf(
      { ...IMAGE, PixelData: Buffer.alloc(24), ...values },
      transferSyntaxUid ? { transferSyntaxUid } : {},
    ),
  ).file
const extrasWith = (values: NamedValues, transferSyntaxUid?: string) => {
  const file = fileWith(values, transferSyntaxUid)
  expect(file.header()?.instance.hasExtras).toBe(true)
  return file.extras()
}
const PALETTE = (descriptor: Buffer, data: Buffer): NamedValues => ({
  PhotometricInterpretation: 'PALETTE COLOR',
  RedPaletteColorLookupTableDescriptor: descriptor,
  GreenPaletteColorLookupTableDescriptor: descriptor,
  BluePaletteColorLookupTableDescriptor: descriptor,
  RedPaletteColorLookupTableData: data,
  GreenPaletteColorLookupTableData: data,
  BluePaletteColorLookupTableData: data,
})

describe('what is beside the pixels', () => {
  it('is nothing of most images', () => {
    const file = fileWith({})
    expect(file.header()?.instance.hasExtras).toBe(false)
    expect(file.extras()).toEqual({
      ...{ palette: null, modalityLut: null, voiLuts: [] },
      ...{ supplementalPalette: null, overlays: [], notApplied: [] },
    })
  })

  it('is a palette, in words, in bytes, in Big Endian', () => {
    const table = {
      entries: 4,
      firstValue: 2,
      bits: 16,
      explanation: '',
      data: uint16(1, 2, 0x8000, 0xffff),
    }
    for (const uid of [
      undefined,
      TRANSFER_SYNTAX.explicitBigEndian,
      TRANSFER_SYNTAX.implicitLittleEndian,
    ]) {
      const { palette } = extrasWith(PALETTE(uint16(4, 2, 16), uint16(1, 2, 0x8000, 0xffff)), uid)
      expect(palette).toEqual({ red: table, green: table, blue: table })
    }
    const bytes = extrasWith(PALETTE(uint16(4, 0, 8), Buffer.from([1, 2, 3, 255])))
    expect(bytes.palette?.blue).toEqual({
      entries: 4,
      firstValue: 0,
      bits: 8,
      explanation: '',
      data: uint16(1, 2, 3, 255),
    })
  })

  it('is a palette of 65536 entries, whose number is written as 0', () => {
    const { palette } = extrasWith(PALETTE(uint16(0, 0, 16), Buffer.alloc(131_072 - 2)))
    expect(palette).toBeNull()
    expect(
      extrasWith({
        ...PALETTE(uint16(0, -3, 16), Buffer.alloc(20)),
        PixelRepresentation: uint16(1),
      }).palette,
    ).toBeNull()
  })

  it('is a palette in segments', () => {
    // PS3.3 C.7.9.2: two values, a line of four to 50, and both again.
    const segments = uint16(0, 2, 10, 20, 1, 3, 50, 2, 2, 0, 0)
    expect(paletteTable(segments, 16, 256)).toEqual(uint16(10, 20, 30, 40, 50, 10, 20, 30, 40, 50))
    expect(paletteTable(segments, 16, 3)).toEqual(uint16(10, 20, 30))
    expect(paletteTable(uint16(2, 65_535, 0, 0), 16, 256)).toHaveLength(0)
    const values = PALETTE(uint16(5, 0, 16), Buffer.alloc(0))
    const { palette } = extrasWith({
      ...values,
      ...Object.fromEntries(
        ['Red', 'Green', 'Blue'].map((colour) => [
          `Segmented${colour}PaletteColorLookupTableData`,
          segments,
        ]),
      ),
    })
    expect(palette?.red.data).toEqual(uint16(10, 20, 30, 40, 50))
  })

  it('is a modality table and tables of interest', () => {
    const table = (explanation: string): NamedValues => ({
      LUTDescriptor: uint16(2, -4, 12),
      LUTExplanation: explanation,
      LUTData: uint16(7, 9),
    })
    const extras = extrasWith({
      PixelRepresentation: uint16(1),
      ModalityLUTSequence: [{ ...table(''), ModalityLUTType: 'OD' }],
      VOILUTSequence: [table('Knochen'), table('Ткань')],
    })
    expect(extras.modalityLut).toEqual({
      entries: 2,
      firstValue: -4,
      bits: 12,
      explanation: 'OD',
      data: uint16(7, 9),
    })
    expect(extras.voiLuts.map(({ explanation }) => explanation)).toEqual(['Knochen', 'Ткань'])
  })

  it('is not a table that is too short for what it says, which is named', () => {
    const damaged = [
      { LUTDescriptor: uint16(200, 0, 16), LUTData: uint16(1) },
      { LUTData: uint16(1) },
    ]
    const extras = extrasWith({ ModalityLUTSequence: damaged, VOILUTSequence: damaged })
    expect(extras.voiLuts).toEqual([])
    expect(extras.notApplied.map(({ code }) => code)).toEqual([
      'viewer.modality-lut-not-applied',
      'viewer.voi-lut-not-applied',
    ])
  })

  it('is the supplemental palette of a grayscale image that is presented in colour', () => {
    const palette = {
      ...PALETTE(uint16(2, 200, 16), uint16(1, 0xffff)),
      PhotometricInterpretation: 'MONOCHROME2',
    }
    expect(fileWith(palette).header()?.instance.hasExtras).toBe(false)
    const colour = { ...palette, PixelPresentation: 'COLOR' }
    expect(extrasWith(colour).supplementalPalette).toMatchObject({
      threshold: 200,
      red: { entries: 2 },
    })
    expect(extrasWith(colour).palette).toBeNull()
    expect(
      extrasWith({ ...colour, LargestMonochromePixelValue: uint16(99) }).supplementalPalette
        ?.threshold,
    ).toBe(100)
    const frames = {
      ...palette,
      PixelPresentation: '',
      PerFrameFunctionalGroupsSequence: [
        { MRImageFrameTypeSequence: [{ PixelPresentation: 'MONOCHROME' }] },
        { MRImageFrameTypeSequence: [{ PixelPresentation: 'COLOR' }] },
      ],
    }
    expect(extrasWith(frames).supplementalPalette).not.toBeNull()
    const without = { PhotometricInterpretation: 'MONOCHROME2', PixelPresentation: 'MIXED' }
    expect(extrasWith(without).notApplied.map(({ code }) => code)).toEqual([
      'viewer.supplement-not-applied',
    ])
  })

  it('is overlays: of all frames, of some, and within the pixels', () => {
    const group = (number: number, ...elements: [number, string, Buffer][]): Buffer =>
      Buffer.concat(
        elements.map(([tag, vr, value]) => {
          const bytes = element('PatientID', value, value.length, vr)
          bytes.writeUInt16LE(number, 0)
          bytes.writeUInt16LE(tag, 2)
          return bytes
        }),
      )
    const plane = (number: number, ...more: [number, string, Buffer][]) =>
      group(
        number,
        [0x10, 'US', uint16(3)],
        [0x11, 'US', uint16(5)],
        [0x40, 'CS', Buffer.from('G ')],
        [0x50, 'SS', uint16(-1, 4)],
        [0x1500, 'LO', Buffer.from('Shutter ')],
        ...more,
      )
    const data: [number, string, Buffer] = [0x3000, 'OW', Buffer.from('abcd')]
    const uid = element('SOPInstanceUID', Buffer.from('2.25.3'))
    const pixel = Buffer.concat([
      element('Rows', uint16(4)),
      element('Columns', uint16(6)),
      element('BitsAllocated', uint16(8)),
    ])
    const overlays = [
      plane(0x6000, data),
      plane(0x6002),
      plane(0x6004, [0x15, 'IS', Buffer.from('2 ')], [0x51, 'US', uint16(3)], data),
      plane(0x6006, [0x100, 'US', uint16(16)], [0x102, 'US', uint16(12)]),
      plane(0x6008, [0x15, 'IS', Buffer.from('9 ')], data),
    ]
    const bytes = Buffer.concat([
      meta(),
      uid,
      pixel,
      ...overlays,
      element('PixelData', Buffer.alloc(24), 24, 'OB'),
    ])
    const file = new ViewedFile(new TestSource(bytes))
    expect(file.header()?.instance.hasExtras).toBe(true)
    const same = { rows: 3, columns: 5, origin: [-1, 4], type: 'G', label: 'Shutter' }
    expect(file.extras().overlays).toEqual([
      { group: 0x6000, ...same, frames: null, bit: null, data: Buffer.from('ab') },
      {
        group: 0x6004,
        ...same,
        frames: { first: 3, count: 2 },
        bit: null,
        data: Buffer.from('abcd'),
      },
      { group: 0x6006, ...same, frames: null, bit: 12, data: Buffer.alloc(0) },
    ])
    // The last one has too few bits for nine frames.
    expect(file.extras().notApplied).toMatchObject([{ params: { count: 1 } }])
  })
})

it('overlays are read in Implicit VR, too, where only the dictionary knows their VRs', () => {
  const syntax = TRANSFER_SYNTAX.implicitLittleEndian
  const image = fileOf(IMAGE, { transferSyntaxUid: syntax })
  for (const group of [0x6000, 0x6002, 0x601e]) {
    const overlay = [
      { number: 0x10, vr: 'US', value: uint16(4) },
      { number: 0x11, vr: 'US', value: uint16(4) },
      { number: 0x40, vr: 'CS', value: Buffer.from('G ') },
      { number: 0x50, vr: 'SS', value: uint16(1, 1) },
      { number: 0x3000, vr: 'OW', value: Buffer.from([0xa5, 0x5a]) },
    ].map(({ number, ...one }) => ({ tag: group * 0x10000 + number, ...one }))
    const pixels = { tag: 0x7fe00010, vr: 'OW', value: Buffer.alloc(24) }
    const file = Buffer.concat([image, writeDataSet([...overlay, pixels], syntax)])
    const { overlays, notApplied } = opened(file).file.extras()
    expect([overlays, notApplied]).toMatchObject([[{ group, rows: 4, columns: 4 }], []])
  }
})

describe('an ICC profile', () => {
  const RGB: NamedValues = { SamplesPerPixel: 3, PhotometricInterpretation: 'RGB' }
  const note = [{ code: 'viewer.icc-profile-not-applied' }]
  /** Adobe RGB: its primary of green, and a gamma of 2.2. */
  const otherProfile = () => {
    const bytes = Buffer.from(SRGB_PROFILE)
    const at = bytes.indexOf('gXYZ')
    bytes.writeInt32BE(Math.round(0.2052 * 65_536), bytes.readUInt32BE(at + 4) + 8)
    return bytes
  }
  const another = otherProfile()

  it('of sRGB is what colours are displayed by', () => {
    const pdfkit = dirname(createRequire(import.meta.url).resolve('pdfkit'))
    const published = readFileSync(join(pdfkit, 'data/sRGB_IEC61966_2_1.icc'))
    expect([SRGB_PROFILE, published].map(isSrgbProfile)).toEqual([true, true])
    expect(fileWith({ ...RGB, ICCProfile: SRGB_PROFILE }).header()?.instance.hasExtras).toBe(false)
  })

  it('of sRGB may have its curve as a function', () => {
    const parameters = [2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045]
    expect(isSrgbProfile(withCurve(parameters))).toBe(true)
    expect(isSrgbProfile(withCurve([2.2, 1, 0, 0, 0]))).toBe(false)
  })

  it('that is another one is not applied, which the image says', () => {
    expect(extrasWith({ ...RGB, ICCProfile: another }).notApplied).toMatchObject(note)
    expect(extrasWith({ ...RGB, ICCProfile: Buffer.alloc(200_000) }).notApplied).toMatchObject(note)
  })

  it('of an optical path counts, one of a gray image does not', () => {
    const path = { OpticalPathSequence: [{ ICCProfile: another }] }
    expect(extrasWith({ ...RGB, ...path }).notApplied).toMatchObject(note)
    expect(fileWith({ ICCProfile: another }).header()?.instance.hasExtras).toBe(false)
  })

  it('that is damaged is none of sRGB', () => {
    for (let length = 0; length < SRGB_PROFILE.length; length += 97)
      expect(isSrgbProfile(SRGB_PROFILE.subarray(0, length))).toBe(false)
  })

  /** The profile of sRGB with another curve (ICC.1, 10.18, function type 3). */
  function withCurve(parameters: readonly number[]): Buffer {
    const bytes = Buffer.from(SRGB_PROFILE)
    const curve = Buffer.alloc(12 + parameters.length * 4)
    curve.write('para', 'latin1')
    curve.writeUInt16BE(3, 8)
    for (const [index, one] of parameters.entries())
      curve.writeInt32BE(Math.round(one * 65_536), 12 + index * 4)
    const at = bytes.readUInt32BE(bytes.indexOf('rTRC') + 4)
    curve.copy(bytes, at)
    return bytes
  }
})
