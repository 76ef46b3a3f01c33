import type { DataSet } from '#server/dicom/data-set/coding.ts'
import { type NamedValues, namedDataSet } from '#server/dicom/data-set/named-data-set.ts'
import { IMPLEMENTATION } from '#server/dicom/data-set/uids.ts'
import { type ClinicTime, type OwnHeader, ownAttributes } from './own-header.ts'

/** PS3.4 Table B.5-1. */
export const SECONDARY_CAPTURE = '1.2.840.10008.5.1.4.1.1.7'

/** What a capture says of itself. */
export interface CaptureHeader extends OwnHeader {
  /** Of the images that were shown. */
  readonly modality: string
  readonly bodyPartExamined: string
  readonly laterality: string
  readonly instanceNumber: string
  /** When it was made. */
  readonly made: ClinicTime
  /** Such as `Window 40/400`. */
  readonly derivationDescription: string
  /** What was shown; `frame` from 1, null of a single-frame image. */
  readonly source: {
    readonly sopClassUid: string
    readonly sopInstanceUid: string
    readonly frame: number | null
  }
}

/** RGB, 8 bits, a pixel after the other, rows from the top. */
export interface CaptureImage {
  readonly rows: number
  readonly columns: number
  /** rows × columns × 3 bytes. */
  readonly pixels: Buffer
}

/**
 * A Secondary Capture Image (PS3.3 A.8.1), for `writeDataSet`. @throws {RangeError} where the
 * pixels are not rows × columns × 3 bytes
 */
export function secondaryCapture(
  header: CaptureHeader,
  { rows, columns, pixels }: CaptureImage,
): DataSet {
  if (pixels.length !== rows * columns * 3)
    throw new RangeError('the pixels are not rows × columns × 3 bytes')
  const { made } = header
  return namedDataSet({
    ...ownAttributes(header, SECONDARY_CAPTURE, made),
    // Not lossy by itself; DERIVED as its pixels are those of a screen (PS3.3 C.7.6.1.1.2).
    ImageType: 'DERIVED\\SECONDARY',
    SeriesDate: made.date,
    ContentDate: made.date,
    SeriesTime: made.time,
    ContentTime: made.time,
    TimezoneOffsetFromUTC: made.offset,
    Modality: header.modality || 'OT',
    // PS3.3 C.8.6.1: made on a workstation.
    ConversionType: 'WSD',
    SecondaryCaptureDeviceManufacturer: 'Isthmus',
    SecondaryCaptureDeviceManufacturerModelName: 'Isthmus',
    SecondaryCaptureDeviceSoftwareVersions: IMPLEMENTATION.versionName,
    DateOfSecondaryCapture: made.date,
    TimeOfSecondaryCapture: made.time,
    SeriesDescription: header.seriesDescription || undefined,
    DerivationDescription: header.derivationDescription || undefined,
    SourceImageSequence: [sourceImage(header.source)],
    BodyPartExamined: header.bodyPartExamined || undefined,
    InstanceNumber: header.instanceNumber,
    // Not known of a screen, which may be turned or mirrored.
    PatientOrientation: '',
    Laterality: lateralityOf(header),
    SamplesPerPixel: 3,
    PhotometricInterpretation: 'RGB',
    PlanarConfiguration: 0,
    Rows: rows,
    Columns: columns,
    BitsAllocated: 8,
    BitsStored: 8,
    HighBit: 7,
    PixelRepresentation: 0,
    // Names and measures are in the pixels.
    BurnedInAnnotation: 'YES',
    PixelData: pixels,
  }).map((element) => (element.tag === PIXEL_DATA ? { ...element, vr: 'OB' } : element))
}

const SIDES: readonly string[] = ['R', 'L']

/** PS3.16 Annex L: body parts that have no side. */
const UNPAIRED: ReadonlySet<string> = new Set(
  [
    'ABDOMEN AORTA BACK BLADDER BRAIN CEREBELLUM CERVIX CHEST COCCYX COLON CORONARYARTERY CSPINE CTSPINE DUODENUM ESOPHAGUS FACE',
    'GALLBLADDER HEAD HEADNECK HEART ILEUM ILIUM JAW JEJUNUM LARYNX LIVER LSPINE LSSPINE MAXILLA MEDIASTINUM MOUTH NECK NECKCHEST',
    'NECKCHESTABDOMEN NECKCHESTABDPELV NOSE PANCREAS PELVIS PENIS PHARYNX PROSTATE RECTUM SCALP SKULL SPINE SPLEEN SSPINE STERNUM',
    'STOMACH THYMUS THYROID TLSPINE TONGUE TRACHEA TSPINE URETER URETHRA UTERUS VAGINA VULVA WHOLEBODY CHESTABDOMEN ABDOMENPELVIS',
    'CHESTABDPELVIS',
  ].flatMap((line) => line.split(' ')),
)

/**
 * PS3.3 C.7.3.1: type 2C, of a part that is one of a pair; what an image may have besides, such as
 * B and U, is no value of a series.
 */
function lateralityOf({ laterality, bodyPartExamined }: CaptureHeader): string | undefined {
  if (UNPAIRED.has(bodyPartExamined)) return undefined
  return SIDES.includes(laterality) ? laterality : ''
}

const PIXEL_DATA = 0x7fe00010

/** PS3.3 C.7.6.1.1.4. */
const sourceImage = ({
  sopClassUid,
  sopInstanceUid,
  frame,
}: CaptureHeader['source']): NamedValues => ({
  ReferencedSOPClassUID: sopClassUid,
  ReferencedSOPInstanceUID: sopInstanceUid,
  ReferencedFrameNumber: frame === null ? undefined : String(frame),
  // PS3.16 CID 7202.
  PurposeOfReferenceCodeSequence: [
    {
      CodeValue: '121322',
      CodingSchemeDesignator: 'DCM',
      CodeMeaning: 'Source image for image processing operation',
    },
  ],
})
