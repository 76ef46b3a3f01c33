import { describe, expect, it } from 'vitest'
import { invitationText, testMailText } from '#server/modules/mail/mail.ts'

const given = {
  to: 'maja@partner.example',
  firstName: 'Maja',
  clinicName: 'Praxis Kern',
  invitedBy: 'Olga Owner',
  link: 'https://gateway.clinic.example/#/invitation?token=abc',
  expiry: '2026-04-09T09:00:00.000Z',
}

describe('the text of an invitation', () => {
  it('says who invites to what, how, and until when', () => {
    const { subject, text } = invitationText(given)
    expect(subject).toBe('Your access to Praxis Kern')
    expect(text.split('\n\n').slice(0, 4)).toEqual([
      'Hello Maja,',
      'Olga Owner invites you to work with Praxis Kern. Open this link to set your password and accept, or to reject:',
      given.link,
      'The link works once, until 2026-04-09 09:00 (UTC).',
    ])
  })

  it('is one line for each name, whatever somebody typed into it', () => {
    const { subject, text } = invitationText({
      ...given,
      firstName: 'Eve\n\nhttps://evil.example',
      clinicName: 'Kern\r\nBcc: x@evil.example',
    })
    expect(subject).toBe('Your access to Kern Bcc: x@evil.example')
    expect(text.split('\n\n')[0]).toBe('Hello Eve https://evil.example,')
    expect(text.split('\n\n')[2]).toBe(given.link)
  })

  it('does without a clinic’s name', () => {
    expect(invitationText({ ...given, clinicName: '', expiry: null }).subject).toBe(
      'Your access to the imaging gateway of your clinic',
    )
    expect(testMailText('').subject).toBe('Test of the mail of the imaging gateway')
  })
})
