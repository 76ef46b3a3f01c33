import type { DataSet, Element } from './coding.ts'
import { tagOf, vrOf } from './dictionary.ts'

/**
 * Values by the keywords of PS3.6: text (of several values by backslashes), bytes, or the items of
 * a sequence. Undefined: it is left out.
 */
export interface NamedValues {
  readonly [keyword: string]: string | Buffer | readonly NamedValues[] | undefined
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
      return [{ tag, vr: vrOf(tag), value: encoded(value) }]
    })
    .sort((one, other) => one.tag - other.tag)
}

function encoded(value: string | Buffer | readonly NamedValues[]): Element['value'] {
  if (typeof value === 'string') return Buffer.from(value)
  return Buffer.isBuffer(value) ? value : (value as readonly NamedValues[]).map(namedDataSet)
}
