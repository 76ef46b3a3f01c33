import {
  encodeText,
  isDefinedCharacterSet,
  specificCharacterSetFor,
} from '#server/dicom/character-sets/character-set.ts'
import type { CharacterSet, Device } from '#shared/contract/devices.ts'
import {
  isExtra,
  ROOT_ATTRIBUTES,
  ROW_KEYWORDS,
  type RowKeyword,
  STEP_ATTRIBUTES,
} from './attributes.ts'
import type { WorklistRow } from './row.ts'
import { transliterate } from './transliteration.ts'
import { cutToBytes, MOST_IN_VALUE, type TextVr, widthOf } from './width.ts'

/** Values of a row that are not of the default repertoire, as bytes, in one character set. */
export interface RowText {
  /** Value of (0008,0005), '' where it is omitted. */
  readonly characterSet: string
  /** Encoded values by keyword; a value that is not here is plain ASCII. */
  readonly encoded: ReadonlyMap<RowKeyword, Buffer>
  readonly remark: string
  /** Why this device cannot have the row; '' where it can. */
  readonly withheld: string
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
// biome-ignore lint/suspicious/noControlCharactersInRegex: the default repertoire is all of ASCII
const ASCII = /^[\x00-\x7f]*$/

/**
 * How rows get their bytes for one query (dicom-field §3.4): in the device's set; without one, in
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
    remark: '',
    withheld: '',
  }
  // JIS X 0201 has another sign where ASCII has its tilde and backslash, so that ASCII is not plain
  // in it.
  const isPlain = forAscii[0] !== 'ISO_IR 13'
  const made = new WeakMap<WorklistRow, RowText>()
  const writers = countsBytes ? [fitting, cutting] : [whole(false)]

  function textOf(row: WorklistRow): RowText {
    const values = asked.filter(({ keyword }) => !isPlain || !ASCII.test(row.values[keyword]))
    if (values.length === 0) return plain
    for (const write of writers) {
      for (const terms of sets) {
        const text = encodeAll(values, row, terms, write)
        if (text) return text
      }
    }
    const text = inLatinLetters(values, row, sets[0] ?? [], countsBytes)
    const other =
      text.withheld === ''
        ? undefined
        : lastResort && encodeAll(values, row, lastResort, writers.at(-1) ?? cutting)
    return other
      ? { ...other, remark: [UNDECLARED, other.remark].filter(Boolean).join('; ') }
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
const UNDECLARED =
  'sent in UTF-8: the device declares no character set, and there is no form in Latin letters'

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
  return { characterSet: terms.join('\\'), encoded, remark: cutWords(cut), withheld: '' }
}

const cutWords = (cut: readonly string[]): string =>
  cut.length > 0 ? `${cut.join(', ')} cut: the device counts bytes, and has no room for more` : ''

const NO_ROOM = 'takes more bytes than this device has room for'
const UNSPEAKABLE = 'cannot be written in the character set of this device, nor in Latin letters'
/** Whether a row was withheld because this device could not have been told it: another might be. */
export const isUnspeakable = (withheld: string): boolean =>
  withheld.includes(NO_ROOM) || withheld.includes(UNSPEAKABLE)

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
      const why = encodeText(value, terms, vr)
        ? `${NO_ROOM}${vr === 'PN' ? ', also in Latin letters' : ''}`
        : UNSPEAKABLE
      return {
        characterSet: '',
        encoded: NOTHING_ENCODED,
        remark: '',
        withheld: `its ${keyword} ${why}`,
      }
    }
    encoded.set(keyword, bytes)
    if (!asIs) changed.push(keyword)
    else if (countsBytes && !hasRoom(value, terms, vr)) cut.push(keyword)
  }
  const why = `the device’s character set lacks its own${countsBytes ? ', or the device has no room for it' : ''}`
  const remark = [
    changed.length > 0 ? `${changed.join(', ')} sent in Latin letters: ${why}` : '',
    leftOut.length > 0 ? `${leftOut.join(', ')} sent empty: it ${UNSPEAKABLE}` : '',
    cutWords(cut),
  ]
    .filter(Boolean)
    .join('; ')
  return { characterSet: terms.join('\\'), encoded, remark, withheld: '' }
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
