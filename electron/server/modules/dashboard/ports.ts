import type { Slice, SliceQuery } from '#server/database/page.ts'
import type { Actor } from '#server/modules/audit/audit.ts'
import type { CorrectionNotices } from '#server/modules/corrections/correction-notices.ts'
import type { QuarantineGroup } from '#server/modules/images/instance-queries.ts'
import type { PartnerTest } from '#server/modules/partners/test-request.ts'
import type { UserCaller } from '#server/modules/users/caller.ts'
import type { Outcome } from '#shared/contract/conventions.ts'
import type {
  Correction,
  CorrectionPreview,
  CorrectionRequest,
  dashboardCorrections,
  TargetChoice,
} from '#shared/contract/corrections.ts'
import type { Certificate, PartnerStatus, Status } from '#shared/contract/dashboard.ts'
import type {
  ExamDay,
  ExamExplanation,
  ExamTally,
  ExplainAsk,
} from '#shared/contract/dashboard-exams.ts'
import type { EchoResult } from '#shared/contract/destinations.ts'
import type { Device, Lint } from '#shared/contract/devices.ts'
import type { GroupOutcome, RecoveredFile, RecoveryOutcome } from '#shared/contract/images.ts'
import type { SignedInUser } from '#shared/contract/people.ts'
import type { Reconciliation, ReconciliationDecision } from '#shared/contract/reconciliation.ts'
import type { KeyStoreState } from '#shared/contract/shell.ts'
import type { Inspection, WorklistAsk } from '#shared/contract/worklist.ts'
import type { CallOf, ReplyOf } from '#shared/operation.ts'
import type { Feed } from './feed.ts'

export type VerdictFilter = 'all' | 'sent' | 'filtered' | 'withheld'

/** Signed reports that should have reached their partner, and endpoints that get nothing. */
export interface UndeliveredReports {
  /** Reports that wait for longer than an hour. */
  readonly count: number
  /** When the oldest of them was signed. */
  readonly since: string | null
  /** What was wrong at the last attempt. */
  readonly fault: string | null
  readonly switchedOff: readonly { readonly name: string; readonly reason: string }[]
}

/** The audit collector, where it has not got entries for a while. */
export interface CollectorFault {
  readonly since: string
  readonly count: number
  readonly isMore: boolean
  readonly detail: string
}

/** What the window needs of parts the dashboard may not import; `window-part.ts` fills it. */
export interface DashboardPorts {
  readonly collectorFault: () => CollectorFault | undefined
  /**
   * Asks the worklist as this device by the path a device's query takes; the query is recorded with
   * the user.
   */
  readonly askWorklist: (
    ask: WorklistAsk,
    device: Device,
    user: SignedInUser,
  ) => Promise<Inspection>
  /**
   * A recorded query with its rows of this verdict; undefined where it is unknown or no longer
   * kept.
   */
  readonly inspection: (
    inspectionId: number,
    verdict: VerdictFilter,
  ) => Promise<Inspection | undefined>
  /**
   * The rows this device would get now, checked against the rules of its console; the query is
   * recorded with the user.
   */
  readonly lint: (device: Device, user: SignedInUser) => Promise<Lint>
  /** C-ECHO of a device at the port it listens at. */
  readonly echoDevice: (device: Device) => Promise<EchoResult>
  /** `serve --safe-mode`. */
  readonly isSafe?: boolean
  readonly listenerStatus: () => Status['listeners']
  readonly partnerStatus: () => PartnerStatus
  readonly testPartner: () => Promise<PartnerTest>
  readonly openAssociations: () => number
  /** Who has to be informed of corrections by a person: counted up to `most`, and since when. */
  readonly correctionNotices: CorrectionNotices['open']
  /** Files in the recovery folder. */
  readonly recoveredFiles: () => number
  /** Where images are kept. */
  readonly storage: () => Status['storage']
  /** Instances that wait and that were given up, of all destinations. */
  readonly forwards: () => Status['forwards']
  readonly undelivered: () => UndeliveredReports
  /** How the data key is kept, where the desktop app said so. */
  readonly keyStore?: () => KeyStoreState | undefined
  readonly certificates: () => Certificate[]
  /** Makes another certificate under another key, in use from the next connection on. */
  readonly renewCertificate: (use: Certificate['use']) => Certificate
  readonly feed: Feed
}

/** What the window needs of the exams of a day; `exam-part.ts` fills it with the worklist slice. */
export interface ExamPorts {
  /** From what is kept; of all devices, or of one. */
  readonly day: (
    query: {
      readonly day?: string | undefined
      readonly deviceId?: string | undefined
      readonly show: 'all' | 'waiting' | 'withheld' | 'overdue'
    },
    most: number,
  ) => Promise<ExamDay>
  /**
   * Today's numbers, some seconds old; `late`: an hour past their time and not begun, since
   * `lateSince`.
   */
  readonly today: () => Promise<
    ExamTally & { readonly late: number; readonly lateSince: string | null }
  >
  /**
   * Asks the partner for the day in the name of the devices; the queries are recorded with the
   * user.
   */
  readonly refresh: (
    day: string,
    devices: readonly Device[],
    user: SignedInUser,
  ) => Promise<{ readonly asked: number; readonly failed: number; readonly sentences: string[] }>
  /** Why an exam is not on the device; the queries made for it are recorded with the user. */
  readonly explain: (
    ask: ExplainAsk,
    device: Device,
    user: SignedInUser,
  ) => Promise<ExamExplanation>
}

/** What the window needs of the intake of images; `window-part.ts` fills it. */
export interface ImagePorts {
  /**
   * Asks the partner now; what came of it is in the study. @throws ApiError refused: there is
   * nothing to ask for
   */
  readonly retryEnrichment: (studyInstanceUid: string) => Promise<void>
  /** Lets a quarantined instance take its place. @throws ApiError not-found */
  readonly releaseInstance: (instanceId: number, reason: string, actor: Actor) => Promise<Outcome>
  /** Lets an earlier version of an image take its place again. @throws ApiError not-found */
  readonly restoreVersion: (instanceId: number, reason: string, actor: Actor) => Outcome
  /** Deletes a quarantined instance and its file. @throws ApiError not-found */
  readonly discardInstance: (instanceId: number, reason: string, actor: Actor) => Promise<Outcome>
  /** As `releaseInstance`, for all of a group. */
  readonly releaseGroup: (
    group: QuarantineGroup,
    reason: string,
    actor: Actor,
  ) => Promise<GroupOutcome>
  /** As `discardInstance`, for all of a group. */
  readonly discardGroup: (
    group: QuarantineGroup,
    reason: string,
    actor: Actor,
  ) => Promise<GroupOutcome>
  /** Image files that the database does not know. */
  readonly recovery: {
    readonly files: (query: SliceQuery) => Slice<string>
    readonly describe: (file: string) => Promise<RecoveredFile>
    readonly import: (
      which: { readonly file?: string | undefined; readonly after?: string | undefined },
      actor: Actor,
    ) => Promise<RecoveryOutcome>
    readonly discard: (file: string, reason: string, actor: Actor) => Promise<Outcome>
  }
}

/** What the window needs of the reconciliation of exams with orders; `exam-part.ts` fills it. */
export interface ReconciliationPort {
  readonly read: (
    range: { readonly from?: string | undefined; readonly to?: string | undefined },
    isVisible: (studyInstanceUid: string) => boolean,
  ) => Promise<Reconciliation>
  /** Since when exams without an order are counted, `YYYY-MM-DD`. */
  readonly firstDay: () => string
  /** @throws ApiError outdated, refused, not-found */
  readonly link: (
    caller: UserCaller,
    studyInstanceUid: string,
    orderId: string,
  ) => Promise<ReconciliationDecision>
  readonly keep: (
    caller: UserCaller,
    studyInstanceUid: string,
    reason: string,
  ) => ReconciliationDecision
  readonly notDone: (
    caller: UserCaller,
    orderId: string,
    reason: string,
  ) => Promise<ReconciliationDecision>
  /** The images a decision is about; null of one about an order. @throws ApiError outdated */
  readonly imagesOf: (decisionId: number) => string | null
  readonly undo: (caller: UserCaller, decisionId: number) => void
}

/** What the window needs to correct the identity of images; the intake's `Corrections`. */
export interface CorrectionPorts {
  readonly identities: (
    studyInstanceUid: string,
  ) => Promise<ReplyOf<CorrectionCalls['identities']>['identities']>
  readonly targets: (studyInstanceUid: string, search: string) => Promise<TargetChoice[]>
  readonly preview: (
    studyInstanceUid: string,
    request: CorrectionRequest,
  ) => Promise<CorrectionPreview>
  /** @throws ApiError outdated, refused, unavailable */
  readonly apply: (
    studyInstanceUid: string,
    order: CallOf<CorrectionCalls['apply']>['body'],
    userId: string,
  ) => Promise<Correction>
  readonly list: (studyInstanceUid: string) => Correction[]
  /**
   * Studies that images were taken from, or put into, by the correction. @throws ApiError not-found
   */
  readonly studiesOf: (correctionId: string) => readonly string[]
  readonly undo: (correctionId: string, reason: string, userId: string) => Promise<Correction>
}
type CorrectionCalls = typeof dashboardCorrections

/** What the window needs of reports beyond their rules; `reporting.ts` fills it. */
export interface ReportPorts {
  /**
   * Sends the DICOM copies of a signed report to a destination, and keeps in the audit trail who
   * asked. @throws ApiError not-found, refused
   */
  readonly sendObjects: (
    reportId: string,
    destinationId: string,
    actor: Actor,
  ) => Outcome | Promise<Outcome>
  /** A link to the PDF of a signed report, good for an hour. */
  readonly pdfUrl: (reportId: string) => string
}
