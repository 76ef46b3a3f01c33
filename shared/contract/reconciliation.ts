import { z } from 'zod'
import { Message } from '../messages/message-schema.ts'
import { operation } from '../operation.ts'
import { Day, Instant, Outcome } from './conventions.ts'
import { Exam, ExamSource } from './dashboard-exams.ts'
import { IDENTITY_STATES, ImageStudySummary } from './images.ts'
import { Reason } from './values.ts'

/**
 * Most days of a range: answers of the partner are kept for longer, but nobody looks through more
 * at a time.
 */
export const MOST_RECONCILED_DAYS = 14
/** Most exams of a reply; the oldest first, so that the rest follows once those are done. */
export const MOST_RECONCILED_EXAMS = 200

/**
 * Names a step of the worklist, as `correction-targets` does: its day, and what tells it from
 * others of the day.
 */
export const OrderId = z.string().min(11).max(200)
/** The order id of a step of the worklist. @param day `YYYY-MM-DD` */
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
 * What an order and an exam say of the same thing. similar: a name with other letters, a time
 * within some hours; unknown: one of them does not say.
 */
export const Match = z.object({
  field: z.enum(MATCH_FIELDS),
  result: z.enum(['same', 'similar', 'different', 'unknown']),
  /** DICOM text; of a time `YYYYMMDD HHMM`. */
  order: z.string(),
  exam: z.string(),
})
export type Match = z.infer<typeof Match>

/** An order that an exam may have been done for. */
export const OrderCandidate = z.object({
  orderId: OrderId,
  matches: z.array(Match),
  /**
   * link: the images name the patient of the order; correct: they differ, and are corrected to the
   * order; none: it cannot be either, because of `obstacle`.
   */
  action: z.enum(['link', 'correct', 'none']),
  obstacle: Message.nullable(),
})
export type OrderCandidate = z.infer<typeof OrderCandidate>

export const RECONCILED_ORDER_FIELDS = [
  ...(['studyInstanceUid', 'scheduledProcedureStepId', 'accessionNumber', 'modality'] as const),
  ...(['patientName', 'patientId', 'patientBirthDate', 'patientSex', 'description'] as const),
] as const

/** What a person decided about an exam without an order, or an order without images. */
export const ReconciliationDecision = z.object({
  decisionId: z.int(),
  kind: z.enum(['link', 'keep', 'not-done']),
  /** Empty for a link. */
  reason: z.string(),
  /** The order of a link, as it was then. */
  order: z
    .object({ accessionNumber: z.string(), patientName: z.string(), description: z.string() })
    .nullable(),
  at: Instant,
  by: z.string(),
  /** Why it cannot be undone any more; null where it can. */
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
  /** The most probable first, at most five; none once it was decided. */
  candidates: z.array(OrderCandidate),
  decision: ReconciliationDecision.nullable(),
})
export type UnscheduledExam = z.infer<typeof UnscheduledExam>

/** An order for which no images came. */
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
   * Names of devices that were sent it. Without a Study Instance UID nothing can be decided on it.
   */
  devices: z.array(z.string()),
  decision: ReconciliationDecision.nullable(),
})
export type OpenOrder = z.infer<typeof OpenOrder>

export const Reconciliation = z.object({
  /** Days of the clinic, both included. */
  from: z.string(),
  to: z.string(),
  today: z.string(),
  /** The last days on which the partner could not be asked; null where there were none of late. */
  outage: z.object({ from: z.string(), to: z.string() }).nullable(),
  days: z.array(
    z.object({
      day: z.string(),
      source: ExamSource,
      /** The partner answers, and was last asked for this day before it could not be reached. */
      isOld: z.boolean(),
    }),
  ),
  /** The first of the range first, those that were decided too. */
  exams: z.array(UnscheduledExam),
  /** There are more of them: choose fewer days. */
  isCut: z.boolean(),
  orders: z.array(OpenOrder),
})
export type Reconciliation = z.infer<typeof Reconciliation>

const examBody = { studyInstanceUid: z.string().min(1).max(64) }

/**
 * After a time without the partner: what was done beside what was ordered. Orders name every
 * patient; the handlers require permission to manage studies for each decision.
 */
export const dashboardReconciliation = {
  read: operation('GET /dashboard/reconciliation', {
    access: 'every-patient',
    background: true,
    summary: 'Exams that were done without an order, and orders for which no images came',
    query: z.object({
      /** Absent: the first of the last days without the partner, else today. */
      from: Day.optional(),
      /** Absent: today. */
      to: Day.optional(),
    }),
    reply: Reconciliation,
  }),
  link: operation('POST /dashboard/reconciliation/links', {
    access: 'every-patient',
    summary: 'Give an exam its order; the images name the same patient and are not changed',
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
    summary: 'Note that an order was not done; the partner is not informed',
    body: z.object({ orderId: OrderId, reason: Reason }),
    reply: ReconciliationDecision,
  }),
  undo: operation('POST /dashboard/reconciliation/decisions/:decisionId/undo', {
    access: 'every-patient',
    summary: 'Undo a decision, as long as no report was signed since',
    params: z.object({ decisionId: z.coerce.number().int().positive() }),
    reply: Outcome,
  }),
} as const
