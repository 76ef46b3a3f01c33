export const en = {
  title: 'Set up this gateway',
  foot: 'First start',
  noLink: {
    intro:
      'This gateway has no account yet. The first one is made with a one-time set-up link, so that nobody else on the network can claim it.',
    steps: [
      'In the Isthmus app: the link opens by itself at the first start. If you closed it, start the app again.',
      'Without the app, on the PC of the gateway, with DIR being its data folder:',
    ],
    command: 'npm run -s gateway -- sign-in-link --data DIR',
    what: 'the command',
    after: 'Open the link it prints in this browser. It works once and for a short time.',
  },
  intro: 'Make the owner’s account. The owner adds devices, sets the partner and lets others in.',
  clinicName: 'Name of the clinic',
  clinicNameAbout: 'Shown in this window, and given to the devices as the institution.',
  firstName: 'First name',
  lastName: 'Last name',
  email: 'E-mail',
  emailAbout: 'You sign in with it.',
  role: 'Your role in the clinic',
  password: 'Password',
  passwordAbout: 'At least 10 characters. A few words in a row are best.',
  submit: 'Make the account and sign in',
} as const

export type English = typeof en
