import type { AttributeValues } from '#server/dicom/data-set/attribute-values.ts'
import type { InstanceExtras } from '#shared/contract/viewed-images.ts'
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

/** An overlay plane (PS3.3 C.9.2) that is not embedded in the pixel data. */
export interface OverlayPlane {
  /** Of its attributes, such as 0x6000. */
  readonly group: number
  readonly rows: number
  readonly columns: number
  /** Row and column of its first pixel, starting at 1. */
  readonly origin: readonly [number, number]
  readonly type: string
  readonly label: string
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
  readonly overlays: readonly OverlayPlane[]
}

const MAX_TABLES = 16
/** A table has at most 65536 entries; an overlay plane of the largest detectors has 4 MiB. */
const MAX_TABLE_BYTES = 131_072
const MAX_PLANE_BYTES = 16 << 20

export function headerExtras(values: AttributeValues): HeaderExtras {
  return {
    palette: hasPalette(values) ? paletteOf(values) : null,
    modalityLut: tablesOf(values, TAG.ModalityLUTSequence)[0] ?? null,
    voiLuts: tablesOf(values, TAG.VOILUTSequence),
    overlays: overlaysOf(values),
  }
}

export const overlaysOf = (values: AttributeValues): OverlayPlane[] =>
  OVERLAY_GROUPS.flatMap((group) => overlayOf(values, group))

/** With its data as the viewer's page gets it. */
export const inBase64 = <T extends { readonly data: Buffer }>(one: T) => ({
  ...one,
  data: one.data.toString('base64'),
})

/** As the viewer's page gets it. */
export function extrasInBase64(extras: HeaderExtras): InstanceExtras {
  const { palette, modalityLut, voiLuts, overlays } = extras
  return {
    palette: palette && {
      red: inBase64(palette.red),
      green: inBase64(palette.green),
      blue: inBase64(palette.blue),
    },
    modalityLut: modalityLut && inBase64(modalityLut),
    voiLuts: voiLuts.map(inBase64),
    overlays: overlays.map((overlay) => ({
      ...inBase64(overlay),
      origin: [overlay.origin[0], overlay.origin[1]],
    })),
  }
}

/** Whether the file has any of them; their values are not read. */
export const hasExtras = (values: AttributeValues): boolean =>
  hasPalette(values) ||
  values.has(TAG.ModalityLUTSequence) ||
  values.has(TAG.VOILUTSequence) ||
  OVERLAY_GROUPS.some((group) => values.has(group + OVERLAY.data))

/**
 * Whether pixels are palette indices. The supplemental palette of a grayscale image (PS3.3
 * C.7.6.19) is for color overlays, which the viewer does not show.
 */
const hasPalette = (values: AttributeValues): boolean =>
  values.text(TAG.PhotometricInterpretation).toUpperCase() === 'PALETTE COLOR' &&
  values.has(TAG.RedPaletteColorLookupTableDescriptor)

// PS3.5 §7.6: overlays are in groups 6000 to 601E.
export const OVERLAY_GROUPS = Array.from(
  { length: 16 },
  (_, index) => (0x6000 + index * 2) * 0x10000,
)
/** Element numbers within a group. */
const OVERLAY = {
  rows: 0x10,
  columns: 0x11,
  frames: 0x15,
  description: 0x22,
  type: 0x40,
  origin: 0x50,
  label: 0x1500,
  data: 0x3000,
} as const

function overlayOf(values: AttributeValues, group: number): OverlayPlane[] {
  const rows = values.number(group + OVERLAY.rows) ?? 0
  const columns = values.number(group + OVERLAY.columns) ?? 0
  const size = Math.ceil((rows * columns) / 8)
  const data =
    size > 0 && size <= MAX_PLANE_BYTES
      ? values.bytes(group + OVERLAY.data, MAX_PLANE_BYTES)
      : undefined
  // Multi-frame overlays apply to specific frames; showing one plane on all frames would be wrong.
  if (!data || data.length < size || (values.number(group + OVERLAY.frames) ?? 1) > 1) return []
  const [row = 1, column = 1] = values.vector(group + OVERLAY.origin, 2) ?? []
  const label = values.text(group + OVERLAY.label) || values.text(group + OVERLAY.description)
  return [
    {
      group: group >>> 16,
      rows,
      columns,
      origin: [row, column],
      type: values.text(group + OVERLAY.type),
      label,
      data: data.subarray(0, size),
    },
  ]
}

export const tablesOf = (values: AttributeValues, sequence: number): LookUpTable[] =>
  values
    .items(sequence)
    .slice(0, MAX_TABLES)
    .flatMap((item) => {
      const descriptor = descriptorOf(item, TAG.LUTDescriptor, isSigned(values))
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
