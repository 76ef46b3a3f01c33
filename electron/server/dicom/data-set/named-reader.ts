import { decodeText } from '#server/dicom/character-sets/character-set.ts'
import type { DataSet, Element } from './coding.ts'
import { tagOf, vrOf } from './dictionary.ts'
import { withoutPadding } from './vr.ts'

/** Reads values of a data set by their PS3.6 keyword. */
export class NamedReader {
  readonly #elements: ReadonlyMap<number, Element>
  readonly #characterSet: readonly string[]

  constructor(dataSet: DataSet, outer: readonly string[] = []) {
    this.#elements = new Map(dataSet.map((element) => [element.tag, element]))
    const own = this.#bytes('SpecificCharacterSet')?.toString('latin1')
    this.#characterSet = own ? withoutPadding(own).split('\\') : outer
  }

  /** The text of the value, without padding; empty if it is missing. */
  text(keyword: string): string {
    const bytes = this.#bytes(keyword)
    const vr = vrOf(tagOf(keyword) ?? 0)
    return bytes ? withoutPadding(decodeText(bytes, this.#characterSet, vr).text) : ''
  }

  /** The number in an IS or DS; undefined if there is none. */
  number(keyword: string): number | undefined {
    const text = this.text(keyword).trim()
    const value = Number(text)
    return text !== '' && Number.isFinite(value) ? value : undefined
  }

  /** The values of an FL. */
  floats(keyword: string): number[] {
    const bytes = this.#bytes(keyword)
    return Array.from({ length: Math.floor((bytes?.length ?? 0) / 4) }, (_, index) =>
      (bytes as Buffer).readFloatLE(index * 4),
    )
  }

  /** The items of a sequence. */
  items(keyword: string): NamedReader[] {
    const value = this.#elements.get(tagOf(keyword) ?? 0)?.value
    if (value === undefined || Buffer.isBuffer(value)) return []
    return (value as readonly DataSet[]).map((item) => new NamedReader(item, this.#characterSet))
  }

  #bytes(keyword: string): Buffer | undefined {
    const value = this.#elements.get(tagOf(keyword) ?? 0)?.value
    return Buffer.isBuffer(value) ? value : undefined
  }
}
