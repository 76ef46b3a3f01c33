import { userActor } from '#server/audit-log/audit.ts'
import type { Context } from '#server/context.ts'
import type { HttpApp } from '#server/http/http-app.ts'
import { type HandlersOf, serveAll } from '#server/http/operations.ts'
import { findApiKey } from '#server/modules/api-keys/queries.ts'
import type { Requester } from '#server/webhooks/request.ts'
import { dashboardPartner } from '#shared/contract/dashboard.ts'
import { dashboardEvents, type Endpoint } from '#shared/contract/events.ts'
import { type EndpointRecord, listEndpoints } from './queries.ts'
import type { RefusedHosts } from './refused-hosts.ts'
import {
  addEndpoint,
  changeEndpoint,
  readPartner,
  removeEndpoint,
  rotateSecret,
  setPartner,
} from './service.ts'
import { defaultEndpoint, signingSecrets } from './targets.ts'
import { testPartner } from './test-request.ts'

/** Serves the window's calls about the default endpoint. */
export function servePartner(app: HttpApp, context: Context, requester: Requester): void {
  const handlers: HandlersOf<typeof dashboardPartner> = {
    partner: () => readPartner(context),
    setPartner: ({ body, user }) => setPartner(context, body, userActor(user.userId)),
    testPartner: () => testPartner(context, requester),
  }
  serveAll(app, dashboardPartner, handlers, { afterChange: () => context.feed.noteStatus() })
}

/**
 * Serves the window's calls about endpoints.
 * @param waiting returns the number of undelivered reports by endpoint ID
 */
export function serveEndpoints(
  app: HttpApp,
  context: Context,
  refusedHosts: RefusedHosts,
  waiting: () => ReadonlyMap<string, number>,
  afterChange: () => void,
): void {
  const replyOf = (endpoint: EndpointRecord) =>
    endpointReply(context, refusedHosts, waiting(), endpoint)
  const { endpoints, addEndpoint: add, ...others } = dashboardEvents
  const { changeEndpoint: change, removeEndpoint: remove, rotateSecret: rotate } = others
  serveAll(
    app,
    { endpoints, add, change, remove, rotate },
    {
      endpoints: () => ({
        endpoints: endpointReplies(context, refusedHosts, waiting()),
      }),
      add({ body, user }) {
        const { endpoint, secret } = addEndpoint(context, body, userActor(user.userId))
        return { ...replyOf(endpoint), secret }
      },
      change: ({ params: { endpointId }, body, user }) =>
        replyOf(changeEndpoint(context, endpointId, body, userActor(user.userId))),
      remove: ({ params, user }) =>
        removeEndpoint(context, params.endpointId, userActor(user.userId)),
      rotate({ params: { endpointId }, body, user }) {
        const actor = userActor(user.userId)
        const { endpoint, secret } = rotateSecret(context, endpointId, body, actor)
        return { ...replyOf(endpoint), secret }
      },
    },
    { afterChange },
  )
}

/** All endpoints, the default first, then the oldest first. */
export const endpointReplies = (
  context: Context,
  refusedHosts: RefusedHosts,
  waiting: ReadonlyMap<string, number>,
) =>
  listEndpoints(context.database)
    .map((endpoint) => endpointReply(context, refusedHosts, waiting, endpoint))
    .sort((a, b) => Number(b.isDefault) - Number(a.isDefault))

export function endpointReply(
  context: Context,
  refusedHosts: RefusedHosts,
  waiting: ReadonlyMap<string, number>,
  endpoint: EndpointRecord,
): Endpoint {
  const { endpointId, name, url, apiKeyId, allowsPlaintext, createdAt, fileHosts } = endpoint
  const key = apiKeyId === null ? undefined : findApiKey(context.database, apiKeyId)
  return {
    ...{ endpointId, name, url, allowsPlaintext, createdAt },
    events: [...endpoint.events],
    apiKey: key ? { apiKeyId: key.apiKeyId, description: key.description } : null,
    fileHosts: [...fileHosts],
    refusedHosts: refusedHosts.of(endpointId).filter(({ host }) => !fileHosts.includes(host)),
    budgets: { ...endpoint.budgets },
    secrets: signingSecrets(context, endpointId).map(({ createdAt, endsAt }) => ({
      createdAt,
      endsAt,
    })),
    isDefault: defaultEndpoint(context.database)?.endpointId === endpointId,
    isEnabled: endpoint.disabledAt === null,
    disabledReason: endpoint.disabledReason,
    waiting: waiting.get(endpointId) ?? 0,
  }
}
