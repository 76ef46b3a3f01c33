import { dictionary } from 'dcmjs/dictionary'

// The data dictionary of PS3.6 from dcmjs, reduced at load to the standard elements of even groups.
const ENTRIES = new Map<number, { readonly keyword: string; readonly vr: string }>()
const TAGS = new Map<string, number>()
/** VRs of the attributes of curves and overlays, whose groups repeat, by the tag of the first. */
const REPEATING_GROUP_VRS = new Map<number, string>()

// dcmjs abbreviates elements with a choice of VRs. In Implicit VR the choice depends on other
// elements, which an identifier does not contain.
const AMBIGUOUS_VRS: Readonly<Record<string, string>> = { xs: 'US', ox: 'OW', lt: 'OW', up: 'UL' }

for (const [key, { name, vr }] of Object.entries(dictionary)) {
  const [, group, element] = /^\((50|60)00-\1FF,([0-9A-F]{4})\)$/.exec(key) ?? []
  if (element && vr)
    REPEATING_GROUP_VRS.set(Number.parseInt(`${group}00${element}`, 16), AMBIGUOUS_VRS[vr] ?? vr)
  if (!/^\([0-9A-F]{3}[02468ACE],[0-9A-F]{4}\)$/.test(key) || !vr || vr === 'na') continue
  const tag = Number.parseInt(key.slice(1, 5) + key.slice(6, 10), 16)
  const keyword = name.replace(/^RETIRED_/, '')
  ENTRIES.set(tag, { keyword, vr: AMBIGUOUS_VRS[vr] ?? vr })
  if (!TAGS.has(keyword)) TAGS.set(keyword, tag)
}

/** `(0010,0010)`. */
export const formatTag = (tag: number): string =>
  `(${hex4(tag >>> 16)},${hex4(tag & 0xffff)})`.toUpperCase()

/**
 * The PS3.6 keyword of a tag; for a tag without one, such as a private tag, its number:
 * `(0011,1010)`.
 */
export const keywordOf = (tag: number): string => ENTRIES.get(tag)?.keyword ?? formatTag(tag)

/** The tag of a keyword or of `(0011,1010)`; `undefined` for anything else. */
export function tagOf(keyword: string): number | undefined {
  const tag = TAGS.get(keyword)
  if (tag !== undefined || !/^\([0-9A-Fa-f]{4},[0-9A-Fa-f]{4}\)$/.test(keyword)) return tag
  return Number.parseInt(keyword.slice(1, 5) + keyword.slice(6, 10), 16)
}

/** The tags of attributes by their PS3.6 keywords. @throws {RangeError} for an unknown keyword */
export function tagsByKeyword<const Keyword extends string>(
  keywords: readonly Keyword[],
): Readonly<Record<Keyword, number>> {
  const entries = keywords.map((keyword) => {
    const tag = tagOf(keyword)
    if (tag === undefined) throw new RangeError(`no such attribute: ${keyword}`)
    return [keyword, tag]
  })
  return Object.fromEntries(entries) as Readonly<Record<Keyword, number>>
}

/**
 * The VR from the dictionary; UL for group lengths, LO for private creators, UN for unknown
 * elements (PS3.5 §6.2.2, §7.2, §7.8.1).
 */
export function vrOf(tag: number): string {
  const element = tag & 0xffff
  if (element === 0) return 'UL'
  if (isPrivate(tag)) return element >= 0x10 && element <= 0xff ? 'LO' : 'UN'
  return ENTRIES.get(tag)?.vr ?? REPEATING_GROUP_VRS.get(firstOfRepeated(tag)) ?? 'UN'
}

/** Groups 5000 to 50FE, and 6000 to 60FE, have the same elements (PS3.5 §7.6). */
const firstOfRepeated = (tag: number): number => (tag & 0xff00ffff) >>> 0

/** PS3.5 §7.8: odd groups are private. */
export const isPrivate = (tag: number): boolean => ((tag >>> 16) & 1) === 1

const hex4 = (value: number): string => value.toString(16).padStart(4, '0')
