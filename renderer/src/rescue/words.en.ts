import type { BackupKind } from '#shared/contract/dashboard-upkeep.ts'

/** Every text of the page of a gateway that cannot open its data. */
export const en = {
  title: 'The gateway cannot open its data',
  faults: {
    damaged: 'The database is damaged',
    'not-a-database': 'The database cannot be read',
    'database-missing': 'The database is missing',
    'key-missing': 'The data key is missing',
    'key-sealed': 'The data key is in another account',
    'key-wrong': 'The data key does not fit',
    'seal-broken': 'The data key does not fit',
  } as Readonly<Record<string, string>>,
  why: {
    damaged:
      'A part of its file on the disk is not what was written, as after a failing disk or a power cut. A back-up puts that right.',
    'not-a-database':
      'Its file on the disk is not a database any more, as after a failing disk or a power cut. A back-up puts that right.',
    'database-missing':
      'Its file is gone from the disk, though images are here. Restore a backup, or put the file back and start the gateway again.',
    'key-missing':
      'What is kept here is encrypted, and its key is gone. The recovery key brings it back; so does a back-up that is opened with it.',
    'key-sealed':
      'What is kept here is encrypted. Its key is in the key store of another account: start the app there, or use the recovery key.',
    'key-wrong':
      'What is kept here was encrypted under another key than the one beside it. The recovery key brings the right one back.',
    'seal-broken':
      'What is kept here was encrypted under another key than the one beside it. The recovery key brings the right one back.',
  } as Readonly<Record<string, string>>,
  says: 'The gateway says:',
  calm: {
    unchanged: 'Nothing was changed, and nothing will be deleted. What is replaced is kept aside.',
    devices: 'Until this is mended, devices and partners get no answer. Devices keep their images.',
    here: 'This page opens on this PC alone.',
  },
  version: (version: string) => `Version ${version}`,
  unreachable: 'The gateway does not answer. This page keeps asking.',
  linkNeeded:
    'This page opens by its link alone. The app opens it by itself: start it again. Where the gateway runs without a window, this prints the link:',
  command: 'isthmus sign-in-link --data DIR',
  starting: 'The gateway starts',
  startingText: 'The window opens by itself in a moment.',
  puttingBack: 'The back-up is being put back',
  decrypting: (share: string) => `Opening the back-up, ${share}`,
  checking: 'Checking that it is whole',
  failed: 'The back-up was not put back',
  failedText: 'Everything is still as it was: try another one.',
  recoveryKey: [
    'Recovery key',
    'Eight groups of four, as on the sheet. Case and hyphens do not matter.',
  ],
  key: {
    title: 'Put the data key back',
    text: 'With the recovery key, the database that is here opens again, and nothing is lost.',
    put: 'Put the key back and start',
  },
  backups: {
    title: 'Put a back-up back',
    list: 'Back-ups, the newest first',
    kinds: {
      'by-hand': 'by hand',
      scheduled: 'by the plan',
      'before-update': 'before an update',
    } satisfies Record<BackupKind, string>,
    withKey: 'with the recovery file',
    withoutKey: 'opens on this PC only',
    folderUnknown: 'Which folder the back-ups are in cannot be read any more. Name it below.',
    emptyFolder: (folder: string) =>
      `There is no back-up in ${folder}. Is its disk plugged in? If they are elsewhere, name the folder below.`,
    folder: [
      'Another folder',
      'On this PC, on a disk that you plug in, or on the network. A back-up of another PC opens with its recovery key.',
    ],
    example: 'e.g. D:\\Isthmus back-ups or /mnt/backup/isthmus',
    look: 'Look there',
  },
  chosen: {
    title: (when: string) => `The back-up of ${when}`,
    tables: {
      studies: 'Studies',
      reports: 'Reports',
      imageStudies: 'Studies with images',
      users: 'People',
      devices: 'Devices',
      expressCustomers: 'Customers',
      auditEntries: 'Audit entries',
    },
    cannot: 'This one cannot be put back',
    needsKey:
      'No data key that is here opens it. The recovery key that was in force when it was made does.',
    tryKey: 'Try this key',
    keyFits: 'The recovery key opens it.',
    put: 'Put this back-up back',
    ask: (when: string) => `Put the back-up of ${when} back?`,
    lost: 'The gateway then goes on from that moment. What was written after it is not in the back-up.',
    kept: 'The database of now is kept aside in the data folder. Images stay where they are.',
    notYet: 'Not yet',
  },
} as const

export type English = typeof en
