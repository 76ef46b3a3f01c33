import { encodeText } from '#server/dicom/character-sets/character-set.ts'

/** Text VRs of which a row has attributes. */
export type TextVr = 'LO' | 'PN' | 'SH'

/**
 * PS3.5 Table 6.2-1: characters of a value, of a PN those of each component group; bytes for a
 * console that counts bytes.
 */
export const MOST_IN_VALUE: Readonly<Record<TextVr, number>> = { LO: 64, PN: 64, SH: 16 }

/**
 * Bytes that a value takes in a character set, of a PN those of its longest component group;
 * undefined where the set cannot say it.
 */
export function widthOf(text: string, terms: readonly string[], vr: string): number | undefined {
  if (vr !== 'PN') return encodeText(text, terms, vr)?.length
  // The first group is written by other rules than those after a delimiter (PS3.5 §6.2.1.2).
  const widths = text.split('=').map((group, index) => {
    const bytes = encodeText(index === 0 ? group : `=${group}`, terms, vr)
    return bytes && bytes.length - Math.min(index, 1)
  })
  return widths.reduce(
    (most, width) =>
      most === undefined || width === undefined ? undefined : Math.max(most, width),
    0,
  )
}

const characters = new Intl.Segmenter('und', { granularity: 'grapheme' })

/**
 * As much of a text as a value has room for, in whole characters with their marks; undefined where
 * the set cannot say the text.
 */
export function cutToBytes(text: string, terms: readonly string[], vr: TextVr): Buffer | undefined {
  const starts = [...characters.segment(text)].map(({ index }) => index)
  for (const end of [text.length, ...starts.reverse()]) {
    const bytes = encodeText(text.slice(0, end).trimEnd(), terms, vr)
    if (!bytes || bytes.length <= MOST_IN_VALUE[vr]) return bytes
  }
  return undefined
}
