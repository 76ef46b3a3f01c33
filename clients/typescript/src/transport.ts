import { NoAnswerError, ProblemError } from './errors.ts'
import type { Problem } from './generated/types.gen.ts'

export interface CallOptions {
  /**
   * Repeats of a POST with the same key have one effect. Without it each call gets a key of its
   * own, so that the client's own retries are safe.
   */
  readonly idempotencyKey?: string
  /** Refuses body fields that the operation does not have (`Prefer: handling=strict`). */
  readonly isStrict?: boolean
  /** Ends the call, and the wait before a retry. */
  readonly signal?: AbortSignal
  /** Milliseconds for each attempt. */
  readonly timeoutMs?: number
  readonly maxRetries?: number
}

/** What happened to one attempt of a call, for a log. It contains no body. */
export interface Attempt {
  readonly method: string
  readonly path: string
  /** From 1. */
  readonly attempt: number
  /** Undefined if no answer came. */
  readonly status: number | undefined
  readonly requestId: string | undefined
  readonly tookMs: number
}

export interface ClientOptions {
  /** Such as `https://gateway.clinic.example:8443`. */
  readonly baseUrl: string
  /** `sk_live_…` */
  readonly apiKey: string
  /** Milliseconds for each attempt; 30,000 by default. */
  readonly timeoutMs?: number
  /** How often a call is repeated after the first attempt; 3 by default. */
  readonly maxRetries?: number
  /** Replaces the global `fetch`, for a proxy or a certificate of the clinic. */
  readonly fetch?: typeof globalThis.fetch
  /** Called after each attempt. */
  readonly onAttempt?: (attempt: Attempt) => void
}

export interface Request {
  readonly method: string
  readonly path: string
  readonly query?: object | undefined
  readonly body?: object | null | undefined
  readonly options?: CallOptions | undefined
}

const TIMEOUT_MS = 30_000
const RETRIES = 3
const FIRST_DELAY_MS = 500
const MAX_DELAY_MS = 8_000
/** A longer `Retry-After` is not waited for: the refusal is thrown. */
const MAX_RETRY_AFTER_MS = 60_000

/** Sends requests, with retries. */
export class Transport {
  readonly #options: ClientOptions
  readonly #base: string

  constructor(options: ClientOptions) {
    this.#options = options
    this.#base = options.baseUrl.replace(/\/+$/, '')
  }

  /**
   * Returns the body of a successful answer. A connection that fails, 408, 429 and 5xx are tried
   * again, also 409 while the first request with the same key is under way; `x-should-retry`
   * overrides that.
   * @throws ProblemError for a refusal; NoAnswerError; the reason of `signal`
   */
  async send<T>(request: Request): Promise<T> {
    const { options = {} } = request
    const { onAttempt = () => {}, maxRetries = RETRIES } = this.#options
    const retries = options.maxRetries ?? maxRetries
    const init = this.#init(request)
    for (let attempt = 1; ; attempt++) {
      const began = performance.now()
      const result = await this.#attempt(request, init)
      const { response } = result
      const requestId = response?.headers.get('x-request-id') ?? undefined
      onAttempt({
        method: request.method,
        path: request.path,
        attempt,
        status: response?.status,
        requestId,
        tookMs: performance.now() - began,
      })
      if (response?.ok) return result.json as T
      const delay = delayOf(response, attempt)
      if (attempt > retries || delay === undefined) {
        if (!response) throw result.error
        const problem = isProblem(result.json) ? result.json : null
        throw new ProblemError(response.status, problem, requestId)
      }
      await wait(delay, options.signal)
    }
  }

  #init({ method, body, options = {} }: Request): RequestInit {
    const headers: Record<string, string> = {
      accept: 'application/json',
      authorization: `Bearer ${this.#options.apiKey}`,
    }
    if (body !== undefined) headers['content-type'] = 'application/json'
    if (method === 'POST')
      headers['idempotency-key'] = options.idempotencyKey ?? globalThis.crypto.randomUUID()
    if (options.isStrict) headers.prefer = 'handling=strict'
    return {
      method,
      headers,
      // The key must not go to another address.
      redirect: 'manual',
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }
  }

  async #attempt(
    { path, query, options = {} }: Request,
    init: RequestInit,
  ): Promise<
    | { readonly response: Response; readonly json: unknown }
    | { readonly response: undefined; readonly json: undefined; readonly error: Error }
  > {
    const { fetch = globalThis.fetch, timeoutMs = TIMEOUT_MS } = this.#options
    const timeout = AbortSignal.timeout(options.timeoutMs ?? timeoutMs)
    const signal = options.signal ? AbortSignal.any([options.signal, timeout]) : timeout
    options.signal?.throwIfAborted()
    try {
      const response = await fetch(`${this.#base}${path}${queryText(query)}`, { ...init, signal })
      return { response, json: parsed(await response.text()) }
    } catch (cause) {
      options.signal?.throwIfAborted()
      const error = new NoAnswerError(
        timeout.aborted ? 'The gateway did not answer in time.' : 'The gateway cannot be reached.',
        { cause },
      )
      return { response: undefined, json: undefined, error }
    }
  }
}

/**
 * Lists are joined by commas; null is an empty value, which the gateway reads as “has none”;
 * undefined is left out.
 */
function queryText(query: object = {}): string {
  const pairs = Object.entries(query).flatMap(([name, value]): [string, string][] =>
    value === undefined || (Array.isArray(value) && value.length === 0)
      ? []
      : [[name, value === null ? '' : String(value)]],
  )
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const isProblem = (json: unknown): json is Problem =>
  typeof json === 'object' && json !== null && typeof Reflect.get(json, 'message') === 'string'

/** Milliseconds before the next attempt; undefined if there is none. */
function delayOf(response: Response | undefined, attempt: number): number | undefined {
  const backoff = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (attempt - 1))
  const withJitter = backoff * (1 - 0.25 * Math.random())
  if (!response) return withJitter
  const { status, headers } = response
  const should = headers.get('x-should-retry')
  if (should === 'false') return undefined
  if (should !== 'true' && status !== 408 && status !== 429 && status < 500) return undefined
  const asked = retryAfterMs(headers.get('retry-after'))
  if (asked === undefined) return withJitter
  return asked > MAX_RETRY_AFTER_MS ? undefined : asked
}

/** Reads seconds or a date. */
function retryAfterMs(text: string | null): number | undefined {
  if (text === null) return undefined
  const ms = /^\s*\d+(\.\d+)?\s*$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now()
  return Number.isNaN(ms) ? undefined : Math.max(0, ms)
}

function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, ms)
    if (signal?.aborted) stop()
    else signal?.addEventListener('abort', stop, { once: true })
  })
}
