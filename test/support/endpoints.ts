import { randomUUID } from 'node:crypto'
import type { Context } from '#server/context.ts'
import {
  type EndpointRecord,
  insertEndpointSecret,
  saveEndpoint,
} from '#server/modules/partners/queries.ts'
import { EVENT_TYPES } from '#shared/contract/webhooks.ts'

const AT = '2026-03-10T08:00:00.000Z'

/** An endpoint of the clinic that takes every event, with a signing secret. */
export function newEndpoint(
  { database }: Context,
  more: Partial<EndpointRecord> = {},
): EndpointRecord {
  const endpoint = {
    ...{ endpointId: randomUUID(), url: 'https://ris.example/hook', events: EVENT_TYPES },
    ...{ apiKeyId: null, allowsPlaintext: false, name: '', fileHosts: [], budgets: {} },
    ...{ createdAt: AT, updatedAt: AT, disabledAt: null, disabledReason: null },
    ...more,
  }
  saveEndpoint(database, endpoint)
  const secret = `whsec_${Buffer.alloc(24, 1).toString('base64')}`
  insertEndpointSecret(database, endpoint.endpointId, secret, AT)
  return endpoint
}
