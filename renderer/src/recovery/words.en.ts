import { countText } from '../display/amounts.ts'

export const en = {
  title: 'Recovered files',
  about:
    'These image files are on the disk, but the database has no record of them. Import them, and they take their place as if the device sent them now.',
  label: 'Recovered files',
  columns: {
    patient: 'Patient, as the file says',
    from: 'From',
    bytes: 'Size',
    at: 'Written',
    actions: 'Decide',
  },
  unreadable: 'Not readable as an image',
  unreadableText: 'It cannot be imported. It may be damaged, or it is not a DICOM file.',
  study: 'Study',
  none: 'No recovered files',
  noneText:
    'Files appear here only where an older copy of the database was put back, or the gateway was stopped in the middle of a transfer.',
  more: 'Loading more…',
  last: 'These are all.',
  notAllowed:
    'You need the right to manage studies of every customer to see these files. An owner or administrator can allow it on the People screen.',
  import: 'Import',
  importAll: 'Import all',
  importing: (count: string) => `Importing… ${count} so far`,
  imported: (count: number) => `${countText(count, 'file')} imported.`,
  notImported: (count: number) =>
    `${countText(count, 'file')} could not be imported and ${count === 1 ? 'stays' : 'stay'} here.`,
  discard: 'Discard',
  discardAsk: {
    title: 'Discard this file for good?',
    action: 'Discard for good',
    label: 'Reason',
    about: 'It is kept in the audit trail.',
    example: 'e.g. unreadable, and the device has sent the image again',
  },
  discardText:
    'It is deleted from this gateway and cannot be brought back. It may be an image that its device has deleted since.',
  discardUnsure: 'Import it if you are not sure.',
} as const

export type English = typeof en
