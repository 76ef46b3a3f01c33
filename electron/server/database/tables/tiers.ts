import type { Generated } from 'kysely'
import type { Flag } from '#server/database/query.ts'

/** Tiers, the copies in them, migrations to them and files that were fetched from them. */
export interface TierTables {
  tiers: {
    tierId: string
    name: string
    kind: string
    isEnabled: Flag
    isAutomatic: Flag
    /** JSON of `TierSettings`, without secrets. */
    settings: string
    /** Triggers on `tierCopies` maintain both. */
    storedInstances: Generated<number>
    storedBytes: Generated<number>
    lastError: Generated<string>
    /** JSON of the last `Verification`. */
    verification: string | null
    createdAt: string
    updatedAt: string
  }
  tierMigrations: {
    migrationId: Generated<number>
    tierId: string
    state: string
    /** The migration copies the instances up to this id. */
    throughId: number
    /** Those up to this id are queued, or are in the tier already. */
    queuedId: Generated<number>
    totalInstances: number
    totalBytes: number
    doneInstances: Generated<number>
    doneBytes: Generated<number>
    failedInstances: Generated<number>
    startedAt: string
    endedAt: string | null
  }
  tierCopies: {
    copyId: Generated<number>
    tierId: string
    /** The instance may have been deleted; the object is deleted then, too. */
    instanceId: number
    migrationId: number | null
    state: string
    objectKey: string
    encryption: Generated<string>
    bytes: Generated<number>
    sha256: Buffer | null
    copiedAt: string | null
    verifiedAt: string | null
    attempts: Generated<number>
    nextAt: string | null
    lastError: Generated<string>
  }
  /** Stores that were removed, and the studies of which they held images. */
  formerTierStudies: { studyInstanceUid: string; tierId: string; name: string }
  tierRecalls: { instanceId: number; recalledAt: string; bytes: Generated<number> }
}
