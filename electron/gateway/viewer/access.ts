import type { PartnerAccess } from '#gateway/http/callers.ts'
import type { viewerUsers } from '#shared/contract/users.ts'
import type { viewer } from '#shared/contract/viewer.ts'

// The whole area needs a key with the viewer (interface-choices §6 row 26).

export const VIEWER_ACCESS = {
  create: 'viewer',
  list: 'viewer',
  read: 'viewer',
  byUid: 'viewer',
  update: 'viewer',
  cancel: 'viewer',
  uncancel: 'viewer',
  rerouteUrl: 'viewer',
  ephemeralSession: 'viewer',
} as const satisfies Record<keyof typeof viewer, PartnerAccess>

export const VIEWER_USER_ACCESS = {
  invite: 'viewer',
  list: 'viewer',
  read: 'viewer',
  update: 'viewer',
  revokeAccess: 'viewer',
  reactivate: 'viewer',
  invitations: 'viewer',
  invitation: 'viewer',
  updateInvitation: 'viewer',
  revokeInvitation: 'viewer',
} as const satisfies Record<keyof typeof viewerUsers, PartnerAccess>
