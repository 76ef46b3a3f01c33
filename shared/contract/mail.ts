import { z } from 'zod'
import { Instant } from './conventions.ts'

/** Kind of the outbox rows that carry an invitation. */
export const INVITATION_MAIL = 'invitation.mail'

/** Kind of the outbox rows that carry a mail about critical results which were escalated. */
export const ESCALATION_MAIL = 'escalation.mail'

/** What an invitation's mail is written from. */
export const InvitationMail = z.object({
  to: z.string(),
  firstName: z.string(),
  clinicName: z.string(),
  invitedBy: z.string(),
  link: z.string(),
  expiry: Instant.nullable(),
})
export type InvitationMail = z.infer<typeof InvitationMail>
