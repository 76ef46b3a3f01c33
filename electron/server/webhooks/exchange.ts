import type { Dispatcher } from 'undici'
import type { AdmittedUrl } from './address.ts'
import { type AgentsOptions, openAgents } from './agents.ts'
import { withinBudget } from './budget.ts'
import { LARGE_BYTES, type LargeBody, openLargeBodies } from './large-body.ts'
import type { CallLimits } from './limits.ts'
import { isConnectFailure } from './network-fault.ts'
import { ACCEPT_ENCODING, readBody, readRefusal } from './response-body.ts'
import { statusError } from './status-error.ts'

export interface Post {
  readonly to: AdmittedUrl
  readonly body: Buffer
  /** Headers that must be made anew for each try. */
  readonly headers: () => Readonly<Record<string, string>>
  readonly limits: CallLimits
  readonly signal: AbortSignal | undefined
  /** Filled in while the answer comes, and true also where the exchange fails. */
  readonly progress: Progress
}

export interface Progress {
  httpStatus: number | null
  bytes: number
  /** The beginning of the body of an answer that is not 2xx. */
  refusal: Buffer | null
}

/** A body, disposed of when it has been read. */
export interface Received extends Disposable {
  readonly body: Buffer
}

export interface Exchange extends AsyncDisposable {
  /** The body of a 2xx answer. Throws `WebhookError`, or the reason of `signal`. */
  post(post: Post): Promise<Received>
}

/** How the partner is asked: JSON by POST, over `agents`. */
export function openExchange({
  clock,
  ...options
}: AgentsOptions & { readonly clock: () => number }): Exchange {
  const agents = openAgents(options)
  const largeBodies = openLargeBodies()

  async function attempt(
    { to, body, headers, limits, progress }: Post,
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
    const response = await agents.of[to.route].request(options)
    progress.httpStatus = response.statusCode
    if (response.statusCode < 200 || response.statusCode > 299) {
      progress.refusal = await readRefusal(response, progress)
      throw statusError(response, clock())
    }
    return await readBody(response, limits.answerBytes, progress, (bytes) =>
      bytes > LARGE_BYTES ? large.take(budget) : undefined,
    )
  }

  async function post(post: Post): Promise<Received> {
    const large = largeBodies()
    return await withinBudget(post.limits.budgetMs, post.signal, async (budget) => {
      for (let triesLeft = post.limits.retries; ; triesLeft--) {
        try {
          return { body: await attempt(post, large, budget), [Symbol.dispose]: large.release }
        } catch (error) {
          large.release()
          if (
            triesLeft === 0 ||
            budget.aborted ||
            post.progress.httpStatus !== null ||
            !isConnectFailure(error)
          )
            throw error
        }
      }
    })
  }

  return { post, [Symbol.asyncDispose]: () => agents[Symbol.asyncDispose]() }
}
