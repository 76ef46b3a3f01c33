import { isDa } from '#shared/dicom-values.ts'
import { message } from '#shared/messages/message.ts'
import { MessageError } from '#shared/messages/message-error.ts'

/**
 * The values that a DA or TM key matches, both ends inclusive and of full length (`YYYYMMDD`,
 * `HHMMSS.FFFFFF`), so that they can be compared as text. An empty end is open. `isRange`
 * distinguishes `20261120-20261120` from `20261120`, which matters when date and time are combined.
 */
export interface Span {
  readonly from: string
  readonly to: string
  readonly isRange: boolean
}

/** A key that is not a valid date or time, or a range of dates that ends before it starts. */
export class SpanFault extends MessageError {
  override name = 'SpanFault'
}

const UNIVERSAL_KEY = /^[*\s-]*$/

/**
 * Reads a DA key (PS3.4 C.2.2.2.5); the retired form `2026.11.20` and spaces are accepted.
 * @returns undefined for universal matching
 * @throws {SpanFault}
 */
export function dateSpan(text: string): Span | undefined {
  const read = span(text, readDate, readDate)
  if (read && isReversed(read)) throw new SpanFault(REVERSED_MESSAGE)
  return read
}

/**
 * Reads a TM key (PS3.4 C.2.2.2.5); the retired form `10:15` is accepted. An omitted minute or
 * second matches all of that hour or minute. A range may end before it starts, such as `2200-0700`:
 * combined with a range of dates it means a night (PS3.4 Table K.6-1), and only the caller has
 * both.
 * @returns undefined for universal matching
 * @throws {SpanFault}
 */
export const timeSpan = (text: string): Span | undefined =>
  span(
    text,
    (time) => readTime(time, '00', '000000'),
    (time) => readTime(time, '59', '999999'),
  )

function span(
  text: string,
  first: (one: string) => string,
  last: (one: string) => string,
): Span | undefined {
  if (UNIVERSAL_KEY.test(text)) return undefined
  const ends = text.split('-').map((end) => end.trim())
  if (ends.length > 2) throw new SpanFault(message('worklist.several-hyphens'))
  const [from = '', to = from] = ends
  return { from: from && first(from), to: to && last(to), isRange: ends.length === 2 }
}

/** Why a range is refused if `isReversed` holds. */
export const REVERSED_MESSAGE = message('worklist.range-reversed')
export const isReversed = ({ from, to }: Pick<Span, 'from' | 'to'>): boolean =>
  to !== '' && from > to

function readDate(text: string): string {
  const da = text.replace(/(\d{4})\.(\d\d)\.(\d\d)/, '$1$2$3')
  if (!isDa(da)) throw new SpanFault(message('worklist.not-a-date'))
  return da
}

function readTime(text: string, missingPart: string, fractionPadding: string): string {
  const parts = /^([01]\d|2[0-3])(?::?([0-5]\d)(?::?([0-5]\d|60)(?:\.(\d{1,6}))?)?)?$/.exec(text)
  if (!parts) throw new SpanFault(message('worklist.not-a-time'))
  const [, hour, minute = missingPart, second = missingPart, fraction = ''] = parts
  return `${hour}${minute}${second}.${fraction.padEnd(6, fractionPadding)}`
}

/** The first and last date and time of a combined range, for which `isInterval` must hold. */
export const intervalOf = (date: Span, time: Span) => ({
  from: date.from && date.from + (time.from || '000000.000000'),
  to: date.to && date.to + (time.to || '235959.999999'),
})

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

/** Whether a value is within the range; both of full length. */
export const isWithin = (value: string, from: string, to: string): boolean =>
  (from === '' || value >= from) && (to === '' || value <= to)
