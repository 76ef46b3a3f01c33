import { countText } from '../display/amounts.ts'
import { inLanguage } from '../language/words.ts'
import { es } from './words.es.ts'

const en = {
  title: 'People',
  about:
    'Who works with this gateway: in this window, and as readers of studies. Invited people choose their own password.',
  label: 'People',
  invite: 'Invite a person',
  more: 'More follow',
  last: 'No more',
  search: 'Search people',
  searchWhat: 'Part of the name or e-mail',
  showLabel: 'Which people',
  shows: { all: 'All', active: 'Active', invited: 'Invitations', out: 'Without access' },
  none: {
    all: ['Nobody yet', 'Invite the people who read studies or work in this window.'],
    active: ['Nobody is active yet', 'Whoever accepts an invitation appears here.'],
    invited: [
      'No invitation is open',
      'Invitations that were not accepted yet stand here, also those that expired.',
    ],
    out: [
      'Nobody is without access',
      'People whose access was taken, and invitations that were rejected or withdrawn, stand here.',
    ],
  },
  noneFound: 'Nobody has that in name or e-mail',
  noneFoundText:
    'Accents and capitals do not count. Other people may be hidden by the choice above.',
  clear: 'Show everybody',
  columns: {
    name: 'Name',
    level: 'Level',
    may: 'May',
    customers: 'Customers',
    state: 'State',
    login: 'Last here',
    actions: 'Actions',
  },
  you: 'you',
  never: 'never',
  may: {
    canManageStudies: 'manage studies',
    canCreateReports: 'write reports',
    hasDashboardAccess: 'use this window',
  },
  nothing: 'nothing',
  secondFactorOn: 'second factor on',
  states: {
    active: ['Active', 'Can sign in.'],
    invited: ['Invited', 'Has not accepted the invitation yet.'],
    expired: ['Expired', 'The invitation was not accepted in time: invite the person again.'],
    rejected: ['Rejected', 'The person rejected the invitation.'],
    withdrawn: ['Withdrawn', 'The invitation was revoked before it was accepted.'],
    revoked: ['No access', 'Access was taken away. It can be given back.'],
  },
  mails: {
    none: 'no mail: hand the link over',
    waiting: 'mail is on its way',
    sent: 'mail was sent',
    failed: 'mail could not be delivered',
  },
  left: (days: number) => `${countText(days, 'day')} left`,
  open: (name: string) => `Open ${name}`,
  edit: (name: string) => `Edit ${name}`,
  again: (name: string) => `Invite ${name} again`,
  link: (name: string) => `Make a new link for ${name}`,
  send: (name: string) => `Send the invitation to ${name} again`,
  withdraw: (name: string) => `Revoke the invitation of ${name}`,
  revoke: (name: string) => `Take the access of ${name}`,
  reactivate: (name: string) => `Give ${name} access again`,
  invited: (email: string) => `The invitation goes by mail to ${email}.`,
  revoked: (name: string) => `${name} has no access any more.`,
  reactivated: (name: string) => `${name} has access again.`,
  withdrawn: (name: string) => `The invitation of ${name} was revoked.`,
  saved: (name: string) => `${name} is saved.`,
  shown: {
    title: 'The invitation’s link, once',
    about:
      'Mail is not set up, so hand this link to the person yourself. Whoever has it can accept in their place: it works once.',
    done: 'I have copied it',
  },
  theLink: 'the link',
  loopback:
    'This link opens on the gateway’s own PC only. For a person at another one, first set the public address in Settings, then make a new link.',
  asks: {
    revoke: {
      title: 'Take the access?',
      action: 'Take access',
      text: (name: string) =>
        `${name} is signed out at once and can no longer sign in. Studies and reports stay. It can be undone.`,
    },
    withdraw: {
      title: 'Revoke the invitation?',
      action: 'Revoke invitation',
      text: (name: string) =>
        `The link of ${name} no longer works. The person can be invited again.`,
    },
    factor: {
      title: 'Take the second factor off?',
      action: 'Take it off',
      text: (name: string) =>
        `${name} then signs in by password alone, until they set up an authenticator again. Do it only after you made sure it is they who ask.`,
    },
    sessions: {
      title: 'Sign out everywhere?',
      action: 'Sign out',
      text: (name: string) =>
        `Every window of ${name} is out at its next call. What they typed and did not save may be lost.`,
    },
  },
  tabs: { details: 'Details', customers: 'Customers', signIn: 'Sign-in' },
  notEditable: {
    owner: 'Only an owner changes an owner.',
    over: 'The invitation is over. Invite the person again to change anything.',
  },
  facts: {
    id: 'Id',
    by: 'Added by',
    since: 'Added',
    login: 'Last here',
    sources: { dashboard: 'this window', api: 'a partner system' },
  },
  copyId: 'the id of this person',
  customers: {
    title: 'Express customers',
    about:
      'A member who is linked to customers sees only their studies. Who is linked to none sees all.',
    manager: 'Owners and administrators see every study, whatever they are linked to.',
    none: 'Linked to no customer',
    add: 'Link to a customer',
    addWhat: 'Type part of its name',
    nobody: 'No customer has that in its name',
    blocked: (name: string) => `${name} (blocked)`,
    remove: (customer: string) => `Remove the link to ${customer}`,
    waiting: 'Searching…',
  },
  signIn: {
    factor: 'Second factor',
    factorOn: 'On',
    factorOff: 'Off',
    factorSince: 'An authenticator is asked for at sign-in since',
    factorOffText:
      'Signs in by password alone. Everybody turns it on for themselves, under My account.',
    reset: 'Take the second factor off',
    resetAbout: 'For a person who lost the authenticator and the codes kept for that.',
    resetDone: (name: string) => `${name} signs in by password alone again.`,
    sessions: 'Open windows',
    sessionsLabel: 'Open windows of this person',
    none: 'Signed in nowhere',
    locked: 'locked',
    isThis: 'this window',
    unknownBrowser: 'Unknown browser',
    began: 'Signed in',
    used: 'last used',
    end: (where: string) => `Sign out ${where}`,
    everywhere: 'Sign out everywhere',
    ended: (count: number) => `${countText(count, 'window')} signed out.`,
  },
  form: {
    addTitle: 'Invite a person',
    who: 'Who it is',
    firstName: 'First name',
    lastName: 'Last name',
    middleName: 'Middle name',
    suffix1: 'Suffix',
    suffix2: 'Second suffix',
    email: 'E-mail',
    emailAbout:
      'The invitation goes there, and the person signs in with it. It cannot be changed later.',
    phoneNumber: 'Telephone',
    phoneAbout: '10 to 15 digits, nothing else.',
    clinicRole: 'Role in the clinic',
    roleAbout: 'Choose a role',
    chooseRole: 'must be chosen',
    rights: 'What the person may do',
    level: 'Level',
    levelAbout:
      'Administrators manage people, keys, devices and settings. Partner systems cannot give this level.',
    interfaceLevel: (level: string) =>
      `Partner systems list this person as ${level}. That gives no right in this gateway.`,
    hasDashboardAccess: [
      'Use this window',
      'Without it the person only follows links to single studies.',
    ],
    canManageStudies: ['Manage studies', 'Make, change, assign and cancel studies.'],
    canCreateReports: ['Write and sign reports', 'Needs the NPI.'],
    npiNumber: 'NPI',
    npiAbout: 'National provider identifier, 10 digits.',
    cancel: 'Cancel',
    save: 'Save',
    submit: 'Invite',
  },
  mail: {
    title: 'Mail',
    set: 'Invitations go by mail',
    unset: 'Not set up',
    about:
      'The SMTP server that invitations are sent by. Without one, you hand the links over yourself.',
    host: ['Server', 'Name as in its certificate. Leave it empty to send no mail.'],
    port: 'Port',
    security: 'Security',
    securities: { starttls: 'STARTTLS (587)', tls: 'TLS (465)', none: 'None: plain text' },
    from: ['Sender', 'Address the invitations come from.'],
    user: ['User name', 'Empty: the server lets this PC in as it is.'],
    password: ['Password', 'Kept encrypted, never shown again.'],
    kept: 'Empty: the one there is kept.',
    certificate: [
      'Certificate',
      'Only for a server whose certificate is not a public one: paste it, in PEM form.',
    ],
    save: 'Save',
    saved: 'The mail server is saved.',
    waiting: (count: number) => `${countText(count, 'mail waits', 'mails wait')}`,
    failed: (count: number) =>
      `${countText(count, 'mail could not be delivered', 'mails could not be delivered')}`,
    test: 'Send a test',
    testTo: 'Send a test to',
    good: 'Sent',
    bad: 'Not sent',
  },
} as const

export type English = typeof en
/** Every text of the people screen. */
export const words = inLanguage(en, es)
