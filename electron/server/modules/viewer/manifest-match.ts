import type { Manifest } from '#server/webhooks/manifest.ts'

/** Which URL may hold which instance; a guess, which the file's own header decides. */
export interface ManifestMatch {
  /** Index of the URL that may hold the instance. */
  urlOf(sopInstanceUid: string): number | undefined
  /** The instance that the URL names, a UID of `known`. */
  namedBy(index: number): string | undefined
}

/**
 * A manifest names no URL: a URL is taken for the one of an instance whose UID is a whole part of
 * its path, a file name or a value of its query; else, where there are as many of both, the one at
 * the same place.
 * @param known UIDs that a URL may name besides those of the manifests
 */
export function manifestMatch(
  urls: readonly string[],
  manifests: readonly Manifest[],
  known: (uid: string) => boolean,
): ManifestMatch {
  const uids = manifests.flatMap(({ series }) =>
    series.flatMap(({ sops }) => sops.map(({ sopInstanceUID }) => sopInstanceUID)),
  )
  const isListed = new Set(uids)
  const indexes = new Map<string, number>()
  const named = new Map<number, string>()
  for (const [index, url] of urls.entries()) {
    const uid = partsOf(url).find((part) => isListed.has(part) || known(part))
    if (uid === undefined || indexes.has(uid)) continue
    indexes.set(uid, index)
    named.set(index, uid)
  }
  if (uids.length === urls.length)
    for (const [index, uid] of uids.entries())
      if (!indexes.has(uid) && !named.has(index)) indexes.set(uid, index)
  return { urlOf: (uid) => indexes.get(uid), namedBy: (index) => named.get(index) }
}

/** The last part first: instances are named after their study and series. */
function partsOf(text: string): string[] {
  const url = URL.parse(text)
  if (!url) return []
  const parts = [...url.pathname.split('/').map(decoded), ...url.searchParams.values()].filter(
    (part) => part !== '',
  )
  return parts.reverse().flatMap((part) => [part, part.replace(/\.[A-Za-z]\w*$/, '')])
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
