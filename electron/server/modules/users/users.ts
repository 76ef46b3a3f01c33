import { differences, note } from '#server/audit-log/audit.ts'
import type { Context } from '#server/context.ts'
import type { TimeKey } from '#server/database/page.ts'
import { instantOf } from '#server/platform/clock.ts'
import { folded } from '#server/platform/text.ts'
import type { WindowOutcome } from '#shared/contract/conventions.ts'
import { ApiError, type FieldFault } from '#shared/errors.ts'
import { message } from '#shared/messages/message.ts'
import { actorOf, type Caller, demand } from './caller.ts'
import * as queries from './queries.ts'
import { endSessionsOf } from './sessions.ts'
import { deleteSignInLinksOf } from './sign-in-queries.ts'
import { deleteViewsOf, revokeLinksOf } from './viewer-queries.ts'

/** A part of a list, newest first; `next` is where the next part goes on after. */
export interface ListPart<T> {
  readonly items: T[]
  readonly next: TimeKey | undefined
}
export interface ListPlace {
  readonly after?: TimeKey | undefined
  /** 1 to 100 rows. */
  readonly limit: number
}

/** What is absent stays; null clears. The e-mail cannot be changed. */
export type PersonPatch = {
  readonly [K in keyof Omit<queries.PersonFields, 'email'>]?: queries.PersonFields[K] | undefined
}

/** Newest first. @throws ApiError not-permitted */
export function listUsers(
  { database }: Context,
  caller: Caller,
  filters: queries.UserFilters,
  { after, limit }: ListPlace,
): ListPart<queries.UserRecord> {
  demand(caller, 'readStudies')
  const rows = queries.usersPage(database, filters, after, limit + 1)
  return partOf(rows, limit, ({ createdAt, userId }) => ({ createdAt, id: userId }))
}

/** @throws ApiError not-permitted, not-found */
export function readUser(context: Context, caller: Caller, userId: string): queries.UserRecord {
  demand(caller, 'readStudies')
  return existingUser(context, userId)
}

/**
 * Changes the pending invitation too. @throws ApiError not-found; not-permitted: only an owner
 * edits an owner; refused: an owner through a key, an administrator without access to the window,
 * report creation without an NPI, the last owner's level
 */
export function updateUser(
  context: Context,
  caller: Caller,
  userId: string,
  patch: PersonPatch,
): queries.UserRecord {
  const { database, clock } = context
  return database.transaction(() => {
    demand(caller, 'manageUsers')
    const before = existingUser(context, userId)
    demandOwnerFor(caller, before)
    if (patch.level === 'owner' && before.level !== 'owner') demandOwner(caller)
    const after = patchedUser(caller, before, patch)
    checkPerson(after, patch)
    if (caller.kind === 'api-key') checkPerson({ ...after, level: after.interfaceLevel }, patch)
    if (isLastOwner(context, before) && after.level !== 'owner') throw lastOwner('body.level')
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
      queries.updateInvitation(database, { ...merged(invitation, patch), level, updatedAt })
    }
    note(context, actorOf(caller), 'user.update', userId, changes)
    return changed
  })
}

/**
 * Ends sessions and links at once; again changes nothing. @throws ApiError as `updateUser`;
 * refused: an administrator of the gateway through a key
 */
export function revokeAccess(context: Context, caller: Caller, userId: string): WindowOutcome {
  const { database, clock } = context
  return database.transaction(() => {
    const user = managedUser(context, caller, userId)
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
 * Former permissions come back; an active user is left alone (`success:false`). @throws ApiError
 * as `revokeAccess`
 */
export function reactivateUser(context: Context, caller: Caller, userId: string): WindowOutcome {
  const { database, clock } = context
  return database.transaction(() => {
    const user = managedUser(context, caller, userId)
    if (user.deactivatedAt === null) return { success: false, message: message('users.active') }
    const at = instantOf(clock())
    const invitation = queries.invitationOfUser(database, userId)
    if (user.passwordHash === null && !(invitation && isPending(invitation, at)))
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

/** First and last name of an actor of the audit trail who is a user. */
export function actorName({ database }: Context, actor: string): string | undefined {
  if (!actor.startsWith('user:')) return undefined
  const user = queries.findUser(database, actor.slice('user:'.length))
  return user && queries.fullName(user)
}

/** @throws ApiError not-found */
export function existingUser({ database }: Context, userId: string): queries.UserRecord {
  const user = queries.findUser(database, userId)
  if (!user) throw new ApiError('not-found', message('users.user-unknown'))
  return user
}

/** The user, whose access the caller may give and take. @throws ApiError as `revokeAccess` */
function managedUser(context: Context, caller: Caller, userId: string): queries.UserRecord {
  demand(caller, 'manageUsers')
  const user = existingUser(context, userId)
  demandOwnerFor(caller, user)
  demandWindowFor(caller, user)
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

/** Whether it can still be accepted at `now`: the status of an expired one stays `sent`. */
export const isPending = (
  { status, expiry }: { readonly status: string; readonly expiry: string | null },
  now: string,
): boolean => status === 'sent' && (expiry === null || expiry > now)

/**
 * Who runs the gateway has access to the window, and who writes reports has an NPI. `person` is the
 * record as it would be. @throws ApiError refused
 */
export function checkPerson(person: queries.PersonFields, given: PersonPatch): void {
  const errors: FieldFault[] = []
  if (person.level !== 'member' && !person.hasDashboardAccess)
    errors.push({
      path: 'body.hasDashboardAccess',
      message: message('users.level-needs-window', { level: person.level }),
    })
  // Accounts made before NPIs were asked for keep working until they are switched.
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

/** The record with the fields of the patch that are given. */
export const merged = <T extends queries.PersonFields>(before: T, patch: PersonPatch): T => ({
  ...before,
  ...Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined)),
})

/**
 * The user with the fields of the patch that are given. A key writes the interface's `level` alone:
 * the right to run the gateway is given and taken in the window (decision 0033).
 */
export function patchedUser(
  caller: Caller,
  before: queries.UserRecord,
  { level, ...patch }: PersonPatch,
): queries.UserRecord {
  const after = merged(before, patch)
  // Nor may the level that a key wrote keep the window from taking its access.
  if (caller.kind === 'user' && (level ?? before.level) === 'member' && !after.hasDashboardAccess)
    return { ...after, level: 'member', interfaceLevel: 'member' }
  // A form of the window sends the level whether it was changed or not.
  if (level === undefined || (caller.kind === 'user' && level === before.level)) return after
  return caller.kind === 'user'
    ? { ...after, level, interfaceLevel: level }
    : { ...after, interfaceLevel: level }
}

/** A key takes nobody's right to run the gateway, and gives none back. @throws ApiError refused */
export function demandWindowFor(
  caller: Caller,
  { level }: Pick<queries.UserRecord, 'level'>,
): void {
  if (caller.kind === 'api-key' && level !== 'member')
    throw new ApiError('refused', message('users.administrator-window-only'))
}

/** The rows of a part, which were read with a limit of `limit + 1`. */
export function partOf<T>(
  rows: readonly T[],
  limit: number,
  keyOf: (row: T) => TimeKey,
): ListPart<T> {
  const items = rows.slice(0, limit)
  const last = items.at(-1)
  return { items, next: rows.length > limit && last ? keyOf(last) : undefined }
}

function demandOwnerFor(caller: Caller, user: queries.UserRecord): void {
  if (user.level === 'owner') demandOwner(caller)
}

/** An owner is not changed by the interface, and only by an owner. */
function demandOwner(caller: Caller): void {
  if (caller.kind === 'api-key') throw new ApiError('refused', message('users.owner-window-only'))
  if (caller.user.level !== 'owner')
    throw new ApiError('not-permitted', message('users.owner-by-owner-only'))
}

const lastOwner = (path: string) =>
  new ApiError('refused', message('users.last-owner'), {
    errors: [{ path, message: message('users.last-owner-field') }],
  })

/**
 * Whether every word that is typed is in the person's names or e-mail; letter case and accents do
 * not count.
 */
export function personSearch(search: string): (user: queries.UserRecord) => boolean {
  const words = folded(search)
    .split(/\s+/)
    .filter((word) => word !== '')
  return ({ firstName, middleName, lastName, suffix1, suffix2, email }) => {
    if (words.length === 0) return true
    const text = folded([firstName, middleName, lastName, suffix1, suffix2, email].join(' '))
    return words.every((word) => text.includes(word))
  }
}

const READ_AT_ONCE = 100

/**
 * The part of a list that has only what is wanted: it is read on until the part is full, or over. A
 * clinic has hundreds of people.
 */
export function wantedPart<T>(
  read: (place: ListPlace) => ListPart<T>,
  keyOf: (item: T) => TimeKey,
  isWanted: (item: T) => boolean,
  { after, limit }: ListPlace,
): ListPart<T> {
  const items: T[] = []
  for (let place = after; ; ) {
    const part = read({ after: place, limit: READ_AT_ONCE })
    for (const item of part.items) {
      if (!isWanted(item)) continue
      const last = items.at(-1)
      if (items.length === limit && last) return { items, next: keyOf(last) }
      items.push(item)
    }
    if (!part.next) return { items, next: undefined }
    place = part.next
  }
}
