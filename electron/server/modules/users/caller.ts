import { type Actor, keyActor, userActor } from '#server/audit-log/audit.ts'
import type { Context } from '#server/context.ts'
import type { Caller, UserCaller } from '#server/http/callers.ts'
import type { SignedInUser } from '#shared/contract/people.ts'
import { ApiError } from '#shared/errors.ts'
import { may, type Permission } from '#shared/lifecycle.ts'
import { type Message, message } from '#shared/messages/message.ts'
import { customerIdsOfUser } from './queries.ts'

export type { ApiKeyCaller, Caller, UserCaller } from '#server/http/callers.ts'

/** Converts a user of the window to a caller. */
export const windowCaller =
  ({ database }: Pick<Context, 'database'>) =>
  (user: SignedInUser): UserCaller => ({
    kind: 'user',
    user: { ...user, customerIds: customerIdsOfUser(database, user.userId) },
  })

/** The caller as an actor of the audit log. */
export const actorOf = (caller: Caller): Actor =>
  caller.kind === 'user' ? userActor(caller.user.userId) : keyActor(caller.apiKeyId)

/**
 * Whether the caller has a permission. A user's permissions follow from level and flags. An API key
 * has all permissions within its areas, except that managing users has to be granted and managing
 * the gateway is never possible.
 */
export const isAllowed = (caller: Caller, permission: Permission): boolean =>
  caller.kind === 'user'
    ? may(caller.user, permission)
    : permission === 'manageUsers'
      ? caller.managesPeople === true
      : permission !== 'manageGateway'

/**
 * Checks that the caller has a permission.
 * @throws ApiError not-permitted
 */
export function requirePermission(caller: Caller, permission: Permission): void {
  if (isAllowed(caller, permission)) return
  throw new ApiError(
    'not-permitted',
    caller.kind === 'user' ? DENIAL_MESSAGES[permission] : KEY_DENIED,
  )
}

/** The creator of a record: either the key or the user is set, and the other is null. */
export const creatorOf = (
  caller: Caller,
): { readonly createdByApiKeyId: string | null; readonly createdByUserId: string | null } =>
  caller.kind === 'user'
    ? { createdByApiKeyId: null, createdByUserId: caller.user.userId }
    : { createdByApiKeyId: caller.apiKeyId, createdByUserId: null }

const KEY_DENIED = message('http.key-without-people')
const DENIAL_MESSAGES: Readonly<Record<Permission, Message>> = {
  manageGateway: message('users.may-not-manage-gateway'),
  manageUsers: message('users.may-not-manage-users'),
  manageCustomers: message('users.may-not-manage-customers'),
  manageStudies: message('users.may-not-manage-studies'),
  readStudies: message('users.may-not-read-studies'),
  writeReports: message('users.may-not-write-reports'),
  exportImages: message('users.may-not-export-images'),
}
