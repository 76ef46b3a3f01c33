import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * The contents of a file: one buffer, several buffers that files may share, a function that creates
 * it, or a path.
 */
export type FileBody =
  | Buffer
  | readonly Buffer[]
  | (() => Buffer | readonly Buffer[])
  | { readonly path: string }

/**
 * html: a sign-in page instead of the file; truncated: the first half, with a matching length;
 * reset: half of the announced length, then a reset; hang: headers only.
 */
const FILE_FAULTS = ['html', 'truncated', 'reset', 'hang'] as const
export type FileFault = (typeof FILE_FAULTS)[number]

/** How a file is served. */
export interface ServingOptions {
  /** Delay before the first byte. */
  readonly delayMs?: number
  /** Bytes per second of this file on one connection. */
  readonly bytesPerSecond?: number
  readonly fault?: FileFault
}

export interface SimulatedFile extends ServingOptions {
  readonly body: FileBody
  readonly mediaType: string
}

/** An uploaded file. */
export interface Upload {
  readonly name: string
  readonly body: Buffer
  readonly mediaType: string
}

const MAX_UPLOAD_BYTES = 64 * 1024 * 1024
const LINK_LIFETIME_SECONDS = 900
const PORTAL_HTML = '<!doctype html><html><body>Please sign in to the portal.</body></html>'
/** Number of pieces per second in which a throttled file is sent. */
const PIECES_PER_SECOND = 20

/**
 * Opens an object store on a free port of the host.
 * @param clock milliseconds since 1970; determines when a link has expired
 */
export async function openSimulatedFiles({
  host = '127.0.0.1',
  clock,
  manner = {},
}: {
  readonly host?: string
  readonly clock: () => number
  readonly manner?: ServingOptions
}): Promise<SimulatedFiles> {
  const files = new SimulatedFiles(clock, manner)
  await files.listen(host)
  return files
}

/** A partner's object store: files with presigned URLs that expire, and uploads. */
export class SimulatedFiles implements AsyncDisposable {
  readonly uploads: Upload[] = []
  /** Names of the fetched files, in order, without responses with 304. */
  readonly fetched: string[] = []
  /** Names of the files answered with 304, in order. */
  readonly unchangedNames: string[] = []
  readonly #clock: () => number
  readonly #key = randomBytes(32)
  readonly #files = new Map<string, SimulatedFile & { readonly etag: string }>()
  readonly #revoked = new Set<string>()
  /** Number of the last expired link, by file, and for all files. */
  readonly #expired = new Map<string, number>()
  #allExpired = 0
  readonly #closing = new AbortController()
  readonly #server = createServer(
    (request, response) => void this.#answer(request, response).catch(() => response.destroy()),
  )
  #servingOptions: ServingOptions
  #uploadStatuses: number[] = []
  #links = 0
  #version = 0
  #host = ''

  constructor(clock: () => number, options: ServingOptions) {
    this.#clock = clock
    this.#servingOptions = options
  }

  async listen(host: string): Promise<void> {
    this.#server.listen(0, host)
    await once(this.#server, 'listening')
    const { port } = this.#server.address() as AddressInfo
    this.#host = `${host.includes(':') ? `[${host}]` : host}:${port}`
  }

  /** `host:port`, as an administrator enters it in the list. */
  get host(): string {
    return this.#host
  }

  put(name: string, file: SimulatedFile): void {
    this.#files.set(name, { ...file, etag: `"${++this.#version}"` })
  }

  /** A link that is valid for this many seconds. */
  getUrl(name: string, seconds = LINK_LIFETIME_SECONDS): string {
    return this.#linkTo('GET', name, seconds)
  }

  putUrl(name: string, seconds = LINK_LIFETIME_SECONDS): string {
    return this.#linkTo('PUT', name, seconds)
  }

  /**
   * Expires the existing links of a file, or of all files; they answer with 403, and new links
   * work.
   */
  expire(name?: string): void {
    if (name === undefined) this.#allExpired = this.#links
    else this.#expired.set(name, this.#links)
  }

  /** Makes all links of the file answer with 403, including new ones. */
  revoke(name: string): void {
    this.#revoked.add(name)
  }

  /** Sets how files are served, unless a file specifies it itself. */
  setServingOptions(options: ServingOptions): void {
    this.#servingOptions = options
  }

  /** Sets the statuses of the next uploads, one each; later uploads are answered with 200. */
  setUploadStatuses(statuses: readonly number[]): void {
    this.#uploadStatuses = [...statuses]
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort()
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }

  #linkTo(method: string, name: string, seconds: number): string {
    const path = `/${encodeURIComponent(name)}`
    const expires = String(Math.floor(this.#clock() / 1000) + seconds)
    const link = String(++this.#links)
    const signature = this.#signatureOf(method, path, expires, link)
    return `http://${this.#host}${path}?expires=${expires}&link=${link}&signature=${signature}`
  }

  #signatureOf(method: string, path: string, expires: string, link: string): string {
    return createHmac('sha256', this.#key)
      .update(`${method} ${path} ${expires} ${link}`)
      .digest('hex')
  }

  #isSigned(method: string, url: URL, name: string): boolean {
    const [expires = '', link = '', given = ''] = ['expires', 'link', 'signature'].map(
      (part) => url.searchParams.get(part) ?? '',
    )
    const expected = Buffer.from(this.#signatureOf(method, url.pathname, expires, link))
    const signature = Buffer.from(given)
    if (signature.length !== expected.length || !timingSafeEqual(signature, expected)) return false
    return (
      Number(expires) * 1000 > this.#clock() &&
      !this.#revoked.has(name) &&
      Number(link) > Math.max(this.#allExpired, this.#expired.get(name) ?? 0)
    )
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const method = request.method ?? ''
    const url = new URL(request.url ?? '/', 'http://files')
    const name = decodeURIComponent(url.pathname.slice(1))
    if (method !== 'GET' && method !== 'PUT') return end(response, 405)
    if (!this.#isSigned(method, url, name)) return end(response, 403)
    if (method === 'PUT') return await this.#receive(name, request, response)
    const file = this.#files.get(name)
    if (!file) return end(response, 404)
    if (request.headers['if-none-match'] === file.etag) {
      this.unchangedNames.push(name)
      return void response.writeHead(304, { etag: file.etag }).end()
    }
    this.fetched.push(name)
    await send(
      { ...this.#servingOptions, ...file },
      request.headers.range,
      response,
      this.#closing.signal,
    )
  }

  async #receive(name: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    let size = 0
    for await (const chunk of request as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > MAX_UPLOAD_BYTES) return end(response, 413)
      chunks.push(chunk)
    }
    const status = this.#uploadStatuses.shift() ?? 200
    if (status < 300)
      this.uploads.push({
        name,
        body: Buffer.concat(chunks),
        mediaType: request.headers['content-type'] ?? '',
      })
    end(response, status)
  }
}

async function send(
  file: SimulatedFile & { readonly etag: string },
  asked: string | undefined,
  response: ServerResponse,
  signal: AbortSignal,
): Promise<void> {
  const { delayMs = 0, bytesPerSecond, fault } = file
  if (delayMs > 0) await sleep(delayMs, undefined, { signal })
  if (fault === 'html')
    return void response.writeHead(200, { 'content-type': 'text/html' }).end(PORTAL_HTML)
  const content = await partsOf(file.body)
  const size = lengthOf(content)
  const range = rangeOf(asked, size)
  if (range === 'unsatisfiable')
    return void response.writeHead(416, { 'content-range': `bytes */${size}` }).end()
  const { from, to } = range ?? { from: 0, to: size }
  const middle = from + Math.floor((to - from) / 2)
  response.writeHead(range ? 206 : 200, {
    'content-type': file.mediaType,
    'content-length': (fault === 'truncated' ? middle : to) - from,
    'accept-ranges': 'bytes',
    etag: file.etag,
    ...(range && { 'content-range': `bytes ${from}-${to - 1}/${size}` }),
  })
  if (fault === 'hang') return response.flushHeaders()
  const parts = bytesBetween(content, from, fault ? middle : to)
  if (bytesPerSecond === undefined) for (const part of parts) response.write(part)
  else await writeSlowly(response, parts, bytesPerSecond, signal)
  if (fault !== 'reset') return void response.end()
  // Gives the written bytes time to be sent before the connection is reset.
  await sleep(50, undefined, { signal })
  response.socket?.resetAndDestroy()
}

const end = (response: ServerResponse, status: number) => void response.writeHead(status).end()

async function partsOf(body: FileBody): Promise<readonly Buffer[]> {
  const created =
    typeof body === 'function' ? body() : 'path' in body ? await readFile(body.path) : body
  return Buffer.isBuffer(created) ? [created] : created
}

const lengthOf = (parts: readonly Buffer[]) => parts.reduce((size, { length }) => size + length, 0)

/** The bytes between two offsets, without copying. */
function bytesBetween(parts: readonly Buffer[], from: number, to: number): Buffer[] {
  let at = 0
  return parts.flatMap((part) => {
    const piece = part.subarray(Math.max(0, from - at), Math.max(0, to - at))
    at += part.length
    return piece.length > 0 ? [piece] : []
  })
}

/** A single range (RFC 9110 §14.2); undefined if none, or more than one, is requested. */
function rangeOf(
  header: string | undefined,
  size: number,
): { readonly from: number; readonly to: number } | 'unsatisfiable' | undefined {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? []
  if (first === '' && last === '') return undefined
  const from = first === '' ? Math.max(0, size - Number(last)) : Number(first)
  const to = first === '' || last === '' ? size : Math.min(size, Number(last) + 1)
  return from < to ? { from, to } : 'unsatisfiable'
}

async function writeSlowly(
  response: ServerResponse,
  parts: readonly Buffer[],
  bytesPerSecond: number,
  signal: AbortSignal,
): Promise<void> {
  const piece = Math.max(1, Math.ceil(bytesPerSecond / PIECES_PER_SECOND))
  const size = lengthOf(parts)
  const startedAt = performance.now()
  for (let at = 0; at < size && !response.destroyed; at += piece) {
    for (const part of bytesBetween(parts, at, at + piece)) response.write(part)
    // Computed from the start, so that late timers do not slow the file down.
    const due =
      (1000 * Math.min(size, at + piece)) / bytesPerSecond - (performance.now() - startedAt)
    if (due > 0) await sleep(due, undefined, { signal })
  }
}
