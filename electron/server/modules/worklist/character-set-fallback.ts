import { AFFECTED_VRS, candidateSets } from '#server/dicom/character-sets/candidate-sets.ts'
import { encodeText, specificCharacterSetFor } from '#server/dicom/character-sets/character-set.ts'
import { isAscii } from '#server/dicom/character-sets/default-repertoire.ts'
import type { CharacterSet, Device } from '#shared/contract/devices.ts'
import { type Message, message } from '#shared/messages/message.ts'
import {
  isExtraKeyword,
  ROOT_ATTRIBUTES,
  ROW_KEYWORDS,
  type RowKeyword,
  STEP_ATTRIBUTES,
} from './attributes.ts'
import type { WorklistRow } from './row.ts'
import { transliterate } from './transliteration.ts'

/**
 * The encoded values of a row in one character set; those in the default repertoire are left out.
 */
export interface RowText {
  /** Value of Specific Character Set (0008,0005); '' if it is omitted. */
  readonly characterSet: string
  /** Encoded values by keyword. A value without an entry is plain ASCII. */
  readonly encoded: ReadonlyMap<RowKeyword, Buffer>
  readonly remarks: readonly Message[]
  /** Why this device cannot be sent the row; null if it can. */
  readonly withheld: Message | null
}

export interface CharacterSetPolicy {
  /** The device's character set; null to choose one for each row. */
  readonly deviceSet: CharacterSet | null
  /** Send Specific Character Set (0008,0005) with ASCII rows too. */
  readonly always: boolean
  /** The device counts the maximum lengths of PS3.5 Table 6.2-1 in bytes instead of characters. */
  readonly countsBytes: boolean
  /** The defined terms that the query declared. */
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

/** Every attribute of a row to which Specific Character Set applies. */
export const TEXT_KEYWORDS: readonly RowTextAttribute[] = [
  ...ROOT_ATTRIBUTES.values(),
  ...STEP_ATTRIBUTES.values(),
].flatMap(({ keyword, vr, source }) => {
  const keywordOfRow = ROW_KEYWORDS.find((name) => name === keyword)
  return keywordOfRow && source === 'row' && AFFECTED_VRS.has(vr)
    ? [{ keyword: keywordOfRow, vr }]
    : []
})

/** Identifiers are sent unchanged or not at all. */
const IDENTIFIER_KEYWORDS: ReadonlySet<RowKeyword> = new Set([
  ...([
    'PatientID',
    'AccessionNumber',
    'ScheduledProcedureStepID',
    'RequestedProcedureID',
  ] as const),
  ...(['AdmissionID', 'OtherPatientIDs'] as const),
])

const NO_BYTES = Buffer.alloc(0)
const NO_ENCODED_VALUES: ReadonlyMap<RowKeyword, Buffer> = new Map()

/**
 * Returns the function that encodes rows for one query. It uses the device's character set;
 * otherwise the set that the query declares; otherwise ISO_IR 100. Text that the set cannot
 * represent is transliterated to Latin letters. If that is not possible either, the row is
 * withheld; a device with no known character set is sent it in ISO_IR 192 as a last resort.
 * Substitute characters are never used.
 *
 * For a device that counts bytes, descriptions are truncated if no set encodes them in the
 * available length, a name that is too long is sent completely in Latin letters, and identifiers
 * are never truncated.
 * @param asked the text attributes to be returned
 */
export function rowEncoder(
  asked: readonly RowTextAttribute[],
  policy: CharacterSetPolicy,
): (row: WorklistRow) => RowText {
  const { deviceSet, always, countsBytes, declared } = policy
  const { sets, lastResort } = candidateSets(deviceSet, declared)
  const forAscii = always ? specificCharacterSetFor(deviceSet ?? 'ISO_IR 100') : []
  const plain: RowText = {
    characterSet: forAscii.join('\\'),
    encoded: NO_ENCODED_VALUES,
    remarks: [],
    withheld: null,
  }
  // JIS X 0201 has other characters in place of the tilde and backslash of ASCII, so ASCII text has
  // to be encoded too.
  const isPlain = forAscii[0] !== 'ISO_IR 13'
  const cache = new WeakMap<WorklistRow, RowText>()
  const encoders = countsBytes ? [encodeFitting, encodeTruncated] : [encodeWhole(false)]

  function textOf(row: WorklistRow): RowText {
    const values = asked.filter(({ keyword }) => !isPlain || !isAscii(row.values[keyword]))
    if (values.length === 0) return plain
    for (const encode of encoders) {
      for (const terms of sets) {
        const text = encodeAll(values, row, terms, encode)
        if (text) return text
      }
    }
    const text = encodeTransliterated(values, row, sets[0] ?? [], countsBytes)
    const other =
      text.withheld &&
      lastResort &&
      encodeAll(values, row, lastResort, encoders.at(-1) ?? encodeTruncated)
    return other
      ? { ...other, remarks: [message('worklist.sent-in-utf-8'), ...other.remarks] }
      : text
  }

  return (row) => {
    if (row.isAscii && isPlain) return plain
    let text = cache.get(row)
    if (!text) {
      text = textOf(row)
      cache.set(row, text)
    }
    return text
  }
}

/** Encodes a value; undefined if the set cannot represent it or the value is too long. */
type EncodeValue = (
  attribute: RowTextAttribute,
  value: string,
  terms: readonly string[],
) => Buffer | undefined

const encodeWhole =
  (countsBytes: boolean): EncodeValue =>
  ({ vr }, value, terms) => {
    const bytes = encodeText(value, terms, vr)
    return bytes && (!countsBytes || fits(value, terms, vr)) ? bytes : undefined
  }

const encodeFitting = encodeWhole(true)
const encodeTruncated: EncodeValue = (attribute, value, terms) =>
  isTruncatable(attribute)
    ? truncateToBytes(value, terms, attribute.vr as TextVr)
    : encodeFitting(attribute, value, terms)

const isTruncatable = ({ keyword, vr }: RowTextAttribute): boolean =>
  vr !== 'PN' && !IDENTIFIER_KEYWORDS.has(keyword)

const fits = (value: string, terms: readonly string[], vr: string): boolean =>
  (encodedLength(value, terms, vr) ?? 0) <= MAX_VALUE_LENGTH[vr as TextVr]

function encodeAll(
  asked: readonly RowTextAttribute[],
  row: WorklistRow,
  terms: readonly string[],
  encode: EncodeValue,
): RowText | undefined {
  const encoded = new Map<RowKeyword, Buffer>()
  const truncated: string[] = []
  for (const attribute of asked) {
    const { keyword, vr } = attribute
    const value = row.values[keyword]
    const bytes = encode(attribute, value, terms)
    if (!bytes) return undefined
    encoded.set(keyword, bytes)
    if (encode === encodeTruncated && !fits(value, terms, vr)) truncated.push(keyword)
  }
  return {
    characterSet: terms.join('\\'),
    encoded,
    remarks: truncationRemark(truncated),
    withheld: null,
  }
}

const truncationRemark = (truncated: readonly string[]): Message[] =>
  truncated.length > 0 ? [message('worklist.texts-cut', { keywords: truncated.join(', ') })] : []

/**
 * Whether a row was withheld only because this device cannot be sent it; another device might be.
 */
export const isEncodingFailure = (withheld: Message | null): boolean =>
  withheld !== null &&
  ['worklist.no-room', 'worklist.no-room-for-name', 'worklist.not-in-set'].includes(withheld.code)

function encodeTransliterated(
  asked: readonly RowTextAttribute[],
  row: WorklistRow,
  terms: readonly string[],
  countsBytes: boolean,
): RowText {
  const encoded = new Map<RowKeyword, Buffer>()
  const changed: string[] = []
  const truncated: string[] = []
  const omitted: string[] = []
  const encode = countsBytes ? encodeTruncated : encodeWhole(false)
  for (const attribute of asked) {
    const { keyword, vr } = attribute
    const value = row.values[keyword]
    const asIs = encode(attribute, value, terms)
    const bytes =
      asIs ??
      (IDENTIFIER_KEYWORDS.has(keyword)
        ? undefined
        : encodeInLatin(attribute, value, terms, encode))
    if (!bytes && isExtraKeyword(keyword)) {
      encoded.set(keyword, NO_BYTES)
      omitted.push(keyword)
      continue
    }
    if (!bytes) {
      const withheld = !encodeText(value, terms, vr)
        ? message('worklist.not-in-set', { keyword })
        : vr === 'PN'
          ? message('worklist.no-room-for-name', { keyword })
          : message('worklist.no-room', { keyword })
      return { characterSet: '', encoded: NO_ENCODED_VALUES, remarks: [], withheld }
    }
    encoded.set(keyword, bytes)
    if (!asIs) changed.push(keyword)
    else if (countsBytes && !fits(value, terms, vr)) truncated.push(keyword)
  }
  const keywords = changed.join(', ')
  const remarks = [
    ...(changed.length === 0
      ? []
      : countsBytes
        ? [message('worklist.in-latin-letters-or-no-room', { keywords })]
        : [message('worklist.in-latin-letters', { keywords })]),
    ...(omitted.length > 0
      ? [message('worklist.texts-left-out', { keywords: omitted.join(', ') })]
      : []),
    ...truncationRemark(truncated),
  ]
  return { characterSet: terms.join('\\'), encoded, remarks, withheld: null }
}

/**
 * For a name: the alphabetic group as it is, otherwise the first group that can be transliterated.
 * For other text: its transliteration.
 */
function encodeInLatin(
  attribute: RowTextAttribute,
  text: string,
  terms: readonly string[],
  encode: EncodeValue,
): Buffer | undefined {
  const [alphabetic = '', ...others] = attribute.vr === 'PN' ? text.split('=') : [text]
  const asIs = alphabetic === '' ? undefined : encode(attribute, alphabetic, terms)
  if (asIs) return asIs
  for (const group of [alphabetic, ...others]) {
    const letters = group === '' ? undefined : transliterate(group)
    const bytes = letters && encode(attribute, letters, terms)
    if (bytes) return bytes
  }
  return undefined
}

/** Text VRs among the attributes of a row. */
export type TextVr = 'LO' | 'PN' | 'SH'

/**
 * Maximum value lengths of PS3.5 Table 6.2-1: in characters, or in bytes for a device that counts
 * bytes. For PN they apply to each component group.
 */
export const MAX_VALUE_LENGTH: Readonly<Record<TextVr, number>> = { LO: 64, PN: 64, SH: 16 }

/**
 * Length in bytes of an encoded value, or of the longest component group of a PN; undefined if the
 * set cannot represent the text.
 */
export function encodedLength(
  text: string,
  terms: readonly string[],
  vr: string,
): number | undefined {
  if (vr !== 'PN') return encodeText(text, terms, vr)?.length
  // The first group is encoded by other rules than those after a delimiter (PS3.5 §6.2.1.2).
  const lengths = text.split('=').map((group, index) => {
    const bytes = encodeText(index === 0 ? group : `=${group}`, terms, vr)
    return bytes && bytes.length - Math.min(index, 1)
  })
  return lengths.reduce(
    (most, length) =>
      most === undefined || length === undefined ? undefined : Math.max(most, length),
    0,
  )
}

const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' })

/**
 * Encodes as much of a text as fits into a value, without splitting grapheme clusters; undefined if
 * the set cannot represent the text.
 */
export function truncateToBytes(
  text: string,
  terms: readonly string[],
  vr: TextVr,
): Buffer | undefined {
  const starts = [...graphemes.segment(text)].map(({ index }) => index)
  for (const end of [text.length, ...starts.reverse()]) {
    const bytes = encodeText(text.slice(0, end).trimEnd(), terms, vr)
    if (!bytes || bytes.length <= MAX_VALUE_LENGTH[vr]) return bytes
  }
  return undefined
}
