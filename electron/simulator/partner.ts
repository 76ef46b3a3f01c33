import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Envelope, EventData, EventType } from '#shared/contract/webhooks.ts'
import {
  hugeWorklist,
  type Script,
  type SimulatedWorklist,
  type StudyFiles,
  scriptOf,
} from './script.ts'
import { NotFromGatewayError, verifyPartnerRequest } from './verify.ts'
import { worklistDay } from './worklist-day.ts'

export { openSimulatedFiles, type ServingOptions, type SimulatedFiles } from './files.ts'
export { type ImageStore, openImageStore } from './image-store.ts'
export {
  type PhantomSeries,
  phantomMultiFrame,
  phantomSlice,
  phantomSopClass,
  phantomSopUid,
} from './phantom.ts'
export type { SimulatedWorklist } from './script.ts'
export { readWorklistFile, WorklistFileError } from './script.ts'
export { verifyPartnerRequest } from './verify.ts'

/**
 * How the partner responds. normal: answers; slow: answers after `slowMs`; down: closes every
 * connection; refuse: `authorized` false; garbage: 200 with an unusable answer, for
 * each type of event alternately not JSON and of the wrong structure; huge: 10,000 items; large: an
 * answer of 10 MiB; oversize: one of more than 20 MiB; hang: headers only; error: 500; gone: 410;
 * redirect: to a port of this PC.
 */
export const SCENARIOS = [
  ...(['normal', 'slow', 'down', 'refuse', 'garbage', 'huge', 'large', 'oversize'] as const),
  ...(['hang', 'error', 'gone', 'redirect'] as const),
] as const
export type Scenario = (typeof SCENARIOS)[number]

/** A received event whose signature has been verified. */
export interface ReceivedEvent {
  readonly envelope: Envelope
  readonly headers: IncomingMessage['headers']
  /** The bytes as received. */
  readonly body: Buffer
  /** Milliseconds since 1970. */
  readonly at: number
}

export interface PartnerSimulatorOptions {
  /** 0 selects a free port. */
  readonly port: number
  readonly host?: string
  /** `whsec_` and base64. */
  readonly secret: string
  /** By default today has `worklistDay` with its two invalid rows, and other days are empty. */
  readonly worklist?: SimulatedWorklist
  readonly scenario?: Scenario
  /** Overrides individual answers. */
  readonly answers?: Partial<Script>
  /** The files of studies; see `openSimulatedFiles`. */
  readonly files?: StudyFiles
  /** 6,000 is within the gateway's limit of 8 s for a worklist; 20,000 is not. */
  readonly slowMs?: number
  /** Milliseconds since 1970. */
  readonly clock: () => number
}

const MAX_BODY_BYTES = 1024 * 1024
const MAX_RECEIVED = 1000
/** Number of 64 KiB chunks in a MiB. */
const CHUNKS_PER_MIB = 16
/** A refusal names its reason, except for a report. */
const REFUSAL_ANSWERS: Readonly<Record<EventType, object>> = {
  'study.access_requested': { authorized: false, error: 'no images of this study for you' },
  'ephemeral.access_requested': { authorized: false, error: 'no images of this session for you' },
  'secondary_capture.access_requested': {
    authorized: false,
    error: 'no captures of this study are taken',
  },
  'modality_worklist.requested': { authorized: false, items: [], error: 'no worklist for this AE' },
  'patient_study.enrichment_requested': {
    authorized: false,
    error: 'nothing is said of this patient',
  },
  'clinical_context.enrichment_requested': {
    authorized: false,
    error: 'nothing is said of this exam',
  },
  'report.delivered': { success: false },
}
const GARBAGE = [
  '<html><body>Service temporarily unavailable</body></html>',
  '{"authorized":"yes","items":{"0":"none"}}',
] as const

/** Opens a partner simulator and starts listening. */
export async function openPartnerSimulator(
  options: PartnerSimulatorOptions,
): Promise<PartnerSimulator> {
  const simulator = new PartnerSimulator(options)
  await simulator.listen(options.port, options.host)
  return simulator
}

/**
 * A simulated partner for trying out the gateway: a real HTTP server that verifies signatures and
 * answers all seven events.
 */
export class PartnerSimulator implements AsyncDisposable {
  /** Number of verified requests: total, and by event. */
  requests = 0
  readonly requestsOf: Partial<Record<EventType, number>> = {}
  /** The last event received. */
  last: Envelope | undefined
  /** The latest thousand verified events, oldest first. */
  readonly received: ReceivedEvent[] = []
  /** Accepted reports by event id; a report that is sent again replaces the earlier one. */
  readonly reports = new Map<string, EventData<'report.delivered'>>()
  url = ''
  port = 0
  readonly #secret: string
  readonly #clock: () => number
  readonly #slowMs: number
  readonly #script: Script
  readonly #hugeScript: Script
  readonly #sequences = new Map<EventType, Scenario[]>()
  readonly #closing = new AbortController()
  readonly #sockets = new Set<Socket>()
  #scenario: Scenario
  readonly #server = createServer((request, response) => {
    // The gateway closes the connection when its time limit is exceeded, so no answer can be sent.
    this.#answer(request, response).catch(() => response.destroy())
  })

  constructor({
    secret,
    clock,
    slowMs = 6_000,
    scenario = 'normal',
    worklist,
    files,
    answers,
  }: PartnerSimulatorOptions) {
    this.#secret = secret
    this.#clock = clock
    this.#slowMs = slowMs
    this.#scenario = scenario
    const today = () => localDay(clock())
    const todaysWorklist = (day: string) =>
      day === today() ? worklistDay(day, { withBadRows: true }) : []
    this.#script = { ...scriptOf(worklist ?? todaysWorklist, today, files), ...answers }
    this.#hugeScript = scriptOf(hugeWorklist, today)
    this.#server.on('connection', (socket) => {
      if (this.#scenario === 'down') return void socket.resetAndDestroy()
      this.#sockets.add(socket)
      socket.once('close', () => this.#sockets.delete(socket))
    })
  }

  async listen(port: number, host = '127.0.0.1'): Promise<void> {
    this.#server.listen(port, host)
    await once(this.#server, 'listening')
    this.port = (this.#server.address() as AddressInfo).port
    this.url = `http://${host.includes(':') ? `[${host}]` : host}:${this.port}/webhooks`
  }

  /**
   * Sets the scenarios of the next requests for an event, one each; later requests use the general
   * scenario.
   */
  setSequence(type: EventType, sequence: readonly Scenario[]): void {
    this.#sequences.set(type, [...sequence])
  }

  setScenario(scenario: Scenario): void {
    this.#scenario = scenario
    if (scenario === 'down') for (const socket of this.#sockets) socket.resetAndDestroy()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort()
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== 'POST')
      return sendJson(response, 405, { error: 'Events are sent by POST.' }, { allow: 'POST' })
    const body = await bodyOf(request)
    if (!body) return sendJson(response, 413, { error: 'An event has at most 1 MiB.' })
    let event: Envelope
    try {
      event = verifyPartnerRequest(this.#secret, request.headers, body)
    } catch (error) {
      if (!(error instanceof NotFromGatewayError)) throw error
      return sendJson(response, 400, { error: error.message })
    }
    this.requests += 1
    this.requestsOf[event.type] = (this.requestsOf[event.type] ?? 0) + 1
    this.last = event
    this.received.push({ envelope: event, headers: request.headers, body, at: this.#clock() })
    if (this.received.length > MAX_RECEIVED) this.received.shift()
    const scenario = this.#sequences.get(event.type)?.shift() ?? this.#scenario
    if (scenario === 'down') request.socket.resetAndDestroy()
    else await this.#play(scenario, event, response)
  }

  #play(
    scenario: Exclude<Scenario, 'down'>,
    event: Envelope,
    response: ServerResponse,
  ): void | Promise<void> {
    switch (scenario) {
      case 'normal':
        return this.#answerBy(this.#script, event, response)
      case 'huge':
        return this.#answerBy(this.#hugeScript, event, response)
      case 'slow':
        return this.#answerLate(event, response)
      case 'refuse':
        return sendJson(response, 200, REFUSAL_ANSWERS[event.type])
      case 'garbage':
        return send(response, 200, GARBAGE[((this.requestsOf[event.type] ?? 1) - 1) % 2] ?? '')
      case 'large':
        return sendPadded(response, 10)
      case 'oversize':
        return sendPadded(response, 21)
      case 'hang':
        return response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders()
      case 'error':
        return sendJson(response, 500, { error: 'The simulated partner is out of order.' })
      case 'gone':
        return sendJson(response, 410, { error: 'This address is no longer used.' })
      case 'redirect':
        return void response.writeHead(302, { location: `http://127.0.0.1:${this.port}/` }).end()
    }
  }

  async #answerLate(event: Envelope, response: ServerResponse): Promise<void> {
    await sleep(this.#slowMs, undefined, { signal: this.#closing.signal })
    this.#answerBy(this.#script, event, response)
  }

  #answerBy(script: Script, event: Envelope, response: ServerResponse): void {
    const answer = answerOf(script, event)
    const { success } = answer as { readonly success?: unknown }
    if (event.type === 'report.delivered' && success === true)
      this.reports.set(event.id, event.data as EventData<'report.delivered'>)
    sendJson(response, 200, answer)
  }
}

const answerOf = (script: Script, { type, data }: Envelope) =>
  (script[type] as (data: unknown) => unknown)(data)

/** A local day of this PC, `YYYYMMDD`. */
export function localDay(at: number): string {
  const now = new Date(at)
  return [now.getFullYear(), now.getMonth() + 1, now.getDate()]
    .map((part) => String(part).padStart(2, '0'))
    .join('')
}

async function bodyOf(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > MAX_BODY_BYTES) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function sendJson(
  response: ServerResponse,
  status: number,
  json: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  send(response, status, JSON.stringify(json), headers)
}

function send(
  response: ServerResponse,
  status: number,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text)
}

/** Sends valid JSON of excessive length, as fast as the gateway reads it. */
async function sendPadded(response: ServerResponse, mebibytes: number): Promise<void> {
  response.writeHead(200, { 'content-type': 'application/json' })
  await pipeline(paddedJson(mebibytes), response)
}

function* paddedJson(mebibytes: number) {
  const chunk = 'x'.repeat(64 * 1024)
  yield '{"authorized":true,"items":[],"padding":"'
  for (let sent = 0; sent < mebibytes * CHUNKS_PER_MIB; sent++) yield chunk
  yield '"}'
}
