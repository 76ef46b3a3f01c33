import { countText } from '../display/amounts.ts'

export const en = {
  title: 'Critical results',
  about:
    'Results that nobody was told of yet. Each stays here until it is documented who was told.',
  none: 'Nobody waits to be told',
  noneText:
    'A report that is signed as critical appears here, with the time since its signature, until somebody was told.',
  minutes: (minutes: number) => `${minutes} min`,
  hours: (hours: number, minutes: number) => `${hours} h ${String(minutes).padStart(2, '0')} min`,
  days: (days: number, hours: number) => `${countText(days, 'day')} ${hours} h`,
  columns: {
    since: 'Open for',
    patient: 'Patient',
    finding: 'Finding',
    signed: 'Signed by',
    actions: 'Document',
  },
  document: 'Document…',
  documentOf: (finding: string) => `Document: ${finding}`,
} as const

export type English = typeof en
