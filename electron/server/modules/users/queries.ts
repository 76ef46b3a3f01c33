import type { Database } from '#server/database/database.ts'
import type { TimeKey } from '#server/database/page.ts'
import { flag, rawQuery } from '#server/database/query.ts'
import { folded } from '#server/platform/text.ts'
import type { ClinicRole, Level } from '#shared/contract/people.ts'
import type { InvitationStatus } from '#shared/contract/users.ts'
import type { ExpressCustomerId, UserId } from '#shared/ids.ts'

// The tables users, passwordChanges and invitations, and the customers that users are linked to.
// Accounts of the window and of the interface share one table.

/** The fields that a user and their invitation have in common; missing texts are null. */
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
   * The interface's `level`, which grants no permission. `level` determines the permissions in the
   * gateway and is set in the window.
   */
  readonly interfaceLevel: Level
  readonly lastLoginAt: string | null
  /** In the format of `Passwords`; null until the invitation is accepted. */
  readonly passwordHash: string | null
  readonly invitedSource: 'dashboard' | 'api'
  readonly createdAt: string
  readonly updatedAt: string
  /** Null for an active user. */
  readonly deactivatedAt: string | null
}

/** Filters of the interface's list call; what is absent does not filter. */
export interface UserFilters {
  /** Exact match, ignoring case. */
  readonly email?: string | undefined
  /** Substring, ignoring case and accents. */
  readonly firstName?: string | undefined
  readonly lastName?: string | undefined
  /** The interface's `level`. */
  readonly level?: Level | undefined
  readonly invitedSource?: 'dashboard' | 'api' | undefined
  readonly canCreateReports?: boolean | undefined
}

/** Normalizes an e-mail address for comparison. */
export const emailKeyOf = (email: string) => email.trim().normalize('NFKC').toLowerCase()

type PersonName = Pick<PersonFields, 'firstName' | 'lastName'>
export const fullName = ({ firstName, lastName }: PersonName) => `${firstName} ${lastName}`

/** A user with their display name. */
export interface NamedUser {
  readonly userId: UserId
  readonly name: string
}
export const namedUser = (user: PersonName & { readonly userId: UserId }): NamedUser => ({
  userId: user.userId,
  name: fullName(user),
})

/** Like `namedUser`; an unknown user has the ID as name. */
export function namedUserOf(database: Database, userId: string): NamedUser {
  const user = findUser(database, userId)
  return user ? namedUser(user) : { userId: userId as UserId, name: userId }
}

const selectUsers = ({ sql }: Database) => sql.selectFrom('users').selectAll()

/** Counts the users who have a password, including deactivated ones. */
export const countUsers = (database: Database) =>
  database.get(
    database.sql
      .selectFrom('users')
      .select((of) => of.fn.countAll<number>().as('count'))
      .where('passwordHash', 'is not', null),
  )?.count ?? 0

/** All users, by e-mail address. */
export const allUsers = (database: Database) =>
  database
    .all(selectUsers(database).orderBy('emailKey').orderBy('userId'))
    .map(personOf<UserRecord>)

export const findUser = (database: Database, userId: string) =>
  personOfRow<UserRecord>(database.get(selectUsers(database).where('userId', '=', userId)))

/** The active user with the address, ignoring case; there is at most one. */
export const userByEmail = (database: Database, email: string) =>
  personOfRow<UserRecord>(
    database.get(
      selectUsers(database)
        .where('emailKey', '=', emailKeyOf(email))
        .where('deactivatedAt', 'is', null),
    ),
  )

/** Whether an account with the address, ignoring case, had its access revoked. */
export const hasDeactivatedUser = (database: Database, email: string): boolean =>
  database.get(
    selectUsers(database)
      .where('emailKey', '=', emailKeyOf(email))
      .where('deactivatedAt', 'is not', null)
      .limit(1),
  ) !== undefined

/** Rows read at a time while a substring filter is applied. */
const ROWS_PER_READ = 500

/** At most `limit` users after the key, newest first. */
export function usersPage(
  database: Database,
  filters: UserFilters,
  after: TimeKey | undefined,
  limit: number,
): UserRecord[] {
  const wanted = (['firstName', 'lastName'] as const).flatMap((name) => {
    const text = filters[name]
    return text === undefined ? [] : [{ name, key: folded(text) }]
  })
  if (wanted.length === 0) return usersSlice(database, filters, after, limit)
  const found: UserRecord[] = []
  for (let last = after; ; ) {
    const rows = usersSlice(database, filters, last, ROWS_PER_READ)
    found.push(
      ...rows.filter((user) => wanted.every(({ name, key }) => folded(user[name]).includes(key))),
    )
    const end = rows.at(-1)
    if (found.length >= limit || rows.length < ROWS_PER_READ || !end) return found.slice(0, limit)
    last = { createdAt: end.createdAt, id: end.userId }
  }
}

function usersSlice(
  database: Database,
  { email, level, invitedSource, canCreateReports }: UserFilters,
  after: TimeKey | undefined,
  limit: number,
): UserRecord[] {
  let query = selectUsers(database).orderBy('createdAt', 'desc').orderBy('userId', 'desc')
  if (after)
    query = query.where((of) =>
      of(of.refTuple('createdAt', 'userId'), '<', of.tuple(after.createdAt, after.id)),
    )
  if (email !== undefined) query = query.where('emailKey', '=', emailKeyOf(email))
  if (level !== undefined) query = query.where('interfaceLevel', '=', level)
  if (invitedSource !== undefined) query = query.where('invitedSource', '=', invitedSource)
  if (canCreateReports !== undefined)
    query = query.where('canCreateReports', '=', flag(canCreateReports))
  return database.all(query.limit(limit)).map(personOf<UserRecord>)
}

export const insertUser = (database: Database, user: UserRecord) =>
  database.run(database.sql.insertInto('users').values(rowOf(user)))

export function updateUser(database: Database, user: UserRecord) {
  const { userId, createdAt: _, ...changed } = rowOf(user)
  database.run(database.sql.updateTable('users').set(changed).where('userId', '=', userId))
}

/** When the password was last changed; null if it was changed before this was recorded. */
export const passwordChangedAt = (database: Database, userId: string) =>
  database.get(database.sql.selectFrom('passwordChanges').select('at').where('userId', '=', userId))
    ?.at ?? null

export function notePasswordChange(database: Database, userId: string, at: string) {
  const query = database.sql.insertInto('passwordChanges').values({ userId, at })
  database.run(query.onConflict((old) => old.column('userId').doUpdateSet({ at })))
}

/** The customers that the user is linked to, by name. */
export const customersOfUser = (database: Database, userId: string) =>
  database.all(
    rawQuery<{
      readonly expressCustomerId: ExpressCustomerId
      readonly expressCustomerName: string
    }>(
      `select expressCustomerId, name as expressCustomerName from customerUsers join expressCustomers using (expressCustomerId)
        where userId = ? order by nameFolded, expressCustomerId`,
      [userId],
    ),
  )

export const customerIdsOfUser = (database: Database, userId: string) =>
  database
    .all(
      rawQuery<{ expressCustomerId: ExpressCustomerId }>(
        'select expressCustomerId from customerUsers where userId = ? order by expressCustomerId',
        [userId],
      ),
    )
    .map(({ expressCustomerId }) => expressCustomerId)

/** An invitation, with the user's fields as they were while it was pending. */
export interface InvitationRecord extends PersonFields {
  readonly invitationId: string
  readonly userId: string
  readonly status: InvitationStatus
  readonly invitedSource: 'dashboard' | 'api'
  /** The inviter; null for invitations through the interface. */
  readonly inviterId: string | null
  readonly invitedByApiKeyId: string | null
  /** SHA-256 in hex of the token in the link, which is not stored. */
  readonly tokenHash: string
  /** Null if it does not expire. */
  readonly expiry: string | null
  readonly createdAt: string
  readonly updatedAt: string
}

/** Filters of the interface's list call; what is absent does not filter. */
export interface InvitationFilters {
  readonly status?: readonly InvitationStatus[] | undefined
  /** Whether an invitation with status `sent` has expired at `now`. */
  readonly expired?: boolean | undefined
  readonly userId?: string | undefined
  /** Created at or after this instant. */
  readonly from?: string | undefined
  /** Created before this instant. */
  readonly before?: string | undefined
}

const selectInvitations = ({ sql }: Database) => sql.selectFrom('invitations').selectAll()

export const findInvitation = (database: Database, invitationId: string) =>
  personOfRow<InvitationRecord>(
    database.get(selectInvitations(database).where('invitationId', '=', invitationId)),
  )

export const invitationByTokenHash = (database: Database, tokenHash: string) =>
  personOfRow<InvitationRecord>(
    database.get(selectInvitations(database).where('tokenHash', '=', tokenHash)),
  )

/** The newest invitation of a user. */
export const invitationOfUser = (database: Database, userId: string) =>
  personOfRow<InvitationRecord>(
    database.get(
      selectInvitations(database)
        .where('userId', '=', userId)
        .orderBy('createdAt', 'desc')
        .orderBy('invitationId', 'desc')
        .limit(1),
    ),
  )

/** The invitation for the address that can still be accepted at `now`. */
export const pendingInvitationByEmail = (database: Database, email: string, now: string) =>
  personOfRow<InvitationRecord>(
    database.get(
      selectInvitations(database)
        .where('emailKey', '=', emailKeyOf(email))
        .where('status', '=', 'sent')
        .where((of) => of.or([of('expiry', 'is', null), of('expiry', '>', now)]))
        .limit(1),
    ),
  )

/** At most `limit` invitations after the key, newest first. */
export function invitationsPage(
  database: Database,
  { status, expired, userId, from, before }: InvitationFilters,
  now: string,
  after: TimeKey | undefined,
  limit: number,
): InvitationRecord[] {
  let query = selectInvitations(database)
    .orderBy('createdAt', 'desc')
    .orderBy('invitationId', 'desc')
    .limit(limit)
  if (after)
    query = query.where((of) =>
      of(of.refTuple('createdAt', 'invitationId'), '<', of.tuple(after.createdAt, after.id)),
    )
  if (status) query = query.where('status', 'in', status)
  if (expired === true) query = query.where('status', '=', 'sent').where('expiry', '<=', now)
  if (expired === false)
    query = query.where((of) =>
      of.or([of('status', '<>', 'sent'), of('expiry', 'is', null), of('expiry', '>', now)]),
    )
  if (userId !== undefined) query = query.where('userId', '=', userId)
  if (from !== undefined) query = query.where('createdAt', '>=', from)
  if (before !== undefined) query = query.where('createdAt', '<', before)
  return database.all(query).map(personOf<InvitationRecord>)
}

export const insertInvitation = (database: Database, invitation: InvitationRecord) =>
  database.run(database.sql.insertInto('invitations').values(rowOf(invitation)))

export function updateInvitation(database: Database, invitation: InvitationRecord) {
  const { invitationId, createdAt: _, ...changed } = rowOf(invitation)
  database.run(
    database.sql.updateTable('invitations').set(changed).where('invitationId', '=', invitationId),
  )
}

const PERMISSION_FLAGS = ['canManageStudies', 'canCreateReports', 'hasDashboardAccess'] as const

const rowOf = <T extends PersonFields>(person: T) => ({
  ...(person as Omit<T, (typeof PERMISSION_FLAGS)[number]>),
  emailKey: emailKeyOf(person.email),
  canManageStudies: flag(person.canManageStudies),
  canCreateReports: flag(person.canCreateReports),
  hasDashboardAccess: flag(person.hasDashboardAccess),
})

function personOf<T extends PersonFields>({
  emailKey: _,
  ...row
}: { readonly emailKey: string } & {
  readonly [K in (typeof PERMISSION_FLAGS)[number]]: number
}): T {
  return {
    ...row,
    ...Object.fromEntries(PERMISSION_FLAGS.map((name) => [name, row[name] === 1])),
  } as never
}

const personOfRow = <T extends PersonFields>(row: Parameters<typeof personOf>[0] | undefined) =>
  row && personOf<T>(row)
