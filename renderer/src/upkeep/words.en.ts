import type {
  BackupKind,
  BackupPlace,
  RestoreState,
  UpkeepState,
} from '#shared/contract/dashboard-upkeep.ts'
import { countText } from '../display/amounts.ts'

type Phase = NonNullable<UpkeepState['running']>['phase']

export const en = {
  title: 'Back-ups',
  about:
    'Copies of the database, encrypted, made while the gateway works on. Each is opened and compared before it counts; once a month one is tried as on the worst day.',
  make: 'Make a back-up now',
  states: {
    good: 'In order',
    info: 'At work',
    warning: 'To think about',
    danger: 'To be mended',
    plain: 'Not used',
  },
  phases: {
    copying: 'Copying the database',
    checking: 'Opening the copy and comparing it',
    encrypting: 'Encrypting',
    comparing: 'Reading it back and comparing',
    rehearsing:
      'Trying the newest back-up: opening, counting, following the audit trail, reading reports',
  } satisfies Record<Phase, string>,
  share: (phase: string, percent: string) => `${phase}, ${percent}`,
  goesOn: 'Devices and people are not held up by it. It goes on when you leave this screen.',

  last: {
    title: 'Last back-up',
    none: 'None has been made yet',
    noFolder: 'No folder is chosen',
    noFolderText:
      'Choose one below, best on another disk. What is on this PC is nowhere else until then.',
    failed: 'The last one was not made',
    fault: 'The folder cannot be read',
    old: 'The newest is older than planned',
    byHand: 'Made by hand only',
    byHandText: 'Nothing makes one by itself. Choose a time below.',
    unplanned: 'Not made by the plan yet',
    unplannedText:
      'The newest was made by hand or before an update. Whether the plan works is known once it has made one.',
    sameDisk: 'Made as planned, on the disk of the data',
    sameDiskText:
      'If the disk of the data fails, its back-ups are lost with it. Choose a folder on another disk or another machine below.',
    fine: 'Made as planned',
    made: 'Made',
    holds: 'Holds',
    database:
      'The database with reports, settings and audit trail. Not the images: they are safe only where they were sent to.',
    place: 'Where',
    places: {
      'same-disk': 'On the disk of the data',
      'other-disk': 'On another disk or partition of this PC',
      network: 'On another machine',
      synced: 'In a folder that is copied to a cloud',
    } satisfies Record<BackupPlace, string>,
    running: 'One is being made',
    newest: 'Newest',
    next: 'Next',
    never: 'not by itself',
  },
  rehearsal: {
    title: 'Rehearsal',
    never: 'Not tried yet',
    neverText:
      'A back-up that was never opened is a hope. The first trial follows the first planned back-up.',
    good: 'The newest back-up opens',
    bad: 'The trial failed',
    running: 'It is being tried',
    tried: 'Tried',
    took: 'Took',
    due: 'Next',
    none: 'after the next planned back-up',
    now: 'Try now',
  },
  standby: {
    title: 'Standby',
    none: 'No copy elsewhere is known',
    noneText:
      'A second PC can wait with a copy. docs/STANDBY.md says how it is set up; the copying then tells this gateway.',
    good: 'The copy keeps up',
    late: 'The copy lags behind',
    point: 'Recovery point',
    pointMeaning: 'Should this PC be lost now, what was written after it is lost.',
    copied: 'Copied',
    to: 'To',
    never: 'nothing yet',
  },

  plan: {
    title: 'Plan',
    folder: [
      'Folder on the PC of the gateway',
      'Best on another disk. It is created if it does not exist.',
    ],
    example: 'e.g. D:\\Isthmus back-ups or /mnt/backup/isthmus',
    use: 'Use this folder',
    daily: ['Every day', 'By the clock of the clinic. A PC that was asleep catches up.'],
    at: 'At',
    often: ['For a standby', 'Beside the daily one: it decides how much a loss of this PC costs.'],
    every: 'Every',
    minutes: ' min',
    keep: [
      'Kept',
      'Of each day, week and month the last one is kept for so long. The newest is never removed, nor one made by hand.',
    ],
    days: 'Days',
    weeks: 'Weeks',
    months: 'Months',
    on: 'On',
    off: 'Off',
    save: 'Save the plan',
    discard: 'Discard',
    saved: 'The plan is saved.',
    outside:
      'Images are not in a back-up: copy the folder “images” of the data folder by your own means, or let a standby copy both. The data key is in it only under the recovery key.',
  },

  list: {
    title: 'In the folder',
    empty: 'No back-up yet',
    emptyText:
      'With a plan the first one comes by itself within minutes; the button above makes one now.',
    columns: {
      made: 'Made',
      kind: 'Why',
      size: 'Size',
      opens: 'Opens with',
      version: 'Version',
      kept: 'Kept until',
      actions: 'Actions',
    },
    kinds: {
      'by-hand': 'by hand',
      scheduled: 'planned',
      'before-update': 'before an update',
    } satisfies Record<BackupKind, string>,
    withKey: 'this PC, or the recovery key',
    withoutKey: 'this PC only',
    withoutKeyMeaning:
      'There was no recovery key when it was made: without the data key of this PC nobody can open it.',
    version: (program: string, schema: number) => `${program}, schema ${schema}`,
    forever: 'removed by a person',
    back: 'Put back…',
    backOf: (name: string) => `Put back ${name}`,
    remove: (name: string) => `Remove ${name}`,
    removed: 'The back-up is removed.',
    removeTitle: 'Remove this back-up?',
    removeText: (name: string) => `${name} is deleted from the folder and cannot be had again.`,
    removeAction: 'Remove it',
    elsewhere: 'Put back from another folder…',
  },

  elsewhere: {
    title: 'A back-up in another folder',
    label: 'Folder of the back-up on the PC of the gateway',
    about: 'The folder with the date in its name, such as on a disk that was just connected.',
    example: 'e.g. E:\\isthmus-2026-11-20-023000Z',
    wrong: 'must be the whole path of a back-up’s folder',
    look: 'Look into it',
    cancel: 'Cancel',
  },

  restore: {
    title: 'Put a back-up back',
    of: (moment: string) => `The back-up of ${moment}`,
    cannot: 'This back-up cannot be put back',
    columns: { what: 'What', inBackup: 'In the back-up', now: 'Now', change: 'Change' },
    tables: {
      users: 'People',
      devices: 'Devices',
      settings: 'Settings',
      expressCustomers: 'Express customers',
      studies: 'Studies',
      reports: 'Reports',
      imageStudies: 'Studies with images',
      auditEntries: 'Entries of the audit trail',
    },
    unknown: 'not known',
    same: 'the same',
    lostTitle: 'What would be lost',
    lost: (things: string) => `${things} that are here now are not in the back-up.`,
    more: (things: string) => `${things} of the back-up are not here now and come back.`,
    count: {
      users: (count: number) => countText(count, 'person', 'people'),
      devices: (count: number) => countText(count, 'device'),
      settings: (count: number) => countText(count, 'setting'),
      expressCustomers: (count: number) => countText(count, 'Express customer'),
      studies: (count: number) => countText(count, 'study', 'studies'),
      reports: (count: number) => countText(count, 'report'),
      imageStudies: (count: number) => countText(count, 'study with images', 'studies with images'),
      auditEntries: (count: number) =>
        countText(count, 'entry of the audit trail', 'entries of the audit trail'),
    },
    countOther: (table: string, count: number) => `${table}: ${count}`,
    changes: 'Everything else that was changed since then is as it was before, too.',
    nothing: 'By the numbers nothing is lost; what was changed since then is as it was before.',
    keepsTitle: 'What happens',
    keeps: [
      'The database of now is not deleted: it is kept aside in the data folder.',
      'Images stay on the disk. Those that came in after the back-up was made are taken in again from there.',
      'The gateway starts again: for some seconds devices get no worklist and send no images.',
      'Who signed in after the back-up was made signs in anew.',
    ],
    key: ['Recovery key', 'This back-up is of another data key. The sheet has it, eight groups.'],
    password: ['Your password', 'Only an owner may put a back-up back.'],
    notOwner: 'Only an owner may put a back-up back. Ask one of them.',
    action: 'Put it back',
    cancel: 'Leave everything as it is',
  },

  progress: {
    title: 'A back-up is put back',
    phases: {
      none: 'The gateway starts again',
      decrypting: 'The back-up is opened',
      checking: 'It is checked: counted and compared',
      ready: 'Ready. The gateway starts again with it',
      failed: 'It was not put back',
    } satisfies Record<RestoreState['phase'], string>,
    away: 'The gateway starts again with the back-up',
    awayText: 'This window comes back by itself in a few seconds.',
    unchanged: 'Nothing was changed: the gateway goes on with the database it has.',
    stay: 'Keep this window open.',
    close: 'Close',
    restart: 'Restart gateway',
  },

  support: {
    button: 'For support…',
    title: 'A bundle for support',
    about:
      'What somebody who helps from outside needs. Nothing is sent: you read it here, save it as one ZIP file and hand it over yourself. Patients, passwords, keys, names and addresses are left out or masked.',
    files: 'Files of the bundle',
    cut: 'Only its beginning is shown; the file has it all.',
    save: 'Save as ZIP',
    noted: 'The audit trail keeps that you saved it.',
    close: 'Close',
  },
} as const

export type English = typeof en
