import { differences, note, userActor } from '#server/audit-log/audit.ts'
import type { Context } from '#server/context.ts'
import { instantOf } from '#server/platform/clock.ts'
import type { Level } from '#shared/contract/people.ts'
import { ApiError } from '#shared/errors.ts'
import { idFromUuid } from '#shared/ids.ts'
import { type Message, message } from '#shared/messages/message.ts'
import type { ProviderPerson } from './identity-provider.ts'
import { identityOfUser, insertIdentity, userIdOfIdentity } from './identity-queries.ts'
import * as queries from './queries.ts'

// Which account a person of the identity provider has, and what it may do (decision 0067). Owners
// are accounts of the gateway alone, so that one can always sign in without the provider.

type Permissions = Pick<
  queries.UserRecord,
  'level' | 'canManageStudies' | 'canCreateReports' | 'hasDashboardAccess'
>
interface Refusal {
  /** For the audit log. */
  readonly reason: string
  readonly message: Message
  readonly userId?: string
}
const refusalOf = (reason: string, text: Message, userId?: string): Refusal => ({
  ...{ reason, message: text },
  ...(userId !== undefined && { userId }),
})

/**
 * Finds, links or creates the account of a person, and gives it the permissions of their groups.
 * @throws ApiError refused; the refusal is in the audit log
 */
export function accountOf(context: Context, person: ProviderPerson): queries.UserRecord {
  const { database } = context
  const found = database.transaction(() => admit(context, person))
  if (!('reason' in found)) return found
  const { userId, reason } = found
  database.transaction(() =>
    note(
      context,
      userId === undefined ? 'gateway' : userActor(userId),
      'user.sign-in-refused',
      userId ?? person.issuer,
      { reason },
    ),
  )
  throw new ApiError('refused', found.message)
}

function admit(context: Context, person: ProviderPerson): queries.UserRecord | Refusal {
  const permissions = permissionsOf(context, person.groups)
  if (permissions === 'none') return refusalOf('no group', message('users.provider-no-group'))
  const { database } = context
  const linkedUser = userIdOfIdentity(database, person)
  const user =
    linkedUser === undefined
      ? firstSignInAccount(context, person, permissions)
      : queries.findUser(database, linkedUser)
  if (user === undefined) return refusalOf('no account', message('users.provider-no-account'))
  if ('reason' in user) return user
  if (user.deactivatedAt !== null)
    return refusalOf('revoked', message('users.provider-account-revoked'), user.userId)
  if (user.level === 'owner')
    return refusalOf('owner', message('users.provider-owner'), user.userId)
  const updated = permissions === undefined ? user : withPermissions(context, user, permissions)
  if (!updated.hasDashboardAccess)
    return refusalOf('no window', message('users.no-window-access'), user.userId)
  return updated
}

/**
 * The permissions of the groups; `none` if the person is in no group that has any, undefined if the
 * settings name no groups, so that permissions are given in the gateway.
 */
function permissionsOf(
  { settings }: Context,
  groups: readonly string[],
): Permissions | 'none' | undefined {
  const lists = {
    window: settings.get('oidc.windowGroups'),
    studies: settings.get('oidc.studyGroups'),
    reports: settings.get('oidc.reportGroups'),
    admin: settings.get('oidc.adminGroups'),
  }
  if (Object.values(lists).every((list) => list.length === 0)) return undefined
  const isInAnyGroup = (list: readonly string[]) => list.some((group) => groups.includes(group))
  if (!Object.values(lists).some(isInAnyGroup)) return 'none'
  const isAdmin = isInAnyGroup(lists.admin)
  return {
    level: isAdmin ? 'admin' : ('member' satisfies Level),
    canManageStudies: isAdmin || isInAnyGroup(lists.studies),
    canCreateReports: isInAnyGroup(lists.reports),
    hasDashboardAccess: true,
  }
}

/** The account of somebody who signs in for the first time. */
function firstSignInAccount(
  context: Context,
  person: ProviderPerson,
  permissions: Permissions | undefined,
): queries.UserRecord | Refusal | undefined {
  const { database, settings } = context
  const { email } = person
  if (email === null) return refusalOf('no address', message('users.provider-no-email'))
  // Whoever can write somebody else's address at the provider must not get their account.
  if (!person.isEmailVerified && !settings.get('oidc.trustsEmail'))
    return refusalOf('address not verified', message('users.provider-email-unverified'))
  const user = queries.userByEmail(database, email)
  if (user) return linkAccount(context, user, person)
  if (queries.hasDeactivatedUser(database, email))
    return refusalOf('revoked', message('users.provider-account-revoked'))
  // Without groups nobody would have said who may come in.
  if (settings.get('oidc.accounts') !== 'create' || permissions === undefined) return undefined
  return createAccount(context, { ...person, email }, permissions)
}

function linkAccount(
  context: Context,
  user: queries.UserRecord,
  { issuer, subject }: ProviderPerson,
): queries.UserRecord | Refusal {
  const { database, clock } = context
  const { userId } = user
  if (user.level === 'owner') return refusalOf('owner', message('users.provider-owner'), userId)
  if (identityOfUser(database, userId))
    return refusalOf('another identity', message('users.provider-linked-already'), userId)
  const at = instantOf(clock())
  insertIdentity(database, { userId, issuer, subject, linkedAt: at })
  note(context, userActor(userId), 'user.link', userId, { issuer })
  const invitation = queries.invitationOfUser(database, userId)
  if (invitation?.status === 'sent')
    queries.updateInvitation(database, { ...invitation, status: 'accepted', updatedAt: at })
  return user
}

function createAccount(
  context: Context,
  { issuer, subject, email, firstName, lastName }: ProviderPerson & { readonly email: string },
  permissions: Permissions,
): queries.UserRecord {
  const { database, clock, uuid } = context
  const at = instantOf(clock())
  const user: queries.UserRecord = {
    ...permissions,
    userId: idFromUuid('usr', uuid()),
    email,
    firstName: firstName || (email.split('@')[0] ?? email),
    lastName: lastName || '–',
    interfaceLevel: permissions.level,
    clinicRole: permissions.canCreateReports ? 'Radiologist' : 'Other',
    ...{ middleName: null, suffix1: null, suffix2: null, phoneNumber: null, npiNumber: null },
    ...{ invitedSource: 'dashboard', passwordHash: null },
    ...{ createdAt: at, updatedAt: at, lastLoginAt: null, deactivatedAt: null },
  }
  queries.insertUser(database, user)
  insertIdentity(database, { userId: user.userId, issuer, subject, linkedAt: at })
  const actor = userActor(user.userId)
  note(context, actor, 'user.create', user.userId, { level: user.level, issuer })
  return user
}

function withPermissions(
  context: Context,
  user: queries.UserRecord,
  permissions: Permissions,
): queries.UserRecord {
  const { database, clock } = context
  const updated = { ...user, ...permissions }
  const changes = differences<Permissions>(user, updated)
  if (Object.keys(changes).length === 0) return user
  const changed = { ...updated, updatedAt: instantOf(clock()) }
  queries.updateUser(database, changed)
  note(context, userActor(user.userId), 'user.update', user.userId, changes)
  return changed
}
