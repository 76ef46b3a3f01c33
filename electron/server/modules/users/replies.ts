import type { UserReference } from '#shared/contract/references.ts'
import type {
  ScribeInvitation,
  ScribeUser,
  ViewerInvitation,
  ViewerUser,
} from '#shared/contract/users.ts'
import type { InvitationId, UserId } from '#shared/ids.ts'
import type { InvitationRecord, PersonFields, UserRecord } from './queries.ts'

type OptionalField = 'middleName' | 'suffix1' | 'suffix2' | 'phoneNumber' | 'npiNumber'

/** Picks the optional fields; null ones are omitted. */
function pickPresent<K extends OptionalField>(
  row: PersonFields,
  keys: readonly K[],
): { [P in K]?: string } {
  return Object.fromEntries(
    keys.flatMap((key) => (row[key] === null ? [] : [[key, row[key]]])),
  ) as { [P in K]?: string }
}

const OPTIONAL_NAME_FIELDS = ['middleName', 'suffix1', 'suffix2'] as const

/** The record of the viewer area. */
export function viewerUserReply(user: UserRecord): ViewerUser {
  const { userId, email, firstName, lastName, clinicRole, canManageStudies, hasDashboardAccess } =
    user
  const { interfaceLevel: level, invitedSource, lastLoginAt, createdAt } = user
  return {
    ...{
      userId,
      email,
      firstName,
      lastName,
      ...pickPresent(user, [...OPTIONAL_NAME_FIELDS, 'phoneNumber']),
    },
    ...{ clinicRole, level, canManageStudies, hasDashboardAccess },
    ...{ invitedSource, lastLoginAt, createdAt },
  }
}

/** The record of the scribe area. */
export const scribeUserReply = (user: UserRecord): ScribeUser => ({
  ...viewerUserReply(user),
  canCreateReports: user.canCreateReports,
  ...pickPresent(user, ['npiNumber']),
})

/** The reference to a user in other records. */
export function userReference(user: UserRecord): UserReference {
  const { email, userId, firstName, lastName } = user
  return { email, userId, firstName, lastName, ...pickPresent(user, OPTIONAL_NAME_FIELDS) }
}

/** The record of the viewer area. */
export function viewerInvitationReply(
  { tokenHash: _, canCreateReports: __, npiNumber: ___, ...rest }: InvitationRecord,
  clinicId: string,
): ViewerInvitation {
  return {
    ...rest,
    invitationId: rest.invitationId as InvitationId,
    userId: rest.userId as UserId,
    inviterId: rest.inviterId as UserId,
    clinicId,
  }
}

/** The record of the scribe area. */
export const scribeInvitationReply = (
  invitation: InvitationRecord,
  clinicId: string,
): ScribeInvitation => ({
  ...viewerInvitationReply(invitation, clinicId),
  canCreateReports: invitation.canCreateReports,
  npiNumber: invitation.npiNumber,
})
