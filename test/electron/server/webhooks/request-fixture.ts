import { once } from 'node:events'
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http'
import {
  type AddressInfo,
  createServer as createTcpServer,
  type Server,
  type Socket,
} from 'node:net'
import { onTestFinished } from 'vitest'
import type { Context } from '#server/context.ts'
import type { IsOwnListener, Resolve } from '#server/webhooks/address.ts'
import { Agents } from '#server/webhooks/agents.ts'
import { Downloads } from '#server/webhooks/download.ts'
import type { CallLimits } from '#server/webhooks/exchange.ts'
import { type PartnerEndpoint, type PartnerOutcome, Requester } from '#server/webhooks/request.ts'
import type { EventType } from '#shared/contract/webhooks.ts'

export const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
export const QUESTION = {
  callingAe: 'CT1',
  clinicId: '3f1b6c58-6a0e-4f8a-9f0e-7b1f5d0c2a11',
  dateStart: '2026-11-20',
  dateEnd: '2026-11-20',
  sourceIp: '10.0.0.9',
} as const

export interface ReceivedRequest {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: Buffer
}

/**
 * A partner of this test: a real server on a free port, and what it received. `answer` gets the
 * number of the request, from 0.
 */
export async function openPartner(
  answer: (response: ServerResponse, number: number, request: ReceivedRequest) => void,
  create: typeof createServer = createServer,
) {
  const received: ReceivedRequest[] = []
  const listener: RequestListener = async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const whole = {
      method: request.method ?? '',
      path: request.url ?? '',
      headers: request.headers,
      body: Buffer.concat(chunks),
    }
    received.push(whole)
    answer(response, received.length - 1, whole)
  }
  const server = create(listener)
  const port = await listen(server)
  onTestFinished(async () => {
    server.closeAllConnections()
    await closed(server)
  })
  return { port, received, server, url: `http://127.0.0.1:${port}/webhooks` }
}

/** A server that does what it likes with each connection. */
export async function openTcpServer(connected: (socket: Socket, number: number) => void) {
  const sockets: Socket[] = []
  const server = createTcpServer((socket) => {
    socket.on('error', () => undefined)
    sockets.push(socket)
    connected(socket, sockets.length - 1)
  })
  const port = await listen(server)
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy()
    await closed(server)
  })
  return { port, sockets, url: `http://127.0.0.1:${port}/` }
}

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

async function closed(server: Server): Promise<void> {
  server.close()
  await once(server, 'close')
}

/** How a test sets up the network. */
export interface Network {
  readonly plaintextHosts?: () => readonly string[]
  readonly clock?: () => number
  readonly isOwn?: IsOwnListener
  readonly resolve?: Resolve
  readonly authorities?: readonly string[]
}

export interface TestRequester extends Network {
  readonly endpoint?: Partial<PartnerEndpoint>
  readonly endpointFor?: (type: EventType, apiKeyId: string | null) => PartnerEndpoint | undefined
  readonly onOutcome?: (outcome: PartnerOutcome) => void
  readonly limits?: Partial<Record<EventType, CallLimits>>
  readonly elapsed?: () => number
}

/** The part of the context that calls need; ids are counted. */
function callContext({ plaintextHosts = () => [], clock = Date.now }: Network): Context {
  let minted = 0
  const uuid = () => `00000000-0000-0000-0000-${String(++minted).padStart(12, '0')}`
  return { clock, uuid, settings: { get: () => plaintextHosts() } } as unknown as Context
}

/** Downloads that end with the test. */
export function openTestDownloads(network: Network = {}): Downloads {
  const { isOwn, resolve, authorities } = network
  const downloads = new Downloads(callContext(network), new Agents(isOwn, resolve, authorities))
  onTestFinished(() => downloads[Symbol.asyncDispose]())
  return downloads
}

/** A requester that may call the given address, and how its calls ended. */
export function openTestRequester(url: string | undefined, more: TestRequester = {}) {
  const outcomes: PartnerOutcome[] = []
  const { endpoint, isOwn, resolve, authorities } = more
  const hosts = url === undefined ? [] : [`127.0.0.1:${new URL(url).port}`, new URL(url).host]
  const requester = new Requester(
    callContext({ plaintextHosts: () => hosts, ...more }),
    new Agents(isOwn, resolve, authorities),
    more.endpointFor ??
      (() =>
        url === undefined
          ? undefined
          : { endpointId: 'partner', url, secrets: [SECRET], ...endpoint }),
    more.onOutcome ?? ((outcome) => outcomes.push(outcome)),
    more.limits,
    more.elapsed,
  )
  onTestFinished(() => requester[Symbol.asyncDispose]())
  return {
    outcomes,
    requester,
    request: requester.request.bind(requester),
    ask: (options = {}) => requester.request('modality_worklist.requested', QUESTION, options),
  }
}

export const sendJson = (response: ServerResponse, json: unknown, status = 200) =>
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(json))
