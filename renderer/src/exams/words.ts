import type { EXAM_SHOWS, Exam, ExamCheck } from '#shared/contract/dashboard-exams.ts'
import { countText } from '../display/amounts.ts'
import type { Tone } from '../display/tones.ts'
import { inLanguage } from '../language/words.ts'
import { es } from './words.es.ts'

const en = {
  title: 'Worklist',
  about:
    'The exams that the partner has planned, which devices were given them, and how far they are.',
  tabs: {
    label: 'Worklist',
    exams: 'Exams',
    why: 'Why not on the device?',
    reconcile: 'Reconcile',
    ask: 'Ask as a device',
  },
  days: {
    label: 'Day',
    yesterday: 'Yesterday',
    today: 'Today',
    tomorrow: 'Tomorrow',
    other: 'Another day',
  },
  shows: {
    all: 'All',
    waiting: 'Not yet handed out',
    withheld: 'Withheld',
    overdue: 'Overdue',
  } satisfies Record<(typeof EXAM_SHOWS)[number], string>,
  showMeanings: {
    all: 'Every exam of the day.',
    waiting: 'Planned, and no device has been given it yet.',
    withheld: 'It cannot be sent, to any device or to one.',
    overdue: 'Past its time, and nothing of it has begun.',
  } satisfies Record<(typeof EXAM_SHOWS)[number], string>,
  showLabel: 'Which exams',
  device: 'Device',
  anyDevice: 'All devices',
  modality: 'Modality',
  anyModality: 'All modalities',
  search: 'Name, MRN, accession number, exam',
  shown: (count: number) => countText(count, 'exam'),
  hidden: (count: number) => `${count} hidden by filters`,
  clear: 'clear',
  refresh: 'Ask the partner now',
  print: 'Print by room',
  refreshed: (asked: number) =>
    `The partner was asked in the name of ${countText(asked, 'device')}.`,
  refreshFailed: (failed: number, asked: number) =>
    `${failed} of ${asked} questions had no answer.`,
  source: {
    live: (at: string) => `As the partner answered at ${at}`,
    stored: (at: string, since: string) =>
      `Stored answer of ${at}: the partner is away since ${since}`,
    storedNow: (at: string) => `Stored answer of ${at}: the partner cannot be asked`,
    none: 'The partner was not asked for this day yet',
  },
  cut: (shown: number, all: number) =>
    `The first ${shown} of ${all} exams are shown. Choose a device.`,
  label: 'Exams of the day',
  columns: {
    time: 'Time',
    patient: 'Patient',
    mrn: 'MRN',
    accession: 'Accession',
    exam: 'Exam',
    devices: 'On the list of',
    state: 'State',
    actions: 'Actions',
  },
  noTime: 'no time',
  overdue: 'overdue',
  overdueMeaning: 'Its time is over and nothing of it has begun.',
  states: {
    scheduled: {
      tone: 'plain',
      name: 'Scheduled',
      meaning: 'The partner has planned it; no device was given it yet.',
    },
    'handed-out': { tone: 'info', name: 'Handed out', meaning: 'A device was given it.' },
    started: {
      tone: 'warning',
      name: 'In progress',
      meaning: 'The device reported that it has begun (MPPS).',
    },
    images: { tone: 'warning', name: 'Images arriving', meaning: 'Some of its images are here.' },
    completed: {
      tone: 'good',
      name: 'Completed',
      meaning: 'The device reported it completed, or its images are here.',
    },
    closed: {
      tone: 'plain',
      name: 'Closed here',
      meaning: 'Staff marked it as done or cancelled; stored lists leave it out.',
    },
    gone: {
      tone: 'warning',
      name: 'Not listed any more',
      meaning: 'The partner listed it and does not any more: cancelled or moved.',
    },
  } satisfies Record<Exam['state'], { tone: Tone; name: string; meaning: string }>,
  images: (count: number) => countText(count, 'image'),
  onList: (device: string, at: string) => `${device}: on its list, given at ${at}`,
  wasSent: (device: string, at: string) => `${device}: given at ${at}, not on its newest list`,
  noDevice: 'no device yet',
  withheldAll: 'Withheld from every device',
  withheldFrom: (device: string) => `Withheld from ${device}`,
  actions: {
    open: (time: string) => `Actions for the exam of ${time}`,
    why: 'Why is it not on the device?',
    images: 'Look at the images',
    study: 'Open the study',
    arrival: 'Images as they arrived',
    close: 'Mark as done or cancelled…',
    reopen: 'Undo “done”',
  },
  reopened: 'The exam is open again.',
  closed: 'The exam is marked as done here.',
  keys: 'Worklist',
  keyNames: {
    why: 'Why is the exam not on the device?',
    images: 'Images of the exam',
    close: 'Mark the exam as done',
    refresh: 'Ask the partner now',
  },
  none: 'No exam on this day',
  noneText: 'The partner lists nothing for this day, as far as devices have asked.',
  notAsked: 'The partner was not asked for this day yet',
  notAskedText:
    'Exams appear as soon as a device asks for its worklist. You can also ask the partner now.',
  noneShown: 'No exam fits',
  noneShownText: 'Take the filters away to see every exam of the day.',
  clearFilters: 'Clear filters',
  noDevices: 'There is no device yet',
  noDevicesText:
    'The partner is asked in the name of devices. Add one, or let it call once and approve it.',
  toDevices: 'Go to devices',
  why: {
    title: 'Why is an exam not on the device?',
    about:
      'Every step between the partner and the list of the device, in order. The partner is asked as the device would ask.',
    device: 'Device',
    exam: 'Exam',
    examAbout: 'Patient name, patient ID or accession number',
    chosenExam: 'The exam chosen in the list',
    otherExam: 'Another exam',
    day: 'Planned for',
    ask: 'Find out',
    again: 'Check again',
    waiting:
      'The partner is asked as the device would. This takes as long as the device would wait.',
    before: 'Name a device and an exam',
    beforeText:
      'The first step that keeps the exam from the device is shown, with what can be done about it.',
    candidates: 'Several exams fit. Which one?',
    choose: 'Choose',
    given: 'The device would be given this exam now',
    notGiven: 'This keeps the exam from the device',
    unknownExam: 'The partner has no such exam',
    checksLabel: 'Checks in their order',
    first: 'It stops here',
    later: 'does not matter yet',
    query: 'Show the query that was made',
    links: {
      devices: 'Open devices',
      partner: 'Open partner',
      settings: 'Open settings',
      queries: 'Open the device’s queries',
      images: 'Open images',
      worklist: 'Open the exams of the day',
    },
  },
  checks: {
    known: 'The device is known and switched on',
    called: 'It has called this gateway',
    today: 'It has called today, as it is known here',
    association: 'Its call was accepted',
    asked: 'It has asked for its worklist today',
    partner: 'The partner answers',
    listed: 'The exam is in the partner’s answer',
    valid: 'The exam is fit to be sent',
    encodable: 'Its texts can be written for the device',
    window: 'It is in the days, modality and limits of the device',
    keys: 'It meets what the device asks for',
    open: 'It is neither done nor closed',
    sent: 'The device was given it',
  } satisfies Record<ExamCheck['check'], string>,
  checkStates: {
    ok: { tone: 'good', name: 'in order' },
    failed: { tone: 'danger', name: 'not so' },
    unknown: { tone: 'plain', name: 'not known' },
    skipped: { tone: 'plain', name: 'not looked at' },
  } satisfies Record<ExamCheck['state'], { tone: Tone; name: string }>,
} as const

export type English = typeof en
export const words = inLanguage(en, es)
