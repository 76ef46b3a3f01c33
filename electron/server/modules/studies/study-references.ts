import type { Context } from '#server/context.ts'
import { findCustomer } from '#server/modules/customers/queries.ts'
import type { Caller } from '#server/modules/users/caller.ts'
import { findUser, type UserRecord } from '#server/modules/users/queries.ts'
import { ApiError } from '#shared/errors.ts'
import { isVisible, visibleCustomers } from './study-access.ts'

// What a study may refer to: an unknown id in a reference field is a 422 that names the field.

/** @throws ApiError refused: unknown, or its access was revoked */
export function demandAssignee({ database }: Context, userId: string, path: string): UserRecord {
  const user = findUser(database, userId)
  if (!user) throw refused(path, 'must be the id of a user')
  if (user.deactivatedAt !== null) throw refused(path, 'must be a user whose access is not revoked')
  return user
}

/** @throws ApiError refused: unknown, deactivated, or not one the caller may see */
export function demandCustomer(
  { database }: Context,
  caller: Caller,
  expressCustomerId: string,
): void {
  const path = 'body.expressCustomerId'
  const customer = findCustomer(database, expressCustomerId)
  const seen = visibleCustomers(caller)
  if (!customer || (seen && !seen.includes(expressCustomerId)))
    throw refused(path, 'must be the id of a customer')
  if (!customer.isActive) throw refused(path, 'must be a customer that is active')
}

/** Ids of either area in the caller's scope; `kept` were there before. @throws ApiError refused */
export function demandPriors(
  { studies }: Context,
  caller: Caller,
  studyIds: readonly string[],
  kept: readonly string[] = [],
): void {
  const errors = studyIds.flatMap((studyId, at) => {
    const prior = studies.get(studyId)
    if (kept.includes(studyId) || (prior && isVisible(caller, prior))) return []
    return [{ path: `body.priorStudyIds.${at}`, message: 'must be the id of a study' }]
  })
  if (errors.length > 0)
    throw new ApiError('refused', 'body.priorStudyIds names studies that are not there.', {
      errors,
    })
}

/** The refusal of one field. */
export const refused = (path: string, message: string) =>
  new ApiError('refused', `${path} ${message}.`, { errors: [{ path, message }] })
