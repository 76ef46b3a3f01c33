import type { ExpressCustomer } from '#shared/contract/express.ts'
import type { ExpressCustomerId, UserId } from '#shared/ids.ts'
import type { CustomerRecord } from './customer-queries.ts'

/**
 * The record as the interface shows it: `createdByUserId` is null where a key made it,
 * `createdByApiKeyId` absent where a user did.
 */
export function customerOf({
  createdByApiKeyId,
  createdByUserId,
  metadata,
  ...customer
}: CustomerRecord): ExpressCustomer {
  const { expressCustomerId, expressCustomerName, isActive, createdAt, updatedAt, userCount } =
    customer
  return {
    expressCustomerId: expressCustomerId as ExpressCustomerId,
    expressCustomerName,
    isActive,
    createdAt,
    updatedAt,
    userCount,
    ...(createdByApiKeyId !== null && { createdByApiKeyId }),
    createdByUserId: createdByUserId as UserId | null,
    ...(metadata && { metadata }),
  }
}
