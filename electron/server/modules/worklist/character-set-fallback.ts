import {
  encodeText,
  isDefinedCharacterSet,
  specificCharacterSetFor,
} from '#server/dicom/character-sets/character-set.ts'
import type { CharacterSet, Device } from '#shared/contract/devices.ts'
import { type Message, message } from '#shared/messages/message.ts'
import {
  isExtra,
  ROOT_ATTRIBUTES,
  ROW_KEYWORDS,
  type RowKeyword,
  STEP_ATTRIBUTES,
} from './attributes.ts'
import { isAscii, type WorklistRow } from './row.ts'
import { transliterate } from './transliteration.ts'

/** Values of a row that are not of the default repertoire, as bytes, in one character set. */
export interface RowText {
  /** Value of (0008,0005), '' where it is omitted. */
  readonly characterSet: string
  /** Encoded values by keyword; a value that is not here is plain ASCII. */
  readonly encoded: ReadonlyMap<RowKeyword, Buffer>
  readonly remarks: readonly Message[]
  /** Why this device cannot have the row; null where it can. */
  readonly withheld: Message | null
}

export interface CharacterSetPolicy {
  /** Set of the device; null: each row decides. */
  readonly deviceSet: CharacterSet | null
  /** Send (0008,0005) with ASCII rows too. */
  readonly always: boolean
  /** The lengths of PS3.5 Table 6.2-1 are bytes to the device. */
  readonly countsBytes: boolean
  /** Terms that the query declared. */
  readonly declared: readonly string[]
}

export const policyOf = (
  device: Device | undefined,
  declared: readonly string[],
): CharacterSetPolicy => ({
  deviceSet: device?.characterSet ?? null,
  always: device?.alwaysSendCharacterSet ?? false,
  countsBytes: device?.countsBytes ?? false,
  declared,
})

/** An attribute of the row to which Specific Character Set applies. */
export interface RowTextAttribute {
  readonly keyword: RowKeyword
  readonly vr: string
}

/** VRs to which Specific Character Set applies (PS3.5 §6.1.2.3). */
export const AFFECTED_VRS: ReadonlySet<string> = new Set(['LO', 'LT', 'PN', 'SH', 'ST', 'UC', 'UT'])

/** All of them. */
export const TEXT_KEYWORDS: readonly RowTextAttribute[] = [
  ...ROOT_ATTRIBUTES.values(),
  ...STEP_ATTRIBUTES.values(),
].flatMap(({ keyword, vr, source }) => {
  const ofRow = ROW_KEYWORDS.find((name) => name === keyword)
  return ofRow && source === 'row' && AFFECTED_VRS.has(vr) ? [{ keyword: ofRow, vr }] : []
})

/** Identifiers are sent as they are or not at all. */
const IDENTIFIERS: ReadonlySet<RowKeyword> = new Set([
  ...([
    'PatientID',
    'AccessionNumber',
    'ScheduledProcedureStepID',
    'RequestedProcedureID',
  ] as const),
  ...(['AdmissionID', 'OtherPatientIDs'] as const),
])

const NOTHING = Buffer.alloc(0)
const NOTHING_ENCODED: ReadonlyMap<RowKeyword, Buffer> = new Map()

/**
 * How rows get their bytes for one query: in the device's set; without one, in
 * the set that the query declares; in ISO_IR 100 where it declares none. What that set cannot hold
 * is transliterated to Latin letters; where that is not possible either, the row is withheld,
 * except from a device that has not said which sets it reads, and is sent ISO_IR 192 as a last
 * resort. Never a substitute character. For a device that counts bytes, descriptions are cut to
 * what it has room for where no set says them in less; a name that has no room is sent in Latin
 * letters, whole; identifiers are never cut.
 * @param asked the text attributes to be returned
 */
export function repertoireFor(
  asked: readonly RowTextAttribute[],
  policy: CharacterSetPolicy,
): (row: WorklistRow) => RowText {
  const { deviceSet, always, countsBytes, declared } = policy
  const { sets, lastResort } = setsFor(deviceSet, declared)
  const forAscii = always ? specificCharacterSetFor(deviceSet ?? 'ISO_IR 100') : []
  const plain: RowText = {
    characterSet: forAscii.join('\\'),
    encoded: NOTHING_ENCODED,
    remarks: [],
    withheld: null,
  }
  // JIS X 0201 has another sign where ASCII has its tilde and backslash, so that ASCII is not plain
  // in it.
  const isPlain = forAscii[0] !== 'ISO_IR 13'
  const made = new WeakMap<WorklistRow, RowText>()
  const writers = countsBytes ? [fitting, cutting] : [whole(false)]

  function textOf(row: WorklistRow): RowText {
    const values = asked.filter(({ keyword }) => !isPlain || !isAscii(row.values[keyword]))
    if (values.length === 0) return plain
    for (const write of writers) {
      for (const terms of sets) {
        const text = encodeAll(values, row, terms, write)
        if (text) return text
      }
    }
    const text = inLatinLetters(values, row, sets[0] ?? [], countsBytes)
    const other =
      text.withheld && lastResort && encodeAll(values, row, lastResort, writers.at(-1) ?? cutting)
    return other
      ? { ...other, remarks: [message('worklist.sent-in-utf-8'), ...other.remarks] }
      : text
  }

  return (row) => {
    if (row.isAscii && isPlain) return plain
    let text = made.get(row)
    if (!text) {
      text = textOf(row)
      made.set(row, text)
    }
    return text
  }
}

/** Character sets as terms of (0008,0005). */
interface Sets {
  /** Those that the device is known to read, the preferred one first. */
  readonly sets: readonly (readonly string[])[]
  /** For a row that none of them holds in any way. */
  readonly lastResort?: readonly string[]
}

const LATIN_1 = specificCharacterSetFor('ISO_IR 100')
const UTF_8 = specificCharacterSetFor('ISO_IR 192')

function setsFor(deviceSet: CharacterSet | null, declared: readonly string[]): Sets {
  if (deviceSet !== null) return { sets: [specificCharacterSetFor(deviceSet)] }
  // A term that DICOM does not define says nothing of what the device reads.
  if (declared.every((term) => term === '') || !isDefinedCharacterSet(declared))
    return { sets: [LATIN_1], lastResort: UTF_8 }
  const own = specificCharacterSetFor(declared.join('\\'))
  // A device that reads Unicode reads its first 256 characters in one byte each, too.
  return { sets: own.join('\\') === UTF_8.join('\\') ? [own, LATIN_1] : [own] }
}

/** The value's bytes; undefined where the set cannot say it, or has no room for it. */
type Write = (
  attribute: RowTextAttribute,
  value: string,
  terms: readonly string[],
) => Buffer | undefined

const whole =
  (countsBytes: boolean): Write =>
  ({ vr }, value, terms) => {
    const bytes = encodeText(value, terms, vr)
    return bytes && (!countsBytes || hasRoom(value, terms, vr)) ? bytes : undefined
  }

const fitting = whole(true)
const cutting: Write = (attribute, value, terms) =>
  isCuttable(attribute)
    ? cutToBytes(value, terms, attribute.vr as TextVr)
    : fitting(attribute, value, terms)

const isCuttable = ({ keyword, vr }: RowTextAttribute): boolean =>
  vr !== 'PN' && !IDENTIFIERS.has(keyword)

const hasRoom = (value: string, terms: readonly string[], vr: string): boolean =>
  (widthOf(value, terms, vr) ?? 0) <= MOST_IN_VALUE[vr as TextVr]

function encodeAll(
  asked: readonly RowTextAttribute[],
  row: WorklistRow,
  terms: readonly string[],
  write: Write,
): RowText | undefined {
  const encoded = new Map<RowKeyword, Buffer>()
  const cut: string[] = []
  for (const attribute of asked) {
    const { keyword, vr } = attribute
    const value = row.values[keyword]
    const bytes = write(attribute, value, terms)
    if (!bytes) return undefined
    encoded.set(keyword, bytes)
    if (write === cutting && !hasRoom(value, terms, vr)) cut.push(keyword)
  }
  return { characterSet: terms.join('\\'), encoded, remarks: cutRemark(cut), withheld: null }
}

const cutRemark = (cut: readonly string[]): Message[] =>
  cut.length > 0 ? [message('worklist.texts-cut', { keywords: cut.join(', ') })] : []

/** Whether a row was withheld because this device could not be sent it: another might be. */
export const isUnspeakable = (withheld: Message | null): boolean =>
  withheld !== null &&
  ['worklist.no-room', 'worklist.no-room-for-name', 'worklist.not-in-set'].includes(withheld.code)

function inLatinLetters(
  asked: readonly RowTextAttribute[],
  row: WorklistRow,
  terms: readonly string[],
  countsBytes: boolean,
): RowText {
  const encoded = new Map<RowKeyword, Buffer>()
  const changed: string[] = []
  const cut: string[] = []
  const leftOut: string[] = []
  const write = countsBytes ? cutting : whole(false)
  for (const attribute of asked) {
    const { keyword, vr } = attribute
    const value = row.values[keyword]
    const asIs = write(attribute, value, terms)
    const bytes =
      asIs ?? (IDENTIFIERS.has(keyword) ? undefined : latin(attribute, value, terms, write))
    if (!bytes && isExtra(keyword)) {
      encoded.set(keyword, NOTHING)
      leftOut.push(keyword)
      continue
    }
    if (!bytes) {
      const withheld = !encodeText(value, terms, vr)
        ? message('worklist.not-in-set', { keyword })
        : vr === 'PN'
          ? message('worklist.no-room-for-name', { keyword })
          : message('worklist.no-room', { keyword })
      return { characterSet: '', encoded: NOTHING_ENCODED, remarks: [], withheld }
    }
    encoded.set(keyword, bytes)
    if (!asIs) changed.push(keyword)
    else if (countsBytes && !hasRoom(value, terms, vr)) cut.push(keyword)
  }
  const keywords = changed.join(', ')
  const remarks = [
    ...(changed.length === 0
      ? []
      : countsBytes
        ? [message('worklist.in-latin-letters-or-no-room', { keywords })]
        : [message('worklist.in-latin-letters', { keywords })]),
    ...(leftOut.length > 0
      ? [message('worklist.texts-left-out', { keywords: leftOut.join(', ') })]
      : []),
    ...cutRemark(cut),
  ]
  return { characterSet: terms.join('\\'), encoded, remarks, withheld: null }
}

/**
 * Of a name its groups that can be said; else the text in Latin letters, for a name that of its
 * first group that has any.
 */
function latin(
  attribute: RowTextAttribute,
  text: string,
  terms: readonly string[],
  write: Write,
): Buffer | undefined {
  const [alphabetic = '', ...others] = attribute.vr === 'PN' ? text.split('=') : [text]
  const asIs = alphabetic === '' ? undefined : write(attribute, alphabetic, terms)
  if (asIs) return asIs
  for (const group of [alphabetic, ...others]) {
    const letters = group === '' ? undefined : transliterate(group)
    const bytes = letters && write(attribute, letters, terms)
    if (bytes) return bytes
  }
  return undefined
}

/** Text VRs of which a row has attributes. */
export type TextVr = 'LO' | 'PN' | 'SH'

/**
 * PS3.5 Table 6.2-1: characters of a value, of a PN those of each component group; bytes for a
 * console that counts bytes.
 */
export const MOST_IN_VALUE: Readonly<Record<TextVr, number>> = { LO: 64, PN: 64, SH: 16 }

/**
 * Bytes that a value takes in a character set, of a PN those of its longest component group;
 * undefined where the set cannot say it.
 */
export function widthOf(text: string, terms: readonly string[], vr: string): number | undefined {
  if (vr !== 'PN') return encodeText(text, terms, vr)?.length
  // The first group is written by other rules than those after a delimiter (PS3.5 §6.2.1.2).
  const widths = text.split('=').map((group, index) => {
    const bytes = encodeText(index === 0 ? group : `=${group}`, terms, vr)
    return bytes && bytes.length - Math.min(index, 1)
  })
  return widths.reduce(
    (most, width) =>
      most === undefined || width === undefined ? undefined : Math.max(most, width),
    0,
  )
}

const characters = new Intl.Segmenter('und', { granularity: 'grapheme' })

/**
 * As much of a text as a value has room for, in whole characters with their marks; undefined where
 * the set cannot say the text.
 */
export function cutToBytes(text: string, terms: readonly string[], vr: TextVr): Buffer | undefined {
  const starts = [...characters.segment(text)].map(({ index }) => index)
  for (const end of [text.length, ...starts.reverse()]) {
    const bytes = encodeText(text.slice(0, end).trimEnd(), terms, vr)
    if (!bytes || bytes.length <= MOST_IN_VALUE[vr]) return bytes
  }
  return undefined
}
