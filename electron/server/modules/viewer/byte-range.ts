export interface ByteRange {
  readonly from: number
  readonly length: number
}

/**
 * One range of bytes (RFC 9110 §14.1.2); undefined where it is none, several, or outside: then all
 * of it is the answer (§14.2).
 */
export function rangeOf(header: string | undefined, size: number): ByteRange | undefined {
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '') ?? []
  if (first === '' && last === '') return undefined
  const from = first === '' ? Math.max(0, size - Number(last)) : Number(first)
  const to = first === '' || last === '' ? size - 1 : Math.min(size - 1, Number(last))
  return from <= to ? { from, length: to - from + 1 } : undefined
}
