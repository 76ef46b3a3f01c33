import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface SimulatedFile {
  readonly body: Buffer
  readonly mediaType: string
}

/** A file that was put there. */
export interface Upload extends SimulatedFile {
  readonly name: string
}

/** What a partner keeps in its object store: files by presigned URLs, good for a while, and room for what is uploaded. */
export interface SimulatedFiles extends AsyncDisposable {
  /** `host:port`, as an administrator lists it. */
  readonly host: string
  readonly uploads: readonly Upload[]
  /** Names of files that were fetched, in order. */
  readonly fetched: readonly string[]
  put(name: string, file: SimulatedFile): void
  /** A link that is good for so many seconds. */
  getUrl(name: string, seconds?: number): string
  putUrl(name: string, seconds?: number): string
}

const UPLOAD_BYTES = 64 * 1024 * 1024
const LINK_SECONDS = 900

/** Milliseconds since 1970 by `clock`; a link is over when that says so. */
export async function openSimulatedFiles({
  host = '127.0.0.1',
  clock,
}: {
  readonly host?: string
  readonly clock: () => number
}): Promise<SimulatedFiles> {
  const key = randomBytes(32)
  const files = new Map<string, SimulatedFile>()
  const uploads: Upload[] = []
  const fetched: string[] = []
  const signatureOf = (method: string, path: string, expires: string) =>
    createHmac('sha256', key).update(`${method} ${path} ${expires}`).digest('hex')

  function isSigned(method: string, url: URL): boolean {
    const [expires, given] = ['expires', 'signature'].map((name) => Buffer.from(url.searchParams.get(name) ?? ''))
    const expected = Buffer.from(signatureOf(method, url.pathname, String(expires)))
    return given?.length === expected.length && timingSafeEqual(given, expected) && Number(expires) * 1000 > clock()
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const method = request.method ?? ''
    const url = new URL(request.url ?? '/', 'http://files')
    const name = decodeURIComponent(url.pathname.slice(1))
    if (method !== 'GET' && method !== 'PUT') return end(response, 405)
    if (!isSigned(method, url)) return end(response, 403)
    if (method === 'PUT') {
      const chunks: Buffer[] = []
      let size = 0
      for await (const chunk of request as AsyncIterable<Buffer>) {
        size += chunk.length
        if (size > UPLOAD_BYTES) return end(response, 413)
        chunks.push(chunk)
      }
      uploads.push({ name, body: Buffer.concat(chunks), mediaType: request.headers['content-type'] ?? '' })
      return end(response, 200)
    }
    const file = files.get(name)
    if (!file) return end(response, 404)
    fetched.push(name)
    response.writeHead(200, { 'content-type': file.mediaType, 'content-length': file.body.length }).end(file.body)
  }

  const server = createServer((request, response) => void answer(request, response).catch(() => response.destroy()))
  server.listen(0, host)
  await once(server, 'listening')
  const at = `${host.includes(':') ? `[${host}]` : host}:${(server.address() as AddressInfo).port}`
  const linkOf = (method: string, name: string, seconds: number) => {
    const path = `/${encodeURIComponent(name)}`
    const expires = String(Math.floor(clock() / 1000) + seconds)
    return `http://${at}${path}?expires=${expires}&signature=${signatureOf(method, path, expires)}`
  }

  return {
    host: at,
    uploads,
    fetched,
    put: (name, file) => void files.set(name, file),
    getUrl: (name, seconds = LINK_SECONDS) => linkOf('GET', name, seconds),
    putUrl: (name, seconds = LINK_SECONDS) => linkOf('PUT', name, seconds),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

const end = (response: ServerResponse, status: number) => void response.writeHead(status).end()
