import { isSameName } from '#server/modules/images/person-name.ts'
import type { ImageStudyRecord } from '#server/modules/studies/image-study-row.ts'
import { isSamePerson } from '#server/modules/studies/same-patient.ts'
import { daysBetween } from '#server/platform/clinic-day.ts'
import type { Match } from '#shared/contract/reconciliation.ts'

type Field = Match['field']
type Result = Match['result']

/**
 * The values of an exam or an order that are compared, as DICOM text; `date` is `YYYYMMDD` and
 * `time` is `HHMM…`.
 */
export interface MatchInput {
  readonly accessionNumber: string
  readonly patientId: string
  readonly patientName: string
  readonly patientBirthDate: string
  readonly patientSex: string
  readonly modalities: readonly string[]
  readonly date: string
  readonly time: string
  /**
   * AE titles and names: for an exam, of the device that made the images; for an order, of the
   * devices that were sent it, and its room.
   */
  readonly devices: readonly string[]
}

/** The contribution of each result to the score. */
const WEIGHTS: Readonly<Record<Field, { readonly [R in Exclude<Result, 'unknown'>]: number }>> = {
  accessionNumber: { same: 60, similar: 0, different: -20 },
  patientId: { same: 40, similar: 20, different: -10 },
  patientName: { same: 30, similar: 18, different: -25 },
  patientBirthDate: { same: 25, similar: 10, different: -25 },
  patientSex: { same: 3, similar: 0, different: -15 },
  modality: { same: 10, similar: 0, different: -15 },
  time: { same: 10, similar: 4, different: -5 },
  device: { same: 6, similar: 0, different: -3 },
}
/** Orders with a lower score are not suggested. */
const MIN_SCORE = 15
const HOUR_SECONDS = 3600
const SAME_TIME_SECONDS = HOUR_SECONDS
const SIMILAR_TIME_SECONDS = 6 * HOUR_SECONDS
/** Maximum number of typing errors in values that may have been entered by hand. */
const MAX_TYPING_ERRORS = { patientName: 2, patientId: 1, patientBirthDate: 1 } as const
/**
 * Shorter values are not compared for typing errors, because too many of them differ by one letter.
 */
const MIN_LENGTH = 5

/** Compares an exam with an order, in the order in which the fields are displayed. */
export function matchesOf(exam: MatchInput, order: MatchInput): Match[] {
  const compared = (field: Field, result: Result, ofOrder: string, ofExam: string): Match => ({
    ...{ field, result, order: ofOrder, exam: ofExam },
  })
  const texts = (
    ['accessionNumber', 'patientId', 'patientName', 'patientBirthDate', 'patientSex'] as const
  ).map((field) => {
    const [ofOrder, ofExam] = [order[field].trim(), exam[field].trim()]
    const result =
      ofOrder === '' || ofExam === '' ? 'unknown' : TEXT_RESULTS[field](ofOrder, ofExam)
    return compared(field, result, ofOrder, ofExam)
  })
  const [orderTime, examTime] = [dateTimeOf(order), dateTimeOf(exam)]
  return [
    ...texts,
    compared(
      'modality',
      modalityResult(order, exam),
      order.modalities.join(', '),
      exam.modalities.join(', '),
    ),
    compared('time', timeResult(order, exam), orderTime, examTime),
    compared(
      'device',
      deviceResult(order, exam),
      order.devices.at(-1) ?? '',
      exam.devices.at(-1) ?? '',
    ),
  ]
}

/**
 * The likelihood that the exam was done for the order, on a scale without a unit; higher is more
 * likely.
 */
export const scoreOf = (matches: readonly Match[]): number =>
  matches.reduce(
    (score, { field, result }) => score + (result === 'unknown' ? 0 : WEIGHTS[field][result]),
    0,
  )

/** Returns the most likely orders for an exam, best first, at most `most` of them. */
export function mostLikelyOrders<T>(
  exam: MatchInput,
  orders: readonly T[],
  matchedOf: (order: T) => MatchInput,
  most: number,
) {
  return orders
    .map((order) => {
      const matches = matchesOf(exam, matchedOf(order))
      return { order, matches, score: scoreOf(matches) }
    })
    .filter(({ score }) => score >= MIN_SCORE)
    .sort((a, b) => b.score - a.score)
    .slice(0, most)
}

/** The values of an exam, from the headers of its images. */
export function matchInputOf({
  header,
  modalities,
  callingAeTitle,
  deviceName,
}: ImageStudyRecord): MatchInput {
  const {
    accessionNumber,
    patientId,
    patientName,
    patientBirthDate,
    patientSex,
    studyDate,
    studyTime,
  } = header
  return {
    ...{ accessionNumber, patientId, patientName, patientBirthDate, patientSex },
    ...{ modalities, date: studyDate, time: studyTime },
    devices: [callingAeTitle, deviceName].filter((name) => name !== ''),
  }
}

type TextField = 'accessionNumber' | 'patientId' | 'patientName' | 'patientBirthDate' | 'patientSex'
const TEXT_RESULTS: Readonly<Record<TextField, (order: string, exam: string) => Result>> = {
  accessionNumber: (order, exam) =>
    order.toUpperCase() === exam.toUpperCase() ? 'same' : 'different',
  patientId(order, exam) {
    if (order === exam) return 'same'
    const [one, other] = [order, exam].map((id) => id.toUpperCase().replace(/^0+(?=.)/, '')) as [
      string,
      string,
    ]
    return one === other || isTypingError(one, other, MAX_TYPING_ERRORS.patientId)
      ? 'similar'
      : 'different'
  },
  patientName(order, exam) {
    if (isSameName(order, exam)) return 'same'
    const [one, other] = [order, exam].map((name) =>
      name.toUpperCase().replace(/[\s^=]+/g, ' '),
    ) as [string, string]
    return isSamePerson(order, exam) || isTypingError(one, other, MAX_TYPING_ERRORS.patientName)
      ? 'similar'
      : 'different'
  },
  patientBirthDate(order, exam) {
    const [one, other] = [order, exam].map((date) => date.replace(/\D/g, '')) as [string, string]
    if (one === other) return 'same'
    const swapped = `${other.slice(0, 4)}${other.slice(6)}${other.slice(4, 6)}`
    return one === swapped || isTypingError(one, other, MAX_TYPING_ERRORS.patientBirthDate)
      ? 'similar'
      : 'different'
  },
  patientSex(order, exam) {
    const [one, other] = [order.toUpperCase(), exam.toUpperCase()]
    if (one === 'O' || other === 'O') return one === other ? 'same' : 'unknown'
    return one === other ? 'same' : 'different'
  },
}

function modalityResult(order: MatchInput, exam: MatchInput): Result {
  if (order.modalities.length === 0 || exam.modalities.length === 0) return 'unknown'
  return order.modalities.some((modality) => exam.modalities.includes(modality))
    ? 'same'
    : 'different'
}

const dateTimeOf = ({ date, time }: MatchInput) => `${date} ${time.slice(0, 4)}`.trim()

function timeResult(order: MatchInput, exam: MatchInput): Result {
  if (order.date === '' || exam.date === '') return 'unknown'
  const isTimeKnown = order.time !== '' && exam.time !== ''
  if (!isTimeKnown) return order.date === exam.date ? 'similar' : 'different'
  const seconds = Math.abs(secondsOf(order) - secondsOf(exam))
  return seconds <= SAME_TIME_SECONDS
    ? 'same'
    : seconds <= SIMILAR_TIME_SECONDS
      ? 'similar'
      : 'different'
}

/** Clinic-local time in seconds, for computing differences only. */
const secondsOf = ({ date, time }: MatchInput): number =>
  daysBetween('2000-01-01', `${date.slice(0, 4)}-${date.slice(4, 6)}-${date.slice(6)}`) *
    24 *
    HOUR_SECONDS +
  Number(time.slice(0, 2)) * HOUR_SECONDS +
  Number(time.slice(2, 4)) * 60

function deviceResult(order: MatchInput, exam: MatchInput): Result {
  if (order.devices.length === 0 || exam.devices.length === 0) return 'unknown'
  const names = new Set(order.devices.map((name) => name.toUpperCase()))
  return exam.devices.some((name) => names.has(name.toUpperCase())) ? 'same' : 'different'
}

/**
 * Whether the values differ by at most `most` typing errors: letters that were added, omitted,
 * replaced or transposed.
 */
function isTypingError(one: string, other: string, maxErrors: number): boolean {
  if (
    Math.min(one.length, other.length) < MIN_LENGTH ||
    Math.abs(one.length - other.length) > maxErrors
  )
    return false
  return distance(one, other) <= maxErrors
}

/** Optimal string alignment distance. */
function distance(one: string, other: string): number {
  let before: number[] = []
  let last = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (let row = 1; row <= one.length; row++) {
    const now = [row]
    for (let column = 1; column <= other.length; column++) {
      const cost = one[row - 1] === other[column - 1] ? 0 : 1
      let smallest = Math.min(
        (last[column] ?? 0) + 1,
        (now[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + cost,
      )
      const isSwapped =
        row > 1 &&
        column > 1 &&
        one[row - 1] === other[column - 2] &&
        one[row - 2] === other[column - 1]
      if (isSwapped) smallest = Math.min(smallest, (before[column - 2] ?? 0) + 1)
      now.push(smallest)
    }
    before = last
    last = now
  }
  return last[other.length] ?? 0
}
