import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { z } from 'zod'
import type { Actor } from '#server/audit-log/audit.ts'
import { readBoundSecret, setBoundSecret } from '#server/configuration/bound-secrets.ts'
import { hasSecret } from '#server/configuration/secret-queries.ts'
import type { Context } from '#server/context.ts'
import { admitPrivateUrl } from '#server/webhooks/address.ts'
import type { Agents } from '#server/webhooks/agents.ts'
import { withinBudget } from '#server/webhooks/network-fault.ts'
import { discardBody, readBody } from '#server/webhooks/response-body.ts'
import { WebhookError } from '#server/webhooks/webhook-error.ts'
import { DICTATION_MEDIA_TYPE, type DictationLanguage } from '#shared/contract/dictation.ts'
import { ApiError } from '#shared/errors.ts'
import { type Message, message } from '#shared/messages/message.ts'

export const DICTATION_SECRET = 'dictation.secret'
/** More than the text of ten minutes. */
const MAX_RESPONSE_BYTES = 1024 * 1024
const Answer = z.object({ text: z.string().max(200_000) })

/** A recording on its way to the engine. */
export interface Recording {
  readonly content: AsyncIterable<Buffer>
  readonly bytes: number
  readonly language: DictationLanguage
}

/**
 * The speech engine of the clinic: the transcription call of the OpenAI API, which whisper.cpp,
 * speaches, LocalAI and vLLM answer (docs/DICTATION.md). It is reached at a private address or on
 * this PC, and redirects are not followed: a recording never leaves the clinic. Neither recording
 * nor text is stored or logged.
 */
export class SpeechEngine implements AsyncDisposable {
  readonly #context: Context
  readonly #agents: Agents

  constructor(context: Context, agents: Agents) {
    this.#context = context
    this.#agents = agents
  }

  get isConfigured(): boolean {
    const { settings } = this.#context
    return settings.get('dictation.isOn') && settings.get('dictation.url') !== null
  }

  get hasSecret(): boolean {
    return hasSecret(this.#context, DICTATION_SECRET)
  }

  /** Milliseconds that the engine has. */
  get budgetMs(): number {
    return this.#context.settings.get('dictation.timeoutSeconds') * 1000
  }

  /** Null removes it. @throws ApiError refused: no address is set */
  setSecret(secret: string | null, actor: Actor): void {
    setDictationSecret(this.#context, secret, actor)
  }

  /**
   * The text of a recording, on one line. @throws ApiError refused: no address is set; unavailable,
   * with why
   */
  async transcribe(recording: Recording, signal: AbortSignal): Promise<string> {
    if (this.#context.settings.get('dictation.url') === null)
      throw new ApiError('refused', message('dictation.no-address'))
    try {
      return await withinBudget(this.budgetMs, signal, (budget) => this.#ask(recording, budget))
    } catch (error) {
      if (!(error instanceof WebhookError)) throw error
      throw new ApiError('unavailable', this.#explanation(error))
    }
  }

  async #ask({ content, bytes, language }: Recording, signal: AbortSignal): Promise<string> {
    const { settings } = this.#context
    const { url, route } = admitPrivateUrl(settings.get('dictation.url') ?? '', this.#agents.isOwn)
    const model = settings.get('dictation.model')
    const fields = { ...(model && { model }), language, response_format: 'json' }
    const { headers, body } = multipart(fields, content, bytes)
    const secret = readBoundSecret(this.#context, DICTATION_SECRET, url.origin)
    const response = await this.#agents.of[route].request({
      origin: url.origin,
      path: `${url.pathname.replace(/\/+$/, '')}/v1/audio/transcriptions`,
      method: 'POST',
      signal,
      headers: {
        accept: 'application/json',
        'user-agent': 'Isthmus',
        ...headers,
        ...(secret !== undefined && { authorization: `Bearer ${secret}` }),
      },
      body,
    })
    const { statusCode } = response
    if (statusCode < 200 || statusCode > 299)
      throw discardBody(response, new WebhookError('status', statusMessage(statusCode)))
    const answer = await readBody(response, MAX_RESPONSE_BYTES, { bytes: 0 }, () => undefined)
    return textOf(answer)
  }

  #explanation({ fault, detail }: WebhookError): Message {
    if (fault === 'timeout') return message('dictation.timeout', { seconds: this.budgetMs / 1000 })
    if (fault === 'unreachable') return message('dictation.unreachable', { why: detail })
    return message('dictation.failed', { why: detail })
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#agents[Symbol.asyncDispose]()
  }
}

/** Null removes it. @throws ApiError refused: no address is set */
export function setDictationSecret(context: Context, secret: string | null, actor: Actor): void {
  const url = context.settings.get('dictation.url')
  if (url === null && secret !== null)
    throw new ApiError('refused', message('dictation.no-address'))
  const secretEntry = { name: DICTATION_SECRET, action: 'dictation.secret' }
  setBoundSecret(context, secretEntry, url === null ? '' : new URL(url).origin, secret, actor)
}

/** What the engine most likely means. */
function statusMessage(status: number): Message {
  if (status === 401 || status === 403) return message('dictation.status-secret', { status })
  if (status === 404) return message('dictation.status-path', { status })
  if (status >= 300 && status < 400) return message('dictation.status-redirect', { status })
  return message('dictation.status', { status })
}

/** @throws WebhookError */
function textOf(answer: Buffer): string {
  let json: unknown
  try {
    json = JSON.parse(answer.toString())
  } catch {
    json = undefined
  }
  const { data } = Answer.safeParse(json)
  if (!data) throw new WebhookError('invalid', message('dictation.no-text'))
  // Engines write a line for each segment. No control character belongs into a report.
  return data.text.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ').trim()
}

/** A form of fields and the recording (RFC 7578), sent while the recording is read. */
function multipart(
  fields: Readonly<Record<string, string>>,
  content: AsyncIterable<Buffer>,
  bytes: number,
) {
  const boundary = `isthmus-${randomBytes(18).toString('hex')}`
  const parts = Object.entries(fields).map(
    ([name, value]) =>
      `--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  )
  const disposition = 'form-data; name="file"; filename="dictation.wav"'
  const head = Buffer.from(
    `${parts.join('')}--${boundary}\r\ncontent-disposition: ${disposition}\r\ncontent-type: ${DICTATION_MEDIA_TYPE}\r\n\r\n`,
  )
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`)
  async function* formData() {
    yield head
    yield* content
    yield tail
  }
  return {
    headers: {
      'content-type': `multipart/form-data; boundary=${boundary}`,
      'content-length': String(head.length + bytes + tail.length),
    },
    body: Readable.from(formData(), { objectMode: false }),
  }
}
