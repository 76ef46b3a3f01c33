import type { Generated } from 'kysely'
import type { Flag } from '#server/database/query.ts'

/** The lifecycle of images: copies elsewhere, rules, legal holds, removed files and erasures. */
export interface LifecycleTables {
  fileRemovals: { file: string; requestedAt: string }
  instanceCopies: {
    instanceId: number
    destinationId: string
    kind: string
    destinationName: string
    confirmedAt: string
  }
  /** A destination or tier that is now another node or server; earlier confirmations do not count. */
  movedPlaces: { placeId: string; movedAt: string }
  confirmations: {
    destinationId: string
    studyInstanceUid: string
    transactionUid: string | null
    state: string
    attempts: Generated<number>
    nextAt: string | null
    lastError: Generated<string>
    updatedAt: string
  }
  confirmationItems: {
    destinationId: string
    studyInstanceUid: string
    instanceId: number
    sopClassUid: string
    sopInstanceUid: string
    failureReason: number | null
  }
  lifecycleRules: {
    ruleId: string
    name: string
    definition: string
    revision: number
    previewedRevision: number | null
    isOn: Flag
    createdAt: string
    updatedAt: string
  }
  legalHolds: {
    holdId: string
    studyInstanceUid: string
    sealedReason: Buffer
    userId: string
    placedAt: string
    liftedBy: string | null
    liftedAt: string | null
  }
  erasures: {
    erasureId: string
    scope: string
    state: string
    sealedPlan: Buffer
    userId: string
    requestedAt: string
    finishedAt: string | null
    sealedRecord: Buffer | null
  }
}
