import { z } from 'zod'
import { Message } from '../messages/message-schema.ts'
import { Day, Instant } from './conventions.ts'
import { WorklistQuestion } from './webhooks.ts'

/** Where the rows of an answer come from. */
export const ANSWER_SOURCES = ['live', 'fresh', 'shared', 'stored', 'downtime', 'none'] as const
export const AnswerSource = z.enum(ANSWER_SOURCES)
/**
 * live: requested now; fresh: requested less than `worklist.freshSeconds` ago; shared: requested by
 * a concurrent query; stored, downtime: the last valid answer.
 */
export type AnswerSource = z.infer<typeof AnswerSource>

/** Why a request to the partner returned no list. */
export const PARTNER_FAULTS = [
  'no-endpoint',
  'unreachable',
  'timeout',
  'status',
  'oversize',
  'invalid',
  'refused',
  'circuit-open',
  'forbidden-address',
] as const
export const PartnerFault = z.enum(PARTNER_FAULTS)
export type PartnerFault = z.infer<typeof PartnerFault>

/** A key of the query as received, for display. */
export const ReceivedKey = z.object({
  /** `(0010,0010)`, preceded by the sequence if it is nested: `(0040,0100) > (0008,0060)`. */
  tag: z.string(),
  keyword: z.string(),
  vr: z.string(),
  value: z.string(),
  /**
   * singleValue, listOfUid, universal, wildCard, range or sequence (PS3.4 C.2.2.2); ignored: not
   * matched.
   */
  matching: z.enum([
    'singleValue',
    'listOfUid',
    'universal',
    'wildCard',
    'range',
    'sequence',
    'ignored',
  ]),
})
export type ReceivedKey = z.infer<typeof ReceivedKey>

export const RowVerdict = z.object({
  verdict: z.enum(['sent', 'filtered', 'withheld', 'cut']),
  /** The key that filtered it, or why it was withheld; null for a sent row. */
  reason: Message.nullable(),
  /** Repairs and remarks, such as a transliterated name. */
  remarks: z.array(Message),
  patientName: z.string(),
  patientId: z.string(),
  accessionNumber: z.string(),
  modality: z.string(),
  description: z.string(),
  startDate: z.string(),
  startTime: z.string(),
  scheduledProcedureStepId: z.string(),
  studyInstanceUid: z.string(),
  isClosed: z.boolean(),
})
export type RowVerdict = z.infer<typeof RowVerdict>

const summary = {
  inspectionId: z.int(),
  at: Instant,
  /** device: over the network; window: by a user of the window, in the device's place. */
  origin: z.enum(['device', 'window']),
  deviceName: z.string(),
  callingAeTitle: z.string(),
  calledAeTitle: z.string(),
  remoteAddress: z.string(),
  source: AnswerSource,
  /** DIMSE status of the final response, four hex digits. */
  status: z.string(),
  errorComment: z.string(),
  fault: PartnerFault.nullable(),
  sent: z.int(),
  filtered: z.int(),
  withheld: z.int(),
  /** Milliseconds from the request until the final status was decided. */
  tookMs: z.number(),
  /** Duration of the partner's call in milliseconds; null if none was made. */
  partnerMs: z.number().nullable(),
  /** A summary in one sentence. */
  sentence: Message,
  /**
   * How often the same query was repeated on the association and was answered from the same fresh
   * answer.
   */
  repeats: z.int(),
  /** Time of the last repetition; null if there was none. */
  lastAt: Instant.nullable(),
}

export const InspectionSummary = z.object(summary)
export type InspectionSummary = z.infer<typeof InspectionSummary>

export const Inspection = z.object({
  ...summary,
  transferSyntax: z.string(),
  keys: z.array(ReceivedKey),
  /** The request that was, or would have been, sent to the partner. */
  question: WorklistQuestion.nullable(),
  /** Remarks on the query, such as a limited range of days or a misplaced key. */
  remarks: z.array(Message),
  partner: z
    .object({
      webhookId: z.string(),
      httpStatus: z.int().nullable(),
      bytes: z.int(),
      /** Why it returned no list; for a refusal, the partner's own text. */
      detail: Message.nullable(),
      answeredAt: Instant.nullable(),
    })
    .nullable(),
  /** At most 1,000 rows, sent ones first; `rowsTotal` counts all. */
  rows: z.array(RowVerdict),
  rowsTotal: z.int(),
})
export type Inspection = z.infer<typeof Inspection>

/**
 * The keys of a query in a device's place, like those on a modality's query screen. Empty fields
 * are universal.
 */
export const WorklistTestQuery = z.object({
  deviceId: z.uuid(),
  patientName: z.string().max(64).default(''),
  patientId: z.string().max(64).default(''),
  accessionNumber: z.string().max(16).default(''),
  modality: z.string().max(16).default(''),
  stationAeTitle: z.string().max(16).default(''),
  startDate: Day.nullable().default(null),
  endDate: Day.nullable().default(null),
})
export type WorklistTestQuery = z.output<typeof WorklistTestQuery>

export const Downtime = z.object({
  isOn: z.boolean(),
  since: Instant.nullable(),
  until: Instant.nullable(),
  reason: z.string(),
  userName: z.string(),
})
export type Downtime = z.infer<typeof Downtime>

/** A step that staff marked as done or cancelled; it is not served from stored answers. */
export const ClosedStep = z.object({
  studyInstanceUid: z.string(),
  scheduledProcedureStepId: z.string(),
  closedAt: Instant,
  reason: z.string(),
})
export type ClosedStep = z.infer<typeof ClosedStep>
