import { keyActor } from '#server/audit-log/audit.ts'
import type { Context } from '#server/context.ts'
import type { ApiKeyCaller } from '#server/http/callers.ts'
import type { ownEndpoints } from '#shared/contract/own-events.ts'
import { ApiError } from '#shared/errors.ts'
import { message } from '#shared/messages/message.ts'
import type { CallOf } from '#shared/operation.ts'
import { type EndpointRecord, findEndpoint, listEndpoints } from './queries.ts'
import { addEndpoint, changeEndpoint, removeEndpoint, rotateSecret } from './service.ts'

// Endpoints as an API key manages them (decision 0076): only those of the key itself, by the same
// rules as in the window. What opens the clinic's network stays with the clinic: plain http,
// private addresses, hosts of files and time limits.

type Body<K extends keyof typeof ownEndpoints> = CallOf<(typeof ownEndpoints)[K]>['body']

/** Enough for one endpoint for each event, and some that are being prepared. */
const MAX_ENDPOINTS = 10

export const listOwnEndpoints = ({ database }: Context, { apiKeyId }: ApiKeyCaller) =>
  listEndpoints(database).filter((endpoint) => endpoint.apiKeyId === apiKeyId)

/** @throws ApiError not-found, also for an endpoint of the clinic or of another key */
export function requireOwnEndpoint(
  { database }: Context,
  { apiKeyId }: ApiKeyCaller,
  endpointId: string,
): EndpointRecord {
  const found = findEndpoint(database, endpointId)
  if (found?.apiKeyId !== apiKeyId) throw new ApiError('not-found', message('partners.no-endpoint'))
  return found
}

/** @throws ApiError as `addEndpoint`; refused: the key has too many endpoints */
export function addOwnEndpoint(context: Context, caller: ApiKeyCaller, body: Body<'create'>) {
  const { apiKeyId } = caller
  if (listOwnEndpoints(context, caller).length >= MAX_ENDPOINTS)
    throw new ApiError('refused', message('partners.too-many-endpoints', { most: MAX_ENDPOINTS }))
  return addEndpoint(
    context,
    { ...body, apiKeyId, allowPlaintext: false, fileHosts: [], budgets: {} },
    keyActor(apiKeyId),
  )
}

/**
 * Changes an endpoint. An address that an administrator allowed to be plain http or private loses
 * this when it moves to another host.
 * @throws ApiError as `changeEndpoint`; refused: a user disabled it
 */
export function changeOwnEndpoint(
  context: Context,
  caller: ApiKeyCaller,
  endpointId: string,
  { isEnabled, ...patch }: Body<'update'>,
): EndpointRecord {
  const before = requireOwnEndpoint(context, caller, endpointId)
  if (isEnabled && before.disabledReason === 'person')
    throw new ApiError('refused', message('partners.disabled-by-clinic'))
  const isSameOrigin =
    patch.url === undefined || URL.parse(patch.url)?.origin === new URL(before.url).origin
  return changeEndpoint(
    context,
    endpointId,
    { ...patch, isEnabled, allowPlaintext: before.allowsPlaintext && isSameOrigin },
    keyActor(caller.apiKeyId),
  )
}

/** @throws ApiError not-found */
export function removeOwnEndpoint(context: Context, caller: ApiKeyCaller, endpointId: string) {
  requireOwnEndpoint(context, caller, endpointId)
  return removeEndpoint(context, endpointId, keyActor(caller.apiKeyId))
}

/** @throws ApiError not-found */
export function rotateOwnSecret(
  context: Context,
  caller: ApiKeyCaller,
  endpointId: string,
  body: Body<'rotateSecret'>,
) {
  requireOwnEndpoint(context, caller, endpointId)
  return rotateSecret(context, endpointId, body, keyActor(caller.apiKeyId))
}
