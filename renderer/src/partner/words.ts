export const words = {
  title: 'Partner',
  about:
    'The system that knows the exams: a RIS, an EHR or a reading service. The gateway asks it over HTTPS with signed requests (Standard Webhooks) each time a device asks for its worklist.',
  endpoint: 'Endpoint',
  url: ['Address (URL)', 'Where the partner receives requests, from its documentation. It begins with https://.'],
  secret: ['Signing secret', 'Proves to the partner that a request comes from this clinic. It begins with whsec_.'],
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
    about: 'Asks the partner for today’s list now. Nothing is stored and no device is given anything.',
    button: 'Test now',
    good: 'The partner answered',
    bad: 'The partner gave no list',
    first: 'Save an address first.',
  },
  shown: {
    title: 'The new signing secret',
    about: 'Enter it at the partner now. It is shown only this once; afterwards nobody can read it here.',
    copied: 'I have entered it at the partner',
  },
} as const
