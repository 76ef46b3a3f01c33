import type { Generated } from 'kysely'
import type { Flag } from '#server/database/query.ts'

/** What devices sent, and what they reported of it. */
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
  instances: FromDevice & {
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
  }
  /** `isHere` follows `instances` by triggers. */
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
    /** JSON: names of the fields that a person or a call has set. */
    touched: Generated<string>
  }
  receivedSteps: {
    /** Of the worklist, which is not always that of the images. */
    studyInstanceUid: string
    scheduledProcedureStepId: string
    imageStudyUid: string
    receivedAt: string
  }
  performedSteps: FromDevice & {
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
  commitments: FromDevice & {
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

/** What sent it. */
interface FromDevice {
  callingAeTitle: string
  remoteAddress: string
  deviceName: string
}

interface ImageStudies extends FromDevice {
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
  /** Not used any more. */
  mismatchAcknowledgedAt: Generated<string | null>
  sealedOverride: Generated<Buffer | null>
  /** Null: not computed yet. */
  isMismatched: Generated<Flag | null>
  isFetched: Flag
  enrichmentState: string
  enrichmentAskedAt: string | null
  enrichmentNextAt: string | null
  enrichmentAttempts: number
  enrichmentDetail: string
  enrichmentWarnings: string
}
