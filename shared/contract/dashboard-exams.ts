import { z } from 'zod'
import { StudyId } from '../ids.ts'
import { fault } from '../messages/issues.ts'
import { Message } from '../messages/message-schema.ts'
import { operation } from '../operation.ts'
import { Day, Instant } from './conventions.ts'
import { STUDY_AREAS } from './settings.ts'
import { Severity } from './values.ts'
import { PartnerFault } from './worklist.ts'

/**
 * The state of an exam.
 * scheduled: not sent to a device; handed-out: sent to a device; started: reported by a device
 * (MPPS); completed: reported by a device, or its images are here and complete; images: some of its
 * images are here; closed: marked as done or cancelled here; gone: no longer listed by the partner
 */
const EXAM_STATES = [
  'scheduled',
  'handed-out',
  'started',
  'images',
  'completed',
  'closed',
  'gone',
] as const

/** The state of an exam on one device. */
export const ExamDevice = z.object({
  /** Null for a device that is no longer in the list. */
  deviceId: z.uuid().nullable(),
  aeTitle: z.string(),
  name: z.string(),
  /** Whether the newest list sent to the device contained it. */
  isOnList: z.boolean(),
  /** When it was last sent to the device; null if never, as far as queries are kept. */
  sentAt: Instant.nullable(),
  /**
   * Why it was withheld from the newest list sent to the device, although it matched; null if it
   * was not withheld.
   */
  withheld: Message.nullable(),
})
export type ExamDevice = z.infer<typeof ExamDevice>

/**
 * A scheduled step in the partner's list. Texts and dates are those of the partner, in DICOM
 * format.
 */
export const Exam = z.object({
  studyInstanceUid: z.string(),
  scheduledProcedureStepId: z.string(),
  patientName: z.string(),
  patientId: z.string(),
  patientBirthDate: z.string(),
  patientSex: z.string(),
  accessionNumber: z.string(),
  modality: z.string(),
  description: z.string(),
  /** Location of the step; empty if the partner specifies none. */
  location: z.string(),
  startDate: z.string(),
  startTime: z.string(),
  /** Priority of its study, if there is one; the partner's list contains no priority. */
  severity: Severity,
  state: z.enum(EXAM_STATES),
  /** When it reached this state; null if unknown. */
  since: Instant.nullable(),
  /** Number of its images that are here. */
  images: z.int(),
  /**
   * Study Instance UID of those images, for opening them; not every modality uses the UID of the
   * worklist.
   */
  imageStudyUid: z.string().nullable(),
  study: z.object({ area: z.enum(STUDY_AREAS), studyId: StudyId }).nullable(),
  /** Why it is withheld from all devices; null if it is valid. */
  withheld: Message.nullable(),
  /** What was repaired. */
  remarks: z.array(Message),
  /** Its scheduled time has passed, and it has not begun. */
  isOverdue: z.boolean(),
  isClosed: z.boolean(),
  devices: z.array(ExamDevice),
})
export type Exam = z.infer<typeof Exam>

/**
 * live: the partner answers requests; stored: the partner cannot be reached, and stored answers are
 * used; none: there is no answer.
 */
export const ExamSource = z.object({
  kind: z.enum(['live', 'stored', 'none']),
  /** When the newest answer that covers the day was received. */
  receivedAt: Instant.nullable(),
  /** Why the partner does not answer, and since when. */
  fault: PartnerFault.nullable(),
  awaySince: Instant.nullable(),
})
export type ExamSource = z.infer<typeof ExamSource>

export const EXAM_FILTERS = ['all', 'waiting', 'withheld', 'overdue'] as const
export const ExamTally = z.object({
  all: z.int(),
  waiting: z.int(),
  withheld: z.int(),
  overdue: z.int(),
  begun: z.int(),
  completed: z.int(),
})
export type ExamTally = z.infer<typeof ExamTally>

/** Maximum number of exams in a reply; enough for a day in a large hospital. */
export const MAX_EXAMS = 5000

export const ExamDay = z.object({
  /** `YYYY-MM-DD` in the clinic. */
  day: z.string(),
  today: z.string(),
  /** `HHMMSS` in the clinic. */
  now: z.string(),
  source: ExamSource,
  /** The first 5,000 exams, by start time. */
  exams: z.array(Exam),
  /** Counts for the day and the device, independent of `show`. */
  tally: ExamTally,
})
export type ExamDay = z.infer<typeof ExamDay>

/** The checks that determine whether an exam is on a device's list, in order. */
export const EXAM_CHECKS = [
  'known',
  'called',
  'today',
  'association',
  'asked',
  'partner',
  'listed',
  'valid',
  'encodable',
  'window',
  'keys',
  'open',
  'sent',
] as const
export const ExamCheck = z.object({
  check: z.enum(EXAM_CHECKS),
  /** unknown: there is no information; skipped: not checked, because an earlier check failed. */
  state: z.enum(['ok', 'failed', 'unknown', 'skipped']),
  /** The result, for the user. */
  sentence: Message,
  /** The facts that the result is based on, one per line. */
  evidence: z.array(Message),
  /** What to do; null if nothing. */
  remedy: Message.nullable(),
  /** The screen where that is done. */
  link: z.enum(['devices', 'partner', 'settings', 'queries', 'images', 'worklist']).nullable(),
})
export type ExamCheck = z.infer<typeof ExamCheck>

export const ExplanationRequest = z
  .object({
    deviceId: z.uuid(),
    /** The scheduled day of the exam; null for that of the exam, otherwise today. */
    day: Day.nullable().default(null),
    studyInstanceUid: z.string().max(64).default(''),
    scheduledProcedureStepId: z.string().max(16).default(''),
    /**
     * Part of a patient name, a patient ID or an accession number, if the exam is not specified by
     * UID.
     */
    text: z.string().trim().max(100).default(''),
  })
  .refine(({ studyInstanceUid, text }) => studyInstanceUid !== '' || text !== '', {
    path: ['text'],
    error: fault('worklist.name-an-exam'),
  })
export type ExplanationRequest = z.output<typeof ExplanationRequest>

/** The exam that is explained. */
export const ExplainedExam = Exam.pick({
  studyInstanceUid: true,
  scheduledProcedureStepId: true,
  patientName: true,
  patientId: true,
  accessionNumber: true,
  modality: true,
  description: true,
  startDate: true,
  startTime: true,
})
export type ExplainedExam = z.infer<typeof ExplainedExam>

export const ExamExplanation = z.object({
  deviceId: z.uuid(),
  day: z.string(),
  /** Null if the partner lists no such exam on that day. */
  exam: ExplainedExam.nullable(),
  /**
   * If the text matches several exams, at most 50 of them to choose from; there are no checks then.
   */
  candidates: z.array(ExplainedExam),
  /** Whether the device would be sent the exam now. */
  isGiven: z.boolean(),
  /** The first failed check, or that none failed. */
  conclusion: Message,
  checks: z.array(ExamCheck),
  /** The query that was made in the device's place. */
  inspectionId: z.int().nullable(),
})
export type ExamExplanation = z.infer<typeof ExamExplanation>

const dayQuery = z.object({
  /** Default: today in the clinic. */
  day: Day.optional(),
  deviceId: z.uuid().optional(),
  show: z.enum(EXAM_FILTERS).default('all'),
})

/** Query of `GET /dashboard/worklist/exams/print`, the exams of a day as a PDF, grouped by room. */
export const ExamPrintQuery = z.object({
  day: Day.optional(),
  language: z.enum(['en', 'es']).default('en'),
})

/**
 * Exams as staff see them: what the partner has scheduled, which device has it, and its state. The
 * list contains every patient of the day. Requesting it from the partner changes nothing.
 */
export const dashboardExams = {
  exams: operation('GET /dashboard/worklist/exams', {
    access: 'every-patient',
    background: true,
    summary:
      'The exams of a day with their state on each device, from the partner’s latest responses',
    query: dayQuery,
    reply: ExamDay,
  }),
  refresh: operation('POST /dashboard/worklist/exams/refresh', {
    access: 'every-patient',
    summary: 'Request the day from the partner now, on behalf of each enabled device or of one',
    body: z.object({
      day: Day.nullable().default(null),
      deviceId: z.uuid().nullable().default(null),
    }),
    reply: z.object({ asked: z.int(), failed: z.int(), sentences: z.array(Message) }),
  }),
  explain: operation('POST /dashboard/worklist/explain', {
    access: 'every-patient',
    summary: 'Explain why an exam is not on a device: the checks in their order',
    body: ExplanationRequest,
    reply: ExamExplanation,
  }),
} as const
