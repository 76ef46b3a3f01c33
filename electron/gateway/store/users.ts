import type { SignedInUser } from '#shared/contract/people.ts'
import type { Database } from './database.ts'
import { flag } from './schema.ts'

export interface UserRecord extends SignedInUser {
  /** As `domain/password` prints it. */
  readonly passwordHash: string
  readonly createdAt: string
  readonly updatedAt: string
  /** Null for a live user. */
  readonly deactivatedAt: string | null
}

/** Accounts of the window; an e-mail, in any case, is one live user's. */
export interface UsersStore {
  count(): number
  /** By e-mail. */
  list(): UserRecord[]
  get(userId: string): UserRecord | undefined
  /** The live user of the address, compared without case. */
  byEmail(email: string): UserRecord | undefined
  insert(user: UserRecord): void
  update(user: UserRecord): void
}

/** What two spellings of one e-mail address have in common. */
export const emailKeyOf = (email: string) => email.trim().normalize('NFKC').toLowerCase()

export function usersStore(db: Database): UsersStore {
  const every = db.sql.selectFrom('users').selectAll()
  const first = (row: StoredUser | undefined) => row && userOf(row)
  return {
    count: () => db.get(db.sql.selectFrom('users').select((of) => of.fn.countAll<number>().as('count')))?.count ?? 0,
    list: () => db.all(every.orderBy('emailKey').orderBy('userId')).map(userOf),
    get: (userId) => first(db.get(every.where('userId', '=', userId))),
    byEmail: (email) => first(db.get(every.where('emailKey', '=', emailKeyOf(email)).where('deactivatedAt', 'is', null))),
    insert: (user) => void db.run(db.sql.insertInto('users').values(rowOf(user))),
    update(user) {
      const { userId, createdAt: _, ...changed } = rowOf(user)
      db.run(db.sql.updateTable('users').set(changed).where('userId', '=', userId))
    },
  }
}

const FLAGS = ['canManageStudies', 'canCreateReports', 'hasDashboardAccess'] as const
type StoredUser = { [K in keyof UserRecord | 'emailKey']: unknown }

const rowOf = (user: UserRecord) => ({
  ...user,
  emailKey: emailKeyOf(user.email),
  canManageStudies: flag(user.canManageStudies),
  canCreateReports: flag(user.canCreateReports),
  hasDashboardAccess: flag(user.hasDashboardAccess),
})

function userOf({ emailKey: _, ...row }: StoredUser): UserRecord {
  return { ...row, ...Object.fromEntries(FLAGS.map((name) => [name, row[name] === 1])) } as UserRecord
}
