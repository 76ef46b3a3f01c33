import type { WorklistItem } from '#shared/contract/webhooks.ts'
import type { Exam, Patient } from './exams.ts'

/** What everybody was told, kept outside of the gateway: the promises are checked against it. */

/** An instance that a device was told Success of. */
export interface KeptInstance {
  readonly sopInstanceUid: string
  readonly studyInstanceUid: string
  readonly callingAeTitle: string
  /** The data set as it was sent. */
  readonly dataSet: Buffer
  readonly patient: Patient
  /** A person discarded it. */
  isDiscarded: boolean
}

/** A study of the interface, as its maker was last told it is. */
export interface StudyAccount {
  readonly studyId: string
  readonly studyInstanceUid: string
  /** Fields that were set, by the calls that were answered. */
  told: Readonly<Record<string, unknown>>
  /** Fields that a call may have set whose answer never came. */
  asked: Readonly<Record<string, unknown>> | undefined
}

/** How the reports of a study stand, in the words of what was written. */
export interface Standing {
  readonly draft: {
    readonly isAddendum: boolean
    readonly revision: number
    readonly text: string
  } | null
  /** Texts, the report first, then its addenda. */
  readonly signed: readonly string[]
}

/** A study that somebody reports on. */
export interface ReportAccount {
  readonly studyId: string
  told: Standing
  /** What a call made of it whose answer never came. */
  asked: Standing | undefined
  /** Which revision each window believes in. */
  readonly windows: Map<string, number>
}

/** A report as it was when it was first seen signed. */
export interface Frozen {
  readonly reportId: string
  readonly studyId: string
  readonly text: string
  readonly pdfHash: string
}

/** A performed step that a device told of. */
export interface StepAccount {
  readonly sopInstanceUid: string
  readonly studyInstanceUid: string
  readonly stepId: string
  status: 'IN PROGRESS' | 'COMPLETED' | 'DISCONTINUED'
  /** An N-SET whose answer never came. */
  asked: StepAccount['status'] | undefined
  /** Its N-CREATE was answered. */
  isSure: boolean
}

/** A good answer of the partner to a worklist question. */
export interface GivenAnswer {
  readonly callingAe: string
  readonly dateStart: string
  readonly dateEnd: string
  readonly items: readonly WorklistItem[]
  /** Milliseconds since 1970. */
  readonly at: number
  /** Whether the gateway kept it is not known: it ended meanwhile, or its disk failed. */
  isUnsure: boolean
}

/** A worklist as a device got it. */
export interface Find {
  readonly callingAe: string
  readonly hidesStarted: boolean
  /** `YYYYMMDD`: the days it asked for, and today. */
  readonly from: string
  readonly to: string
  readonly today: string
  readonly status: string
  readonly rows: readonly FoundRow[]
  /** Good answers the partner had given before it was over. */
  readonly answers: number
  /** The partner answered this query well: its rows are of that answer. */
  readonly isLive: boolean
}
export interface FoundRow {
  readonly studyInstanceUid: string
  readonly stepId: string
  readonly accessionNumber: string
  readonly patientId: string
  readonly patientName: string
  readonly description: string
  readonly day: string
  readonly time: string
  readonly status: string
}

/** A notification as it came to the partner. */
export interface Arrival {
  readonly eventId: string
  readonly type: string
  /**
   * Without the link and the partner's own id of the patient: both are as they are at each attempt.
   */
  readonly content: string
  readonly reportId: string
  readonly text: string
  readonly isAccepted: boolean
  readonly isSigned: boolean
}

/** What the gateway promised to keep for good. */
export interface Committed {
  readonly transactionUid: string
  readonly committed: readonly string[]
}

export interface Ledger {
  readonly exams: Exam[]
  readonly instances: KeptInstance[]
  readonly studies: Map<string, StudyAccount>
  readonly reports: Map<string, ReportAccount>
  readonly frozen: Map<string, Frozen>
  readonly steps: StepAccount[]
  /** Study and patient id of every image that was sent, whatever came of it. */
  readonly sent: Set<string>
  /** Studies that a device has begun with, whatever it said. */
  readonly runStudies: Set<string>
  readonly answers: GivenAnswer[]
  /** Since they were last checked. */
  finds: Find[]
  readonly arrivals: Arrival[]
  readonly commitments: Committed[]
  /** Lines of the log, of all runs of the gateway. */
  readonly log: string[]
  /** Faults of the disk that were met: errors of ours in the log are theirs. */
  faultsMet: number
}

export const newLedger = (): Ledger => ({
  exams: [],
  instances: [],
  studies: new Map(),
  reports: new Map(),
  frozen: new Map(),
  steps: [],
  sent: new Set(),
  runStudies: new Set(),
  answers: [],
  finds: [],
  arrivals: [],
  commitments: [],
  log: [],
  faultsMet: 0,
})
