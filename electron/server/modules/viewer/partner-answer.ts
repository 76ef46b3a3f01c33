import { WebhookError } from '#server/webhooks/webhook-error.ts'
import { message } from '#shared/messages/message.ts'
import type { AccessAnswer } from './access-asking.ts'

/** What a partner answered, and its second answer once links of the first have ended. */
export class PartnerAnswer {
  /** The last answer. */
  now: AccessAnswer
  /** How often it was asked again: never more than once. */
  generation = 0
  readonly #ask: () => Promise<AccessAnswer>
  #asking: Promise<void> | undefined

  constructor(first: AccessAnswer, ask: () => Promise<AccessAnswer>) {
    this.now = first
    this.#ask = ask
  }

  /**
   * A link of the answer of that generation has ended: asks again, once for all that call. False
   * where there is no further answer.
   * @throws what asking throws
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

/** What went wrong when a file was fetched, for a person. */
export const fetchFault = ({ detail }: WebhookError) =>
  message('viewer.not-fetched', { reason: detail })

const ENDED = new Set([401, 403, 404, 410])

/** The statuses by which object stores say that a link has ended. */
export const isEnded = (error: unknown) =>
  error instanceof WebhookError && error.fault === 'status' && ENDED.has(error.httpStatus ?? 0)

/** Whether the same request may succeed a moment later. */
export function isPassing(error: unknown): boolean {
  if (!(error instanceof WebhookError)) return false
  if (error.fault === 'unreachable' || error.fault === 'timeout') return true
  const status = error.httpStatus ?? 0
  return error.fault === 'status' && (status >= 500 || status === 429 || status === 408)
}

/**
 * What stays of URLs while their signatures change: origin and path. Where several share those, as
 * with WADO-URI (PS3.18 §9), the query tells them apart, and each is itself alone.
 */
export function identitiesOf(urls: readonly string[]): string[] {
  const bare = urls.map(withoutQuery)
  const counts = new Map<string, number>()
  for (const each of bare) counts.set(each, (counts.get(each) ?? 0) + 1)
  return bare.map((each, index) => ((counts.get(each) ?? 0) > 1 ? (urls[index] ?? each) : each))
}

/**
 * The fresh URL of each identity: the one that is the same, or else that at its place where there
 * are as many.
 */
export function matchedAnew(
  identities: readonly string[],
  fresh: readonly string[],
): (string | undefined)[] {
  const known = new Map(identitiesOf(fresh).map((identity, index) => [identity, fresh[index]]))
  return identities.map(
    (identity, index) =>
      known.get(identity) ?? (identities.length === fresh.length ? fresh[index] : undefined),
  )
}

/** What object stores sign with: S3, Google, Azure, CloudFront, and what others call it. */
const SIGNATURE =
  /^((x-amz|x-goog|x-ms|x-oss)-.*|signature|sig|token|access_token|expires|expiry|policy|awsaccesskeyid|googleaccessid|key-pair-id|s[etvprk]|sip|spr|sk(oid|tid|[tesv]))$/i

/**
 * By what a copy of the file is known in later views: the URL without its signature. The rest of
 * the query may say which file it is, and a host that knows files by their dates alone would say of
 * another one that it is still the same (RFC 9110 §13.1.3).
 */
export function resourceOf(text: string): string {
  const url = URL.parse(text)
  if (!url) return text
  for (const name of [...url.searchParams.keys()])
    if (SIGNATURE.test(name)) url.searchParams.delete(name)
  return url.origin + url.pathname + url.search
}

function withoutQuery(text: string): string {
  const url = URL.parse(text)
  return url ? url.origin + url.pathname : text
}
