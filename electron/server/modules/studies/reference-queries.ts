import type { Database } from '#server/database/database.ts'
import { rawQuery } from '#server/database/raw-query.ts'
import type {
  APIKeyReference,
  ExpressCustomerReference,
  UserReference,
} from '#shared/contract/references.ts'

/**
 * What one record says of another (interface.md, Reference objects). Each is read once by an
 * instance: take one for each call.
 */
export interface References {
  user(userId: string): UserReference | null
  apiKey(apiKeyId: string): APIKeyReference | null
  expressCustomer(expressCustomerId: string): ExpressCustomerReference | null
}

export interface ReferencesStore {
  open(): References
}

const USER =
  'select email, userId, firstName, lastName, middleName, suffix1, suffix2 from users where userId = ?'
const KEY = 'select apiKeyId, description, isViewerEnabled from apiKeys where apiKeyId = ?'
const CUSTOMER =
  'select expressCustomerId, name as expressCustomerName from expressCustomers where expressCustomerId = ?'

export function referencesStore(db: Database): ReferencesStore {
  function reader<T>(
    text: string,
    of: (row: Record<string, unknown>) => T,
  ): (id: string) => T | null {
    const known = new Map<string, T | null>()
    return (id) => {
      const before = known.get(id)
      if (before !== undefined) return before
      const row = db.get(rawQuery<Record<string, unknown>>(text, [id]))
      const made = row ? of(row) : null
      known.set(id, made)
      return made
    }
  }
  return {
    open: () => ({
      // Optional texts are absent rather than null (interface-choices §2.2).
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
    }),
  }
}
