import type { DataSet, Element } from './coding.ts'
import { tagOf, vrOf } from './dictionary.ts'

/**
 * Values by the keywords of PS3.6: text (of several values by backslashes), bytes, a number of VR US
 * or UL, or the items of a sequence. Undefined: it is left out.
 */
export interface NamedValues {
  readonly [keyword: string]: string | number | Buffer | readonly NamedValues[] | undefined
}

/**
 * A data set whose text is UTF-8 (ISO_IR 192), in the order of its tags. @throws {RangeError} for a
 * keyword that does not exist
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
