import type { z } from 'zod'
import type { scribeUsers, viewerUsers } from '#shared/contract/users.ts'
import type { NewPerson } from './invitations.ts'

type Given = z.output<typeof viewerUsers.invite.body> &
  Partial<z.output<typeof scribeUsers.invite.body>>

/**
 * The person that the body of an invite call of either area names: who is invited by the viewer
 * area reports nothing.
 */
export const invitedPerson = (given: Given): NewPerson => ({
  ...given,
  canCreateReports: given.canCreateReports ?? false,
  npiNumber: given.npiNumber ?? null,
  middleName: given.middleName ?? null,
  suffix1: given.suffix1 ?? null,
  suffix2: given.suffix2 ?? null,
  phoneNumber: given.phoneNumber ?? null,
})
