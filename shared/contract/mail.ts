import { z } from 'zod'
import { Instant } from './conventions.ts'

/** Kind of the outbox jobs for invitation mails. */
export const INVITATION_MAIL = 'invitation.mail'

/** Kind of the outbox jobs for mails about escalated critical results. */
export const ESCALATION_MAIL = 'escalation.mail'

/** Kinds of the outbox jobs that are sent by mail. */
export const MAIL_KINDS = [INVITATION_MAIL, ESCALATION_MAIL] as const

/** The content of an invitation mail. */
export const InvitationMail = z.object({
  to: z.string(),
  firstName: z.string(),
  clinicName: z.string(),
  invitedBy: z.string(),
  link: z.string(),
  expiry: Instant.nullable(),
})
export type InvitationMail = z.infer<typeof InvitationMail>
