import type { AttributeValues } from './attribute-values.ts'
import { UNDEFINED_LENGTH } from './coding.ts'
import type { FoundElement, FoundItem } from './found-elements.ts'
import type { WholeHeader } from './whole-header.ts'

/** An attribute of the DICOM JSON Model (PS3.18 F.2.2); without a value it has only its VR. */
export interface JsonAttribute {
  readonly vr: string
  readonly Value?: readonly JsonValue[]
  readonly InlineBinary?: string
  readonly BulkDataURI?: string
}
export type JsonValue = string | number | null | JsonPersonName | JsonDataSet
/** Attributes by tag, such as `00100010`. */
export interface JsonDataSet {
  readonly [tag: string]: JsonAttribute
}
export interface JsonPersonName {
  readonly Alphabetic?: string
  readonly Ideographic?: string
  readonly Phonetic?: string
}

/** Longest binary value that is part of the JSON text, such as a palette. */
const MAX_INLINE_BYTES = 8192
/** Longest text that is part of the JSON text (the limit of `AttributeValues`). */
const MAX_TEXT_BYTES = 1 << 20
const SPECIFIC_CHARACTER_SET = 0x00080005

const BINARY_VRS: ReadonlySet<string> = new Set(['OB', 'OD', 'OF', 'OL', 'OV', 'OW', 'UN'])
/** VRs with one value, in which a backslash is text (PS3.5 6.2). */
const SINGLE_TEXT_VRS: ReadonlySet<string> = new Set(['LT', 'ST', 'UT', 'UR'])
const NUMBER_VRS: ReadonlySet<string> = new Set(['FD', 'FL', 'SL', 'SS', 'UL', 'US'])

/**
 * The data set of a file in the DICOM JSON Model (PS3.18 Annex F), without group lengths. Text is in
 * Unicode. Pixel data and long values are represented by the URI of their bulk data.
 * @param uriOf the URI of a value, from its path: tags and item numbers, which start at 1, such as
 *   `00400555/1/00420011`
 */
export function jsonOfHeader(
  { found: { elements, pixels }, values }: WholeHeader,
  uriOf: (path: string) => string,
): JsonDataSet {
  const json = jsonOf(elements, values, '', uriOf)
  if (!pixels) return json
  const tag = jsonTag(pixels.tag)
  return { ...json, [tag]: { vr: pixels.vr, BulkDataURI: uriOf(tag) } }
}

function jsonOf(
  item: FoundItem,
  values: AttributeValues,
  prefix: string,
  uriOf: (path: string) => string,
): JsonDataSet {
  const attributes: [string, JsonAttribute][] = []
  for (const tag of [...item.keys()].sort((a, b) => a - b)) {
    // Group lengths depend on an encoding (PS3.18 F.2.2).
    if ((tag & 0xffff) === 0) continue
    const element = item.get(tag) as FoundElement
    const path = `${prefix}${jsonTag(tag)}`
    if (element.items) {
      const items = values.items(tag)
      const value = element.items.map((each, index) =>
        jsonOf(each, items[index] as AttributeValues, `${path}/${index + 1}/`, uriOf),
      )
      attributes.push([jsonTag(tag), { vr: 'SQ', ...(value.length > 0 && { Value: value }) }])
    } else attributes.push([jsonTag(tag), attributeOf(tag, element, values, () => uriOf(path))])
  }
  return Object.fromEntries(attributes)
}

function attributeOf(
  tag: number,
  { length }: FoundElement,
  values: AttributeValues,
  uri: () => string,
): JsonAttribute {
  const vr = values.vr(tag)
  if (length === 0) return { vr }
  // PS3.18 F.2: the text of JSON is in UTF-8, whatever the character set of the data set is.
  if (tag === SPECIFIC_CHARACTER_SET) return { vr, Value: ['ISO_IR 192'] }
  const isBinary = BINARY_VRS.has(vr)
  if (length === UNDEFINED_LENGTH || length > (isBinary ? MAX_INLINE_BYTES : MAX_TEXT_BYTES))
    return { vr, BulkDataURI: uri() }
  if (isBinary)
    return { vr, InlineBinary: values.bytes(tag, MAX_INLINE_BYTES)?.toString('base64') ?? '' }
  const value = valuesOf(tag, vr, values)
  return value.length > 0 ? { vr, Value: value } : { vr }
}

function valuesOf(tag: number, vr: string, values: AttributeValues): JsonValue[] {
  if (NUMBER_VRS.has(vr)) return values.numbers(tag)
  if (vr === 'SV' || vr === 'UV') return largeNumbers(values.bytes(tag, MAX_TEXT_BYTES), vr)
  if (vr === 'AT') return tagsIn(values.bytes(tag, MAX_TEXT_BYTES))
  if (SINGLE_TEXT_VRS.has(vr)) {
    const text = values.text(tag)
    return text === '' ? [] : [text]
  }
  return values.texts(tag).map((text) => {
    if (text === '') return null
    if (vr === 'PN') return jsonPersonName(text)
    return vr === 'DS' || vr === 'IS' ? numberOrText(text) : text
  })
}

/** Components of a name (PS3.18 F.2.2): groups of characters are members of an object. */
export function jsonPersonName(text: string): JsonPersonName {
  const [Alphabetic = '', Ideographic = '', Phonetic = ''] = text
    .split('=')
    .map((group) => group.replace(/[\^ ]+$/, ''))
  return {
    ...(Alphabetic !== '' && { Alphabetic }),
    ...(Ideographic !== '' && { Ideographic }),
    ...(Phonetic !== '' && { Phonetic }),
  }
}

/** PS3.18 Table F.2.3-1: DS and IS may be text, which a value that is not a number has to be. */
function numberOrText(text: string): number | string {
  const number = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(text)
    ? Number(text)
    : Number.NaN
  return Number.isFinite(number) ? number : text
}

/** Numbers that JSON readers would round are text. */
function largeNumbers(bytes: Buffer | undefined, vr: 'SV' | 'UV'): (number | string)[] {
  return Array.from({ length: Math.floor((bytes?.length ?? 0) / 8) }, (_, index) => {
    const number =
      vr === 'SV' ? bytes?.readBigInt64LE(index * 8) : bytes?.readBigUInt64LE(index * 8)
    return Number.isSafeInteger(Number(number)) ? Number(number) : String(number)
  })
}

function tagsIn(bytes: Buffer | undefined): string[] {
  return Array.from({ length: Math.floor((bytes?.length ?? 0) / 4) }, (_, index) => {
    const [group = 0, element = 0] = [
      bytes?.readUInt16LE(index * 4),
      bytes?.readUInt16LE(index * 4 + 2),
    ]
    return jsonTag(group * 0x10000 + element)
  })
}

/** `00100010`. */
export const jsonTag = (tag: number): string => tag.toString(16).toUpperCase().padStart(8, '0')
