import type { DisabledReason } from '#shared/contract/events.ts'

export const en = {
  title: 'Partner',
  about:
    'The system that knows the exams: a RIS, an EHR or a reading service. The gateway asks it over HTTPS with signed requests (Standard Webhooks) each time a device asks for its worklist.',
  url: [
    'Address (URL)',
    'Where the partner receives requests, from its documentation. It begins with https://.',
  ],
  secret: [
    'Signing secret',
    'Proves to the partner that a request comes from this clinic. It begins with whsec_.',
  ],
  secretKept: 'Kept as it is. Enter another only if the partner gave you one.',
  secretMade: 'Left empty, one is made and shown once, to be entered at the partner.',
  secretSet: 'A secret is set',
  secretUnset: 'No secret yet',
  plaintext: [
    'Allow plain http or a private address',
    'Only for a partner inside the clinic’s own network. By plain http, patient names travel unencrypted and anybody on the way can read or change them.',
  ],
  needsPlaintext: 'This address begins with http://: requests would not be encrypted.',
  save: 'Save',
  saved: 'The partner is saved.',
  events: 'It receives',
  noEvents: 'Nothing yet',
  test: {
    title: 'Test',
    about:
      'Asks the partner for today’s list now. Nothing is stored and no device is given anything.',
    button: 'Test now',
    good: 'The partner answered',
    bad: 'The partner gave no list',
    first: 'Save an address first.',
  },
  shown: {
    what: 'the secret',
    title: 'The new signing secret',
    about:
      'Enter it at the partner now. It is shown only this once; afterwards nobody can read it here.',
    copied: 'I have entered it at the partner',
  },
  setUp: 'Partner',
  endpoints: 'Endpoints',
  eventNouns: ['event', 'events'],
  endpointsAbout:
    'Where each event goes. One place for all is usual; events of studies made with an API key can go to that key’s own. Each event of the same studies goes to one endpoint.',
  addEndpoint: 'Add an endpoint',
  add: 'Add',
  cancel: 'Cancel',
  close: 'Close',
  enabled: 'In use',
  disabled: 'Switched off',
  disabledReasons: {
    person: 'It was switched off here.',
    gone: 'It answered a report with 410: this address is no longer used.',
  } satisfies Record<DisabledReason, string>,
  enable: 'Switch on again',
  enableAbout: (waiting: number) =>
    waiting === 0
      ? 'No event is sent to it.'
      : `${waiting === 1 ? 'One event waits' : `${waiting} events wait`} and will go out once it is switched on.`,
  disable: (name: string) => `Switch ${name} off`,
  edit: (name: string) => `Change ${name}`,
  remove: (name: string) => `Remove ${name}`,
  removeTitle: 'Remove this endpoint?',
  removeAction: 'Remove',
  removeText: (name: string) => `${name} gets no more events; they go to the clinic’s own partner.`,
  removeWaiting: (events: string) => `${events} that wait for it go there too.`,
  testEvent: 'Test…',
  rotate: 'New secret…',
  facts: {
    url: 'Address',
    studies: 'Studies',
    events: 'Gets',
    secret: 'Signed with',
    files: 'Files from',
    times: 'Time allowed',
    waiting: 'Waiting',
  },
  allStudies: 'All studies',
  ofKey: (description: string) => `Those made with the API key ${description}`,
  allEvents: 'Every event',
  secretSince: 'a secret of',
  oldSecret: ', and the one before until',
  noFiles: 'nowhere: files are not fetched',
  nothingWaits: 'nothing',
  refusedHosts: 'Answers named addresses that are not allowed',
  refusedAbout:
    'Nothing was fetched from these hosts. Allow only what the partner’s documentation names.',
  allow: 'Allow',
  form: {
    where: 'Where',
    name: ['Name', 'As people here call it.'],
    url: [
      'Address (URL)',
      'Where it receives events, from its documentation. It begins with https://.',
    ],
    noUrl: 'must be an address that begins with https://',
    allowPlaintext: [
      'Allow plain http or a private address',
      'Only inside the clinic’s own network. By plain http, patient names travel unencrypted.',
    ],
    secret: ['Signing secret', 'Begins with whsec_. Left empty, one is made and shown once.'],
    what: 'What it gets',
    apiKeyId: [
      'Studies',
      'Of an API key: events of studies made with that key go here and not to the clinic’s own partner.',
    ],
    events: ['Events', 'What is not chosen goes to the clinic’s own partner.'],
    files: 'Files',
    fileHosts: [
      'Hosts of files',
      'Images, documents and captures are fetched from and sent to these hosts only, as the partner’s signed addresses name them.',
    ],
    times: 'Time a call may take',
    usual: 'as usual',
  },
  rotation: {
    title: (name: string) => `New signing secret for ${name}`,
    about:
      'Events are signed with both secrets for a while, so that the partner can change over without losing any.',
    secret: ['New secret', 'Begins with whsec_. Left empty, one is made and shown once.'],
    leaked: ['End the old one now', 'If somebody else may know it.'],
    leakedWarning:
      'Until the new secret is entered at the partner, it will refuse every event. Reports wait and go out then.',
    action: 'Change the secret',
    done: 'The secret is changed.',
  },
  testing: {
    title: (name: string) => `Test ${name}`,
    about: 'Sends an event with invented data. Its answer is shown and has no effect.',
    event: 'Event',
    good: 'It works',
    bad: 'It does not work',
    open: 'See what was sent and answered',
    action: 'Send the test',
  },
} as const

export type English = typeof en
