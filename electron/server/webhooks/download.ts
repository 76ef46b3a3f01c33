import { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import type { Context } from '#server/context.ts'
import { message } from '#shared/messages/message.ts'
import { type AdmittedUrl, admitFileUrl } from './address.ts'
import type { Agents } from './agents.ts'
import { networkFault, statusError, withinBudget } from './network-fault.ts'
import { ACCEPT_ENCODING, discardBody, readBody } from './response-body.ts'
import { WebhookError } from './webhook-error.ts'

export interface DownloadOptions {
  /** The endpoint's `fileHosts`; other hosts are rejected. */
  readonly hosts: readonly string[]
  readonly signal?: AbortSignal | undefined
  /** Milliseconds for the whole request, by default 60,000; for a stream until its first byte. */
  readonly budgetMs?: number
}

export interface GetOptions extends DownloadOptions {
  readonly maxBytes: number
  /** Accepted media types, with `*` for any subtype; all types by default. */
  readonly accept?: readonly string[]
}

export interface BufferedDownload {
  readonly body: Buffer
  /** In lower case without parameters; `application/octet-stream` if unspecified. */
  readonly mediaType: string
}

export interface StreamedDownload {
  /**
   * Emits a `WebhookError`: `oversize`, `timeout` after a minute of silence, or a network error.
   */
  readonly body: Readable
  readonly mediaType: string
  /** As stated by the server. */
  readonly length: number | undefined
  /**
   * 304, without a body, if `if-none-match` or `if-modified-since` was sent and the file is
   * unchanged.
   */
  readonly httpStatus: number
  /** As stated by the server. */
  readonly etag: string | undefined
  readonly lastModified: string | undefined
  readonly contentRange: string | undefined
}

export interface StreamOptions extends DownloadOptions {
  readonly maxBytes: number
  /** `range`, `if-none-match` and similar headers. */
  readonly headers?: Readonly<Record<string, string>>
}

export interface PutOptions extends DownloadOptions {
  readonly mediaType: string
  /** Headers to send, as specified by the partner. */
  readonly headers?: Readonly<Record<string, string>>
}

const BUDGET_MS = 60_000
const IDLE_TIMEOUT_MS = 60_000
const CONDITIONAL_HEADERS = ['if-none-match', 'if-modified-since']
const UNKNOWN_MEDIA_TYPE = 'application/octet-stream'

/**
 * Transfers files named in partners' answers: documents, images and manifests by GET, secondary
 * captures by PUT. Everything not explicitly permitted is rejected: only listed hosts, https (http
 * only to private hosts that are also listed for it), pinned addresses, no redirects, no cookies,
 * no Authorization header, and never one of the gateway's own listeners. Failures are thrown as
 * `WebhookError`, whose detail contains no URL, or as the signal's reason.
 */
export class Downloads implements AsyncDisposable {
  readonly #context: Pick<Context, 'clock' | 'settings'>
  readonly #agents: Agents

  constructor(context: Pick<Context, 'clock' | 'settings'>, agents: Agents) {
    this.#context = context
    this.#agents = agents
  }

  async get(
    url: string,
    { hosts, maxBytes, signal, budgetMs = BUDGET_MS, accept }: GetOptions,
  ): Promise<BufferedDownload> {
    const to = this.#admitted(url, hosts)
    return await withinBudget(budgetMs, signal, async (budget) => {
      const headers = { 'accept-encoding': ACCEPT_ENCODING }
      const response = await this.#request(to, 'GET', headers, budget)
      const mediaType = mediaTypeOf(response)
      if (accept && !accept.some((wanted) => matchesMediaType(mediaType, wanted)))
        throw discardBody(
          response,
          new WebhookError('invalid', message('webhooks.media-type-not-taken')),
        )
      const body = await readBody(response, maxBytes, { bytes: 0 }, () => undefined)
      return { body, mediaType }
    })
  }

  async stream(
    url: string,
    { hosts, maxBytes, signal, budgetMs = BUDGET_MS, headers = {} }: StreamOptions,
  ): Promise<StreamedDownload> {
    const to = this.#admitted(url, hosts)
    // The budget ends with the first byte; the caller's signal still applies.
    const abortController = new AbortController()
    const combinedSignal = signal
      ? AbortSignal.any([signal, abortController.signal])
      : abortController.signal
    const response = await withinBudget(budgetMs, signal, (budget) => {
      budget.addEventListener('abort', () => abortController.abort(budget.reason), { once: true })
      // Not compressed, because a range refers to the length of the original.
      return this.#request(to, 'GET', { ...headers, 'accept-encoding': 'identity' }, combinedSignal)
    })
    const length = Number(response.headers['content-length'])
    const tooLargeError = () =>
      new WebhookError(
        'oversize',
        message('webhooks.file-too-large', { mib: Math.floor(maxBytes / 1024 / 1024) }),
      )
    if (length > maxBytes) throw discardBody(response, tooLargeError())
    const chunks = limitStream(response, maxBytes, tooLargeError, signal)
    const body = Readable.from(chunks, { objectMode: false })
    // If the request is abandoned before its first byte is read, `limitStream` never finishes.
    body.once('close', () => void discardBody(response, new Error('read no further')))
    return {
      body,
      mediaType: mediaTypeOf(response),
      length: Number.isNaN(length) ? undefined : length,
      httpStatus: response.statusCode,
      etag: textOf(response, 'etag'),
      lastModified: textOf(response, 'last-modified'),
      contentRange: textOf(response, 'content-range'),
    }
  }

  async put(
    url: string,
    body: Buffer,
    { hosts, signal, budgetMs = BUDGET_MS, mediaType, headers = {} }: PutOptions,
  ): Promise<{ readonly httpStatus: number }> {
    const to = this.#admitted(url, hosts)
    return await withinBudget(budgetMs, signal, async (budget) => {
      const sent = { ...headers, 'content-type': mediaType }
      const response = await this.#request(to, 'PUT', sent, budget, body)
      discardBody(response, new Error('read no further'))
      return { httpStatus: response.statusCode }
    })
  }

  #admitted(url: string, hosts: readonly string[]): AdmittedUrl {
    const plaintextHosts = this.#context.settings.get('partner.plaintextHosts')
    return admitFileUrl(url, hosts, plaintextHosts, this.#agents.isOwn)
  }

  async #request(
    { url, route }: AdmittedUrl,
    method: 'GET' | 'PUT',
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal,
    body?: Buffer,
  ): Promise<Dispatcher.ResponseData> {
    const response = await this.#agents.of[route].request({
      origin: url.origin,
      path: url.pathname + url.search,
      method,
      signal,
      headers: { accept: '*/*', 'user-agent': 'Isthmus', ...headers },
      ...(body && { body }),
    })
    const { statusCode } = response
    const isUnchanged =
      statusCode === 304 && CONDITIONAL_HEADERS.some((name) => headers[name] !== undefined)
    if ((statusCode < 200 || statusCode > 299) && !isUnchanged)
      throw discardBody(response, fileStatusError(response, this.#context.clock()))
    return response
  }

  [Symbol.asyncDispose]() {
    return this.#agents[Symbol.asyncDispose]()
  }
}

async function* limitStream(
  response: Dispatcher.ResponseData,
  maxBytes: number,
  tooLarge: () => Error,
  signal: AbortSignal | undefined,
) {
  let size = 0
  let timer: NodeJS.Timeout | undefined
  const { body } = response
  const restartIdleTimer = () => {
    clearTimeout(timer)
    timer = setTimeout(
      () => body.destroy(new WebhookError('timeout', message('webhooks.silence'))),
      IDLE_TIMEOUT_MS,
    ).unref()
  }
  try {
    restartIdleTimer()
    for await (const chunk of body as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > maxBytes) throw tooLarge()
      // The timer is paused, because a slow reader must not count as a silent server.
      clearTimeout(timer)
      yield chunk
      restartIdleTimer()
    }
  } catch (error) {
    throw signal?.aborted ? signal.reason : networkFault(error)
  } finally {
    clearTimeout(timer)
    body.on('error', () => undefined).destroy()
  }
}

// Object stores respond with these statuses to a presigned URL that has expired or was created for
// another request.
function fileStatusError(response: Dispatcher.ResponseData, now: number): WebhookError {
  const { statusCode } = response
  if (statusCode === 401 || statusCode === 403)
    return new WebhookError(
      'status',
      message('webhooks.status-link-over', { status: statusCode }),
      {
        httpStatus: statusCode,
      },
    )
  if (statusCode === 404)
    return new WebhookError('status', message('webhooks.status-no-file'), {
      httpStatus: statusCode,
    })
  return statusError(response, now)
}

function mediaTypeOf({ headers }: Dispatcher.ResponseData): string {
  const [type = ''] = String(headers['content-type'] ?? '').split(';')
  return /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/.test(type.trim())
    ? type.trim().toLowerCase()
    : UNKNOWN_MEDIA_TYPE
}

function textOf({ headers }: Dispatcher.ResponseData, name: string): string | undefined {
  const value = headers[name]
  return typeof value === 'string' ? value : undefined
}

const matchesMediaType = (mediaType: string, wanted: string) =>
  wanted === '*/*' ||
  wanted === mediaType ||
  (wanted.endsWith('/*') && mediaType.startsWith(wanted.slice(0, -1)))
