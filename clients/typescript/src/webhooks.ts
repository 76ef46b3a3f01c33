import { WebhookVerificationError } from './errors.ts'
import { EVENT_TYPES, type EventTypes } from './generated/events.gen.ts'

export type EventType = keyof EventTypes
export type EventData<T extends EventType> = EventTypes[T]['data']
export type EventAnswer<T extends EventType> = EventTypes[T]['answer']

/** An event with its data, told apart by `type`. */
export type WebhookEvent<T extends EventType = EventType> = {
  [K in T]: { readonly id: string; readonly type: K; readonly data: EventData<K> }
}[T]

/** Names in any case; Fetch's `Headers`, or the plain object of Node's `http`. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>

export interface WebhookOptions {
  /** Seconds by which a timestamp may differ from the clock here; 300 by default. */
  readonly toleranceSeconds?: number
  /** Milliseconds since 1970. */
  readonly clock?: () => number
}

const TOLERANCE_SECONDS = 300

/** Verifies events by Standard Webhooks 1.0. */
export class Webhooks {
  readonly #keys: readonly Promise<CryptoKey>[]
  readonly #toleranceSeconds: number
  readonly #clock: () => number

  /** @param secrets `whsec_…`; several while the clinic changes the secret */
  constructor(secrets: string | readonly string[], options: WebhookOptions = {}) {
    const { toleranceSeconds = TOLERANCE_SECONDS, clock = Date.now } = options
    const all = [secrets].flat() as string[]
    if (all.length === 0) throw new TypeError('A secret is needed.')
    this.#keys = all.map(importedKey)
    this.#toleranceSeconds = toleranceSeconds
    this.#clock = clock
  }

  /**
   * Returns the event that a request contains.
   * @param body exactly the bytes as they came, before any parsing
   * @throws WebhookVerificationError
   */
  async verify(body: string | Uint8Array, headers: WebhookHeaders): Promise<WebhookEvent> {
    const id = headerOf(headers, 'webhook-id')
    const timestamp = headerOf(headers, 'webhook-timestamp')
    const signatures = headerOf(headers, 'webhook-signature')
    if (!id || !timestamp || !signatures)
      throw new WebhookVerificationError('A header of Standard Webhooks is missing.')
    const age = this.#clock() / 1000 - (/^\d+$/.test(timestamp) ? Number(timestamp) : Number.NaN)
    if (!(Math.abs(age) <= this.#toleranceSeconds))
      throw new WebhookVerificationError('The timestamp is too old or too new.')
    const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
    const signed = joined(new TextEncoder().encode(`${id}.${timestamp}.`), bytes)
    if (!(await this.#isSigned(signed, signatures)))
      throw new WebhookVerificationError('No signature fits.')
    return eventOf(bytes, id)
  }

  async #isSigned(signed: Uint8Array<ArrayBuffer>, signatures: string): Promise<boolean> {
    for (const entry of signatures.split(' ')) {
      const [version, text = ''] = entry.split(',')
      const given = version === 'v1' ? bytesOf(text) : undefined
      if (!given) continue
      for (const key of this.#keys)
        if (await crypto.subtle.verify('HMAC', await key, given, signed)) return true
    }
    return false
  }
}

function eventOf(bytes: Uint8Array, id: string): WebhookEvent {
  let event: unknown
  try {
    event = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch (cause) {
    throw new WebhookVerificationError('The body is not JSON.', { cause })
  }
  if (typeof event !== 'object' || event === null || Reflect.get(event, 'id') !== id)
    throw new WebhookVerificationError('The body is not the event of its headers.')
  return event as WebhookEvent
}

function importedKey(secret: string): Promise<CryptoKey> {
  const bytes = bytesOf(secret.replace(/^whsec_/, ''))
  if (!bytes || bytes.length === 0) throw new TypeError('The secret is not whsec_ and base64.')
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify'])
}

function headerOf(headers: WebhookHeaders, name: string): string | undefined {
  if (typeof headers.get === 'function') return headers.get(name) ?? undefined
  const entry = Object.entries(headers).find(([key]) => key.toLowerCase() === name)
  return typeof entry?.[1] === 'string' ? entry[1] : undefined
}

/** The bytes of a base64 text; undefined if it is none. */
function bytesOf(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
  } catch {
    return undefined
  }
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(first.length + second.length)
  bytes.set(first)
  bytes.set(second, first.length)
  return bytes
}

export type EventHandlers = {
  readonly [T in EventType]?: (
    data: EventData<T>,
    event: WebhookEvent<T>,
  ) => EventAnswer<T> | Promise<EventAnswer<T>>
}

/** What to answer to a request. `body` is JSON. */
export interface WebhookReply {
  readonly status: number
  readonly body: string
}

export interface ReceiverOptions extends WebhookOptions {
  readonly secrets: string | readonly string[]
  readonly handlers: EventHandlers
  /** Called when a handler throws; the gateway is answered with 500. */
  readonly onError?: (error: unknown, event: WebhookEvent) => void
}

const REMEMBERED = 1000
const isSoft = (type: string) => type.endsWith('.enrichment_requested')

/**
 * Answers events by a handler for each type. A request that comes again under the same id, because
 * an answer was lost or somebody replayed it, gets the first answer again and calls no handler;
 * the ids are kept in memory, so keep those of reports in your database too.
 */
export class WebhookReceiver {
  readonly #webhooks: Webhooks
  readonly #options: ReceiverOptions
  readonly #answers = new Map<string, Promise<WebhookReply>>()

  constructor(options: ReceiverOptions) {
    this.#options = options
    this.#webhooks = new Webhooks(options.secrets, options)
  }

  /** @param body exactly the bytes as they came */
  async receive(body: string | Uint8Array, headers: WebhookHeaders): Promise<WebhookReply> {
    let event: WebhookEvent
    try {
      event = await this.#webhooks.verify(body, headers)
    } catch (error) {
      if (!(error instanceof WebhookVerificationError)) throw error
      return reply(400, { error: error.message })
    }
    const known = this.#answers.get(event.id)
    if (known) return known
    const answer = this.#answer(event)
    this.#remember(event.id, answer)
    const given = await answer
    // It will be sent again, and may then succeed.
    if (given.status >= 300) this.#answers.delete(event.id)
    return given
  }

  /** As `receive`, for servers with Fetch's `Request` and `Response`. */
  readonly fetch = async (request: Request): Promise<Response> => {
    const bytes = new Uint8Array(await request.arrayBuffer())
    const { status, body } = await this.receive(bytes, request.headers)
    return new Response(body, { status, headers: { 'content-type': 'application/json' } })
  }

  async #answer(event: WebhookEvent): Promise<WebhookReply> {
    const { handlers, onError = () => {} } = this.#options
    const handler = (EVENT_TYPES as readonly string[]).includes(event.type)
      ? (handlers[event.type] as ((data: unknown, event: unknown) => unknown) | undefined)
      : undefined
    if (!handler)
      return isSoft(event.type)
        ? reply(200, {})
        : reply(501, { error: `${event.type} has no handler.` })
    try {
      return reply(200, await handler(event.data, event))
    } catch (error) {
      onError(error, event)
      return reply(500, { error: 'The handler failed.' })
    }
  }

  #remember(id: string, answer: Promise<WebhookReply>): void {
    this.#answers.set(id, answer)
    const [oldest] = this.#answers.keys()
    if (this.#answers.size > REMEMBERED && oldest !== undefined) this.#answers.delete(oldest)
  }
}

const reply = (status: number, json: unknown): WebhookReply => ({
  status,
  body: JSON.stringify(json),
})
