import { inLanguage } from '../language/words.ts'
import { es } from './words.es.ts'

const en = {
  title: 'Audit',
  about: 'Who changed what at this gateway, newest first. Entries cannot be changed or removed; each one seals the one before it.',
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
  intactText: (entries: string, took: string) => `${entries} followed in ${took}: each is what was written, and none is missing.`,
  broken: (seq: string) => `The trail is broken at entry ${seq}`,
  brokenText:
    'Something else than Isthmus changed the database, or it is damaged. Export the trail, keep a copy of the data folder, and tell the vendor. The entries before it are what was written.',
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
export const words = inLanguage(en, es)
