import { isDa } from '#shared/dicom-values.ts'

/**
 * What a DA or TM key admits, both ends included and of full length (`YYYYMMDD`, `HHMMSS.FFFFFF`),
 * so that text order is time order. An empty end is open. `isRange` tells `20261120-20261120` from
 * `20261120`, which matters where date and time are combined.
 */
export interface Span {
  readonly from: string
  readonly to: string
  readonly isRange: boolean
}

/** A key that is no date or time, or a range of dates that ends before it begins. */
export class SpanFault extends Error {
  override name = 'SpanFault'
}

const UNIVERSAL = /^[*\s-]*$/

/**
 * PS3.4 C.2.2.2.5 for DA, with the retired form `2026.11.20` and spaces. @returns undefined for a
 * universal key. @throws SpanFault
 */
export function dateSpan(text: string): Span | undefined {
  const read = span(text, readDate, readDate)
  if (read && isReversed(read)) throw new SpanFault(REVERSED)
  return read
}

/**
 * PS3.4 C.2.2.2.5 for TM, with the retired `10:15`. An omitted minute or second admits all of that
 * hour or minute. A range may end before it begins, such as `2200-0700`: together with a range of
 * dates that is a night (PS3.4 Table K.6-1), and only the caller has both.
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
  if (UNIVERSAL.test(text)) return undefined
  const ends = text.split('-').map((end) => end.trim())
  if (ends.length > 2) throw new SpanFault('more than one hyphen')
  const [from = '', to = from] = ends
  return { from: from && first(from), to: to && last(to), isRange: ends.length === 2 }
}

/** Why a range is refused for which `isReversed` holds. */
export const REVERSED = 'the range ends before it begins'
export const isReversed = ({ from, to }: Pick<Span, 'from' | 'to'>): boolean =>
  to !== '' && from > to

function readDate(text: string): string {
  const da = text.replace(/(\d{4})\.(\d\d)\.(\d\d)/, '$1$2$3')
  if (!isDa(da)) throw new SpanFault('not a date')
  return da
}

function readTime(text: string, rest: string, fraction: string): string {
  const parts = /^([01]\d|2[0-3])(?::?([0-5]\d)(?::?([0-5]\d|60)(?:\.(\d{1,6}))?)?)?$/.exec(text)
  if (!parts) throw new SpanFault('not a time')
  const [, hour, minute = rest, second = rest, part = ''] = parts
  return `${hour}${minute}${second}.${part.padEnd(6, fraction)}`
}
