import { encodeText, specificCharacterSetFor } from '#gateway/dimse/character-set.ts'
import type { CharacterSet } from '#shared/contract/devices.ts'
import type { RowKeyword } from './attributes.ts'
import type { WorklistRow } from './row.ts'
import { transliterate } from './transliteration.ts'

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
  /** Terms that the query declared. */
  readonly declared: readonly string[]
}

/** VRs to which Specific Character Set applies (PS3.5 §6.1.2.3). */
export const AFFECTED_VRS: ReadonlySet<string> = new Set(['LO', 'LT', 'PN', 'SH', 'ST', 'UC', 'UT'])
/** Identifiers are sent as they are or not at all. */
const IDENTIFIERS: ReadonlySet<RowKeyword> = new Set(['PatientID', 'AccessionNumber', 'ScheduledProcedureStepID', 'RequestedProcedureID'])

const NOTHING_ENCODED: ReadonlyMap<RowKeyword, Buffer> = new Map()
// biome-ignore lint/suspicious/noControlCharactersInRegex: the default repertoire is all of ASCII
const ASCII = /^[\x00-\x7f]*$/

/**
 * How rows get their bytes for one query (dicom-field §3.4): the device's set; without one, the set the query declared where it can say the
 * row, then ISO_IR 100, then ISO_IR 192. For a device whose set cannot say it, in Latin letters; where that is not possible either, the
 * row is withheld. Never a substitute character.
 * @param asked the text attributes to be returned
 */
export function repertoireFor(
  asked: readonly { readonly keyword: RowKeyword; readonly vr: string }[],
  { deviceSet, always, declared }: CharacterSetPolicy,
): (row: WorklistRow) => RowText {
  const sets = setsFor(deviceSet, declared)
  const forAscii = always ? specificCharacterSetFor(deviceSet ?? 'ISO_IR 100') : []
  const plain: RowText = { characterSet: forAscii.join('\\'), encoded: NOTHING_ENCODED, remark: '', withheld: '' }
  // JIS X 0201 has another sign where ASCII has its tilde and backslash, so that ASCII is not plain in it.
  const isPlain = forAscii[0] !== 'ISO_IR 13'
  const made = new WeakMap<WorklistRow, RowText>()

  function textOf(row: WorklistRow): RowText {
    const values = asked.filter(({ keyword }) => !isPlain || !ASCII.test(row.values[keyword]))
    if (values.length === 0) return plain
    for (const terms of sets) {
      const encoded = encodeAll(values, row, terms)
      if (encoded) return { characterSet: terms.join('\\'), encoded, remark: '', withheld: '' }
    }
    return inLatinLetters(values, row, sets[0] ?? [])
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

function setsFor(deviceSet: CharacterSet | null, declared: readonly string[]): readonly (readonly string[])[] {
  if (deviceSet !== null) return [specificCharacterSetFor(deviceSet)]
  return [...(declared.length > 0 ? [declared] : []), specificCharacterSetFor('ISO_IR 100'), specificCharacterSetFor('ISO_IR 192')]
}

type Asked = readonly { readonly keyword: RowKeyword; readonly vr: string }[]

function encodeAll(asked: Asked, row: WorklistRow, terms: readonly string[]): ReadonlyMap<RowKeyword, Buffer> | undefined {
  const encoded = new Map<RowKeyword, Buffer>()
  for (const { keyword, vr } of asked) {
    const bytes = encodeText(row.values[keyword], terms, vr)
    if (!bytes) return undefined
    encoded.set(keyword, bytes)
  }
  return encoded
}

function inLatinLetters(asked: Asked, row: WorklistRow, terms: readonly string[]): RowText {
  const encoded = new Map<RowKeyword, Buffer>()
  const changed: string[] = []
  for (const { keyword, vr } of asked) {
    const asIs = encodeText(row.values[keyword], terms, vr)
    const bytes = asIs ?? (IDENTIFIERS.has(keyword) ? undefined : latin(row.values[keyword], terms, vr))
    if (!bytes) {
      const withheld = `its ${keyword} cannot be written in the character set of this device, nor in Latin letters`
      return { characterSet: '', encoded: NOTHING_ENCODED, remark: '', withheld }
    }
    encoded.set(keyword, bytes)
    if (!asIs) changed.push(keyword)
  }
  const remark = `${changed.join(', ')} sent in Latin letters: the device’s character set lacks its own`
  return { characterSet: terms.join('\\'), encoded, remark, withheld: '' }
}

/** Of a name its groups that can be said; else the text in Latin letters, for a name that of its first group that has any. */
function latin(text: string, terms: readonly string[], vr: string): Buffer | undefined {
  const [alphabetic = '', ...others] = vr === 'PN' ? text.split('=') : [text]
  const asIs = alphabetic === '' ? undefined : encodeText(alphabetic, terms, vr)
  if (asIs) return asIs
  for (const group of [alphabetic, ...others]) {
    const letters = group === '' ? undefined : transliterate(group)
    const bytes = letters && encodeText(letters, terms, vr)
    if (bytes) return bytes
  }
  return undefined
}
