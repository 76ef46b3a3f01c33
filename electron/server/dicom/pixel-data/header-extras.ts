import type { AttributeValues } from '#server/dicom/data-set/attribute-values.ts'
import type { InstanceExtras } from '#shared/contract/viewed-images.ts'
import { type Message, message } from '#shared/messages/message.ts'
import { isSrgbProfile } from './icc-profile.ts'
import { paletteTable } from './palette-table.ts'
import { TAG } from './viewed-tags.ts'

/** A lookup table (PS3.3 C.11.1, C.11.2, C.7.6.3.1.6). */
export interface LookUpTable {
  readonly entries: number
  /** The stored value mapped to the first entry. */
  readonly firstValue: number
  readonly bits: number
  readonly explanation: string
  /** Little-endian 16-bit numbers, one per entry. */
  readonly data: Buffer
}

/** An overlay plane, or one for each of several frames (PS3.3 C.9.2, C.9.3). */
export interface OverlayPlane {
  /** Of its attributes, such as 0x6000. */
  readonly group: number
  readonly rows: number
  readonly columns: number
  /** Row and column of its first pixel, starting at 1. */
  readonly origin: readonly [number, number]
  /** The frames of the image that it is for, starting at 1; null for all, with one plane. */
  readonly frames: { readonly first: number; readonly count: number } | null
  readonly type: string
  readonly label: string
  /**
   * The bit of each stored value that holds the overlay, as older devices write it (retired since
   * PS3.5-2004); null if `data` does.
   */
  readonly bit: number | null
  /** One bit per pixel, lowest bit first. */
  readonly data: Buffer
}

/** Header values that are too long for the list of images. */
export interface HeaderExtras {
  readonly palette: {
    readonly red: LookUpTable
    readonly green: LookUpTable
    readonly blue: LookUpTable
  } | null
  readonly modalityLut: LookUpTable | null
  readonly voiLuts: readonly LookUpTable[]
  /**
   * Palette of the stored values from `threshold` of a grayscale image (PS3.3 C.7.6.19); null if
   * there is none.
   */
  readonly supplementalPalette:
    | (NonNullable<HeaderExtras['palette']> & { readonly threshold: number })
    | null
  readonly overlays: readonly OverlayPlane[]
  /** What of the header cannot be applied to the image. */
  readonly notApplied: readonly Message[]
}

const MAX_TABLES = 16
/** A table has at most 65536 entries; an overlay plane of the largest detectors has 4 MiB. */
const MAX_TABLE_BYTES = 131_072
const MAX_PLANE_BYTES = 16 << 20

export function headerExtras(values: AttributeValues): HeaderExtras {
  const modalityLuts = tablesOf(values, TAG.ModalityLUTSequence)
  const voiLuts = tablesOf(values, TAG.VOILUTSequence)
  const supplementalPalette = hasSupplementalPalette(values) ? supplementalPaletteOf(values) : null
  const groups = OVERLAY_GROUPS.filter((group) => hasOverlay(values, group))
  const overlays = groups.flatMap((group) => overlayOf(values, group) ?? [])
  return {
    palette: hasPalette(values) ? paletteOf(values) : null,
    modalityLut: modalityLuts[0] ?? null,
    voiLuts,
    supplementalPalette,
    overlays,
    notApplied: [
      ...(values.has(TAG.ModalityLUTSequence) && modalityLuts.length === 0
        ? [message('viewer.modality-lut-not-applied')]
        : []),
      ...(values.has(TAG.VOILUTSequence) && voiLuts.length === 0
        ? [message('viewer.voi-lut-not-applied')]
        : []),
      ...(hasSupplementalPalette(values) && !supplementalPalette
        ? [message('viewer.supplement-not-applied')]
        : []),
      ...(overlays.length < groups.length
        ? [message('viewer.overlays-not-applied', { count: groups.length - overlays.length })]
        : []),
      ...(hasOtherColours(values) ? [message('viewer.icc-profile-not-applied')] : []),
    ],
  }
}

/** Overlays whose bits are in elements of their own. */
export const overlaysOf = (values: AttributeValues): OverlayPlane[] =>
  OVERLAY_GROUPS.flatMap((group) =>
    values.has(group + OVERLAY_ELEMENTS.data) ? (overlayOf(values, group) ?? []) : [],
  )

/** With its data as the viewer's page gets it. */
export const withBase64Data = <T extends { readonly data: Buffer }>(one: T) => ({
  ...one,
  data: one.data.toString('base64'),
})

/** As the viewer's page gets it. */
export function extrasInBase64(extras: HeaderExtras): InstanceExtras {
  const {
    palette,
    modalityLut,
    voiLuts,
    supplementalPalette: supplement,
    overlays,
    notApplied,
  } = extras
  const base64Palette = ({ red, green, blue }: NonNullable<HeaderExtras['palette']>) => ({
    red: withBase64Data(red),
    green: withBase64Data(green),
    blue: withBase64Data(blue),
  })
  return {
    palette: palette && base64Palette(palette),
    modalityLut: modalityLut && withBase64Data(modalityLut),
    voiLuts: voiLuts.map(withBase64Data),
    supplement: supplement && { threshold: supplement.threshold, ...base64Palette(supplement) },
    overlays: overlays.map((overlay) => ({
      ...withBase64Data(overlay),
      origin: [overlay.origin[0], overlay.origin[1]],
    })),
    notApplied: [...notApplied],
  }
}

/** Whether the file has any of them; their values are not read. */
export const hasExtras = (values: AttributeValues): boolean =>
  hasPalette(values) ||
  values.has(TAG.ModalityLUTSequence) ||
  values.has(TAG.VOILUTSequence) ||
  hasSupplementalPalette(values) ||
  hasOtherColours(values) ||
  OVERLAY_GROUPS.some((group) => hasOverlay(values, group))

/** Whether pixels are palette indices. */
const hasPalette = (values: AttributeValues): boolean =>
  photometricInterpretationOf(values) === 'PALETTE COLOR' &&
  values.has(TAG.RedPaletteColorLookupTableDescriptor)

/**
 * Whether some values of a grayscale image are palette indices (PS3.3 C.7.6.19), according to the
 * Pixel Presentation of the image or of any of its frames (C.8.13.3.1, C.8.15.3.2).
 */
function hasSupplementalPalette(values: AttributeValues): boolean {
  if (photometricInterpretationOf(values) !== 'MONOCHROME2') return false
  const isColour = (item: AttributeValues) =>
    ['COLOR', 'MIXED'].includes(item.text(TAG.PixelPresentation).toUpperCase())
  return (
    isColour(values) ||
    [TAG.SharedFunctionalGroupsSequence, TAG.PerFrameFunctionalGroupsSequence]
      .flatMap((groups) => values.items(groups).slice(0, MAX_FRAME_TYPES))
      .some((group) => FRAME_TYPES.some((type) => group.items(type).some(isColour)))
  )
}
/** Images of thousands of frames have one presentation, or give it for the whole image, too. */
const MAX_FRAME_TYPES = 100
const FRAME_TYPES = [
  TAG.MRImageFrameTypeSequence,
  TAG.CTImageFrameTypeSequence,
  TAG.XRay3DFrameTypeSequence,
]

/**
 * Whether the colours are defined by an ICC profile (PS3.3 C.11.15) that is not sRGB, by which they
 * are displayed. Microscopy has one in each optical path (C.8.12.5).
 */
function hasOtherColours(values: AttributeValues): boolean {
  if (
    photometricInterpretationOf(values).startsWith('MONOCHROME') &&
    !hasSupplementalPalette(values)
  )
    return false
  return [values, ...values.items(TAG.OpticalPathSequence)].some((item) => {
    if (!item.has(TAG.ICCProfile)) return false
    const profile = item.bytes(TAG.ICCProfile, MAX_PROFILE_BYTES)
    return !profile || !isSrgbProfile(profile)
  })
}
/** Those of displays and cameras with tables have some 500 KiB, and none of them is sRGB. */
const MAX_PROFILE_BYTES = 64 << 10

const photometricInterpretationOf = (values: AttributeValues): string =>
  values.text(TAG.PhotometricInterpretation).toUpperCase()

function supplementalPaletteOf(values: AttributeValues): HeaderExtras['supplementalPalette'] {
  const palette = paletteOf(values)
  const largest = values.number(TAG.LargestMonochromePixelValue)
  return (
    palette && { threshold: largest === null ? palette.red.firstValue : largest + 1, ...palette }
  )
}

// PS3.5 §7.6: overlays are in groups 6000 to 601E.
export const OVERLAY_GROUPS = Array.from(
  { length: 16 },
  (_, index) => (0x6000 + index * 2) * 0x10000,
)
/** Element numbers within a group. */
const OVERLAY_ELEMENTS = {
  rows: 0x10,
  columns: 0x11,
  frames: 0x15,
  firstFrame: 0x51,
  description: 0x22,
  type: 0x40,
  origin: 0x50,
  bit: 0x102,
  label: 0x1500,
  data: 0x3000,
} as const

/** Overlay Bit Position is 0 if the overlay has its own data element. */
const hasOverlay = (values: AttributeValues, group: number): boolean =>
  values.has(group + OVERLAY_ELEMENTS.data) ||
  (values.number(group + OVERLAY_ELEMENTS.bit) ?? 0) > 0

/** Undefined if it cannot be read. */
function overlayOf(values: AttributeValues, group: number): OverlayPlane | undefined {
  const isEmbedded = !values.has(group + OVERLAY_ELEMENTS.data)
  const size = (tag: number, ofImage: number) =>
    values.number(group + tag) ?? (isEmbedded ? values.number(ofImage) : null) ?? 0
  const rows = size(OVERLAY_ELEMENTS.rows, TAG.Rows)
  const columns = size(OVERLAY_ELEMENTS.columns, TAG.Columns)
  const count = values.number(group + OVERLAY_ELEMENTS.frames)
  const bytes = Math.ceil((rows * columns * (count ?? 1)) / 8)
  const data = isEmbedded
    ? Buffer.alloc(0)
    : values.bytes(group + OVERLAY_ELEMENTS.data, MAX_PLANE_BYTES)?.subarray(0, bytes)
  if (!data || bytes === 0 || (!isEmbedded && data.length < bytes)) return undefined
  const [row = 1, column = 1] = values.vector(group + OVERLAY_ELEMENTS.origin, 2) ?? []
  const first = values.number(group + OVERLAY_ELEMENTS.firstFrame) ?? 1
  return {
    group: group >>> 16,
    rows,
    columns,
    origin: [row, column],
    // Each frame has its own bits of an embedded overlay.
    frames: isEmbedded || count === null ? null : { first, count },
    type: values.text(group + OVERLAY_ELEMENTS.type),
    label:
      values.text(group + OVERLAY_ELEMENTS.label) ||
      values.text(group + OVERLAY_ELEMENTS.description),
    bit: isEmbedded ? values.number(group + OVERLAY_ELEMENTS.bit) : null,
    data,
  }
}

export const tablesOf = (values: AttributeValues, sequence: number): LookUpTable[] =>
  values
    .items(sequence)
    .slice(0, MAX_TABLES)
    .flatMap((item) => {
      // PS3.3 C.11.2.1.1: of a VOI LUT, if the values after rescale are.
      const hasSignedValues =
        isSigned(values) ||
        (sequence === TAG.VOILUTSequence && (values.number(TAG.RescaleIntercept) ?? 0) < 0)
      const descriptor = descriptorOf(item, TAG.LUTDescriptor, hasSignedValues)
      const data = item.bytes(TAG.LUTData, MAX_TABLE_BYTES)
      const explanation = item.text(TAG.LUTExplanation) || item.text(TAG.ModalityLUTType)
      return descriptor && data ? (tableOf(descriptor, data, explanation) ?? []) : []
    })

function paletteOf(values: AttributeValues): HeaderExtras['palette'] {
  const table = (descriptor: number, plain: number, segmented: number): LookUpTable | undefined => {
    const described = descriptorOf(values, descriptor, isSigned(values))
    if (!described) return undefined
    const data = values.bytes(plain, MAX_TABLE_BYTES)
    if (data && data.length > 0) return tableOf(described, data, '')
    const segments = values.bytes(segmented, MAX_TABLE_BYTES)
    return (
      segments && tableOf(described, paletteTable(segments, described.bits, described.entries), '')
    )
  }
  const red = table(
    TAG.RedPaletteColorLookupTableDescriptor,
    TAG.RedPaletteColorLookupTableData,
    TAG.SegmentedRedPaletteColorLookupTableData,
  )
  const green = table(
    TAG.GreenPaletteColorLookupTableDescriptor,
    TAG.GreenPaletteColorLookupTableData,
    TAG.SegmentedGreenPaletteColorLookupTableData,
  )
  const blue = table(
    TAG.BluePaletteColorLookupTableDescriptor,
    TAG.BluePaletteColorLookupTableData,
    TAG.SegmentedBluePaletteColorLookupTableData,
  )
  return red && green && blue ? { red, green, blue } : null
}

type Descriptor = Pick<LookUpTable, 'entries' | 'firstValue' | 'bits'>

const isSigned = (values: AttributeValues): boolean => values.number(TAG.PixelRepresentation) === 1

/**
 * PS3.3 C.11.1.1: the first mapped value is signed if the pixels are; the other two are always
 * unsigned, and 0 entries means 65536.
 */
function descriptorOf(
  values: AttributeValues,
  tag: number,
  signed: boolean,
): Descriptor | undefined {
  const [entries = 0, first = 0, bits = 0] = values.vector(tag, 3) ?? []
  if (bits < 8 || bits > 16) return undefined
  return {
    entries: entries & 0xffff || 65_536,
    // Encoded as SS, it may be negative already.
    firstValue: signed || first < 0 ? (first << 16) >> 16 : first & 0xffff,
    bits,
  }
}

/**
 * Undefined if it has too few entries. The entries of an 8-bit table may be stored as bytes or as
 * words.
 */
function tableOf(
  descriptor: Descriptor,
  data: Buffer,
  explanation: string,
): LookUpTable | undefined {
  const { entries, bits } = descriptor
  if (data.length >= entries * 2)
    return { ...descriptor, explanation, data: data.subarray(0, entries * 2) }
  if (bits > 8 || data.length < entries) return undefined
  const words = Buffer.alloc(entries * 2)
  for (let index = 0; index < entries; index++) words[index * 2] = data[index] ?? 0
  return { ...descriptor, explanation, data: words }
}
