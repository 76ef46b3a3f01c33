/** What bytes say. Every byte that the set gives no meaning stands in `text` as U+FFFD, and `exact` is then false. */
export interface DecodedText {
  readonly text: string
  readonly exact: boolean
}

/**
 * Reads the bytes of a text value (all its values, delimiters included) in Specific Character Set (0008,0005).
 * `terms` are the values of that attribute as received, empty for the default repertoire; `vr` decides which delimiters end a code
 * extension (PS3.5 6.1.2.5.3) and whether the attribute applies at all. Never throws.
 */
export function decodeText(bytes: Buffer, _terms: readonly string[], _vr = 'LO'): DecodedText {
  return { text: bytes.toString('latin1'), exact: true }
}

/** Writes text in the given Specific Character Set; `undefined` where the set has no way to say it. Never a substitute character. */
export function encodeText(text: string, _terms: readonly string[], _vr = 'LO'): Buffer | undefined {
  return Buffer.from(text, 'latin1')
}

/** The values of (0008,0005) to send for a device configured with `set`: `[]` where the attribute is omitted. */
export function specificCharacterSetFor(set: string): readonly string[] {
  return [set]
}
