import type { Dispatcher } from 'undici'
import { WebhookError } from './webhook-error.ts'

/** Statuses whose usual cause is ours to name. */
const STATUS_WORDS: Readonly<Record<number, string>> = {
  400: 'it answered 400; it may not accept our signature, so compare the secret',
  401: 'it answered 401; it may not accept our signature, so compare the secret',
  404: 'it answered 404; the path of its address may be wrong',
  410: 'it answered 410: this address is no longer used',
}

/** An answer that is not 2xx. */
export function statusError(
  { statusCode, headers }: Dispatcher.ResponseData,
  now: number,
): WebhookError {
  if (statusCode >= 300 && statusCode < 400)
    return new WebhookError(
      'status',
      `it answered ${statusCode}, a redirect; redirects are not followed`,
      { httpStatus: statusCode },
    )
  return new WebhookError('status', STATUS_WORDS[statusCode] ?? `it answered ${statusCode}`, {
    httpStatus: statusCode,
    retryAfterMs: retryAfterMs(headers['retry-after'], now),
  })
}

const LONGEST_MS = 24 * 60 * 60_000

/** RFC 9110 §10.2.3: seconds, or a date; at most a day of it is believed. */
function retryAfterMs(
  header: string | readonly string[] | undefined,
  now: number,
): number | undefined {
  if (typeof header !== 'string') return undefined
  const wait = /^\s*\d+\s*$/.test(header) ? Number(header) * 1000 : Date.parse(header) - now
  return Number.isNaN(wait) ? undefined : Math.min(LONGEST_MS, Math.max(0, wait))
}
