import { Webhook } from 'standardwebhooks'
import { Envelope, EVENTS } from '#shared/contract/webhooks.ts'

/**
 * Why a request does not come from the gateway, as one sentence for the person who configured it.
 */
export class NotFromGatewayError extends Error {
  override name = 'NotFromGateway'
}

/**
 * Verifies that a request comes from the gateway: checks the signature of the received bytes, then
 * parses them. An integration in another language does the same with a Standard Webhooks library.
 * @throws NotFromGatewayError
 * @param secret the endpoint's secret, `whsec_` and base64
 * @param headers as received, with names in lower case
 * @param body the bytes as received, before any parsing
 */
export function verifyPartnerRequest(
  secret: string,
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
  body: Buffer,
): Envelope {
  const given = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, String(value)]),
  )
  try {
    new Webhook(secret).verify(body, given, { jsonParse: false })
  } catch (cause) {
    throw new NotFromGatewayError(
      `The signature does not fit: ${(cause as Error).message}. Compare the secret and the clock.`,
      { cause },
    )
  }
  const envelope = Envelope.safeParse(parseJson(body))
  if (!envelope.success)
    throw new NotFromGatewayError(
      'The body is signed, but it is not an event: it must be JSON of id, type and data.',
    )
  const data = EVENTS[envelope.data.type].data.safeParse(envelope.data.data)
  if (!data.success)
    throw new NotFromGatewayError(
      `The data of ${envelope.data.type} is not of its form: ${data.error.issues[0]?.path.join('.')}.`,
    )
  return envelope.data as Envelope
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString())
  } catch {
    return undefined
  }
}
