import type { Context } from '#server/context.ts'
import { findCustomer } from '#server/modules/customers/queries.ts'
import type { Caller } from '#server/modules/users/caller.ts'
import { findUser, type UserRecord } from '#server/modules/users/queries.ts'
import { ApiError } from '#shared/errors.ts'
import { type Message, message } from '#shared/messages/message.ts'
import { isVisible, visibleCustomerIds } from './study-access.ts'
import { findStudy } from './study-queries.ts'

// Checks the references of a study. An unknown ID results in a 422 that names the field.

/** @throws ApiError refused: the user is unknown, or their access was revoked */
export function requireAssignee({ database }: Context, userId: string, path: string): UserRecord {
  const user = findUser(database, userId)
  if (!user) throw refused(path, message('studies.must-be-user'))
  if (user.deactivatedAt !== null) throw refused(path, message('studies.must-not-be-revoked'))
  return user
}

/** @throws ApiError refused: the customer is unknown, inactive, or not visible to the caller */
export function checkCustomer(
  { database }: Context,
  caller: Caller,
  expressCustomerId: string,
): void {
  const path = 'body.expressCustomerId'
  const customer = findCustomer(database, expressCustomerId)
  const visibleIds = visibleCustomerIds(caller)
  if (!customer || (visibleIds && !visibleIds.includes(expressCustomerId)))
    throw refused(path, message('studies.must-be-customer'))
  if (!customer.isActive) throw refused(path, message('studies.must-be-active'))
}

/**
 * Checks IDs of prior studies, of either area, in the caller's scope. IDs in `kept` were set before
 * and are not checked.
 * @throws ApiError refused
 */
export function checkPriors(
  { database }: Context,
  caller: Caller,
  studyIds: readonly string[],
  kept: readonly string[] = [],
): void {
  const errors = studyIds.flatMap((studyId, at) => {
    const prior = findStudy(database, studyId)
    if (kept.includes(studyId) || (prior && isVisible(caller, prior))) return []
    return [{ path: `body.priorStudyIds.${at}`, message: message('studies.must-be-study') }]
  })
  if (errors.length > 0)
    throw new ApiError('refused', message('studies.priors-unknown'), { errors })
}

/** Creates the error for one invalid field. */
export const refused = (path: string, fault: Message) =>
  new ApiError('refused', message('input.field-sentence', { path, fault }), {
    errors: [{ path, message: fault }],
  })
