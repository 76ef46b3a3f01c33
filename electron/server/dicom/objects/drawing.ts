import type { NamedValues } from '#server/dicom/data-set/named-data-set.ts'
import {
  DRAWING_KINDS,
  type DrawingKind,
  type SavedDrawing,
} from '#shared/contract/saved-drawings.ts'
import type { ClinicTime, ObjectHeader } from './object-header.ts'

/** What the objects need to know of an image with drawings. */
export interface DrawnImage {
  readonly seriesInstanceUid: string
  readonly sopClassUid: string
  readonly sopInstanceUid: string
  readonly frames: number
  readonly rows: number
  readonly columns: number
  /** Distance between rows and between columns in mm; null if unknown. */
  readonly spacing: readonly [number, number] | null
  /** Ratio of the height of a pixel to its width. */
  readonly aspect: number
  /** Whether the spacing is that at the detector, where distances are magnified. */
  readonly isAtDetector: boolean
  readonly slope: number | null
  readonly intercept: number | null
  readonly rescaleType: string
  /** The first window of the file; null if it has none. */
  readonly window: { readonly center: number; readonly width: number } | null
  readonly isColor: boolean
  /** Whether low values are bright (MONOCHROME1). */
  readonly isInverted: boolean
}

/** A drawing with the image that it is on. */
export interface Drawing extends SavedDrawing {
  readonly image: DrawnImage
}

/** Attributes that the objects of one version have in common. */
export interface VersionHeader extends ObjectHeader {
  readonly made: ClinicTime
  readonly instanceNumber: string
  /** Who saved it: PN, empty if unknown. */
  readonly author: string
}

/** Objects of the preceding version. */
export interface Predecessor {
  readonly seriesInstanceUid: string
  readonly sopClassUid: string
  readonly sopInstanceUid: string
}

const TRACKING_PREFIX = 'Isthmus '
/** The Tracking Identifier of a drawing, which a viewer may show: `Isthmus length`. */
export const trackingIdOf = (kind: DrawingKind): string => `${TRACKING_PREFIX}${kind}`
/** The kind of a drawing by its Tracking Identifier; undefined if it is not ours. */
export const kindOf = (trackingId: string): DrawingKind | undefined =>
  DRAWING_KINDS.find((kind) => trackingIdOf(kind) === trackingId)

/** Referenced SOP Class UID, SOP Instance UID and, for a multi-frame image, frames (PS3.3 10.3). */
export const imageReference = (
  { sopClassUid, sopInstanceUid, frames }: DrawnImage,
  ...numbers: readonly number[]
): NamedValues => ({
  ReferencedSOPClassUID: sopClassUid,
  ReferencedSOPInstanceUID: sopInstanceUid,
  ReferencedFrameNumber: frames > 1 && numbers.length > 0 ? numbers.join('\\') : undefined,
})

/** The distinct images of drawings. */
export const imagesOf = (drawings: readonly Drawing[]): DrawnImage[] => [
  ...new Map(drawings.map(({ image }) => [image.sopInstanceUid, image])).values(),
]

/** References of images by series, for evidence sequences (PS3.3 C.17.2). */
export const referencedSeries = (
  images: readonly Pick<DrawnImage, 'seriesInstanceUid' | 'sopClassUid' | 'sopInstanceUid'>[],
): NamedValues[] =>
  [...Map.groupBy(images, ({ seriesInstanceUid }) => seriesInstanceUid)].map(
    ([seriesInstanceUid, ofSeries]) => ({
      SeriesInstanceUID: seriesInstanceUid,
      ReferencedSOPSequence: ofSeries.map(({ sopClassUid, sopInstanceUid }) => ({
        ReferencedSOPClassUID: sopClassUid,
        ReferencedSOPInstanceUID: sopInstanceUid,
      })),
    }),
  )

/** Points as FL values. */
export function graphicData(points: readonly (readonly [number, number])[]): Buffer {
  const bytes = Buffer.alloc(points.length * 8)
  points.flat().forEach((value, index) => void bytes.writeFloatLE(value, index * 4))
  return bytes
}

/**
 * Points read from FL values, rounded to hundredths of a pixel: 32-bit floats do not return exactly
 * what was written.
 */
export const pointsOf = (values: readonly number[]): [number, number][] =>
  Array.from({ length: Math.floor(values.length / 2) }, (_, index) => [
    roundToHundredths(values[2 * index] ?? 0),
    roundToHundredths(values[2 * index + 1] ?? 0),
  ])
const roundToHundredths = (value: number) => Math.round(value * 100) / 100

/** A number in at most 16 characters (PS3.5 §6.2, DS). */
export function decimalString(value: number): string {
  const plain = String(value)
  if (plain.length <= 16) return plain
  const fixed = String(Number(value.toPrecision(10)))
  return fixed.length <= 16 ? fixed : value.toExponential(7)
}

/** The end points of an ellipse's axes, those of the longer axis first (PS3.3 C.18.6.1.2). */
export function ellipseAxes<T extends readonly [number, number]>(points: readonly T[]): T[] {
  const [a, b, c, d] = points
  if (!a || !b || !c || !d) return [...points]
  return distance(a, b) >= distance(c, d) ? [a, b, c, d] : [c, d, a, b]
}
const distance = (a: readonly [number, number], b: readonly [number, number]) =>
  Math.hypot(a[0] - b[0], a[1] - b[1])
