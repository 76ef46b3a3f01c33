import { WebhookError } from '#server/webhooks/webhook-error.ts'
import { message } from '#shared/messages/message.ts'
import type { AccessAnswer } from './partner-access.ts'
import { EvictedError } from './view-cache.ts'

/** A partner's response, which is requested once more when its links have expired. */
export class PartnerAnswer {
  /** The latest response. */
  now: AccessAnswer
  /** Number of times it was requested again: 0 or 1. */
  generation = 0
  readonly #ask: () => Promise<AccessAnswer>
  #asking: Promise<void> | undefined

  constructor(first: AccessAnswer, ask: () => Promise<AccessAnswer>) {
    this.now = first
    this.#ask = ask
  }

  /**
   * Called when a link of the response of that generation has expired: requests a new response,
   * once for all callers. Returns false if it has been requested again already.
   * @throws the errors of the request
   */
  async renew(generation: number): Promise<boolean> {
    if (generation > 0) return false
    this.#asking ??= this.#ask().then((answer) => {
      this.now = answer
      this.generation = 1
    })
    await this.#asking
    return true
  }
}

/** The user-facing message for a failed download. */
export const fetchFault = ({ detail }: WebhookError) =>
  message('viewer.not-fetched', { reason: detail })

const EXPIRED_LINK_STATUSES = new Set([401, 403, 404, 410])

/** HTTP statuses with which object stores reject expired links. */
export const isExpiredLink = (error: unknown) =>
  error instanceof WebhookError &&
  error.fault === 'status' &&
  EXPIRED_LINK_STATUSES.has(error.httpStatus ?? 0)

/** Whether the error is transient, so that a retry may succeed. */
export function isTransient(error: unknown): boolean {
  if (error instanceof EvictedError) return true
  if (!(error instanceof WebhookError)) return false
  if (error.fault === 'unreachable' || error.fault === 'timeout') return true
  const status = error.httpStatus ?? 0
  return error.fault === 'status' && (status >= 500 || status === 429 || status === 408)
}

/**
 * The part of URLs that is stable when their signatures change: origin and path. If several URLs
 * have the same origin and path, as with WADO-URI (PS3.18 §9), the complete URL is used.
 */
export function identitiesOf(urls: readonly string[]): string[] {
  const withoutQueries = urls.map(withoutQuery)
  const counts = new Map<string, number>()
  for (const each of withoutQueries) counts.set(each, (counts.get(each) ?? 0) + 1)
  return withoutQueries.map((each, index) =>
    (counts.get(each) ?? 0) > 1 ? (urls[index] ?? each) : each,
  )
}

/**
 * Finds the new URL of each identity: the one with the same identity, otherwise the one at the same
 * position if the numbers are equal.
 */
export function matchNewUrls(
  identities: readonly string[],
  fresh: readonly string[],
): (string | undefined)[] {
  const known = new Map(identitiesOf(fresh).map((identity, index) => [identity, fresh[index]]))
  return identities.map(
    (identity, index) =>
      known.get(identity) ?? (identities.length === fresh.length ? fresh[index] : undefined),
  )
}

/** Query parameters of signatures: S3, Google, Azure, CloudFront, and common other names. */
const SIGNATURE_PATTERN =
  /^((x-amz|x-goog|x-ms|x-oss)-.*|signature|sig|token|access_token|expires|expiry|policy|awsaccesskeyid|googleaccessid|key-pair-id|s[etvprk]|sip|spr|sk(oid|tid|[tesv]))$/i

/**
 * The key of a file in the cache: its URL without the signature. The other query parameters are
 * kept, because they may identify the file: a host that validates by date only would confirm a
 * different file as unchanged (RFC 9110 §13.1.3).
 */
export function cacheKeyOf(text: string): string {
  const url = URL.parse(text)
  if (!url) return text
  for (const name of [...url.searchParams.keys()])
    if (SIGNATURE_PATTERN.test(name)) url.searchParams.delete(name)
  return url.origin + url.pathname + url.search
}

function withoutQuery(text: string): string {
  const url = URL.parse(text)
  return url ? url.origin + url.pathname : text
}
