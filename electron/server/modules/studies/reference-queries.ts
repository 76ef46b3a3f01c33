import type { Database } from '#server/database/database.ts'
import { rawQuery } from '#server/database/query.ts'
import type {
  APIKeyReference,
  ExpressCustomerReference,
  UserReference,
} from '#shared/contract/references.ts'

export type References = ReturnType<typeof openReferences>

const SELECT_USER =
  'select email, userId, firstName, lastName, middleName, suffix1, suffix2 from users where userId = ?'
const SELECT_API_KEY =
  'select apiKeyId, description, isViewerEnabled from apiKeys where apiKeyId = ?'
const SELECT_CUSTOMER =
  'select expressCustomerId, name as expressCustomerName from expressCustomers where expressCustomerId = ?'

/**
 * Looks up records that other records refer to; null if a record does not exist. Each record is
 * read once, so create a new instance for each request.
 */
export function openReferences(database: Database) {
  function reader<T>(text: string, of: (row: Record<string, unknown>) => T) {
    const cache = new Map<string, T | null>()
    return (id: string | null): T | null => {
      if (id === null) return null
      const cached = cache.get(id)
      if (cached !== undefined) return cached
      const row = database.get(rawQuery<Record<string, unknown>>(text, [id]))
      const reference = row ? of(row) : null
      cache.set(id, reference)
      return reference
    }
  }
  return {
    // Missing optional texts are omitted instead of null.
    user: reader(
      SELECT_USER,
      (row) =>
        Object.fromEntries(
          Object.entries(row).filter(([, value]) => value !== null),
        ) as UserReference,
    ),
    apiKey: reader(
      SELECT_API_KEY,
      (row) => ({ ...row, isViewerEnabled: row.isViewerEnabled === 1 }) as APIKeyReference,
    ),
    expressCustomer: reader(SELECT_CUSTOMER, (row) => row as ExpressCustomerReference),
  }
}
