import type { DomainDeps } from '#server/modules/audit/audit.ts'
import { findCustomer } from '#server/modules/customers/queries.ts'
import type { Caller } from '#server/modules/users/caller.ts'
import { findUser, type UserRecord } from '#server/modules/users/queries.ts'
import { ApiError } from '#shared/errors.ts'
import { isVisible, visibleCustomers } from './study-access.ts'

/**
 * What a study may refer to: an unknown id in a reference field is a 422 that names the field
 * (interface-choices §6 rows 14, 39, 41).
 */
export interface StudyReferences {
  /** @throws ApiError refused: unknown, or its access was revoked */
  assignee(userId: string, path: string): UserRecord
  /** @throws ApiError refused: unknown, deactivated, or not one the caller may see */
  customer(caller: Caller, expressCustomerId: string): void
  /**
   * Ids of either area in the caller's scope; `kept` were there before. @throws ApiError refused
   */
  priors(caller: Caller, studyIds: readonly string[], kept?: readonly string[]): void
}

export function studyReferences({ store }: Pick<DomainDeps, 'store'>): StudyReferences {
  return {
    assignee(userId, path) {
      const user = findUser(store.database, userId)
      if (!user) throw refused(path, 'must be the id of a user')
      if (user.deactivatedAt !== null)
        throw refused(path, 'must be a user whose access is not revoked')
      return user
    },
    customer(caller, expressCustomerId) {
      const path = 'body.expressCustomerId'
      const customer = findCustomer(store.database, expressCustomerId)
      const seen = visibleCustomers(caller)
      if (!customer || (seen && !seen.includes(expressCustomerId)))
        throw refused(path, 'must be the id of a customer')
      if (!customer.isActive) throw refused(path, 'must be a customer that is active')
    },
    priors(caller, studyIds, kept = []) {
      const faults = studyIds.flatMap((studyId, at) => {
        const prior = store.studies.get(studyId)
        if (kept.includes(studyId) || (prior && isVisible(caller, prior))) return []
        return [{ path: `body.priorStudyIds.${at}`, message: 'must be the id of a study' }]
      })
      if (faults.length > 0)
        throw new ApiError('refused', 'body.priorStudyIds names studies that are not there.', {
          errors: faults,
        })
    },
  }
}

/** The refusal of one field. */
export const refused = (path: string, message: string) =>
  new ApiError('refused', `${path} ${message}.`, { errors: [{ path, message }] })
