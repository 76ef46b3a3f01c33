import type { DataSet, Element } from './coding.ts'
import { tagOf, vrOf } from './dictionary.ts'

/**
 * Values by PS3.6 keyword: text (several values separated by backslashes), bytes, a number (US or
 * UL), or the items of a sequence. Undefined values are omitted.
 */
export interface NamedValues {
  readonly [keyword: string]: string | number | Buffer | readonly NamedValues[] | undefined
}

/**
 * Builds a data set with UTF-8 text (ISO_IR 192), sorted by tag. @throws {RangeError} for an
 * unknown keyword
 */
export function namedDataSet(values: NamedValues): DataSet {
  return Object.entries(values)
    .flatMap(([keyword, value]): Element[] => {
      if (value === undefined) return []
      const tag = tagOf(keyword)
      if (tag === undefined) throw new RangeError(`no such attribute: ${keyword}`)
      const vr = vrOf(tag)
      return [{ tag, vr, value: encoded(value, vr) }]
    })
    .sort((one, other) => one.tag - other.tag)
}

function encoded(value: NonNullable<NamedValues[string]>, vr: string): Element['value'] {
  if (typeof value === 'string') return Buffer.from(value)
  if (typeof value !== 'number')
    return Buffer.isBuffer(value) ? value : (value as readonly NamedValues[]).map(namedDataSet)
  const bytes = Buffer.alloc(vr === 'US' ? 2 : 4)
  bytes.writeUIntLE(value, 0, bytes.length)
  return bytes
}
