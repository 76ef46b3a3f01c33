import type { Database } from '#server/database/database.ts'
import type { TimeKey } from '#server/database/page.ts'
import { flag, rawQuery } from '#server/database/query.ts'
import { folded } from '#server/platform/text.ts'
import type { ClinicRole, Level } from '#shared/contract/people.ts'
import type { InvitationStatus } from '#shared/contract/users.ts'
import type { ExpressCustomerId, UserId } from '#shared/ids.ts'

// The tables users, passwordChanges and invitations, and the customers that users are linked to.
// Accounts of the window and of the interface are one table.

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
  /** As `Passwords` prints it; null until the invitation is accepted. */
  readonly passwordHash: string | null
  readonly invitedSource: 'dashboard' | 'api'
  readonly createdAt: string
  readonly updatedAt: string
  /** Null for a live user. */
  readonly deactivatedAt: string | null
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

/** What two spellings of one e-mail address have in common. */
export const emailKeyOf = (email: string) => email.trim().normalize('NFKC').toLowerCase()

type Named = Pick<PersonFields, 'firstName' | 'lastName'>
export const fullName = ({ firstName, lastName }: Named) => `${firstName} ${lastName}`

/** A person as windows and reports name them. */
export interface NamedUser {
  readonly userId: UserId
  readonly name: string
}
export const namedUser = (user: Named & { readonly userId: UserId }): NamedUser => ({
  userId: user.userId,
  name: fullName(user),
})

/** As `namedUser`; a user who is not known has the id for a name. */
export function namedUserOf(database: Database, userId: string): NamedUser {
  const user = findUser(database, userId)
  return user ? namedUser(user) : { userId: userId as UserId, name: userId }
}

const everyUser = ({ sql }: Database) => sql.selectFrom('users').selectAll()

/** How many can sign in with a password, or could before they were deactivated. */
export const countUsers = (database: Database) =>
  database.get(
    database.sql
      .selectFrom('users')
      .select((of) => of.fn.countAll<number>().as('count'))
      .where('passwordHash', 'is not', null),
  )?.count ?? 0

/** By e-mail. */
export const allUsers = (database: Database) =>
  database.all(everyUser(database).orderBy('emailKey').orderBy('userId')).map(personOf<UserRecord>)

export const findUser = (database: Database, userId: string) =>
  personIn<UserRecord>(database.get(everyUser(database).where('userId', '=', userId)))

/** The live user of the address, compared without case: there is one at most. */
export const userByEmail = (database: Database, email: string) =>
  personIn<UserRecord>(
    database.get(
      everyUser(database)
        .where('emailKey', '=', emailKeyOf(email))
        .where('deactivatedAt', 'is', null),
    ),
  )

/** Rows read at a time while a contains-filter is applied. */
const SLICE = 500

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
    const rows = usersSlice(database, filters, last, SLICE)
    found.push(
      ...rows.filter((user) => wanted.every(({ name, key }) => folded(user[name]).includes(key))),
    )
    const end = rows.at(-1)
    if (found.length >= limit || rows.length < SLICE || !end) return found.slice(0, limit)
    last = { createdAt: end.createdAt, id: end.userId }
  }
}

function usersSlice(
  database: Database,
  { email, level, invitedSource, canCreateReports }: UserFilters,
  after: TimeKey | undefined,
  limit: number,
): UserRecord[] {
  let query = everyUser(database).orderBy('createdAt', 'desc').orderBy('userId', 'desc')
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

/** When the password was set last; null where it was before this was noted. */
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

/** An invitation; it carries the user's fields as they were while it was open. */
export interface InvitationRecord extends PersonFields {
  readonly invitationId: string
  readonly userId: string
  readonly status: InvitationStatus
  readonly invitedSource: 'dashboard' | 'api'
  /** The user who invited; null through the interface. */
  readonly inviterId: string | null
  readonly invitedByApiKeyId: string | null
  /** SHA-256 in hex of the link's token, which is not kept. */
  readonly tokenHash: string
  /** Null: never. */
  readonly expiry: string | null
  readonly createdAt: string
  readonly updatedAt: string
}

/** Filters of the interface's list call; what is absent does not filter. */
export interface InvitationFilters {
  readonly status?: readonly InvitationStatus[] | undefined
  /** Whether an invitation that is still `sent` is past its expiry at `now`. */
  readonly expired?: boolean | undefined
  readonly userId?: string | undefined
  /** Made at this instant or later. */
  readonly from?: string | undefined
  /** Made before this instant. */
  readonly before?: string | undefined
}

const everyInvitation = ({ sql }: Database) => sql.selectFrom('invitations').selectAll()

export const findInvitation = (database: Database, invitationId: string) =>
  personIn<InvitationRecord>(
    database.get(everyInvitation(database).where('invitationId', '=', invitationId)),
  )

export const invitationByTokenHash = (database: Database, tokenHash: string) =>
  personIn<InvitationRecord>(
    database.get(everyInvitation(database).where('tokenHash', '=', tokenHash)),
  )

/** The user's newest. */
export const invitationOfUser = (database: Database, userId: string) =>
  personIn<InvitationRecord>(
    database.get(
      everyInvitation(database)
        .where('userId', '=', userId)
        .orderBy('createdAt', 'desc')
        .orderBy('invitationId', 'desc')
        .limit(1),
    ),
  )

/** The one of the address that can still be accepted at `now`. */
export const pendingInvitationByEmail = (database: Database, email: string, now: string) =>
  personIn<InvitationRecord>(
    database.get(
      everyInvitation(database)
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
  let query = everyInvitation(database)
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

const FLAGS = ['canManageStudies', 'canCreateReports', 'hasDashboardAccess'] as const

const rowOf = <T extends PersonFields>(person: T) => ({
  ...(person as Omit<T, (typeof FLAGS)[number]>),
  emailKey: emailKeyOf(person.email),
  canManageStudies: flag(person.canManageStudies),
  canCreateReports: flag(person.canCreateReports),
  hasDashboardAccess: flag(person.hasDashboardAccess),
})

function personOf<T extends PersonFields>({
  emailKey: _,
  ...row
}: { readonly emailKey: string } & { readonly [K in (typeof FLAGS)[number]]: number }): T {
  return { ...row, ...Object.fromEntries(FLAGS.map((name) => [name, row[name] === 1])) } as never
}

const personIn = <T extends PersonFields>(row: Parameters<typeof personOf>[0] | undefined) =>
  row && personOf<T>(row)
