const START = 0xff4f
const SIZ = 0xff51
/** Offset of Ssiz of the first component: after SOC, the marker, Lsiz, Rsiz, eight sizes and Csiz. */
const SSIZ = 42

/**
 * Whether the values of a JPEG 2000 or HTJ2K codestream are signed (ITU-T T.800 A.5.1); undefined
 * of other data.
 */
export function isCodestreamSigned(bytes: Uint8Array): boolean | undefined {
  const word = (at: number) => ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0)
  if (bytes.length <= SSIZ || word(0) !== START || word(2) !== SIZ) return undefined
  return ((bytes[SSIZ] as number) & 0x80) !== 0
}
