import { AFFECTED_VRS, candidateSets } from '#server/dicom/character-sets/candidate-sets.ts'
import { encodeText, specificCharacterSetFor } from '#server/dicom/character-sets/character-set.ts'
import { isAscii } from '#server/dicom/character-sets/default-repertoire.ts'
import type { DataSet, Element } from '#server/dicom/data-set/coding.ts'
import { vrOf, writeDataSet } from '#server/dicom/data-set/data-set.ts'
import { SPECIFIC_CHARACTER_SET } from '#server/dicom/matching/key-text.ts'
import type { Device } from '#shared/contract/devices.ts'
import { RETRIEVAL_ATTRIBUTES } from './attributes.ts'
import { type FoundEntity, isAtOrAbove, type QueryLevel } from './entity-query.ts'
import { QUERY_RETRIEVE_LEVEL, type QueryIdentifier } from './query-identifier.ts'

/** Always returned (PS3.4 C.4.1.1.3.2), as are the unique keys down to the level. */
const RETRIEVE_AE_TITLE = 0x00080054

const EMPTY = Buffer.alloc(0)
const UTF_8_TERMS = specificCharacterSetFor('ISO_IR 192')

/** The tags that a response has in addition to those that were asked for. */
export const tagsAlwaysReturned = (level: QueryLevel): number[] => [
  RETRIEVE_AE_TITLE,
  ...[...RETRIEVAL_ATTRIBUTES.values()]
    // Patient ID is no unique key of the Study Root model.
    .filter(
      ({ key, level: own }) =>
        key === 'U' && isAtOrAbove(own, level) && (own !== 'PATIENT' || level === 'PATIENT'),
    )
    .map(({ tag }) => tag),
]

/**
 * Returns the function that encodes the identifier of a response. Requested attributes without a
 * value, or that are not supported, have zero length. Texts are encoded in the character set of the
 * device, otherwise in that of the query; if it cannot represent them, in ISO_IR 192, so that no
 * response has substitute characters.
 */
export function responseEncoder(
  { query: { level }, returned, characterSet }: QueryIdentifier,
  transferSyntax: string,
  device: Pick<Device, 'characterSet' | 'alwaysSendCharacterSet'>,
): (entity: FoundEntity) => Buffer {
  const tags = new Map(returned.map(({ tag, vr }) => [tag, vr]))
  for (const tag of tagsAlwaysReturned(level)) if (!tags.has(tag)) tags.set(tag, vrOf(tag))
  tags.set(QUERY_RETRIEVE_LEVEL, 'CS')
  tags.set(SPECIFIC_CHARACTER_SET, 'CS')
  const layout = [...tags].sort(([a], [b]) => a - b)
  const { sets, lastResort = UTF_8_TERMS } = candidateSets(device.characterSet, characterSet)
  const asciiCharacterSets = device.alwaysSendCharacterSet
    ? specificCharacterSetFor(device.characterSet ?? 'ISO_IR 100')
    : []
  // JIS X 0201 has other characters in place of the tilde and backslash of ASCII.
  const isPlain = asciiCharacterSets[0] !== 'ISO_IR 13'

  return ({ values }) => {
    const isText = ([tag, vr]: readonly [number, string]) =>
      AFFECTED_VRS.has(vr) && !(isPlain && isAscii(values.get(tag) ?? ''))
    const texts = layout.filter(isText)
    const encoded =
      texts.length === 0 ? undefined : encodeTexts(texts, values, [...sets, lastResort])
    const dataSet: DataSet = layout.flatMap(([tag, vr]): Element[] => {
      if (tag === SPECIFIC_CHARACTER_SET) {
        const terms = (encoded?.terms ?? asciiCharacterSets).join('\\')
        return terms === '' ? [] : [{ tag, vr, value: Buffer.from(terms, 'latin1') }]
      }
      if (tag === QUERY_RETRIEVE_LEVEL) return [{ tag, vr, value: Buffer.from(level, 'latin1') }]
      if (vr === 'SQ') return [{ tag, vr, value: [] }]
      return [
        { tag, vr, value: encoded?.values.get(tag) ?? encodePlainValue(vr, values.get(tag) ?? '') },
      ]
    })
    return writeDataSet(dataSet, transferSyntax)
  }
}

/** Encodes the texts in the first of the sets that represents all of them. */
function encodeTexts(
  texts: readonly (readonly [tag: number, vr: string])[],
  values: ReadonlyMap<number, string>,
  sets: readonly (readonly string[])[],
): { readonly terms: readonly string[]; readonly values: ReadonlyMap<number, Buffer> } | undefined {
  for (const terms of sets) {
    const encoded = new Map<number, Buffer>()
    for (const [tag, vr] of texts) {
      const bytes = encodeText(values.get(tag) ?? '', terms, vr)
      if (!bytes) break
      encoded.set(tag, bytes)
    }
    if (encoded.size === texts.length) return { terms, values: encoded }
  }
  return undefined
}

/** Numbers are in little endian, as `writeDataSet` expects them. */
function encodePlainValue(vr: string, text: string): Buffer {
  if (text === '') return EMPTY
  if (vr !== 'US') return Buffer.from(text, 'latin1')
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16LE(Number(text))
  return bytes
}
