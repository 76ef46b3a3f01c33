import { type Actor, keyActor, userActor } from '#server/audit-log/audit.ts'
import type { Context } from '#server/context.ts'
import type { Caller, UserCaller } from '#server/http/callers.ts'
import type { SignedInUser } from '#shared/contract/people.ts'
import { ApiError } from '#shared/errors.ts'
import { may, type Permission } from '#shared/lifecycle.ts'
import { type Message, message } from '#shared/messages/message.ts'
import { customerIdsOfUser } from './queries.ts'

export type { ApiKeyCaller, Caller, UserCaller } from '#server/http/callers.ts'

/** The person at the window as the rules about studies know them. */
export const windowCaller =
  ({ database }: Pick<Context, 'database'>) =>
  (user: SignedInUser): UserCaller => ({
    kind: 'user',
    user: { ...user, customerIds: customerIdsOfUser(database, user.userId) },
  })

/** The caller as the audit trail names it. */
export const actorOf = (caller: Caller): Actor =>
  caller.kind === 'user' ? userActor(caller.user.userId) : keyActor(caller.apiKeyId)

/**
 * Whether the caller may: a person what level and flags give; a key whatever its areas reach,
 * people only with the right to, and never how the gateway works.
 */
export const isAllowed = (caller: Caller, permission: Permission): boolean =>
  caller.kind === 'user'
    ? may(caller.user, permission)
    : permission === 'manageUsers'
      ? caller.managesPeople === true
      : permission !== 'manageGateway'

/** @throws ApiError not-permitted */
export function demand(caller: Caller, permission: Permission): void {
  if (isAllowed(caller, permission)) return
  throw new ApiError('not-permitted', caller.kind === 'user' ? MAY_NOT[permission] : KEY_MAY_NOT)
}

/** Who made a record: the key or the user, the other is null. */
export const makerOf = (
  caller: Caller,
): { readonly createdByApiKeyId: string | null; readonly createdByUserId: string | null } =>
  caller.kind === 'user'
    ? { createdByApiKeyId: null, createdByUserId: caller.user.userId }
    : { createdByApiKeyId: caller.apiKeyId, createdByUserId: null }

const KEY_MAY_NOT = message('http.key-without-people')
const MAY_NOT: Readonly<Record<Permission, Message>> = {
  manageGateway: message('users.may-not-manage-gateway'),
  manageUsers: message('users.may-not-manage-users'),
  manageCustomers: message('users.may-not-manage-customers'),
  manageStudies: message('users.may-not-manage-studies'),
  readStudies: message('users.may-not-read-studies'),
  writeReports: message('users.may-not-write-reports'),
}
