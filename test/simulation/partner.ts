import { createHmac } from 'node:crypto'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { WorklistQuestion } from '#shared/contract/webhooks.ts'
import { itemOf } from './exams.ts'
import type { Ledger } from './ledger.ts'
import type { Random } from './random.ts'
import type { VirtualTime } from './virtual-time.ts'

/**
 * What it does with a call. late: answers, but later than anybody waits for it; lost: takes it and
 * hangs up before it says so.
 */
export const MANNERS = [
  'well',
  'slow',
  'late',
  'error',
  'garbage',
  'refuse',
  'lost',
  'drop',
  'never',
] as const
export type Manner = (typeof MANNERS)[number]

/**
 * A partner of the gateway as the seed has it: answers worklist questions, enriches studies, takes
 * reports, and is away at times.
 */
export interface Partner extends AsyncDisposable {
  readonly url: string
  readonly secret: string
  /** What it does with every call while it is away. */
  readonly outage: Manner | undefined
  /** Until then, milliseconds since 1970; a time that is over ends it. */
  leave(outage: Manner, until: number): void
  /** Nothing goes wrong any more. */
  isCalm: boolean
  /** A run that was ended still calls: it is not heard. */
  isDeaf: boolean
  /** Calls of the gateway that are under way and do not wait for the time. */
  isBusy(): boolean
  /** Calls that it answers later, or never. */
  readonly parked: number
  /** What came since the last look, in no order of their own. */
  news(): string[]
}

const SLOW_MS = 3_000
const LATE_MS = 20_000

interface Envelope {
  readonly id: string
  readonly type: string
  readonly data: Readonly<Record<string, unknown>>
}

export async function openPartner(
  time: VirtualTime,
  random: Random,
  ledger: Ledger,
): Promise<Partner> {
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
  const called = new Map<string, number>()
  const underWay = new Set<unknown>()
  let parked = 0
  let away: { readonly outage: Manner; readonly until: number } | undefined
  let news: string[] = []

  const created = (message: unknown) => void underWay.add((message as { request: unknown }).request)
  const ended = (message: unknown) =>
    void underWay.delete((message as { request: unknown }).request)
  subscribe('undici:request:create', created)
  subscribe('undici:request:trailers', ended)
  subscribe('undici:request:error', ended)

  /** The n-th call about this has the same manner in every run of the seed. */
  function mannerOf(about: string, shares: Readonly<Partial<Record<Manner, number>>>): Manner {
    const count = (called.get(about) ?? 0) + 1
    called.set(about, count)
    if (partner.outage) return partner.outage
    if (partner.isCalm) return 'well'
    let left = random.of(`${about} ${count}`)
    for (const [manner, share] of Object.entries(shares)) {
      left -= share
      if (left < 0) return manner as Manner
    }
    return 'well'
  }

  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy())
  })
  // Idle connections are the gateway's to close, by its own time.
  server.keepAliveTimeout = 0
  server.headersTimeout = 0
  server.requestTimeout = 0
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
    if (partner.isDeaf) return void request.socket.destroy()
    const body = Buffer.concat(chunks)
    const envelope = JSON.parse(body.toString()) as Envelope
    const { about, shares, reply } = answerFor(envelope, isSigned(request, body))
    const manner = mannerOf(about, shares)
    news.push(`the partner is told ${envelope.type} of ${about}: ${manner}`)
    const say = (status: number, json: unknown) => {
      if (response.destroyed || partner.isDeaf) return
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(json))
    }
    const later = (ms: number, then: () => void) => {
      parked++
      let isParked = true
      const end = () => {
        if (isParked) parked--
        isParked = false
      }
      const timer = setTimeout(() => {
        end()
        then()
      }, ms)
      response.once('close', () => {
        clearTimeout(timer)
        end()
      })
    }
    if (manner === 'well') say(200, reply())
    else if (manner === 'slow') later(SLOW_MS, () => say(200, reply()))
    else if (manner === 'late') later(LATE_MS, () => say(200, {}))
    else if (manner === 'never') later(24 * 60 * 60_000, () => response.destroy())
    else if (manner === 'error') say(500, { error: 'out of order' })
    else if (manner === 'garbage')
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end('<html>Service unavailable</html>')
    else if (manner === 'refuse')
      say(
        200,
        envelope.type === 'report.delivered'
          ? { success: false }
          : { authorized: false, error: 'no' },
      )
    else {
      if (manner === 'lost') reply()
      request.socket.destroy()
    }
    if (envelope.type === 'report.delivered' && !['well', 'slow', 'lost'].includes(manner))
      note(envelope, isSigned(request, body), false)
  }

  function answerFor(envelope: Envelope, signed: boolean) {
    const { type, data } = envelope
    if (type === 'modality_worklist.requested') {
      const question = data as WorklistQuestion
      return {
        about: question.callingAe,
        shares: { error: 0.04, garbage: 0.03, slow: 0.05, late: 0.02, drop: 0.03 },
        reply: () => worklist(question),
      }
    }
    if (type === 'report.delivered') {
      const about = words(data.plainText)
      return {
        about,
        shares: {
          error: 0.08,
          slow: 0.05,
          late: 0.04,
          lost: 0.06,
          refuse: 0.04,
          never: 0.02,
          drop: 0.03,
          garbage: 0.02,
        },
        reply: () => {
          note(envelope, signed, true)
          return { success: true }
        },
      }
    }
    const exam = ledger.exams.find(
      ({ studyInstanceUid }) => studyInstanceUid === data.studyInstanceUid,
    )
    return {
      about: String(data.studyInstanceUid),
      shares: { error: 0.1, slow: 0.1, late: 0.05, garbage: 0.05 },
      reply: () =>
        type === 'patient_study.enrichment_requested' && exam
          ? { studyDescription: exam.description, externalPatientId: `E${exam.number}` }
          : {},
    }
  }

  function worklist({ callingAe, dateStart, dateEnd }: WorklistQuestion) {
    const [from, to] = [dateStart, dateEnd].map((day) => day.replaceAll('-', '')) as [
      string,
      string,
    ]
    const items = ledger.exams
      .filter(({ day, isWithdrawn }) => !isWithdrawn && day >= from && day <= to)
      .map(itemOf)
    ledger.answers.push({ callingAe, dateStart, dateEnd, items, at: time.now(), isUnsure: false })
    return { authorized: true, items }
  }

  function note({ id, type, data }: Envelope, isSigned: boolean, isAccepted: boolean): void {
    const { presignedUrl: _link, externalPatientId: _own, ...content } = data
    const text = String(data.plainText ?? '')
    ledger.arrivals.push({
      eventId: id,
      type,
      content: JSON.stringify(content),
      reportId: String(data.reportId),
      text,
      isAccepted,
      isSigned,
    })
  }

  /** Standard Webhooks, by hand: the library has the real time. */
  function isSigned({ headers }: IncomingMessage, body: Buffer): boolean {
    const [id, at, given] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
      String(headers[name]),
    )
    const mac = createHmac('sha256', Buffer.alloc(32, 7))
      .update(`${id}.${at}.`)
      .update(body)
      .digest('base64')
    const envelope = JSON.parse(body.toString()) as Envelope
    const isFresh = Math.abs(Number(at) * 1000 - time.now()) < 5 * 60_000
    return isFresh && id === envelope.id && (given ?? '').split(' ').includes(`v1,${mac}`)
  }

  const partner: Partner = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`,
    secret,
    get outage() {
      return away && time.now() < away.until ? away.outage : undefined
    },
    leave(outage, until) {
      away = { outage, until }
    },
    isCalm: false,
    isDeaf: false,
    isBusy: () => underWay.size > parked,
    get parked() {
      return parked
    },
    news() {
      const all = news.sort()
      news = []
      return all
    },
    async [Symbol.asyncDispose]() {
      unsubscribe('undici:request:create', created)
      unsubscribe('undici:request:trailers', ended)
      unsubscribe('undici:request:error', ended)
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return partner
}

/** A text's own number: which one it is, and no patient. */
const words = (text: unknown): string => /text \d+/.exec(String(text))?.[0] ?? 'text ?'
