import { z } from 'zod'
import { Message } from '../messages/message-schema.ts'
import { operation } from '../operation.ts'
import { Day, Instant, Outcome } from './conventions.ts'
import { Exam, ExamSource } from './dashboard-exams.ts'
import { IDENTITY_STATES, ImageStudySummary } from './images.ts'
import { Reason } from './values.ts'

/**
 * Maximum number of days in a range, so that the list stays manageable; answers of the partner are
 * stored for longer.
 */
export const MAX_RECONCILED_DAYS = 14
/**
 * Maximum number of exams in a reply. The oldest come first, so that the others follow when those
 * are done.
 */
export const MAX_RECONCILED_EXAMS = 200

/**
 * Identifies a step of the worklist, like `correction-targets`: its day, and its identifiers within
 * the day.
 */
export const OrderId = z.string().min(11).max(200)
/**
 * Returns the order ID of a step of the worklist.
 * @param day `YYYY-MM-DD`
 */
export const orderIdOf = (
  day: string,
  studyInstanceUid: string,
  scheduledProcedureStepId: string,
): string => `${day} ${studyInstanceUid} ${scheduledProcedureStepId}`

export const MATCH_FIELDS = [
  ...(['accessionNumber', 'patientId', 'patientName', 'patientBirthDate', 'patientSex'] as const),
  ...(['modality', 'time', 'device'] as const),
] as const
/**
 * The comparison of a field between an order and an exam. similar: a name with typing errors, or a
 * time within a few hours; unknown: the value is missing in one of them.
 */
export const Match = z.object({
  field: z.enum(MATCH_FIELDS),
  result: z.enum(['same', 'similar', 'different', 'unknown']),
  /** DICOM text; a time is `YYYYMMDD HHMM`. */
  order: z.string(),
  exam: z.string(),
})
export type Match = z.infer<typeof Match>

/** An order for which an exam may have been done. */
export const OrderCandidate = z.object({
  orderId: OrderId,
  matches: z.array(Match),
  /**
   * link: the images belong to the patient of the order; correct: they differ, and can be corrected
   * to the order; none: neither is possible, because of `obstacle`.
   */
  action: z.enum(['link', 'correct', 'none']),
  obstacle: Message.nullable(),
})
export type OrderCandidate = z.infer<typeof OrderCandidate>

export const RECONCILED_ORDER_FIELDS = [
  ...(['studyInstanceUid', 'scheduledProcedureStepId', 'accessionNumber', 'modality'] as const),
  ...(['patientName', 'patientId', 'patientBirthDate', 'patientSex', 'description'] as const),
] as const

/** A user's decision about an exam without an order, or an order without images. */
export const ReconciliationDecision = z.object({
  decisionId: z.int(),
  kind: z.enum(['link', 'keep', 'not-done']),
  /** Empty for a link. */
  reason: z.string(),
  /** The order of a link, as it was at that time. */
  order: z
    .object({ accessionNumber: z.string(), patientName: z.string(), description: z.string() })
    .nullable(),
  at: Instant,
  by: z.string(),
  /** Why it can no longer be undone; null if it can. */
  undoObstacle: Message.nullable(),
})
export type ReconciliationDecision = z.infer<typeof ReconciliationDecision>

/** An exam whose images belong to no order. */
export const UnscheduledExam = z.object({
  ...ImageStudySummary.pick({
    ...({
      studyInstanceUid: true,
      patientName: true,
      patientId: true,
      patientBirthDate: true,
    } as const),
    ...({
      patientSex: true,
      accessionNumber: true,
      studyDescription: true,
      studyDate: true,
    } as const),
    ...({ studyTime: true, modalities: true, instances: true, deviceName: true } as const),
    ...({ callingAeTitle: true, firstInstanceAt: true } as const),
  }).shape,
  identity: z.enum(IDENTITY_STATES),
  /** The most likely orders, best first, at most five; empty once a decision was made. */
  candidates: z.array(OrderCandidate),
  decision: ReconciliationDecision.nullable(),
})
export type UnscheduledExam = z.infer<typeof UnscheduledExam>

/** An order without images. */
export const OpenOrder = z.object({
  orderId: OrderId,
  /** `YYYY-MM-DD`. */
  day: z.string(),
  ...Exam.pick({
    ...({
      studyInstanceUid: true,
      scheduledProcedureStepId: true,
      patientName: true,
      patientId: true,
    } as const),
    ...({
      patientBirthDate: true,
      patientSex: true,
      accessionNumber: true,
      modality: true,
    } as const),
    ...({
      description: true,
      location: true,
      startTime: true,
      state: true,
      withheld: true,
    } as const),
  }).shape,
  /**
   * Names of the devices that were sent the order. Without a Study Instance UID, no decision about
   * it is possible.
   */
  devices: z.array(z.string()),
  decision: ReconciliationDecision.nullable(),
})
export type OpenOrder = z.infer<typeof OpenOrder>

export const Reconciliation = z.object({
  /** Days in the clinic's time zone, both inclusive. */
  from: z.string(),
  to: z.string(),
  today: z.string(),
  /** The last days on which the partner was unreachable; null if there were none recently. */
  outage: z.object({ from: z.string(), to: z.string() }).nullable(),
  days: z.array(
    z.object({
      day: z.string(),
      source: ExamSource,
      /** Whether the partner is reachable, but was last asked for this day before the outage. */
      isOld: z.boolean(),
    }),
  ),
  /** Exams, oldest first, including those with a decision. */
  exams: z.array(UnscheduledExam),
  /** Whether there are more exams; choose fewer days. */
  isCut: z.boolean(),
  orders: z.array(OpenOrder),
})
export type Reconciliation = z.infer<typeof Reconciliation>

const examBody = { studyInstanceUid: z.string().min(1).max(64) }

/**
 * Matching of exams with orders after an outage of the partner. Orders contain every patient; the
 * handlers require permission to manage studies for each decision.
 */
export const dashboardReconciliation = {
  read: operation('GET /dashboard/reconciliation', {
    access: 'every-patient',
    background: true,
    summary: 'Exams without an order, and orders without images',
    query: z.object({
      /** Default: the first day of the last outage of the partner, otherwise today. */
      from: Day.optional(),
      /** Default: today. */
      to: Day.optional(),
    }),
    reply: Reconciliation,
  }),
  link: operation('POST /dashboard/reconciliation/links', {
    access: 'every-patient',
    summary: 'Link an exam to an order; the images belong to the same patient and are not changed',
    body: z.object({ ...examBody, orderId: OrderId }),
    reply: ReconciliationDecision,
  }),
  keep: operation('POST /dashboard/reconciliation/kept', {
    access: 'every-patient',
    summary: 'Keep an exam as unscheduled, with a reason; the partner is asked about it again',
    body: z.object({ ...examBody, reason: Reason }),
    reply: ReconciliationDecision,
  }),
  notDone: operation('POST /dashboard/reconciliation/not-done', {
    access: 'every-patient',
    summary: 'Mark an order as not done; the partner is not informed',
    body: z.object({ orderId: OrderId, reason: Reason }),
    reply: ReconciliationDecision,
  }),
  undo: operation('POST /dashboard/reconciliation/decisions/:decisionId/undo', {
    access: 'every-patient',
    summary: 'Undo a decision, unless a report has been signed since',
    params: z.object({ decisionId: z.coerce.number().int().positive() }),
    reply: Outcome,
  }),
} as const
