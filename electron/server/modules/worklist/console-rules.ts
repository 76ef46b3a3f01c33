import type { DeviceProfile, LintFinding } from '#shared/contract/devices.ts'
import { isDa, TM_PATTERN, Uid } from '#shared/dicom-values.ts'
import {
  type Attribute,
  PATIENT_ID,
  PATIENT_NAME,
  ROOT_ATTRIBUTES,
  SCHEDULED_PROCEDURE_STEP_SEQUENCE,
  SPECIFIC_CHARACTER_SET,
  START_DATE,
  START_TIME,
  STEP_ATTRIBUTES,
} from './attributes.ts'
import type { SentRow, SentValue } from './sent-row.ts'
import { MOST_IN_VALUE, widthOf } from './width.ts'

/** What a rule finds. */
export interface Fault {
  readonly severity: LintFinding['severity']
  readonly tag: number
  /** The value's fault, and what to do. */
  readonly text: string
}

/** What a rule needs to know beside the row. */
export interface RuleContext {
  readonly countsBytes: boolean
  /**
   * Study Instance UIDs of the list by step id, and step ids by Study Instance UID: now, and as the
   * device was last sent them.
   */
  readonly studiesOf: ReadonlyMap<string, ReadonlySet<string>>
  readonly stepsOf: ReadonlyMap<string, ReadonlySet<string>>
  readonly stepsBefore: ReadonlyMap<string, ReadonlySet<string>>
}

/** A published rule of what a console takes. */
export interface ConsoleRule {
  /** Where it is published. */
  readonly source: string
  readonly check: (row: SentRow, context: RuleContext) => Iterable<Fault>
}

/**
 * Rules of a profile, and whether the console drops the rest of the list at the first row it
 * refuses.
 */
export interface ConsoleProfile {
  readonly source: string
  readonly rules: readonly ConsoleRule[]
  readonly stopsAtRefused: boolean
}

const STEP_ID = 0x00400009
const STUDY = 0x0020000d
const ATTRIBUTES: readonly Attribute[] = [...ROOT_ATTRIBUTES.values(), ...STEP_ATTRIBUTES.values()]
const textOf = ({ values }: SentRow, tag: number): string => values.get(tag)?.text ?? ''
const refused = (tag: number, text: string): Fault => ({ severity: 'refused', tag, text })
const altered = (tag: number, text: string): Fault => ({ severity: 'altered', tag, text })

/** Type 1C: the text, or else the codes. */
const EITHER: readonly (readonly [number, number])[] = [
  [0x00400007, 0x00400008],
  [0x00321060, 0x00321064],
]
const K_6_1: ConsoleRule = {
  source: 'PS3.4 Table K.6-1',
  *check(row) {
    if (row.steps !== 1)
      yield refused(
        SCHEDULED_PROCEDURE_STEP_SEQUENCE,
        `has ${row.steps} items; a row has exactly one`,
      )
    for (const { tag, type } of ATTRIBUTES) {
      const isThere = row.values.has(tag)
      if (type === '1' && textOf(row, tag) === '')
        yield refused(tag, 'is empty and has to have a value (type 1): the partner has to send it')
      else if (type === '2' && !isThere)
        yield refused(tag, 'is missing; it has to be there, if without a value (type 2)')
    }
    for (const [text, codes] of EITHER) {
      if (textOf(row, text) === '' && !row.values.has(codes))
        yield refused(text, 'is empty and there is no code either: the partner has to send it')
    }
  },
}

interface VrRule {
  readonly is: (text: string) => boolean
  readonly words: string
}
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it refuses
const isText = (text: string): boolean => !/[\u0000-\u001f\u007f-\u009f\\]/.test(text)
const matching =
  (pattern: RegExp) =>
  (text: string): boolean =>
    pattern.test(text)
const TEXT: VrRule = {
  is: isText,
  words: 'holds a control character or a backslash, which divides it into two values',
}
/** PS3.5 Table 6.2-1: repertoire and form. */
const VR_RULES: Readonly<Record<string, VrRule>> = {
  AE: {
    is: matching(/^[\x20-\x5b\x5d-\x7e]{1,16}$/),
    words: 'is no AE title: 1 to 16 ASCII characters without a backslash',
  },
  AS: { is: matching(/^\d{3}[DWMY]$/), words: 'is no age: three digits and D, W, M or Y' },
  CS: {
    is: matching(/^[A-Z0-9_ ]{1,16}$/),
    words: 'is no code: at most 16 capitals, digits, spaces and underscores',
  },
  DA: { is: isDa, words: 'is no date: YYYYMMDD' },
  DS: {
    is: matching(/^(?=.{1,16}$)[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/),
    words: 'is no decimal number of at most 16 characters',
  },
  TM: { is: matching(TM_PATTERN), words: 'is no time: HHMMSS' },
  UI: {
    is: (text) => Uid.safeParse(text).success,
    words: 'is no UID: at most 64 digits and dots, no component empty or with a leading zero',
  },
  LO: TEXT,
  SH: TEXT,
  PN: {
    is: (text) =>
      isText(text) &&
      text.split('=').length <= 3 &&
      text.split('=').every((group) => group.split('^').length <= 5),
    words:
      'is no name: at most three groups of five components, without control characters and backslashes',
  },
}

/**
 * Repertoire, form and length; the bytes have to mean something in the set that the row names
 * (PS3.5 §6.1).
 */
const TABLE_6_2_1: ConsoleRule = {
  source: 'PS3.5 Table 6.2-1',
  *check({ values, terms }, { countsBytes }) {
    if (values.has(SPECIFIC_CHARACTER_SET) && terms.length === 0)
      yield refused(SPECIFIC_CHARACTER_SET, 'is empty; it has a value or is absent')
    for (const value of values.values()) {
      if (value.text === '') continue
      if (!value.isExact)
        yield refused(
          value.tag,
          'holds bytes that mean nothing in its character set: check the character set of the device',
        )
      else if (VR_RULES[value.vr]?.is(value.text) === false)
        yield refused(value.tag, `${VR_RULES[value.vr]?.words}; the partner has to correct it`)
      yield* tooLong(value, terms, countsBytes)
    }
  },
}

function* tooLong(
  { tag, vr, text }: SentValue,
  terms: readonly string[],
  countsBytes: boolean,
): Generator<Fault, void, void> {
  const most = (MOST_IN_VALUE as Readonly<Record<string, number>>)[vr]
  if (most === undefined) return
  const length = Math.max(
    ...(vr === 'PN' ? text.split('=') : [text]).map((group) => [...group].length),
  )
  const width = countsBytes ? (widthOf(text, terms, vr) ?? 0) : 0
  if (length > most) yield refused(tag, `has ${length} characters; there is room for ${most}`)
  else if (width > most)
    yield altered(tag, `takes ${width} bytes; the console has room for ${most}`)
}

/** Forms stricter than those of PS3.5: GE, DOC0500644, p. 84. */
const EXACT: readonly (readonly [number, RegExp, string])[] = [
  [START_DATE, /^\d{8}$/, 'is not exactly YYYYMMDD'],
  [START_TIME, /^\d{6}$/, 'is not exactly HHMMSS'],
]
const RECORD_ACCEPTANCE: ConsoleRule = {
  source: 'GE DOC0500644 rev 4, §6.3.1.2.1.2.2',
  *check(row) {
    for (const [tag, form, words] of EXACT) {
      const text = textOf(row, tag)
      if (text !== '' && !form.test(text))
        yield refused(tag, `${words}; the console gives up the list there`)
    }
  },
}

/** GE, DOC0500644, p. 99: characters of a value that the console shows or holds. */
const SHOWN: readonly (readonly [number, number, string])[] = [
  [PATIENT_NAME, 32, 'the console shows the first 32'],
  [PATIENT_ID, 16, 'the console holds 16, unless it is configured for 64'],
]
const SHOWN_LENGTHS: ConsoleRule = {
  source: 'GE DOC0500644 rev 4, p. 99',
  *check(row) {
    for (const [tag, most, words] of SHOWN) {
      const { length } = [...textOf(row, tag)]
      if (length > most) yield altered(tag, `has ${length} characters; ${words}`)
    }
  },
}

/** The console knows an examination by its step id alone, and makes it anew where that changes. */
const STEP_IDS: ConsoleRule = {
  source: 'Philips XPR 031-090167, p. 24',
  *check(row, { studiesOf, stepsOf, stepsBefore }) {
    const [step, study] = [textOf(row, STEP_ID), textOf(row, STUDY)]
    if ((studiesOf.get(step)?.size ?? 0) > 1) {
      yield refused(
        STEP_ID,
        'is the same in another study of the list; the console keeps one examination of them: the partner has to number steps apart',
      )
    }
    const before = stepsBefore.get(study)
    const isGone = (other: string) => !stepsOf.get(study)?.has(other)
    if (before && !before.has(step) && [...before].some(isGone)) {
      yield altered(
        STEP_ID,
        'is another than this device was last sent for the study; the console makes the examination anew and loses what was typed',
      )
    }
  },
}

/** What each profile's console takes, and who says so. */
export const CONSOLE_PROFILES: Readonly<Record<DeviceProfile, ConsoleProfile>> = {
  standard: {
    source: 'DICOM PS3.4 Table K.6-1 and PS3.5 Table 6.2-1',
    rules: [K_6_1, TABLE_6_2_1],
    stopsAtRefused: false,
  },
  // At the first row that breaks a rule the console cancels, aborts, and keeps the rows before it.
  ge: {
    source: 'GE DOC0500644 rev 4, p. 84 (record acceptance policy) and p. 99',
    rules: [K_6_1, TABLE_6_2_1, RECORD_ACCEPTANCE, SHOWN_LENGTHS],
    stopsAtRefused: true,
  },
  philips: {
    source: 'Philips XPR 031-090167, p. 24',
    rules: [K_6_1, TABLE_6_2_1, STEP_IDS],
    stopsAtRefused: false,
  },
}
