export const en = {
  title: 'Sign in',
  claim: 'The passage between your imaging devices and your partner.',
  foot: 'Imaging gateway of this clinic',
  language: 'Language',
  email: 'E-mail',
  password: 'Password',
  code: 'Code of your authenticator',
  codeAbout: 'Six digits, or one of the codes you kept for when it is lost.',
  back: 'Another account',
  submit: 'Sign in',
  help: 'Forgotten the password? On this PC, an administrator makes a one-time link with:',
  command: 'npm run -s gateway -- sign-in-link --data DIR',
  following: 'Signing in with the one-time link…',
  linkFailed: 'This link cannot be used',
  linkHelp:
    'A link works once and for a short time. Make a new one, or sign in with your password.',
  toSignIn: 'Sign in with a password',
  workstation: {
    title: 'This workstation is not approved yet',
    documentTitle: 'Workstation',
    about:
      'The window opens on a workstation once an owner or administrator has approved it. This is done once for each browser.',
    name: 'Name of this workstation',
    nameAbout: 'As people know it, so that it can be told from others.',
    nameExample: 'e.g. Reading room 2',
    ask: 'Ask for approval',
    asking: 'Waiting for approval',
    code: 'Code of this workstation',
    compare:
      'An owner or administrator opens Settings, Access from other PCs, finds this code there and approves it.',
    goesOn: 'This page goes on by itself as soon as that is done.',
    known: (name: string) => `It asks as ${name}.`,
  },
} as const

export type English = typeof en
