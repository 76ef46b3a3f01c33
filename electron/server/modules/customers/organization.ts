import type { Organization } from '#shared/contract/express.ts'
import type { OrganizationId, UserId } from '#shared/ids.ts'
import type { OrganizationRecord } from './organization-queries.ts'

/**
 * The record as the interface shows it: nothing deactivates it and nobody is linked to it
 * (interface-choices §6 row 44).
 */
export function organizationOf({
  createdByApiKeyId,
  createdByUserId,
  metadata,
  ...organization
}: OrganizationRecord): Organization {
  const { orgId, orgName, createdAt, updatedAt } = organization
  return {
    orgId: orgId as OrganizationId,
    orgName,
    isActive: true,
    createdAt,
    updatedAt,
    userCount: 0,
    ...(createdByApiKeyId !== null && { createdByApiKeyId }),
    createdByUserId: createdByUserId as UserId | null,
    ...(metadata && { metadata }),
  }
}
