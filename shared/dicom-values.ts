import { z } from 'zod'
import { fault } from './messages/issues.ts'

// Value formats of PS3.5 Table 6.2-1. Lengths are in characters; padding is not part of a value.

/**
 * AE: 1-16 characters of the default repertoire, without backslashes and control characters, not
 * only spaces.
 */
export const AeTitle = z
  .string()
  .trim()
  .regex(/^[\x20-\x5b\x5d-\x7e]{1,16}$/, { error: fault('values.ae-title') })

/**
 * What is compared of an AE title. Its padding is not significant (PS3.5 Table 6.2-1). Case is
 * ignored, because modalities are configured by hand.
 */
export const aeTitleKey = (aeTitle: string): string => aeTitle.trim().toUpperCase()

/**
 * UI: digits and dots, at most 64 characters, no empty component, no leading zero in a component.
 */
export const Uid = z
  .string()
  .max(64, { error: fault('values.too-long') })
  .regex(/^(0|[1-9]\d*)(\.(0|[1-9]\d*))+$/, { error: fault('values.uid') })

/** A date in the format of the interface, YYYY-MM-DD; it must exist in the calendar. */
export const CalendarDay = z
  .string()
  .refine((day) => /^\d{4}-\d\d-\d\d$/.test(day) && isDa(day.replaceAll('-', '')), {
    error: fault('values.day'),
  })
  .meta({ format: 'date' })

/** Whether the text is YYYYMMDD and that day exists. */
export function isDa(text: string): boolean {
  if (!/^\d{8}$/.test(text)) return false
  const [year, month, day] = [
    Number(text.slice(0, 4)),
    Number(text.slice(4, 6)),
    Number(text.slice(6)),
  ]
  if (month < 1 || month > 12 || day < 1) return false
  const isLeapYear = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
  return day <= ([31, isLeapYear ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1] ?? 0)
}

/** TM: HH[MM[SS[.F-FFFFFF]]]. */
export const TM_PATTERN = /^([01]\d|2[0-3])(?:[0-5]\d(?:(?:[0-5]\d|60)(?:\.\d{1,6})?)?)?$/

/** Patient's Sex (0010,0040) for the values of the interface. */
export const PATIENT_SEX = { male: 'M', female: 'F', other: 'O' } as const
