import { t } from '../i18n/t.ts'

/**
 * The detail of an audit entry on one line: `before: 15, after: 30`; nested values in brackets.
 * Nothing for null and empty ones.
 */
export function detailText(detail: unknown): string {
  if (detail === null || detail === undefined) return ''
  if (Array.isArray(detail)) return detail.map(inner).join(', ')
  if (typeof detail === 'object') {
    return Object.entries(detail)
      .map(([name, value]) => `${name}: ${inner(value)}`)
      .join(', ')
  }
  return String(detail)
}

function inner(value: unknown): string {
  if (value === null || value === undefined || value === '') return t('ui.format.nothing')
  if (Array.isArray(value) && value.length === 0) return t('ui.format.nothing')
  return typeof value === 'object' ? `(${detailText(value)})` : String(value)
}

/** Ids shortened to their first digits: `usr_1f0c93ab…`. The whole belongs on hover. */
export const shortIds = (text: string): string =>
  text.replace(
    /[0-9a-f]{8}(?:[0-9a-f]{56}|[0-9a-f]{24}|-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})/g,
    (id) => `${id.slice(0, 8)}…`,
  )
