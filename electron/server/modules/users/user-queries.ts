import type { Database } from '#server/database/database.ts'
import { flag } from '#server/database/flag.ts'
import type { ClinicRole, Level } from '#shared/contract/people.ts'
import type { UserId } from '#shared/ids.ts'

/** What a user record and the invitation that made it have in common; absent texts are null. */
export interface PersonFields {
  readonly email: string
  readonly firstName: string
  readonly lastName: string
  readonly middleName: string | null
  readonly suffix1: string | null
  readonly suffix2: string | null
  readonly phoneNumber: string | null
  readonly npiNumber: string | null
  readonly clinicRole: ClinicRole
  readonly level: Level
  readonly canManageStudies: boolean
  readonly canCreateReports: boolean
  readonly hasDashboardAccess: boolean
}

export interface UserRecord extends PersonFields {
  readonly userId: UserId
  /**
   * The interface's `level`, which gives no right; `level` is the right in the gateway, given in
   * the window.
   */
  readonly interfaceLevel: Level
  readonly lastLoginAt: string | null
  /** As `domain/password` prints it; null until the invitation is accepted. */
  readonly passwordHash: string | null
  readonly invitedSource: 'dashboard' | 'api'
  readonly createdAt: string
  readonly updatedAt: string
  /** Null for a live user. */
  readonly deactivatedAt: string | null
}

/** The row after which a list goes on, newest first by (`createdAt`, id). */
export interface TimeKey {
  readonly createdAt: string
  readonly id: string
}

/** Filters of the interface's list call; what is absent does not filter. */
export interface UserFilters {
  /** Exact, compared without case. */
  readonly email?: string | undefined
  /** Contains, compared without case and accents. */
  readonly firstName?: string | undefined
  readonly lastName?: string | undefined
  /** The interface's. */
  readonly level?: Level | undefined
  readonly invitedSource?: 'dashboard' | 'api' | undefined
  readonly canCreateReports?: boolean | undefined
}

/**
 * Accounts of the window and of the interface, one table; an e-mail, in any case, is one live
 * user's.
 */
export interface UsersStore {
  /** Users who can sign in with a password, or could before they were deactivated. */
  count(): number
  /** By e-mail. */
  list(): UserRecord[]
  /** At most `limit` rows after the key, newest first. */
  page(filters: UserFilters, after: TimeKey | undefined, limit: number): UserRecord[]
  get(userId: string): UserRecord | undefined
  /** The live user of the address, compared without case. */
  byEmail(email: string): UserRecord | undefined
  insert(user: UserRecord): void
  update(user: UserRecord): void
  /** When the password was set last; null where it was before this was noted. */
  passwordChangedAt(userId: string): string | null
  notePassword(userId: string, at: string): void
}

/** What two spellings of one e-mail address have in common. */
export const emailKeyOf = (email: string) => email.trim().normalize('NFKC').toLowerCase()

/**
 * What two spellings of a name have in common for a contains-filter: case and accents do not count.
 */
const nameKeyOf = (name: string) =>
  name
    .normalize('NFKD')
    .replace(/\p{Mark}/gu, '')
    .toLowerCase()

/** Rows read at a time while a contains-filter is applied. */
const SLICE = 500

export function usersStore(db: Database): UsersStore {
  const every = db.sql.selectFrom('users').selectAll()
  const first = (row: StoredUser | undefined) => row && userOf(row)

  function slice(filters: UserFilters, after: TimeKey | undefined, limit: number): UserRecord[] {
    let query = every.orderBy('createdAt', 'desc').orderBy('userId', 'desc').limit(limit)
    if (after)
      query = query.where((of) =>
        of(of.refTuple('createdAt', 'userId'), '<', of.tuple(after.createdAt, after.id)),
      )
    if (filters.email !== undefined) query = query.where('emailKey', '=', emailKeyOf(filters.email))
    if (filters.level !== undefined) query = query.where('interfaceLevel', '=', filters.level)
    if (filters.invitedSource !== undefined)
      query = query.where('invitedSource', '=', filters.invitedSource)
    if (filters.canCreateReports !== undefined)
      query = query.where('canCreateReports', '=', flag(filters.canCreateReports))
    return db.all(query).map(userOf)
  }

  return {
    count: () =>
      db.get(
        db.sql
          .selectFrom('users')
          .select((of) => of.fn.countAll<number>().as('count'))
          .where('passwordHash', 'is not', null),
      )?.count ?? 0,
    list: () => db.all(every.orderBy('emailKey').orderBy('userId')).map(userOf),
    page(filters, after, limit) {
      const wanted = (['firstName', 'lastName'] as const).flatMap((name) => {
        const text = filters[name]
        return text === undefined ? [] : [{ name, key: nameKeyOf(text) }]
      })
      if (wanted.length === 0) return slice(filters, after, limit)
      const found: UserRecord[] = []
      for (let last = after; ; ) {
        const rows = slice(filters, last, SLICE)
        found.push(
          ...rows.filter((user) =>
            wanted.every(({ name, key }) => nameKeyOf(user[name]).includes(key)),
          ),
        )
        const end = rows.at(-1)
        if (found.length >= limit || rows.length < SLICE || !end) return found.slice(0, limit)
        last = { createdAt: end.createdAt, id: end.userId }
      }
    },
    get: (userId) => first(db.get(every.where('userId', '=', userId))),
    byEmail: (email) =>
      first(
        db.get(every.where('emailKey', '=', emailKeyOf(email)).where('deactivatedAt', 'is', null)),
      ),
    insert: (user) => void db.run(db.sql.insertInto('users').values(rowOf(user))),
    update(user) {
      const { userId, createdAt: _, ...changed } = rowOf(user)
      db.run(db.sql.updateTable('users').set(changed).where('userId', '=', userId))
    },
    passwordChangedAt: (userId) =>
      db.get(db.sql.selectFrom('passwordChanges').select('at').where('userId', '=', userId))?.at ??
      null,
    notePassword(userId, at) {
      const query = db.sql.insertInto('passwordChanges').values({ userId, at })
      db.run(query.onConflict((old) => old.column('userId').doUpdateSet({ at })))
    },
  }
}

export const PERSON_FLAGS = ['canManageStudies', 'canCreateReports', 'hasDashboardAccess'] as const
type StoredUser = { [K in keyof UserRecord]: unknown }

const rowOf = (user: UserRecord) => ({
  ...user,
  emailKey: emailKeyOf(user.email),
  canManageStudies: flag(user.canManageStudies),
  canCreateReports: flag(user.canCreateReports),
  hasDashboardAccess: flag(user.hasDashboardAccess),
})

function userOf(row: StoredUser & { emailKey?: unknown }): UserRecord {
  const { emailKey: _, ...user } = row
  return {
    ...user,
    ...Object.fromEntries(PERSON_FLAGS.map((name) => [name, row[name] === 1])),
  } as UserRecord
}
