import type { PartnerAccess } from '#gateway/http/callers.ts'
import type { scribe } from '#shared/contract/scribe.ts'
import type { scribeUsers } from '#shared/contract/users.ts'

// Any key, but the URL that opens the viewer alone needs the viewer (interface-choices §6 row 26).

export const SCRIBE_ACCESS = {
  create: 'partner',
  list: 'partner',
  read: 'partner',
  byUid: 'partner',
  update: 'partner',
  cancel: 'partner',
  uncancel: 'partner',
  rerouteUrl: 'partner',
  viewerOnlyRerouteUrl: 'viewer',
  reports: 'partner',
  reportText: 'partner',
  reportPdf: 'partner',
  startAddendum: 'partner',
  cancelAddendum: 'partner',
  ephemeralSession: 'partner',
} as const satisfies Record<keyof typeof scribe, PartnerAccess>

export const SCRIBE_USER_ACCESS = {
  invite: 'partner',
  list: 'partner',
  read: 'partner',
  update: 'partner',
  revokeAccess: 'partner',
  reactivate: 'partner',
  invitations: 'partner',
  invitation: 'partner',
  updateInvitation: 'partner',
  revokeInvitation: 'partner',
} as const satisfies Record<keyof typeof scribeUsers, PartnerAccess>
