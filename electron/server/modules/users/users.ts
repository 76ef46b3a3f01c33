import { differences, note } from '#server/audit-log/audit.ts'
import type { Context } from '#server/context.ts'
import type { TimeKey } from '#server/database/page.ts'
import { instantOf } from '#server/platform/clock.ts'
import { folded } from '#server/platform/text.ts'
import type { WindowOutcome } from '#shared/contract/conventions.ts'
import { ApiError, type FieldFault } from '#shared/errors.ts'
import { message } from '#shared/messages/message.ts'
import { actorOf, type Caller, requirePermission } from './caller.ts'
import { identityOfUser } from './identity-queries.ts'
import * as queries from './queries.ts'
import { endSessionsOf } from './sessions.ts'
import { deleteSignInLinksOf } from './sign-in-queries.ts'
import { deleteViewsOf, revokeLinksOf } from './viewer-queries.ts'

/** A page of a list, newest first; `next` is the key after which the next page starts. */
export interface ListPage<T> {
  readonly items: T[]
  readonly next: TimeKey | undefined
}
export interface ListPosition {
  readonly after?: TimeKey | undefined
  /** 1 to 100 rows. */
  readonly limit: number
}

/**
 * A patch: missing fields are unchanged, null clears a field. The e-mail address cannot be changed.
 */
export type PersonPatch = {
  readonly [K in keyof Omit<queries.PersonFields, 'email'>]?: queries.PersonFields[K] | undefined
}

/**
 * Lists users, newest first.
 * @throws ApiError not-permitted
 */
export function listUsers(
  { database }: Context,
  caller: Caller,
  filters: queries.UserFilters,
  { after, limit }: ListPosition,
): ListPage<queries.UserRecord> {
  requirePermission(caller, 'readStudies')
  const rows = queries.usersPage(database, filters, after, limit + 1)
  return pageOfRows(rows, limit, ({ createdAt, userId }) => ({ createdAt, id: userId }))
}

/** @throws ApiError not-permitted, not-found */
export function readUser(context: Context, caller: Caller, userId: string): queries.UserRecord {
  requirePermission(caller, 'readStudies')
  return requireUser(context, userId)
}

/**
 * Changes a user and their pending invitation.
 * @throws ApiError not-found; not-permitted: only an owner may change an owner; refused: an API key
 *   changes an owner, an administrator would have no access to the window, reports could be created
 *   without an NPI, or the last owner would lose that level
 */
export function updateUser(
  context: Context,
  caller: Caller,
  userId: string,
  patch: PersonPatch,
): queries.UserRecord {
  const { database, clock } = context
  return database.transaction(() => {
    requirePermission(caller, 'manageUsers')
    const before = requireUser(context, userId)
    checkCanChangeUser(caller, before)
    if (patch.level === 'owner' && before.level !== 'owner') requireOwner(caller)
    const after = patchedUser(caller, before, patch)
    checkPerson(after, patch)
    if (caller.kind === 'api-key') checkPerson({ ...after, level: after.interfaceLevel }, patch)
    if (isLastOwner(context, before) && after.level !== 'owner') throw lastOwnerError('body.level')
    const changes = differences<queries.PersonFields & Pick<queries.UserRecord, 'interfaceLevel'>>(
      before,
      after,
    )
    if (Object.keys(changes).length === 0) return before
    const updatedAt = instantOf(clock())
    const changed = { ...after, updatedAt }
    queries.updateUser(database, changed)
    if (!after.hasDashboardAccess) {
      endSessionsOf(context, userId)
      deleteViewsOf(database, userId, 'window')
    }
    const invitation = queries.invitationOfUser(database, userId)
    if (invitation && isPending(invitation, updatedAt)) {
      const level = after.interfaceLevel
      queries.updateInvitation(database, { ...applyPatch(invitation, patch), level, updatedAt })
    }
    note(context, actorOf(caller), 'user.update', userId, changes)
    return changed
  })
}

/**
 * Revokes a user's access and ends their sessions and links immediately. Succeeds if it is revoked
 * already.
 * @throws ApiError those of `updateUser`; refused: an API key revokes an administrator of the
 *   gateway
 */
export function revokeAccess(context: Context, caller: Caller, userId: string): WindowOutcome {
  const { database, clock } = context
  return database.transaction(() => {
    const user = requireManagedUser(context, caller, userId)
    if (user.deactivatedAt !== null)
      return { success: true, message: message('users.no-access-already') }
    if (isLastOwner(context, user))
      return { success: false, message: message('users.last-owner-access') }
    const at = instantOf(clock())
    queries.updateUser(database, { ...user, deactivatedAt: at, updatedAt: at })
    endSessionsOf(context, userId)
    deleteSignInLinksOf(database, userId)
    revokeLinksOf(database, userId, at)
    deleteViewsOf(database, userId)
    note(context, actorOf(caller), 'user.revoke-access', userId)
    return { success: true, message: message('users.no-access-now') }
  })
}

/**
 * Restores a user's access with the former permissions. Fails (`success: false`) if the user is
 * active.
 * @throws ApiError those of `revokeAccess`
 */
export function reactivateUser(context: Context, caller: Caller, userId: string): WindowOutcome {
  const { database, clock } = context
  return database.transaction(() => {
    const user = requireManagedUser(context, caller, userId)
    if (user.deactivatedAt === null) return { success: false, message: message('users.active') }
    const at = instantOf(clock())
    const invitation = queries.invitationOfUser(database, userId)
    if (!canSignIn(context, user) && !(invitation && isPending(invitation, at)))
      return {
        success: false,
        message: message('users.invitation-never-accepted'),
      }
    if (queries.userByEmail(database, user.email))
      return { success: false, message: message('users.email-taken-meanwhile') }
    queries.updateUser(database, { ...user, deactivatedAt: null, updatedAt: at })
    note(context, actorOf(caller), 'user.reactivate', userId)
    return { success: true, message: message('users.access-again') }
  })
}

/** First and last name of an audit log actor that is a user. */
export function actorName({ database }: Context, actor: string): string | undefined {
  if (!actor.startsWith('user:')) return undefined
  const user = queries.findUser(database, actor.slice('user:'.length))
  return user && queries.fullName(user)
}

/** Whether the user has a password or an account at the identity provider. */
export const canSignIn = (
  { database }: Context,
  { userId, passwordHash }: Pick<queries.UserRecord, 'userId' | 'passwordHash'>,
): boolean => passwordHash !== null || identityOfUser(database, userId) !== undefined

/** @throws ApiError not-found */
export function requireUser({ database }: Context, userId: string): queries.UserRecord {
  const user = queries.findUser(database, userId)
  if (!user) throw new ApiError('not-found', message('users.user-unknown'))
  return user
}

/**
 * Returns a user whose access the caller may revoke and restore.
 * @throws ApiError those of `revokeAccess`
 */
function requireManagedUser(context: Context, caller: Caller, userId: string): queries.UserRecord {
  requirePermission(caller, 'manageUsers')
  const user = requireUser(context, userId)
  checkCanChangeUser(caller, user)
  checkCanChangeAccess(caller, user)
  return user
}

const isLastOwner = ({ database }: Context, user: queries.UserRecord) =>
  user.level === 'owner' &&
  user.deactivatedAt === null &&
  !queries
    .allUsers(database)
    .some(
      ({ userId, level, deactivatedAt }) =>
        userId !== user.userId && level === 'owner' && deactivatedAt === null,
    )

/**
 * Whether an invitation can still be accepted at `now`. The status of an expired one remains
 * `sent`.
 */
export const isPending = (
  { status, expiry }: { readonly status: string; readonly expiry: string | null },
  now: string,
): boolean => status === 'sent' && (expiry === null || expiry > now)

/**
 * Checks that whoever manages the gateway has access to the window, and whoever writes reports has
 * an NPI. `person` is the record after the change.
 * @throws ApiError refused
 */
export function checkPerson(person: queries.PersonFields, given: PersonPatch): void {
  const errors: FieldFault[] = []
  if (person.level !== 'member' && !person.hasDashboardAccess)
    errors.push({
      path: 'body.hasDashboardAccess',
      message: message('users.level-needs-window', { level: person.level }),
    })
  // Accounts created before NPIs were required keep working until the permission is changed.
  if (
    person.canCreateReports &&
    person.npiNumber === null &&
    (given.canCreateReports === true || given.npiNumber === null)
  )
    errors.push({
      path: 'body.npiNumber',
      message: message('users.npi-needed'),
    })
  if (errors.length > 0)
    throw new ApiError(
      'refused',
      errors
        .map(({ path, message: fault }) => message('input.field', { path: path.slice(5), fault }))
        .reduce((first, second) => message('input.fields', { first, second })),
      { errors },
    )
}

/** Applies the given fields of a patch to a record. */
export const applyPatch = <T extends queries.PersonFields>(before: T, patch: PersonPatch): T => ({
  ...before,
  ...Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined)),
})

/**
 * Applies a patch to a user. An API key changes only the interface's `level`: the permission to
 * manage the gateway is granted and revoked in the window (decision 0033).
 */
export function patchedUser(
  caller: Caller,
  before: queries.UserRecord,
  { level, ...patch }: PersonPatch,
): queries.UserRecord {
  const after = applyPatch(before, patch)
  // A level that was set by a key must not prevent the window from revoking its access.
  if (caller.kind === 'user' && (level ?? before.level) === 'member' && !after.hasDashboardAccess)
    return { ...after, level: 'member', interfaceLevel: 'member' }
  // A form of the window sends the level even if it is unchanged.
  if (level === undefined || (caller.kind === 'user' && level === before.level)) return after
  return caller.kind === 'user'
    ? { ...after, level, interfaceLevel: level }
    : { ...after, interfaceLevel: level }
}

/**
 * Prevents an API key from revoking or restoring the permission to manage the gateway.
 * @throws ApiError refused
 */
export function checkCanChangeAccess(
  caller: Caller,
  { level }: Pick<queries.UserRecord, 'level'>,
): void {
  if (caller.kind === 'api-key' && level !== 'member')
    throw new ApiError('refused', message('users.administrator-window-only'))
}

/** Makes a page of rows that were read with a limit of `limit + 1`. */
export function pageOfRows<T>(
  rows: readonly T[],
  limit: number,
  keyOf: (row: T) => TimeKey,
): ListPage<T> {
  const items = rows.slice(0, limit)
  const last = items.at(-1)
  return { items, next: rows.length > limit && last ? keyOf(last) : undefined }
}

function checkCanChangeUser(caller: Caller, user: queries.UserRecord): void {
  if (user.level === 'owner') requireOwner(caller)
}

/** Checks that the caller may change an owner: only an owner in the window may. */
function requireOwner(caller: Caller): void {
  if (caller.kind === 'api-key') throw new ApiError('refused', message('users.owner-window-only'))
  if (caller.user.level !== 'owner')
    throw new ApiError('not-permitted', message('users.owner-by-owner-only'))
}

const lastOwnerError = (path: string) =>
  new ApiError('refused', message('users.last-owner'), {
    errors: [{ path, message: message('users.last-owner-field') }],
  })

/**
 * Matches a user if every word of the search text occurs in their names or e-mail address, ignoring
 * case and accents.
 */
export function personMatcher(search: string): (user: queries.UserRecord) => boolean {
  const words = folded(search)
    .split(/\s+/)
    .filter((word) => word !== '')
  return ({ firstName, middleName, lastName, suffix1, suffix2, email }) => {
    if (words.length === 0) return true
    const text = folded([firstName, middleName, lastName, suffix1, suffix2, email].join(' '))
    return words.every((word) => text.includes(word))
  }
}

const ROWS_PER_READ = 100

/**
 * Reads a page of the items that are wanted, reading on until the page is full or the list ends.
 * That is fast enough for the hundreds of users of a clinic.
 */
export function filteredPage<T>(
  read: (place: ListPosition) => ListPage<T>,
  keyOf: (item: T) => TimeKey,
  isWanted: (item: T) => boolean,
  { after, limit }: ListPosition,
): ListPage<T> {
  const items: T[] = []
  for (let position = after; ; ) {
    const page = read({ after: position, limit: ROWS_PER_READ })
    for (const item of page.items) {
      if (!isWanted(item)) continue
      const last = items.at(-1)
      if (items.length === limit && last) return { items, next: keyOf(last) }
      items.push(item)
    }
    if (!page.next) return { items, next: undefined }
    position = page.next
  }
}
