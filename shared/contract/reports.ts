import { z } from 'zod'
import { ReportId, StudyId, UserId } from '../ids.ts'
import { REPORT_STATUSES, REPORT_STUDY_STATUSES } from '../lifecycle.ts'
import { fault } from '../messages/issues.ts'
import { Message } from '../messages/message-schema.ts'
import { operation } from '../operation.ts'
import { Day, Instant, WindowOutcome } from './conventions.ts'
import { IdentityDifference, StudyIdentity } from './images.ts'
import { NamedUser } from './people.ts'
import { reportTemplates } from './report-templates.ts'
import { StudyReportMetadata } from './scribe.ts'
import { Reason, ReceivedUid, Severity } from './values.ts'

/** The checks before a report is signed. */
export const REPORT_CHECKS = [
  'identity',
  'empty-text',
  'empty-impression',
  'unfilled-field',
  'laterality',
  'sex',
  'critical-wording',
  'critical-without-finding',
  'patient-changed',
] as const

export type ReportCheck = (typeof REPORT_CHECKS)[number]

/** Maximum number of characters in a report; a long one has about ten thousand. */
const MAX_REPORT_CHARACTERS = 200_000
const ReportText = z.string().max(MAX_REPORT_CHARACTERS)
const studyParams = z.object({ studyId: StudyId })
const reportParams = z.object({ reportId: ReportId })

/**
 * Identifies a window. A user may write in two windows, whose changes can conflict like those of
 * two users.
 */
const WindowId = z.uuid()

/** The user who has the report open. The lock expires when their window stops renewing it. */
export const ReportLock = NamedUser.extend({ windowId: WindowId, until: Instant })
export type ReportLock = z.infer<typeof ReportLock>

/** A scribe study without its reports. */
export const ReadingStudy = z.object({
  studyId: StudyId,
  studyInstanceUid: z.string(),
  studyDescription: z.string(),
  severity: Severity,
  status: z.enum(REPORT_STUDY_STATUSES),
  isCancelled: z.boolean(),
  reportMetadata: StudyReportMetadata,
  assignedTo: NamedUser.nullable(),
  lock: ReportLock.nullable(),
  /** Null if no images were received here. */
  images: z.object({ instances: z.int(), isReceiving: z.boolean() }).nullable(),
  isCritical: z.boolean(),
  identity: StudyIdentity,
  /** Whether its images were made without an order. */
  isUnscheduled: z.boolean(),
  /**
   * When images were corrected after a report on them was signed; null if no addendum is needed.
   */
  needsAddendumSince: Instant.nullable(),
  createdAt: Instant,
  updatedAt: Instant,
})
export type ReadingStudy = z.infer<typeof ReadingStudy>

/**
 * How a critical result was communicated (ACR Practice Parameter for Communication; Joint
 * Commission NPSG.02.03.01).
 */
export const CRITICAL_METHODS = ['phone', 'in-person', 'message', 'other'] as const
export const Communication = z.object({
  communicatedTo: z.string().trim().min(2, fault('reports.told-nobody')).max(200),
  method: z.enum(CRITICAL_METHODS),
  communicatedAt: Instant,
  /** Whether the recipient read it back. */
  isReadBack: z.boolean(),
  note: z.string().trim().max(1000).default(''),
})
export type Communication = z.infer<typeof Communication>
const Finding = z.string().trim().min(3, fault('reports.finding-missing')).max(1000)

export const CriticalResult = z.object({
  reportId: ReportId,
  studyId: StudyId,
  studyInstanceUid: z.string(),
  studyDescription: z.string(),
  patientName: z.string(),
  finding: Finding,
  /** PN value; empty if the study has none. */
  referringPhysicianName: z.string(),
  signedBy: NamedUser,
  openedAt: Instant,
  /** Deadline for the communication. */
  dueAt: Instant,
  /** Escalation steps taken so far. */
  escalations: z.array(z.object({ step: z.literal([1, 2]), at: Instant })),
  /** Time of the next escalation; null if it is communicated or no step is left. */
  nextEscalationAt: Instant.nullable(),
  /** Null if it has not been communicated. */
  communication: Communication.extend({ recordedBy: NamedUser }).nullable(),
})
export type CriticalResult = z.infer<typeof CriticalResult>

/** The delivery of a signed report to the partner. */
export const Delivery = z.object({
  state: z.enum(['none', 'waiting', 'delivered', 'failed', 'dropped']),
  attempts: z.int(),
  /** When the next attempt is made; null if there is none. */
  nextAt: Instant.nullable(),
  lastError: Message.nullable(),
  deliveredAt: Instant.nullable(),
  eventId: z.string().nullable(),
})
export type Delivery = z.infer<typeof Delivery>

/** A report or addendum, for the window. The text of a draft is in `draft`. */
export const WindowReport = z.object({
  reportId: ReportId,
  isAddendum: z.boolean(),
  status: z.enum(REPORT_STATUSES),
  author: NamedUser,
  signedAt: Instant.nullable(),
  isCritical: z.boolean().nullable(),
  /** Null for a draft. */
  text: z.string().nullable(),
  pages: z.int().nullable(),
  delivery: Delivery.nullable(),
  critical: CriticalResult.nullable(),
  /** DICOM copies in the archive. */
  objects: z.array(z.object({ kind: z.enum(['pdf', 'sr']), sopInstanceUid: z.string() })),
  createdAt: Instant,
})
export type WindowReport = z.infer<typeof WindowReport>

/** A draft report or addendum. */
export const Draft = z.object({
  reportId: ReportId,
  isAddendum: z.boolean(),
  revision: z.int(),
  text: z.string(),
  savedAt: Instant,
  savedBy: NamedUser,
})
export type Draft = z.infer<typeof Draft>

/**
 * The draft that the window shows. If another draft has replaced it, such as after an addendum was
 * cancelled and started again, that is a conflict.
 */
const ShownDraftId = ReportId.optional()

/**
 * Set when the page is being closed: the window releases the report, and the text is saved on top
 * of revisions that the same window saved.
 */
const IsLastSave = z.boolean().default(false)
export const DraftRevision = z.object({
  revision: z.int(),
  at: Instant,
  savedBy: NamedUser,
  characters: z.int(),
})
export type DraftRevision = z.infer<typeof DraftRevision>

/** A prior report from any source. */
export const PriorReport = z.object({
  source: z.enum(['here', 'partner', 'context']),
  studyId: StudyId.nullable(),
  studyInstanceUid: z.string().nullable(),
  studyDescription: z.string(),
  modality: z.string(),
  studyDate: Day.nullable(),
  text: z.string(),
})
export type PriorReport = z.infer<typeof PriorReport>

const ContextDocument = z.object({
  /** Null for a document whose text was part of the response. */
  documentId: z.int().nullable(),
  fileName: z.string(),
  mediaType: z.string(),
  /** Text of an inline document. */
  content: z.array(z.string()),
  /** Why it could not be downloaded. */
  fault: Message.nullable(),
})

/**
 * The partner's clinical context of a patient (clinical_context.enrichment_requested). It is empty
 * if the partner does not answer.
 */
export const ClinicalContext = z.object({
  state: z.enum(['not-asked', 'answered', 'empty', 'failed']),
  askedAt: Instant.nullable(),
  /** Why there is none, or which parts of the response were left out. */
  notes: z.array(Message),
  clinicalIndication: z.string(),
  /** As the partner gave it with the study. */
  clinicalHistory: z.string(),
  technologistTechnique: z.string(),
  technologistNotes: z.array(z.string()),
  documents: z.array(ContextDocument),
})
export type ClinicalContext = z.infer<typeof ClinicalContext>

/**
 * corrected: within the study; added: moved from another study; removed: moved to another study.
 */
export const IMAGE_CHANGES = ['corrected', 'added', 'removed'] as const
export type ImageChange = (typeof IMAGE_CHANGES)[number]

/** The data of the reporting screen, without images. */
export const Reading = ReadingStudy.extend({
  accessionNumber: z.string(),
  /** Changes of the images by corrections since the last signature, newest first. */
  imageChanges: z.array(z.object({ what: z.enum(IMAGE_CHANGES), at: Instant })),
  reports: z.array(WindowReport),
  draft: Draft.nullable(),
  context: ClinicalContext,
  priors: z.array(PriorReport),
  /** Whether the user may write now, and if not, why. */
  mayWrite: z.boolean(),
  whyNot: Message.nullable(),
})
export type Reading = z.infer<typeof Reading>

/**
 * Saved, or a conflict, because the draft was saved in the meantime: nothing was overwritten, and
 * both texts are available.
 */
export const SaveOutcome = z.discriminatedUnion('outcome', [
  z.object({ outcome: z.literal('saved'), revision: z.int(), savedAt: Instant }),
  z.object({ outcome: z.literal('conflict'), theirs: Draft }),
])
export type SaveOutcome = z.infer<typeof SaveOutcome>

export const CheckFinding = z.object({
  check: z.enum(REPORT_CHECKS),
  /**
   * error: the report cannot be signed; warning: it can be signed once the warning was
   * acknowledged.
   */
  level: z.enum(['error', 'warning']),
  sentence: Message,
})
export type CheckFinding = z.infer<typeof CheckFinding>

export const Signed = z.discriminatedUnion('outcome', [
  z.object({ outcome: z.literal('signed'), reading: Reading }),
  /** Errors, or warnings that were not acknowledged. */
  z.object({ outcome: z.literal('checks'), findings: z.array(CheckFinding) }),
  z.object({ outcome: z.literal('conflict'), theirs: Draft }),
])
export type Signed = z.infer<typeof Signed>

/**
 * Reporting, for the window; partners read the same reports at `/v1/scribe/reports`. The handlers
 * restrict who may write and sign by permissions, assignment and customers.
 */
export const dashboardReports = {
  read: operation('GET /dashboard/reading/:studyId', {
    access: 'signed-in',
    background: true,
    summary: 'A study with its reports, draft, clinical context and prior reports',
    params: studyParams,
    reply: Reading,
  }),
  byUid: operation('GET /dashboard/reading/by-uid/:studyInstanceUid', {
    access: 'signed-in',
    summary: 'The scribe study with this UID, if there is one',
    params: z.object({ studyInstanceUid: ReceivedUid }),
    reply: z.object({ studyId: StudyId.nullable() }),
  }),
  askContext: operation('POST /dashboard/reading/:studyId/context', {
    access: 'signed-in',
    summary:
      'Request the clinical context from the partner, unless it was requested before, or again',
    params: studyParams,
    body: z.object({ again: z.boolean().default(false) }),
    reply: ClinicalContext,
  }),
  begin: operation('POST /dashboard/reading/:studyId/draft', {
    access: 'signed-in',
    summary:
      'Start or continue writing: creates the draft, sets the study to in progress, and locks the draft for this window',
    params: studyParams,
    body: z.object({
      windowId: WindowId,
      /** Takes the report over from another user. */
      takeOver: z.boolean().default(false),
      /** Initial text of a new draft. */
      text: ReportText.default(''),
      isLast: IsLastSave,
    }),
    reply: Reading,
  }),
  save: operation('PUT /dashboard/reading/:studyId/draft', {
    access: 'signed-in',
    summary: 'Save the text durably as a new revision, based on the given one',
    params: studyParams,
    body: z.object({
      windowId: WindowId,
      reportId: ShownDraftId,
      revision: z.int().min(0),
      text: ReportText,
      isLast: IsLastSave,
    }),
    reply: SaveOutcome,
  }),
  hold: operation('POST /dashboard/reading/:studyId/draft/hold', {
    access: 'signed-in',
    background: true,
    summary: 'Renew or release the lock of this window',
    params: studyParams,
    body: z.object({ windowId: WindowId, isWriting: z.boolean() }),
    reply: z.object({ lock: ReportLock.nullable() }),
  }),
  revisions: operation('GET /dashboard/reading/:studyId/draft/revisions', {
    access: 'signed-in',
    summary: 'Stored revisions of the draft, newest first',
    params: studyParams,
    reply: z.object({ revisions: z.array(DraftRevision) }),
  }),
  revision: operation('GET /dashboard/reading/:studyId/draft/revisions/:revision', {
    access: 'signed-in',
    summary: 'The text of a revision',
    params: studyParams.extend({ revision: z.coerce.number().int().positive() }),
    reply: Draft,
  }),
  check: operation('POST /dashboard/reading/:studyId/draft/check', {
    access: 'signed-in',
    summary: 'Findings that affect signing this text',
    params: studyParams,
    body: z.object({ text: ReportText, isCritical: z.boolean() }),
    reply: z.object({ findings: z.array(CheckFinding) }),
  }),
  sign: operation('POST /dashboard/reading/:studyId/draft/sign', {
    access: 'signed-in',
    summary:
      'Sign the revision: text, patient and PDF are stored permanently, and the report is queued for delivery',
    params: studyParams,
    body: z.object({
      windowId: WindowId,
      reportId: ShownDraftId,
      revision: z.int().min(1),
      isCritical: z.boolean(),
      /** The finding, if the report is critical. */
      finding: Finding.nullable().default(null),
      /** The communication, if a clinician has already been notified. */
      communication: Communication.nullable().default(null),
      /** Acknowledged warnings. */
      acknowledged: z.array(z.enum(REPORT_CHECKS)).max(50).default([]),
    }),
    reply: Signed,
  }),
  overrideIdentity: operation('POST /dashboard/reading/:studyId/identity/override', {
    // Confirmation is required, because it allows signing in spite of a patient safety warning.
    access: 'confirmed',
    summary:
      'Allow signing although the images differ from the worklist or the study, with a reason',
    params: studyParams,
    /** `differences` are those that were shown; 422 if they have changed. */
    body: z.object({ reason: Reason, differences: z.array(IdentityDifference).min(1).max(100) }),
    reply: Reading,
  }),
  withdrawOverride: operation('DELETE /dashboard/reading/:studyId/identity/override', {
    access: 'signed-in',
    summary:
      'Withdraw the override: signing is blocked again. 422 once a report was signed under it',
    params: studyParams,
    reply: Reading,
  }),
  startAddendum: operation('POST /dashboard/reports/:reportId/addendum', {
    access: 'signed-in',
    summary: 'Start an addendum to a signed report',
    params: reportParams,
    reply: WindowOutcome,
  }),
  cancelAddendum: operation('POST /dashboard/reports/:reportId/cancel-addendum', {
    access: 'signed-in',
    summary: 'Discard the draft addendum',
    params: reportParams,
    reply: WindowOutcome,
  }),
  pdfLink: operation('POST /dashboard/reports/:reportId/pdf-link', {
    access: 'signed-in',
    summary: 'A link to the PDF of a signed report, valid for an hour',
    params: reportParams,
    reply: z.object({ url: z.url() }),
  }),
  send: operation('POST /dashboard/reports/:reportId/send', {
    access: 'signed-in',
    summary: 'Send the DICOM copies of a signed report to a destination',
    params: reportParams,
    body: z.object({ destinationId: z.uuid() }),
    reply: WindowOutcome,
  }),
  criticals: operation('GET /dashboard/criticals', {
    access: 'signed-in',
    background: true,
    summary: 'Critical results that have not been communicated, oldest first',
    reply: z.object({ criticals: z.array(CriticalResult) }),
  }),
  communicate: operation('POST /dashboard/criticals/:reportId', {
    access: 'signed-in',
    summary: 'Document the communication of a critical result',
    params: reportParams,
    body: Communication,
    reply: CriticalResult,
  }),
  ...reportTemplates,
  assign: operation('POST /dashboard/reading/:studyId/assign', {
    access: 'signed-in',
    summary: 'Assign the study to a user, or unassign it',
    params: studyParams,
    body: z.object({ userId: UserId.nullable() }),
    reply: Reading,
  }),
} as const
