/** Every text of the list of critical results. */
export const words = {
  title: 'Critical results',
  about: 'Results that nobody was told of yet. Each stays here until it is documented who was told.',
  none: 'Nobody waits to be told',
  noneText: 'A report that is signed as critical appears here, with the time since its signature, until somebody was told.',
  columns: { since: 'Open for', patient: 'Patient', finding: 'Finding', signed: 'Signed by', actions: 'Document' },
  document: 'Document…',
  documentOf: (finding: string) => `Document: ${finding}`,
} as const
