import type { Dispatcher } from 'undici'
import type { Clock } from '#server/platform/clock.ts'
import type { EventType } from '#shared/contract/webhooks.ts'
import type { AdmittedUrl } from './address.ts'
import type { Agents } from './agents.ts'
import { LARGE_BYTES, type LargeBody, openLargeBodies } from './large-body.ts'
import { isConnectFailure, statusError, withinBudget } from './network-fault.ts'
import { ACCEPT_ENCODING, readBody, readRefusal } from './response-body.ts'

const MIB = 1024 * 1024

export interface CallLimits {
  /** Time limit in milliseconds for the whole request, including a second attempt. */
  readonly budgetMs: number
  /** Maximum size of an answer in bytes, both compressed and decompressed. */
  readonly answerBytes: number
  /** Number of immediate retries after a failed connection. */
  readonly retries: 0 | 1
}

const SYNCHRONOUS_LIMITS: CallLimits = { budgetMs: 10_000, answerBytes: 20 * MIB, retries: 1 }
const SOFT_LIMITS: CallLimits = { budgetMs: 5_000, answerBytes: 2 * MIB, retries: 0 }

/** The outbox has its own retry schedule for `report.delivered` (`jobs/retry-schedules.ts`). */
export const CALL_LIMITS: Readonly<Record<EventType, CallLimits>> = {
  'study.access_requested': SYNCHRONOUS_LIMITS,
  'ephemeral.access_requested': SYNCHRONOUS_LIMITS,
  'secondary_capture.access_requested': SYNCHRONOUS_LIMITS,
  'modality_worklist.requested': { ...SYNCHRONOUS_LIMITS, budgetMs: 8_000 },
  'patient_study.enrichment_requested': SOFT_LIMITS,
  'clinical_context.enrichment_requested': SOFT_LIMITS,
  // The answer is only yes or no.
  'report.delivered': { budgetMs: 15_000, answerBytes: 2 * MIB, retries: 0 },
}

export interface PostRequest {
  readonly to: AdmittedUrl
  readonly body: Buffer
  /** Headers that must be generated for each attempt. */
  readonly headers: () => Readonly<Record<string, string>>
  readonly limits: CallLimits
  readonly signal: AbortSignal | undefined
  /** Updated while the answer arrives; also valid if the exchange fails. */
  readonly progress: Progress
}

export interface Progress {
  httpStatus: number | null
  bytes: number
  /** The beginning of the body of an answer that is not 2xx. */
  refusal: Buffer | null
}

/** A body to be disposed of after it has been read. */
export interface ReceivedBody extends Disposable {
  readonly body: Buffer
}

/** Sends JSON to the partner by POST and reads the answer; at most one large answer at a time. */
export class Exchange {
  readonly #agents: Agents
  readonly #clock: Clock
  readonly #largeBodies = openLargeBodies()

  constructor(agents: Agents, clock: Clock) {
    this.#agents = agents
    this.#clock = clock
  }

  /** The body of a 2xx answer. @throws WebhookError, or the reason of the post's signal */
  async post(post: PostRequest): Promise<ReceivedBody> {
    const { limits, signal, progress } = post
    const largeBody = this.#largeBodies()
    return await withinBudget(limits.budgetMs, signal, async (budget) => {
      for (let triesLeft = limits.retries; ; triesLeft--) {
        try {
          const body = await this.#attempt(post, largeBody, budget)
          return { body, [Symbol.dispose]: largeBody.release }
        } catch (error) {
          largeBody.release()
          const isAnswered = budget.aborted || progress.httpStatus !== null
          if (triesLeft === 0 || isAnswered || !isConnectFailure(error)) throw error
        }
      }
    })
  }

  async #attempt(
    { to, body, headers, limits, progress }: PostRequest,
    large: LargeBody,
    budget: AbortSignal,
  ): Promise<Buffer> {
    const options: Dispatcher.RequestOptions = {
      origin: to.url.origin,
      path: to.url.pathname + to.url.search,
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        'accept-encoding': ACCEPT_ENCODING,
        'user-agent': 'Isthmus',
        ...headers(),
      },
      body,
      signal: budget,
    }
    const response = await this.#agents.of[to.route].request(options)
    progress.httpStatus = response.statusCode
    if (response.statusCode < 200 || response.statusCode > 299) {
      progress.refusal = await readRefusal(response, progress)
      throw statusError(response, this.#clock())
    }
    return await readBody(response, limits.answerBytes, progress, (bytes) =>
      bytes > LARGE_BYTES ? large.take(budget) : undefined,
    )
  }
}
