export const words = {
  title: 'Sign in',
  foot: 'Imaging gateway of this clinic',
  email: 'E-mail',
  password: 'Password',
  submit: 'Sign in',
  help: 'Forgotten the password? On this PC, an administrator makes a one-time link with:',
  command: 'npm run -s gateway -- sign-in-link --data DIR',
  following: 'Signing in with the one-time link…',
  linkFailed: 'This link cannot be used',
  linkHelp: 'A link works once and for a short time. Make a new one, or sign in with your password.',
  toSignIn: 'Sign in with a password',
} as const
