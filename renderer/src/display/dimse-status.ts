export interface ShownStatus {
  readonly tone: 'good' | 'warning' | 'danger' | 'plain'
  /** Short name, for a list. */
  readonly name: string
  /** What the device was told and what its operator sees. */
  readonly meaning: string
}

// PS3.4 Table C.4-1 (C-FIND), PS3.7 Annex C.
const STATUSES: Record<string, ShownStatus> = {
  '0000': { tone: 'good', name: 'Success', meaning: 'The device was given the complete list.' },
  FE00: { tone: 'plain', name: 'Cancelled', meaning: 'The device cancelled its own query before the list was complete.' },
  A700: {
    tone: 'warning',
    name: 'Out of resources',
    meaning: 'The device was told that no complete list can be given now. It may ask again.',
  },
  A900: { tone: 'danger', name: 'Query not understood', meaning: 'The device was told that its query does not fit the worklist service.' },
  C001: {
    tone: 'danger',
    name: 'Refused by the partner',
    meaning: 'The device was told that the list could not be made: the partner refused.',
  },
  C002: {
    tone: 'danger',
    name: 'Partner answer unusable',
    meaning: 'The device was told that the list could not be made from the partner’s answer.',
  },
  C003: { tone: 'danger', name: 'Gateway fault', meaning: 'The device was told that the gateway itself could not make the list.' },
  '0122': { tone: 'danger', name: 'Service not supported', meaning: 'The device asked for a service that is not the worklist.' },
  '0110': { tone: 'danger', name: 'Processing failure', meaning: 'The gateway could not process the request.' },
}

/** A DIMSE status, four hex digits, in words. */
export function shownStatus(status: string): ShownStatus {
  const code = status.toUpperCase()
  const known = STATUSES[code]
  if (known) return known
  if (code.startsWith('A7')) return { ...STATUSES.A700, name: 'Out of resources' } as ShownStatus
  if (code.startsWith('C'))
    return { tone: 'danger', name: 'Unable to process', meaning: 'The device was told that the list could not be made.' }
  return { tone: 'warning', name: `Status ${code}`, meaning: 'The device was given this status; see the DICOM standard, PS3.7 Annex C.' }
}
