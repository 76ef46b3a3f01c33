import type { Clock } from '#server/platform/clock.ts'
import { admitStoreUrl } from '#server/webhooks/address.ts'
import type { Agents } from '#server/webhooks/agents.ts'

/** Milliseconds without an answer, or without a byte of its body, after which a request fails. */
const MAX_SILENCE_MS = 30_000

/** The part of a request of the AWS SDK that is sent. */
interface SdkRequest {
  readonly protocol: string
  readonly hostname: string
  readonly port?: number | undefined
  readonly path: string
  readonly query?: Readonly<Record<string, string | readonly string[] | null>> | undefined
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: unknown
}

interface SdkOptions {
  /** The SDK has an interface of its own for signals, which `AbortSignal` implements. */
  readonly abortSignal?: unknown
}

/**
 * The HTTP client of the AWS SDK: its requests go through `Agents`, so that the rules for outbound
 * addresses, the trusted authorities and the connection limits are those of all other outbound
 * requests. Bodies are buffers of at most one part of an upload.
 */
export class S3Transport {
  readonly metadata = { handlerProtocol: 'http/1.1' }
  readonly #agents: Agents
  readonly #clock: Clock
  /** The store's clock minus that of this PC at the last response, in milliseconds. */
  clockDifferenceMs = 0

  constructor(agents: Agents, clock: Clock) {
    this.#agents = agents
    this.#clock = clock
  }

  /** @throws WebhookError forbidden-address, errors of the network, the abort reason */
  async handle(request: SdkRequest, { abortSignal }: SdkOptions = {}) {
    const port = request.port === undefined ? '' : `:${request.port}`
    const origin = `${request.protocol}//${request.hostname}${port}`
    const { route } = admitStoreUrl(origin, this.#agents.isOwn)
    // undici sets the host, and does not wait for `100 Continue`.
    const headers = Object.entries(request.headers).filter(
      ([name]) => !['expect', 'host'].includes(name.toLowerCase()),
    )
    const response = await this.#agents.of[route].request({
      origin,
      path: `${request.path}${queryOf(request.query)}`,
      method: request.method as 'GET',
      headers: Object.fromEntries(headers),
      body: (request.body ?? null) as Buffer | string | null,
      signal: (abortSignal ?? null) as AbortSignal | null,
      headersTimeout: MAX_SILENCE_MS,
      bodyTimeout: MAX_SILENCE_MS,
    })
    const received = one(response.headers)
    const date = Date.parse(received.date ?? '')
    if (!Number.isNaN(date)) this.clockDifferenceMs = date - this.#clock()
    return {
      response: { statusCode: response.statusCode, headers: received, body: response.body },
    }
  }

  // The SDK requires these of a transport; nothing of it can be configured afterwards.
  updateHttpClientConfig(): void {}
  httpHandlerConfigs(): Record<string, never> {
    return {}
  }
}

function queryOf(query: SdkRequest['query']): string {
  const pairs = Object.entries(query ?? {}).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map((each) =>
      each === null || each === undefined
        ? percentEncode(name)
        : `${percentEncode(name)}=${percentEncode(each)}`,
    ),
  )
  return pairs.length > 0 ? `?${pairs.join('&')}` : ''
}

/** As in the signature (RFC 3986 §2.1): `encodeURIComponent` leaves some reserved characters. */
const percentEncode = (text: string) =>
  encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )

const one = (headers: Readonly<Record<string, string | string[] | undefined>>) =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
    ),
  )
