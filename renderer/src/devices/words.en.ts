import type { CharacterSet, DeviceProfile, LintFinding } from '#shared/contract/devices.ts'
import { countText } from '../display/amounts.ts'
import type { Tone } from '../display/tones.ts'
import { reachedAt } from './reached-at.ts'

export const en = {
  /** The sets a device can be set to, as a technologist knows them (PS3.3 C.12.1.1.2). */
  characterSets: {
    'ISO_IR 6': 'Plain letters without accents',
    'ISO_IR 100': 'Western European',
    'ISO_IR 101': 'Central European',
    'ISO_IR 109': 'South European, Maltese, Esperanto',
    'ISO_IR 110': 'Baltic (Latin 4)',
    'ISO_IR 126': 'Greek',
    'ISO_IR 127': 'Arabic',
    'ISO_IR 138': 'Hebrew',
    'ISO_IR 144': 'Cyrillic',
    'ISO_IR 148': 'Turkish',
    'ISO_IR 166': 'Thai',
    'ISO_IR 203': 'Western European with euro sign',
    'ISO_IR 13': 'Japanese katakana',
    'ISO 2022 IR 87': 'Japanese kanji',
    'ISO 2022 IR 149': 'Korean',
    'ISO 2022 IR 58': 'Simplified Chinese (GB 2312)',
    GB18030: 'Chinese (GB 18030)',
    GBK: 'Chinese (GBK)',
    'ISO_IR 192': 'All scripts, Unicode UTF-8',
  } satisfies Record<CharacterSet, string>,
  /** Consoles with published rules for the rows they take. */
  profiles: {
    standard: 'As the DICOM standard has it',
    ge: 'GE',
    philips: 'Philips',
  } satisfies Record<DeviceProfile, string>,
  title: 'Devices',
  about:
    'The DICOM devices that may ask this gateway. A device is known by its AE title, and by its address where one is given.',
  add: 'Add device',
  columns: {
    name: 'Device, AE title',
    address: 'Address',
    modality: 'Modality',
    set: 'Characters',
    seen: 'Last seen',
    actions: 'Actions',
  },
  anyAddress: 'any address',
  byRow: 'as each name needs',
  off: 'Switched off',
  edit: (name: string) => `Edit ${name}`,
  queries: (name: string) => `Queries of ${name}`,
  ask: (name: string) => `Ask the worklist as ${name}`,
  check: (name: string) => `Check ${name}`,
  remove: (name: string) => `Remove ${name}`,
  removeTitle: 'Remove this device?',
  removeAction: 'Remove device',
  removeText: (name: string) =>
    `${name} will be rejected the next time it connects, and its worklist stays empty. Its past queries are kept. To stop it for a while, switch it off instead.`,
  none: 'No device yet',
  noneText: (aeTitle: string, address: string) =>
    `Point a device at AE title ${aeTitle}, ${reachedAt(address, 'the address of this PC, port ')}, and use its echo (“verify”) function: it then appears here as a caller to approve. Or add it by hand.`,
  noneTextShort:
    'Point a device at this gateway and use its echo (“verify”) function: it then appears here as a caller to approve. Or add it by hand.',
  inbox: {
    title: 'Callers waiting for approval',
    about:
      'These called but are not in the list: they may test the connection, and get nothing else. Approve only what you recognise.',
    from: (address: string) => `from ${address}`,
    called: (aeTitle: string) => `called ${aeTitle}`,
    wanted: 'Wanted',
    more: (services: string, count: number) => `${services}, and ${count} more`,
    attempts: (count: number) => (count === 1 ? 'once' : `${count} times`),
    last: 'last',
    name: 'Name',
    namePlaceholder: 'e.g. CT room 1',
    modality: 'Modality',
    anyAddress: 'Accept from any address',
    anyAddressAbout:
      'For devices whose address changes. Anybody who uses this AE title is then accepted.',
    approve: 'Approve',
    added: (name: string) => `${name} is now in the list.`,
    dismiss: 'Dismiss',
  },
  form: {
    addTitle: 'Add device',
    editTitle: 'Device',
    who: 'Who it is',
    name: ['Name', 'As your staff calls it, for example “CT room 1”.'],
    aeTitle: [
      'AE title',
      'As set at the device: its own (local, calling) AE title. Up to 16 characters; upper and lower case count at some devices.',
    ],
    address: [
      'Address',
      'IP address of the device, or a range such as 10.0.3.0/24. Left empty: any address is accepted.',
    ],
    modality: [
      'Modality',
      'Used for exams in which the partner names none, for example CT, MR, US.',
    ],
    isEnabled: ['Switched on', 'A device that is switched off is rejected.'],
    answers: 'What it is given',
    characterSet: [
      'Characters it can show',
      'If names appear with wrong letters or question marks at the device, set what its manual says. Left empty, each name is sent as it needs.',
    ],
    alwaysSendCharacterSet: [
      'Always name the character set',
      'Some devices need it said even where a name has plain letters only.',
    ],
    stationMode: [
      'Station name',
      'What happens when the device asks for the exams of one station only.',
    ],
    stations: {
      echo: 'It gets its list, whatever station it asks for',
      strict: 'Another station than itself gets nothing',
    },
    port: [
      'Its own port',
      'TCP port the device listens at, from its DICOM settings. Needed to test the connection and to confirm storage. Left empty: not used.',
    ],
    console: 'Its console',
    profile: [
      'Console',
      'Whose published rules its list is checked against, under “Check worklist”.',
    ],
    hideStarted: [
      'Leave out exams that are in progress',
      'Where two consoles share one list: an exam that one of them has begun is no longer offered to the other. Needs MPPS.',
    ],
    countsBytes: [
      'Counts bytes, not letters',
      'For consoles that cut or refuse long names with accents or other scripts, because such letters take several bytes.',
    ],
    encryption: 'Encryption (TLS)',
    tls: ['Connections', 'A device that does not connect as set here is rejected.'],
    tlsModes: {
      optional: 'Encrypted or not, as the device does',
      required: 'Only encrypted',
      mutual: 'Only encrypted, and with the device’s certificate',
    },
    certificate: [
      'The device’s certificate',
      'Paste it in PEM form. Left empty, one that was issued by an authority named in Settings is accepted.',
    ],
    limits: 'Limits',
    limitsAbout: 'Left empty, the settings of the clinic count.',
    daysBack: ['Days back', 'Days before today, when it asks without a date.'],
    daysForward: ['Days ahead', 'Days after today, when it asks without a date.'],
    maxRows: ['Most exams in one answer', 'Older devices may fail on long lists.'],
    save: 'Save',
    add: 'Add device',
    cancel: 'Cancel',
    clinic: 'clinic’s setting',
    pem: '-----BEGIN CERTIFICATE-----',
  },
  checks: {
    title: (name: string) => `Check ${name}`,
    echo: 'Connection',
    echoAbout:
      'Calls the device and asks whether it is there (C-ECHO). Nothing is changed at the device.',
    echoAction: 'Test connection',
    noPort:
      'The port the device listens at is not known. Enter it under “Its own port” of this device.',
    noAddress:
      'The address of the device is not known: it has not called yet, and none is entered.',
    lint: 'Worklist',
    lintAbout: (console: string) =>
      `Reads the list this device would get now and checks each exam against the rules of its console: ${console}. Nothing is sent to the device.`,
    lintAction: 'Check worklist',
    good: 'Every exam fits',
    empty: 'The list is empty',
    emptyText: 'There is no exam to check. Try it on a day with exams.',
    checked: (rows: string) => `${rows} checked.`,
    refused: (rows: string) => `The console would refuse ${rows}`,
    altered: 'The console would show some values otherwise',
    whole: 'One exam of this kind can make the console refuse the whole list.',
    source: 'Rules from',
    open: 'See the whole list',
    severities: {
      refused: {
        tone: 'danger',
        name: 'Refused',
        meaning: 'The console drops this exam, or the whole list with it.',
      },
      altered: {
        tone: 'warning',
        name: 'Altered',
        meaning: 'The console shows another value than the partner gave.',
      },
    } satisfies Record<LintFinding['severity'], { tone: Tone; name: string; meaning: string }>,
    exams: (count: number) => countText(count, 'exam'),
    label: 'Exams that do not fit this console',
    columns: { severity: 'Effect', patient: 'Exam', text: 'What is wrong, and what to do' },
  },
} as const

export type English = typeof en
