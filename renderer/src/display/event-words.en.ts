/** What the events of the interface are called, and how calls of them end. */
export const en = {
  outcomes: {
    none: { name: 'Not sent yet', sentence: 'It has not been sent yet.', remedy: '' },
    accepted: {
      name: 'Accepted',
      sentence: 'The partner gave an answer that could be used.',
      remedy: '',
    },
    'no-endpoint': {
      name: 'No endpoint',
      sentence: 'No endpoint takes this event.',
      remedy: 'On the Partner screen, add an endpoint for it or enable the one there.',
    },
    unreachable: {
      name: 'Not reached',
      sentence: 'The partner could not be reached.',
      remedy:
        'Check this PC’s network, name server and firewall, and the certificate of the partner; then ask the partner’s support.',
    },
    timeout: {
      name: 'Too slow',
      sentence: 'The partner did not answer in time.',
      remedy:
        'If it stays slow, tell the partner’s support when it happened; the time it has can be changed for its endpoint on the Partner screen.',
    },
    status: {
      name: 'Error',
      sentence: 'The partner answered with an error.',
      remedy:
        'Tell the partner’s support the event’s id, the time and the status below. With 401 or 403 compare the signing secret.',
    },
    oversize: {
      name: 'Too large',
      sentence: 'The partner’s answer was larger than is taken.',
      remedy: 'Ask the partner’s support to send less, or addresses in place of contents.',
    },
    invalid: {
      name: 'Not readable',
      sentence: 'The partner’s answer is not in the agreed form.',
      remedy:
        'Show the partner’s support the answer below; the dry run says what is wrong with it.',
    },
    refused: {
      name: 'Refused',
      sentence: 'The partner understood the event and refused it.',
      remedy: 'Its reason is below. Ask the partner’s support to allow it.',
    },
    'circuit-open': {
      name: 'Not asked',
      sentence: 'The partner had failed several times in a row, so it was not asked for a moment.',
      remedy:
        'The gateway tries again by itself within a minute. The failures before this one say why.',
    },
    'forbidden-address': {
      name: 'Address not allowed',
      sentence: 'The address may not be called.',
      remedy:
        'Correct the endpoint’s address on the Partner screen, or allow plain http or a private address there if that is meant.',
    },
  },
  standings: {
    waiting: { name: 'Waiting', meaning: 'It is about to be sent.' },
    again: (outcome: string) => `${outcome}, tried again`,
    inPart: {
      name: 'Accepted in part',
      meaning: 'The answer was used, but parts of it were left out.',
    },
    dropped: {
      name: 'Given up',
      meaning: 'A person decided that it is not sent any more. The audit trail says who and why.',
    },
  },
  events: {
    'modality_worklist.requested': {
      name: 'Worklist',
      about: 'Asks which exams are planned, when a device asks for its list.',
    },
    'patient_study.enrichment_requested': {
      name: 'Patient and exam',
      about: 'Asks who the patient is and what the exam is, once the images of a study are here.',
    },
    'clinical_context.enrichment_requested': {
      name: 'Clinical context',
      about:
        'Asks for the indication, earlier reports and documents, when a radiologist opens a study.',
    },
    'report.delivered': {
      name: 'Report',
      about: 'Hands over a signed report. It is sent until the partner says that it has it.',
    },
    'study.access_requested': {
      name: 'Images of a study',
      about: 'Asks where the images of a study are kept, when somebody opens it.',
    },
    'ephemeral.access_requested': {
      name: 'Images for a while',
      about: 'Asks where images are kept that are only looked at and belong to no study here.',
    },
    'secondary_capture.access_requested': {
      name: 'Place for captures',
      about: 'Asks where images made in the viewer may be put.',
    },
  },
  kinds: {
    synchronous: {
      name: 'Awaited',
      meaning:
        'Somebody waits for the answer. A failure is told at once and is not tried again by itself.',
    },
    soft: {
      name: 'Helpful',
      meaning: 'Work goes on without an answer. What is missing can be asked for again.',
    },
    asynchronous: {
      name: 'Delivered',
      meaning: 'It is kept and sent again until the partner has it, over days if need be.',
    },
  },
} as const

export type English = typeof en
