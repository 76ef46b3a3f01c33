import type { SendEventReport } from '#server/dicom/scu/event-report.ts'
import type { Actor, DomainDeps } from '#server/modules/audit/audit.ts'
import type { CorrectionRecord } from '#server/modules/corrections/correction-queries.ts'
import type { Orders } from '#server/modules/corrections/correction-targets.ts'
import type { PerformedSteps } from '#server/modules/procedure-steps/performed-steps.ts'
import type { FeedLine } from '#shared/contract/dashboard.ts'
import type { Device } from '#shared/contract/devices.ts'
import type { SettingKey, SettingValue } from '#shared/contract/settings.ts'
import type { EventData, EventResponse } from '#shared/contract/webhooks.ts'
import type { HandedOutRow, ImageStudyRecord } from './image-study-queries.ts'
import type { InstanceRecord } from './instance-queries.ts'

export type { Actor }

/**
 * What images, or a performed step, say of the worklist row they belong to; '' where they say
 * nothing.
 */
export interface HandedOutQuery {
  readonly callingAeTitle: string
  readonly studyInstanceUid: string
  readonly scheduledProcedureStepId: string
  readonly requestedProcedureId: string
  readonly accessionNumber: string
  readonly patientId: string
}

export type EnrichmentQuestion = EventData<'patient_study.enrichment_requested'>
export type EnrichmentAnswer = EventResponse<'patient_study.enrichment_requested'>

/** A line for the feed: nothing about a patient is in it. */
export interface News {
  readonly kind: FeedLine['kind']
  readonly tone: FeedLine['tone']
  readonly text: string
  readonly aeTitle: string
  readonly address: string
  readonly associationId: string
  readonly studyInstanceUid: string | null
}

/** A line about the disk, which no association stands behind. */
export const diskNews = (tone: News['tone'], text: string): News => ({
  kind: 'disk',
  tone,
  text,
  aeTitle: '',
  address: '',
  associationId: '',
  studyInstanceUid: null,
})

/**
 * An image of which another takes the place: the original and its corrected copy or, where that is
 * undone, the other way round.
 */
export interface CorrectedImage {
  readonly original: InstanceRecord
  readonly copy: InstanceRecord
}

/** What happened, for those who have the wrong version. */
export interface CorrectionDone {
  readonly correction: CorrectionRecord
  /** As they are now. */
  readonly pairs: readonly CorrectedImage[]
  /**
   * It was undone, and the originals are current; where copies had left the gateway, an undo is a
   * correction of its own (`undoes`).
   */
  readonly isUndo: boolean
}

/** What the intake stands on; `gateway.ts` fills it. */
export interface IntakeDeps extends DomainDeps {
  readonly setting: <K extends SettingKey>(key: K) => SettingValue<K>
  readonly recogniseDevice: (callingAeTitle: string, remoteAddress: string) => Device | undefined
  readonly performedSteps: PerformedSteps
  /**
   * The row that was handed out to the device and that images belong to: by study UID, by step or
   * procedure, by accession number and patient.
   */
  readonly handedOut: (query: HandedOutQuery) => Promise<HandedOutRow | undefined>
  /** `note` hears of each field that was left out of the answer. @throws WebhookError */
  readonly askEnrichment: (
    question: EnrichmentQuestion,
    options: { readonly signal: AbortSignal; readonly note: (field: string) => void },
  ) => Promise<EnrichmentAnswer>
  /**
   * After the commit: the partner was asked about the study, and so it stands now. Nothing about a
   * patient is in the warnings.
   */
  readonly onEnriched?: (study: Pick<ImageStudyRecord, 'studyInstanceUid' | 'enrichment'>) => void
  /** Whether the gateway is fetching the study from this caller (C-MOVE). */
  readonly isFetching: (
    callingAeTitle: string,
    remoteAddress: string,
    studyInstanceUid: string,
  ) => boolean
  /** In the transaction that makes the instance the current one, unless it was fetched. */
  readonly onKept: (instance: InstanceRecord) => void
  /**
   * As `onKept`, where an instance that was set aside, or an earlier version, becomes the current
   * one.
   */
  readonly onReleased: (instance: InstanceRecord) => void
  /**
   * In the transaction that takes back the row of an instance whose sender was not told Success.
   */
  readonly onTakenBack: (instance: InstanceRecord) => void
  /**
   * Writes an object of compressed pixels into another file, in another transfer syntax. @throws
   * where it cannot
   */
  readonly transcode: (fileIn: string, fileOut: string, transferSyntax: string) => Promise<void>
  /** In the transaction that sets aside instances that were current. */
  readonly onSetAside: (instances: readonly InstanceRecord[]) => void
  /**
   * In the transaction that corrects the identity of images, or undoes it: others take their places
   * in queues, and people are to be informed.
   */
  readonly onCorrected: (done: CorrectionDone) => void
  /**
   * Writes the events that are only noted yet: whoever was asked about a study has to be informed
   * of its correction.
   */
  readonly writeEvents?: () => Promise<void>
  /**
   * Whether a destination may have something of the correction already, or is about to, besides
   * what was sent.
   */
  readonly isCorrectionQueued?: (correctionId: string) => boolean
  /** Orders of the worklist that are known here. */
  readonly orders: Orders
  /** A correction that takes longer is answered while it is under way; ms. */
  readonly longCorrectionMs?: number
  /** The result of a storage commitment, to the device's own address. */
  readonly sendEventReport: SendEventReport
  readonly onNews: (news: News) => void
  /** Counts changed: what the window shows of images is old. */
  readonly onChanged: () => void
  /** An error of ours. Its text may speak of a patient: not for a log as it is. */
  readonly onError: (reference: string, error: unknown) => void
}
