import { decodeText } from '#server/dicom/character-sets/character-set.ts'
import { withoutPadding } from './vr.ts'

const SPECIFIC_CHARACTER_SET = 0x00080005
/** PS3.3 C.12.1.1.2 does not define more terms. */
const MAX_TERMS = 20

/** A top-level tag, or tags inside the first item of a top-level sequence. */
export type TagSelector = number | { readonly sequence: number; readonly tags: readonly number[] }

/** The wanted values of a data set or item. */
export interface HeaderValues {
  /**
   * The value as encoded, padding included, but with numbers always in little endian; undefined if
   * it is missing or too long.
   */
  get(tag: number): Buffer | undefined
  /** The encoded VR; in Implicit VR the dictionary's. */
  vrOf(tag: number): string | undefined
  /**
   * Values of Specific Character Set (0008,0005), which is always read; undefined if it is missing
   * or empty.
   */
  readonly characterSet: readonly string[] | undefined
}

/**
 * The text of an element, all values separated by backslashes, without padding; '' if it is
 * missing. Decoded in the declared character set; if none is declared or the bytes are invalid in
 * it, in `fallback`: the values of (0008,0005) configured for the device.
 */
export function textOf(
  values: HeaderValues,
  tag: number,
  fallback: readonly string[] = [],
): string {
  const bytes = values.get(tag)
  if (!bytes) return ''
  const vr = values.vrOf(tag) ?? 'UN'
  const declared = decodeText(bytes, values.characterSet ?? fallback, vr)
  if (declared.isExact || values.characterSet === undefined || fallback.length === 0)
    return withoutPadding(declared.text).trimStart()
  const second = decodeText(bytes, fallback, vr)
  return withoutPadding(second.isExact ? second.text : declared.text).trimStart()
}

/** Collects values while parsing. */
export interface Collection {
  readonly tags: ReadonlySet<number>
  readonly found: Map<number, { readonly vr: string; readonly value: Buffer }>
  /** For a sequence: whether its first item has begun, so that later items are skipped. */
  hasBegun: boolean
}

export const collection = (tags: ReadonlySet<number>): Collection => ({
  tags,
  found: new Map(),
  hasBegun: false,
})

/** The wanted tags in the form used for lookup, shared by all data sets. */
interface WantedLookup {
  readonly top: ReadonlySet<number>
  readonly sequences: readonly { readonly sequence: number; readonly tags: ReadonlySet<number> }[]
  readonly last: number
}

const LOOKUPS = new WeakMap<readonly TagSelector[], WantedLookup>()

export function lookupOf(wanted: readonly TagSelector[]): WantedLookup {
  const known = LOOKUPS.get(wanted)
  if (known) return known
  const withCharacterSet = (tags: readonly number[]) => new Set([SPECIFIC_CHARACTER_SET, ...tags])
  const top = withCharacterSet(wanted.filter((tag) => typeof tag === 'number'))
  const sequences = wanted.flatMap((want) =>
    typeof want === 'number'
      ? []
      : [{ sequence: want.sequence, tags: withCharacterSet(want.tags) }],
  )
  const sought = {
    top,
    sequences,
    last: Math.max(...top, ...sequences.map(({ sequence }) => sequence)),
  }
  LOOKUPS.set(wanted, sought)
  return sought
}

export function valuesOf({ found }: Collection): HeaderValues {
  const terms = withoutPadding(
    found.get(SPECIFIC_CHARACTER_SET)?.value.toString('latin1', 0, MAX_TERMS * 17) ?? '',
  )
  return {
    get: (tag) => found.get(tag)?.value,
    vrOf: (tag) => found.get(tag)?.vr,
    characterSet:
      terms === '' ? undefined : terms.split('\\', MAX_TERMS).map((term) => term.trim()),
  }
}
