import type { Forward } from '#shared/contract/destinations.ts'
import type { Tone } from '../display/tones.ts'
import { inLanguage } from '../language/words.ts'
import { es } from './words.es.ts'

const en = {
  title: 'Destinations',
  about:
    'Other DICOM systems, such as a PACS or a reading service: images are sent on to them, and earlier studies are fetched from them.',
  add: 'Add destination',
  priors: 'Find earlier studies',
  none: 'No destination yet',
  noneText:
    'Add the PACS or workstation that is to get the images. Until then they are kept here only.',
  nativeTitle: 'The module for other DICOM systems could not be loaded',
  nativeText:
    'Images are still received and sent on. Testing a connection, finding earlier studies and converting images do not work until it is there.',
  nativeRemedy:
    'An administrator installs Isthmus again with its installer for this kind of PC, then restarts the gateway.',
  states: {
    off: {
      tone: 'plain',
      name: 'Switched off',
      meaning: 'Nothing is sent there. What waits stays until it is switched on.',
    },
    failed: {
      tone: 'danger',
      name: 'Needs a decision',
      meaning:
        'Some images were refused, or not taken for so long that the gateway stopped trying.',
    },
    retrying: {
      tone: 'warning',
      name: 'Trying again',
      meaning: 'The last attempt failed. The gateway tries again by itself.',
    },
    sending: { tone: 'info', name: 'Sending', meaning: 'Images are on their way.' },
    idle: { tone: 'good', name: 'All sent', meaning: 'Nothing waits.' },
    unused: { tone: 'plain', name: 'Nothing sent yet', meaning: 'No image was sent there so far.' },
  } satisfies Record<string, { tone: Tone; name: string; meaning: string }>,
  facts: {
    address: 'Address',
    gets: 'Gets',
    queue: 'Queue',
    last: 'Last sent',
    error: 'Last attempt',
    next: 'Next attempt',
  },
  tls: 'TLS',
  tlsUnchecked: 'TLS, but nobody checks who answers: no certificate is entered',
  gets: {
    all: 'everything, by itself',
    some: (modalities: readonly string[]) => `${modalities.join(', ')}, by itself`,
    none: 'only what a person sends',
  },
  neverSent: 'nothing yet',
  test: 'Test connection',
  queue: 'Open queue',
  find: 'Find earlier studies',
  edit: (name: string) => `Edit ${name}`,
  remove: (name: string) => `Remove ${name}`,
  removeTitle: 'Remove this destination?',
  removeAction: 'Remove destination',
  removeText: (name: string) => `Nothing more is sent to ${name}. What it already has stays there.`,
  removeWaiting: 'Images still wait for it or could not be sent: send them or give them up first.',
  form: {
    addTitle: 'Add destination',
    who: 'Who it is',
    name: ['Name', 'As your staff calls it, for example “Hospital PACS”.'],
    aeTitle: ['AE title', 'What it is called by (called AE title). Up to 16 characters.'],
    host: ['Host', 'Name or IP address.'],
    port: ['Port', 'TCP port, often 104 or 11112.'],
    isEnabled: ['Switched on', 'While it is off, images wait.'],
    what: 'What it gets',
    isAutomatic: [
      'Send everything that is received',
      'Each image is sent as soon as it is safely stored here. Otherwise a person sends single studies.',
    ],
    modalities: ['Only these modalities', 'For example CT, MR. Left empty: all.'],
    modalitiesPlaceholder: 'Type a modality and press Enter',
    hasPriors: [
      'Earlier studies can be fetched from it',
      'It must know this gateway’s AE title and address, to send the studies here. While one is being fetched, it need not be in the list under Devices.',
    ],
    security: 'Encryption',
    isTls: ['Connect by TLS', 'The other side must listen for DICOM by TLS at this port.'],
    certificate: [
      'Its certificate',
      'Paste it, or that of its issuer, in PEM form. Left empty, the connection is encrypted but nobody checks who answers.',
    ],
    save: 'Save',
    add: 'Add destination',
    cancel: 'Cancel',
  },
  back: 'All destinations',
  gone: 'This destination was removed',
  goneText: 'Choose another one in the list of destinations.',
  showLabel: 'Which studies',
  shows: { all: 'All', waiting: 'Waiting', failed: 'Not sent' },
  queueLabel: 'Studies on their way, the one that last changed first',
  columns: {
    patient: 'Patient',
    counts: 'Images',
    error: 'Last attempt',
    at: 'Changed',
    actions: 'Decide',
  },
  study: 'Open the study',
  notSent: 'Some images were not sent',
  notSentHelp:
    'Each study below says why. Try again once that is mended, or give up: the images stay here.',
  retryAll: 'Try all now',
  dropAll: 'Give up all',
  retry: 'Try now',
  drop: 'Give up',
  retried: 'It is being tried again.',
  dropped: 'It is no longer sent.',
  images: (name: string) => `Images for ${name}`,
  showImages: 'Images one by one',
  queueNone: 'Nothing in this queue',
  queueNoneText:
    'A study appears here when it is sent: by itself as its images arrive, or by a person from its page under Images.',
  queueNoneShown: 'No study fits this filter',
  more: 'Loading more…',
  last: 'These are all.',
  dropAsk: {
    title: 'Give up sending?',
    action: 'Give up',
    label: 'Reason',
    about: 'It is kept in the audit trail.',
    example: 'e.g. sent on CD, the PACS has it from the device',
  },
  dropText: (name: string) =>
    `What waits or could not be sent no longer goes to ${name}. The images stay here, and the study can be sent again later.`,
  instanceColumns: {
    image: 'Image',
    state: 'State',
    attempts: 'Attempts',
    status: 'Answer',
    as: 'Sent as',
    at: 'Changed',
  },
  forwardStates: {
    waiting: { tone: 'info', name: 'Waiting' },
    sent: { tone: 'good', name: 'Sent' },
    failed: { tone: 'danger', name: 'Not sent' },
    dropped: { tone: 'plain', name: 'Given up' },
  } satisfies Record<Forward['state'], { tone: Tone; name: string }>,
  next: 'next',
} as const
export type English = typeof en
export const words = inLanguage(en, es)
