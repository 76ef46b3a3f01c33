import type { HandlersOf } from '#server/http/operations.ts'
import { userActor } from '#server/modules/audit/audit.ts'
import type { DashboardPeopleDeps } from '#server/modules/users/people-routes.ts'
import { instantOf } from '#server/platform/clock.ts'
import type { ApiKeyRow, dashboardPeople } from '#shared/contract/dashboard-people.ts'
import type { ApiKey } from './api-keys.ts'

const HOUR_MS = 60 * 60_000

export function apiKeyHandlers({
  apiKeys,
  clock,
}: Pick<DashboardPeopleDeps, 'apiKeys' | 'clock'>): Pick<
  HandlersOf<typeof dashboardPeople>,
  'apiKeys' | 'createApiKey' | 'changeApiKey' | 'rotateApiKey' | 'revokeApiKey'
> {
  /** The secret before is told of only while it opens. */
  function show({ oldLast4, oldExpiresAt, ...apiKey }: ApiKey): ApiKeyRow {
    const isOpen =
      apiKey.revokedAt === null &&
      oldLast4 !== null &&
      oldExpiresAt !== null &&
      oldExpiresAt > instantOf(clock())
    return { ...apiKey, old: isOpen ? { last4: oldLast4, expiresAt: oldExpiresAt } : null }
  }

  return {
    apiKeys: () => ({ apiKeys: apiKeys.list().map(show) }),
    createApiKey({ body, user }) {
      const { apiKey, key } = apiKeys.create(body, userActor(user.userId))
      return { apiKey: show(apiKey), key }
    },
    changeApiKey: ({ params, body, user }) =>
      show(apiKeys.change(params.apiKeyId, body, userActor(user.userId))),
    rotateApiKey({ params, body, user }) {
      const { apiKey, key } = apiKeys.rotate(
        params.apiKeyId,
        body.overlapHours * HOUR_MS,
        userActor(user.userId),
      )
      return { apiKey: show(apiKey), key }
    },
    revokeApiKey({ params, user }) {
      apiKeys.revoke(params.apiKeyId, userActor(user.userId))
      return { success: true }
    },
  }
}
