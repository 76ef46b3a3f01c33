import type { Generated } from 'kysely'
import type { Flag } from '#server/database/query.ts'

/** Received images and performed procedure steps. */
export interface ImageTables {
  imageStudies: ImageStudies
  imageSeries: {
    studyInstanceUid: string
    seriesInstanceUid: string
    modality: string
    seriesNumber: string
    sealedDescription: Buffer | null
    instances: Generated<number>
    bytes: Generated<number>
    lastInstanceAt: string
  }
  instances: SenderColumns & {
    instanceId: Generated<number>
    sopInstanceUid: string
    sopClassUid: string
    studyInstanceUid: string
    seriesInstanceUid: string
    transferSyntaxUid: string
    file: string
    dataSetOffset: number
    bytes: number
    crc32: number
    state: string
    reason: string | null
    detail: string
    associationId: string
    receivedAt: string
    lastSeenAt: string
    modality: string
    instanceNumber: string
    scheduledProcedureStepId: string
    image: string | null
    sealedPatientName: Buffer | null
    structure: Generated<string>
    change: string | null
    changeReviewedAt: string | null
    /** When its file was removed from this PC; null while the file is here. */
    localRemovedAt: Generated<string | null>
  }
  /** Triggers on `instances` maintain `isHere`. */
  announcedInstances: {
    sopInstanceUid: string
    studyInstanceUid: string
    seriesInstanceUid: string
    isHere: Flag
    announcedAt: string
  }
  seeds: {
    studyInstanceUid: string
    area: string
    studyId: string
    seededAt: string
    sealedSeed: Buffer
    /** JSON: names of the fields that a person or a request has set. */
    touched: Generated<string>
  }
  receivedSteps: {
    /** Study Instance UID of the worklist, which may differ from that of the images. */
    studyInstanceUid: string
    scheduledProcedureStepId: string
    imageStudyUid: string
    receivedAt: string
  }
  performedSteps: SenderColumns & {
    seq: Generated<number>
    sopInstanceUid: string
    status: string
    modality: string
    startedAt: string
    endedAt: string | null
    discontinuationCode: string
    discontinuationMeaning: string
    instances: number
    sealedDataSet: Buffer
    updatedAt: string
  }
  performedStepItems: {
    sopInstanceUid: string
    studyInstanceUid: string
    scheduledProcedureStepId: string
  }
  reconciliations: {
    decisionId: Generated<number>
    kind: string
    day: string
    imageStudyUid: string | null
    orderStudyUid: string | null
    scheduledProcedureStepId: string | null
    sealedDetails: Buffer
    userId: string
    at: string
    undoneAt: string | null
    undoneBy: string | null
  }
  commitments: SenderColumns & {
    commitmentId: Generated<number>
    transactionUid: string
    requestedAt: string
    state: string
    attempts: Generated<number>
    nextAt: string | null
    lastError: string
  }
  commitmentItems: {
    commitmentId: number
    position: number
    sopClassUid: string
    sopInstanceUid: string
    failureReason: number | null
  }
}

/** The sending device. */
interface SenderColumns {
  callingAeTitle: string
  remoteAddress: string
  deviceName: string
}

interface ImageStudies extends SenderColumns {
  studyInstanceUid: string
  createdAt: string
  lastInstanceAt: string
  state: string
  settledAt: string | null
  dueAt: string
  transferHow: string
  transferDetail: string
  transferAt: string
  instances: Generated<number>
  series: Generated<number>
  bytes: Generated<number>
  quarantined: Generated<number>
  sealedHeader: Buffer
  sealedHandedOut: Buffer | null
  sealedMismatch: Buffer | null
  /** No longer used. */
  mismatchAcknowledgedAt: Generated<string | null>
  sealedOverride: Generated<Buffer | null>
  /** Null until first computed. */
  isMismatched: Generated<Flag | null>
  isFetched: Flag
  /** When the last file of its images was removed from this PC; null while any is here. */
  localRemovedAt: Generated<string | null>
  enrichmentState: string
  enrichmentAskedAt: string | null
  enrichmentNextAt: string | null
  enrichmentAttempts: number
  enrichmentDetail: string
  enrichmentWarnings: string
}
