import { formatTag } from '#server/dicom/data-set/data-set.ts'
import type { ReceivedKey } from '#shared/contract/worklist.ts'
import { type Message, message, verbatim } from '#shared/messages/message.ts'
import type { AnswerRows } from './answer.ts'
import { type Attribute, isExtra, PATIENT_NAME, type RowKeyword } from './attributes.ts'
import type { Span } from './dates.ts'
import { foldName, type WorklistRow } from './row.ts'

export type Matching = ReceivedKey['matching']

/** A key made ready to be held against rows. */
export interface RowKey {
  /** Keyword of its attribute: what may be said where no value may. */
  readonly name: string
  /** What it wants, value included. */
  readonly words: Message
  /** Holds only for a list that has the attribute at all, see `keysFor`. */
  readonly ifListed?: boolean
  matches(row: WorklistRow): boolean
  /** Whether the row has a value for it at all. */
  hasValue(row: WorklistRow): boolean
}

/**
 * Whether a row may meet a key: one that is unfit as it is may meet any that it has no value for.
 */
export const isMet = (key: RowKey, row: WorklistRow): boolean =>
  key.matches(row) || (row.withheld !== null && !key.hasValue(row))

/**
 * The keys that hold for a list. An optional attribute that none of its rows has a value for is one
 * that this partner does not send: as PS3.4 K.2.2.1.2 has it for attributes that are not supported
 * for matching, a key on it admits every row.
 */
export const keysFor = (
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
 * PS3.4 C.2.2.2.4: `*` is any characters, `?` one. Two pointers that go back to the last `*` only,
 * so that a key such as `*a*a*a*b` costs at most its length times that of the value.
 */
export function wildCard(key: string): (text: string) => boolean {
  // Several `*` in a row mean one, and each would be passed anew for each row.
  const pattern = key.replace(/\*+/g, '*')
  const star = pattern.indexOf('*')
  if (star >= 0 && star === pattern.length - 1 && !pattern.includes('?')) {
    const beginning = pattern.slice(0, -1)
    return (text) => text.startsWith(beginning)
  }
  return (text) => {
    let at = 0
    let inPattern = 0
    let lastStar = -1
    let resume = 0
    while (at < text.length) {
      const wanted = pattern[inPattern]
      if (wanted === '*') {
        lastStar = inPattern++
        resume = at
      } else if (wanted === '?') {
        inPattern++
        at += widthAt(text, at)
      } else if (wanted === text[at]) {
        inPattern++
        at++
      } else if (lastStar >= 0) {
        inPattern = lastStar + 1
        // Half of a character may stay with the `*`: only a whole one begins a match.
        at = ++resume
      } else return false
    }
    if (pattern[inPattern] === '*') inPattern++
    return inPattern === pattern.length
  }
}

// One character may be two code units.
const widthAt = (text: string, at: number): number => ((text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1)

/**
 * A key whose values, one of which must match, are text: single value, list of UID or wild card.
 */
export function textKey(attribute: Attribute, values: readonly string[]): RowKey {
  const keyword = attribute.keyword as RowKeyword
  const isExact = (value: string) =>
    attribute.vr !== 'DS' && !(WILD_CARD_VRS.has(attribute.vr) && hasWildCard(value))
  const exact = new Set(values.filter(isExact))
  const tests = values
    .filter((value) => !isExact(value))
    .map((value) => valueTest(attribute.vr, value))
  const isMatch = (held: string) => exact.has(held) || tests.some((test) => test(held))
  return {
    name: attribute.keyword,
    words: wordsOf(attribute, quoted(values)),
    ifListed: isExtra(keyword),
    matches:
      attribute.keyword === 'OtherPatientIDs'
        ? ({ values }) => values.OtherPatientIDs.split('\\').some(isMatch)
        : ({ values }) => isMatch(values[keyword]),
    hasValue: (row) => row.values[keyword] !== '',
  }
}

// PS3.4 K.2.2.1.1.1: an attribute without a value matches no value, not even `*` with something
// beside it.
function valueTest(vr: string, value: string): (held: string) => boolean {
  if (vr === 'DS') {
    const number = Number(value)
    return (held) => held !== '' && Number(held) === number
  }
  const test = wildCard(value)
  return (held) => held !== '' && test(held)
}

/**
 * A name, one of several names: each component group for itself, any may match. Without a wild card
 * a key is also met by a name that goes on after its last component: `SMITH` by `SMITH^JOHN`. With
 * several groups in the key, each is held against the group at its place.
 */
export function nameKey(attribute: Attribute, names: readonly string[], isSure: boolean): RowKey {
  const keyword = attribute.keyword as RowKeyword
  const tests = names.map((name) => nameTest(name, !isSure || !hasWildCard(name)))
  const foldedIn = (row: WorklistRow) =>
    attribute.tag === PATIENT_NAME ? row.foldedName : foldName(row.values[keyword])
  return {
    name: attribute.keyword,
    words: wordsOf(attribute, quoted(names)),
    ifListed: isExtra(keyword),
    matches(row) {
      const held = foldedIn(row)
      return tests.some((test) => test(held))
    },
    hasValue: (row) => row.values[keyword] !== '',
  }
}

function nameTest(name: string, goesOn: boolean): (held: readonly string[]) => boolean {
  const test = (wanted: string): ((held: string) => boolean) => {
    if (!hasWildCard(wanted))
      return (held) => held === wanted || (goesOn && held.startsWith(`${wanted}^`))
    const [exact, more] = [wildCard(wanted), goesOn ? wildCard(`${wanted}^*`) : () => false]
    return (held) => exact(held) || more(held)
  }
  const tests = foldName(name).map((group) => (/^\**$/.test(group) ? undefined : test(group)))
  const [only] = tests
  if (tests.length === 1 && only) return (held) => held.some(only)
  return (held) => tests.some((wanted, index) => wanted?.(held[index] ?? '') === true)
}

/** A date or a time, or a range of it (PS3.4 C.2.2.2.5). */
export function spanKey(attribute: Attribute, span: Span, received: string): RowKey {
  const keyword = attribute.keyword as RowKeyword
  // Times are compared with six digits of fraction, which rows do not have.
  const pad = attribute.vr === 'TM' ? '.000000' : ''
  return {
    name: attribute.keyword,
    words: wordsOf(attribute, quoted([received])),
    matches: (row) =>
      row.values[keyword] !== '' && within(row.values[keyword] + pad, span.from, span.to),
    hasValue: (row) => row.values[keyword] !== '',
  }
}

/** First and last date and time. @param date and `time`: as `isInterval` admits them */
export const intervalOf = (date: Span, time: Span) => ({
  from: date.from && date.from + (time.from || '000000.000000'),
  to: date.to && date.to + (time.to || '235959.999999'),
})

/**
 * PS3.4 K.6-1: start date and start time, both ranges, are one interval from the first date and
 * time to the last.
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
 * Ranges of dates and of times are one interval where the dates have both ends, or both are open at
 * the same end; else each is matched for itself.
 */
export const isInterval = (date: Span | undefined, time: Span | undefined): boolean =>
  date !== undefined &&
  time !== undefined &&
  date.isRange &&
  time.isRange &&
  ((date.from !== '' && date.to !== '') ||
    ((date.from === '') === (time.from === '') && (date.to === '') === (time.to === '')))

/** A key that no row can meet. */
export const nothingMatches = (attribute: Attribute, why: Message): RowKey => ({
  name: attribute.keyword,
  words: wordsOf(attribute, why),
  matches: () => false,
  hasValue: () => true,
})

const within = (value: string, from: string, to: string): boolean =>
  (from === '' || value >= from) && (to === '' || value <= to)

const wordsOf = ({ keyword, tag }: Attribute, wanted: Message): Message =>
  message('worklist.key', { keyword, tag: formatTag(tag), wanted })

/** An identifier may be long; what a person reads of it is not. */
const MOST_SHOWN = 256

/** `A or B`, at most 256 characters of it. */
export function anyOf(values: readonly string[]): Message {
  let room = MOST_SHOWN
  const shown: Message[] = []
  for (const value of values) {
    if (room <= 0) break
    shown.push(verbatim(value.slice(0, room)))
    room -= value.length + 4
  }
  return shown.reduce((before, next) => message('worklist.or', { before, next }))
}

/** `“A” or “B”`. */
export const quoted = (values: readonly string[]): Message =>
  anyOf(values.map((value) => `“${value}”`))
