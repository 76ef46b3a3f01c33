import { z } from 'zod'
import { StudyId, UserId } from '../ids.ts'
import { operation } from '../operation.ts'
import { Instant, Outcome } from './conventions.ts'
import { STUDY_AREAS } from './settings.ts'
import { EphemeralSession } from './viewer.ts'

/**
 * viewer, reroute, viewer-only, ephemeral: by a link of that kind; window: by a signed-in person.
 */
const VIEW_KINDS = ['viewer', 'reroute', 'viewer-only', 'ephemeral', 'window'] as const
const ViewId = z.uuid()
/** As files carry it: not every device keeps to PS3.5 §9.1. */
const ReceivedUid = z.string().min(1).max(64)
const viewParams = z.object({ viewId: ViewId })
const instanceParams = z.object({ viewId: ViewId, sopInstanceUid: ReceivedUid })

/** A session of the viewer: one study, or what a partner gives without one. */
export const View = z.object({
  viewId: ViewId,
  kind: z.enum(VIEW_KINDS),
  area: z.enum(STUDY_AREAS).nullable(),
  studyId: StudyId.nullable(),
  /** Null for an ephemeral session. */
  studyInstanceUid: z.string().nullable(),
  studyDescription: z.string(),
  /** Whom it is for; null where the link names nobody. */
  user: z.object({ userId: UserId, name: z.string() }).nullable(),
  /** The link is for viewing and dictation. */
  mayDictate: z.boolean(),
  hangingProtocol: EphemeralSession.shape.hangingProtocol.unwrap().nullable(),
  /** Why no secondary capture can be made; empty where one can. */
  whyNoCapture: z.string(),
  expiresAt: Instant,
})
export type View = z.infer<typeof View>

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
  /** One sentence, such as `A structured report.`; empty for an image. */
  notImage: z.string(),
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
  what: z.string(),
  sentence: z.string(),
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

/** Most characters of the annotations of one person on one study, as JSON. */
export const ANNOTATION_CHARACTERS = 1_000_000
export const Annotations = z.object({
  /** 0: there are none yet. Grows by one at each save. */
  revision: z.int(),
  /** What the viewer made of them; the gateway does not look into it. */
  annotations: z.array(z.json()).max(5000),
})
export type Annotations = z.infer<typeof Annotations>

export const CAPTURE_STATES = ['waiting', 'uploading', 'done', 'failed', 'kept'] as const
/**
 * A secondary capture and its way. waiting: for its next try; kept: in the archive alone, since
 * nobody takes it.
 */
export const Capture = z.object({
  captureId: z.uuid(),
  sopInstanceUid: z.string(),
  state: z.enum(CAPTURE_STATES),
  /** URLs it is uploaded to, and those that have it. */
  urls: z.int(),
  uploaded: z.int(),
  attempts: z.int(),
  nextAt: Instant.nullable(),
  /** One sentence; empty where nothing failed. */
  lastError: z.string(),
  createdAt: Instant,
})
export type Capture = z.infer<typeof Capture>

/** Most rows and columns of a capture. */
export const CAPTURE_SIDE = 4096
export const NewCapture = z.object({
  /** The instance that was shown, its frame from 1. */
  sopInstanceUid: ReceivedUid,
  frame: z.int().positive(),
  rows: z.int().min(16).max(CAPTURE_SIDE),
  columns: z.int().min(16).max(CAPTURE_SIDE),
  /** Base64 of zlib-compressed RGB, rows × columns × 3 bytes, rows from the top. */
  pixels: z.base64().max(40_000_000),
  /** For DerivationDescription, such as `Window 40/400`. */
  description: z.string().trim().max(200).default(''),
})
export type NewCapture = z.input<typeof NewCapture>

/**
 * The viewer, for the page that a link or the window has opened: each call is of one view, by the
 * cookie of that view alone.
 */
export const viewing = {
  open: operation('POST /viewer/sessions', {
    // The token of the link is the proof.
    access: 'public',
    fromAnyWorkstation: true,
    summary: 'Use up the token of a link: a view begins, with a cookie of its own',
    body: z.object({ token: z.string().min(1).max(200) }),
    reply: View,
  }),
  read: operation('GET /viewer/:viewId', {
    access: 'view',
    summary: 'What the view is of',
    params: viewParams,
    reply: View,
  }),
  close: operation('POST /viewer/:viewId/close', {
    access: 'view',
    summary: 'End the view',
    params: viewParams,
    reply: Outcome,
  }),
  priors: operation('GET /viewer/:viewId/priors', {
    access: 'view',
    summary: 'Earlier studies of the patient that can be put beside',
    params: viewParams,
    reply: z.object({ priors: z.array(ViewedPrior) }),
  }),
  addPrior: operation('POST /viewer/:viewId/priors', {
    access: 'view',
    summary: 'Add an earlier study to the view: its images come in the list',
    params: viewParams,
    body: z.object({ studyInstanceUid: ReceivedUid }),
    reply: Outcome,
  }),
  extras: operation('GET /viewer/:viewId/instances/:sopInstanceUid/extras', {
    access: 'view',
    summary: 'Palette, look-up tables and overlays of an instance',
    params: instanceParams,
    reply: InstanceExtras,
  }),
  annotations: operation('GET /viewer/:viewId/studies/:studyInstanceUid/annotations', {
    access: 'view',
    summary: 'What this person has drawn on the study',
    params: viewParams.extend({ studyInstanceUid: ReceivedUid }),
    reply: Annotations,
  }),
  saveAnnotations: operation('PUT /viewer/:viewId/studies/:studyInstanceUid/annotations', {
    access: 'view',
    summary: 'Keep what this person has drawn; 422 where another window has saved since `revision`',
    params: viewParams.extend({ studyInstanceUid: ReceivedUid }),
    body: Annotations,
    reply: z.object({ revision: z.int() }),
  }),
  capture: operation('POST /viewer/:viewId/captures', {
    access: 'view',
    summary:
      'Make a Secondary Capture of what is shown: kept in the archive, and uploaded to wherever the partner says',
    params: viewParams,
    body: NewCapture,
    reply: Capture,
    status: 201,
  }),
  captures: operation('GET /viewer/:viewId/captures', {
    access: 'view',
    summary: 'Captures of this study and how they stand',
    params: viewParams,
    reply: z.object({ captures: z.array(Capture) }),
  }),
  retryCapture: operation('POST /viewer/:viewId/captures/:captureId/retry', {
    access: 'view',
    summary: 'Upload it again now',
    params: viewParams.extend({ captureId: z.uuid() }),
    reply: Capture,
  }),
} as const

/** The way into the viewer from the window. */
export const dashboardViews = {
  open: operation('POST /dashboard/views', {
    access: 'signed-in',
    summary: 'Open the images of a study: a view begins, with a cookie of its own',
    body: z.union([
      z.object({ studyId: StudyId }).strict(),
      z.object({ studyInstanceUid: ReceivedUid }).strict(),
    ]),
    reply: View,
  }),
} as const

/** Paths that answer with bytes, for whoever builds their addresses. `frame` is from 1. */
export const viewPaths = {
  page: (viewId: string) => `/viewer#${viewId}`,
  images: (viewId: string) => `/viewer/${viewId}/images`,
  /** `application/octet-stream; transfer-syntax=UID`: one frame as it is stored. */
  frame: (viewId: string, sopInstanceUid: string, frame: number) =>
    `/viewer/${viewId}/instances/${encodeURIComponent(sopInstanceUid)}/frames/${frame}`,
  media: (viewId: string, mediaId: number) => `/viewer/${viewId}/media/${mediaId}`,
} as const
