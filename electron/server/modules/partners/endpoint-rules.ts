import { randomBytes } from 'node:crypto'
import type { Context } from '#server/context.ts'
import type { Actor } from '#server/modules/audit/audit.ts'
import type { Settings } from '#server/modules/settings/settings.ts'
import { ApiError } from '#shared/errors.ts'
import type { EndpointRecord } from './endpoint-queries.ts'

const SECRET_BYTES = 32

export const newSecret = () => `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`

/** @throws ApiError malformed, refused (plain http without leave) */
export function checkedUrl(text: string, allowPlaintext: boolean): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const message = !url
    ? 'must be a URL'
    : !/^https?:$/.test(url.protocol)
      ? 'must begin with https://'
      : url.username !== '' || url.password !== ''
        ? 'must not hold a user name or a password'
        : url.hash !== ''
          ? 'must not have a #fragment'
          : undefined
  if (!url || message)
    throw new ApiError('malformed', `The address ${message}.`, {
      errors: [{ path: 'body.url', message: message ?? '' }],
    })
  if (url.protocol === 'http:' && !allowPlaintext)
    throw new ApiError(
      'refused',
      'Patient data would cross the network in plain text. Use https, or allow plain http for this host.',
      {
        errors: [{ path: 'body.allowPlaintext', message: 'must be true for an http address' }],
      },
    )
  return url
}

/**
 * Standard Webhooks, "Signature scheme": whsec_ and the base64 of 24 to 64 bytes. @throws ApiError
 * malformed
 */
export function checkSecret(secret: string): void {
  const text = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(secret)?.[1] ?? ''
  const bytes = Buffer.from(text, 'base64')
  if (bytes.toString('base64') === text && bytes.length >= 24 && bytes.length <= 64) return
  throw new ApiError('malformed', 'The secret is not one of Standard Webhooks.', {
    errors: [{ path: 'body.secret', message: 'must be whsec_ and the base64 of 24 to 64 bytes' }],
  })
}

/**
 * The endpoint that has no key and was there first: the partner set at the command line or under
 * Partner.
 */
export const defaultEndpoint = (store: Pick<Context, 'endpoints'>): EndpointRecord | undefined =>
  store.endpoints.list().find(({ apiKeyId }) => apiKeyId === null)

/**
 * Brings `partner.plaintextHosts` into line with the endpoints, within the open transaction: the
 * host of each that may be called by plain http or at a private address is on it; that of the
 * changed or removed one is not, unless one of them may be. What else is listed stays.
 */
export function listHosts(
  { store, settings }: { readonly store: Pick<Context, 'endpoints'>; readonly settings: Settings },
  changed: string,
  actor: Actor,
): void {
  const wanted = store.endpoints
    .list()
    .flatMap(({ url, allowsPlaintext }) => (allowsPlaintext ? [hostOf(url)] : []))
  const before = settings.get('partner.plaintextHosts')
  const others = before.filter((host) => host !== hostOf(changed))
  settings.change({ 'partner.plaintextHosts': [...new Set([...others, ...wanted])] }, actor)
}

function hostOf(text: string): string {
  const url = new URL(text)
  return `${url.hostname}:${url.port || (url.protocol === 'https:' ? '443' : '80')}`
}
