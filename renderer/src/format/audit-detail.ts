import { knownText, t } from '../i18n/t.ts'
import { dayText } from './dates.ts'

/** Hashes and positions of the chain: for the export, not for a line of the list. */
const TECHNICAL = new Set(['textHash', 'pdfHash', 'hash', 'anchorSeq', 'anchorHash'])

/** Members whose values are codes of the interface, and the text of each value. */
const CODED: Readonly<Record<string, (value: string) => string>> = {
  area: (value) => `ui.studies.areas.${value}`,
  level: (value) => `ui.users.levels.${value}`,
  severity: (value) => `ui.study-list.severities.${value}.label`,
}

/**
 * The detail of an audit entry on one line, in words: `15 → 30` for a change, else `Reason: …;
 * Images: 4`. Empty where there is nothing to say.
 */
export function detailText(detail: unknown): string {
  if (detail === null || detail === undefined) return ''
  if (typeof detail !== 'object') return valueText(detail)
  if (Array.isArray(detail)) return detail.map((one) => valueText(one)).join(', ')
  if (isChange(detail)) return changeText(detail)
  return Object.entries(detail)
    .filter(([name]) => !TECHNICAL.has(name))
    .map(([name, value]) => `${nameOf(name)}: ${valueText(value, name)}`)
    .join('; ')
}

interface Change {
  readonly before: unknown
  readonly after: unknown
}

const isChange = (value: object): value is Change =>
  Object.keys(value).length === 2 && 'before' in value && 'after' in value
const changeText = ({ before, after }: Change, name?: string) =>
  `${valueText(before, name)} → ${valueText(after, name)}`

/** The name of a member: from the catalogue, else its own as words. */
const nameOf = (name: string): string =>
  knownText(`ui.format.details.${name}`) ??
  name.replace(/[a-z](?=[A-Z])/g, '$& ').replace(/^./, (first) => first.toUpperCase())

function valueText(value: unknown, name = ''): string {
  if (value === null || value === undefined || value === '') return t('ui.format.nothing')
  if (typeof value === 'boolean') return value ? t('ui.format.yes') : t('ui.format.no')
  if (Array.isArray(value))
    return value.length === 0
      ? t('ui.format.nothing')
      : value.map((one) => valueText(one, name)).join(', ')
  if (typeof value === 'object')
    return isChange(value) ? changeText(value, name) : `(${detailText(value)})`
  const coded = CODED[name]?.(String(value))
  const known = coded && knownText(coded)
  if (known) return known
  return /^\d{4}-\d\d-\d\d$/.test(String(value)) ? dayText(String(value)) : String(value)
}

/** Ids shortened to their first digits: `usr_1f0c93ab…`. The whole belongs on hover. */
export const shortIds = (text: string): string =>
  text.replace(
    /[0-9a-f]{8}(?:[0-9a-f]{56}|[0-9a-f]{24}|-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})/g,
    (id) => `${id.slice(0, 8)}…`,
  )
