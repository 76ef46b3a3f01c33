import type { Context } from '#server/context.ts'
import type { Caller, UserCaller } from '#server/http/callers.ts'
import { type Actor, keyActor, userActor } from '#server/modules/audit/audit.ts'
import type { SignedInUser } from '#shared/contract/people.ts'
import { ApiError } from '#shared/errors.ts'
import { may, type Permission } from '#shared/lifecycle.ts'
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
  throw new ApiError('not-permitted', caller.kind === 'user' ? SENTENCES[permission] : KEY_SENTENCE)
}

/** Who made a record: the key or the user, the other is null. */
export const makerOf = (
  caller: Caller,
): { readonly createdByApiKeyId: string | null; readonly createdByUserId: string | null } =>
  caller.kind === 'user'
    ? { createdByApiKeyId: null, createdByUserId: caller.user.userId }
    : { createdByApiKeyId: caller.apiKeyId, createdByUserId: null }

const KEY_SENTENCE =
  'This API key may not manage people: an administrator of the gateway can allow it.'
const SENTENCES: Readonly<Record<Permission, string>> = {
  manageGateway: 'Only an owner or an admin may change how the gateway works.',
  manageUsers: 'Only an owner or an admin may manage users.',
  manageCustomers: 'Only an owner or an admin may manage customers.',
  manageStudies: 'Your account may not manage studies: an owner or an admin can allow it.',
  readStudies: 'Your account may not read studies: it has no access to the window.',
  writeReports: 'Your account may not write reports: an owner or an admin can allow it.',
}
