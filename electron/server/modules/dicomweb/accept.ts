/** A media range of an Accept header (RFC 9110 §12.5.1). */
interface MediaRange {
  /** Type and subtype in lower case; `*` stands for any. */
  readonly type: string
  /** By names in lower case. */
  readonly parameters: ReadonlyMap<string, string>
  /** From 0 to 1. */
  readonly quality: number
}

/** A representation that the caller accepts. */
export interface AcceptedRepresentation {
  /** The media type of each part, or of the whole response; `*` stands for any. */
  readonly type: string
  /** Whether the response may be `multipart/related`, and whether it may be without parts. */
  readonly isMultipart: boolean
  readonly isSingle: boolean
  /** A UID, `*` for the stored one, or undefined if the caller named none. */
  readonly transferSyntax: string | undefined
}

const ANY_REPRESENTATION: AcceptedRepresentation = {
  type: '*/*',
  isMultipart: true,
  isSingle: true,
  transferSyntax: undefined,
}

/**
 * What the caller accepts, the best first (PS3.18 8.3.3.1, 8.7.5). The query parameter `accept`
 * takes precedence over the header. Without both, or with what cannot be parsed, anything.
 */
export function acceptedRepresentations(
  header: string | undefined,
  parameter: string | undefined,
): AcceptedRepresentation[] {
  const ranges = mediaRanges(parameter ?? header ?? '')
    .filter(({ quality }) => quality > 0)
    .sort((a, b) => b.quality - a.quality)
  return ranges.length === 0 ? [ANY_REPRESENTATION] : ranges.map(representationOf)
}

function representationOf({ type, parameters }: MediaRange): AcceptedRepresentation {
  const transferSyntax = parameters.get('transfer-syntax')
  if (type === '*/*') return { ...ANY_REPRESENTATION, transferSyntax }
  if (type !== 'multipart/related' && type !== 'multipart/*')
    return { type, isMultipart: false, isSingle: true, transferSyntax }
  const part = parameters.get('type')?.toLowerCase() ?? '*/*'
  return { type: part, isMultipart: true, isSingle: false, transferSyntax }
}

/** Whether a media type is in the range of an accepted one. */
export function isOfType({ type }: AcceptedRepresentation, mediaType: string): boolean {
  return (
    type === '*/*' ||
    type === mediaType ||
    (type.endsWith('/*') && mediaType.startsWith(type.slice(0, -1)))
  )
}

/** Longest header that is examined. */
const MAX_HEADER_LENGTH = 8192

/** The type and the parameters of a Content-Type header; undefined if it is missing or invalid. */
export const contentTypeIn = (header: string | undefined): MediaRange | undefined =>
  mediaRanges(header ?? '')[0]

function mediaRanges(header: string): MediaRange[] {
  const ranges: MediaRange[] = []
  for (const range of splitUnquoted(header.slice(0, MAX_HEADER_LENGTH), ',')) {
    const [type = '', ...given] = splitUnquoted(range, ';').map((each) => each.trim())
    if (!/^[^\s/]+\/[^\s/]+$/.test(type)) continue
    const parameters = new Map<string, string>()
    for (const each of given) {
      const at = each.indexOf('=')
      if (at < 0) continue
      parameters.set(each.slice(0, at).trim().toLowerCase(), unquoted(each.slice(at + 1).trim()))
    }
    const quality = Number(parameters.get('q') ?? 1)
    ranges.push({
      type: type.toLowerCase(),
      parameters,
      quality: quality >= 0 && quality <= 1 ? quality : 0,
    })
  }
  return ranges
}

/** Splits at a separator that is not within a quoted string. */
function splitUnquoted(text: string, separator: ',' | ';'): string[] {
  const parts: string[] = []
  let start = 0
  let isQuoted = false
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at)
    if (isQuoted && character === '\\') at++
    else if (character === '"') isQuoted = !isQuoted
    else if (character === separator && !isQuoted) {
      parts.push(text.slice(start, at))
      start = at + 1
    }
  }
  parts.push(text.slice(start))
  return parts
}

const unquoted = (value: string): string =>
  value.startsWith('"') && value.endsWith('"') && value.length > 1
    ? value.slice(1, -1).replace(/\\(.)/g, '$1')
    : value
