import type { Database } from '#server/database/database.ts'
import { rawQuery } from '#server/database/query.ts'
import type {
  APIKeyReference,
  ExpressCustomerReference,
  UserReference,
} from '#shared/contract/references.ts'

export type References = ReturnType<typeof openReferences>

const USER =
  'select email, userId, firstName, lastName, middleName, suffix1, suffix2 from users where userId = ?'
const KEY = 'select apiKeyId, description, isViewerEnabled from apiKeys where apiKeyId = ?'
const CUSTOMER =
  'select expressCustomerId, name as expressCustomerName from expressCustomers where expressCustomerId = ?'

/**
 * What one record says of another, by its id; null where that is not there. Each is read once, so
 * open them anew for each call.
 */
export function openReferences(database: Database) {
  function reader<T>(text: string, of: (row: Record<string, unknown>) => T) {
    const known = new Map<string, T | null>()
    return (id: string | null): T | null => {
      if (id === null) return null
      const before = known.get(id)
      if (before !== undefined) return before
      const row = database.get(rawQuery<Record<string, unknown>>(text, [id]))
      const made = row ? of(row) : null
      known.set(id, made)
      return made
    }
  }
  return {
    // Optional texts are absent rather than null.
    user: reader(
      USER,
      (row) =>
        Object.fromEntries(
          Object.entries(row).filter(([, value]) => value !== null),
        ) as UserReference,
    ),
    apiKey: reader(
      KEY,
      (row) => ({ ...row, isViewerEnabled: row.isViewerEnabled === 1 }) as APIKeyReference,
    ),
    expressCustomer: reader(CUSTOMER, (row) => row as ExpressCustomerReference),
  }
}
