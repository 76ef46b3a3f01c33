import type { DataSet } from '#server/dicom/data-set/coding.ts'
import { type NamedValues, namedDataSet } from '#server/dicom/data-set/named-data-set.ts'
import { IMPLEMENTATION } from '#server/dicom/data-set/uids.ts'
import { type ClinicTime, commonAttributes, type ObjectHeader } from './object-header.ts'

/** PS3.4 Table B.5-1. */
export const SECONDARY_CAPTURE = '1.2.840.10008.5.1.4.1.1.7'

/** The attributes of a capture. */
export interface CaptureHeader extends ObjectHeader {
  /** Modality of the captured images. */
  readonly modality: string
  readonly bodyPartExamined: string
  readonly laterality: string
  readonly instanceNumber: string
  /** When the capture was taken. */
  readonly made: ClinicTime
  /** For example `Window 40/400`. */
  readonly derivationDescription: string
  /** The captured image; `frame` starts at 1 and is null for a single-frame image. */
  readonly source: {
    readonly sopClassUid: string
    readonly sopInstanceUid: string
    readonly frame: number | null
  }
}

/** RGB, 8 bits per sample, color-by-pixel, rows from the top. */
export interface CaptureImage {
  readonly rows: number
  readonly columns: number
  /** rows × columns × 3 bytes. */
  readonly pixels: Buffer
}

/**
 * A Secondary Capture Image (PS3.3 A.8.1), for `writeDataSet`. @throws {RangeError} if `pixels` is
 * not rows × columns × 3 bytes long
 */
export function secondaryCapture(
  header: CaptureHeader,
  { rows, columns, pixels }: CaptureImage,
): DataSet {
  if (pixels.length !== rows * columns * 3)
    throw new RangeError('the pixels are not rows × columns × 3 bytes')
  const { made } = header
  return namedDataSet({
    ...commonAttributes(header, SECONDARY_CAPTURE, made),
    // DERIVED because the pixels come from a screen (PS3.3 C.7.6.1.1.2); the capture itself is not
    // lossy.
    ImageType: 'DERIVED\\SECONDARY',
    SeriesDate: made.date,
    ContentDate: made.date,
    SeriesTime: made.time,
    ContentTime: made.time,
    TimezoneOffsetFromUTC: made.offset,
    Modality: header.modality || 'OT',
    // PS3.3 C.8.6.1: workstation.
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
    // Unknown, because the displayed image may have been rotated or flipped.
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
    // Names and measurements are burned into the pixels.
    BurnedInAnnotation: 'YES',
    PixelData: pixels,
  }).map((element) => (element.tag === PIXEL_DATA ? { ...element, vr: 'OB' } : element))
}

const SIDES: readonly string[] = ['R', 'L']

/** PS3.16 Annex L: unpaired body parts. */
const UNPAIRED_BODY_PARTS: ReadonlySet<string> = new Set(
  [
    'ABDOMEN AORTA BACK BLADDER BRAIN CEREBELLUM CERVIX CHEST COCCYX COLON CORONARYARTERY CSPINE CTSPINE DUODENUM ESOPHAGUS FACE',
    'GALLBLADDER HEAD HEADNECK HEART ILEUM ILIUM JAW JEJUNUM LARYNX LIVER LSPINE LSSPINE MAXILLA MEDIASTINUM MOUTH NECK NECKCHEST',
    'NECKCHESTABDOMEN NECKCHESTABDPELV NOSE PANCREAS PELVIS PENIS PHARYNX PROSTATE RECTUM SCALP SKULL SPINE SPLEEN SSPINE STERNUM',
    'STOMACH THYMUS THYROID TLSPINE TONGUE TRACHEA TSPINE URETER URETHRA UTERUS VAGINA VULVA WHOLEBODY CHESTABDOMEN ABDOMENPELVIS',
    'CHESTABDPELVIS',
  ].flatMap((line) => line.split(' ')),
)

/**
 * PS3.3 C.7.3.1: type 2C, for paired body parts. Values of image laterality such as B and U are not
 * valid for a series.
 */
function lateralityOf({ laterality, bodyPartExamined }: CaptureHeader): string | undefined {
  if (UNPAIRED_BODY_PARTS.has(bodyPartExamined)) return undefined
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
