import type { Database } from '#server/database/database.ts'
import type { Seal } from '#server/database/encryption.ts'
import { flag } from '#server/database/flag.ts'
import { type Slice, type SliceQuery, sliceOf } from '#server/database/page.ts'
import { rawQuery } from '#server/database/raw-query.ts'
import type { TimeKey } from '#server/modules/users/user-queries.ts'
import { folded } from '#server/platform/folding.ts'
import type { Metadata } from '#shared/contract/values.ts'

/** An Express customer as kept. */
export interface CustomerRecord {
  /** Order of creation, which is the order of every list. */
  readonly seq: number
  readonly expressCustomerId: string
  readonly expressCustomerName: string
  readonly isActive: boolean
  /** How many users are linked to it. */
  readonly userCount: number
  /** One of the two is null. */
  readonly createdByApiKeyId: string | null
  readonly createdByUserId: string | null
  /** Sealed at rest. */
  readonly metadata: Metadata | undefined
  readonly createdAt: string
  readonly updatedAt: string
}

export interface CustomerName {
  readonly expressCustomerId: string
  readonly expressCustomerName: string
}

/** That a user is linked to a customer, and since when. */
export interface CustomerLink {
  readonly userId: string
  readonly createdAt: string
}

export interface CustomerQuery extends SliceQuery {
  /** Contained in the name, without regard to case and accents. */
  readonly expressCustomerName?: string | undefined
}

export interface CustomersStore {
  get(expressCustomerId: string): CustomerRecord | undefined
  /** Newest first. */
  list(query: CustomerQuery): Slice<CustomerRecord>
  insert(customer: Omit<CustomerRecord, 'seq' | 'userCount'>): void
  /** Writes name, state, metadata and `updatedAt`. */
  update(customer: CustomerRecord): void
  /** Whether the user was not linked until now. */
  addUser(expressCustomerId: string, userId: string, at: string): boolean
  /** Whether the user was linked until now. */
  removeUser(expressCustomerId: string, userId: string): boolean
  /** The customers that the user is linked to. */
  idsOf(userId: string): string[]
  /** The same with their names, by name. */
  namesOf(userId: string): CustomerName[]
  /** At most `limit` links of users after the key (`id` is the user's), the newest first. */
  links(expressCustomerId: string, after: TimeKey | undefined, limit: number): CustomerLink[]
}

const COLUMNS = `seq, expressCustomerId, name as expressCustomerName, isActive, createdByApiKeyId, createdByUserId, sealedMetadata, createdAt,
  updatedAt, (select count(*) from customerUsers where customerUsers.expressCustomerId = expressCustomers.expressCustomerId) as userCount`
const LIST = `select ${COLUMNS} from expressCustomers where seq < ? and instr(nameFolded, ?) > 0 order by seq desc limit ?`
const NAMES = `select expressCustomerId, name as expressCustomerName from customerUsers join expressCustomers using (expressCustomerId)
  where userId = ? order by nameFolded, expressCustomerId`
const NEWEST = 'order by createdAt desc, userId desc limit ?'
const LINKS = `select userId, createdAt from customerUsers where expressCustomerId = ? ${NEWEST}`
const LINKS_AFTER = `select userId, createdAt from customerUsers where expressCustomerId = ? and (createdAt, userId) < (?, ?) ${NEWEST}`

export function customersStore(db: Database, seal: Seal): CustomersStore {
  const seen = (row: StoredCustomer) => recordOf(row, seal)
  return {
    get(expressCustomerId) {
      const row = db.get(
        rawQuery<StoredCustomer>(
          `select ${COLUMNS} from expressCustomers where expressCustomerId = ?`,
          [expressCustomerId],
        ),
      )
      return row && seen(row)
    },
    list({ expressCustomerName = '', after, limit }) {
      const before = BigInt(after ?? Number.MAX_SAFE_INTEGER)
      const rows = db.all(
        rawQuery<StoredCustomer>(LIST, [before, folded(expressCustomerName), limit + 1]),
      )
      const { items, ...rest } = sliceOf(rows, limit, (row) => row.seq)
      return { items: items.map(seen), ...rest }
    },
    insert({ expressCustomerName: name, isActive, metadata, ...customer }) {
      const sealedMetadata = sealMetadata(seal, customer.expressCustomerId, metadata)
      const row = {
        ...customer,
        name,
        nameFolded: folded(name),
        isActive: flag(isActive),
        sealedMetadata,
      }
      db.run(db.sql.insertInto('expressCustomers').values(row))
    },
    update({ seq, expressCustomerId, expressCustomerName: name, isActive, metadata, updatedAt }) {
      const sealedMetadata = sealMetadata(seal, expressCustomerId, metadata)
      const row = {
        name,
        nameFolded: folded(name),
        isActive: flag(isActive),
        sealedMetadata,
        updatedAt,
      }
      db.run(db.sql.updateTable('expressCustomers').set(row).where('seq', '=', seq))
    },
    addUser: (expressCustomerId, userId, createdAt) =>
      db.run(
        db.sql
          .insertInto('customerUsers')
          .values({ expressCustomerId, userId, createdAt })
          .onConflict((old) => old.doNothing()),
      ).changes > 0,
    removeUser: (expressCustomerId, userId) =>
      db.run(
        db.sql
          .deleteFrom('customerUsers')
          .where('expressCustomerId', '=', expressCustomerId)
          .where('userId', '=', userId),
      ).changes > 0,
    idsOf: (userId) =>
      db
        .all(
          rawQuery<{ expressCustomerId: string }>(
            'select expressCustomerId from customerUsers where userId = ? order by expressCustomerId',
            [userId],
          ),
        )
        .map(({ expressCustomerId }) => expressCustomerId),
    namesOf: (userId) => db.all(rawQuery<CustomerName>(NAMES, [userId])),
    links: (expressCustomerId, after, limit) =>
      after === undefined
        ? db.all(rawQuery<CustomerLink>(LINKS, [expressCustomerId, limit]))
        : db.all(
            rawQuery<CustomerLink>(LINKS_AFTER, [
              expressCustomerId,
              after.createdAt,
              after.id,
              limit,
            ]),
          ),
  }
}

/**
 * A partner's map, sealed: it may hold anything. The context is the id of the record that has it.
 */
export const sealMetadata = (
  seal: Seal,
  id: string,
  metadata: Metadata | undefined,
): Buffer | null =>
  metadata === undefined ? null : seal.seal(Buffer.from(JSON.stringify(metadata)), `metadata ${id}`)

type StoredCustomer = Omit<CustomerRecord, 'isActive' | 'metadata'> & {
  isActive: number
  sealedMetadata: Buffer | null
}

function recordOf({ sealedMetadata, ...row }: StoredCustomer, seal: Seal): CustomerRecord {
  const context = `metadata ${row.expressCustomerId}`
  const metadata =
    sealedMetadata === null ? undefined : JSON.parse(seal.open(sealedMetadata, context).toString())
  return { ...row, isActive: row.isActive === 1, metadata }
}
