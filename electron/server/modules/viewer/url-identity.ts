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
