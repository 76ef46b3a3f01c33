import { decodeText } from '#server/dicom/character-sets/character-set.ts'
import type { DataSet, Element } from '#server/dicom/data-set/coding.ts'
import { readDataSet } from '#server/dicom/data-set/data-set.ts'
import { withoutPadding } from '#server/dicom/data-set/vr.ts'
import type { EncodedIdentifiers } from '#server/dicom/dimse/service.ts'
import { declaredTerms, SPECIFIC_CHARACTER_SET } from '#server/dicom/matching/key-text.ts'
import type { DeviceProfile, LintFinding } from '#shared/contract/devices.ts'
import { isDa, TM_PATTERN, Uid } from '#shared/dicom-values.ts'
import { type Message, message } from '#shared/messages/message.ts'
import {
  type Attribute,
  PATIENT_ID,
  PATIENT_NAME,
  ROOT_ATTRIBUTES,
  SCHEDULED_PROCEDURE_STEP_SEQUENCE,
  START_DATE,
  START_TIME,
  STEP_ATTRIBUTES,
} from './attributes.ts'
import { encodedLength, MAX_VALUE_LENGTH } from './character-set-fallback.ts'

/** A violation of a rule. */
export interface Fault {
  readonly severity: LintFinding['severity']
  readonly tag: number
  /** What is wrong with the value and how to correct it. */
  readonly text: Message
}

/** What the rules need besides the row itself. */
export interface ListFacts {
  readonly countsBytes: boolean
  /**
   * Study Instance UIDs of the list by step ID, step IDs of the list by Study Instance UID, and
   * step IDs by Study Instance UID as last sent to the device.
   */
  readonly studiesOf: ReadonlyMap<string, ReadonlySet<string>>
  readonly stepsOf: ReadonlyMap<string, ReadonlySet<string>>
  readonly stepsBefore: ReadonlyMap<string, ReadonlySet<string>>
}

/** A published rule about what a modality accepts. */
export interface ConsoleRule {
  /** The document and section. */
  readonly source: string
  readonly check: (row: SentRow, facts: ListFacts) => Iterable<Fault>
}

/**
 * The rules of a profile, and whether the modality discards the rest of the list at the first row
 * it rejects.
 */
export interface ConsoleProfile {
  readonly source: string
  readonly rules: readonly ConsoleRule[]
  readonly stopsAtRefusedRow: boolean
}

const STEP_ID = 0x00400009
const STUDY_UID_TAG = 0x0020000d
const ATTRIBUTES: readonly Attribute[] = [...ROOT_ATTRIBUTES.values(), ...STEP_ATTRIBUTES.values()]
const textOf = ({ values }: SentRow, tag: number): string => values.get(tag)?.text ?? ''
const refused = (tag: number, text: Message): Fault => ({ severity: 'refused', tag, text })
const alteredFault = (tag: number, text: Message): Fault => ({ severity: 'altered', tag, text })

/** Type 1C pairs: either the text or the code sequence is required. */
const TEXT_OR_CODES: readonly (readonly [number, number])[] = [
  [0x00400007, 0x00400008],
  [0x00321060, 0x00321064],
]
const TABLE_K_6_1: ConsoleRule = {
  source: 'PS3.4 Table K.6-1',
  *check(row) {
    if (row.steps !== 1)
      yield refused(
        SCHEDULED_PROCEDURE_STEP_SEQUENCE,
        message('worklist.rule-items', { count: row.steps }),
      )
    for (const { tag, type } of ATTRIBUTES) {
      const isPresent = row.values.has(tag)
      if (type === '1' && textOf(row, tag) === '')
        yield refused(tag, message('worklist.rule-type-1'))
      else if (type === '2' && !isPresent) yield refused(tag, message('worklist.rule-type-2'))
    }
    for (const [text, codes] of TEXT_OR_CODES) {
      if (textOf(row, text) === '' && !row.values.has(codes))
        yield refused(text, message('worklist.rule-no-code'))
    }
  },
}

interface VrRule {
  readonly isValid: (text: string) => boolean
  readonly description: Message
}
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it refuses
const isText = (text: string): boolean => !/[\u0000-\u001f\u007f-\u009f\\]/.test(text)
const matchesPattern =
  (pattern: RegExp) =>
  (text: string): boolean =>
    pattern.test(text)
const TEXT_RULE: VrRule = {
  isValid: isText,
  description: message('worklist.rule-text'),
}
/** Repertoire and format of each VR (PS3.5 Table 6.2-1). */
const VR_RULES: Readonly<Record<string, VrRule>> = {
  AE: {
    isValid: matchesPattern(/^[\x20-\x5b\x5d-\x7e]{1,16}$/),
    description: message('worklist.rule-ae-title'),
  },
  AS: { isValid: matchesPattern(/^\d{3}[DWMY]$/), description: message('worklist.rule-age') },
  CS: {
    isValid: matchesPattern(/^[A-Z0-9_ ]{1,16}$/),
    description: message('worklist.rule-code'),
  },
  DA: { isValid: isDa, description: message('worklist.rule-date') },
  DS: {
    isValid: matchesPattern(/^(?=.{1,16}$)[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/),
    description: message('worklist.rule-number'),
  },
  TM: { isValid: matchesPattern(TM_PATTERN), description: message('worklist.rule-time') },
  UI: {
    isValid: (text) => Uid.safeParse(text).success,
    description: message('worklist.rule-uid'),
  },
  LO: TEXT_RULE,
  SH: TEXT_RULE,
  PN: {
    isValid: (text) =>
      isText(text) &&
      text.split('=').length <= 3 &&
      text.split('=').every((group) => group.split('^').length <= 5),
    description: message('worklist.rule-name'),
  },
}

/**
 * Repertoire, format and length. The bytes must be valid in the character set that the row declares
 * (PS3.5 §6.1).
 */
const TABLE_6_2_1: ConsoleRule = {
  source: 'PS3.5 Table 6.2-1',
  *check({ values, terms }, { countsBytes }) {
    if (values.has(SPECIFIC_CHARACTER_SET) && terms.length === 0)
      yield refused(SPECIFIC_CHARACTER_SET, message('worklist.rule-character-set'))
    for (const value of values.values()) {
      if (value.text === '') continue
      const rule = VR_RULES[value.vr]
      if (!value.isExact) yield refused(value.tag, message('worklist.rule-bytes'))
      else if (rule && !rule.isValid(value.text))
        yield refused(value.tag, message('worklist.rule-for-partner', { fault: rule.description }))
      yield* checkLength(value, terms, countsBytes)
    }
  },
}

function* checkLength(
  { tag, vr, text }: SentValue,
  terms: readonly string[],
  countsBytes: boolean,
): Generator<Fault, void, void> {
  const maxLength = (MAX_VALUE_LENGTH as Readonly<Record<string, number>>)[vr]
  if (maxLength === undefined) return
  const length = Math.max(
    ...(vr === 'PN' ? text.split('=') : [text]).map((group) => [...group].length),
  )
  const width = countsBytes ? (encodedLength(text, terms, vr) ?? 0) : 0
  if (length > maxLength)
    yield refused(tag, message('worklist.rule-length', { length, most: maxLength }))
  else if (width > maxLength)
    yield alteredFault(tag, message('worklist.rule-width', { width, most: maxLength }))
}

/** Formats stricter than PS3.5 (GE DOC0500644, p. 84). */
const EXACT_FORMATS: readonly (readonly [number, RegExp, Message])[] = [
  [START_DATE, /^\d{8}$/, message('worklist.rule-exact-date')],
  [START_TIME, /^\d{6}$/, message('worklist.rule-exact-time')],
]
const RECORD_ACCEPTANCE: ConsoleRule = {
  source: 'GE DOC0500644 rev 4, §6.3.1.2.1.2.2',
  *check(row) {
    for (const [tag, form, description] of EXACT_FORMATS) {
      const text = textOf(row, tag)
      if (text !== '' && !form.test(text)) yield refused(tag, description)
    }
  },
}

/** Maximum number of characters that the modality displays or stores (GE DOC0500644, p. 99). */
const DISPLAY_LIMITS: readonly (readonly [number, number, Message])[] = [
  [PATIENT_NAME, 32, message('worklist.console-shows-32')],
  [PATIENT_ID, 16, message('worklist.console-holds-16')],
]
const DISPLAY_LENGTHS: ConsoleRule = {
  source: 'GE DOC0500644 rev 4, p. 99',
  *check(row) {
    for (const [tag, most, description] of DISPLAY_LIMITS) {
      const { length } = [...textOf(row, tag)]
      if (length > most)
        yield alteredFault(tag, message('worklist.rule-shown', { length, words: description }))
    }
  },
}

/**
 * The modality identifies an exam by its step ID alone, and creates a new exam when the ID changes.
 */
const STEP_ID_RULE: ConsoleRule = {
  source: 'Philips XPR 031-090167, p. 24',
  *check(row, { studiesOf, stepsOf, stepsBefore }) {
    const [step, study] = [textOf(row, STEP_ID), textOf(row, STUDY_UID_TAG)]
    if ((studiesOf.get(step)?.size ?? 0) > 1) {
      yield refused(STEP_ID, message('worklist.rule-step-of-two-studies'))
    }
    const before = stepsBefore.get(study)
    const isGone = (other: string) => !stepsOf.get(study)?.has(other)
    if (before && !before.has(step) && [...before].some(isGone)) {
      yield alteredFault(STEP_ID, message('worklist.rule-step-changed'))
    }
  },
}

/** The rules of each device profile and their source. */
export const CONSOLE_PROFILES: Readonly<Record<DeviceProfile, ConsoleProfile>> = {
  standard: {
    source: 'DICOM PS3.4 Table K.6-1 and PS3.5 Table 6.2-1',
    rules: [TABLE_K_6_1, TABLE_6_2_1],
    stopsAtRefusedRow: false,
  },
  // At the first row that violates a rule the modality cancels, aborts, and keeps the rows before
  // it.
  ge: {
    source: 'GE DOC0500644 rev 4, p. 84 (record acceptance policy) and p. 99',
    rules: [TABLE_K_6_1, TABLE_6_2_1, RECORD_ACCEPTANCE, DISPLAY_LENGTHS],
    stopsAtRefusedRow: true,
  },
  philips: {
    source: 'Philips XPR 031-090167, p. 24',
    rules: [TABLE_K_6_1, TABLE_6_2_1, STEP_ID_RULE],
    stopsAtRefusedRow: false,
  },
}

/** An element of an identifier, decoded from its bytes. */
export interface SentValue {
  readonly tag: number
  readonly vr: string
  /** Decoded, without padding; '' for a sequence. */
  readonly text: string
  /** Whether every byte is valid in the character set that the identifier declares. */
  readonly isExact: boolean
}

/** An identifier as a modality decodes it. */
export interface SentRow {
  /**
   * By tag, including the attributes of the step; no attribute of PS3.4 Table K.6-1 occurs in both.
   */
  readonly values: ReadonlyMap<number, SentValue>
  /** Number of items of Scheduled Procedure Step Sequence (0040,0100). */
  readonly steps: number
  /** (0008,0005) as sent. */
  readonly terms: readonly string[]
}

/** Decodes the identifiers of a batch one by one. */
export function* sentRows(
  { bytes, ends }: EncodedIdentifiers,
  transferSyntax: string,
): Generator<SentRow, void, void> {
  for (const [index, end] of ends.entries())
    yield decodeSentRow(readDataSet(bytes.subarray(ends[index - 1] ?? 0, end), transferSyntax))
}

export function decodeSentRow(root: DataSet): SentRow {
  const terms = declaredTerms(root)
  const sequence = root.find(({ tag }) => tag === SCHEDULED_PROCEDURE_STEP_SEQUENCE)?.value
  const steps =
    sequence === undefined || Buffer.isBuffer(sequence) ? [] : (sequence as readonly DataSet[])
  const elements = [...root, ...(steps[0] ?? [])]
  return {
    values: new Map(elements.map((element) => [element.tag, decodeSentValue(element, terms)])),
    steps: steps.length,
    terms,
  }
}

function decodeSentValue({ tag, vr, value }: Element, terms: readonly string[]): SentValue {
  if (!Buffer.isBuffer(value)) return { tag, vr, text: '', isExact: true }
  const { text, isExact } = decodeText(value, terms, vr)
  return { tag, vr, text: withoutPadding(text), isExact }
}
