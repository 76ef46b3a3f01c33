import type { IdentityState } from '#shared/contract/images.ts'
import { countText } from '../display/amounts.ts'

const MANAGERS = 'Owners and administrators of this gateway may do this. Ask one of them.'

/** Every text of the pieces that several screens share. */
export const en = {
  undo: 'Undo',
  undoKeys: 'Undo (Alt+Z)',
  cutOff: 'The gateway does not answer. Nothing can be changed until it does.',
  mayNot: {
    manageGateway: MANAGERS,
    manageUsers: MANAGERS,
    manageCustomers: MANAGERS,
    manageStudies:
      'Your account may look at studies, not change them. An owner or administrator can allow it on the People screen.',
    readStudies:
      'Your account has no access to the window. An owner or administrator can allow it on the People screen.',
    writeReports:
      'Your account may read reports, not write them. An owner or administrator can allow it on the People screen.',
  },
  loading: 'Loading',
  failed: 'This could not be done',
  failures: {
    'not-permitted': 'This is not open to your account',
    unreachable: 'No answer',
    'too-many': 'Not so often',
    'not-found': 'This is not there any more',
  },
  askManager: 'Ask an owner or administrator of this gateway.',
  again: 'Try again',
  request: (id: string) => `Request ${id}`,
  cancel: 'Cancel',
  close: 'Close',
  showPassword: 'Show or hide the password',
  keep: 'Keep it',
  reasonNeeded: 'Enter a reason',
  copied: 'Copied',
  copy: (what: string) => `Copy ${what}`,
  never: 'never',
  noName: '(no name)',
  noDate: '(no date)',
  echo: {
    answers: (took: string) => `It answers (${took})`,
    silent: 'It does not answer',
  },
  identity: {
    states: {
      matched: [
        'Identity checked',
        'The images name the patient and the exam that the worklist or the study names.',
      ],
      unverified: [
        'Identity not verified',
        'There is no worklist entry and no study of a partner to compare the images with.',
      ],
      mismatch: [
        'Mismatch',
        'The images name another patient or exam. No report is signed until this is resolved or overridden.',
      ],
      overridden: [
        'Mismatch overridden',
        'The images name another patient or exam. A person who may sign gave a reason to go on.',
      ],
      resolved: [
        'Identity corrected',
        'The images named another patient or exam and were corrected. The originals are kept.',
      ],
    } satisfies Record<IdentityState, readonly [name: string, meaning: string]>,
    unscheduled: [
      'Unscheduled: no order',
      'The images were made without an order: there is no worklist entry and no study of a partner to compare them with.',
    ],
    sources: {
      worklist: { title: 'Compared with the worklist', expected: 'Worklist', received: 'Images' },
      'worklist-and-study': {
        title: 'Compared with the worklist and the study',
        expected: 'Worklist and study',
        received: 'Images',
      },
      study: { title: 'Compared with the study', expected: 'Study', received: 'Images' },
      version: {
        title: 'Compared with a version of the images in quarantine',
        expected: 'In quarantine',
        received: 'Shown',
      },
      images: {
        title: 'Images of this study compared',
        expected: 'First images',
        received: 'Other images',
      },
    },
    resolve: 'Resolve',
    field: 'Field',
    missing: '(empty)',
  },
  forwards: {
    none: 'nothing to send',
    failed: {
      name: 'not sent',
      meaning:
        'Refused, or tried for as long as the settings allow. A person decides: try again, or give up.',
    },
    waiting: { name: 'waiting', meaning: 'To be sent, or to be tried again.' },
    sent: { name: 'sent', meaning: 'The other side said that it has them.' },
    dropped: {
      name: 'given up',
      meaning:
        'Not to be sent: a person decided so, or they were set aside, or newer versions took their place. Each image says why.',
    },
  },
  closeStep: {
    title: 'Mark this step as done?',
    about:
      'While the partner cannot be reached, devices are given its last good list. This step will be left out of it. The partner is not told, and its next live list counts again.',
    reason: 'Reason',
    reasonAbout: 'May be left empty.',
    reasonExample: 'e.g. done, patient did not come',
    submit: 'Mark done',
    undo: 'Undo done',
  },
  stations: {
    label: 'What happened, step by step',
    passed: 'passed',
    remark: 'with a remark',
    stop: 'it stopped here',
    skipped: 'not reached',
  },
  verdicts: {
    label: 'Exams and what became of them',
    sent: { name: 'Sent', meaning: 'The device was given this exam.' },
    filtered: { name: 'Filtered', meaning: 'The exam does not fit what the device asked for.' },
    withheld: { name: 'Withheld', meaning: 'The exam cannot be sent safely; the reason says why.' },
    cut: { name: 'Cut', meaning: 'The list was longer than may be sent to one query.' },
    columns: {
      verdict: 'Verdict',
      start: 'Start',
      patient: 'Patient',
      patientId: 'Patient ID',
      accession: 'Accession',
      exam: 'Exam',
      why: 'Why, remarks',
      step: 'Step',
    },
    end: (shown: number, total: number) =>
      `The first ${shown} of ${countText(total, 'exam')} are shown.`,
  },
  inspection: {
    exams: 'Exams',
    which: 'Which exams',
    all: 'All',
    noneText: 'Why is said above.',
    noneOf: {
      all: 'No exam in this answer',
      sent: 'No exam was sent',
      filtered: 'No exam was filtered',
      withheld: 'No exam was withheld',
    },
    noneOfText: 'Choose “All” to see every exam of the partner’s answer.',
    query: 'The query as received',
    keys: (count: number) => countText(count, 'key'),
    noKey: 'The query had no key',
    keysLabel: 'Keys of the query',
    key: 'Key',
    tag: 'Tag',
    vr: 'VR',
    value: 'Value',
    matching: 'Matching',
    matchings: {
      singleValue: 'must be equal',
      listOfUid: 'one of several',
      universal: 'any value; asked to be returned',
      wildCard: 'pattern with * or ?',
      range: 'from … to',
      sequence: 'group of keys',
      ignored: 'not used for matching',
    },
    detail: 'In detail',
    connection: 'Connection',
    from: 'From',
    at: (name: string, address: string) => `${name} at ${address}`,
    called: 'Called AE title',
    atInstant: 'At',
    took: 'Took',
    again: 'Asked again',
    againTimes: (times: number) => (times === 1 ? 'once, at ' : `${times} times, last at `),
    syntax: 'Transfer syntax',
    asked: 'What the partner was asked',
    wouldBeAsked: 'What the partner would have been asked',
    nothing: 'Nothing.',
    days: 'Days',
    modality: 'Modality',
    allModalities: 'all',
    as: 'As',
    clinic: 'Clinic',
    answered: 'What it answered',
    notCalled: 'It was not called for this query.',
    noAnswer: 'no answer',
    notCalledShort: 'not called',
    httpStatus: 'HTTP status',
    noStatus: 'none',
    size: 'Size',
    webhookId: 'Webhook id',
    webhookIdName: 'webhook id',
    detailOf: 'Detail',
  },
} as const

export type English = typeof en
