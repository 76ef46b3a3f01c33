import { formatTag } from '#server/dicom/data-set/data-set.ts'
import type { ReceivedKey } from '#shared/contract/worklist.ts'
import { type Message, message, verbatim } from '#shared/messages/message.ts'
import type { AnswerRows } from './answer.ts'
import { type Attribute, isExtra, PATIENT_NAME, type RowKeyword } from './attributes.ts'
import type { Span } from './dates.ts'
import { foldName, type WorklistRow } from './row.ts'

export type Matching = ReceivedKey['matching']

/** A matching key, prepared for comparison with rows. */
export interface RowKey {
  /** Keyword of its attribute, for places where values must not be shown. */
  readonly name: string
  /** What it matches, including the value. */
  readonly words: Message
  /** Applies only to lists in which some row has the attribute, see `applicableKeys`. */
  readonly ifListed?: boolean
  matches(row: WorklistRow): boolean
  /** Whether the row has a value for the attribute. */
  hasValue(row: WorklistRow): boolean
}

/**
 * Whether a row matches a key. A withheld row also matches a key for which it has no value, because
 * the missing value may be the reason why it is withheld.
 */
export const isMatch = (key: RowKey, row: WorklistRow): boolean =>
  key.matches(row) || (row.withheld !== null && !key.hasValue(row))

/**
 * The keys that apply to a list. If no row has a value for an optional attribute, the partner does
 * not supply it, and a key on it matches every row, as PS3.4 K.2.2.1.2 specifies for attributes
 * that are not supported for matching.
 */
export const applicableKeys = (
  keys: readonly RowKey[],
  { extras }: Pick<AnswerRows, 'extras'>,
): readonly RowKey[] => keys.filter(({ name, ifListed }) => ifListed !== true || extras.has(name))

/** VRs in which `*` and `?` are wild cards (PS3.4 C.2.2.2.4). */
export const WILD_CARD_VRS: ReadonlySet<string> = new Set([
  'AE',
  'CS',
  'LO',
  'LT',
  'PN',
  'SH',
  'ST',
  'UC',
  'UR',
  'UT',
])
export const hasWildCard = (text: string): boolean => /[*?]/.test(text)

/**
 * Compiles a wild card pattern (PS3.4 C.2.2.2.4): `*` matches any characters, `?` one. The matcher
 * backtracks to the last `*` only, so that a pattern such as `*a*a*a*b` takes at most the product
 * of both lengths.
 */
export function wildCard(key: string): (text: string) => boolean {
  // Consecutive `*` are equivalent to one, and would cost time for each row.
  const pattern = key.replace(/\*+/g, '*')
  const star = pattern.indexOf('*')
  if (star >= 0 && star === pattern.length - 1 && !pattern.includes('?')) {
    const beginning = pattern.slice(0, -1)
    return (text) => text.startsWith(beginning)
  }
  return (text) => {
    let at = 0
    let patternAt = 0
    let lastStar = -1
    let resume = 0
    while (at < text.length) {
      const wanted = pattern[patternAt]
      if (wanted === '*') {
        lastStar = patternAt++
        resume = at
      } else if (wanted === '?') {
        patternAt++
        at += widthAt(text, at)
      } else if (wanted === text[at]) {
        patternAt++
        at++
      } else if (lastStar >= 0) {
        patternAt = lastStar + 1
        // May stop in the middle of a surrogate pair; that is harmless, because only a whole
        // character begins a match.
        at = ++resume
      } else return false
    }
    if (pattern[patternAt] === '*') patternAt++
    return patternAt === pattern.length
  }
}

// A character may take two code units.
const widthAt = (text: string, at: number): number => ((text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1)

/**
 * A text key with one or several values, one of which must match: single value, list of UID or wild
 * card matching.
 */
export function textKey(attribute: Attribute, values: readonly string[]): RowKey {
  const keyword = attribute.keyword as RowKeyword
  const isExact = (value: string) =>
    attribute.vr !== 'DS' && !(WILD_CARD_VRS.has(attribute.vr) && hasWildCard(value))
  const exact = new Set(values.filter(isExact))
  const tests = values
    .filter((value) => !isExact(value))
    .map((value) => valueTest(attribute.vr, value))
  const matchesValue = (held: string) => exact.has(held) || tests.some((test) => test(held))
  return {
    name: attribute.keyword,
    words: descriptionOf(attribute, quoted(values)),
    ifListed: isExtra(keyword),
    matches:
      attribute.keyword === 'OtherPatientIDs'
        ? ({ values }) => values.OtherPatientIDs.split('\\').some(matchesValue)
        : ({ values }) => matchesValue(values[keyword]),
    hasValue: (row) => row.values[keyword] !== '',
  }
}

// An attribute without a value matches no key value, not even a wild card (PS3.4 K.2.2.1.1.1).
function valueTest(vr: string, value: string): (held: string) => boolean {
  if (vr === 'DS') {
    const number = Number(value)
    return (held) => held !== '' && Number(held) === number
  }
  const test = wildCard(value)
  return (held) => held !== '' && test(held)
}

/**
 * A PN key with one or several names. Component groups are compared separately, and any of them may
 * match. A key without wild cards also matches a name with further components: `SMITH` matches
 * `SMITH^JOHN`. If the key has several groups, each is compared with the group in the same
 * position.
 */
export function nameKey(attribute: Attribute, names: readonly string[], isSure: boolean): RowKey {
  const keyword = attribute.keyword as RowKeyword
  const tests = names.map((name) => nameTest(name, !isSure || !hasWildCard(name)))
  const foldedNameOf = (row: WorklistRow) =>
    attribute.tag === PATIENT_NAME ? row.foldedName : foldName(row.values[keyword])
  return {
    name: attribute.keyword,
    words: descriptionOf(attribute, quoted(names)),
    ifListed: isExtra(keyword),
    matches(row) {
      const held = foldedNameOf(row)
      return tests.some((test) => test(held))
    },
    hasValue: (row) => row.values[keyword] !== '',
  }
}

function nameTest(
  name: string,
  allowsMoreComponents: boolean,
): (held: readonly string[]) => boolean {
  const test = (wanted: string): ((held: string) => boolean) => {
    if (!hasWildCard(wanted))
      return (held) => held === wanted || (allowsMoreComponents && held.startsWith(`${wanted}^`))
    const [exact, more] = [
      wildCard(wanted),
      allowsMoreComponents ? wildCard(`${wanted}^*`) : () => false,
    ]
    return (held) => exact(held) || more(held)
  }
  const tests = foldName(name).map((group) => (/^\**$/.test(group) ? undefined : test(group)))
  const [only] = tests
  if (tests.length === 1 && only) return (held) => held.some(only)
  return (held) => tests.some((wanted, index) => wanted?.(held[index] ?? '') === true)
}

/** A key for a date, a time, or a range of either (PS3.4 C.2.2.2.5). */
export function spanKey(attribute: Attribute, span: Span, received: string): RowKey {
  const keyword = attribute.keyword as RowKeyword
  // Times are compared with six fractional digits, which rows do not have.
  const pad = attribute.vr === 'TM' ? '.000000' : ''
  return {
    name: attribute.keyword,
    words: descriptionOf(attribute, quoted([received])),
    matches: (row) =>
      row.values[keyword] !== '' && within(row.values[keyword] + pad, span.from, span.to),
    hasValue: (row) => row.values[keyword] !== '',
  }
}

/** The first and last date and time of a combined range, for which `isInterval` must hold. */
export const intervalOf = (date: Span, time: Span) => ({
  from: date.from && date.from + (time.from || '000000.000000'),
  to: date.to && date.to + (time.to || '235959.999999'),
})

/**
 * A key for a range of start dates combined with a range of start times: one interval from the
 * first date and time to the last (PS3.4 Table K.6-1).
 */
export function intervalKey(date: Span, time: Span, received: string): RowKey {
  const { from, to } = intervalOf(date, time)
  const startOf = ({ values }: WorklistRow) =>
    `${values.ScheduledProcedureStepStartDate}${values.ScheduledProcedureStepStartTime}.000000`
  return {
    name: 'ScheduledProcedureStepStartDate',
    words: message('worklist.key-interval', { received }),
    matches: (row) => within(startOf(row), from, to),
    hasValue: (row) => row.values.ScheduledProcedureStepStartDate !== '',
  }
}

/**
 * Ranges of dates and times are one interval if the dates have both ends or if both are open at the
 * same end; otherwise they are matched separately.
 */
export const isInterval = (date: Span | undefined, time: Span | undefined): boolean =>
  date !== undefined &&
  time !== undefined &&
  date.isRange &&
  time.isRange &&
  ((date.from !== '' && date.to !== '') ||
    ((date.from === '') === (time.from === '') && (date.to === '') === (time.to === '')))

/** A key that no row matches. */
export const unmatchableKey = (attribute: Attribute, why: Message): RowKey => ({
  name: attribute.keyword,
  words: descriptionOf(attribute, why),
  matches: () => false,
  hasValue: () => true,
})

const within = (value: string, from: string, to: string): boolean =>
  (from === '' || value >= from) && (to === '' || value <= to)

const descriptionOf = ({ keyword, tag }: Attribute, wanted: Message): Message =>
  message('worklist.key', { keyword, tag: formatTag(tag), wanted })

/** Maximum number of characters of key values in a message. */
const MAX_DISPLAYED = 256

/** `A or B`, truncated to 256 characters. */
export function joinWithOr(values: readonly string[]): Message {
  let room = MAX_DISPLAYED
  const parts: Message[] = []
  for (const value of values) {
    if (room <= 0) break
    parts.push(verbatim(value.slice(0, room)))
    room -= value.length + 4
  }
  return parts.reduce((before, next) => message('worklist.or', { before, next }))
}

/** `“A” or “B”`. */
export const quoted = (values: readonly string[]): Message =>
  joinWithOr(values.map((value) => `“${value}”`))
