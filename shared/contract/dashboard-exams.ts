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
 * How far an exam is. scheduled: no device was given it; handed-out: a device was; started,
 * completed: it was reported by the device (MPPS), or, for completed, its images are here and
 * settled; images: some of its images are here; closed: marked as done or cancelled here; gone: the
 * partner listed it and does not any more.
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

/** What one device knows of an exam. */
export const ExamDevice = z.object({
  /** Null: a device that is not in the list any more. */
  deviceId: z.uuid().nullable(),
  aeTitle: z.string(),
  name: z.string(),
  /** It was in the newest list the device was given. */
  isOnList: z.boolean(),
  /** When the device was last given it; null: never, as far as queries are kept. */
  sentAt: Instant.nullable(),
  /**
   * Why the newest list the device was given does not have it, although it fits; null where nothing
   * was withheld.
   */
  withheld: Message.nullable(),
})
export type ExamDevice = z.infer<typeof ExamDevice>

/**
 * One scheduled step of the partner's list. Texts and days are those of the partner, as DICOM has
 * them.
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
  /** Of the step; empty where the partner names no room. */
  location: z.string(),
  startDate: z.string(),
  startTime: z.string(),
  /** Of its study here, where there is one: the partner's list has no priority. */
  severity: Severity,
  state: z.enum(EXAM_STATES),
  /** When it got there; null where nobody knows. */
  since: Instant.nullable(),
  /** Images of it that are here. */
  images: z.int(),
  /**
   * Study UID of those images, to open them: not every console takes over the UID of the worklist.
   */
  imageStudyUid: z.string().nullable(),
  study: z.object({ area: z.enum(STUDY_AREAS), studyId: StudyId }).nullable(),
  /** Why no device at all may have it; null where it is fit. */
  withheld: Message.nullable(),
  /** Repairs. */
  remarks: z.array(Message),
  /** Past its time, and nothing of it has begun. */
  isOverdue: z.boolean(),
  isClosed: z.boolean(),
  devices: z.array(ExamDevice),
})
export type Exam = z.infer<typeof Exam>

/**
 * live: the partner's answer is from this minute or the partner answers; stored: the partner cannot
 * be asked; none: there is no answer.
 */
export const ExamSource = z.object({
  kind: z.enum(['live', 'stored', 'none']),
  /** When the newest answer that holds the day was received. */
  receivedAt: Instant.nullable(),
  /** What keeps the partner from answering, and since when. */
  fault: PartnerFault.nullable(),
  awaySince: Instant.nullable(),
})
export type ExamSource = z.infer<typeof ExamSource>

export const EXAM_SHOWS = ['all', 'waiting', 'withheld', 'overdue'] as const
export const ExamTally = z.object({
  all: z.int(),
  waiting: z.int(),
  withheld: z.int(),
  overdue: z.int(),
  begun: z.int(),
  completed: z.int(),
})
export type ExamTally = z.infer<typeof ExamTally>

/** Most exams of a reply: the whole day of a large hospital. */
export const MOST_EXAMS = 5000

export const ExamDay = z.object({
  /** `YYYY-MM-DD` in the clinic. */
  day: z.string(),
  today: z.string(),
  /** `HHMMSS` in the clinic. */
  now: z.string(),
  source: ExamSource,
  /** By start time; the first 5,000. */
  exams: z.array(Exam),
  /** Of the day and the device, whatever is shown. */
  tally: ExamTally,
})
export type ExamDay = z.infer<typeof ExamDay>

/** The checks between an exam and a device's list, in their order (docs: research A.3 no. 3). */
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
  /**
   * unknown: there is nothing to tell it by; skipped: it could not be looked at, because an earlier
   * check failed.
   */
  state: z.enum(['ok', 'failed', 'unknown', 'skipped']),
  /** What was found, for a person. */
  sentence: Message,
  /** What it was told by, a line each. */
  evidence: z.array(Message),
  /** What to do; null where nothing. */
  remedy: Message.nullable(),
  /** Where that is done. */
  link: z.enum(['devices', 'partner', 'settings', 'queries', 'images', 'worklist']).nullable(),
})
export type ExamCheck = z.infer<typeof ExamCheck>

export const ExplainAsk = z
  .object({
    deviceId: z.uuid(),
    /** The day the exam is planned for; null: that of the exam, else today. */
    day: Day.nullable().default(null),
    studyInstanceUid: z.string().max(64).default(''),
    scheduledProcedureStepId: z.string().max(16).default(''),
    /**
     * Part of a patient name, a patient ID or an accession number, where the exam is not named by
     * its UID.
     */
    text: z.string().trim().max(100).default(''),
  })
  .refine(({ studyInstanceUid, text }) => studyInstanceUid !== '' || text !== '', {
    path: ['text'],
    error: fault('worklist.name-an-exam'),
  })
export type ExplainAsk = z.output<typeof ExplainAsk>

/** Which exam the explanation is about. */
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
  /** Null: the partner has no such exam on that day. */
  exam: ExplainedExam.nullable(),
  /**
   * Where the text fits several exams: these, of which one is to be chosen; then there are no
   * checks. At most 50.
   */
  candidates: z.array(ExplainedExam),
  /** The device would be given the exam now. */
  isGiven: z.boolean(),
  /** One sentence: the first check that failed, or that none did. */
  conclusion: Message,
  checks: z.array(ExamCheck),
  /** The query that was made for it, as this device. */
  inspectionId: z.int().nullable(),
})
export type ExamExplanation = z.infer<typeof ExamExplanation>

const dayQuery = z.object({
  /** Absent: today in the clinic. */
  day: Day.optional(),
  deviceId: z.uuid().optional(),
  show: z.enum(EXAM_SHOWS).default('all'),
})

/** Query of `GET /dashboard/worklist/exams/print`: the day's exams as PDF, by room. */
export const ExamPrint = z.object({
  day: Day.optional(),
  language: z.enum(['en', 'es']).default('en'),
})

/**
 * Exams as staff look at them: what the partner has planned, which device has it, how far it is.
 * The list names every patient of the day; asking the partner for it changes nothing.
 */
export const dashboardExams = {
  exams: operation('GET /dashboard/worklist/exams', {
    access: 'every-patient',
    background: true,
    summary:
      'The exams of a day, with what each device knows of them, from the partner’s newest answers',
    query: dayQuery,
    reply: ExamDay,
  }),
  refresh: operation('POST /dashboard/worklist/exams/refresh', {
    access: 'every-patient',
    summary: 'Ask the partner for the day now, as each device that is switched on would, or as one',
    body: z.object({
      day: Day.nullable().default(null),
      deviceId: z.uuid().nullable().default(null),
    }),
    reply: z.object({ asked: z.int(), failed: z.int(), sentences: z.array(Message) }),
  }),
  explain: operation('POST /dashboard/worklist/explain', {
    access: 'every-patient',
    summary: 'Why an exam is not on a device: the checks between them, in their order',
    body: ExplainAsk,
    reply: ExamExplanation,
  }),
} as const
