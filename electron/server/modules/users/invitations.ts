import { type Actor, differences, note, userActor } from '#server/audit-log/audit.ts'
import type { Context } from '#server/context.ts'
import { addOutboxJob, dropOutboxJobs, findLatestOutboxJob } from '#server/jobs/outbox-queries.ts'
import { addDays, startOfDay, timeZoneOf } from '#server/platform/clinic-day.ts'
import { instantOf } from '#server/platform/clock.ts'
import { createToken, hashToken } from '#server/platform/token.ts'
import type { WindowOutcome } from '#shared/contract/conventions.ts'
import type { MailState } from '#shared/contract/dashboard-people.ts'
import { INVITATION_MAIL, type InvitationMail } from '#shared/contract/mail.ts'
import { ApiError } from '#shared/errors.ts'
import { idFromUuid } from '#shared/ids.ts'
import { INVITATION_MOVES } from '#shared/lifecycle.ts'
import { englishText } from '#shared/messages/english.ts'
import { type Message, message, verbatim } from '#shared/messages/message.ts'
import { actorOf, type Caller, requirePermission } from './caller.ts'
import type { People } from './people.ts'
import * as queries from './queries.ts'
import { beginSession, type SessionOrigin, type SignIn } from './sessions.ts'
import {
  applyPatch,
  checkCanChangeAccess,
  checkPerson,
  isPending,
  type ListPage,
  type ListPosition,
  type PersonPatch,
  pageOfRows,
  patchedUser,
  requireUser,
} from './users.ts'

// Invitations. They are visible in both areas of the interface. `publicBase` is the base of the
// links, without a trailing slash.

const INVITATION_LIFETIME_MS = 30 * 24 * 60 * 60_000

/** A person to invite; missing texts are null. */
export type NewPerson = queries.PersonFields & { readonly level: 'admin' | 'member' }

export interface InvitationResult {
  readonly user: queries.UserRecord
  readonly invitation: queries.InvitationRecord
  /** The link for the inviter to pass on; null if it is sent by mail. It is not stored. */
  readonly link: string | null
}

/**
 * Creates the user and the invitation. The user can be read before the invitation is accepted.
 * @throws ApiError not-permitted; refused: the address is taken, or a rule of `checkPerson` is
 *   violated
 */
export function invite(
  context: Context,
  publicBase: string,
  caller: Caller,
  person: NewPerson,
): InvitationResult {
  const { database, clock, uuid } = context
  return database.transaction(() => {
    requirePermission(caller, 'manageUsers')
    checkPerson(person, { canCreateReports: person.canCreateReports })
    const ms = clock()
    const at = instantOf(ms)
    releaseEmail(context, person.email, at)
    const token = createToken()
    const isByUser = caller.kind === 'user'
    const user: queries.UserRecord = {
      ...person,
      // The permission to manage the gateway is granted in the window only (decision 0033).
      level: isByUser ? person.level : 'member',
      interfaceLevel: person.level,
      userId: idFromUuid('usr', uuid()),
      passwordHash: null,
      invitedSource: isByUser ? 'dashboard' : 'api',
      ...{ createdAt: at, updatedAt: at, lastLoginAt: null, deactivatedAt: null },
    }
    const invitation: queries.InvitationRecord = {
      ...person,
      invitationId: idFromUuid('inv', uuid()),
      userId: user.userId,
      status: 'sent',
      invitedSource: user.invitedSource,
      inviterId: isByUser ? caller.user.userId : null,
      invitedByApiKeyId: isByUser ? null : caller.apiKeyId,
      tokenHash: hashToken(token),
      expiry: instantOf(ms + INVITATION_LIFETIME_MS),
      ...{ createdAt: at, updatedAt: at },
    }
    queries.insertUser(database, user)
    queries.insertInvitation(database, invitation)
    note(context, actorOf(caller), 'user.invite', user.userId, {
      invitationId: invitation.invitationId,
      level: person.level,
    })
    return { user, invitation, link: deliver(context, publicBase, invitation, token) }
  })
}

/**
 * Lists invitations, newest first. Days are those of the clinic's time zone.
 * @throws ApiError not-permitted
 */
export function listInvitations(
  { database, clock, settings }: Context,
  caller: Caller,
  {
    startDate,
    endDate,
    expired = 'all',
    status,
    userId,
  }: {
    readonly startDate?: string | undefined
    readonly endDate?: string | undefined
    readonly expired?: 'all' | 'expired' | 'not-expired' | undefined
    readonly status?: queries.InvitationFilters['status']
    readonly userId?: string | undefined
  },
  { after, limit }: ListPosition,
): ListPage<queries.InvitationRecord> {
  requirePermission(caller, 'readStudies')
  const timeZone = timeZoneOf(settings.get('clinic.timeZone'))
  const filters = {
    ...{ status, userId, expired: expired === 'all' ? undefined : expired === 'expired' },
    from: startDate && instantOf(startOfDay(startDate, timeZone)),
    before: endDate && instantOf(startOfDay(addDays(endDate, 1), timeZone)),
  }
  const now = instantOf(clock())
  const rows = queries.invitationsPage(database, filters, now, after, limit + 1)
  return pageOfRows(rows, limit, ({ createdAt, invitationId }) => ({ createdAt, id: invitationId }))
}

/** @throws ApiError not-permitted, not-found */
export function readInvitation(
  context: Context,
  caller: Caller,
  invitationId: string,
): queries.InvitationRecord {
  requirePermission(caller, 'readStudies')
  return requireInvitation(context, invitationId)
}

/**
 * Changes a pending invitation and its user.
 * @throws ApiError not-found; refused: it has expired or was processed, or a rule of `checkPerson`
 *   is violated
 */
export function updateInvitation(
  context: Context,
  caller: Caller,
  invitationId: string,
  patch: PersonPatch,
): queries.InvitationRecord {
  const { database, clock } = context
  return database.transaction(() => {
    requirePermission(caller, 'manageUsers')
    const before = requireInvitation(context, invitationId)
    const updatedAt = instantOf(clock())
    if (!isPending(before, updatedAt))
      throw new ApiError(
        'refused',
        message('users.invitation-over-for-change', { status: finalStatusOf(before) }),
      )
    const user = patchedUser(caller, requireUser(context, before.userId), patch)
    const after = { ...applyPatch(before, patch), level: user.interfaceLevel }
    checkPerson(after, patch)
    const changes = differences<queries.PersonFields>(before, after)
    if (Object.keys(changes).length === 0) return before
    checkPerson(user, patch)
    const changed = { ...after, updatedAt }
    queries.updateInvitation(database, changed)
    queries.updateUser(database, { ...user, updatedAt })
    note(context, actorOf(caller), 'invitation.update', invitationId, changes)
    return changed
  })
}

/**
 * Revokes the invitation with the given ID, of the given user, or both.
 * @throws ApiError malformed: neither is given, or they do not belong together; not-found
 */
export function revokeInvitation(
  context: Context,
  caller: Caller,
  {
    invitationId,
    userId,
  }: { readonly invitationId?: string | undefined; readonly userId?: string | undefined },
): WindowOutcome {
  const { database, clock } = context
  return database.transaction(() => {
    requirePermission(caller, 'manageUsers')
    const found = invitationId === undefined ? undefined : requireInvitation(context, invitationId)
    if (userId === undefined && !found)
      throw malformedError(message('users.invitation-or-user'), 'invitationId')
    if (userId !== undefined) requireUser(context, userId)
    if (found && userId !== undefined && found.userId !== userId)
      throw malformedError(message('users.invitation-of-other-user'), 'userId')
    const invitation = found ?? queries.invitationOfUser(database, userId ?? '')
    if (!invitation) return { success: false, message: message('users.invitation-none') }
    checkCanChangeAccess(caller, requireUser(context, invitation.userId))
    if (!isPending(invitation, instantOf(clock())))
      return {
        success: false,
        message: message('users.invitation-over', { status: finalStatusOf(invitation) }),
      }
    endPendingInvitation(context, invitation, 'revoke', actorOf(caller))
    return { success: true, message: message('users.invitation-revoked') }
  })
}

/**
 * Issues a new link for the user's pending invitation; the former one becomes invalid.
 * @throws ApiError not-found, refused
 */
export function renewInvitation(
  context: Context,
  publicBase: string,
  caller: Caller,
  userId: string,
): InvitationResult {
  const { database, clock } = context
  return database.transaction(() => {
    requirePermission(caller, 'manageUsers')
    const user = requireUser(context, userId)
    const before = queries.invitationOfUser(database, userId)
    const at = instantOf(clock())
    if (!before) throw new ApiError('refused', message('users.invitation-none'))
    if (!isPending(before, at))
      throw new ApiError(
        'refused',
        message('users.invitation-over-for-link', { status: finalStatusOf(before) }),
      )
    if (user.deactivatedAt !== null) throw new ApiError('refused', message('users.access-taken'))
    const token = createToken()
    const invitation = { ...before, tokenHash: hashToken(token), updatedAt: at }
    queries.updateInvitation(database, invitation)
    note(context, actorOf(caller), 'invitation.renew', invitation.invitationId, { userId })
    return { user, invitation, link: deliver(context, publicBase, invitation, token) }
  })
}

/** The state of the invitation mail. `fault` is why it has not been delivered. */
export function mailStateOf(
  { database }: Context,
  invitationId: string,
): { readonly mail: MailState; readonly fault: Message | null } {
  const row = findLatestOutboxJob(database, INVITATION_MAIL, invitationId)
  const mail = row && row.state !== 'dropped' ? row.state : 'none'
  const isUndelivered = mail === 'waiting' || mail === 'failed'
  return { mail, fault: isUndelivered ? (row?.lastError ?? null) : null }
}

/** The name of the inviter, or that a partner invited. */
export function inviterOf({ database }: Context, { inviterId }: queries.InvitationRecord): Message {
  const inviter = inviterId === null ? undefined : queries.findUser(database, inviterId)
  return inviter ? verbatim(queries.fullName(inviter)) : message('users.invited-by-partner')
}

/**
 * Finds the invitation of a link.
 * @throws ApiError refused: it is unknown, has expired or was processed, or the user's access was
 *   revoked
 */
export function openInvitation(
  { database, clock }: Context,
  token: string,
): queries.InvitationRecord {
  const invitation = queries.invitationByTokenHash(database, hashToken(token))
  if (!invitation) throw new ApiError('refused', message('users.invitation-link-unknown'))
  if (!isPending(invitation, instantOf(clock())))
    throw new ApiError(
      'refused',
      message('users.invitation-over-for-reader', { status: finalStatusOf(invitation) }),
    )
  if (queries.findUser(database, invitation.userId)?.deactivatedAt !== null)
    throw new ApiError('refused', message('users.invitation-access-taken'))
  return invitation
}

/**
 * Accepts an invitation and sets the password. `signIn` is undefined for an account without access
 * to the window.
 * @throws ApiError those of `openInvitation`; too-many; refused: the password is too easy to guess
 */
export async function acceptInvitation(
  context: Context,
  people: People,
  token: string,
  password: string,
  place?: SessionOrigin,
): Promise<{ readonly user: queries.UserRecord; readonly signIn: SignIn | undefined }> {
  const { database, clock } = context
  // Validated before the expensive hashing.
  const passwordHash = await people.hashPassword(password, openInvitation(context, token))
  return database.transaction(() => {
    const invitation = openInvitation(context, token)
    const { invitationId, userId } = invitation
    const at = instantOf(clock())
    const before = requireUser(context, userId)
    const user = { ...before, passwordHash, lastLoginAt: at, updatedAt: at }
    queries.updateUser(database, user)
    queries.notePasswordChange(database, userId, at)
    const status = INVITATION_MOVES.accept
    queries.updateInvitation(database, { ...invitation, status, updatedAt: at })
    dropOutboxJobs(database, INVITATION_MAIL, invitationId, at)
    note(context, userActor(userId), 'invitation.accept', invitationId, { userId })
    const hasWindowAccess = user.hasDashboardAccess
    return {
      user,
      signIn: hasWindowAccess ? beginSession(context, user, 'invitation', place) : undefined,
    }
  })
}

/** Rejects an invitation. @throws ApiError those of `openInvitation` */
export function rejectInvitation(context: Context, token: string): void {
  context.database.transaction(() => {
    const invitation = openInvitation(context, token)
    endPendingInvitation(context, invitation, 'reject', userActor(invitation.userId))
  })
}

function requireInvitation({ database }: Context, invitationId: string): queries.InvitationRecord {
  const invitation = queries.findInvitation(database, invitationId)
  if (!invitation) throw new ApiError('not-found', message('users.invitation-unknown'))
  return invitation
}

/**
 * Makes an address available for a new invitation. It is taken by an active user or a pending
 * invitation; a user whose invitation has expired is deactivated.
 * @throws ApiError refused
 */
function releaseEmail({ database }: Context, email: string, at: string): void {
  const holder = queries.userByEmail(database, email)
  const invitationOfHolder =
    holder?.passwordHash === null ? queries.invitationOfUser(database, holder.userId) : undefined
  const isPendingElsewhere = queries.pendingInvitationByEmail(database, email, at) !== undefined
  if (
    isPendingElsewhere ||
    (holder && !(invitationOfHolder && !isPending(invitationOfHolder, at)))
  ) {
    throw new ApiError('refused', message('users.email-taken-or-invited'), {
      errors: [{ path: 'body.email', message: message('users.email-taken-or-invited-field') }],
    })
  }
  if (holder) queries.updateUser(database, { ...holder, deactivatedAt: at, updatedAt: at })
}

/**
 * Queues the mail within the open transaction if a mail server is configured; otherwise returns the
 * link for the inviter to pass on.
 */
function deliver(
  context: Context,
  publicBase: string,
  invitation: queries.InvitationRecord,
  token: string,
): string | null {
  const { database, settings } = context
  const { email: to, firstName, expiry, invitationId: subject, updatedAt: at } = invitation
  const link = `${publicBase}/#/invitation?token=${token}`
  dropOutboxJobs(database, INVITATION_MAIL, subject, at)
  if (settings.get('mail.host') === null || settings.get('mail.from') === null) return link
  const payload: InvitationMail = {
    ...{ to, firstName, clinicName: settings.get('clinic.name') },
    ...{ invitedBy: englishText(inviterOf(context, invitation)), link, expiry },
  }
  addOutboxJob(database, { kind: INVITATION_MAIL, subject, payload, at })
  return null
}

/** Ends a pending invitation. The user record is kept, without access. */
function endPendingInvitation(
  context: Context,
  invitation: queries.InvitationRecord,
  action: 'reject' | 'revoke',
  actor: Actor,
): void {
  const { database, clock } = context
  const { invitationId, userId } = invitation
  const at = instantOf(clock())
  const status = INVITATION_MOVES[action]
  queries.updateInvitation(database, { ...invitation, status, updatedAt: at })
  dropOutboxJobs(database, INVITATION_MAIL, invitationId, at)
  const user = queries.findUser(database, userId)
  if (user && user.deactivatedAt === null)
    queries.updateUser(database, { ...user, deactivatedAt: at, updatedAt: at })
  note(context, actor, `invitation.${action}`, invitationId, { userId })
}

/** The final state of an invitation that is not pending. */
const finalStatusOf = ({ status }: queries.InvitationRecord) =>
  status === 'sent' ? 'expired' : status

const malformedError = (fault: Message, field: 'invitationId' | 'userId') =>
  new ApiError('malformed', message('input.field-sentence', { path: field, fault }), {
    errors: [{ path: `body.${field}`, message: fault }],
  })
