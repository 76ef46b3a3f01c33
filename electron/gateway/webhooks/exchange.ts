import { Agent, type Dispatcher } from 'undici'
import { type AdmittedUrl, pinnedLookup, type Resolve, ROUTES, type Route } from './address.ts'
import { LARGE_BYTES, type LargeBody, openLargeBodies } from './large-body.ts'
import { type CallLimits, CONNECT_MS } from './limits.ts'
import { isConnectFailure, networkFault } from './network-fault.ts'
import { ACCEPT_ENCODING, discard, readBody } from './response-body.ts'
import { WebhookError } from './webhook-error.ts'

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
}

/** A body, disposed of when it has been read. */
export interface Received extends Disposable {
  readonly body: Buffer
}

export interface Exchange extends AsyncDisposable {
  /** The body of a 2xx answer. Throws `WebhookError`, or the reason of `signal`. */
  post(post: Post): Promise<Received>
}

/** HTTP as the partner is spoken to: HTTP/1.1 kept alive, addresses pinned, no redirect, no proxy from the environment. */
export function openExchange(resolve: Resolve, authorities: readonly string[] | undefined): Exchange {
  const agentFor = (route: Route) =>
    new Agent({
      allowH2: false,
      connections: 32,
      // The budget of the call governs both.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: { timeout: CONNECT_MS, lookup: pinnedLookup(route, resolve), ...(authorities && { ca: [...authorities] }) },
    })
  // A connection opened while its host was listed must not be used again once it is not: each route has its own.
  const agents = Object.fromEntries(ROUTES.map((route) => [route, agentFor(route)])) as Record<Route, Agent>

  const largeBodies = openLargeBodies()

  async function attempt({ to, body, headers, limits, progress }: Post, large: LargeBody, budget: AbortSignal): Promise<Buffer> {
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
    const response = await agents[to.route].request(options)
    progress.httpStatus = response.statusCode
    if (response.statusCode < 200 || response.statusCode > 299) throw discard(response, statusError(response.statusCode))
    return await readBody(response, limits.answerBytes, progress, (bytes) => (bytes > LARGE_BYTES ? large.take(budget) : undefined))
  }

  async function post(post: Post): Promise<Received> {
    const large = largeBodies()
    return await withinBudget(post.limits.budgetMs, post.signal, async (budget) => {
      for (let triesLeft = post.limits.retries; ; triesLeft--) {
        try {
          return { body: await attempt(post, large, budget), [Symbol.dispose]: large.release }
        } catch (error) {
          large.release()
          if (triesLeft === 0 || budget.aborted || post.progress.httpStatus !== null || !isConnectFailure(error)) throw error
        }
      }
    })
  }

  return {
    post,
    async [Symbol.asyncDispose]() {
      await Promise.all(Object.values(agents).map((agent) => agent.destroy()))
    },
  }
}

async function withinBudget<T>(budgetMs: number, signal: AbortSignal | undefined, run: (budget: AbortSignal) => Promise<T>): Promise<T> {
  const budget = new AbortController()
  const follow = () => budget.abort(signal?.reason)
  signal?.addEventListener('abort', follow, { once: true })
  let isOver = false
  const timer = setTimeout(() => {
    isOver = true
    budget.abort()
  }, budgetMs)
  try {
    return await run(budget.signal)
  } catch (error) {
    if (isOver) throw new WebhookError('timeout', `no complete answer within ${budgetMs / 1000} s`, {}, error)
    throw signal?.aborted ? signal.reason : networkFault(error)
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', follow)
  }
}

/** Statuses whose usual cause is ours to name. */
const STATUS_WORDS: Readonly<Record<number, string>> = {
  400: 'it answered 400; it may not accept our signature, so compare the secret',
  401: 'it answered 401; it may not accept our signature, so compare the secret',
  404: 'it answered 404; the path of its address may be wrong',
  410: 'it answered 410: this address is no longer used',
}

function statusError(status: number): WebhookError {
  if (status >= 300 && status < 400) return new WebhookError('status', `it answered ${status}, a redirect; redirects are not followed`)
  return new WebhookError('status', STATUS_WORDS[status] ?? `it answered ${status}`)
}
