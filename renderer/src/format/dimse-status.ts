import { t, textsOf } from '../i18n/t.ts'

interface ShownStatus {
  readonly tone: 'good' | 'warning' | 'danger' | 'plain'
  /** Short name, for a list. */
  readonly name: string
  /** What the device was told and what its operator sees. */
  readonly meaning: string
}

// PS3.4 Table C.4-1 (C-FIND), PS3.7 Annex C.
const STATUSES: Record<string, ShownStatus> = {
  '0000': { tone: 'good', ...textsOf('ui.format.statuses.success', 'name', 'meaning') },
  FE00: { tone: 'plain', ...textsOf('ui.format.statuses.cancelled', 'name', 'meaning') },
  A700: { tone: 'warning', ...textsOf('ui.format.statuses.resources', 'name', 'meaning') },
  A900: { tone: 'danger', ...textsOf('ui.format.statuses.misread', 'name', 'meaning') },
  C001: { tone: 'danger', ...textsOf('ui.format.statuses.partnerRefused', 'name', 'meaning') },
  C002: { tone: 'danger', ...textsOf('ui.format.statuses.partnerUnusable', 'name', 'meaning') },
  C003: { tone: 'danger', ...textsOf('ui.format.statuses.gatewayFault', 'name', 'meaning') },
  '0122': { tone: 'danger', ...textsOf('ui.format.statuses.notSupported', 'name', 'meaning') },
  '0110': { tone: 'danger', ...textsOf('ui.format.statuses.processing', 'name', 'meaning') },
}

/** A status as the standard writes it: `A700`. */
export const codeOf = (status: number): string => status.toString(16).toUpperCase().padStart(4, '0')

/** A DIMSE status, four hex digits, in words. */
export function describeStatus(status: string): ShownStatus {
  const code = status.toUpperCase()
  const known = STATUSES[code]
  if (known) return known
  if (code.startsWith('A7'))
    return { tone: 'warning', ...textsOf('ui.format.statuses.resources', 'name', 'meaning') }
  if (code.startsWith('C'))
    return { tone: 'danger', ...textsOf('ui.format.statuses.unable', 'name', 'meaning') }
  return {
    tone: 'warning',
    name: t('ui.format.statuses.other.name', { code }),
    meaning: t('ui.format.statuses.other.meaning'),
  }
}
