import { describe, expect, it } from 'vitest'
import type { ImagePixel, InstanceExtras } from '#shared/contract/viewed-images.ts'
import { englishText } from '#shared/messages/english.ts'
import { isCodestreamSigned } from '#shared/pixels/codestream-sign.ts'
import { rgbOf, supplementalColours } from '#shared/pixels/colours.ts'
import { ImageProblem } from '#shared/pixels/image-problem.ts'
import { withColourTransform, withoutBias } from '#shared/pixels/jpeg-markers.ts'
import { isNegative } from '#shared/pixels/negative.ts'
import { embeddedPlane, isCovered, overlaysOfFrame } from '#shared/pixels/overlays.ts'
import { shownValues } from '#shared/pixels/shown-values.ts'
import { decodeRleFrame, nativeFrame } from '#shared/pixels/stored.ts'
import { rescaledValues, storedValueOf } from '#shared/pixels/values.ts'
import { attributes, instance, pixel } from '../../renderer/viewer/viewed.ts'

const form = (more: Partial<ImagePixel>): ImagePixel => ({ ...pixel, rows: 1, columns: 2, ...more })
const bytes = (...values: number[]) => Uint8Array.from(values)
const stored = (data: Uint8Array<ArrayBuffer>, more: Partial<ImagePixel>, isBigEndian = false) => [
  ...nativeFrame(data, form(more), isBigEndian).samples,
]
const table = (numbers: number[], bits = 16, firstValue = 0) => ({
  entries: numbers.length,
  firstValue,
  bits,
  explanation: '',
  data: Buffer.from(Uint16Array.from(numbers).buffer).toString('base64'),
})
/** Why it cannot be shown, as a person reads it. */
function problemOf(work: () => unknown): string {
  try {
    work()
  } catch (error) {
    if (error instanceof ImageProblem) return englishText(error.explanation)
  }
  return 'none'
}
const noExtras: InstanceExtras = {
  ...{ palette: null, modalityLut: null, voiLuts: [] },
  ...{ supplement: null, overlays: [], notApplied: [] },
}

describe('stored values', () => {
  it('reads each size and sign, in both byte orders', () => {
    const whole = { bitsStored: 16, highBit: 15 }
    expect(stored(bytes(0xff, 0xff, 1, 0), { ...whole })).toEqual([65535, 1])
    expect(stored(bytes(0xff, 0xff, 1, 0), { ...whole, pixelRepresentation: 1 })).toEqual([-1, 1])
    expect(stored(bytes(0, 1, 0, 2), { ...whole }, true)).toEqual([1, 2])
    const byte = { bitsAllocated: 8, bitsStored: 8, highBit: 7 }
    expect(stored(bytes(200, 1), byte, true)).toEqual([200, 1])
    expect(stored(bytes(200, 1), { ...byte, pixelRepresentation: 1 })).toEqual([-56, 1])
    const long = { bitsAllocated: 32, bitsStored: 32, highBit: 31 }
    expect(stored(bytes(1, 0, 0, 0, 0xff, 0xff, 0xff, 0xff), long)).toEqual([1, 0xffffffff])
    expect(stored(bytes(0, 0, 0, 1, 0, 0, 0, 2), long, true)).toEqual([1, 2])
    expect(
      stored(new Uint8Array(Float32Array.of(0.5, -2).buffer), { ...long, float: 'float' }),
    ).toEqual([0.5, -2])
    expect(
      stored(new Uint8Array(Float64Array.of(0.1, -2).buffer), {
        ...long,
        bitsAllocated: 64,
        float: 'double',
      }),
    ).toEqual([0.1, -2])
    expect(stored(bytes(0b10), { bitsAllocated: 1, bitsStored: 1, highBit: 0 })).toEqual([0, 1])
  })

  it('leaves the bits beside the stored ones out, and puts the sign in from the highest stored one', () => {
    expect(stored(bytes(0x01, 0xf0, 0xff, 0x0f), {})).toEqual([1, 4095])
    expect(stored(bytes(0x01, 0xf0, 0xff, 0x0f), { pixelRepresentation: 1 })).toEqual([1, -1])
    expect(stored(bytes(0x10, 0x00, 0xf0, 0xff), { highBit: 15 })).toEqual([1, 4095])
  })

  it('shares the memory of a frame, and leaves one that it would have to change as it is', () => {
    const data = bytes(0x01, 0x00, 0xff, 0x0f)
    expect(nativeFrame(data, form({}), false).samples.buffer).toBe(data.buffer)
    expect(stored(data, { pixelRepresentation: 1 })).toEqual([1, -1])
    expect(stored(data, {}, true)).toEqual([0x100, 0xf0f])
    expect(stored(bytes(0x01, 0xf0, 0xff, 0x0f).subarray(0), {})).toEqual([1, 4095])
    expect([...data]).toEqual([0x01, 0x00, 0xff, 0x0f])
    const colours = { samplesPerPixel: 3, bitsAllocated: 8, bitsStored: 8, highBit: 7, columns: 1 }
    const colour = bytes(1, 2, 3)
    expect(nativeFrame(colour, form(colours), false).samples.buffer).not.toBe(colour.buffer)
    const longer = bytes(0, 0x01, 0x00, 0xff, 0x0f)
    expect(nativeFrame(longer.subarray(1), form({}), false).samples).toEqual(
      Uint16Array.of(1, 4095),
    )
  })

  it('says how much of a short frame is there', () => {
    expect(problemOf(() => stored(bytes(1, 2), {}))).toBe(
      'The image is incomplete: it has 50 % of its pixels.',
    )
  })

  it('reads RLE segments, most significant byte first, and refuses short ones', () => {
    const header = new Uint8Array(64)
    const view = new DataView(header.buffer)
    for (const [index, value] of [2, 64, 67].entries()) view.setUint32(index * 4, value, true)
    // High bytes: two literal ones; low bytes: a run of two.
    const frame = Uint8Array.from([...header, 1, 1, 2, 255, 7])
    expect([...decodeRleFrame(frame, form({ bitsStored: 16, highBit: 15 })).samples]).toEqual([
      0x107, 0x207,
    ])
    expect(
      problemOf(() => decodeRleFrame(frame.slice(0, 66), form({ bitsStored: 16, highBit: 15 }))),
    ).toContain('incomplete')
    expect(
      problemOf(() => decodeRleFrame(frame, form({ bitsAllocated: 8, bitsStored: 8 }))),
    ).toContain('2 RLE segments')
  })
})

describe('values after rescale', () => {
  it('are Int16 where they fit, eight bits as they are, and fractions where they are fractions', () => {
    const of = (
      samples: Uint16Array | Uint8Array,
      slope: number | null,
      intercept: number | null,
      more = {},
    ) => rescaledValues(samples, form(more), { ...attributes, slope, intercept }, undefined)
    expect(of(Uint16Array.of(0, 2000), 1, -1024)).toEqual({
      values: Int16Array.of(-1024, 976),
      least: -1024,
      greatest: 976,
    })
    expect(of(Uint16Array.of(0, 4095), null, null).values).toBeInstanceOf(Int16Array)
    expect(of(Uint16Array.of(0, 65535), null, null).values).toBeInstanceOf(Uint16Array)
    expect(of(Uint16Array.of(0, 65535), 1, -1024).values).toBeInstanceOf(Float32Array)
    expect(of(Uint8Array.of(1, 2), 1, 0, { bitsAllocated: 8 }).values).toBeInstanceOf(Uint8Array)
    expect([...of(Uint16Array.of(1, 3), 0.5, 0).values]).toEqual([0.5, 1.5])
  })

  it('come from the modality look-up table where there is one, and the stored value back from them otherwise', () => {
    const extras = { ...noExtras, modalityLut: table([10, 20, 30], 16, 5) }
    expect([
      ...rescaledValues(Uint16Array.of(0, 6, 99), form({}), attributes, extras).values,
    ]).toEqual([10, 20, 30])
    expect(storedValueOf(976, attributes, false)).toBe(2000)
    expect(storedValueOf(976, attributes, true)).toBeUndefined()
  })
})

describe('colours', () => {
  const rgb = (
    samples: Uint8Array | Uint16Array,
    more: Partial<ImagePixel>,
    isPlanar = false,
    isSubsampled = false,
  ) => [
    ...rgbOf(
      { samples, isPlanar, isSubsampled },
      form({ samplesPerPixel: 3, bitsAllocated: 8, bitsStored: 8, ...more }),
      undefined,
    ),
  ]
  it('are RGB pixel by pixel, whatever the planes', () => {
    const photometricInterpretation = 'RGB'
    expect(rgb(bytes(1, 2, 3, 4, 5, 6), { photometricInterpretation })).toEqual([1, 2, 3, 4, 5, 6])
    expect(rgb(bytes(1, 4, 2, 5, 3, 6), { photometricInterpretation }, true)).toEqual([
      1, 2, 3, 4, 5, 6,
    ])
    expect(
      rgb(Uint16Array.of(65535, 256, 0, 0, 0, 511), { photometricInterpretation, bitsStored: 16 }),
    ).toEqual([255, 1, 0, 0, 0, 1])
  })
  it('come from YBR, full and subsampled', () => {
    expect(
      rgb(bytes(76, 85, 255, 128, 128, 128), { photometricInterpretation: 'YBR_FULL' }),
    ).toEqual([254, 0, 0, 128, 128, 128])
    expect(
      rgb(bytes(10, 20, 128, 128), { photometricInterpretation: 'YBR_FULL_422' }, false, true),
    ).toEqual([10, 10, 10, 20, 20, 20])
  })
  it('come from a palette, of eight bits that call themselves sixteen too', () => {
    const of = (numbers: number[], bits: number) => {
      const channel = table(numbers, bits, 1)
      const palette = { red: channel, green: channel, blue: channel }
      const samples = bytes(0, 2)
      return [
        ...rgbOf(
          { samples, isPlanar: false, isSubsampled: false },
          form({ photometricInterpretation: 'PALETTE COLOR' }),
          {
            ...noExtras,
            palette,
          },
        ),
      ]
    }
    expect(of([0x1000, 0xff00], 16)).toEqual([16, 16, 16, 255, 255, 255])
    expect(of([16, 255], 16)).toEqual([16, 16, 16, 255, 255, 255])
    expect(
      problemOf(() => rgb(bytes(1, 2), { photometricInterpretation: 'PALETTE COLOR' })),
    ).toContain('no palette')
    expect(
      problemOf(() => rgb(bytes(1, 2, 3, 4, 5, 6), { photometricInterpretation: 'CMYK' })),
    ).toContain('CMYK')
  })
})

describe('JPEG', () => {
  const scan = [0xff, 0xda, 0, 2]
  it('is told whether its components are RGB, where nothing in it says so', () => {
    const bare = bytes(0xff, 0xd8, 0xff, 0xdb, 0, 2, ...scan)
    expect([...withColourTransform(bare, 'RGB').slice(2, 11)]).toEqual([
      0xff,
      0xee,
      0,
      14,
      ...Buffer.from('Adobe'),
    ])
    expect(withColourTransform(bare, 'YBR_FULL_422')).toBe(bare)
    const jfif = bytes(0xff, 0xd8, 0xff, 0xe0, 0, 2, ...scan)
    expect(withColourTransform(jfif, 'RGB')).toBe(jfif)
    const adobe = (transform: number) =>
      bytes(
        0xff,
        0xd8,
        0xff,
        0xee,
        0,
        14,
        ...Buffer.from('Adobe'),
        0,
        100,
        0,
        0,
        0,
        0,
        transform,
        ...scan,
      )
    expect([...withColourTransform(adobe(1), 'RGB')]).toEqual([...adobe(1)])
    expect([...withColourTransform(adobe(219), 'RGB')]).toEqual([...adobe(0)])
    const short = bytes(
      0xff,
      0xd8,
      0xff,
      0xee,
      0,
      12,
      ...Buffer.from('Adobe'),
      0,
      100,
      0,
      0,
      0,
      0xff,
      0xdb,
      0,
      2,
      ...scan,
    )
    expect([...withColourTransform(short, 'RGB').slice(18)]).toEqual([...short.slice(2)])
  })
  it('is YCbCr where some of its components have fewer samples, whatever the header says', () => {
    const frame = (...factors: number[]) => [
      0xff,
      0xc0,
      0,
      17,
      8,
      0,
      1,
      0,
      2,
      3,
      ...factors.flatMap((factor, id) => [id + 1, factor, 0]),
    ]
    const thinned = bytes(0xff, 0xd8, ...frame(0x22, 0x11, 0x11), ...scan)
    expect(withColourTransform(thinned, 'RGB')).toBe(thinned)
    expect(
      withColourTransform(bytes(0xff, 0xd8, ...frame(0x11, 0x11, 0x11), ...scan), 'RGB').length,
    ).toBe(thinned.length + 16)
  })
  it('of twelve bits loses what its decoder adds', () => {
    const extended = bytes(0xff, 0xd8, 0xff, 0xc1, 0, 8, 12, 0, 1, 0, 1, 0, ...scan)
    expect([...withoutBias(extended, Uint16Array.of(14, 15, 29, 4095))]).toEqual([0, 0, 14, 4095])
    const eight = extended.with(6, 8)
    expect([...withoutBias(eight, Uint16Array.of(15))]).toEqual([15])
  })
})

describe('overlays', () => {
  const overlay = (more: object) => ({
    ...{ group: 0x6000, rows: 1, columns: 3, origin: [1, 1] as [number, number], frames: null },
    ...{ type: 'G', label: '', bit: null, data: Buffer.from([0b101_110]).toString('base64') },
    ...more,
  })
  const covered = (frame: number, more: object, embedded?: Uint8Array) =>
    overlaysOfFrame({ overlays: [overlay(more)] }, frame, () => embedded).planes.map((plane) =>
      [0, 1, 2].map((n) => isCovered(plane, n)),
    )
  it('are of each frame, or of the frames that they say', () => {
    expect(covered(9, {})).toEqual([[false, true, true]])
    const frames = { first: 4, count: 2 }
    expect(covered(3, { frames })).toEqual([])
    expect(covered(4, { frames })).toEqual([[false, true, true]])
    expect(covered(5, { frames })).toEqual([[true, false, true]])
    expect(covered(6, { frames })).toEqual([])
  })
  it('come from a bit beside the stored ones, in each encoding that keeps it', () => {
    const plane = (data: Uint8Array<ArrayBuffer>, syntax: string, bit = 12, more = {}) =>
      embeddedPlane(data, form({ columns: 3, ...more }), syntax, bit)
    const little = bytes(0xff, 0x0f, 0x01, 0x10, 0xff, 0xff)
    expect(plane(little, '1.2.840.10008.1.2.1')).toEqual(bytes(0b110))
    expect(plane(bytes(0x0f, 0xff, 0x10, 0x01, 0xff, 0xff), '1.2.840.10008.1.2.2')).toEqual(
      bytes(0b110),
    )
    const signed = { pixelRepresentation: 1 }
    expect(plane(little, '1.2.840.10008.1.2.1', 12, signed)).toEqual(bytes(0b110))
    expect(plane(little, '1.2.840.10008.1.2.1', 11)).toBeUndefined()
    expect(plane(little, '1.2.840.10008.1.2.1', 16)).toBeUndefined()
    expect(plane(little, '1.2.840.10008.1.2.4.90')).toBeUndefined()
    const embedded = overlaysOfFrame({ overlays: [overlay({ bit: 12 })] }, 1, () => undefined)
    expect(embedded).toEqual({ planes: [], unread: 1 })
    expect(covered(1, { bit: 12 }, bytes(0b110))).toEqual([[false, true, true]])
  })
})

describe('what decides of black and white', () => {
  it('is Presentation LUT Shape, and without it MONOCHROME1', () => {
    const of = (photometricInterpretation: string, presentationLutShape?: 'IDENTITY' | 'INVERSE') =>
      isNegative({
        photometricInterpretation,
        ...(presentationLutShape && { presentationLutShape }),
      })
    expect(of('MONOCHROME2')).toBe(false)
    expect(of('MONOCHROME1')).toBe(true)
    expect(of('MONOCHROME2', 'INVERSE')).toBe(true)
    expect(of('MONOCHROME1', 'INVERSE')).toBe(true)
    expect(of('MONOCHROME1', 'IDENTITY')).toBe(false)
  })
})

describe('a supplemental palette', () => {
  it('colours the values from its threshold, and leaves the others to the window', () => {
    const ramp = [0, 0x8000, 0xffff]
    const supplement = {
      threshold: 200,
      red: table(ramp, 16, 200),
      green: table([0, 0, 0], 16, 200),
      blue: table([0xffff, 0, 0], 16, 200),
    }
    const samples = Uint16Array.of(0, 199, 200, 201, 202, 9999)
    expect([...supplementalColours(samples, supplement)]).toEqual([
      ...[0, 0, 0, 0, 0, 0, 0, 0],
      ...[0, 0, 255, 255, 128, 0, 0, 255, 255, 0, 0, 255, 255, 0, 0, 255],
    ])
    const { window } = shownValues(
      { samples, isPlanar: false, isSubsampled: false },
      form({ columns: 6, bitsStored: 16, highBit: 15 }),
      { instance: instance(1), attributes: { ...attributes, slope: null, intercept: null } },
      'MR',
      { ...noExtras, supplement },
    )
    expect(window).toEqual({ center: 100, width: 200 })
  })
})

describe('the sign of a codestream', () => {
  it('is that of the first component of JPEG 2000', () => {
    const codestream = (ssiz: number) => {
      const data = new Uint8Array(60)
      data.set([0xff, 0x4f, 0xff, 0x51])
      data[42] = ssiz
      return data
    }
    expect(isCodestreamSigned(codestream(0x8f))).toBe(true)
    expect(isCodestreamSigned(codestream(0x0f))).toBe(false)
    expect(isCodestreamSigned(bytes(0xff, 0xd8, 0xff, 0xe0))).toBeUndefined()
  })
})
