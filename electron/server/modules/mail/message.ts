import type { InvitationMail } from '#shared/contract/mail.ts'
import type { MailText } from './smtp.ts'

/** The invitation. Names were typed by people: none of them may begin a line or a header. */
export function invitationText({
  firstName,
  clinicName,
  invitedBy,
  link,
  expiry,
}: InvitationMail): MailText {
  const clinic = oneLine(clinicName) || 'the imaging gateway of your clinic'
  return {
    subject: `Your access to ${clinic}`,
    text: [
      `Hello ${oneLine(firstName)},`,
      `${oneLine(invitedBy)} invites you to work with ${clinic}. Open this link to set your password and accept, or to reject:`,
      link,
      expiry === null
        ? 'The link works once.'
        : `The link works once, until ${expiry.slice(0, 16).replace('T', ' ')} (UTC).`,
      'If you do not know what this is about, do nothing: without you, no account is opened.',
    ].join('\n\n'),
  }
}

/** What the test button sends. */
export const testText = (clinicName: string): MailText => ({
  subject: `Test of the mail of ${oneLine(clinicName) || 'the imaging gateway'}`,
  text: 'This gateway can send mail: invitations will arrive like this message.',
})

// Control characters and the line and paragraph separators of Unicode.
const oneLine = (text: string): string => text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim()
