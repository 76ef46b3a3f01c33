import { z } from 'zod'
import { Uid } from '../dicom-values.ts'
import { ExpressCustomerId, StudyId, UserId } from '../ids.ts'
import { VIEWER_STATUSES } from '../lifecycle.ts'
import { fault } from '../messages/issues.ts'
import { operation } from '../operation.ts'
import { Instant, Outcome, Page, pageOf } from './conventions.ts'
import { APIKeyReference, ExpressCustomerReference, UserReference } from './references.ts'
import {
  Flag,
  Metadata,
  nullableQueryValue,
  orEmpty,
  orNull,
  Severity,
  SubstringFilter,
} from './values.ts'

export const StudyDescription = z
  .string()
  .min(1, { error: fault('values.empty') })
  .max(1000)
const StudyViewerStatus = z.enum(VIEWER_STATUSES)

/** Fields that viewer and scribe studies share. */
export const studyRecord = {
  studyId: StudyId,
  studyInstanceUid: z.string(),
  studyDescription: z.string(),
  severity: Severity,
  isCancelled: z.boolean(),
  cancelledAt: Instant.nullable(),
  createdAt: Instant,
  updatedAt: Instant,
  assignedTo: UserReference.nullable(),
  createdByApiKey: APIKeyReference.nullable().optional(),
  createdByUser: UserReference.nullable().optional(),
  expressCustomer: ExpressCustomerReference.nullable().optional(),
  metadata: Metadata.optional(),
}
export const ViewerStudy = z
  .object({ ...studyRecord, studyViewerStatus: StudyViewerStatus })
  .meta({ id: 'ViewerStudy' })
export type ViewerStudy = z.infer<typeof ViewerStudy>

/** Identifies a study by its ID, its UID, or both. */
export const eitherStudy = { studyId: StudyId.optional(), studyInstanceUid: Uid.optional() }
export const studyParams = z.object({ studyId: StudyId })
export const uidParams = z.object({ studyInstanceUid: Uid })
export const TokenUrl = z.object({ url: z.url() })

export const studyFilters = {
  ...Page,
  assignedTo: nullableQueryValue(UserId),
  expressCustomerId: nullableQueryValue(ExpressCustomerId),
  isCancelled: Flag,
  severity: z.preprocess((given) => given || undefined, Severity.optional()),
  studyDescription: SubstringFilter,
}

const HANGING_LAYOUTS = [
  '1x1',
  '1x2',
  '1x3',
  '1x4',
  '2x1',
  '2x2',
  '2x3',
  '2x4',
  '3x1',
  '3x2',
  '3x3',
  '3x4',
  '4x1',
  '4x2',
  '4x3',
  '4x4',
] as const
const MAX_OPTIONS_BYTES = 3072
/** How the viewer lays out the images of a session without a study. */
export const SessionLayout = z.object({
  layout: z.enum(HANGING_LAYOUTS),
  viewportAssignments: z.array(z.string().nullable()).max(16),
})
/**
 * A session without a study. `retrievalId` and `options` are opaque and are returned to the partner
 * in `ephemeral.access_requested`.
 */
export const EphemeralSession = z.object({
  retrievalId: z.string().min(1).max(1000),
  options: orNull(
    z
      .record(z.string(), z.json())
      .refine((options) => utf8Length(JSON.stringify(options)) <= MAX_OPTIONS_BYTES, {
        error: fault('studies.options-too-long'),
        params: { maximum: MAX_OPTIONS_BYTES },
      }),
  ),
  hangingProtocol: orNull(SessionLayout),
})

function utf8Length(text: string): number {
  let bytes = 0
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x1_0000 ? 3 : 4
  }
  return bytes
}

export const viewer = {
  create: operation('POST /v1/viewer/studies', {
    access: 'viewer',
    summary: 'Create a viewer study',
    body: z.object({
      studyInstanceUid: Uid,
      studyDescription: StudyDescription,
      severity: Severity,
      assignedTo: orNull(UserId),
      expressCustomerId: orNull(ExpressCustomerId),
      metadata: orNull(Metadata),
    }),
    reply: ViewerStudy,
    status: 201,
  }),
  list: operation('GET /v1/viewer/studies', {
    access: 'viewer',
    summary: 'List viewer studies, newest first',
    query: z.object({
      ...studyFilters,
      studyViewerStatus: z.preprocess((given) => given || undefined, StudyViewerStatus.optional()),
    }),
    reply: pageOf('studies', ViewerStudy),
  }),
  read: operation('GET /v1/viewer/studies/:studyId', {
    access: 'viewer',
    summary: 'Read a viewer study',
    params: studyParams,
    reply: ViewerStudy,
  }),
  byUid: operation('GET /v1/viewer/studies/by-uid/:studyInstanceUid', {
    access: 'viewer',
    summary: 'Read a viewer study by its UID',
    params: uidParams,
    reply: ViewerStudy,
  }),
  update: operation('PATCH /v1/viewer/studies/:studyId', {
    access: 'viewer',
    summary: 'Update a viewer study',
    params: studyParams,
    body: orEmpty(
      z.object({
        assignedTo: UserId.nullable().optional(),
        metadata: Metadata.nullable().optional(),
        severity: Severity.optional(),
        studyDescription: StudyDescription.optional(),
        studyViewerStatus: StudyViewerStatus.optional(),
      }),
    ),
    reply: ViewerStudy,
  }),
  cancel: operation('POST /v1/viewer/studies/cancel', {
    access: 'viewer',
    summary: 'Cancel a study',
    body: orEmpty(z.object(eitherStudy)),
    reply: Outcome,
  }),
  uncancel: operation('POST /v1/viewer/studies/uncancel', {
    access: 'viewer',
    summary: 'Reinstate a cancelled study',
    body: orEmpty(z.object(eitherStudy)),
    reply: Outcome,
  }),
  rerouteUrl: operation('POST /v1/viewer/studies/reroute-url', {
    access: 'viewer',
    summary: 'Create a time-limited link that opens the viewer on the study',
    body: orEmpty(z.object(eitherStudy)),
    reply: TokenUrl,
  }),
  ephemeralSession: operation('POST /v1/viewer/ephemeral-sessions', {
    access: 'viewer',
    summary: 'Create a viewer session without a study',
    body: EphemeralSession,
    reply: TokenUrl,
    status: 201,
  }),
} as const
