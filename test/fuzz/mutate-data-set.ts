import { VR } from '#server/dicom/data-set/vr.ts'
import { type ByteRules, mutateBytes } from './mutate.ts'
import type { Random } from './random.ts'

/** How the elements of some bytes are written. */
export interface Form {
  readonly explicit: boolean
  readonly bigEndian: boolean
}

/** An element of the top as far as its header goes. */
interface Seen {
  readonly at: number
  /** Of its value. */
  readonly start: number
  readonly end: number
  readonly vr: string
}

const LONG = [...VR].filter(([, { long }]) => long).map(([vr]) => vr)
const SHORT = [...VR].filter(([, { long }]) => !long).map(([vr]) => vr)
const UNDEFINED = 0xffffffff
/**
 * Tags that readers treat by themselves: items and delimiters, group lengths, character set,
 * pixels, padding, private ones, patient and study.
 */
const TAGS = [
  ...[
    0xfffee000, 0xfffee00d, 0xfffee0dd, 0xfffcfffc, 0x00000000, 0x00020010, 0x00080000, 0x00080005,
    0x00080018, 0x7fe00010, 0x7fe00008,
  ],
  ...[
    0x00090010, 0x00091001, 0x00100010, 0x00100020, 0x0020000d, 0x00280008, 0x00280010, 0x00400100,
    0x00400275, 0x52009230, 0xffffffff,
  ],
]

/** The elements at the top, up to where the bytes stop making sense. */
function elementsOf(bytes: Buffer, form: Form): Seen[] {
  const seen: Seen[] = []
  for (let at = 0; at + 8 <= bytes.length && seen.length < 2000; ) {
    const vr = form.explicit ? bytes.toString('latin1', at + 4, at + 6) : ''
    const isLong = !form.explicit || LONG.includes(vr)
    const start = at + (form.explicit && isLong ? 12 : 8)
    const lengthAt = form.explicit && !isLong ? at + 6 : start - 4
    if (start > bytes.length) break
    const length =
      form.explicit && !isLong ? number16(bytes, lengthAt, form) : number32(bytes, lengthAt, form)
    const end = length === UNDEFINED ? bytes.length : start + length
    if (end > bytes.length) break
    seen.push({ at, start, end, vr })
    at = end
  }
  return seen
}

const number16 = (bytes: Buffer, at: number, { bigEndian }: Form) =>
  bigEndian ? bytes.readUInt16BE(at) : bytes.readUInt16LE(at)
const number32 = (bytes: Buffer, at: number, { bigEndian }: Form) =>
  bigEndian ? bytes.readUInt32BE(at) : bytes.readUInt32LE(at)

/** An element whose length may be a lie. */
export function elementBytes(
  tag: number,
  vr: string,
  value: Buffer,
  form: Form,
  length = value.length,
): Buffer {
  const isLong = form.explicit && LONG.includes(vr)
  const header = Buffer.alloc(isLong ? 12 : 8)
  writeTag(header, 0, tag, form)
  if (!form.explicit) header.writeUInt32LE(length >>> 0, 4)
  else {
    header.write(vr, 4, 2, 'latin1')
    if (isLong) write32(header, 8, length, form)
    else if (form.bigEndian) header.writeUInt16BE(length & 0xffff, 6)
    else header.writeUInt16LE(length & 0xffff, 6)
  }
  return Buffer.concat([header, value])
}

function writeTag(target: Buffer, at: number, tag: number, { bigEndian }: Form): void {
  const [group, element] = [tag >>> 16, tag & 0xffff]
  if (bigEndian) {
    target.writeUInt16BE(group, at)
    target.writeUInt16BE(element, at + 2)
  } else {
    target.writeUInt16LE(group, at)
    target.writeUInt16LE(element, at + 2)
  }
}

function write32(target: Buffer, at: number, value: number, { bigEndian }: Form): void {
  if (bigEndian) target.writeUInt32BE(value >>> 0, at)
  else target.writeUInt32LE(value >>> 0, at)
}

/** Item and delimiter, which have no VR. */
function itemHeader(tag: number, length: number, form: Form): Buffer {
  const header = Buffer.alloc(8)
  writeTag(header, 0, tag, form)
  write32(header, 4, length, form)
  return header
}

/** The bytes within sequences, so many deep; of undefined length, ended or not. */
export function nestedBytes(inner: Buffer, depth: number, form: Form, isEnded: boolean): Buffer {
  const opened = Buffer.concat([
    elementBytes(0x00081111, 'SQ', Buffer.alloc(0), form, UNDEFINED),
    itemHeader(0xfffee000, UNDEFINED, form),
  ])
  const ended = Buffer.concat([itemHeader(0xfffee00d, 0, form), itemHeader(0xfffee0dd, 0, form)])
  return Buffer.concat([
    Buffer.alloc(depth * opened.length, opened),
    inner,
    isEnded ? Buffer.alloc(depth * ended.length, ended) : Buffer.alloc(0),
  ])
}

type Change = (bytes: Buffer, element: Seen, random: Random, form: Form, rules: ByteRules) => Buffer

const replaced = (bytes: Buffer, { at, end }: Seen, by: Buffer): Buffer =>
  Buffer.concat([bytes.subarray(0, at), by, bytes.subarray(end)])
const tagAt = (bytes: Buffer, { at }: Seen, form: Form): number =>
  (number16(bytes, at, form) * 0x10000 + number16(bytes, at + 2, form)) >>> 0
const vrOf = ({ vr }: Seen) => (VR.has(vr) ? vr : 'UN')

const CHANGES: readonly Change[] = [
  function length(bytes, element, random, form) {
    const value = bytes.subarray(element.start, element.end)
    const lie = random.of([
      0,
      1,
      value.length + 1,
      value.length - 1,
      value.length * 2,
      0xffff,
      0x7fffffff,
      0xfffffffe,
      UNDEFINED,
      bytes.length,
    ])
    return replaced(
      bytes,
      element,
      elementBytes(tagAt(bytes, element, form), vrOf(element), value, form, Math.max(0, lie)),
    )
  },
  function representation(bytes, element, random, form) {
    const value = bytes.subarray(element.start, element.end)
    const vr = random.of([...SHORT, ...LONG, 'SQ', 'UN', 'UN', '??', '\0\0', 'OX', 'sq'])
    return replaced(bytes, element, elementBytes(tagAt(bytes, element, form), vr, value, form))
  },
  function tag(bytes, element, random, form) {
    const value = bytes.subarray(element.start, element.end)
    const other = random.isOnce(3)
      ? tagAt(bytes, element, form) + random.of([1, -1, 0x10000])
      : random.of(TAGS)
    return replaced(bytes, element, elementBytes(other >>> 0, vrOf(element), value, form))
  },
  function remove(bytes, element) {
    return replaced(bytes, element, Buffer.alloc(0))
  },
  function twice(bytes, element) {
    return replaced(
      bytes,
      element,
      Buffer.concat([
        bytes.subarray(element.at, element.end),
        bytes.subarray(element.at, element.end),
      ]),
    )
  },
  function swapWithNext(bytes, element, _random, form) {
    const next = elementsOf(bytes.subarray(element.end), form)[0]
    if (!next) return bytes
    const end = element.end + next.end
    return Buffer.concat([
      bytes.subarray(0, element.at),
      bytes.subarray(element.end, end),
      bytes.subarray(element.at, element.end),
      bytes.subarray(end),
    ])
  },
  /**
   * A value of the right length that is another text: one of the format's words, or the same over
   * and over.
   */
  function value(bytes, element, random, form, { tokens, mostBytes }) {
    const old = bytes.subarray(element.start, element.end)
    const word = random.isOnce(3) || tokens.length === 0 ? old : random.of(tokens)
    const room = Math.max(0, Math.min(random.of([16, 64, 1024, 65_534]), mostBytes - bytes.length))
    const repeated = word.length === 0 ? word : Buffer.alloc(room, word)
    const changed = random.of([
      word,
      repeated,
      Buffer.concat([repeated, Buffer.from('x')]),
      old.subarray(0, random.below(old.length + 1)),
      random.bytes(8),
    ])
    return replaced(
      bytes,
      element,
      elementBytes(tagAt(bytes, element, form), vrOf(element), changed, form),
    )
  },
  function within(bytes, element, random, form, { mostBytes }) {
    const depth = Math.min(
      random.of([1, 2, 7, 8, 9, 31, 32, 33, 10_000]),
      Math.floor((mostBytes - bytes.length) / 36),
    )
    if (depth < 1) return bytes
    const from = random.of([0, element.at])
    return Buffer.concat([
      bytes.subarray(0, from),
      nestedBytes(bytes.subarray(from), depth, form, !random.isOnce(4)),
    ])
  },
  /** Of what is in it, a sequence: an item of it, of a length or without one. */
  function sequence(bytes, element, random, form) {
    const value = bytes.subarray(element.at, element.end)
    const length = random.of([value.length, value.length, UNDEFINED, value.length + 2, 0])
    const item = Buffer.concat([
      itemHeader(0xfffee000, length, form),
      value,
      ...(length === UNDEFINED ? [itemHeader(0xfffee00d, 0, form)] : []),
    ])
    const items = Buffer.alloc(item.length * (1 + random.below(random.of([1, 3, 200]))), item)
    const isOpen = random.isOnce(2)
    const sequence = elementBytes(
      random.of(TAGS),
      random.of(['SQ', 'SQ', 'UN']),
      items,
      form,
      isOpen ? UNDEFINED : items.length,
    )
    return replaced(
      bytes,
      element,
      Buffer.concat([sequence, ...(isOpen ? [itemHeader(0xfffee0dd, 0, form)] : [])]),
    )
  },
]

/** Another data set: elements changed as such, or bytes without regard to them. */
export function mutateDataSet(bytes: Buffer, random: Random, form: Form, rules: ByteRules): Buffer {
  if (random.isOnce(3)) return mutateBytes(bytes, random, rules)
  let changed = bytes
  for (let left = 1 + random.below(random.of([1, 2, 4])); left > 0; left--) {
    const elements = elementsOf(changed, form)
    if (elements.length === 0) return mutateBytes(changed, random, rules)
    changed = random.of(CHANGES)(changed, random.of(elements), random, form, rules)
  }
  return Buffer.from(changed.subarray(0, rules.mostBytes))
}

/** Words of data sets: character sets, dates, times, UIDs, names, wild cards, escape sequences. */
export const DATA_SET_TOKENS: readonly Buffer[] = [
  ...[
    'ISO_IR 100',
    'ISO_IR 192',
    'ISO 2022 IR 87',
    '\\ISO 2022 IR 87',
    'ISO 2022 IR 149',
    'ISO_IR 13',
    'GB18030',
    'GBK',
    'ISO_IR 166',
  ],
  ...[
    '20261120',
    '20261120-',
    '-20261120',
    '20261101-20261130',
    '20261120-20261101',
    '1000-1100',
    '235960',
    '10:15',
    '2026.11.20',
  ],
  ...[
    '*',
    '?',
    '*a*a*a',
    'T*',
    '\\',
    '=',
    '^',
    '^^^^',
    '===',
    ' ',
    '\0',
    'TESTER^NUMBER001',
    'P001',
    'A001',
    'S001',
    '1.2.840.10008.1.2',
    '2.25.10001',
  ],
  ...[
    'CT',
    'MR\\CT',
    'CT1',
    '-1',
    '1e308',
    '0.000001',
    '99999999999',
    '\x1b$B',
    '\x1b(B',
    '\x1b$)C',
    '\x1b-F',
    '\xe4\xf6',
    '\xff\xff',
    '\u00e9',
  ],
].map((text) => Buffer.from(text, 'latin1'))
