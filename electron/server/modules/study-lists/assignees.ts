import type { Context } from '#server/context.ts'
import type { Area } from '#server/modules/studies/study-facet.ts'
import { requirePermission, type UserCaller } from '#server/modules/users/caller.ts'
import { stateOf } from '#server/modules/users/people-routes.ts'
import { allUsers, type NamedUser, namedUser } from '#server/modules/users/queries.ts'
import { personMatcher } from '#server/modules/users/users.ts'
import { MAX_ASSIGNEES } from '#shared/contract/dashboard-studies.ts'
import { may } from '#shared/lifecycle.ts'

/**
 * Lists the users that a study of the area can be assigned to, by name: active users who may write
 * reports (scribe) or read studies (viewer). The list of users itself is for managers; the members
 * who assign studies see names only, and an e-mail address is not searched.
 * @throws ApiError not-permitted
 */
export function listAssignees(
  context: Context,
  caller: UserCaller,
  { area, search }: { readonly area: Area; readonly search: string },
): NamedUser[] {
  requirePermission(caller, 'manageStudies')
  const matchesSearch = personMatcher(search)
  return allUsers(context.database)
    .filter(
      (user) =>
        stateOf(context, user) === 'active' &&
        may(user, area === 'scribe' ? 'writeReports' : 'readStudies') &&
        matchesSearch({ ...user, email: '' }),
    )
    .map(namedUser)
    .toSorted((one, other) => one.name.localeCompare(other.name))
    .slice(0, MAX_ASSIGNEES)
}
