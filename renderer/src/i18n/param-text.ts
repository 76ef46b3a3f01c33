import { openDayText } from '#shared/day-text.ts'
import { locale } from './language.ts'

/** English months have three letters each: the British form of September has four. */
export const DAY_LOCALE = locale.startsWith('en') ? 'en' : locale
const dayText = openDayText(DAY_LOCALE)

/**
 * A parameter of a message as it is shown: a day, or a day and a time, `2026-11-20 10:42`, which the
 * gateway writes without a language, as `20 Nov 2026, 10:42`; a DICOM keyword in words. Anything else
 * is returned as it is.
 */
export const paramText = (text: string, name: string): string =>
  name === 'keyword' || name === 'keywords'
    ? keywordText(text)
    : text.replace(
        /^(\d{4}-\d\d-\d\d)($| (?=\d\d:\d\d))/,
        (_, day, space) => dayText(day) + (space && ', '),
      )

/**
 * A DICOM keyword in words: `StudyInstanceUID` as `Study Instance UID`. In other languages it stays
 * a keyword, because its words are English.
 */
export const keywordText = (keyword: string): string =>
  !locale.startsWith('en')
    ? keyword
    : keyword.replace(/([a-z])([A-Z])/g, '$1 $2').replace(/([A-Z]+)([A-Z][a-z]{2})/g, '$1 $2')
