const START_MARKER = 0xff4f
const SIZ_MARKER = 0xff51
/** Offset of Ssiz of the first component: after SOC, the marker, Lsiz, Rsiz, eight sizes and Csiz. */
const SSIZ_OFFSET = 42

/**
 * Whether the values of a JPEG 2000 or HTJ2K codestream are signed (ITU-T T.800 A.5.1); undefined
 * of other data.
 */
export function isCodestreamSigned(bytes: Uint8Array): boolean | undefined {
  const word = (at: number) => ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0)
  if (bytes.length <= SSIZ_OFFSET || word(0) !== START_MARKER || word(2) !== SIZ_MARKER)
    return undefined
  return ((bytes[SSIZ_OFFSET] as number) & 0x80) !== 0
}
