import type { DataSet } from '#server/dicom/data-set/coding.ts'
import { type NamedValues, namedDataSet } from '#server/dicom/data-set/named-data-set.ts'
import type { NamedReader } from '#server/dicom/data-set/named-reader.ts'
import type {
  DrawingKind,
  MEASURED_QUANTITIES,
  MEASURED_UNITS,
  SavedDrawing,
} from '#shared/contract/saved-drawings.ts'
import {
  type Code,
  code,
  codedItem,
  codeItem,
  containerItem,
  contentItem,
  observerItems,
  textContent,
} from './content-items.ts'
import {
  type Drawing,
  decimalString,
  ellipseAxes,
  graphicData,
  imageReference,
  imagesOf,
  kindOf,
  type Predecessor,
  pointsOf,
  referencedSeries,
  trackingIdOf,
  type VersionHeader,
} from './drawing.ts'
import { commonAttributes } from './object-header.ts'

/** PS3.4 Table B.5-1: Comprehensive SR Storage. */
export const MEASUREMENT_REPORT = '1.2.840.10008.5.1.4.1.1.88.33'

type Quantity = (typeof MEASURED_QUANTITIES)[number]
type Unit = (typeof MEASURED_UNITS)[number]
type Value = SavedDrawing['values'][number]
type Point = readonly [number, number]

const TITLE = code('126000', 'DCM', 'Imaging Measurement Report')
const LANGUAGE = code('121049', 'DCM', 'Language of Content Item and Descendants')
const ENGLISH = code('en', 'RFC5646', 'English')
const PROCEDURE = code('121058', 'DCM', 'Procedure reported')
const IMAGING = code('363679005', 'SCT', 'Imaging procedure')
const LIBRARY = code('111028', 'DCM', 'Image Library')
const LIBRARY_GROUP = code('126200', 'DCM', 'Image Library Group')
const MEASUREMENTS = code('126010', 'DCM', 'Imaging Measurements')
const GROUP = code('125007', 'DCM', 'Measurement Group')
const TRACKING_ID = code('112039', 'DCM', 'Tracking Identifier')
const TRACKING_UID = code('112040', 'DCM', 'Tracking Unique Identifier')
const REGION = code('111030', 'DCM', 'Image Region')
const COMMENT = code('121106', 'DCM', 'Comment')
const DERIVATION = code('121401', 'DCM', 'Derivation')
const ATTENUATION = code('112031', 'DCM', 'Attenuation Coefficient')

/** PS3.16 CID 7470, 7471 and 7464; for a single pixel value there is no code of the standard. */
const CONCEPTS: Readonly<Record<Quantity, Code>> = {
  length: code('410668003', 'SCT', 'Length'),
  longAxis: code('103339001', 'SCT', 'Long axis'),
  shortAxis: code('103340004', 'SCT', 'Short axis'),
  angle: code('1483009', 'SCT', 'Angle'),
  cobbAngle: code('285285000', 'SCT', 'Cobb angle'),
  area: code('42798000', 'SCT', 'Area'),
  perimeter: code('131191004', 'SCT', 'Perimeter'),
  mean: code('373098007', 'SCT', 'Mean'),
  deviation: code('386136009', 'SCT', 'Standard Deviation'),
  minimum: code('255605001', 'SCT', 'Minimum'),
  maximum: code('56851009', 'SCT', 'Maximum'),
  value: code('pixel-value', '99ISTHMUS', 'Pixel value'),
}
const UNITS: Readonly<Record<Unit, Code>> = {
  mm: code('mm', 'UCUM', 'millimeter'),
  mm2: code('mm2', 'UCUM', 'square millimeter'),
  px: code('{pixels}', 'UCUM', 'pixels'),
  px2: code('{square_pixels}', 'UCUM', 'square pixels'),
  deg: code('deg', 'UCUM', 'degree'),
  HU: code("[hnsf'U]", 'UCUM', 'Hounsfield unit'),
  none: code('1', 'UCUM', 'no units'),
}
/** Values of pixels. In Hounsfield units they are an attenuation with a derivation (TID 1419). */
const PIXEL_QUANTITIES: readonly Quantity[] = ['mean', 'deviation', 'minimum', 'maximum', 'value']
const AT_DETECTOR_COMMENT = 'Measured at the detector: not corrected for magnification.'
const REGION_KINDS: readonly DrawingKind[] = ['rectangle', 'ellipse', 'circle', 'freehand']

/** Whether drawings of the kind are in the measurement report. */
export const isMeasurement = (kind: DrawingKind): boolean =>
  kind !== 'arrow' && kind !== 'text' && kind !== 'keyImage'

/**
 * A Comprehensive SR by TID 1500 with one measurement group for each drawing: TID 1410 for regions,
 * TID 1501 for everything else.
 */
export function measurementReport(
  header: VersionHeader,
  drawings: readonly Drawing[],
  predecessors: readonly Predecessor[],
  deviceUid: string,
): DataSet {
  const images = imagesOf(drawings)
  const evidence = referencedSeries(images)
  const { made, studyInstanceUid } = header
  return namedDataSet({
    ...commonAttributes(header, MEASUREMENT_REPORT, made),
    TimezoneOffsetFromUTC: made.offset,
    Modality: 'SR',
    SeriesDate: made.date,
    SeriesTime: made.time,
    InstanceNumber: header.instanceNumber,
    ContentDate: made.date,
    ContentTime: made.time,
    ReferencedPerformedProcedureStepSequence: [],
    PerformedProcedureCodeSequence: [],
    CompletionFlag: 'PARTIAL',
    VerificationFlag: 'UNVERIFIED',
    CurrentRequestedProcedureEvidenceSequence:
      evidence.length === 0
        ? undefined
        : [{ StudyInstanceUID: studyInstanceUid, ReferencedSeriesSequence: evidence }],
    PredecessorDocumentsSequence:
      predecessors.length === 0
        ? undefined
        : [
            {
              StudyInstanceUID: studyInstanceUid,
              ReferencedSeriesSequence: referencedSeries(predecessors),
            },
          ],
    ValueType: 'CONTAINER',
    ConceptNameCodeSequence: [codeItem(TITLE)],
    ContinuityOfContent: 'SEPARATE',
    ContentTemplateSequence: [{ MappingResource: 'DCMR', TemplateIdentifier: '1500' }],
    ContentSequence: [
      codedItem('HAS CONCEPT MOD', LANGUAGE, ENGLISH),
      ...observerItems(header.author, deviceUid),
      codedItem('HAS CONCEPT MOD', PROCEDURE, IMAGING),
      ...(images.length === 0
        ? []
        : [
            containerItem(
              LIBRARY,
              [
                containerItem(
                  LIBRARY_GROUP,
                  images.map((image) =>
                    contentItem('CONTAINS', 'IMAGE', undefined, {
                      ReferencedSOPSequence: [imageReference(image)],
                    }),
                  ),
                ),
              ],
              '1600',
            ),
          ]),
      containerItem(MEASUREMENTS, drawings.map(measurementGroup)),
    ],
  })
}

function measurementGroup(drawing: Drawing): NamedValues {
  const { kind, uid, values, text, image } = drawing
  const isRegion = REGION_KINDS.includes(kind)
  const comment = [text, image.isAtDetector && values.length > 0 ? AT_DETECTOR_COMMENT : '']
    .filter(Boolean)
    .join(' ')
  const measured = isRegion
    ? values.map((value) => numericItem(value, []))
    : values.map((value) => numericItem(value, coordinateItems(drawing, value.quantity)))
  // Without a value nothing else holds the coordinates.
  const regions =
    isRegion || values.length === 0
      ? coordinateItems(drawing, undefined).map((item) => ({
          ...item,
          RelationshipType: 'CONTAINS',
          ConceptNameCodeSequence: [codeItem(REGION)],
        }))
      : []
  return containerItem(
    GROUP,
    [
      textContent('HAS OBS CONTEXT', TRACKING_ID, trackingIdOf(kind)),
      contentItem('HAS OBS CONTEXT', 'UIDREF', TRACKING_UID, { UID: uid }),
      ...regions,
      ...measured,
      ...(comment === '' ? [] : [textContent('CONTAINS', COMMENT, comment)]),
    ],
    isRegion ? '1410' : '1501',
  )
}

function numericItem({ quantity, value, unit }: Value, from: readonly NamedValues[]): NamedValues {
  const isAttenuation = unit === 'HU' && PIXEL_QUANTITIES.includes(quantity)
  const derivation =
    isAttenuation && quantity !== 'value'
      ? [codedItem('HAS CONCEPT MOD', DERIVATION, CONCEPTS[quantity])]
      : []
  const content = [...derivation, ...from]
  return contentItem('CONTAINS', 'NUM', isAttenuation ? ATTENUATION : CONCEPTS[quantity], {
    MeasuredValueSequence: [
      {
        NumericValue: decimalString(value),
        MeasurementUnitsCodeSequence: [codeItem(UNITS[unit])],
      },
    ],
    ContentSequence: content.length === 0 ? undefined : content,
  })
}

/**
 * The spatial coordinates that a value is inferred from, with their image (PS3.3 C.18.6); without a
 * quantity, all of the drawing.
 */
function coordinateItems(drawing: Drawing, quantity: Quantity | undefined): NamedValues[] {
  const { kind, points, image, frame } = drawing
  const pairs = [points.slice(0, 2), points.slice(2, 4)]
  const shapes: readonly (readonly [type: string, points: readonly Point[]])[] =
    kind === 'bidirectional'
      ? pairs
          .filter(
            (_, index) => quantity === undefined || (quantity === 'longAxis') === (index === 0),
          )
          .map((pair) => ['POLYLINE', pair] as const)
      : kind === 'cobb'
        ? pairs.map((pair) => ['POLYLINE', pair] as const)
        : kind === 'probe'
          ? [['POINT', points]]
          : kind === 'ellipse'
            ? [['ELLIPSE', ellipseAxes(points)]]
            : kind === 'circle'
              ? [['CIRCLE', points]]
              : [
                  [
                    'POLYLINE',
                    REGION_KINDS.includes(kind) ? [...points, ...points.slice(0, 1)] : points,
                  ],
                ]
  return shapes.map(([type, of]) =>
    contentItem('INFERRED FROM', 'SCOORD', undefined, {
      GraphicType: type,
      GraphicData: graphicData(of),
      ContentSequence: [
        contentItem('SELECTED FROM', 'IMAGE', undefined, {
          ReferencedSOPSequence: [imageReference(image, frame)],
        }),
      ],
    }),
  )
}

/** The drawings of a measurement report that the gateway wrote. */
export function readMeasurementReport(report: NamedReader): SavedDrawing[] {
  return report
    .items('ContentSequence')
    .filter((item) => conceptOf(item) === MEASUREMENTS.value)
    .flatMap((container) => container.items('ContentSequence'))
    .flatMap((group) => readGroup(group) ?? [])
}

function readGroup(group: NamedReader): SavedDrawing | undefined {
  const content = group.items('ContentSequence')
  const of = ({ value }: Code) => content.find((item) => conceptOf(item) === value)
  const kind = kindOf(of(TRACKING_ID)?.text('TextValue') ?? '')
  const uid = of(TRACKING_UID)?.text('UID') ?? ''
  if (!kind || uid === '') return undefined
  const numeric = content.filter((item) => item.text('ValueType') === 'NUM')
  const shapes = [...content, ...numeric.flatMap((item) => item.items('ContentSequence'))].filter(
    (item) => item.text('ValueType') === 'SCOORD',
  )
  const [image] = shapes[0]?.items('ContentSequence')[0]?.items('ReferencedSOPSequence') ?? []
  if (!image) return undefined
  return {
    uid,
    kind,
    sopInstanceUid: image.text('ReferencedSOPInstanceUID'),
    frame: image.number('ReferencedFrameNumber') ?? 1,
    points: readPoints(kind, shapes),
    text: (of(COMMENT)?.text('TextValue') ?? '').replace(AT_DETECTOR_COMMENT, '').trim(),
    title: null,
    values: numeric.flatMap((item) => readValue(item) ?? []),
  }
}

function readPoints(kind: DrawingKind, shapes: readonly NamedReader[]): [number, number][] {
  // Several values of one drawing repeat its coordinates.
  const distinct =
    kind === 'bidirectional' || kind === 'cobb' ? shapes.slice(0, 2) : shapes.slice(0, 1)
  const points = distinct.flatMap((shape) => pointsOf(shape.floats('GraphicData')))
  if (kind === 'ellipse') return ellipseAxes(points)
  return kind === 'rectangle' || kind === 'freehand' ? points.slice(0, -1) : points
}

function readValue(item: NamedReader): Value | undefined {
  const [measured] = item.items('MeasuredValueSequence')
  const value = measured?.number('NumericValue')
  const unitCode = measured?.items('MeasurementUnitsCodeSequence')[0]?.text('CodeValue')
  const derivation = item
    .items('ContentSequence')
    .find((child) => conceptOf(child) === DERIVATION.value)
    ?.items('ConceptCodeSequence')[0]
    ?.text('CodeValue')
  const concept = conceptOf(item)
  const wanted = concept === ATTENUATION.value ? (derivation ?? CONCEPTS.value.value) : concept
  const quantity = keyOf(CONCEPTS, wanted)
  const unit = keyOf(UNITS, unitCode)
  return value === undefined || !quantity || !unit ? undefined : { quantity, value, unit }
}

const conceptOf = (item: NamedReader): string =>
  item.items('ConceptNameCodeSequence')[0]?.text('CodeValue') ?? ''

const keyOf = <K extends string>(codes: Readonly<Record<K, Code>>, value: string | undefined) =>
  (Object.keys(codes) as K[]).find((key) => codes[key].value === value)
