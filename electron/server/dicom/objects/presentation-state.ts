import type { DataSet } from '#server/dicom/data-set/coding.ts'
import { type NamedValues, namedDataSet } from '#server/dicom/data-set/named-data-set.ts'
import type { NamedReader } from '#server/dicom/data-set/named-reader.ts'
import type { MEASURED_UNITS, SavedDrawing } from '#shared/contract/saved-drawings.ts'
import {
  type Drawing,
  type DrawnImage,
  decimalString,
  ellipseAxes,
  graphicData,
  imageReference,
  kindOf,
  pointsOf,
  referencedSeries,
  trackingIdOf,
  type VersionHeader,
} from './drawing.ts'
import { isMeasurement } from './measurement-report.ts'
import { commonAttributes } from './object-header.ts'
import { SRGB_PROFILE } from './srgb-profile.ts'

/** PS3.4 Table B.5-1: presentation states of grayscale and of color images. */
export const PRESENTATION_STATE = {
  grayscale: '1.2.840.10008.5.1.4.1.1.11.1',
  color: '1.2.840.10008.5.1.4.1.1.11.2',
} as const

/** The windows in which images are shown, by `windowKey`. */
export type ShownWindows = ReadonlyMap<string, { readonly center: number; readonly width: number }>
export const windowKey = (sopInstanceUid: string, frame: number): string =>
  `${sopInstanceUid}/${frame}`

type Point = readonly [number, number]
const LABEL = 'ISTHMUS'
const LAYERS = { measurements: 'MEASUREMENTS', annotations: 'ANNOTATIONS' } as const
const layerOf = ({ kind }: Drawing) =>
  isMeasurement(kind) ? LAYERS.measurements : LAYERS.annotations

/**
 * Drawings that one presentation state can show together: its Modality LUT, its Presentation LUT
 * and its color space apply to all of its images (PS3.3 C.11.1, C.11.6).
 */
export function presentationGroups<T extends { readonly image: DrawnImage }>(
  drawings: readonly T[],
): T[][] {
  return [
    ...Map.groupBy(drawings, ({ image: { isColor, isInverted, slope, intercept, rescaleType } }) =>
      JSON.stringify(isColor ? 'color' : [isInverted, slope, intercept, rescaleType]),
    ).values(),
  ]
}

/**
 * A softcopy presentation state (PS3.3 A.33.1, A.33.2) that draws the drawings on their images.
 * `images` are of one group (`presentationGroups`); those without a drawing are referenced, too.
 */
export function presentationState(
  header: VersionHeader,
  images: readonly DrawnImage[],
  drawings: readonly Drawing[],
  windows: ShownWindows,
): DataSet {
  const { made } = header
  const [first] = images
  if (!first) throw new RangeError('a presentation state needs an image')
  const layers = [...new Set(drawings.map(layerOf))]
  return namedDataSet({
    ...commonAttributes(header, presentationClass(images), made),
    TimezoneOffsetFromUTC: made.offset,
    Modality: 'PR',
    SeriesDate: made.date,
    SeriesTime: made.time,
    // Unknown, because the images may be of both sides (type 2C, PS3.3 C.7.3.1).
    Laterality: '',
    InstanceNumber: header.instanceNumber,
    ContentLabel: LABEL,
    ContentDescription: header.seriesDescription,
    ContentCreatorName: header.author,
    PresentationCreationDate: made.date,
    PresentationCreationTime: made.time,
    ReferencedSeriesSequence: referencedSeries(images).map(({ ReferencedSOPSequence, ...of }) => ({
      ...of,
      ReferencedImageSequence: ReferencedSOPSequence,
    })),
    DisplayedAreaSelectionSequence: displayedAreas(images),
    GraphicLayerSequence:
      layers.length === 0
        ? undefined
        : layers.map((layer, index) => ({
            GraphicLayer: layer,
            GraphicLayerOrder: String(index + 1),
          })),
    GraphicAnnotationSequence: drawings.length === 0 ? undefined : drawings.map(graphicAnnotation),
    ...(first.isColor
      ? { ICCProfile: SRGB_PROFILE, ColorSpace: 'SRGB' }
      : grayscaleTransformations(first, images, drawings, windows)),
  })
}

/** The SOP class of a presentation state of images of one group. */
export const presentationClass = (images: readonly DrawnImage[]): string =>
  PRESENTATION_STATE[images[0]?.isColor ? 'color' : 'grayscale']

/** PS3.3 C.10.4: the whole image, scaled to fit. Pixels are numbered from 1. */
const displayedAreas = (images: readonly DrawnImage[]): NamedValues[] =>
  [
    ...Map.groupBy(images, ({ rows, columns, spacing, aspect }) =>
      JSON.stringify([rows, columns, spacing, aspect]),
    ).values(),
  ].map((group, _, all) => {
    const { rows, columns, spacing, aspect } = group[0] as DrawnImage
    return {
      ReferencedImageSequence:
        all.length === 1 ? undefined : group.map((one) => imageReference(one)),
      DisplayedAreaTopLeftHandCorner: signedLongs(1, 1),
      DisplayedAreaBottomRightHandCorner: signedLongs(columns, rows),
      PresentationSizeMode: 'SCALE TO FIT',
      PresentationPixelSpacing: spacing?.map(decimalString).join('\\'),
      PresentationPixelAspectRatio: spacing ? undefined : aspectRatio(aspect),
    }
  })

/** Vertical and horizontal extent of a pixel as integers. */
const aspectRatio = (aspect: number): string =>
  aspect === 1 ? '1\\1' : `${Math.round(aspect * 1000)}\\1000`

function grayscaleTransformations(
  { slope, intercept, rescaleType, isInverted }: DrawnImage,
  images: readonly DrawnImage[],
  drawings: readonly Drawing[],
  windows: ShownWindows,
): NamedValues {
  const hasRescale = slope !== null || intercept !== null
  const frames = images.flatMap((image) => {
    const numbers = new Set(
      drawings
        .filter((one) => one.image.sopInstanceUid === image.sopInstanceUid)
        .map(({ frame }) => frame),
    )
    return [...(numbers.size === 0 ? [1] : numbers)].flatMap((frame) => {
      const window = windows.get(windowKey(image.sopInstanceUid, frame)) ?? image.window
      return window ? [{ image, frame, window }] : []
    })
  })
  const voi = [
    ...Map.groupBy(frames, ({ window }) => `${window.center}/${window.width}`).values(),
  ].map((group): NamedValues => {
    const { center, width } = (group[0] as (typeof frames)[number]).window
    return {
      ReferencedImageSequence: [...Map.groupBy(group, ({ image }) => image)].map(([image, of]) =>
        imageReference(image, ...of.map(({ frame }) => frame)),
      ),
      WindowCenter: decimalString(center),
      WindowWidth: decimalString(width),
    }
  })
  return {
    RescaleIntercept: hasRescale ? decimalString(intercept ?? 0) : undefined,
    RescaleSlope: hasRescale ? decimalString(slope ?? 1) : undefined,
    RescaleType: hasRescale ? rescaleType || 'US' : undefined,
    SoftcopyVOILUTSequence: voi.length === 0 ? undefined : voi,
    PresentationLUTShape: isInverted ? 'INVERSE' : 'IDENTITY',
  }
}

/** One item for each drawing (PS3.3 C.10.5). */
function graphicAnnotation(drawing: Drawing): NamedValues {
  const { kind, uid, image, frame } = drawing
  const tracking = { TrackingID: trackingIdOf(kind), TrackingUID: uid }
  const shapes = shapesOf(drawing)
  const text = textOf(drawing)
  return {
    ReferencedImageSequence: [imageReference(image, frame)],
    GraphicLayer: layerOf(drawing),
    TextObjectSequence:
      text === ''
        ? undefined
        : [
            {
              AnchorPointAnnotationUnits: 'PIXEL',
              UnformattedTextValue: text,
              AnchorPoint: graphicData([anchorOf(drawing)]),
              AnchorPointVisibility: 'N',
              ...tracking,
            },
          ],
    GraphicObjectSequence:
      shapes.length === 0
        ? undefined
        : shapes.map(([type, points]) => ({
            GraphicAnnotationUnits: 'PIXEL',
            GraphicDimensions: 2,
            NumberOfGraphicPoints: points.length,
            GraphicData: graphicData(points),
            GraphicType: type,
            GraphicFilled: isClosed(type, points) ? 'N' : undefined,
            ...tracking,
          })),
  }
}

const isClosed = (type: string, points: readonly Point[]): boolean =>
  type === 'CIRCLE' || type === 'ELLIPSE' || (points.length > 2 && points[0] === points.at(-1))

/** The graphic objects of a drawing; the first one of an arrow has its two ends. */
function shapesOf({
  kind,
  points,
}: Drawing): (readonly [type: string, points: readonly Point[]])[] {
  const [a, b, c, d] = points
  if (kind === 'text' || !a) return []
  if (kind === 'probe') return [['POINT', [a]]]
  if (kind === 'circle') return [['CIRCLE', points]]
  if (kind === 'ellipse') return [['ELLIPSE', ellipseAxes(points)]]
  if (kind === 'rectangle' || kind === 'freehand') return [['POLYLINE', [...points, a]]]
  if ((kind === 'bidirectional' || kind === 'cobb') && b && c && d)
    return [
      ['POLYLINE', [a, b]],
      ['POLYLINE', [c, d]],
    ]
  if (kind === 'arrow' && b)
    return [
      ['POLYLINE', [a, b]],
      ['POLYLINE', arrowHead(a, b)],
    ]
  return [['POLYLINE', points]]
}

/** The two lines of an arrow head at `tip`, at 25 degrees and a quarter of the arrow's length. */
function arrowHead(tip: Point, end: Point): Point[] {
  const [x, y] = [end[0] - tip[0], end[1] - tip[1]]
  const wing = (angle: number): Point => [
    tip[0] + (x * Math.cos(angle) - y * Math.sin(angle)) / 4,
    tip[1] + (x * Math.sin(angle) + y * Math.cos(angle)) / 4,
  ]
  const angle = (25 / 180) * Math.PI
  return [wing(angle), tip, wing(-angle)]
}

/** Text of an arrow stands at its end, a measurement's right of its lowest point. */
function anchorOf({ kind, points }: Drawing): Point {
  const [first = [0, 0], second = first] = points
  if (kind === 'arrow') return second
  if (kind === 'text') return first
  return points.reduce((lowest, point) => (point[1] > lowest[1] ? point : lowest), first)
}

const UNIT_TEXT: Readonly<Record<(typeof MEASURED_UNITS)[number], string>> = {
  ...{ mm: ' mm', mm2: ' mm2', px: ' px', px2: ' px2', deg: ' deg', HU: ' HU', none: '' },
}
const QUANTITY_TEXT: Partial<Record<SavedDrawing['values'][number]['quantity'], string>> = {
  ...{ area: 'Area ', mean: 'Mean ', deviation: 'SD ', minimum: 'Min ', maximum: 'Max ' },
  ...{ longAxis: 'Long ', shortAxis: 'Short ', perimeter: 'Perimeter ' },
}
/** PS3.5 §6.1.3: lines end with CR LF. */
const textOf = ({ text, values }: Drawing): string =>
  [
    ...(text === '' ? [] : [text]),
    ...values.map(
      ({ quantity, value, unit }) =>
        `${QUANTITY_TEXT[quantity] ?? ''}${value.toFixed(1)}${UNIT_TEXT[unit]}`,
    ),
  ]
    .join('\n')
    .replace(/\r?\n/g, '\r\n')

function signedLongs(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4)
  values.forEach((value, index) => void bytes.writeInt32LE(value, index * 4))
  return bytes
}

/**
 * The arrows and labels of a presentation state that the gateway wrote. Measurements are read from
 * the measurement report.
 */
export const readPresentationState = (state: NamedReader): SavedDrawing[] =>
  state.items('GraphicAnnotationSequence').flatMap((annotation) => {
    const [text] = annotation.items('TextObjectSequence')
    const [shape] = annotation.items('GraphicObjectSequence')
    const tracked = shape ?? text
    const kind = kindOf(tracked?.text('TrackingID') ?? '')
    const [image] = annotation.items('ReferencedImageSequence')
    if (!tracked || !image || !kind || isMeasurement(kind)) return []
    const points = shape ? shape.floats('GraphicData') : (text?.floats('AnchorPoint') ?? [])
    return {
      uid: tracked.text('TrackingUID'),
      kind,
      sopInstanceUid: image.text('ReferencedSOPInstanceUID'),
      frame: image.number('ReferencedFrameNumber') ?? 1,
      points: pointsOf(points),
      text: (text?.text('UnformattedTextValue') ?? '').replaceAll('\r\n', '\n'),
      title: null,
      values: [],
    }
  })
