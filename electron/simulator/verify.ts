import { Webhook } from 'standardwebhooks'
import { Envelope, EVENTS } from '#shared/contract/webhooks.ts'

/** Why a request is not one of the gateway's, in a sentence for whoever set it up. */
export class NotFromGateway extends Error {
  override name = 'NotFromGateway'
}

/**
 * How a partner knows that a request came from the gateway: check the signature over the bytes as
 * received, then parse them. This is all there is to it; an integration written in another language
 * does the same with that language's Standard Webhooks library. Throws `NotFromGateway`.
 * @param secret the endpoint's, `whsec_` and base64
 * @param headers as received, names in lower case
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
    throw new NotFromGateway(
      `The signature does not fit: ${(cause as Error).message}. Compare the secret and the clock.`,
      { cause },
    )
  }
  const envelope = Envelope.safeParse(parseJson(body))
  if (!envelope.success)
    throw new NotFromGateway(
      'The body is signed, but it is not an event: it must be JSON of id, type and data.',
    )
  const data = EVENTS[envelope.data.type].data.safeParse(envelope.data.data)
  if (!data.success)
    throw new NotFromGateway(
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
