import { z } from 'zod'
import { StudyId } from '../ids.ts'
import { Message } from '../messages/message-schema.ts'
import { operation } from '../operation.ts'
import { Instant, Outcome } from './conventions.ts'
import { PriorRetrieval } from './destinations.ts'
import { ArchivePrior, HangingProtocols } from './hanging-protocols.ts'
import { NamedUser } from './people.ts'
import { ReferencingObject } from './referencing-objects.ts'
import { DrawingChanges, SavedDrawings } from './saved-drawings.ts'
import { STUDY_AREAS } from './settings.ts'
import { ReceivedUid } from './values.ts'
import { InstanceExtras, ViewedPrior } from './viewed-images.ts'
import { ElementList, StructuredReport, Waveforms } from './viewed-objects.ts'
import { SessionLayout } from './viewer.ts'

/**
 * viewer, reroute, viewer-only, ephemeral: opened by a link of that kind; window: opened by a
 * signed-in user.
 */
const VIEW_KINDS = ['viewer', 'reroute', 'viewer-only', 'ephemeral', 'window'] as const
const ViewId = z.uuid()
const viewParams = z.object({ viewId: ViewId })
const instanceParams = z.object({ viewId: ViewId, sopInstanceUid: ReceivedUid })

/**
 * A session of the viewer: for one study, or for images that a partner supplies without a study.
 */
export const View = z.object({
  viewId: ViewId,
  kind: z.enum(VIEW_KINDS),
  area: z.enum(STUDY_AREAS).nullable(),
  studyId: StudyId.nullable(),
  /** Null for an ephemeral session. */
  studyInstanceUid: z.string().nullable(),
  studyDescription: z.string(),
  /** The user it is for; null if the link specifies none. */
  user: NamedUser.nullable(),
  /** Whether dictation is allowed. */
  mayDictate: z.boolean(),
  hangingProtocol: SessionLayout.nullable(),
  /** Why no secondary capture can be made and no drawing saved to the study; null if they can. */
  whyNoCapture: Message.nullable(),
  /** Why DICOM files cannot be downloaded; null if they can. */
  whyNoExport: Message.nullable(),
  expiresAt: Instant,
})
export type View = z.infer<typeof View>

/**
 * Where prior studies were looked for. archive: all studies here that the user may see; link: only
 * those that the study of the link names; unidentified: the study has no patient ID to compare.
 */
export const PRIOR_SCOPES = ['archive', 'link', 'unidentified'] as const

/** A retrieval of a prior study, as the viewer shows it. */
const Retrieval = PriorRetrieval.pick({
  ...{ studyInstanceUid: true, destinationName: true, state: true },
  ...{ completed: true, failed: true, remaining: true, detail: true },
})
export type Retrieval = z.infer<typeof Retrieval>

/** Maximum number of characters of the annotations of a user on a study, as JSON. */
export const MAX_ANNOTATION_CHARACTERS = 1_000_000
export const Annotations = z.object({
  /** 0 if there are none yet; incremented at each save. */
  revision: z.int(),
  /** The annotations in the viewer's format, which the gateway does not interpret. */
  annotations: z.array(z.json()).max(5000),
})
export type Annotations = z.infer<typeof Annotations>

export const CAPTURE_STATES = ['waiting', 'uploading', 'done', 'failed', 'kept'] as const

/**
 * A secondary capture and the state of its upload. waiting: to be uploaded or retried; kept: in the
 * archive only, because no partner receives it.
 */
export const Capture = z.object({
  captureId: z.uuid(),
  sopInstanceUid: z.string(),
  state: z.enum(CAPTURE_STATES),
  /** Number of upload URLs, and of those that have accepted it. */
  urls: z.int(),
  uploaded: z.int(),
  attempts: z.int(),
  nextAt: Instant.nullable(),
  /** The last error; null if there was none. */
  lastError: Message.nullable(),
  createdAt: Instant,
})
export type Capture = z.infer<typeof Capture>

/** Maximum number of rows and of columns of a capture. */
export const MAX_CAPTURE_SIDE = 4096
export const NewCapture = z.object({
  /** The captured instance, and its frame from 1. */
  sopInstanceUid: ReceivedUid,
  frame: z.int().positive(),
  rows: z.int().min(16).max(MAX_CAPTURE_SIDE),
  columns: z.int().min(16).max(MAX_CAPTURE_SIDE),
  /** Base64 of zlib-compressed RGB, rows × columns × 3 bytes, starting with the top row. */
  pixels: z.base64().max(40_000_000),
  /** For Derivation Description, such as `Window 40/400`. */
  description: z.string().trim().max(200).default(''),
})
export type NewCapture = z.input<typeof NewCapture>

/**
 * Operations of the viewer page, which is opened by a link or from the window. Each call is for one
 * view and is authorized by the cookie of that view.
 */
export const viewing = {
  open: operation('POST /viewer/sessions', {
    // The token of the link authorizes the call.
    access: 'public',
    fromAnyWorkstation: true,
    summary: 'Redeem the token of a link: starts a view with its own cookie',
    body: z.object({ token: z.string().min(1).max(200) }),
    reply: View,
  }),
  read: operation('GET /viewer/:viewId', {
    access: 'view',
    summary: 'The view',
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
    summary: 'Prior studies of the patient that can be added for comparison',
    params: viewParams,
    reply: z.object({
      priors: z.array(ViewedPrior),
      scope: z.enum(PRIOR_SCOPES),
      /** Whether other archives can be queried from this view. */
      canQuery: z.boolean(),
    }),
  }),
  queryPriors: operation('POST /viewer/:viewId/priors/query', {
    access: 'view',
    summary: 'Query the archives from which the gateway retrieves for prior studies of the patient',
    params: viewParams,
    reply: z.object({
      studies: z.array(ArchivePrior),
      /** The archives that did not answer, and why. */
      faults: z.array(z.object({ destinationName: z.string(), explanation: Message })),
    }),
  }),
  retrievePrior: operation('POST /viewer/:viewId/priors/retrieve', {
    access: 'view',
    summary: 'Retrieve a prior study from an archive (C-MOVE to this gateway)',
    params: viewParams,
    body: z.object({ destinationId: z.uuid(), studyInstanceUid: ReceivedUid }),
    reply: Retrieval,
  }),
  retrievals: operation('GET /viewer/:viewId/priors/retrievals', {
    access: 'view',
    background: true,
    summary: 'State of the retrievals of prior studies, newest first',
    params: viewParams,
    reply: z.object({ retrievals: z.array(Retrieval) }),
  }),
  addPrior: operation('POST /viewer/:viewId/priors', {
    access: 'view',
    summary: 'Add a prior study to the view: its images are added to the list',
    params: viewParams,
    body: z.object({ studyInstanceUid: ReceivedUid }),
    reply: Outcome,
  }),
  extras: operation('GET /viewer/:viewId/instances/:sopInstanceUid/extras', {
    access: 'view',
    summary: 'Palette, lookup tables and overlays of an instance',
    params: instanceParams,
    reply: InstanceExtras,
  }),
  report: operation('GET /viewer/:viewId/instances/:sopInstanceUid/report', {
    access: 'view',
    summary: 'Contents of a structured report or key object selection',
    params: instanceParams,
    reply: StructuredReport,
  }),
  waveforms: operation('GET /viewer/:viewId/instances/:sopInstanceUid/waveforms', {
    access: 'view',
    summary: 'Waveforms of an object such as an ECG, in physical units',
    params: instanceParams,
    reply: Waveforms,
  }),
  elements: operation('GET /viewer/:viewId/instances/:sopInstanceUid/elements', {
    access: 'view',
    summary: 'Elements of the data set of an instance; audited',
    params: instanceParams,
    reply: ElementList,
  }),
  referencing: operation('GET /viewer/:viewId/instances/:sopInstanceUid/referencing', {
    access: 'view',
    summary: 'A presentation state, segmentation or structure set, and the images it refers to',
    params: instanceParams,
    reply: ReferencingObject,
  }),
  annotations: operation('GET /viewer/:viewId/studies/:studyInstanceUid/annotations', {
    access: 'view',
    summary: 'Annotations of this user on the study',
    params: viewParams.extend({ studyInstanceUid: ReceivedUid }),
    reply: Annotations,
  }),
  saveAnnotations: operation('PUT /viewer/:viewId/studies/:studyInstanceUid/annotations', {
    access: 'view',
    summary: 'Save annotations; 422 if another window has saved since `revision`',
    params: viewParams.extend({ studyInstanceUid: ReceivedUid }),
    body: Annotations,
    reply: z.object({ revision: z.int() }),
  }),
  hangingProtocols: operation('GET /viewer/:viewId/hanging-protocols', {
    access: 'view',
    summary: 'Hanging protocols of this user; none if the link names no user',
    params: viewParams,
    reply: HangingProtocols,
  }),
  saveHangingProtocols: operation('PUT /viewer/:viewId/hanging-protocols', {
    access: 'view',
    summary: 'Save all hanging protocols of this user; 422 if another window has saved since',
    params: viewParams,
    body: HangingProtocols,
    reply: z.object({ revision: z.int() }),
  }),
  savedDrawings: operation('GET /viewer/:viewId/studies/:studyInstanceUid/saved-drawings', {
    access: 'view',
    summary: 'Drawings and key images that are stored with the study as DICOM objects',
    params: viewParams.extend({ studyInstanceUid: ReceivedUid }),
    reply: SavedDrawings,
  }),
  saveDrawings: operation('POST /viewer/:viewId/studies/:studyInstanceUid/saved-drawings', {
    access: 'view',
    summary:
      'Store the next version of the drawings and key images of the study as DICOM objects in the archive',
    params: viewParams.extend({ studyInstanceUid: ReceivedUid }),
    body: DrawingChanges,
    reply: SavedDrawings,
    status: 201,
  }),
  capture: operation('POST /viewer/:viewId/captures', {
    access: 'view',
    summary:
      'Create a secondary capture: stored in the archive, and uploaded to the URLs that the partner returns',
    params: viewParams,
    body: NewCapture,
    reply: Capture,
    status: 201,
  }),
  captures: operation('GET /viewer/:viewId/captures', {
    access: 'view',
    summary: 'Captures of this study and their state',
    params: viewParams,
    reply: z.object({ captures: z.array(Capture) }),
  }),
  retryCapture: operation('POST /viewer/:viewId/captures/:captureId/retry', {
    access: 'view',
    summary: 'Retry the upload of a capture now',
    params: viewParams.extend({ captureId: z.uuid() }),
    reply: Capture,
  }),
} as const

/** Opens the viewer from the window. */
export const dashboardViews = {
  open: operation('POST /dashboard/views', {
    access: 'signed-in',
    summary: 'Open the images of a study: starts a view with its own cookie',
    body: z.union([
      z.object({ studyId: StudyId }).strict(),
      z.object({ studyInstanceUid: ReceivedUid }).strict(),
    ]),
    reply: View,
  }),
} as const
