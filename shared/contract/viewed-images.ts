import { z } from 'zod'
import { Message } from '../messages/message-schema.ts'

/** Where images of a study come from. */
const VIEW_SOURCES = ['archive', 'partner'] as const

/**
 * A study of a view, as its own files say it; until the first one is read, as the gateway knows it.
 * DICOM text: PN, DA, TM, CS; empty where missing.
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
  /** Null where it is missing. */
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
  planarConfiguration: z.union([z.literal(0), z.literal(1)]),
  /** Height of a pixel by its width, of pixels that are not square (PS3.3 C.7.6.3.1.7). */
  aspect: z.number().positive().optional(),
  /** FloatPixelData, DoubleFloatPixelData. */
  float: z.enum(['', 'float', 'double']),
  /** Pixel Padding Value, and its range limit. */
  padding: z.tuple([z.number(), z.number().nullable()]).nullable(),
  smallest: z.number().nullable(),
  largest: z.number().nullable(),
})
export type ImagePixel = z.infer<typeof ImagePixel>

/**
 * What is of one frame, and differs from frame to frame of an enhanced multi-frame (PS3.3
 * C.7.6.16).
 */
export const FrameAttributes = z.object({
  /** Image Position and Orientation (Patient), mm. */
  position: z.tuple([z.number(), z.number(), z.number()]).nullable(),
  orientation: z
    .tuple([z.number(), z.number(), z.number(), z.number(), z.number(), z.number()])
    .nullable(),
  /** Between rows, between columns; mm. */
  spacing: z.tuple([z.number(), z.number()]).nullable(),
  /**
   * patient: Pixel Spacing of a volume; detector: Imager Pixel Spacing, at the detector and so
   * larger than the patient; calibrated: by a fiducial or geometry; region: of an ultrasound
   * region; none.
   */
  spacingFrom: z.enum(['patient', 'detector', 'calibrated', 'region', 'none']),
  sliceThickness: z.number().nullable(),
  sliceLocation: z.number().nullable(),
  /** Null: the stored values are what they are. */
  slope: z.number().nullable(),
  intercept: z.number().nullable(),
  windowCenter: z.array(z.number()),
  windowWidth: z.array(z.number()),
})
export type FrameAttributes = z.infer<typeof FrameAttributes>

/** Who an image is of, as its own file says. DICOM text; empty where it is missing. */
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
 * A region of an ultrasound image with a calibration of its own (PS3.3 C.8.5.5): columns and rows
 * of its first and its last pixel, from 0.
 */
export const UltrasoundRegion = z.object({
  left: z.int(),
  top: z.int(),
  right: z.int(),
  bottom: z.int(),
})
export type UltrasoundRegion = z.infer<typeof UltrasoundRegion>

/**
 * An instance of a view: with what its file says, or with what the partner's manifest says before
 * the file is here.
 */
export const ViewedInstance = z.object({
  studyInstanceUid: z.string(),
  seriesInstanceUid: z.string(),
  sopInstanceUid: z.string(),
  sopClassUid: z.string(),
  /** Empty while only the manifest knows it. */
  transferSyntaxUid: z.string(),
  source: z.enum([...VIEW_SOURCES, 'manifest']),
  /** 0 where it is unknown: then the UID breaks ties. */
  instanceNumber: z.int(),
  /** Frames; 1 of a single-frame image. */
  frames: z.int().positive(),
  /** Null: it is no image, and `notImage` says what it is. */
  image: ImagePixel.nullable(),
  /** Such as `A structured report.`; null for an image. */
  notImage: Message.nullable(),
  attributes: FrameAttributes,
  /** One for each frame where they differ; null where `attributes` is of all of them. */
  perFrame: z.array(FrameAttributes).nullable(),
  frameOfReferenceUid: z.string(),
  imageType: z.array(z.string()),
  /** LINEAR, LINEAR_EXACT, SIGMOID. */
  voiLutFunction: z.string(),
  windowExplanation: z.array(z.string()),
  /** HU, US…: Rescale Type; empty where it is not known. */
  rescaleType: z.string(),
  /** Milliseconds between frames, as the file recommends; null where it does not. */
  frameTime: z.number().nullable(),
  acquisitionTime: z.string(),
  contentTime: z.string(),
  viewPosition: z.string(),
  laterality: z.string(),
  patientOrientation: z.array(z.string()),
  /** Null: the same as that of its study. */
  patient: ImagePatient.nullable(),
  /**
   * It went through lossy compression at some time (0028,2110), however it is encoded now. Ratios
   * (0028,2112) and methods (0028,2114) as far as the file says. Null: it does not say so.
   */
  lossy: z.object({ ratios: z.array(z.number()), methods: z.array(z.string()) }).nullable(),
  /** Empty where it has none. */
  regions: z.array(UltrasoundRegion),
  /** It has a palette, look-up tables or overlays: `extras` has them. */
  hasExtras: z.boolean(),
})
export type ViewedInstance = z.infer<typeof ViewedInstance>

/**
 * A look-up table (PS3.3 C.11.1, C.7.6.3.1.6): `data` is base64 of 16-bit numbers in little endian.
 */
const LookUpTable = z.object({
  entries: z.int(),
  firstValue: z.int(),
  bits: z.int(),
  explanation: z.string(),
  data: z.base64(),
})

/** What is too long for a line of the list. */
export const InstanceExtras = z.object({
  palette: z.object({ red: LookUpTable, green: LookUpTable, blue: LookUpTable }).nullable(),
  modalityLut: LookUpTable.nullable(),
  voiLuts: z.array(LookUpTable),
  /** Overlay planes (PS3.3 C.9.2): `data` is base64 of one bit a pixel, the first one lowest. */
  overlays: z.array(
    z.object({
      rows: z.int(),
      columns: z.int(),
      /** Row and column of its first pixel, from 1. */
      origin: z.tuple([z.int(), z.int()]),
      type: z.string(),
      label: z.string(),
      data: z.base64(),
    }),
  ),
})
export type InstanceExtras = z.infer<typeof InstanceExtras>

/** What is wrong with a part, for a person; no value of the file, no URL. */
export const ViewFault = z.object({
  /** danger: it could lead to a wrong reading, such as images of another patient. */
  level: z.enum(['danger', 'warning', 'note']),
  /** `Image 12 of 500`, `The manifest`, `The partner`. */
  what: Message,
  sentence: Message,
  /** Where a study or an instance is known. */
  studyInstanceUid: z.string().nullable(),
  sopInstanceUid: z.string().nullable(),
})
export type ViewFault = z.infer<typeof ViewFault>

export const ViewMedia = z.object({
  mediaId: z.int(),
  /** How the page shows it; other: it can be saved only. */
  shownAs: z.enum(['pdf', 'image', 'video', 'other']),
  mimeType: z.string(),
  fileName: z.string(),
})
export type ViewMedia = z.infer<typeof ViewMedia>

/**
 * A line of `GET /viewer/:viewId/images` (`application/x-ndjson`), which stays open until all is
 * known. A study, series or instance that comes again, by its UID, takes the place of what was said
 * before. asking: the partner is asked; loading: files come; done: the stream ends.
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
    /** Files whose header was read, of those that there are; of all studies of the view. */
    read: z.int(),
    files: z.int(),
  }),
])
export type ViewLine = z.infer<typeof ViewLine>

/** An earlier study that can be put beside. */
export const ViewedPrior = z.object({
  studyInstanceUid: z.string(),
  studyDescription: z.string(),
  modalities: z.array(z.string()),
  /** DA, or empty. */
  studyDate: z.string(),
  /** Instances in the archive; null where only the partner may have it. */
  instances: z.int().nullable(),
  isOpen: z.boolean(),
})
export type ViewedPrior = z.infer<typeof ViewedPrior>
