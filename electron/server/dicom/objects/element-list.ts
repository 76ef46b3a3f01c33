import { AttributeValues } from '#server/dicom/data-set/attribute-values.ts'
import {
  type ByteSource,
  ByteWindow,
  MissingBytesError,
  ViewedFileFault,
} from '#server/dicom/data-set/byte-window.ts'
import { CODINGS, UNDEFINED_LENGTH } from '#server/dicom/data-set/coding.ts'
import { formatTag, isPrivate, keywordOf } from '#server/dicom/data-set/dictionary.ts'
import {
  ElementSearch,
  type FoundElement,
  type FoundItem,
} from '#server/dicom/data-set/found-elements.ts'
import { TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import { readWholeHeader, type WholeHeader } from '#server/dicom/data-set/whole-header.ts'
import { Fragments } from '#server/dicom/pixel-data/fragments.ts'
import type { ElementList, ListedElement } from '#shared/contract/viewed-objects.ts'

/** Rows that the page gets; an image with a thousand frames has more. */
const MAX_ROWS = 20_000
const MAX_VALUE_CHARACTERS = 1024
const MAX_TEXT_BYTES = 64 << 10
const MAX_NUMBERS = 64
const META_START = 132

/** VRs whose values are numbers that are shown, and their length in bytes. */
const NUMBER_WIDTHS: Readonly<Record<string, number>> = {
  ...{ US: 2, SS: 2, UL: 4, SL: 4, FL: 4, FD: 8, SV: 8, UV: 8 },
}
/** VRs of which only the length is shown (PS3.5 §6.2). */
const BINARY_VRS: ReadonlySet<string> = new Set(['OB', 'OD', 'OF', 'OL', 'OV', 'OW', 'UN'])

/**
 * Lists all elements of a complete file, with the file meta information, nested sequences and what
 * follows the pixel data. Values are limited in length; of binary values only the length is given.
 * @throws {ViewedFileFault} if the file cannot be read
 */
export function listElements(source: ByteSource): ElementList {
  const header = readWholeHeader(source)
  const { start, found, values } = header
  const list = new Rows()
  const meta = metaElements(source, start.dataSetOffset)
  if (meta) list.addAll(meta.elements, meta.values, 0)
  list.addAll(found.elements, values, 0)
  if (found.pixels) {
    const { tag, vr, length } = found.pixels
    list.add({
      ...{ depth: 0, tag: formatTag(tag), keyword: keywordOf(tag), vr, value: '', items: 0 },
      length: length === UNDEFINED_LENGTH ? null : length,
      kind: 'binary',
    })
    const last = elementsAfter(source, header)
    if (last) list.addAll(last.elements, last.values, 0)
  }
  return { elements: list.rows, isCut: list.isCut }
}

/** Group 0002, which is always in Explicit VR Little Endian (PS3.10 §7.1). */
function metaElements(source: ByteSource, end: number) {
  const coding = CODINGS[TRANSFER_SYNTAX.explicitLittleEndian]
  if (end <= META_START || !coding) return undefined
  const window = new ByteWindow(source)
  try {
    const search = new ElementSearch(window, META_START, coding, () => true)
    const { elements } = search.advance(end)
    return { elements, values: new AttributeValues(elements, window) }
  } catch (error) {
    if (error instanceof MissingBytesError) return undefined
    throw error
  }
}

/**
 * Elements after the pixel data, such as digital signatures and padding; undefined where the file
 * ends within the pixel data, or is damaged after it.
 */
function elementsAfter(source: ByteSource, { start, found, values }: WholeHeader) {
  const end = found.pixels && endOfPixels(source, found.pixels)
  if (end === undefined || end >= source.length) return undefined
  const window = new ByteWindow(source)
  try {
    const { elements } = new ElementSearch(window, end, start.coding, () => true).advance(
      source.length,
    )
    return { elements, values: new AttributeValues(elements, window, values) }
  } catch (error) {
    if (error instanceof MissingBytesError || error instanceof ViewedFileFault) return undefined
    throw error
  }
}

function endOfPixels(source: ByteSource, { at, length }: FoundElement): number | undefined {
  if (length !== UNDEFINED_LENGTH) return at + length
  const fragments = new Fragments(source, at)
  fragments.walk()
  return fragments.end
}

class Rows {
  readonly rows: ListedElement[] = []
  isCut = false

  add(row: ListedElement): void {
    if (this.rows.length < MAX_ROWS) this.rows.push(row)
    else this.isCut = true
  }

  addAll(elements: FoundItem, values: AttributeValues, depth: number): void {
    const tags = [...elements.keys()].sort((one, other) => one - other)
    for (const tag of tags) {
      if (this.isCut) return
      const element = elements.get(tag)
      if (element) this.#addElement(tag, element, values, depth)
    }
  }

  #addElement(tag: number, element: FoundElement, values: AttributeValues, depth: number): void {
    const { vr, length, items } = element
    const about = {
      ...{ depth, tag: formatTag(tag), keyword: nameOf(tag, values) },
      ...{ vr, length: length === UNDEFINED_LENGTH ? null : length },
    }
    if (!items) {
      this.add({ ...about, ...shownValue(tag, element, values), items: 0 })
      return
    }
    this.add({ ...about, value: '', kind: 'sequence', items: items.length })
    const itemValues = values.items(tag)
    for (const [index, item] of items.entries()) {
      if (this.isCut) return
      this.add({
        ...{ depth: depth + 1, tag: '', keyword: '', vr: '', length: null, value: '' },
        ...{ kind: 'item', items: index + 1 },
      })
      const inside = itemValues[index]
      if (inside) this.addAll(item, inside, depth + 2)
    }
  }
}

/** The keyword; for a private element its creator (PS3.5 §7.8.1). */
function nameOf(tag: number, values: AttributeValues): string {
  if (!isPrivate(tag)) {
    const keyword = keywordOf(tag)
    return keyword.startsWith('(') ? '' : keyword
  }
  const block = (tag & 0xffff) >>> 8
  return block === 0 ? '' : values.text(tag - (tag & 0xffff) + block)
}

function shownValue(
  tag: number,
  { vr, length }: FoundElement,
  values: AttributeValues,
): Pick<ListedElement, 'value' | 'kind'> {
  if (length === 0) return { value: '', kind: 'text' }
  if (BINARY_VRS.has(vr)) return { value: '', kind: 'binary' }
  const width = NUMBER_WIDTHS[vr]
  if (width === undefined && vr !== 'AT') {
    if (length > MAX_TEXT_BYTES) return { value: '', kind: 'binary' }
    const text = values.text(tag)
    return text.length > MAX_VALUE_CHARACTERS
      ? { value: text.slice(0, MAX_VALUE_CHARACTERS), kind: 'cut' }
      : { value: text, kind: 'text' }
  }
  const shown =
    vr === 'AT' ? tagsIn(values.bytes(tag, MAX_TEXT_BYTES)) : values.numbers(tag).map(String)
  const isCut = shown.length > MAX_NUMBERS
  return { value: shown.slice(0, MAX_NUMBERS).join('\\'), kind: isCut ? 'cut' : 'text' }
}

const tagsIn = (bytes: Buffer | undefined): string[] =>
  Array.from({ length: Math.floor((bytes?.length ?? 0) / 4) }, (_, index) =>
    formatTag(
      ((bytes?.readUInt16LE(index * 4) ?? 0) * 0x10000 +
        (bytes?.readUInt16LE(index * 4 + 2) ?? 0)) >>>
        0,
    ),
  )
