import { networkFault } from './network-fault.ts'
import { WebhookError } from './webhook-error.ts'

/**
 * Runs a call within its time. Throws `WebhookError`, `timeout` where it was over, or the reason of
 * `signal`.
 */
export async function withinBudget<T>(
  budgetMs: number,
  signal: AbortSignal | undefined,
  run: (budget: AbortSignal) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted()
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
    if (isOver)
      throw new WebhookError('timeout', `no complete answer within ${budgetMs / 1000} s`, {}, error)
    throw signal?.aborted ? signal.reason : networkFault(error)
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', follow)
  }
}
