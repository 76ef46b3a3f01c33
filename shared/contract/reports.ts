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

/** What is looked at before a report is signed. */
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

/** Most characters of a report: a long one has some ten thousand. */
const REPORT_CHARACTERS = 200_000
const ReportText = z.string().max(REPORT_CHARACTERS)
const studyParams = z.object({ studyId: StudyId })
const reportParams = z.object({ reportId: ReportId })

/** A window of a person: one person may write in two, which then disagree like two people. */
const WindowId = z.uuid()

/**
 * Who has the report before them now; it runs out by itself when their window says nothing any
 * more.
 */
export const ReportLock = NamedUser.extend({ windowId: WindowId, until: Instant })
export type ReportLock = z.infer<typeof ReportLock>

/** A scribe study, before its reports. */
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
  /** Null: nothing of it was received here. */
  images: z.object({ instances: z.int(), isReceiving: z.boolean() }).nullable(),
  isCritical: z.boolean(),
  identity: StudyIdentity,
  /** Its images were made without an order. */
  isUnscheduled: z.boolean(),
  /**
   * When images that a signed report was read from were corrected; null where no addendum is
   * needed.
   */
  needsAddendumSince: Instant.nullable(),
  createdAt: Instant,
  updatedAt: Instant,
})
export type ReadingStudy = z.infer<typeof ReadingStudy>

/**
 * How a critical result was made known (ACR Practice Parameter for Communication; Joint Commission
 * NPSG.02.03.01).
 */
export const CRITICAL_METHODS = ['phone', 'in-person', 'message', 'other'] as const
export const Communication = z.object({
  communicatedTo: z.string().trim().min(2, fault('reports.told-nobody')).max(200),
  method: z.enum(CRITICAL_METHODS),
  communicatedAt: Instant,
  /** The receiver repeated it. */
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
  /** As a DICOM person name; empty where the study does not name one. */
  referringPhysicianName: z.string(),
  signedBy: NamedUser,
  openedAt: Instant,
  /** By when it has to be communicated. */
  dueAt: Instant,
  /** The steps of escalation that it has reached. */
  escalations: z.array(z.object({ step: z.literal([1, 2]), at: Instant })),
  /** When it is escalated next; null where it is communicated, or was escalated for the last time. */
  nextEscalationAt: Instant.nullable(),
  /** Null: nobody was told yet. */
  communication: Communication.extend({ recordedBy: NamedUser }).nullable(),
})
export type CriticalResult = z.infer<typeof CriticalResult>

/** How the partner's copy of a signed report stands. */
export const Delivery = z.object({
  state: z.enum(['none', 'waiting', 'delivered', 'failed', 'dropped']),
  attempts: z.int(),
  /** Of the next attempt, where one waits. */
  nextAt: Instant.nullable(),
  lastError: Message.nullable(),
  deliveredAt: Instant.nullable(),
  eventId: z.string().nullable(),
})
export type Delivery = z.infer<typeof Delivery>

/** A report or addendum, for the window: the text of a draft is in `draft`. */
export const WindowReport = z.object({
  reportId: ReportId,
  isAddendum: z.boolean(),
  status: z.enum(REPORT_STATUSES),
  author: NamedUser,
  signedAt: Instant.nullable(),
  isCritical: z.boolean().nullable(),
  /** Null while it is a draft. */
  text: z.string().nullable(),
  pages: z.int().nullable(),
  delivery: Delivery.nullable(),
  critical: CriticalResult.nullable(),
  /** DICOM copies in the archive. */
  objects: z.array(z.object({ kind: z.enum(['pdf', 'sr']), sopInstanceUid: z.string() })),
  createdAt: Instant,
})
export type WindowReport = z.infer<typeof WindowReport>

/** What is being written. */
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
 * The draft that the window shows: where another one took its place since, as of an addendum that
 * was cancelled and begun anew, that is a conflict.
 */
const DraftShown = ReportId.optional()

/**
 * The page is being closed: the window lets go of the report, and the text goes on top of what it
 * saved itself before.
 */
const LastOfWindow = z.boolean().default(false)
export const DraftRevision = z.object({
  revision: z.int(),
  at: Instant,
  savedBy: NamedUser,
  characters: z.int(),
})
export type DraftRevision = z.infer<typeof DraftRevision>

/** An earlier report, wherever it is from. */
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
  /** Null for a document whose text came inline. */
  documentId: z.int().nullable(),
  fileName: z.string(),
  mediaType: z.string(),
  /** Chunks of an inline document. */
  content: z.array(z.string()),
  /** Why it could not be fetched. */
  fault: Message.nullable(),
})

/**
 * What the partner says of the patient (clinical_context.enrichment_requested); a soft event:
 * without an answer it is empty.
 */
export const ClinicalContext = z.object({
  state: z.enum(['not-asked', 'answered', 'empty', 'failed']),
  askedAt: Instant.nullable(),
  /** Why there is none, or which parts of the answer were left out. */
  notes: z.array(Message),
  clinicalIndication: z.string(),
  technologistTechnique: z.string(),
  technologistNotes: z.array(z.string()),
  documents: z.array(ContextDocument),
})
export type ClinicalContext = z.infer<typeof ClinicalContext>

/** corrected: in their study; added: from another study; removed: to another study. */
export const IMAGE_CHANGES = ['corrected', 'added', 'removed'] as const
export type ImageChange = (typeof IMAGE_CHANGES)[number]

/** All of the reporting screen but the images. */
export const Reading = ReadingStudy.extend({
  accessionNumber: z.string(),
  /** What corrections did to the images since the last signature, the newest first. */
  imageChanges: z.array(z.object({ what: z.enum(IMAGE_CHANGES), at: Instant })),
  reports: z.array(WindowReport),
  draft: Draft.nullable(),
  context: ClinicalContext,
  priors: z.array(PriorReport),
  /** Whether the person may write here now, and why not. */
  mayWrite: z.boolean(),
  whyNot: Message.nullable(),
})
export type Reading = z.infer<typeof Reading>

/**
 * Saved, or somebody saved in between: nothing was overwritten, and both texts are there to choose
 * from.
 */
export const Saved = z.discriminatedUnion('outcome', [
  z.object({ outcome: z.literal('saved'), revision: z.int(), savedAt: Instant }),
  z.object({ outcome: z.literal('conflict'), theirs: Draft }),
])
export type Saved = z.infer<typeof Saved>

export const CheckFinding = z.object({
  check: z.enum(REPORT_CHECKS),
  /** error: cannot be signed; warning: can be, once it was looked at. */
  level: z.enum(['error', 'warning']),
  sentence: Message,
})
export type CheckFinding = z.infer<typeof CheckFinding>

export const Signed = z.discriminatedUnion('outcome', [
  z.object({ outcome: z.literal('signed'), reading: Reading }),
  /** Findings that are errors, or warnings that were not acknowledged. */
  z.object({ outcome: z.literal('checks'), findings: z.array(CheckFinding) }),
  z.object({ outcome: z.literal('conflict'), theirs: Draft }),
])
export type Signed = z.infer<typeof Signed>

/**
 * Reading and reporting, for the window; partners read the same reports at `/v1/scribe/reports`.
 * The handlers limit who may write and sign, by permissions, assignment and customers.
 */
export const dashboardReports = {
  read: operation('GET /dashboard/reading/:studyId', {
    access: 'signed-in',
    background: true,
    summary: 'One study with its reports, its draft, its clinical context and its priors',
    params: studyParams,
    reply: Reading,
  }),
  byUid: operation('GET /dashboard/reading/by-uid/:studyInstanceUid', {
    access: 'signed-in',
    summary: 'The scribe study of a UID, where there is one',
    params: z.object({ studyInstanceUid: ReceivedUid }),
    reply: z.object({ studyId: StudyId.nullable() }),
  }),
  askContext: operation('POST /dashboard/reading/:studyId/context', {
    access: 'signed-in',
    summary: 'Ask the partner for the clinical context, where it was not asked yet, or again',
    params: studyParams,
    body: z.object({ again: z.boolean().default(false) }),
    reply: ClinicalContext,
  }),
  begin: operation('POST /dashboard/reading/:studyId/draft', {
    access: 'signed-in',
    summary:
      'Begin to write, or go on: the study is in progress, its draft is there, and this window holds it',
    params: studyParams,
    body: z.object({
      windowId: WindowId,
      /** Takes the report from whoever holds it. */
      takeOver: z.boolean().default(false),
      /** What a new draft begins with. */
      text: ReportText.default(''),
      isLast: LastOfWindow,
    }),
    reply: Reading,
  }),
  save: operation('PUT /dashboard/reading/:studyId/draft', {
    access: 'signed-in',
    summary: 'Keep what is written, durably, as the revision after the one it was made of',
    params: studyParams,
    body: z.object({
      windowId: WindowId,
      reportId: DraftShown,
      revision: z.int().min(0),
      text: ReportText,
      isLast: LastOfWindow,
    }),
    reply: Saved,
  }),
  hold: operation('POST /dashboard/reading/:studyId/draft/hold', {
    access: 'signed-in',
    background: true,
    summary: 'Say that this window still writes, or that it has stopped',
    params: studyParams,
    body: z.object({ windowId: WindowId, isWriting: z.boolean() }),
    reply: z.object({ lock: ReportLock.nullable() }),
  }),
  revisions: operation('GET /dashboard/reading/:studyId/draft/revisions', {
    access: 'signed-in',
    summary: 'Revisions of the draft that are kept, newest first',
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
    summary: 'What stands against signing this text',
    params: studyParams,
    body: z.object({ text: ReportText, isCritical: z.boolean() }),
    reply: z.object({ findings: z.array(CheckFinding) }),
  }),
  sign: operation('POST /dashboard/reading/:studyId/draft/sign', {
    access: 'signed-in',
    summary:
      'Sign the revision: text, patient and PDF are frozen, and it is on its way to the partner',
    params: studyParams,
    body: z.object({
      windowId: WindowId,
      reportId: DraftShown,
      revision: z.int().min(1),
      isCritical: z.boolean(),
      /** What was found, where it is critical. */
      finding: Finding.nullable().default(null),
      /** Where somebody was told already. */
      communication: Communication.nullable().default(null),
      /** Warnings that were looked at. */
      acknowledged: z.array(z.enum(REPORT_CHECKS)).max(50).default([]),
    }),
    reply: Signed,
  }),
  overrideIdentity: operation('POST /dashboard/reading/:studyId/identity/override', {
    // It allows signing against a patient-safety warning.
    access: 'confirmed',
    summary:
      'Allow signing although the images differ from the worklist or the study, with a reason',
    params: studyParams,
    /** `differences`: as they were shown. 422 where they are others by now. */
    body: z.object({ reason: Reason, differences: z.array(IdentityDifference).min(1).max(100) }),
    reply: Reading,
  }),
  withdrawOverride: operation('DELETE /dashboard/reading/:studyId/identity/override', {
    access: 'signed-in',
    summary: 'Take the override back: signing is blocked again. 422 once a report was signed by it',
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
    summary: 'Give up the addendum that is being written',
    params: reportParams,
    reply: WindowOutcome,
  }),
  pdfLink: operation('POST /dashboard/reports/:reportId/pdf-link', {
    access: 'signed-in',
    summary: 'A link to the PDF of a signed report, good for an hour',
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
    summary: 'Critical results that nobody was told of yet, oldest first',
    reply: z.object({ criticals: z.array(CriticalResult) }),
  }),
  communicate: operation('POST /dashboard/criticals/:reportId', {
    access: 'signed-in',
    summary: 'Document that a critical result was made known',
    params: reportParams,
    body: Communication,
    reply: CriticalResult,
  }),
  ...reportTemplates,
  assign: operation('POST /dashboard/reading/:studyId/assign', {
    access: 'signed-in',
    summary: 'Assign the study to a person, or to nobody',
    params: studyParams,
    body: z.object({ userId: UserId.nullable() }),
    reply: Reading,
  }),
} as const
