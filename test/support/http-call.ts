import { type Agent, type IncomingHttpHeaders, request } from 'node:http'
import { request as requestOverTls } from 'node:https'

export interface HttpAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  /** The body read as JSON; undefined where it is not. */
  readonly json: unknown
}

export interface HttpCall {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON. */
  readonly json?: unknown
  /** Sent as it is. */
  readonly body?: string | Buffer
  /** Certificate (PEM) that an https server must prove itself by. */
  readonly ca?: string
  /** Own address to call from, such as 127.0.0.2. */
  readonly from?: string
  /** Whose connections are used again; a new one otherwise. */
  readonly agent?: Agent
  /** It rejects later than that. */
  readonly withinMs?: number
}

/** One HTTP/1.1 call with full say over every header, Host included, which fetch does not give. */
export function httpCall(
  url: string,
  { method = 'GET', headers = {}, json, body, ca, from, agent, withinMs }: HttpCall = {},
): Promise<HttpAnswer> {
  const bytes = json === undefined ? body : JSON.stringify(json)
  const type: Record<string, string> =
    json === undefined ? {} : { 'content-type': 'application/json' }
  const length: Record<string, string> =
    bytes === undefined ? {} : { 'content-length': String(Buffer.byteLength(bytes)) }
  // Node would hold the certificate against the Host header in place of the host called.
  const tls = { servername: '', ...(ca && { ca }) }
  const signal = withinMs === undefined ? undefined : AbortSignal.timeout(withinMs)
  const ask = url.startsWith('https:') ? requestOverTls : request
  return new Promise((settle, fail) => {
    const asked = ask(
      url,
      {
        ...{ method, headers: { ...type, ...length, ...headers }, agent: agent ?? false, ...tls },
        ...(from && { localAddress: from }),
        ...(signal && { signal }),
      },
      (answer) => {
        const chunks: Buffer[] = []
        answer.on('data', (chunk: Buffer) => chunks.push(chunk))
        answer.on('error', fail)
        answer.on('end', () => {
          const text = Buffer.concat(chunks).toString('utf8')
          settle({
            status: answer.statusCode ?? 0,
            headers: answer.headers,
            text,
            json: jsonOf(text),
          })
        })
      },
    )
    asked.on('error', fail)
    asked.end(bytes)
  })
}

/** The headers by which the window's own script proves itself. */
export const OWN_PAGE = { 'x-isthmus-csrf': '1', 'sec-fetch-site': 'same-origin' } as const

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
