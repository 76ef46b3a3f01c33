import { worklistDay } from '#electron/simulator/worklist-day.ts'
import { tagOf } from '#server/dicom/data-set/dictionary.ts'
import { WRITTEN } from './clinic.ts'

const wordsOf = (text: string): string[] =>
  text.match(/\p{L}[\p{L}'’]+/gu)?.map((word) => word.toLowerCase()) ?? []

const days = Array.from({ length: 24 }, (_, day) =>
  worklistDay(`202611${String(day + 1).padStart(2, '0')}`, { withBadRows: true }),
)
/**
 * The window writes days with the months of `en`, and `Intl` elsewhere those of `en-GB`: Sep and
 * Sept.
 */
const months = ['en', 'en-GB'].flatMap((locale) =>
  Array.from({ length: 12 }, (_, month) =>
    new Intl.DateTimeFormat(locale, { month: 'short' }).format(new Date(2026, month, 1)),
  ),
)
/** What `Intl` writes, and what has one name in every language. */
const UNITS = [
  'ms',
  'min',
  'kB',
  'MB',
  'GB',
  'TB',
  'days',
  'weeks',
  'months',
  'years',
  'month',
  'year',
  'Asia',
  'Tokyo',
  ...months,
]
const NAMES = [
  'Isthmus',
  'English',
  'Español',
  'PACS',
  'AE',
  'UID',
  'https',
  'files',
  'partner',
  'example',
  'OK',
]

/**
 * Words that are data in every language: what people, devices and the partner of `clinic.ts` wrote,
 * units, and names.
 */
const DATA: ReadonlySet<string> = new Set(
  [
    ...WRITTEN,
    ...UNITS,
    ...NAMES,
    ...days
      .flat()
      .flatMap((item) => [item, ...item.ScheduledProcedureStepSequence])
      .flatMap((part) => Object.values(part).filter((value) => typeof value === 'string')),
  ].flatMap(wordsOf),
)

/**
 * Ids, addresses, e-mails, names of a program: `usr_1f0c…`, `study.cancel`, `window.lockMinutes`,
 * `127.0.0.1`, `CN=…`, and the value `(none)`.
 */
const TECHNICAL =
  /\(none\)|\S*[\w-](?:[._:=/@][\w-]+)+\S*|\b[0-9a-f]{8}-[0-9a-f-]{27}\b|\b\p{Lu}[\p{Lu}\d]+\b/gu

/** The words of a text that are no data. */
export function spoken(text: string): string[] {
  // DICOM's own names of attributes (PS3.6), alone or before their value.
  const [name = '', ...value] = text.split(': ')
  if (tagOf(name.replaceAll(' ', '')) !== undefined)
    return value.length > 0 ? spoken(value.join(': ')) : []
  return wordsOf(text.replace(TECHNICAL, ' ')).filter((word) => !DATA.has(word))
}

/** Words that Spanish does not have: a text with one is English. */
const ENGLISH = new Set(
  'the is are was were not this that these with from which who has have had by for and it its be been of on to an at or'
    .split(' ')
    .concat(
      'days ago years months study studies device devices patient report reports nothing none'.split(
        ' ',
      ),
    ),
)
/** August in a Spanish date, which English has as a word. */
const AUGUST = /\b(\d{1,2}) ago (\d{4})\b/g
export const isEnglish = (text: string): boolean =>
  spoken(text.replace(AUGUST, '$1 $2')).some((word) => ENGLISH.has(word))
