import { formatTag } from '#server/dicom/data-set/data-set.ts'
import { foldName, nameTest } from '#server/dicom/matching/person-name.ts'
import { intervalOf, isWithin, type Span } from '#server/dicom/matching/range.ts'
import { textTest } from '#server/dicom/matching/text-values.ts'
import { hasWildCard } from '#server/dicom/matching/wild-card.ts'
import type { ReceivedKey } from '#shared/contract/worklist.ts'
import { type Message, message, verbatim } from '#shared/messages/message.ts'
import type { AnswerRows } from './answer.ts'
import { type Attribute, isExtraKeyword, PATIENT_NAME, type RowKeyword } from './attributes.ts'
import type { WorklistRow } from './row.ts'

export type Matching = ReceivedKey['matching']

/** A matching key, prepared for comparison with rows. */
export interface RowKey {
  /** Keyword of its attribute, for places where values must not be shown. */
  readonly name: string
  /** What it matches, including the value. */
  readonly words: Message
  /** Applies only to lists in which some row has the attribute, see `applicableKeys`. */
  readonly appliesIfListed?: boolean
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
): readonly RowKey[] =>
  keys.filter(({ name, appliesIfListed }) => appliesIfListed !== true || extras.has(name))

/**
 * A text key with one or several values, one of which must match: single value, list of UID or wild
 * card matching.
 */
export function textKey(attribute: Attribute, values: readonly string[]): RowKey {
  const keyword = attribute.keyword as RowKeyword
  const matchesValue = textTest(attribute.vr, values)
  return {
    name: attribute.keyword,
    words: descriptionOf(attribute, quoted(values)),
    appliesIfListed: isExtraKeyword(keyword),
    matches:
      attribute.keyword === 'OtherPatientIDs'
        ? ({ values }) => values.OtherPatientIDs.split('\\').some(matchesValue)
        : ({ values }) => matchesValue(values[keyword]),
    hasValue: (row) => row.values[keyword] !== '',
  }
}

/**
 * A PN key with one or several names. Component groups are compared separately, and any of them may
 * match. A key without wild cards also matches a name with further components: `SMITH` matches
 * `SMITH^JOHN`. If the key has several groups, each is compared with the group in the same
 * position.
 */
export function nameKey(attribute: Attribute, names: readonly string[], isExact: boolean): RowKey {
  const keyword = attribute.keyword as RowKeyword
  const tests = names.map((name) => nameTest(name, !isExact || !hasWildCard(name)))
  const foldedNameOf = (row: WorklistRow) =>
    attribute.tag === PATIENT_NAME ? row.foldedName : foldName(row.values[keyword])
  return {
    name: attribute.keyword,
    words: descriptionOf(attribute, quoted(names)),
    appliesIfListed: isExtraKeyword(keyword),
    matches(row) {
      const held = foldedNameOf(row)
      return tests.some((test) => test(held))
    },
    hasValue: (row) => row.values[keyword] !== '',
  }
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
      row.values[keyword] !== '' && isWithin(row.values[keyword] + pad, span.from, span.to),
    hasValue: (row) => row.values[keyword] !== '',
  }
}

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
    matches: (row) => isWithin(startOf(row), from, to),
    hasValue: (row) => row.values.ScheduledProcedureStepStartDate !== '',
  }
}

/** A key that no row matches. */
export const unmatchableKey = (attribute: Attribute, why: Message): RowKey => ({
  name: attribute.keyword,
  words: descriptionOf(attribute, why),
  matches: () => false,
  hasValue: () => true,
})

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
