import { userActor } from '#server/audit-log/audit.ts'
import type { Context } from '#server/context.ts'
import type { HttpApp } from '#server/http/http-app.ts'
import { serveAll } from '#server/http/operations.ts'
import { instantOf } from '#server/platform/clock.ts'
import { type ApiKeyRow, dashboardPeople } from '#shared/contract/dashboard-people.ts'
import {
  type ApiKey,
  type ApiKeys,
  changeApiKey,
  createApiKey,
  revokeApiKey,
  rotateApiKey,
} from './api-keys.ts'

const HOUR_MS = 60 * 60_000

/** Registers the window's API key operations. */
export function serveApiKeys(app: HttpApp, context: Context, apiKeys: ApiKeys): void {
  /** Shows the previous secret only while it is still accepted. */
  function toRow({ oldLast4, oldExpiresAt, ...apiKey }: ApiKey): ApiKeyRow {
    const isOpen =
      apiKey.revokedAt === null &&
      oldLast4 !== null &&
      oldExpiresAt !== null &&
      oldExpiresAt > instantOf(context.clock())
    return { ...apiKey, old: isOpen ? { last4: oldLast4, expiresAt: oldExpiresAt } : null }
  }

  const operations = {
    list: dashboardPeople.apiKeys,
    create: dashboardPeople.createApiKey,
    change: dashboardPeople.changeApiKey,
    rotate: dashboardPeople.rotateApiKey,
    revoke: dashboardPeople.revokeApiKey,
  }
  serveAll(app, operations, {
    list: () => ({ apiKeys: apiKeys.list().map(toRow) }),
    create({ body, user }) {
      const { apiKey, key } = createApiKey(context, body, userActor(user.userId))
      return { apiKey: toRow(apiKey), key }
    },
    change: ({ params, body, user }) =>
      toRow(changeApiKey(context, params.apiKeyId, body, userActor(user.userId))),
    rotate({ params, body, user }) {
      const overlapMs = body.overlapHours * HOUR_MS
      const actor = userActor(user.userId)
      const { apiKey, key } = rotateApiKey(context, params.apiKeyId, overlapMs, actor)
      return { apiKey: toRow(apiKey), key }
    },
    revoke({ params, user }) {
      revokeApiKey(context, params.apiKeyId, userActor(user.userId))
      return { success: true }
    },
  })
}
