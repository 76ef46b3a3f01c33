import { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import {
  type AdmittedUrl,
  admitFileUrl,
  askedOnce,
  type Resolve,
  systemResolve,
} from './address.ts'
import { openAgents } from './agents.ts'
import { withinBudget } from './budget.ts'
import { networkFault } from './network-fault.ts'
import type { IsOwnListener } from './own-listeners.ts'
import { ACCEPT_ENCODING, discard, readBody } from './response-body.ts'
import { statusError } from './status-error.ts'
import { WebhookError } from './webhook-error.ts'

export interface DownloadOptions {
  /** The endpoint's `fileHosts`: nothing comes from elsewhere. */
  readonly hosts: readonly string[]
  readonly signal?: AbortSignal | undefined
  /** Milliseconds for the whole call, 60,000 unless told; of a stream until its first byte. */
  readonly budgetMs?: number
}

export interface GetOptions extends DownloadOptions {
  readonly maxBytes: number
  /** Media types, `*` for all of a kind; any without it. */
  readonly accept?: readonly string[]
}

export interface Downloaded {
  readonly body: Buffer
  /** Lower case, without parameters; `application/octet-stream` where none was said. */
  readonly mediaType: string
}

export interface Streamed {
  /**
   * It errors with `WebhookError`: `oversize`, `timeout` after a minute of silence, or what the
   * network says.
   */
  readonly body: Readable
  readonly mediaType: string
  /** As the sender says. */
  readonly length: number | undefined
  /**
   * 304, without a body, where `if-none-match` or `if-modified-since` was sent and the file is
   * still the same (RFC 9110 §15.4.5).
   */
  readonly httpStatus: number
  /** As the sender says. */
  readonly etag: string | undefined
  readonly lastModified: string | undefined
  readonly contentRange: string | undefined
}

export interface StreamOptions extends DownloadOptions {
  readonly maxBytes: number
  /** `range`, `if-none-match` and the like. */
  readonly headers?: Readonly<Record<string, string>>
}

export interface PutOptions extends DownloadOptions {
  readonly mediaType: string
  /** Sent with it, as the partner asked. */
  readonly headers?: Readonly<Record<string, string>>
}

/**
 * Files as answers of partners name them: documents, images, manifests by GET, secondary captures
 * by PUT. Default deny: only hosts of the list, https (http only to private hosts that are listed
 * for it too), the resolved address pinned, no redirect, no cookies, no Authorization, never one of
 * our own listeners. All throw `WebhookError`, whose detail names no URL, or the signal's reason.
 */
export interface Downloads extends AsyncDisposable {
  get(url: string, options: GetOptions): Promise<Downloaded>
  stream(url: string, options: StreamOptions): Promise<Streamed>
  put(url: string, body: Buffer, options: PutOptions): Promise<{ readonly httpStatus: number }>
}

export interface DownloadsDeps {
  /** The `host:port` entries of `partner.plaintextHosts` as they are now. */
  readonly plaintextHosts: () => readonly string[]
  readonly isOwn?: IsOwnListener
  readonly clock: () => number
  readonly resolve?: Resolve
  /** Trusted certificate authorities in PEM, in place of the built-in ones. */
  readonly authorities?: readonly string[]
}

const BUDGET_MS = 60_000
const SILENCE_MS = 60_000
const CONDITIONS = ['if-none-match', 'if-modified-since']
const UNKNOWN_TYPE = 'application/octet-stream'

export function openDownloads({
  plaintextHosts,
  isOwn,
  clock,
  resolve = systemResolve,
  authorities,
}: DownloadsDeps): Downloads {
  const agents = openAgents({ resolve: askedOnce(resolve), authorities, isOwn })
  const admitted = (url: string, hosts: readonly string[]) =>
    admitFileUrl(url, hosts, plaintextHosts(), isOwn)

  async function request(
    { url, route }: AdmittedUrl,
    method: 'GET' | 'PUT',
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal,
    body?: Buffer,
  ): Promise<Dispatcher.ResponseData> {
    const response = await agents.of[route].request({
      ...{ origin: url.origin, path: url.pathname + url.search, method, signal },
      headers: { accept: '*/*', 'user-agent': 'Isthmus', ...headers },
      ...(body && { body }),
    })
    const { statusCode } = response
    const isUnchanged = statusCode === 304 && CONDITIONS.some((name) => headers[name] !== undefined)
    if ((statusCode < 200 || statusCode > 299) && !isUnchanged)
      throw discard(response, fileStatusError(response, clock()))
    return response
  }

  return {
    async get(url, { hosts, maxBytes, signal, budgetMs = BUDGET_MS, accept }) {
      const to = admitted(url, hosts)
      return await withinBudget(budgetMs, signal, async (budget) => {
        const response = await request(to, 'GET', { 'accept-encoding': ACCEPT_ENCODING }, budget)
        const mediaType = mediaTypeOf(response)
        if (accept && !accept.some((wanted) => fits(mediaType, wanted)))
          throw discard(response, new WebhookError('invalid', 'it is of a kind that is not taken'))
        const body = await readBody(response, maxBytes, { bytes: 0 }, () => undefined)
        return { body, mediaType }
      })
    },

    async stream(url, { hosts, maxBytes, signal, budgetMs = BUDGET_MS, headers = {} }) {
      const to = admitted(url, hosts)
      // The budget ends with the first byte; the caller's signal goes on.
      const ended = new AbortController()
      const both = signal ? AbortSignal.any([signal, ended.signal]) : ended.signal
      const response = await withinBudget(budgetMs, signal, (budget) => {
        budget.addEventListener('abort', () => ended.abort(budget.reason), { once: true })
        // As it is: what comes out of a decompression has no length that a range could mean.
        return request(to, 'GET', { ...headers, 'accept-encoding': 'identity' }, both)
      })
      const told = Number(response.headers['content-length'])
      const tooLarge = () =>
        new WebhookError('oversize', `it is larger than ${Math.floor(maxBytes / 1024 / 1024)} MiB`)
      if (told > maxBytes) throw discard(response, tooLarge())
      const body = Readable.from(counted(response, maxBytes, tooLarge, signal), {
        objectMode: false,
      })
      // One that is given up before its first byte was read never comes to the end of `counted`.
      body.once('close', () => void discard(response, new Error('read no further')))
      return {
        body,
        mediaType: mediaTypeOf(response),
        length: Number.isNaN(told) ? undefined : told,
        httpStatus: response.statusCode,
        etag: textOf(response, 'etag'),
        lastModified: textOf(response, 'last-modified'),
        contentRange: textOf(response, 'content-range'),
      }
    },

    async put(url, body, { hosts, signal, budgetMs = BUDGET_MS, mediaType, headers = {} }) {
      const to = admitted(url, hosts)
      return await withinBudget(budgetMs, signal, async (budget) => {
        const response = await request(
          to,
          'PUT',
          { ...headers, 'content-type': mediaType },
          budget,
          body,
        )
        discard(response, new Error('read no further'))
        return { httpStatus: response.statusCode }
      })
    },

    [Symbol.asyncDispose]: () => agents[Symbol.asyncDispose](),
  }
}

async function* counted(
  response: Dispatcher.ResponseData,
  maxBytes: number,
  tooLarge: () => Error,
  signal: AbortSignal | undefined,
) {
  let size = 0
  let timer: NodeJS.Timeout | undefined
  const { body } = response
  const watch = () => {
    clearTimeout(timer)
    timer = setTimeout(
      () => body.destroy(new WebhookError('timeout', 'nothing came for a minute')),
      SILENCE_MS,
    ).unref()
  }
  try {
    watch()
    for await (const chunk of body as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > maxBytes) throw tooLarge()
      // A slow reader is not a silent sender.
      clearTimeout(timer)
      yield chunk
      watch()
    }
  } catch (error) {
    throw signal?.aborted ? signal.reason : networkFault(error)
  } finally {
    clearTimeout(timer)
    body.on('error', () => undefined).destroy()
  }
}

// A presigned link that is over, or was made for something else, is answered so by every object
// store.
function fileStatusError(response: Dispatcher.ResponseData, now: number): WebhookError {
  const { statusCode } = response
  if (statusCode === 401 || statusCode === 403)
    return new WebhookError('status', `it answered ${statusCode}; the link may be over`, {
      httpStatus: statusCode,
    })
  if (statusCode === 404)
    return new WebhookError('status', 'it answered 404: there is no such file', {
      httpStatus: statusCode,
    })
  return statusError(response, now)
}

function mediaTypeOf({ headers }: Dispatcher.ResponseData): string {
  const [type = ''] = String(headers['content-type'] ?? '').split(';')
  return /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/.test(type.trim())
    ? type.trim().toLowerCase()
    : UNKNOWN_TYPE
}

function textOf({ headers }: Dispatcher.ResponseData, name: string): string | undefined {
  const value = headers[name]
  return typeof value === 'string' ? value : undefined
}

const fits = (mediaType: string, wanted: string) =>
  wanted === '*/*' ||
  wanted === mediaType ||
  (wanted.endsWith('/*') && mediaType.startsWith(wanted.slice(0, -1)))
