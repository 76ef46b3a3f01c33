import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { NotFromGatewayError, verifyPartnerRequest } from '#electron/simulator/verify.ts'
import { worklistDay } from '#electron/simulator/worklist-day.ts'
import {
  CONFORMANCE_CHECKS,
  reportText,
  runConformance,
} from '#server/modules/sandbox/conformance/conformance.ts'
import type { EventType } from '#shared/contract/webhooks.ts'
import { webhookSecret } from '../../../../support/gateway.ts'

// A partner with one defect loses exactly the points of that defect.

const secret = webhookSecret()
/** Of the event that the late partner answers after `LATE_MS`; a busy PC meets every other one. */
const [BUDGET_MS, LATE_MS] = [300, 500]

interface Incoming {
  readonly headers: IncomingMessage['headers']
  readonly body: Buffer
}

/** A partner to plant defects in: each of its steps can be replaced. */
interface Steps {
  /** The type and data of the event, or the status that it is refused with. */
  read(incoming: Incoming): { id: string; type: string; data: Record<string, unknown> } | number
  answer(type: EventType, data: Record<string, unknown>): unknown
  /** Answers a report; `isKnown` if an event of this id was stored before. */
  report(isKnown: boolean): { status: number; json: unknown }
  delayMs(type: string): number
  respond(response: ServerResponse, status: number, json: unknown, type: string): void
}

const ITEMS = worklistDay('20261127', { exams: 3 })

const ANSWERS: { readonly [T in EventType]: unknown } = {
  'study.access_requested': { authorized: true, urls: ['https://files.example/1'] },
  'ephemeral.access_requested': { authorized: false, error: 'handle not found' },
  'secondary_capture.access_requested': { authorized: true, uploadUrls: [] },
  'modality_worklist.requested': { authorized: true, items: ITEMS },
  'patient_study.enrichment_requested': { mrn: 'M-1' },
  'clinical_context.enrichment_requested': {},
  'report.delivered': { success: true },
}

const json = (text: string): Record<string, unknown> | undefined => {
  try {
    return JSON.parse(text) as Record<string, unknown>
  } catch {
    return undefined
  }
}

/** Verifies the signature only, as a partner without our schemas does. */
const GOOD: Steps = {
  read({ headers, body }) {
    try {
      verifyPartnerRequest(secret, headers, body)
    } catch (error) {
      if (!(error instanceof NotFromGatewayError)) throw error
      // What is signed and not an event of this version is told apart by its message.
      if (!error.message.startsWith('The body is signed')) return 400
    }
    const event = json(body.toString())
    if (!event) return 400
    return event as { id: string; type: string; data: Record<string, unknown> }
  },
  answer: (type) => ANSWERS[type],
  report: () => ({ status: 200, json: { success: true } }),
  delayMs: () => 0,
  respond: (response, status, value) =>
    void response
      .writeHead(status, { 'content-type': 'application/json' })
      .end(JSON.stringify(value)),
}

async function openPartner(defect: Partial<Steps> = {}) {
  const steps = { ...GOOD, ...defect }
  const known = new Set<string>()
  const server = createServer((request, response) => {
    void (async () => {
      const chunks: Buffer[] = []
      for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
      const event = steps.read({ headers: request.headers, body: Buffer.concat(chunks) })
      if (typeof event === 'number') return steps.respond(response, event, {}, '')
      const { id, type, data } = event
      await wait(steps.delayMs(type))
      if (!Object.hasOwn(ANSWERS, type)) return steps.respond(response, 501, {}, type)
      if (type !== 'report.delivered')
        return steps.respond(response, 200, steps.answer(type as EventType, data), type)
      const isKnown = known.has(id)
      known.add(id)
      const { status, json: reply } = steps.report(isKnown)
      steps.respond(response, status, reply, type)
    })().catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/hook`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function run(defect: Partial<Steps> = {}, events?: readonly EventType[]) {
  await using partner = await openPartner(defect)
  const budgetMs = (type: EventType) =>
    defect.delayMs && type === 'modality_worklist.requested' ? BUDGET_MS : 60_000
  return await runConformance({
    ...{ url: partner.url, secret, budgetMs, graceMs: 1500, pauseMs: 100 },
    ...(events && { events }),
  })
}

/** The checks that lost points, and how many. */
const lost = ({ checks }: Awaited<ReturnType<typeof run>>) =>
  Object.fromEntries(
    checks
      .filter(({ earned, points }) => earned < points)
      .map(({ id, earned, points }) => [id, points - earned]),
  )

describe('a conformance run', () => {
  it('has checks of a hundred points, with names of their own', () => {
    expect(CONFORMANCE_CHECKS.reduce((sum, { points }) => sum + points, 0)).toBe(100)
    expect(new Set(CONFORMANCE_CHECKS.map(({ id }) => id)).size).toBe(CONFORMANCE_CHECKS.length)
  })

  it('gives a good partner every point', async () => {
    const report = await run()
    expect(lost(report)).toEqual({})
    expect([report.earned, report.points]).toEqual([100, 100])
    expect(reportText(report)).toContain('Score: 100 of 100')
  })

  const withoutSignature: Partial<Steps> = {
    read: ({ body }) => (json(body.toString()) as never) ?? 400,
  }
  const ofSignature = {
    'signature.forged': 6,
    'signature.missing': 4,
    'signature.changed': 4,
    'signature.old': 4,
    'signature.future': 2,
  }
  it.each<{ defect: string; steps: Partial<Steps>; loses: Record<string, number> }>([
    { defect: 'checks no signature', steps: withoutSignature, loses: ofSignature },
    {
      defect: 'verifies the parsed JSON, not the bytes',
      // A signature of anything is accepted, as long as it is recent and there is one.
      steps: {
        read(incoming) {
          const at = Number(incoming.headers['webhook-timestamp'])
          const isRecent = Math.abs(Date.now() / 1000 - at) <= 300
          return isRecent ? ((json(incoming.body.toString()) as never) ?? 400) : 400
        },
      },
      loses: { 'signature.forged': 6, 'signature.changed': 4 },
    },
    {
      defect: 'compares the first signature only',
      steps: {
        read(incoming) {
          const [first = ''] = String(incoming.headers['webhook-signature']).split(' ')
          const headers = { ...incoming.headers, 'webhook-signature': first }
          return GOOD.read({ ...incoming, headers })
        },
      },
      loses: { 'signature.rotation': 4 },
    },
    {
      defect: 'accepts a clock that differs by a minute only',
      steps: {
        read(incoming) {
          const at = Number(incoming.headers['webhook-timestamp'])
          return Math.abs(Date.now() / 1000 - at) > 60 ? 400 : GOOD.read(incoming)
        },
      },
      loses: { 'signature.tolerance': 2 },
    },
    {
      defect: 'answers the worklist too late',
      steps: { delayMs: (type) => (type === 'modality_worklist.requested' ? LATE_MS : 0) },
      loses: { 'timing.modality_worklist.requested': 2 },
    },
    {
      defect: 'answers a worklist without items',
      steps: {
        answer: (type) =>
          type === 'modality_worklist.requested' ? { authorized: true } : ANSWERS[type],
      },
      loses: { 'answers.modality_worklist.requested': 5 },
    },
    {
      defect: 'sends a date that is none',
      steps: {
        answer: (type) =>
          type === 'patient_study.enrichment_requested'
            ? { dateOfBirth: '01/02/1970', mrn: 'M-1' }
            : ANSWERS[type],
      },
      loses: { 'answers.patient_study.enrichment_requested': 2 },
    },
    {
      defect: 'answers an enrichment with HTML',
      steps: {
        respond(response, status, value, type) {
          if (type !== 'clinical_context.enrichment_requested')
            return GOOD.respond(response, status, value, type)
          response.writeHead(200, { 'content-type': 'text/html' }).end('<html></html>')
        },
      },
      loses: { 'answers.clinical_context.enrichment_requested': 5 },
    },
    {
      defect: 'answers a repeated report with 409',
      steps: {
        report: (isKnown) =>
          isKnown ? { status: 409, json: {} } : { status: 200, json: { success: true } },
      },
      loses: { 'repeats.retry': 5, 'repeats.at-once': 3, 'repeats.older-after-newer': 2 },
    },
    {
      defect: 'refuses reports of studies that it does not know',
      steps: { report: () => ({ status: 200, json: { success: false } }) },
      loses: { 'answers.report.delivered': 5 },
    },
    {
      defect: 'fails with 500 where JSON cannot be parsed',
      steps: {
        read(incoming) {
          const event = GOOD.read(incoming)
          const isSigned = incoming.body.length === 7
          return event === 400 && isSigned ? 500 : event
        },
      },
      loses: { 'malformed.not-json': 3 },
    },
    {
      defect: 'refuses fields that it does not know',
      steps: {
        read(incoming) {
          const event = GOOD.read(incoming)
          return typeof event !== 'number' && 'laterField' in event.data ? 422 : event
        },
      },
      loses: { 'malformed.unknown-field': 3 },
    },
    {
      defect: 'confirms events that it does not know',
      steps: {
        read(incoming) {
          const event = GOOD.read(incoming)
          if (typeof event === 'number' || Object.hasOwn(ANSWERS, event.type)) return event
          return 200
        },
      },
      loses: { 'malformed.unknown-event': 2 },
    },
    {
      defect: 'accepts bodies of 100 KB only',
      steps: {
        read: (incoming) => (incoming.body.length > 100_000 ? 413 : GOOD.read(incoming)),
      },
      loses: { 'malformed.large': 2 },
    },
  ])('takes exactly its points from a partner that $defect', async ({ steps, loses }) => {
    const report = await run(steps)
    expect(lost(report)).toEqual(loses)
    const total = Object.values(loses).reduce((sum, points) => sum + points, 0)
    expect(report.earned).toBe(100 - total)
    for (const { earned, points, clause, sent, answered, remedy } of report.checks)
      if (earned < points)
        expect([clause, sent, answered, remedy].map((part) => Boolean(part))).toEqual(
          Array(4).fill(true),
        )
  })

  it('takes two points from a partner that hands out an exam once', async () => {
    let isHandedOut = 0
    const report = await run({
      answer(type) {
        if (type !== 'modality_worklist.requested') return ANSWERS[type]
        isHandedOut += 1
        return { authorized: true, items: ITEMS.slice(0, isHandedOut % 2) }
      },
    })
    expect(lost(report)).toEqual({ 'repeats.worklist': 2 })
  })

  it('gives no point for refusing what is wrong to a partner that refuses everything', async () => {
    const report = await run({ read: () => 401 })
    const ofGroup = (group: string) => report.checks.filter((check) => check.group === group)
    expect(ofGroup('signature').every(({ earned }) => earned === 0)).toBe(true)
    expect(ofGroup('answers').every(({ earned }) => earned === 0)).toBe(true)
  })

  it('names the fault where nobody listens', async () => {
    const partner = await openPartner()
    await partner[Symbol.asyncDispose]()
    const report = await runConformance({ url: partner.url, secret, pauseMs: 10 })
    expect(report.checks[0]?.answered).toContain('ECONNREFUSED')
    expect(report.earned).toBeLessThan(20)
  })

  it('asks only of the events that the partner receives', async () => {
    const report = await run({}, ['report.delivered'])
    expect(lost(report)).toEqual({})
    expect(report.points).toBe(5 + 2 + 3 + 26 + 10 + 10)
    expect(report.checks.some(({ id }) => id.includes('worklist'))).toBe(false)
  })
})
