import { randomBytes } from 'node:crypto'
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createApiKey } from '#server/modules/api-keys/api-keys.ts'
import { dashboardEvents } from '#shared/contract/events.ts'
import { EVENT_TYPES } from '#shared/contract/webhooks.ts'
import { type StartedGateway, startGateway } from '../../support/gateway.ts'

/** A gateway that both clients call. */
export interface Stage extends AsyncDisposable {
  readonly started: StartedGateway
  readonly apiKey: string
  readonly secret: string
  /** The gateway, behind a server that first gives the answers that a test asks for. */
  readonly proxy: Proxy
  /** Adds the endpoint, sends each event to it, and returns what is wrong with the answers. */
  testEvents(url: string): Promise<string[]>
}

export async function startStage(): Promise<Stage> {
  await using opened = new AsyncDisposableStack()
  let apiKey = ''
  const started = opened.use(
    await startGateway({
      partner: null,
      prepare(context) {
        const key = { description: 'Cloud RIS', isViewerEnabled: true, scope: 'all' } as const
        apiKey = createApiKey(context, { ...key, managesPeople: true }, 'command-line').key
      },
    }),
  )
  const secret = `whsec_${randomBytes(32).toString('base64')}`
  const proxy = opened.use(await openProxy(started.http))
  const kept = opened.move()
  return {
    started,
    apiKey,
    secret,
    proxy,
    async testEvents(url) {
      const { endpointId } = await started.call(dashboardEvents.addEndpoint, {
        body: {
          url,
          secret,
          name: 'Client',
          events: [...EVENT_TYPES],
          allowPlaintext: true,
          apiKeyId: null,
        },
      })
      const faults: string[] = []
      for (const type of EVENT_TYPES) {
        const { success, message } = await started.call(dashboardEvents.test, {
          body: { type, endpointId },
        })
        if (!success) faults.push(`${type}: ${JSON.stringify(message)}`)
      }
      return faults
    },
    [Symbol.asyncDispose]: () => kept[Symbol.asyncDispose](),
  }
}

interface Answer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/**
 * Requests that came, and answers that are given before the gateway is asked. Another process adds
 * answers by POST /script.
 */
export interface Proxy extends AsyncDisposable {
  readonly url: string
  readonly requests: { readonly method: string; readonly headers: IncomingHttpHeaders }[]
  /** Each is given once; 'hang-up' ends the connection. */
  readonly answers: (Answer | 'hang-up')[]
}

async function openProxy(target: string): Promise<Proxy> {
  const requests: Proxy['requests'] = []
  const answers: Proxy['answers'] = []
  const server = await listen(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { method = '', headers, url = '' } = request
    if (url === '/script') {
      answers.push(...(JSON.parse(Buffer.concat(chunks).toString()) as Proxy['answers']))
      return void response.end()
    }
    requests.push({ method, headers })
    const answer = answers.shift()
    if (answer === 'hang-up') return void request.socket.destroy()
    if (answer)
      return void response.writeHead(answer.status, answer.headers).end(answer.body ?? '{}')
    const { host: _, connection: __, 'content-length': ___, ...passed } = headers
    const given = await fetch(target + url, {
      method,
      headers: passed as Record<string, string>,
      ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
    })
    response.writeHead(given.status, {
      'content-type': given.headers.get('content-type') ?? '',
      'x-request-id': given.headers.get('x-request-id') ?? '',
    })
    response.end(Buffer.from(await given.arrayBuffer()))
  })
  return { ...server, requests, answers }
}

/** An HTTP server on a free port of 127.0.0.1. */
export async function listen(
  listener: RequestListener,
): Promise<{ readonly url: string } & AsyncDisposable> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
