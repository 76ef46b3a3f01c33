import type { Database } from '#server/database/database.ts'
import type { Seal } from '#server/database/encryption.ts'
import type { Metadata } from '#shared/contract/values.ts'
import { sealMetadata } from './customer-queries.ts'

/** A legacy organization (interface-choices §6 row 44): it is made and nothing else. */
export interface OrganizationRecord {
  readonly orgId: string
  readonly orgName: string
  /** One of the two is null. */
  readonly createdByApiKeyId: string | null
  readonly createdByUserId: string | null
  /** Sealed at rest. */
  readonly metadata: Metadata | undefined
  readonly createdAt: string
  readonly updatedAt: string
}

export interface OrganizationsStore {
  insert(organization: OrganizationRecord): void
}

export function organizationsStore(db: Database, seal: Seal): OrganizationsStore {
  return {
    insert({ orgName: name, metadata, ...organization }) {
      const sealedMetadata = sealMetadata(seal, organization.orgId, metadata)
      db.run(db.sql.insertInto('organizations').values({ ...organization, name, sealedMetadata }))
    },
  }
}
