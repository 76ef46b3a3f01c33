import type { ServerResponse } from 'node:http'
import { Webhook } from 'standardwebhooks'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import {
  addOutboxJob,
  dropOutboxJobs,
  findLatestOutboxJob,
  listWaitingOutboxJobs,
  overdueOutboxJobs,
} from '#server/jobs/outbox-queries.ts'
import { RETRY_SCHEDULES } from '#server/jobs/retry-schedules.ts'
import {
  type DeliveryAttempt,
  type Destination,
  REPORT_DELIVERED,
} from '#server/webhooks/deliveries.ts'
import type { PartnerOutcome, Requester, RequestOptions } from '#server/webhooks/request.ts'
import { WebhookError } from '#server/webhooks/webhook-error.ts'
import type { PartnerFault } from '#shared/contract/worklist.ts'
import { idFromUuid } from '#shared/ids.ts'
import { verbatim } from '#shared/messages/message.ts'
import { freePort } from '../../../support/free-port.ts'
import { reportedErrors, tempStore, withoutRoom } from '../../../support/temp-store.ts'
import { openPartner, openTestRequester, SECRET, sendJson } from './request-fixture.ts'
import { type Known, TestDeliveries } from './test-deliveries.ts'

const HOUR = 3_600_000
const WEEK = 7 * 24 * HOUR
const uuidOf = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`
const reportId = (n: number) => idFromUuid('rep', uuidOf(n))
const eventId = (n: number) => idFromUuid('whe', uuidOf(n))
const ACCEPTED = (response: ServerResponse) => void sendJson(response, { success: true })

/**
 * Deliveries from a real store to a real server, on a standing clock; signatures are of the real
 * time.
 */
async function openClinic(
  answer: (response: ServerResponse, number: number) => void = ACCEPTED,
  options: Partial<Known> & { readonly url?: string } = {},
) {
  const temp = tempStore()
  const { store, clock } = temp
  const partner = await openPartner((response, number) => answer(response, number))
  const attempts: DeliveryAttempt[] = []
  const gone: string[] = []
  const errors = reportedErrors(store)
  let links = 0
  const requester = openTestRequester(options.url ?? partner.url, {
    onOutcome: (outcome) => deliveries.noteOutcome(outcome),
  })
  const deliveries: TestDeliveries = new TestDeliveries(store, requester.requester, {
    dataOf: (id) => ({
      apiKeyId: null,
      data: {
        isCritical: false,
        presignedUrl: `https://gateway.example/reports/${id}/pdf?link=${++links}`,
        reportId: id as ReturnType<typeof reportId>,
        studyId: idFromUuid('stu', uuidOf(1)),
        studyInstanceUid: '1.2.3',
        plainText: 'Impression: normal.',
      },
    }),
    attempted: (attempt) => attempts.push(attempt),
    onGone: (endpointId) => gone.push(endpointId),
    ...options,
  })
  onTestFinished(async () => {
    await deliveries[Symbol.asyncDispose]()
    temp[Symbol.dispose]()
  })
  return {
    ...{ store, clock, partner, attempts, gone, errors, deliveries },
    sign: (n: number, lane = `stu_${n}`) =>
      addOutboxJob(store.database, {
        ...{
          kind: REPORT_DELIVERED,
          subject: reportId(n),
          lane,
          payload: { eventId: eventId(n), reportId: reportId(n) },
        },
        at: new Date(clock()).toISOString(),
      }),
    row: (n: number) => findLatestOutboxJob(store.database, REPORT_DELIVERED, reportId(n)),
    bodies: () => partner.received.map(({ body }) => JSON.parse(body.toString())),
    /** Lets the time of the next attempt come. */
    async pass(ms: number) {
      clock.pass(ms)
      deliveries.wake()
      await deliveries.settled()
    },
  }
}
const waitOf = (clinic: Awaited<ReturnType<typeof openClinic>>, n: number) =>
  Date.parse(clinic.row(n)?.notBefore ?? '') - clinic.clock()

type Answer = (options: RequestOptions<unknown>) => Promise<unknown>
const CALL: PartnerOutcome = {
  ...{
    type: 'report.delivered',
    endpointId: 'partner',
    apiKeyId: null,
    about: { kind: 'none' } as never,
    fault: null,
    detail: null,
  },
  ...{
    httpStatus: 200,
    tookMs: 1,
    bytes: 1,
    webhookId: '',
    at: 0,
    request: null,
    response: null,
    notes: [],
  },
}

/** Deliveries to a partner that is a function: for what does not depend on the network. */
function openQueue(answer: Answer, options: Partial<Known> = {}) {
  const temp = tempStore()
  const { store, clock } = temp
  const errors = reportedErrors(store)
  const [attempts, gone, requests] = [
    [] as DeliveryAttempt[],
    [] as string[],
    [] as RequestOptions<unknown>[],
  ]
  const requester = {
    request(_type: string, _data: unknown, given: RequestOptions<unknown> = {}) {
      requests.push(given)
      return answer(given)
    },
  } as unknown as Requester
  const deliveries = new TestDeliveries(store, requester, {
    dataOf: () => ({ apiKeyId: 'key', data: {} as never }),
    attempted: (attempt) => void attempts.push(attempt),
    onGone: (endpointId) => void gone.push(endpointId),
    ...options,
  })
  onTestFinished(async () => {
    await deliveries[Symbol.asyncDispose]()
    temp[Symbol.dispose]()
  })
  const append = (n: number, payload: unknown, at = clock()) =>
    addOutboxJob(store.database, {
      kind: REPORT_DELIVERED,
      subject: reportId(n),
      lane: `stu_${n}`,
      payload,
      at: new Date(at).toISOString(),
    })
  return {
    ...{ store, clock, deliveries, attempts, gone, errors, requests },
    append,
    sign: (n: number, at = clock()) => append(n, { eventId: eventId(n) }, at),
    row: (n: number) => findLatestOutboxJob(store.database, REPORT_DELIVERED, reportId(n)),
    /**
     * What a worker does when a partner answered another question, and whatever follows from it.
     */
    async note(outcome: Partial<Parameters<TestDeliveries['noteOutcome']>[0]> = {}) {
      deliveries.noteOutcome({
        type: 'modality_worklist.requested',
        endpointId: 'partner',
        fault: null,
        ...outcome,
      })
      for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve))
      await deliveries.settled()
    },
    async pass(ms: number) {
      clock.pass(ms)
      deliveries.wake()
      await deliveries.settled()
    },
  }
}
const MINUTE = 60_000
const accepted: Answer = async (options) => void options.onOutcome?.(CALL)
const refusing =
  (
    fault: PartnerFault,
    facts: Partial<WebhookError> = {},
    endpointId: string | null = 'partner',
  ): Answer =>
  async (options) => {
    options.onOutcome?.({ ...CALL, fault, endpointId })
    throw new WebhookError(fault, verbatim(`it was ${fault}`), facts)
  }

describe('an attempt', () => {
  it('carries the id of its event and the key of its report, also past an open circuit', async () => {
    const queue = openQueue(accepted)
    queue.sign(1)
    await queue.deliveries.settled()
    expect(queue.requests).toMatchObject([
      { id: eventId(1), apiKeyId: 'key', ignoresOpenCircuit: true },
    ])
    expect(queue.attempts).toEqual([
      {
        eventId: eventId(1),
        reportId: reportId(1),
        state: 'done',
        outcome: CALL,
        fault: null,
        attempts: 1,
      },
    ])
  })

  it.each([[{}], [null], ['text'], [{ eventId: 'whe_1' }]])(
    'with the event %j cannot be made, and is made later',
    async (payload) => {
      const queue = openQueue(accepted)
      queue.append(1, payload)
      await queue.deliveries.settled()
      expect(queue.row(1)).toMatchObject({
        ...{
          state: 'waiting',
          attempts: 1,
          lastError: 'the event can no longer be read from the database',
        },
        notBefore: new Date(queue.clock() + 5000).toISOString(),
      })
      expect([queue.requests, queue.attempts]).toEqual([[], []])
    },
  )

  it('is recorded with what was refused, and how often it was', async () => {
    const queue = openQueue(refusing('status', { httpStatus: 500 }))
    queue.sign(1)
    await queue.deliveries.settled()
    await queue.pass(5000)
    expect(queue.attempts).toMatchObject([
      { state: 'waiting', attempts: 1, fault: 'it was status', outcome: { fault: 'status' } },
      { state: 'waiting', attempts: 2, fault: 'it was status', outcome: { fault: 'status' } },
    ])
    expect(queue.gone).toEqual([])
  })

  it('that failed for a fault of ours is not recorded as one', async () => {
    const queue = openQueue(() => Promise.reject(new TypeError('ours')))
    queue.sign(1)
    await queue.deliveries.settled()
    expect(queue.row(1)).toMatchObject({
      state: 'waiting',
      attempts: 1,
      lastError: 'an internal error; see the log',
    })
    expect([queue.attempts, queue.errors.map(String)]).toEqual([[], ['TypeError: ours']])
  })

  it('that no endpoint got switches none off', async () => {
    const queue = openQueue(refusing('status', { httpStatus: 410 }, null))
    queue.sign(1)
    await queue.deliveries.settled()
    expect(queue.gone).toEqual([])
    expect(queue.attempts).toMatchObject([{ state: 'waiting' }])
  })

  it('is told of once it is committed', async () => {
    const changed: unknown[] = []
    const queue = openQueue(accepted)
    vi.spyOn(queue.store.feed, 'noteStatus').mockImplementation(
      () => void changed.push([queue.store.database.inTransaction, queue.row(1)?.state]),
    )
    queue.sign(1)
    await queue.deliveries.settled()
    expect(changed).toEqual([[false, 'sent']])
  })

  it('with nowhere to go is held for an hour, and is none', async () => {
    const queue = openQueue(accepted, {
      destinationOf: () => ({ whyNot: verbatim('its endpoint is disabled') }),
    })
    queue.sign(1)
    await queue.deliveries.settled()
    expect(queue.row(1)).toMatchObject({
      ...{ state: 'waiting', attempts: 0, lastError: 'its endpoint is disabled' },
      notBefore: new Date(queue.clock() + HOUR).toISOString(),
    })
    expect([queue.requests, queue.attempts]).toEqual([[], []])
  })

  it('is not made while deliveries are idle', async () => {
    let isIdle = true
    const queue = openQueue(accepted, { isIdle: () => isIdle })
    queue.sign(1)
    await queue.deliveries.settled()
    expect(queue.requests).toEqual([])
    isIdle = false
    queue.deliveries.wake()
    await queue.deliveries.settled()
    expect(queue.row(1)?.state).toBe('sent')
  })
})

describe('a sign of life', () => {
  it('hastens all that waits for the endpoint, however much, and nothing else', async () => {
    const queue = openQueue(accepted, {
      isIdle: () => true,
      destinationOf: (id) =>
        id === reportId(1)
          ? { endpointId: 'other' }
          : id === reportId(2)
            ? { whyNot: verbatim('off') }
            : { endpointId: 'partner' },
    })
    const later = queue.clock() + HOUR
    queue.store.database.transaction(() => {
      for (let n = 1; n <= 410; n++) queue.sign(n, later)
    })
    await queue.note({ fault: 'timeout' })
    await queue.note({ endpointId: null })
    const isDue = () =>
      listWaitingOutboxJobs(queue.store.database, REPORT_DELIVERED).map(
        ({ notBefore }) => Date.parse(notBefore) <= queue.clock(),
      )
    expect(isDue()).not.toContain(true)
    await queue.note()
    expect(isDue()).toEqual([false, false, ...Array(408).fill(true)])
  })

  it.each(['unreachable', 'timeout'] as const)(
    'hastens what met silence (%s), once in five minutes',
    async (fault) => {
      const queue = openQueue(refusing(fault))
      queue.sign(1)
      await queue.deliveries.settled()
      await queue.note()
      expect(queue.row(1)?.attempts).toBe(2)
      queue.clock.pass(5 * MINUTE - 1)
      await queue.note()
      expect(queue.row(1)?.attempts).toBe(2)
      queue.clock.pass(1)
      await queue.note()
      expect(queue.row(1)?.attempts).toBe(3)
      // A clock that was set back does not stop it for as long as it was set back.
      queue.clock.pass(-HOUR)
      await queue.note()
      expect(queue.row(1)?.attempts).toBe(4)
    },
  )

  it('of another question hastens nothing that was answered wrongly', async () => {
    const queue = openQueue(refusing('status', { httpStatus: 500 }))
    queue.sign(1)
    await queue.deliveries.settled()
    await queue.note()
    expect(queue.row(1)?.attempts).toBe(1)
    // A delivery that was accepted does, and has its own five minutes.
    await queue.note({ type: 'report.delivered' })
    expect(queue.row(1)?.attempts).toBe(2)
    await queue.note({ type: 'report.delivered' })
    expect(queue.row(1)?.attempts).toBe(2)
  })

  it('hastens nothing while the endpoint is known to answer', async () => {
    const queue = openQueue(accepted, { isIdle: () => true })
    await queue.note()
    queue.sign(1, queue.clock() + HOUR)
    queue.clock.pass(10 * MINUTE)
    await queue.note()
    expect(Date.parse(queue.row(1)?.notBefore ?? '')).toBeGreaterThan(queue.clock())
  })

  it('is for nothing after the end', async () => {
    const queue = openQueue(accepted, { isIdle: () => true })
    queue.sign(1, queue.clock() + HOUR)
    await queue.deliveries[Symbol.asyncDispose]()
    await queue.note()
    expect(Date.parse(queue.row(1)?.notBefore ?? '')).toBeGreaterThan(queue.clock())
  })

  it('is no fault of who gave it where the rows cannot be hastened', async () => {
    const queue = openQueue(accepted, { isIdle: () => true })
    queue.sign(1, queue.clock() + HOUR)
    withoutRoom(queue.store, 'read-only')
    await queue.note()
    expect(queue.errors.map(String)).toEqual([expect.stringContaining('readonly')])
  })
})

describe('a delivery', () => {
  it('goes out signed when its row is committed, and is done with 2xx and success true', async () => {
    const clinic = await openClinic()
    clinic.sign(1)
    await clinic.deliveries.settled()
    const [request] = clinic.partner.received
    expect(request?.headers['webhook-id']).toBe(eventId(1))
    expect(
      new Webhook(SECRET).verify(request?.body ?? '', request?.headers as Record<string, string>),
    ).toMatchObject({
      id: eventId(1),
      type: 'report.delivered',
      data: { reportId: reportId(1), plainText: 'Impression: normal.' },
    })
    expect(clinic.row(1)).toMatchObject({ state: 'sent', attempts: 1, lastError: null })
    expect(clinic.attempts).toMatchObject([
      {
        state: 'done',
        attempts: 1,
        outcome: { fault: null, httpStatus: 200, endpointId: 'partner' },
      },
    ])
    clinic.deliveries.retry()
    await clinic.deliveries.settled()
    expect(clinic.partner.received).toHaveLength(1)
  })

  it('keeps its id at every attempt, with a fresh link and a fresh signature', async () => {
    const clinic = await openClinic((response, number) =>
      number < 2 ? sendJson(response, {}, 503) : ACCEPTED(response),
    )
    clinic.sign(1)
    await clinic.deliveries.settled()
    await clinic.pass(RETRY_SCHEDULES.reportDelivery.waits[0] ?? 0)
    await clinic.pass(RETRY_SCHEDULES.reportDelivery.waits[1] ?? 0)
    expect(clinic.row(1)).toMatchObject({ state: 'sent', attempts: 3 })
    expect(clinic.partner.received.map(({ headers }) => headers['webhook-id'])).toEqual([
      eventId(1),
      eventId(1),
      eventId(1),
    ])
    expect(clinic.bodies().map(({ data }) => data.presignedUrl.slice(-6))).toEqual([
      'link=1',
      'link=2',
      'link=3',
    ])
    expect(clinic.bodies().map(({ id }) => id)).toEqual([eventId(1), eventId(1), eventId(1)])
  })

  it.each([
    [
      'success false',
      (response: ServerResponse) =>
        sendJson(response, { success: false, message: 'Doe^Jane is unknown' }),
      'the partner responded, but did not accept it',
    ],
    [
      'success in words',
      (response: ServerResponse) => sendJson(response, { success: 'true' }),
      expect.stringContaining('the response does not have the agreed form'),
    ],
    [
      'no success',
      (response: ServerResponse) => sendJson(response, {}),
      expect.stringContaining('the response does not have the agreed form'),
    ],
    ['an empty answer', (response: ServerResponse) => response.end(), 'the response is empty'],
    [
      'another status',
      (response: ServerResponse) => sendJson(response, { success: true }, 500),
      'it responded with 500',
    ],
    [
      'a redirect',
      (response: ServerResponse) =>
        response.writeHead(307, { location: 'https://other.example/' }).end(),
      'it responded with 307, a redirect; redirects are not followed',
    ],
  ])('is not done with %s, and says so without a patient', async (_what, answer, fault) => {
    const clinic = await openClinic(answer)
    clinic.sign(1)
    await clinic.deliveries.settled()
    expect(clinic.row(1)).toMatchObject({ state: 'waiting', attempts: 1, lastError: fault })
    expect(clinic.row(1)?.lastError).not.toContain('Doe')
    expect(clinic.attempts).toMatchObject([{ state: 'waiting' }])
    expect(waitOf(clinic, 1)).toBe(5000)
  })

  it('is tried later and later, and never given up: after weeks the partner gets it', async () => {
    let isUp = false
    const clinic = await openClinic((response) =>
      isUp ? ACCEPTED(response) : sendJson(response, {}, 502),
    )
    const began = clinic.clock()
    clinic.sign(1)
    await clinic.deliveries.settled()
    const waits: number[] = []
    while (clinic.clock() - began < 3 * WEEK) {
      const wait = waitOf(clinic, 1)
      waits.push(wait)
      await clinic.pass(wait)
    }
    expect(waits.slice(0, 9)).toEqual(RETRY_SCHEDULES.reportDelivery.waits)
    expect(new Set(waits.slice(9))).toEqual(new Set([24 * HOUR]))
    expect(clinic.row(1)).toMatchObject({ state: 'waiting', attempts: waits.length + 1 })
    expect(
      overdueOutboxJobs(
        clinic.store.database,
        REPORT_DELIVERED,
        new Date(clinic.clock() - HOUR).toISOString(),
      ),
    ).toEqual({
      count: 1,
      since: new Date(began).toISOString(),
      fault: 'it responded with 502',
    })
    isUp = true
    await clinic.pass(24 * HOUR)
    expect(clinic.row(1)?.state).toBe('sent')
    expect(clinic.attempts.at(-1)?.state).toBe('done')
  })

  it('spreads its attempts by a tenth to either side', async () => {
    const waits: number[] = []
    for (const random of [0, 0.999_999]) {
      const clinic = await openClinic((response) => sendJson(response, {}, 500), {
        random: () => random,
      })
      clinic.sign(1)
      await clinic.deliveries.settled()
      waits.push(waitOf(clinic, 1))
    }
    expect(waits).toEqual([4500, 5500])
  })

  it.each([
    ['120', 120_000],
    ['1', 5000],
    ['99999999', 24 * HOUR],
    ['soon', 5000],
  ])(
    'waits as long as Retry-After: %s wants, where that is longer, and a day at most',
    async (retryAfter, wait) => {
      const clinic = await openClinic((response) =>
        response.writeHead(503, { 'retry-after': retryAfter }).end(),
      )
      clinic.sign(1)
      await clinic.deliveries.settled()
      expect(waitOf(clinic, 1)).toBe(wait)
    },
  )

  it('keeps the order of its study, and waits for no other one', async () => {
    const clinic = await openClinic((response, number) =>
      number === 0 ? sendJson(response, {}, 500) : ACCEPTED(response),
    )
    clinic.sign(1, 'stu_a')
    await clinic.deliveries.settled()
    clinic.sign(2, 'stu_a')
    clinic.sign(3, 'stu_b')
    await clinic.deliveries.settled()
    expect([clinic.row(1)?.state, clinic.row(2)?.state, clinic.row(3)?.state]).toEqual([
      'waiting',
      'waiting',
      'sent',
    ])
    await clinic.pass(RETRY_SCHEDULES.reportDelivery.waits[0] ?? 0)
    expect(clinic.bodies().map(({ id }) => id)).toEqual([
      eventId(1),
      eventId(3),
      eventId(1),
      eventId(2),
    ])
  })

  it('of an endpoint that hangs holds up no other endpoint, and has four calls at once', async () => {
    const hanging: ServerResponse[] = []
    const clinic = await openClinic((response) => void hanging.push(response), {
      destinationOf: (id) => ({ endpointId: id === reportId(9) ? 'other' : 'partner' }),
    })
    for (let n = 1; n <= 9; n++) clinic.sign(n)
    await expect.poll(() => hanging.length).toBe(5)
    expect(clinic.bodies().map(({ id }) => id)).toContain(eventId(9))
    for (let answered = 0; answered < 9; answered++) {
      await expect.poll(() => hanging.length).toBeGreaterThan(answered)
      ACCEPTED(hanging[answered] as ServerResponse)
    }
    await clinic.deliveries.settled()
    expect(clinic.partner.received).toHaveLength(9)
  })

  it('answered with 410 has its endpoint switched off, and waits until it is on again', async () => {
    let destination: Destination = { endpointId: 'partner' }
    const clinic = await openClinic(
      (response, number) => (number === 0 ? sendJson(response, {}, 410) : ACCEPTED(response)),
      {
        destinationOf: () => destination,
        onGone(endpointId) {
          clinic.gone.push(endpointId)
          destination = { whyNot: verbatim('its endpoint is disabled') }
        },
      },
    )
    clinic.sign(1)
    await clinic.deliveries.settled()
    expect(clinic.gone).toEqual(['partner'])
    expect(clinic.row(1)).toMatchObject({
      state: 'waiting',
      attempts: 1,
      lastError: 'it responded with 410: this address is no longer used',
    })
    await clinic.pass(24 * HOUR)
    expect(clinic.partner.received).toHaveLength(1)
    expect(clinic.row(1)).toMatchObject({
      state: 'waiting',
      attempts: 1,
      lastError: 'its endpoint is disabled',
    })
    destination = { endpointId: 'partner' }
    clinic.deliveries.retry()
    await clinic.deliveries.settled()
    expect(clinic.row(1)).toMatchObject({ state: 'sent', attempts: 2 })
  })

  it('goes out at the next sign of life of an endpoint that did not answer', async () => {
    const port = await freePort()
    const clinic = await openClinic(ACCEPTED, { url: `http://127.0.0.1:${port}/webhooks` })
    clinic.sign(1)
    await clinic.deliveries.settled()
    expect(clinic.row(1)).toMatchObject({ attempts: 1, lastError: 'the connection was refused' })
    clinic.deliveries.noteOutcome({
      type: 'modality_worklist.requested',
      endpointId: 'other',
      fault: null,
    })
    clinic.deliveries.noteOutcome({
      type: 'modality_worklist.requested',
      endpointId: 'partner',
      fault: 'timeout',
    })
    await clinic.deliveries.settled()
    expect(clinic.row(1)?.attempts).toBe(1)
    clinic.deliveries.noteOutcome({
      type: 'modality_worklist.requested',
      endpointId: 'partner',
      fault: null,
    })
    await expect.poll(() => clinic.row(1)?.attempts).toBe(2)
    await clinic.deliveries.settled()
    // At most once in five minutes: its silence may be about reports alone.
    clinic.deliveries.noteOutcome({
      type: 'modality_worklist.requested',
      endpointId: 'partner',
      fault: null,
    })
    await new Promise((resolve) => setImmediate(resolve))
    await clinic.deliveries.settled()
    expect(clinic.row(1)?.attempts).toBe(2)
  })

  it('that is answered wrongly is not hastened by answers to other questions, but by a delivery that is accepted', async () => {
    const clinic = await openClinic((response, number) =>
      number < 2 ? sendJson(response, {}, 500) : ACCEPTED(response),
    )
    clinic.sign(1)
    await clinic.deliveries.settled()
    await clinic.pass(RETRY_SCHEDULES.reportDelivery.waits[0] ?? 0)
    expect(clinic.row(1)?.attempts).toBe(2)
    clinic.deliveries.noteOutcome({
      type: 'modality_worklist.requested',
      endpointId: 'partner',
      fault: null,
    })
    await new Promise((resolve) => setImmediate(resolve))
    await clinic.deliveries.settled()
    expect(clinic.row(1)).toMatchObject({ attempts: 2, state: 'waiting' })
    clinic.sign(2)
    await expect.poll(() => clinic.row(1)?.state).toBe('sent')
  })

  it('that is always answered wrongly is not tried again with each delivery that is accepted', async () => {
    const clinic = await openClinic((response, number) =>
      JSON.parse(clinic.partner.received[number]?.body.toString() ?? '').data.reportId ===
      reportId(1)
        ? sendJson(response, { success: false })
        : ACCEPTED(response),
    )
    clinic.sign(1)
    await clinic.deliveries.settled()
    clinic.sign(2)
    await expect.poll(() => clinic.row(1)?.attempts).toBe(2)
    await clinic.deliveries.settled()
    for (const n of [3, 4, 5]) {
      clinic.sign(n)
      await expect.poll(() => clinic.row(n)?.state).toBe('sent')
      await new Promise((resolve) => setImmediate(resolve))
      await clinic.deliveries.settled()
    }
    expect(clinic.row(1)?.attempts).toBe(2)
  })

  it('that was under way when the gateway ended goes out again under the same id', async () => {
    let answered = 0
    const clinic = await openClinic((response) => {
      // The first one is never answered: nobody knows whether the partner has it.
      if (answered++ > 0) ACCEPTED(response)
    })
    clinic.sign(1)
    await expect.poll(() => clinic.partner.received.length).toBe(1)
    await clinic.deliveries[Symbol.asyncDispose]()
    expect(clinic.row(1)).toMatchObject({ state: 'waiting', attempts: 0 })
    expect(clinic.errors).toEqual([])
    const next = await openNext(clinic)
    await next.settled()
    await next[Symbol.asyncDispose]()
    expect(clinic.partner.received.map(({ headers }) => headers['webhook-id'])).toEqual([
      eventId(1),
      eventId(1),
    ])
    expect(clinic.row(1)).toMatchObject({ state: 'sent', attempts: 1 })
  })

  it('that was given up while it was under way stays so when it fails, and is done when it was accepted', async () => {
    const waiting: ServerResponse[] = []
    const clinic = await openClinic((response) => void waiting.push(response))
    clinic.sign(1)
    clinic.sign(2)
    await expect.poll(() => waiting.length).toBe(2)
    for (const n of [1, 2])
      dropOutboxJobs(
        clinic.store.database,
        REPORT_DELIVERED,
        reportId(n),
        new Date(clinic.clock()).toISOString(),
      )
    const [first, second] = clinic.bodies().map(({ id }) => id)
    sendJson(waiting[0] as ServerResponse, {}, 500)
    ACCEPTED(waiting[1] as ServerResponse)
    await clinic.deliveries.settled()
    expect([clinic.row(1)?.state, clinic.row(2)?.state]).toEqual(['dropped', 'dropped'])
    expect(
      Object.fromEntries(clinic.attempts.map((attempt) => [attempt.eventId, attempt.state])),
    ).toEqual({
      [first]: 'dropped',
      [second]: 'done',
    })
  })

  it('of a report that is not there is given up at once and not sent', async () => {
    const clinic = await openClinic(ACCEPTED, { dataOf: () => undefined })
    clinic.sign(1)
    await clinic.deliveries.settled()
    expect(clinic.row(1)).toMatchObject({
      state: 'failed',
      lastError: 'this signed report no longer exists',
    })
    expect(clinic.attempts).toMatchObject([{ state: 'failed', outcome: undefined }])
    expect(clinic.partner.received).toEqual([])
  })
})

async function openNext(clinic: Awaited<ReturnType<typeof openClinic>>) {
  const { requester } = openTestRequester(clinic.partner.url)
  return new TestDeliveries(clinic.store, requester, {
    dataOf: (id) => ({
      apiKeyId: null,
      data: {
        ...{
          isCritical: false,
          presignedUrl: 'https://gateway.example/x',
          studyInstanceUid: '1.2.3',
        },
        reportId: id as ReturnType<typeof reportId>,
        studyId: idFromUuid('stu', uuidOf(1)),
      },
    }),
    attempted: (attempt) => void clinic.attempts.push(attempt),
    onGone: () => undefined,
  })
}
