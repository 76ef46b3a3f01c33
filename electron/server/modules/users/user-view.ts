import type { UserReference } from '#shared/contract/references.ts'
import type {
  ScribeInvitation,
  ScribeUser,
  ViewerInvitation,
  ViewerUser,
} from '#shared/contract/users.ts'
import type { InvitationId, UserId } from '#shared/ids.ts'
import type { InvitationRecord } from './invitation-queries.ts'
import type { PersonFields, UserRecord } from './user-queries.ts'

type Optional = 'middleName' | 'suffix1' | 'suffix2' | 'phoneNumber' | 'npiNumber'

/** Absent rather than null in user records (interface-choices §1.1). */
function present<K extends Optional>(row: PersonFields, keys: readonly K[]): { [P in K]?: string } {
  return Object.fromEntries(
    keys.flatMap((key) => (row[key] === null ? [] : [[key, row[key]]])),
  ) as { [P in K]?: string }
}

/** The record of the viewer area (interface.md, Viewer user). */
export function viewerUserOf(user: UserRecord): ViewerUser {
  const { userId, email, firstName, lastName, clinicRole, canManageStudies, hasDashboardAccess } =
    user
  const { interfaceLevel: level, invitedSource, lastLoginAt, createdAt } = user
  return {
    ...{
      userId,
      email,
      firstName,
      lastName,
      ...present(user, ['middleName', 'suffix1', 'suffix2', 'phoneNumber']),
    },
    ...{
      clinicRole,
      level,
      canManageStudies,
      hasDashboardAccess,
      invitedSource,
      lastLoginAt,
      createdAt,
    },
  }
}

/** The record of the scribe area (interface-choices §1.1). */
export const scribeUserOf = (user: UserRecord): ScribeUser => ({
  ...viewerUserOf(user),
  canCreateReports: user.canCreateReports,
  ...present(user, ['npiNumber']),
})

/** The reference other records carry (interface.md, Reference objects). */
export function userReferenceOf(user: UserRecord): UserReference {
  const { email, userId, firstName, lastName } = user
  return {
    email,
    userId,
    firstName,
    lastName,
    ...present(user, ['middleName', 'suffix1', 'suffix2']),
  }
}

/** The record of the viewer area (interface-choices §1.2). */
export function viewerInvitationOf(
  invitation: InvitationRecord,
  clinicId: string,
): ViewerInvitation {
  const { tokenHash: _, canCreateReports: __, npiNumber: ___, ...rest } = invitation
  return {
    ...rest,
    invitationId: rest.invitationId as InvitationId,
    userId: rest.userId as UserId,
    inviterId: rest.inviterId as UserId,
    clinicId,
  }
}

/** The record of the scribe area (interface.md, Scribe invitation). */
export const scribeInvitationOf = (
  invitation: InvitationRecord,
  clinicId: string,
): ScribeInvitation => ({
  ...viewerInvitationOf(invitation, clinicId),
  canCreateReports: invitation.canCreateReports,
  npiNumber: invitation.npiNumber,
})
