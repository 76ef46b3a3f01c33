import { z } from 'zod'
import { Message } from '../messages/message-schema.ts'

/** The sources of the images of a study. */
const VIEW_SOURCES = ['archive', 'partner'] as const

/**
 * A study of a view according to its files, or until the first one has been read, as known to the
 * gateway. DICOM text (PN, DA, TM, CS); empty if missing.
 */
export const ViewedStudy = z.object({
  studyInstanceUid: z.string(),
  isPrior: z.boolean(),
  patientName: z.string(),
  patientId: z.string(),
  patientBirthDate: z.string(),
  patientSex: z.string(),
  studyDate: z.string(),
  studyTime: z.string(),
  studyDescription: z.string(),
  accessionNumber: z.string(),
})
export type ViewedStudy = z.infer<typeof ViewedStudy>

export const ViewedSeries = z.object({
  studyInstanceUid: z.string(),
  seriesInstanceUid: z.string(),
  /** Null if it is missing. */
  seriesNumber: z.int().nullable(),
  modality: z.string(),
  seriesDescription: z.string(),
  bodyPartExamined: z.string(),
  laterality: z.string(),
})
export type ViewedSeries = z.infer<typeof ViewedSeries>

/** Image Pixel module (PS3.3 C.7.6.3). */
export const ImagePixel = z.object({
  rows: z.int().positive(),
  columns: z.int().positive(),
  bitsAllocated: z.int().positive(),
  bitsStored: z.int().positive(),
  highBit: z.int().nonnegative(),
  /** 0 unsigned, 1 signed. */
  pixelRepresentation: z.union([z.literal(0), z.literal(1)]),
  samplesPerPixel: z.int().positive(),
  photometricInterpretation: z.string(),
  /**
   * Presentation LUT Shape (PS3.3 C.8.11.3.1.2): INVERSE displays the lowest value white. If it is
   * missing, MONOCHROME1 does.
   */
  presentationLutShape: z.enum(['IDENTITY', 'INVERSE']).optional(),
  planarConfiguration: z.union([z.literal(0), z.literal(1)]),
  /** Ratio of the height of a pixel to its width, if pixels are not square (PS3.3 C.7.6.3.1.7). */
  aspect: z.number().positive().optional(),
  /** Whether the pixels are in Float Pixel Data or Double Float Pixel Data; empty for neither. */
  float: z.enum(['', 'float', 'double']),
  /** Pixel Padding Value, and Pixel Padding Range Limit. */
  padding: z.tuple([z.number(), z.number().nullable()]).nullable(),
  smallest: z.number().nullable(),
  largest: z.number().nullable(),
})
export type ImagePixel = z.infer<typeof ImagePixel>

/**
 * Attributes that may differ between the frames of an enhanced multi-frame image (PS3.3 C.7.6.16).
 */
export const FrameAttributes = z.object({
  /** Image Position (Patient) in mm, and Image Orientation (Patient). */
  position: z.tuple([z.number(), z.number(), z.number()]).nullable(),
  orientation: z
    .tuple([z.number(), z.number(), z.number(), z.number(), z.number(), z.number()])
    .nullable(),
  /** Distance between rows and between columns in mm. */
  spacing: z.tuple([z.number(), z.number()]).nullable(),
  /**
   * patient: Pixel Spacing in the patient; detector: Imager Pixel Spacing at the detector, where
   * distances are magnified; calibrated: by a fiducial or the geometry; region: only within the
   * `regions`, each of which has a spacing of its own; none.
   */
  spacingFrom: z.enum(['patient', 'detector', 'calibrated', 'region', 'none']),
  sliceThickness: z.number().nullable(),
  sliceLocation: z.number().nullable(),
  /** Null if no rescaling applies. */
  slope: z.number().nullable(),
  intercept: z.number().nullable(),
  windowCenter: z.array(z.number()),
  windowWidth: z.array(z.number()),
})
export type FrameAttributes = z.infer<typeof FrameAttributes>

/** The patient of an image according to its file. DICOM text; empty if missing. */
export const ImagePatient = ViewedStudy.pick({
  ...{
    patientName: true,
    patientId: true,
    patientBirthDate: true,
    patientSex: true,
    accessionNumber: true,
  },
})
export type ImagePatient = z.infer<typeof ImagePatient>

/**
 * A region of an ultrasound image in which distances are known (PS3.3 C.8.5.5): columns and rows of
 * its first and last pixel, from 0.
 */
export const UltrasoundRegion = z.object({
  left: z.int(),
  top: z.int(),
  right: z.int(),
  bottom: z.int(),
  /** Distance between rows and between columns in mm. */
  spacing: z.tuple([z.number().positive(), z.number().positive()]),
})
export type UltrasoundRegion = z.infer<typeof UltrasoundRegion>

/**
 * An instance of a view, with the data of its file, or until the file has been read, of the
 * partner's manifest.
 */
export const ViewedInstance = z.object({
  studyInstanceUid: z.string(),
  seriesInstanceUid: z.string(),
  sopInstanceUid: z.string(),
  sopClassUid: z.string(),
  /** Empty while only the manifest has been read. */
  transferSyntaxUid: z.string(),
  source: z.enum([...VIEW_SOURCES, 'manifest']),
  /** 0 if unknown; instances are then ordered by UID. */
  instanceNumber: z.int(),
  /** Number of frames; 1 for a single-frame image. */
  frames: z.int().positive(),
  /** Null if it is not an image; `notImage` says what it is. */
  image: ImagePixel.nullable(),
  /** For example `A structured report.`; null for an image. */
  notImage: Message.nullable(),
  attributes: FrameAttributes,
  /** Attributes of each frame if they differ; null if `attributes` applies to all of them. */
  perFrame: z.array(FrameAttributes).nullable(),
  frameOfReferenceUid: z.string(),
  imageType: z.array(z.string()),
  /** VOI LUT Function: LINEAR, LINEAR_EXACT, SIGMOID. */
  voiLutFunction: z.string(),
  windowExplanation: z.array(z.string()),
  /** Rescale Type, such as HU or US; empty if unknown. */
  rescaleType: z.string(),
  /** Recommended time between frames in milliseconds; null if the file does not specify one. */
  frameTime: z.number().nullable(),
  acquisitionTime: z.string(),
  contentTime: z.string(),
  viewPosition: z.string(),
  laterality: z.string(),
  patientOrientation: z.array(z.string()),
  /** Null if it equals that of its study. */
  patient: ImagePatient.nullable(),
  /**
   * Whether it has ever been compressed lossily (0028,2110), regardless of its present encoding,
   * with the ratios (0028,2112) and methods (0028,2114) if known. Null if not specified.
   */
  lossy: z.object({ ratios: z.array(z.number()), methods: z.array(z.string()) }).nullable(),
  /** Empty if there are none. */
  regions: z.array(UltrasoundRegion),
  /** Whether `extras` has a palette, lookup tables or overlays. */
  hasExtras: z.boolean(),
})
export type ViewedInstance = z.infer<typeof ViewedInstance>

/**
 * A lookup table (PS3.3 C.11.1, C.7.6.3.1.6); `data` is base64 of 16-bit numbers in little endian.
 */
const LookUpTable = z.object({
  entries: z.int(),
  firstValue: z.int(),
  bits: z.int(),
  explanation: z.string(),
  data: z.base64(),
})

/** Data that is too large for the image list. */
export const InstanceExtras = z.object({
  palette: z.object({ red: LookUpTable, green: LookUpTable, blue: LookUpTable }).nullable(),
  modalityLut: LookUpTable.nullable(),
  voiLuts: z.array(LookUpTable),
  /**
   * Palette of the stored values from `threshold` of a grayscale image (PS3.3 C.7.6.19); those below
   * are gray.
   */
  supplement: z
    .object({ threshold: z.int(), red: LookUpTable, green: LookUpTable, blue: LookUpTable })
    .nullable(),
  /**
   * Overlay planes (PS3.3 C.9.2, C.9.3); `data` is base64 of one bit per pixel, starting with the
   * lowest bit, of each frame of the overlay after the other.
   */
  overlays: z.array(
    z.object({
      /** Of its attributes, such as 0x6000. */
      group: z.int(),
      rows: z.int(),
      columns: z.int(),
      /** Row and column of its first pixel, from 1. */
      origin: z.tuple([z.int(), z.int()]),
      /** Frames of the image that it is for, from 1; null for all of them, with one plane. */
      frames: z.object({ first: z.int(), count: z.int() }).nullable(),
      type: z.string(),
      label: z.string(),
      /** Number of the bit of each stored value that holds it; null if `data` does. */
      bit: z.int().nullable(),
      data: z.base64(),
    }),
  ),
  /** What of the header cannot be applied to the image, such as a damaged overlay. */
  notApplied: z.array(Message),
})
export type InstanceExtras = z.infer<typeof InstanceExtras>

/** A fault of a part of a view, without values of the file and without URLs. */
export const ViewFault = z.object({
  /** danger: it could cause a misreading, such as images of another patient. */
  level: z.enum(['danger', 'warning', 'note']),
  /** `Image 12 of 500`, `The manifest`, `The partner`. */
  what: Message,
  sentence: Message,
  /** The study and the instance, if known. */
  studyInstanceUid: z.string().nullable(),
  sopInstanceUid: z.string().nullable(),
})
export type ViewFault = z.infer<typeof ViewFault>

/** Something of a study besides its images: a file of the partner, or an object in a DICOM file. */
export const ViewMedia = z.object({
  mediaId: z.int(),
  /**
   * How the page displays it; report, key-images and waveform: by the operation of that name; other:
   * download only.
   */
  shownAs: z.enum(['pdf', 'image', 'video', 'report', 'key-images', 'waveform', 'other']),
  mimeType: z.string(),
  fileName: z.string(),
  /** Title of a report or document; empty if it has none. */
  title: z.string(),
  /** The DICOM object that contains it; null for a file of the partner. */
  object: z
    .object({
      studyInstanceUid: z.string(),
      sopInstanceUid: z.string(),
      sopClassUid: z.string(),
    })
    .nullable(),
})
export type ViewMedia = z.infer<typeof ViewMedia>

/**
 * A line of `GET /viewer/:viewId/images` (`application/x-ndjson`), which stays open until
 * everything is loaded. A study, series or instance that is sent again replaces the earlier one
 * with the same UID. asking: the partner is being asked; loading: files are being loaded; done: the
 * stream ends.
 */
export const ViewLine = z.discriminatedUnion('line', [
  z.object({ line: z.literal('study'), study: ViewedStudy }),
  z.object({ line: z.literal('series'), series: z.array(ViewedSeries) }),
  z.object({ line: z.literal('instances'), instances: z.array(ViewedInstance) }),
  z.object({ line: z.literal('faults'), faults: z.array(ViewFault) }),
  z.object({ line: z.literal('media'), media: z.array(ViewMedia) }),
  z.object({
    line: z.literal('progress'),
    state: z.enum(['asking', 'loading', 'done']),
    /**
     * Number of files whose header has been read, and number of all files, for all studies of the
     * view.
     */
    read: z.int(),
    files: z.int(),
  }),
])
export type ViewLine = z.infer<typeof ViewLine>

/** A prior study that can be added for comparison. */
export const ViewedPrior = z.object({
  studyInstanceUid: z.string(),
  studyDescription: z.string(),
  modalities: z.array(z.string()),
  /** A DA, or empty. */
  studyDate: z.string(),
  /** Number of instances in the archive; null if only the partner may have the study. */
  instances: z.int().nullable(),
  isOpen: z.boolean(),
})
export type ViewedPrior = z.infer<typeof ViewedPrior>
