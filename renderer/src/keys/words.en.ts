export const en = {
  title: 'API keys',
  about:
    'What partner systems call the interface with. Give each system a key of its own, so that one can be ended without the others.',
  add: 'Make a key',
  none: 'No key yet',
  noneText: 'A partner system needs a key to call the interface of this gateway.',
  columns: {
    description: 'Used by',
    key: 'Key',
    reach: 'Reaches',
    made: 'Made',
    used: 'Last used',
    actions: 'Actions',
  },
  scopes: { self: 'Studies it made', all: 'All studies' },
  viewer: 'and the viewer area',
  managesPeople: 'manages people',
  revoked: 'Revoked',
  old: (last4: string) => `…${last4} still opens until`,
  rotated: 'replaced',
  rotate: (name: string) => `Replace the key of ${name}`,
  revoke: (name: string) => `Revoke the key of ${name}`,
  form: {
    title: 'Make a key',
    description: ['Used by', 'The system that will use it, for example “Cloud RIS, production”.'],
    scope: ['Studies', 'Studies it made: other systems’ studies do not exist for this key.'],
    viewer: ['May use the viewer area', 'Needed to open studies in the viewer.'],
    people: [
      'May manage people',
      'Invite, change and revoke people, and link them to customers. Needed by few systems: whoever has this key can let people in. It never makes an administrator.',
    ],
    submit: 'Make the key',
    cancel: 'Cancel',
  },
  people: {
    allow: (name: string) => `Let ${name} manage people`,
    end: (name: string) => `No longer let ${name} manage people`,
    allowing: {
      title: 'Let this key manage people?',
      text: (name: string) =>
        `${name} may then invite, change and revoke people, and link them to customers. It never makes an administrator of the gateway.`,
      action: 'Allow',
      done: (name: string) => `${name} may manage people.`,
    },
    ending: {
      title: 'No longer let this key manage people?',
      text: (name: string) =>
        `${name} can then no longer invite, change or revoke people. What it did stays.`,
      action: 'End it',
      done: (name: string) => `${name} may no longer manage people.`,
    },
  },
  shown: {
    title: 'The key, once',
    about: 'Copy it into the partner system now: it is not kept here and cannot be shown again.',
    done: 'I have copied it',
  },
  theKey: 'the key',
  never: 'never',
  masked: (last4: string) => `sk_live_…${last4}`,
  rotateTitle: 'Replace this key?',
  rotateText:
    'The system gets a new key. The one before goes on working for the time you choose, so that it can be changed over.',
  overlap: 'The old key works for (hours)',
  rotateAction: 'Replace the key',
  revokeTitle: 'Revoke this key?',
  revokeText: (name: string) =>
    `${name} can no longer call the interface, from this moment. What it made stays. This cannot be undone.`,
  revokeAction: 'Revoke the key',
  revokedDone: (name: string) => `The key of ${name} is revoked.`,
} as const

export type English = typeof en
