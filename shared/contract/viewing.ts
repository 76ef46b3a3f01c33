import { z } from 'zod'
import { StudyId } from '../ids.ts'
import { Message } from '../messages/message-schema.ts'
import { operation } from '../operation.ts'
import { Instant, Outcome } from './conventions.ts'
import { NamedUser } from './people.ts'
import { STUDY_AREAS } from './settings.ts'
import { ReceivedUid } from './values.ts'
import { InstanceExtras, ViewedPrior } from './viewed-images.ts'
import { EphemeralSession } from './viewer.ts'

/**
 * viewer, reroute, viewer-only, ephemeral: by a link of that kind; window: by a signed-in person.
 */
const VIEW_KINDS = ['viewer', 'reroute', 'viewer-only', 'ephemeral', 'window'] as const
const ViewId = z.uuid()
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
  user: NamedUser.nullable(),
  /** The link is for viewing and dictation. */
  mayDictate: z.boolean(),
  hangingProtocol: EphemeralSession.shape.hangingProtocol.unwrap().nullable(),
  /** Why no secondary capture can be made; null where one can. */
  whyNoCapture: Message.nullable(),
  expiresAt: Instant,
})
export type View = z.infer<typeof View>

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
  /** Null where nothing failed. */
  lastError: Message.nullable(),
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
