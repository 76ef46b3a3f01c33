import { type DomainDeps, differences, note } from '#server/modules/audit/audit.ts'
import { instantOf } from '#server/platform/clock.ts'
import type { Outcome } from '#shared/contract/conventions.ts'
import { ApiError, type FieldFault } from '#shared/errors.ts'
import { actorOf, type Caller, demand } from './caller.ts'
import type { PersonFields, TimeKey, UserFilters, UserRecord } from './user-queries.ts'
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
  readonly [K in keyof Omit<PersonFields, 'email'>]?: PersonFields[K] | undefined
}

/**
 * Users as the interface manages them (interface.md, Viewer users; interface-choices §1.1);
 * accounts of the window are the same rows.
 */
export interface Users {
  list(caller: Caller, filters: UserFilters, place: ListPlace): ListPart<UserRecord>
  /** @throws ApiError not-found */
  read(caller: Caller, userId: string): UserRecord
  /**
   * Changes the pending invitation too (row 3). @throws ApiError not-found; not-permitted: only an
   * owner edits an owner; refused: an owner through a key, an administrator without access to the
   * window, report creation without an NPI, the last owner's level
   */
  update(caller: Caller, userId: string, patch: PersonPatch): UserRecord
  /**
   * Ends sessions and links at once; again changes nothing. @throws ApiError as `update`; refused:
   * an administrator of the gateway through a key
   */
  revokeAccess(caller: Caller, userId: string): Outcome
  /**
   * Former permissions come back; an active user is left alone (`success:false`). @throws ApiError
   * as `update`
   */
  reactivate(caller: Caller, userId: string): Outcome
}

export function openUsers(deps: DomainDeps): Users {
  const { store, clock } = deps
  const { database, users, invitations, sessions, signInLinks } = store

  function existing(userId: string): UserRecord {
    const user = users.get(userId)
    if (!user) throw new ApiError('not-found', 'There is no such user.')
    return user
  }

  const isLastOwner = (user: UserRecord) =>
    user.level === 'owner' &&
    user.deactivatedAt === null &&
    !users
      .list()
      .some(
        (other) =>
          other.userId !== user.userId && other.level === 'owner' && other.deactivatedAt === null,
      )

  return {
    list(caller, filters, { after, limit }) {
      demand(caller, 'readStudies')
      return partOf(users.page(filters, after, limit + 1), limit, ({ createdAt, userId }) => ({
        createdAt,
        id: userId,
      }))
    },

    read(caller, userId) {
      demand(caller, 'readStudies')
      return existing(userId)
    },

    update: (caller, userId, patch) =>
      database.transaction(() => {
        demand(caller, 'manageUsers')
        const before = existing(userId)
        demandOwnerFor(caller, before)
        if (patch.level === 'owner' && before.level !== 'owner') demandOwner(caller)
        const after = patchedUser(caller, before, patch)
        checkPerson(after, patch)
        if (caller.kind === 'api-key') checkPerson({ ...after, level: after.interfaceLevel }, patch)
        if (isLastOwner(before) && after.level !== 'owner') throw lastOwner('body.level')
        const changes = differences<PersonFields & Pick<UserRecord, 'interfaceLevel'>>(
          before,
          after,
        )
        if (Object.keys(changes).length === 0) return before
        const updatedAt = instantOf(clock())
        const changed = { ...after, updatedAt }
        users.update(changed)
        if (!after.hasDashboardAccess) {
          sessions.removeOf(userId)
          deleteViewsOf(database, userId, 'window')
        }
        const invitation = invitations.ofUser(userId)
        if (invitation && isPending(invitation, updatedAt))
          invitations.update({
            ...merged(invitation, patch),
            level: after.interfaceLevel,
            updatedAt,
          })
        note(deps.store, actorOf(caller), 'user.update', userId, changes)
        return changed
      }),

    revokeAccess: (caller, userId) =>
      database.transaction(() => {
        demand(caller, 'manageUsers')
        const user = existing(userId)
        demandOwnerFor(caller, user)
        demandWindowFor(caller, user)
        if (user.deactivatedAt !== null)
          return { success: true, message: 'The user had no access.' }
        if (isLastOwner(user))
          return {
            success: false,
            message: 'The last owner keeps access: make another owner first.',
          }
        const at = instantOf(clock())
        users.update({ ...user, deactivatedAt: at, updatedAt: at })
        sessions.removeOf(userId)
        signInLinks.removeOf(userId)
        revokeLinksOf(database, userId, at)
        deleteViewsOf(database, userId)
        note(deps.store, actorOf(caller), 'user.revoke-access', userId)
        return { success: true, message: 'The user has no access any more.' }
      }),

    reactivate: (caller, userId) =>
      database.transaction(() => {
        demand(caller, 'manageUsers')
        const user = existing(userId)
        demandOwnerFor(caller, user)
        demandWindowFor(caller, user)
        if (user.deactivatedAt === null) return { success: false, message: 'The user is active.' }
        const at = instantOf(clock())
        const invitation = invitations.ofUser(userId)
        if (user.passwordHash === null && !(invitation && isPending(invitation, at)))
          return {
            success: false,
            message:
              'The user never accepted the invitation, which is over: invite the person again.',
          }
        if (users.byEmail(user.email))
          return { success: false, message: 'Another user has the e-mail address by now.' }
        users.update({ ...user, deactivatedAt: null, updatedAt: at })
        note(deps.store, actorOf(caller), 'user.reactivate', userId)
        return { success: true, message: 'The user has access again.' }
      }),
  }
}

/**
 * Whether it can still be accepted at `now`: expiry is computed, the status stays `sent` (row 8).
 */
export const isPending = (
  { status, expiry }: { readonly status: string; readonly expiry: string | null },
  now: string,
): boolean => status === 'sent' && (expiry === null || expiry > now)

/**
 * The rules of rows 27 and 28 and of the NPI, on the record as it would be. @throws ApiError
 * refused
 */
export function checkPerson(person: PersonFields, given: PersonPatch): void {
  const errors: FieldFault[] = []
  if (person.level !== 'member' && !person.hasDashboardAccess)
    errors.push({
      path: 'body.hasDashboardAccess',
      message: `must be true for the level ${person.level}`,
    })
  // Accounts made before NPIs were asked for keep working until they are switched.
  if (
    person.canCreateReports &&
    person.npiNumber === null &&
    (given.canCreateReports === true || given.npiNumber === null)
  )
    errors.push({
      path: 'body.npiNumber',
      message: 'must be given for a user who can create reports',
    })
  if (errors.length > 0)
    throw new ApiError(
      'refused',
      errors.map(({ path, message }) => `${path.slice(5)} ${message}`).join('; '),
      { errors },
    )
}

/** The record with the fields of the patch that are given. */
export const merged = <T extends PersonFields>(before: T, patch: PersonPatch): T => ({
  ...before,
  ...Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined)),
})

/**
 * The user with the fields of the patch that are given. A key writes the interface's `level` alone:
 * the right to run the gateway is given and taken in the window (decision 0033).
 */
export function patchedUser(
  caller: Caller,
  before: UserRecord,
  { level, ...patch }: PersonPatch,
): UserRecord {
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
export function demandWindowFor(caller: Caller, { level }: Pick<UserRecord, 'level'>): void {
  if (caller.kind === 'api-key' && level !== 'member')
    throw new ApiError(
      'refused',
      'Access of an administrator of the gateway is given and taken in the window only.',
    )
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

function demandOwnerFor(caller: Caller, user: UserRecord): void {
  if (user.level === 'owner') demandOwner(caller)
}

/** Row 27: an owner is not editable by the interface; row 52: only an owner edits an owner. */
function demandOwner(caller: Caller): void {
  if (caller.kind === 'api-key')
    throw new ApiError('refused', 'An owner is changed in the window only.')
  if (caller.user.level !== 'owner')
    throw new ApiError('not-permitted', 'Only an owner may change an owner, or make one.')
}

const lastOwner = (path: string) =>
  new ApiError('refused', 'The last owner stays one: make another owner first.', {
    errors: [{ path, message: 'must stay owner: there is no other' }],
  })
