import { t } from '../i18n/t.ts'
import { words } from './words.ts'

interface ShownStatus {
  readonly tone: 'good' | 'warning' | 'danger' | 'plain'
  /** Short name, for a list. */
  readonly name: string
  /** What the device was told and what its operator sees. */
  readonly meaning: string
}

// PS3.4 Table C.4-1 (C-FIND), PS3.7 Annex C.
const STATUSES: Record<string, ShownStatus> = {
  '0000': { tone: 'good', ...words.statuses.success },
  FE00: { tone: 'plain', ...words.statuses.cancelled },
  A700: { tone: 'warning', ...words.statuses.resources },
  A900: { tone: 'danger', ...words.statuses.misread },
  C001: { tone: 'danger', ...words.statuses.partnerRefused },
  C002: { tone: 'danger', ...words.statuses.partnerUnusable },
  C003: { tone: 'danger', ...words.statuses.gatewayFault },
  '0122': { tone: 'danger', ...words.statuses.notSupported },
  '0110': { tone: 'danger', ...words.statuses.processing },
}

/** A DIMSE status, four hex digits, in words. */
export function shownStatus(status: string): ShownStatus {
  const code = status.toUpperCase()
  const known = STATUSES[code]
  if (known) return known
  if (code.startsWith('A7')) return { tone: 'warning', ...words.statuses.resources }
  if (code.startsWith('C')) return { tone: 'danger', ...words.statuses.unable }
  return {
    tone: 'warning',
    name: t('ui.display.statuses.other.name', { code }),
    meaning: t('ui.display.statuses.other.meaning'),
  }
}
