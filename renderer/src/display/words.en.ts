/** What values are called on every screen: instants, names, states of images, DIMSE statuses. */
export const en = {
  days: (start: string, end: string) => `${start} to ${end}`,
  localTime: 'time of this PC',
  ago: {
    now: 'just now',
    minutes: (count: number) => `${count} min ago`,
    hours: (count: number) => `${count} h ago`,
    days: (count: number) => (count === 1 ? '1 day ago' : `${count} days ago`),
  },
  noName: '(no name)',
  sexes: { M: 'male', F: 'female', O: 'other' },
  defaultEndpoint: 'Partner',
  password: {
    short: (missing: number) => `Too short: ${missing} more to go`,
    guessable: 'Easy to guess: use words that are not yours or well known',
    fair: 'Fair: a few more words would make it strong',
    strong: 'Strong',
  },
  sources: {
    live: { name: 'Live', meaning: 'The partner was asked for this query.' },
    fresh: {
      name: 'Fresh',
      meaning: 'The partner’s answer from a few seconds ago was used again.',
    },
    shared: { name: 'Shared', meaning: 'Another query was asking the same; both used its answer.' },
    stored: {
      name: 'Stored',
      meaning: 'The partner could not be asked: its last good answer was used.',
    },
    downtime: {
      name: 'Downtime',
      meaning: 'Downtime mode is on: the partner’s last good answer was used.',
    },
    none: { name: 'No answer', meaning: 'There was no answer of the partner to use.' },
  },
  faults: {
    'no-endpoint': {
      name: 'no partner is set up',
      remedy: 'An administrator enters the partner’s address on the Partner screen.',
    },
    unreachable: {
      name: 'the partner could not be reached',
      remedy:
        'Check this PC’s network, then ask the partner’s support. Until then downtime mode can serve the last good answer.',
    },
    timeout: {
      name: 'the partner did not answer in time',
      remedy: 'Ask again. If it stays slow, tell the partner’s support when it happened.',
    },
    status: {
      name: 'the partner answered with an error',
      remedy: 'Tell the partner’s support the time and the webhook id below.',
    },
    oversize: {
      name: 'the partner’s answer was too large',
      remedy: 'Ask for fewer days, or ask the partner’s support why the list is so long.',
    },
    invalid: {
      name: 'the partner’s answer could not be read',
      remedy: 'Tell the partner’s support the time and the webhook id below.',
    },
    refused: {
      name: 'the partner refused this device',
      remedy: 'Ask the partner’s support to authorise this AE title and address.',
    },
    'circuit-open': {
      name: 'the partner failed several times in a row and is not asked for a moment',
      remedy: 'The gateway tries again by itself within a minute.',
    },
    'forbidden-address': {
      name: 'the partner’s address may not be called',
      remedy:
        'An administrator allows plain http or a private address on the Partner screen, if it is meant.',
    },
  },
  statuses: {
    success: { name: 'Success', meaning: 'The device was given the complete list.' },
    cancelled: {
      name: 'Cancelled',
      meaning: 'The device cancelled its own query before the list was complete.',
    },
    resources: {
      name: 'Out of resources',
      meaning: 'The device was told that no complete list can be given now. It may ask again.',
    },
    misread: {
      name: 'Query not understood',
      meaning: 'The device was told that its query does not fit the worklist service.',
    },
    partnerRefused: {
      name: 'Refused by the partner',
      meaning: 'The device was told that the list could not be made: the partner refused.',
    },
    partnerUnusable: {
      name: 'Partner answer unusable',
      meaning: 'The device was told that the list could not be made from the partner’s answer.',
    },
    gatewayFault: {
      name: 'Gateway fault',
      meaning: 'The device was told that the gateway itself could not make the list.',
    },
    notSupported: {
      name: 'Service not supported',
      meaning: 'The device asked for a service that is not the worklist.',
    },
    processing: {
      name: 'Processing failure',
      meaning: 'The gateway could not process the request.',
    },
    unable: {
      name: 'Unable to process',
      meaning: 'The device was told that the list could not be made.',
    },
    other: {
      name: (code: string) => `Status ${code}`,
      meaning: 'The device was given this status; see the DICOM standard, PS3.7 Annex C.',
    },
  },
  images: {
    sendAgain:
      'Send the study again from the device: what is here already is recognised and is not doubled.',
    brokeOff: (at: string) => `transfer broke off ${at}`,
    receiving: 'Receiving',
    receivingMeaning: 'Images are arriving, or the last one came a moment ago.',
    endedEarly: 'The connection ended before its time.',
    noImages: 'No images in it',
    noImagesMeaning: 'What came was set aside, or discarded since. Nothing was added to the study.',
    complete: 'Complete',
    completeUnannounced:
      'It has been quiet since the last image. The device announced no number of images, so nobody can say that none is missing.',
    completeMeaning: 'Every image that the device announced is here.',
    missing: (count: string) => `${count} missing`,
    incomplete: 'Incomplete',
    incompleteWhy: (why: string) => `Incomplete: ${why}`,
    announced: (here: string, announced: string) => `${here} (${announced} announced)`,
    study: 'Study',
    studyOf: (modalities: string) => `${modalities} study`,
    ofDay: (study: string, day: string) => `${study} of ${day}`,
  },
  enrichments: {
    'not-asked': {
      name: 'Known before',
      meaning: 'The study was registered before its images came; the partner was not asked.',
    },
    waiting: {
      name: 'Asking the partner',
      meaning: 'The partner is asked for what it knows of this study.',
    },
    done: { name: 'Enriched', meaning: 'The partner added what it knows of this study.' },
    empty: { name: 'Nothing added', meaning: 'The partner answered that it has nothing to add.' },
    'given-up': {
      name: 'Not enriched',
      meaning: 'The partner could not be asked for so long that the gateway stopped trying.',
    },
  },
  quarantine: {
    'different-content': {
      name: 'Another image with the same identifier is here',
      remedy:
        'Look at the study on the device. If this is the corrected image, release it: it takes the place, and the other is kept. If it came by mistake, discard it.',
    },
    'wrong-step': {
      name: 'Taken under the wrong worklist entry',
      remedy:
        'The device says that the wrong patient or exam was chosen. Correct it on the device and send the images again, then discard these. Release them only if they do belong to this study.',
    },
    'invalid-uid': {
      name: 'An identifier in the image breaks the DICOM rules',
      remedy:
        'Tell the service of the device. If the image is needed, release it: other systems may refuse it. If it is sent again correctly, discard this one.',
    },
    incomplete: {
      name: 'The image is incomplete',
      remedy:
        'It arrived without all of its pixels, or damaged. Send it again from the device, then discard this one. Storage of it is never confirmed to the device.',
    },
    'long-header': {
      name: 'Its header is too long to be read whole',
      remedy:
        'The image is compressed as a whole (deflated), and not everything it says about itself could be read. If it belongs to this study, release it. Better: let the device send it uncompressed, then discard this one.',
    },
  },
  mismatches: {
    patientName: 'Patient',
    patientId: 'Patient ID',
    patientBirthDate: 'Born',
    patientSex: 'Sex',
    accessionNumber: 'Accession',
    studyInstanceUid: 'Study UID',
  },
} as const

export type English = typeof en
