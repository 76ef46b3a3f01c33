import type { Commitment, PerformedStep } from '#shared/contract/images.ts'
import type { StudyArea } from '#shared/contract/settings.ts'
import { countText } from '../display/amounts.ts'
import type { Tone } from '../display/tones.ts'

export const en = {
  title: 'Images',
  about:
    'Studies as their images arrive, the latest first. Images are kept as the device sent them.',
  tabs: {
    label: 'Images',
    studies: 'Studies',
    quarantine: 'Set aside',
    recovered: 'Recovered files',
    inform: 'Correction notices',
  },
  showLabel: 'Which studies',
  shows: {
    all: 'All',
    receiving: 'Receiving',
    incomplete: 'Incomplete',
    mismatch: 'Mismatch',
    replaced: 'Replaced images',
  },
  search: 'Search',
  searchWhat: 'Name, patient ID, accession number, description or UID',
  columns: {
    patient: 'Patient',
    exam: 'Exam',
    device: 'Device',
    images: 'Images',
    state: 'State',
    last: 'Last image',
  },
  label: 'Studies with images, the latest first',
  arrived: (share: number) => `${share} % of the announced images are here`,
  setAside: (count: number) => `${count} set aside`,
  setAsideMeaning:
    'Images that were received but not added to the study. They wait for a decision.',
  none: 'No images yet',
  noneText: (aeTitle: string | null) =>
    `When a device sends images to ${aeTitle ? `AE title ${aeTitle}` : 'this gateway'}, they appear here as they arrive.`,
  noneFiltered: 'No study fits',
  noneFilteredText: 'Choose “All” and empty the search to see every study.',
  clear: 'Clear filters',
  more: 'Loading earlier studies…',
  last: 'No earlier study.',
  newer: (count: number) => `${countText(count, 'study', 'studies')} new at the top`,

  back: 'All studies',
  gone: 'There are no images of this study here',
  goneText: 'They may have been removed, or the address is incomplete.',
  priors: 'Find earlier studies',
  report: 'Report',
  facts: {
    patient: 'Patient',
    patientId: 'Patient ID',
    born: 'Born',
    sex: 'Sex',
    accession: 'Accession',
    description: 'Description',
    linkedOrder: 'Linked order',
    date: 'Study date',
    device: 'Device',
    first: 'First image',
    last: 'Last image',
    received: 'Received',
    transfer: 'Last transfer',
    uid: 'Study UID',
    setAside: 'Set aside',
  },
  unscheduled: 'Unscheduled: no order',
  unscheduledText:
    'These images were acquired without an order. Link the exam to its order, or keep it as unscheduled.',
  reconcile: 'Reconcile',
  setAsideWait: (images: number) => `${countText(images, 'image')} to decide on`,
  received: (images: number, series: number, size: string) =>
    `${countText(images, 'image')} in ${countText(series, 'series', 'series')}, ${size}`,
  lastOne: 'last image',
  studyUid: 'study UID',
  studyId: 'study id',
  transfers: { open: 'still connected', released: 'ended properly', aborted: 'broke off' },
  missing: '(empty)',
  thisGateway: 'This gateway',
  series: 'Series',
  seriesNone: 'No image was added to this study.',
  seriesAwaited: 'Announced; none of it is here',
  seriesColumns: {
    number: 'No.',
    modality: 'Modality',
    description: 'Description',
    images: 'Images',
    size: 'Size',
    last: 'Last image',
  },

  identity: {
    titles: {
      matched: 'The device created its own Study Instance UID',
      mismatch: 'The images do not match',
      overridden: 'The images do not match, and the check was overridden',
      resolved: 'The images were corrected',
    },
    abouts: {
      matched:
        'Patient and exam are those of the worklist entry. The images are kept under the UID that the device gave them.',
      mismatch:
        'They name another patient or exam than the worklist, the study or each other. Nothing was changed. Find out which is right, and correct it where it is wrong. Until then no report of this study can be signed, and no signed report is delivered.',
      overridden:
        'A person who may sign reports gave a reason to go on. If something else differs later, it is a mismatch again.',
      resolved:
        'They name the patient and the exam of the worklist or the study. The original images are kept and no longer shown.',
    },
    overriddenBy: 'Overridden by',
    reason: 'Reason',
    toReport: 'Override it in the report',
  },

  steps: 'Performed at the device (MPPS)',
  stepsNone: 'The device did not report how the exam went.',
  of: (modality: string) => `(${modality})`,
  stepColumns: {
    step: 'Step',
    state: 'State',
    device: 'Device',
    started: 'Started',
    ended: 'Ended',
    images: 'Images',
  },
  stepStates: {
    'IN PROGRESS': { tone: 'info', name: 'In progress' },
    COMPLETED: { tone: 'good', name: 'Completed' },
    DISCONTINUED: { tone: 'warning', name: 'Discontinued' },
  } satisfies Record<PerformedStep['status'], { tone: Tone; name: string }>,

  commitments: 'Storage confirmations',
  commitmentsNone: 'The device did not ask to have the storage of its images confirmed.',
  commitmentColumns: {
    asked: 'Asked',
    device: 'Device',
    images: 'Images',
    state: 'State',
    remark: 'Remark',
  },
  commitmentStates: {
    waiting: { tone: 'info', name: 'Answer on its way' },
    delivered: { tone: 'good', name: 'Answered' },
    'given-up': { tone: 'warning', name: 'Not delivered' },
  } satisfies Record<Commitment['state'], { tone: Tone; name: string }>,
  commitmentAgain: { tone: 'warning', name: 'Trying again' },
  notHere: (count: number) => `${count} not here`,
  attempts: (count: number) => (count === 1 ? '1 attempt' : `${count} attempts`),
  next: 'next at',

  enrichment: 'What the partner knows',
  enrichmentAsked: 'Asked',
  enrichmentNext: 'Asked again',
  enrichmentBecause: 'Because',
  enrichmentNever: 'not yet',
  enrichmentBefore: {
    name: 'Not asked yet',
    meaning: 'The partner is asked once a study is made of these images.',
  },
  retryEnrichment: 'Ask the partner now',
  retryAbout: 'Only fields that nobody has filled in are filled.',

  interface: 'In this gateway',
  interfaceNone:
    'No study was made of these images yet. Which areas get one is said in Settings, under Images.',
  areas: { scribe: 'Reporting (scribe)', viewer: 'Viewer' } satisfies Record<StudyArea, string>,
  seeded: 'made from these images',
  registered: 'was registered before',

  sending: 'Where it goes',
  sendingNone: 'It was not sent to another system.',
  sendTo: 'Send to',
  sendToPick: 'Choose a destination',
  send: 'Send',
  sendDone: 'The study is on its way.',
  noDestination: 'No destination is set up or switched on.',
  sendNext: 'Next attempt:',
  retry: 'Try now',
  versions: {
    title: 'Images with several versions',
    about:
      'The device sent these images again under the same identifier, with another content. The latest one is shown and sent on; every earlier one is kept.',
    columns: {
      image: 'Image',
      state: 'Version',
      change: 'What differs',
      received: 'Received',
      actions: '',
    },
    states: { current: 'Shown', superseded: 'Earlier' },
    changes: {
      attributes: 'Description only',
      pixels: 'Other pixels',
      unknown: 'Pixels could not be compared',
    },
    review: 'I have compared the versions',
    reviewAsk: {
      title: 'You have compared the versions?',
      action: 'Acknowledge',
      label: 'Note',
      about: 'It is kept in the audit trail.',
      example: 'e.g. reconstructed again with another kernel, confirmed by the technologist',
    },
    reviewText: 'The images stay as they are. They no longer need attention.',
    restore: 'Show this version',
    restoreAsk: {
      title: 'Show this version of the image?',
      action: 'Show this version',
      label: 'Reason',
      about: 'It is kept in the audit trail.',
      example: 'e.g. the later one belongs to another patient',
    },
    restoreText:
      'It takes its place in the study again and is sent on where images go by themselves. The later version is kept.',
  },
} as const

export type English = typeof en
