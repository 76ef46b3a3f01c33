import { knownText, t } from '../i18n/t.ts'
import { dayText } from './dates.ts'

/** Hashes and positions of the chain: for the export, not for a line of the list. */
const TECHNICAL = new Set(['textHash', 'pdfHash', 'hash', 'anchorSeq', 'anchorHash'])

/**
 * The detail of an audit entry on one line, in words: `15 → 30` for a change, else `Reason: …;
 * Images: 4`. Empty where there is nothing to say.
 */
export function detailText(detail: unknown): string {
  if (detail === null || detail === undefined) return ''
  if (typeof detail !== 'object') return valueText(detail)
  if (Array.isArray(detail)) return detail.map(valueText).join(', ')
  if (isChange(detail)) return changeText(detail)
  return Object.entries(detail)
    .filter(([name]) => !TECHNICAL.has(name))
    .map(([name, value]) => `${nameOf(name)}: ${valueText(value)}`)
    .join('; ')
}

interface Change {
  readonly before: unknown
  readonly after: unknown
}

const isChange = (value: object): value is Change =>
  Object.keys(value).length === 2 && 'before' in value && 'after' in value
const changeText = ({ before, after }: Change) => `${valueText(before)} → ${valueText(after)}`

/** The name of a member: from the catalogue, else its own as words. */
const nameOf = (name: string): string =>
  knownText(`ui.format.details.${name}`) ??
  name.replace(/[a-z](?=[A-Z])/g, '$& ').replace(/^./, (first) => first.toUpperCase())

function valueText(value: unknown): string {
  if (value === null || value === undefined || value === '') return t('ui.format.nothing')
  if (typeof value === 'boolean') return value ? t('ui.format.yes') : t('ui.format.no')
  if (Array.isArray(value))
    return value.length === 0 ? t('ui.format.nothing') : value.map(valueText).join(', ')
  if (typeof value === 'object')
    return isChange(value) ? changeText(value) : `(${detailText(value)})`
  return /^\d{4}-\d\d-\d\d$/.test(String(value)) ? dayText(String(value)) : String(value)
}

/** Ids shortened to their first digits: `usr_1f0c93ab…`. The whole belongs on hover. */
export const shortIds = (text: string): string =>
  text.replace(
    /[0-9a-f]{8}(?:[0-9a-f]{56}|[0-9a-f]{24}|-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})/g,
    (id) => `${id.slice(0, 8)}…`,
  )
