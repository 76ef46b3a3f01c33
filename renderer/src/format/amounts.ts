import { locale } from '../i18n/language.ts'

/** Digits before and after the decimal sign of the language. */
const decimal = (digits: number) =>
  new Intl.NumberFormat(locale, { minimumFractionDigits: digits, maximumFractionDigits: digits })
const oneDigit = decimal(1)
const atMostOneDigit = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 })
const wholeNumberFormat = new Intl.NumberFormat(locale)

/** A duration in milliseconds: `0.4 ms`, `412 ms`, `1.3 s`, `2 min 5 s`. */
export function durationText(milliseconds: number): string {
  if (milliseconds < 10) return `${atMostOneDigit.format(Math.round(milliseconds * 10) / 10)} ms`
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`
  if (milliseconds < 60_000) return `${oneDigit.format(milliseconds / 1000)} s`
  return `${Math.floor(milliseconds / 60_000)} min ${Math.floor((milliseconds % 60_000) / 1000)} s`
}

/** A size in bytes: `812 B`, `12.4 kB`, `3.1 MB`, `1.2 GB`, `4.0 TB` (powers of ten). */
export function bytesText(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`
  if (bytes < 1_000_000) return `${oneDigit.format(bytes / 1000)} kB`
  if (bytes < 1_000_000_000) return `${oneDigit.format(bytes / 1_000_000)} MB`
  if (bytes < 1_000_000_000_000) return `${oneDigit.format(bytes / 1_000_000_000)} GB`
  return `${oneDigit.format(bytes / 1_000_000_000_000)} TB`
}

/**
 * A count with grouped digits and its noun: `1 exam`, `1,240 exams`. Words of another language give
 * both forms.
 */
export const countText = (count: number, one: string, many = `${one}s`): string =>
  `${numberText(count)} ${count === 1 ? one : many}`

/** Units of an age. */
export type SpanUnit = 'day' | 'week' | 'month' | 'year'
/** `22 months`. */
export const spanText = (count: number, unit: SpanUnit): string =>
  new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' }).format(count)

export const numberText = (count: number): string => wholeNumberFormat.format(count)

/** A count that stops at a bound: `12`, `500+`. */
export const boundedText = ({ count, isMore }: { count: number; isMore: boolean }): string =>
  `${numberText(count)}${isMore ? '+' : ''}`
