import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A request that the engine got. */
export interface HeardRequest {
  readonly path: string
  readonly authorization: string | undefined
  readonly fields: Readonly<Record<string, string>>
  readonly file: Buffer
}

type Answer = (response: ServerResponse, request: IncomingMessage) => void

/** Answers like whisper.cpp: a line for each segment. */
export const saying =
  (...segments: readonly string[]): Answer =>
  (response) =>
    response
      .setHeader('content-type', 'application/json')
      .end(JSON.stringify({ text: segments.map((segment) => ` ${segment}\n`).join('') }))

/** A speech engine on 127.0.0.1 that keeps what it heard; `answer` may be replaced. */
export async function openSpeechEngine(answer: Answer = saying('The lungs are clear.')) {
  const heard: HeardRequest[] = []
  const engine = { answer, heard, requests: 0 }
  const server = createServer((request, response) => {
    engine.requests += 1
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('error', () => undefined)
    request.on('end', () => {
      heard.push({
        path: request.url ?? '',
        authorization: request.headers.authorization,
        ...readForm(Buffer.concat(chunks), request.headers['content-type'] ?? ''),
      })
      engine.answer(response, request)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return Object.assign(engine, {
    url: `http://127.0.0.1:${port}`,
    /** As when its process is killed: open connections break. */
    kill() {
      server.close()
      server.closeAllConnections()
    },
    async [Symbol.asyncDispose]() {
      if (!server.listening) return
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  })
}

/** The fields and the file of a multipart form (RFC 7578). */
function readForm(body: Buffer, contentType: string): Pick<HeardRequest, 'fields' | 'file'> {
  const boundary = /boundary=(\S+)/.exec(contentType)?.[1] ?? ''
  const text = body.toString('latin1')
  const fields: Record<string, string> = {}
  let file = Buffer.alloc(0)
  for (const part of text.split(`--${boundary}\r\n`).slice(1)) {
    const [head = '', ...rest] = part.split('\r\n\r\n')
    const content = rest.join('\r\n\r\n').replace(/\r\n(--\S+--\r\n)?$/, '')
    const name = /name="(\w+)"/.exec(head)?.[1] ?? ''
    if (/filename=/.test(head)) file = Buffer.from(content, 'latin1')
    else fields[name] = content
  }
  return { fields, file }
}
