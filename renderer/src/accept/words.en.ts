export const en = {
  title: 'Your invitation',
  foot: 'Invitation',
  invites: (by: string, clinic: string) =>
    `${by} invites you to work with ${clinic || 'this clinic’s imaging gateway'}.`,
  hello: (name: string) => `Hello ${name}.`,
  as: (role: string) => `Your role: ${role}. You sign in with`,
  asNobody: 'You sign in with',
  until: 'The invitation runs until',
  password: 'Choose a password',
  passwordAbout: 'At least 10 characters. A few words in a row are best.',
  accept: 'Accept and sign in',
  reject: 'Reject the invitation',
  rejectTitle: 'Reject this invitation?',
  rejectText:
    'The link then no longer works. Whoever invited you sees that you rejected, and may invite you again.',
  rejected: 'You rejected the invitation',
  rejectedText: 'No account was opened. You may close this window.',
  accepted: 'Your account is ready',
  acceptedText:
    'It has no access to this window: the clinic sends you links to the studies you read. You may close this window.',
  failed: 'This link cannot be used',
  failedHelp:
    'An invitation is accepted once and runs for 30 days. If you accepted it, sign in; else ask whoever invited you for another link.',
  linkNeeded:
    'Open the whole link of your invitation once more: for your safety this window does not keep it.',
  toSignIn: 'Go to the sign-in',
} as const

export type English = typeof en
