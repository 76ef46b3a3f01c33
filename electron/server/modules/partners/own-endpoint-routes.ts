import type { Context } from '#server/context.ts'
import type { HttpApp } from '#server/http/http-app.ts'
import { serveAll } from '#server/http/operations.ts'
import { requireKey } from '#server/http/partner-authentication.ts'
import type { dashboardEvents } from '#shared/contract/events.ts'
import { type DeliveryEndpoint, ownEndpoints } from '#shared/contract/own-events.ts'
import type { EventType } from '#shared/contract/webhooks.ts'
import { ApiError } from '#shared/errors.ts'
import { englishText } from '#shared/messages/english.ts'
import { message } from '#shared/messages/message.ts'
import type { ReplyOf } from '#shared/operation.ts'
import {
  addOwnEndpoint,
  changeOwnEndpoint,
  listOwnEndpoints,
  removeOwnEndpoint,
  requireOwnEndpoint,
  rotateOwnSecret,
} from './own-endpoints.ts'
import type { EndpointRecord } from './queries.ts'
import type { RefusedHosts } from './refused-hosts.ts'
import { endpointReply } from './routes.ts'

type SendTest = (
  type: EventType,
  endpointId: string,
) => Promise<ReplyOf<(typeof dashboardEvents)['test']>>

/**
 * Registers the operations by which an API key manages its own endpoints.
 * @param waiting returns the number of undelivered reports by endpoint ID
 */
export function serveOwnEndpoints(
  app: HttpApp,
  context: Context,
  refusedHosts: RefusedHosts,
  waiting: () => ReadonlyMap<string, number>,
  sendTest: SendTest,
  afterChange: () => void,
): void {
  const replyOf = (endpoint: EndpointRecord): DeliveryEndpoint => {
    const reply = endpointReply(context, refusedHosts, waiting(), endpoint)
    const { apiKey: _, allowsPlaintext: __, budgets: ___, isDefault: ____, ...shown } = reply
    return shown
  }
  const withSecret = (endpoint: EndpointRecord, secret: string | null) => ({
    ...replyOf(endpoint),
    secret: secret ?? '',
  })
  const endpointsInTest = new Set<string>()

  serveAll(
    app,
    ownEndpoints,
    {
      list: ({ caller }) => ({
        endpoints: listOwnEndpoints(context, requireKey(caller)).map(replyOf),
      }),
      create({ caller, body }) {
        const { endpoint, secret } = addOwnEndpoint(context, requireKey(caller), body)
        return withSecret(endpoint, secret)
      },
      update: ({ caller, params, body }) =>
        replyOf(changeOwnEndpoint(context, requireKey(caller), params.endpointId, body)),
      remove: ({ caller, params }) =>
        removeOwnEndpoint(context, requireKey(caller), params.endpointId),
      rotateSecret({ caller, params: { endpointId }, body }) {
        const rotated = rotateOwnSecret(context, requireKey(caller), endpointId, body)
        return withSecret(rotated.endpoint, rotated.secret)
      },
      async test({ caller, params: { endpointId }, body }) {
        requireOwnEndpoint(context, requireKey(caller), endpointId)
        // One at a time, so that a key cannot make the gateway flood an address.
        if (endpointsInTest.has(endpointId))
          throw new ApiError('too-many', message('partners.test-running'), {
            headers: { 'retry-after': '1' },
          })
        endpointsInTest.add(endpointId)
        try {
          const { message: sentence, ...reply } = await sendTest(body.type, endpointId)
          return { ...reply, message: englishText(sentence) }
        } finally {
          endpointsInTest.delete(endpointId)
        }
      },
    },
    { afterChange },
  )
}
