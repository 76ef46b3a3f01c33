import { setTimeout as wait } from 'node:timers/promises'
import { keyActor } from '#server/audit-log/audit.ts'
import type { Context } from '#server/context.ts'
import { listWaitingOutboxJobs } from '#server/jobs/outbox-queries.ts'
import type { EventLog } from '#server/modules/events/log.ts'
import type { ReportDeliveries } from '#server/modules/reports/report-delivery.ts'
import type { ApiKeyCaller } from '#server/modules/users/caller.ts'
import { KeyedMutex } from '#server/platform/concurrency.ts'
import { REPORT_DELIVERED } from '#server/webhooks/deliveries.ts'
import type { Requester } from '#server/webhooks/request.ts'
import type { SandboxDelivery, SandboxState, sandbox } from '#shared/contract/sandbox.ts'
import { ApiError } from '#shared/errors.ts'
import { message } from '#shared/messages/message.ts'
import type { CallOf, ReplyOf } from '#shared/operation.ts'
import { countContents } from './contents-queries.ts'
import { sendTestEvent } from './events.ts'
import { runExam } from './exams.ts'
import { deliveryView, signTestReport } from './reports.ts'
import { SimulatedPartner } from './simulated-partner.ts'
import { setWebhook, webhookOf } from './webhook.ts'

type Calls = typeof sandbox
type Body<K extends keyof Calls> = CallOf<Calls[K]>['body']

/** An attempt takes 15 s at most; an unreachable partner is noticed sooner. */
const ATTEMPT_TIMEOUT_MS = 20_000
const POLL_MS = 50

/** The services of the sandbox's own gateway that its calls use. */
export interface SandboxServices {
  readonly requester: Requester
  readonly eventLog: EventLog
  readonly deliveries: ReportDeliveries
  /** Base of every URL that the sandbox gives out. */
  readonly publicBase: () => string
  /** Port of its DICOM listener, which is on this PC only; undefined while it is down. */
  readonly dicomPort: () => number | undefined
}

/** What integrators make happen in the sandbox. */
export class SandboxActions implements AsyncDisposable {
  readonly #context: Context
  readonly #services: SandboxServices
  readonly #partner: SimulatedPartner
  readonly #exams = new KeyedMutex()

  constructor(context: Context, services: SandboxServices) {
    this.#context = context
    this.#services = services
    this.#partner = new SimulatedPartner(context)
  }

  state(): SandboxState {
    return { webhook: webhookOf(this.#context), ...countContents(this.#context.database) }
  }

  /**
   * Sets the webhook for an integrator: https to a public host, because a key must not make the
   * gateway send requests into the network of the clinic. An administrator may set any address.
   * @throws ApiError malformed, refused
   */
  setWebhook(
    { url, secret }: Body<'setWebhook'>,
    { apiKeyId }: ApiKeyCaller,
  ): ReplyOf<Calls['setWebhook']> {
    const context = this.#context
    if (!url.startsWith('https://'))
      throw new ApiError('refused', message('sandbox.webhook-not-https'), {
        errors: [{ path: 'body.url', message: message('sandbox.webhook-not-https') }],
      })
    return setWebhook(context, { url, secret, allowPlaintext: false }, keyActor(apiKeyId))
  }

  async runExam(body: Body<'runExam'>): Promise<ReplyOf<Calls['runExam']>> {
    const port = this.#services.dicomPort()
    if (port === undefined) throw new ApiError('unavailable', message('setup.no-dicom-listener'))
    await this.#partner.ensure()
    // One after the other, so that two requests do not perform the same exam.
    return await this.#exams.run('exam', () => runExam(this.#context, port, body))
  }

  async signReport(
    body: Body<'signReport'>,
    caller: ApiKeyCaller,
  ): Promise<ReplyOf<Calls['signReport']>> {
    await this.#partner.ensure()
    const { eventLog } = this.#services
    const signed = await signTestReport(this.#context, eventLog, caller, body)
    await this.#attempted([signed.reportId])
    return { ...signed, delivery: deliveryView(this.#context, signed.reportId) }
  }

  async sendEvent(
    body: Body<'sendEvent'>,
    { apiKeyId }: ApiKeyCaller,
  ): Promise<ReplyOf<Calls['sendEvent']>> {
    await this.#partner.ensure()
    const { requester, publicBase } = this.#services
    return await sendTestEvent(this.#context, requester, publicBase(), apiKeyId, body)
  }

  /** Makes the next attempt of every waiting report now, and waits for its outcome. */
  async advance(): Promise<{ deliveries: SandboxDelivery[] }> {
    const waiting = this.#waitingReports()
    const attempts = new Map(waiting.map((id) => [id, deliveryView(this.#context, id).attempts]))
    this.#services.deliveries.retry()
    await this.#attempted(waiting, attempts)
    return { deliveries: waiting.map((reportId) => deliveryView(this.#context, reportId)) }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#partner[Symbol.asyncDispose]()
  }

  #waitingReports = () => [
    ...new Set(
      listWaitingOutboxJobs(this.#context.database, REPORT_DELIVERED).map(({ subject }) => subject),
    ),
  ]

  /**
   * Waits until each report was delivered or tried once more. Reports of one study wait for each
   * other, so not all are tried.
   */
  async #attempted(
    reportIds: readonly string[],
    before: ReadonlyMap<string, number> = new Map(),
  ): Promise<void> {
    const { deliveries } = this.#services
    const isTried = (reportId: string) => {
      const { state, attempts } = deliveryView(this.#context, reportId)
      return state !== 'waiting' || attempts > (before.get(reportId) ?? 0)
    }
    for (const end = Date.now() + ATTEMPT_TIMEOUT_MS; Date.now() < end; await wait(POLL_MS)) {
      await deliveries.settled()
      if (reportIds.some(isTried) || reportIds.length === 0) return
    }
  }
}
