export const words = {
  title: 'Audit',
  about: 'Who changed what at this gateway, newest first. Entries cannot be changed or removed; each one seals the one before it.',
  label: 'Audit trail, newest first',
  columns: { seq: 'No.', at: 'Time', actor: 'Who', action: 'What', target: 'On', detail: 'Detail' },
  you: (name: string) => `${name} (you)`,
  none: 'Nothing yet',
  noneText: 'Sign-ins and changes of devices, partner, settings and downtime mode appear here.',
  more: 'Loading older entries…',
  last: 'This is the first entry of the trail.',
} as const
