export const en = {
  title: 'Audit',
  about:
    'Who changed what at this gateway, newest first. Entries cannot be changed or removed; each one seals the one before it.',
  label: 'Audit trail, newest first',
  columns: { seq: 'No.', at: 'Time', actor: 'Who', action: 'What', target: 'On', detail: 'Detail' },
  you: (name: string) => `${name} (you)`,
  gateway: 'The gateway itself',
  commandLine: 'Command line',
  apiKey: (description: string) => `API key ${description}`,
  newer: 'Show newer entries',
  none: 'Nothing yet',
  noneText: 'Sign-ins and changes of devices, partner, settings and downtime mode appear here.',
  noneFound: 'No entry fits',
  noneFoundText: 'Choose other filters, or clear them.',
  clear: 'Clear filters',
  more: 'Loading older entries…',
  last: 'This is the first entry of the trail.',
  lastFound: 'No older entry fits.',

  who: 'Who',
  anyone: 'Anyone',
  what: 'What was done',
  anything: 'Anything',
  on: 'Id of what it was done to',
  from: 'From',
  to: 'To',

  verify: 'Verify',
  verifyMeaning: 'Follows the chain from the first entry to the last.',
  entries: ['entry', 'entries'],
  intact: 'The trail is unbroken',
  intactText: (entries: string, took: string) =>
    `${entries} followed in ${took}: each is what was written, and none is missing.`,
  brokenText:
    'Something else than Isthmus changed the database, or it is damaged. Export the trail, keep a copy of the data folder, and tell the vendor. The entries before it are what was written.',
  found: {
    entry: (seq: string, _missing: string) => `The trail is broken at entry ${seq}`,
    older: (_seq: string, missing: string) => `The trail is older than its anchor by ${missing}`,
    replaced: () => 'The trail is not the one its anchor knows',
    'head-missing': () => 'The end of the trail was deleted',
    'head-unreadable': () => 'The end of the trail was changed',
    'anchor-missing': () => 'The anchor of the trail was deleted',
    'anchor-changed': () => 'The anchor of the trail was changed',
    triggers: () => 'The protection of the trail against changes was removed',
    sending: () => 'The position up to which entries were sent was changed',
  },
  recorded: (seq: string) => `Entry ${seq} records what was found.`,
  foundText:
    'Something else than Isthmus changed the data folder. Find out who had access to this PC. If the cause is known, such as a copy put back by hand, acknowledge it: the entry stays.',
  acknowledge: {
    title: 'Acknowledge the finding',
    action: 'Acknowledge',
    label: 'Cause',
    about: 'It is kept in the audit trail with your name.',
    example: 'Database copied back by hand after a disk failure',
  },
  dismiss: 'Close',

  exportSpan: 'Export these days',
  exportAll: 'Export',
  csv: 'CSV',
  csvAbout: 'for a spreadsheet',
  jsonl: 'JSON Lines',
  jsonlAbout: 'with everything that proves the chain',
  exportNoted: 'That you took it is an entry of the trail.',
} as const

export type English = typeof en
