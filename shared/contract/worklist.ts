import { z } from 'zod'
import { Message } from '../messages/message-schema.ts'
import { Day, Instant } from './conventions.ts'
import { WorklistQuestion } from './webhooks.ts'

/** Where the rows of an answer came from. */
export const ANSWER_SOURCES = ['live', 'fresh', 'shared', 'stored', 'downtime', 'none'] as const
export const AnswerSource = z.enum(ANSWER_SOURCES)
/**
 * live: asked now; fresh: asked less than freshSeconds ago; shared: asked by another query in
 * flight; stored, downtime: the last good answer.
 */
export type AnswerSource = z.infer<typeof AnswerSource>

/** Why a call to the partner gave no list. */
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

/** A key of the query as received, for the screen. */
export const ReceivedKey = z.object({
  /** `(0010,0010)`, with the sequence before it where it is nested: `(0040,0100) > (0008,0060)`. */
  tag: z.string(),
  keyword: z.string(),
  vr: z.string(),
  value: z.string(),
  /**
   * singleValue, listOfUid, universal, wildCard, range or sequence (PS3.4 C.2.2.2); ignored: never
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
  /** Which key filtered it, why it was withheld; null for a sent row. */
  reason: Message.nullable(),
  /** Repairs and remarks, e.g. a name sent in another alphabet. */
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
  /** device: over the network; window: asked by a user of the window as that device. */
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
  /** Milliseconds from the request to the decision of the final status. */
  tookMs: z.number(),
  /** Milliseconds of the partner's call, null where it was not called. */
  partnerMs: z.number().nullable(),
  /** One sentence: what happened, for a person. */
  sentence: Message,
  /**
   * How often the same was asked again on the same association, and the same given from the answer
   * that was still fresh.
   */
  repeats: z.int(),
  /** When that was last, null where it never was. */
  lastAt: Instant.nullable(),
}

export const InspectionSummary = z.object(summary)
export type InspectionSummary = z.infer<typeof InspectionSummary>

export const Inspection = z.object({
  ...summary,
  transferSyntax: z.string(),
  keys: z.array(ReceivedKey),
  /** What the partner was, or would have been, asked. */
  question: WorklistQuestion.nullable(),
  /** Remarks on the query: a clamped window, a key at the wrong place. */
  remarks: z.array(Message),
  partner: z
    .object({
      webhookId: z.string(),
      httpStatus: z.int().nullable(),
      bytes: z.int(),
      /** Why it gave no list; of a refusal the partner's own words. */
      detail: Message.nullable(),
      answeredAt: Instant.nullable(),
    })
    .nullable(),
  /** At most 1,000, the sent ones first; `rowsTotal` counts all. */
  rows: z.array(RowVerdict),
  rowsTotal: z.int(),
})
export type Inspection = z.infer<typeof Inspection>

/**
 * Keys of "ask the worklist as this device": what a console's query screen offers. Empty fields are
 * universal.
 */
export const WorklistAsk = z.object({
  deviceId: z.uuid(),
  patientName: z.string().max(64).default(''),
  patientId: z.string().max(64).default(''),
  accessionNumber: z.string().max(16).default(''),
  modality: z.string().max(16).default(''),
  stationAeTitle: z.string().max(16).default(''),
  startDate: Day.nullable().default(null),
  endDate: Day.nullable().default(null),
})
export type WorklistAsk = z.output<typeof WorklistAsk>

export const Downtime = z.object({
  isOn: z.boolean(),
  since: Instant.nullable(),
  until: Instant.nullable(),
  reason: z.string(),
  userName: z.string(),
})
export type Downtime = z.infer<typeof Downtime>

/** A step that staff marked as done or cancelled here: never served from a stored answer. */
export const ClosedStep = z.object({
  studyInstanceUid: z.string(),
  scheduledProcedureStepId: z.string(),
  closedAt: Instant,
  reason: z.string(),
})
export type ClosedStep = z.infer<typeof ClosedStep>
