import type { Database } from '#server/database/database.ts'
import type { Seal } from '#server/database/encryption.ts'
import { type SliceQuery, sliceOf, type TimeKey } from '#server/database/page.ts'
import { flag, rawQuery } from '#server/database/query.ts'
import { folded } from '#server/platform/text.ts'
import type { Metadata } from '#shared/contract/values.ts'

// SQL of the tables expressCustomers, customerUsers and organizations.

export type CustomerRecord = NonNullable<ReturnType<typeof findCustomer>>

interface CustomerRow {
  /** Order of creation, which is the order of every list. */
  readonly seq: number
  readonly expressCustomerId: string
  readonly expressCustomerName: string
  readonly isActive: number
  /** Number of linked users. */
  readonly userCount: number
  /** The API key or the user that created it; the other one is null. */
  readonly createdByApiKeyId: string | null
  readonly createdByUserId: string | null
  readonly sealedMetadata: Buffer | null
  readonly createdAt: string
  readonly updatedAt: string
}

const SELECT = `select seq, expressCustomerId, name as expressCustomerName, isActive, createdByApiKeyId, createdByUserId, sealedMetadata,
  createdAt, updatedAt, (select count(*) from customerUsers where customerUsers.expressCustomerId = expressCustomers.expressCustomerId) as userCount
  from expressCustomers`

export function findCustomer(database: Database, expressCustomerId: string) {
  const row = database.get(
    rawQuery<CustomerRow>(`${SELECT} where expressCustomerId = ?`, [expressCustomerId]),
  )
  return row && recordOf(database, row)
}

/**
 * Lists customers, newest first. `expressCustomerName` matches any part of the name, ignoring case
 * and accents.
 */
export function listCustomers(
  database: Database,
  {
    expressCustomerName = '',
    after,
    limit,
  }: SliceQuery & { readonly expressCustomerName?: string | undefined },
) {
  const before = BigInt(after ?? Number.MAX_SAFE_INTEGER)
  const rows = database.all(
    rawQuery<CustomerRow>(
      `${SELECT} where seq < ? and instr(nameFolded, ?) > 0 order by seq desc limit ?`,
      [before, folded(expressCustomerName), limit + 1],
    ),
  )
  const { items, ...rest } = sliceOf(rows, limit, (row) => row.seq)
  return { items: items.map((row) => recordOf(database, row)), ...rest }
}

export function insertCustomer(
  database: Database,
  {
    expressCustomerName: name,
    isActive,
    metadata,
    ...customer
  }: Omit<CustomerRecord, 'seq' | 'userCount'>,
) {
  const row = {
    ...customer,
    name,
    nameFolded: folded(name),
    isActive: flag(isActive),
    sealedMetadata: sealMetadata(database.seal, customer.expressCustomerId, metadata),
  }
  database.run(database.sql.insertInto('expressCustomers').values(row))
}

/** Writes name, state, metadata and `updatedAt`. */
export function updateCustomer(
  database: Database,
  { expressCustomerId, expressCustomerName: name, isActive, metadata, updatedAt }: CustomerRecord,
) {
  const row = {
    name,
    nameFolded: folded(name),
    isActive: flag(isActive),
    sealedMetadata: sealMetadata(database.seal, expressCustomerId, metadata),
    updatedAt,
  }
  database.run(
    database.sql
      .updateTable('expressCustomers')
      .set(row)
      .where('expressCustomerId', '=', expressCustomerId),
  )
}

/** Returns whether the user was not linked before. */
export const insertCustomerUser = (
  database: Database,
  link: { expressCustomerId: string; userId: string; createdAt: string },
) =>
  database.run(
    database.sql
      .insertInto('customerUsers')
      .values(link)
      .onConflict((old) => old.doNothing()),
  ).changes > 0

/** Returns whether the user was linked before. */
export const deleteCustomerUser = (database: Database, expressCustomerId: string, userId: string) =>
  database.run(
    database.sql
      .deleteFrom('customerUsers')
      .where('expressCustomerId', '=', expressCustomerId)
      .where('userId', '=', userId),
  ).changes > 0

/** At most `limit` links of users to the customer that follow the key `after`, newest first. */
export function listCustomerUsers(
  database: Database,
  expressCustomerId: string,
  after: TimeKey | undefined,
  limit: number,
) {
  const [where, key] =
    after === undefined
      ? ['', []]
      : ['and (createdAt, userId) < (?, ?)', [after.createdAt, after.id]]
  return database.all(
    rawQuery<{ readonly userId: string; readonly createdAt: string }>(
      `select userId, createdAt from customerUsers where expressCustomerId = ? ${where}
        order by createdAt desc, userId desc limit ?`,
      [expressCustomerId, ...key, limit],
    ),
  )
}

/** A legacy organization. The API can create one, but not change it or link users to it. */
export interface OrganizationRecord {
  readonly orgId: string
  readonly orgName: string
  readonly createdByApiKeyId: string | null
  readonly createdByUserId: string | null
  readonly metadata: Metadata | undefined
  readonly createdAt: string
  readonly updatedAt: string
}

export function insertOrganization(
  database: Database,
  { orgName: name, metadata, ...organization }: OrganizationRecord,
) {
  const sealedMetadata = sealMetadata(database.seal, organization.orgId, metadata)
  database.run(
    database.sql.insertInto('organizations').values({ ...organization, name, sealedMetadata }),
  )
}

/**
 * Encrypts metadata, which may contain patient identifiers. The ciphertext is bound to the record's
 * id.
 */
export const sealMetadata = (
  seal: Seal,
  id: string,
  metadata: Metadata | undefined,
): Buffer | null =>
  metadata === undefined ? null : seal.seal(Buffer.from(JSON.stringify(metadata)), `metadata ${id}`)

function recordOf({ seal }: Database, { sealedMetadata, ...row }: CustomerRow) {
  const context = `metadata ${row.expressCustomerId}`
  const metadata: Metadata | undefined =
    sealedMetadata === null ? undefined : JSON.parse(seal.open(sealedMetadata, context).toString())
  return { ...row, isActive: row.isActive === 1, metadata }
}
