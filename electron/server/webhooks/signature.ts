import { createHmac } from 'node:crypto'
import { message } from '#shared/messages/message.ts'
import { WebhookError } from './webhook-error.ts'

export interface SignedRequest {
  /** The envelope's id. */
  readonly id: string
  /** Time of this attempt, in milliseconds since 1970. */
  readonly at: number
  /** The exact bytes that are sent. */
  readonly body: Buffer
  /** `whsec_` and standard base64; several while a secret is being rotated. */
  readonly secrets: readonly string[]
}

/**
 * The headers of Standard Webhooks 1.0: `webhook-id`, `webhook-timestamp` in seconds, and
 * `webhook-signature` with one `v1` entry for each secret. @throws WebhookError `no-endpoint` if
 * there is no valid secret, because nothing is sent unsigned
 */
export function signatureHeaders({ id, at, body, secrets }: SignedRequest) {
  if (secrets.length === 0) throw new WebhookError('no-endpoint', message('webhooks.no-secret'))
  const timestamp = String(Math.floor(at / 1000))
  const signatures = secrets.map((secret) => {
    const mac = createHmac('sha256', secretKey(secret)).update(`${id}.${timestamp}.`).update(body)
    return `v1,${mac.digest('base64')}`
  })
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  }
}

// Buffer.from ignores invalid characters and would sign with a truncated key that no verifier has.
const BASE64 =
  /^(?:[A-Za-z0-9+/]{4})+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$|^(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)$/

function secretKey(secret: string): Buffer {
  const text = secret.startsWith('whsec_') ? secret.slice('whsec_'.length) : secret
  if (!BASE64.test(text))
    throw new WebhookError('no-endpoint', message('webhooks.secret-malformed'))
  return Buffer.from(text, 'base64')
}
