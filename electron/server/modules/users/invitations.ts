import {
  type Actor,
  type DomainDeps,
  differences,
  note,
  userActor,
} from '#server/modules/audit/audit.ts'
import type { Settings } from '#server/modules/settings/settings.ts'
import { addDays, startOfDay, timeZoneOf } from '#server/platform/clinic-day.ts'
import { instantOf } from '#server/platform/clock.ts'
import { hashOfToken, mintToken } from '#server/platform/token.ts'
import type { Outcome } from '#shared/contract/conventions.ts'
import type { MailState } from '#shared/contract/dashboard-people.ts'
import { INVITATION_MAIL, type InvitationMail } from '#shared/contract/mail.ts'
import { ApiError } from '#shared/errors.ts'
import { idFromUuid } from '#shared/ids.ts'
import { INVITATION_MOVES } from '#shared/lifecycle.ts'
import { actorOf, type Caller, demand } from './caller.ts'
import type { InvitationFilters, InvitationRecord } from './invitation-queries.ts'
import type { People, SignIn } from './people.ts'
import type { SessionPlace } from './sessions.ts'
import type { PersonFields, UserRecord } from './user-queries.ts'
import {
  checkPerson,
  demandWindowFor,
  isPending,
  type ListPart,
  type ListPlace,
  merged,
  type PersonPatch,
  partOf,
  patchedUser,
} from './users.ts'

/** Row 9. */
const INVITATION_MS = 30 * 24 * 60 * 60_000

/** Texts that are absent are null. */
export type NewPerson = PersonFields & { readonly level: 'admin' | 'member' }

/** Filters as the contract gives them; days are the clinic's. */
export interface InvitationQuery {
  readonly startDate?: string | undefined
  readonly endDate?: string | undefined
  readonly expired?: 'all' | 'expired' | 'not-expired' | undefined
  readonly status?: InvitationFilters['status']
  readonly userId?: string | undefined
}

export interface Invited {
  readonly user: UserRecord
  readonly invitation: InvitationRecord
  /** To be handed over by the inviter; null where a mail carries it. It is not kept. */
  readonly link: string | null
}

export interface InvitationMailState {
  readonly mail: MailState
  /** Why it was not delivered so far. */
  readonly fault: string | null
}

/**
 * Invitations (interface-choices §1.1, §1.2, rows 3, 8, 9, 46-48): one table, visible in both
 * areas.
 */
export interface Invitations {
  /**
   * Makes the user, readable at once, and the invitation. @throws ApiError not-permitted; refused:
   * address taken, or a rule of `checkPerson`
   */
  invite(caller: Caller, person: NewPerson): Invited
  list(caller: Caller, query: InvitationQuery, place: ListPlace): ListPart<InvitationRecord>
  /** @throws ApiError not-found */
  read(caller: Caller, invitationId: string): InvitationRecord
  /**
   * Changes the user too. @throws ApiError not-found; refused: expired or processed, or a rule of
   * `checkPerson`
   */
  update(caller: Caller, invitationId: string, patch: PersonPatch): InvitationRecord
  /** By either or both. @throws ApiError malformed: neither, or not each other's; not-found */
  revoke(
    caller: Caller,
    by: { readonly invitationId?: string | undefined; readonly userId?: string | undefined },
  ): Outcome
  /**
   * Another link for the user's pending invitation; the one before no longer works. @throws
   * ApiError not-found, refused
   */
  renew(caller: Caller, userId: string): Invited
  /** The user's newest. */
  ofUser(userId: string): InvitationRecord | undefined
  mailOf(invitationId: string): InvitationMailState
  /** Whether the invitation can be accepted now. */
  isPending(invitation: InvitationRecord): boolean
  /** Who invited, in words. */
  inviterName(invitation: InvitationRecord): string

  /**
   * The invitation of a link. @throws ApiError refused: unknown, expired, processed, or the user's
   * access was taken
   */
  open(token: string): InvitationRecord
  /**
   * `signIn` is absent for an account without access to the window. @throws ApiError as `open`,
   * too-many; refused: the password is too easily guessed
   */
  accept(
    token: string,
    password: string,
    place?: SessionPlace,
  ): Promise<{ readonly user: UserRecord; readonly signIn: SignIn | undefined }>
  /** @throws ApiError as `open` */
  reject(token: string): void
}

export interface InvitationsDeps extends DomainDeps {
  readonly settings: Pick<Settings, 'get'>
  readonly people: Pick<People, 'hashPassword' | 'beginSession'>
  /** Base of the links given out, without a slash at the end (row 54). */
  readonly publicBase: () => string
}

export function openInvitations(deps: InvitationsDeps): Invitations {
  const { store, clock, uuid, settings, people } = deps
  const { database, users, invitations, outbox } = store
  const now = () => instantOf(clock())

  function existing(invitationId: string): InvitationRecord {
    const invitation = invitations.get(invitationId)
    if (!invitation) throw new ApiError('not-found', 'There is no such invitation.')
    return invitation
  }

  function userOf(userId: string): UserRecord {
    const user = users.get(userId)
    if (!user) throw new ApiError('not-found', 'There is no such user.')
    return user
  }

  /**
   * Row 47: taken by a live user or a pending invitation. Whoever let an invitation expire makes
   * way.
   */
  function freeAddress(email: string, at: string): void {
    const holder = users.byEmail(email)
    const left = holder?.passwordHash === null ? invitations.ofUser(holder.userId) : undefined
    if (invitations.pendingByEmail(email, at) || (holder && !(left && !isPending(left, at))))
      throw new ApiError('refused', 'A user or a pending invitation has this e-mail address.', {
        errors: [
          {
            path: 'body.email',
            message: 'must not be the address of another user or of a pending invitation',
          },
        ],
      })
    if (holder) users.update({ ...holder, deactivatedAt: at, updatedAt: at })
  }

  const inviterName = ({ inviterId }: InvitationRecord): string => {
    const inviter = inviterId === null ? undefined : users.get(inviterId)
    return inviter ? `${inviter.firstName} ${inviter.lastName}` : 'A partner system of the clinic'
  }

  /**
   * Appends the mail to the open transaction where mail is set up; else the link is the inviter's
   * to hand over.
   */
  function deliver(invitation: InvitationRecord, token: string, at: string): string | null {
    const link = `${deps.publicBase()}/#/invitation?token=${token}`
    outbox.drop(INVITATION_MAIL, invitation.invitationId, at)
    if (settings.get('mail.host') === null || settings.get('mail.from') === null) return link
    const { email, firstName, expiry } = invitation
    const clinicName = settings.get('clinic.name')
    const payload: InvitationMail = {
      to: email,
      firstName,
      clinicName,
      invitedBy: inviterName(invitation),
      link,
      expiry,
    }
    outbox.append({ kind: INVITATION_MAIL, subject: invitation.invitationId, payload, at })
    return null
  }

  /**
   * The end of an invitation that was not accepted: the user stays readable, without access (row
   * 46).
   */
  function end(invitation: InvitationRecord, move: 'reject' | 'revoke', actor: Actor): void {
    const at = now()
    invitations.update({ ...invitation, status: INVITATION_MOVES[move], updatedAt: at })
    outbox.drop(INVITATION_MAIL, invitation.invitationId, at)
    const user = users.get(invitation.userId)
    if (user && user.deactivatedAt === null)
      users.update({ ...user, deactivatedAt: at, updatedAt: at })
    note(deps.store, actor, `invitation.${move}`, invitation.invitationId, {
      userId: invitation.userId,
    })
  }

  function open(token: string): InvitationRecord {
    const invitation = invitations.byTokenHash(hashOfToken(token))
    if (!invitation)
      throw new ApiError(
        'refused',
        'This link is not one of this gateway, or was replaced by a newer one.',
      )
    if (!isPending(invitation, now()))
      throw new ApiError('refused', `This invitation ${overOf(invitation)}.`)
    if (users.get(invitation.userId)?.deactivatedAt !== null)
      throw new ApiError(
        'refused',
        'The access that this invitation gives was taken away. Ask whoever invited you.',
      )
    return invitation
  }

  return {
    invite: (caller, person) =>
      database.transaction(() => {
        demand(caller, 'manageUsers')
        checkPerson(person, { canCreateReports: person.canCreateReports })
        const ms = clock()
        const at = instantOf(ms)
        freeAddress(person.email, at)
        const token = mintToken()
        const isByUser = caller.kind === 'user'
        const user: UserRecord = {
          ...person,
          // The right to run the gateway is given in the window only (decision 0033).
          level: isByUser ? person.level : 'member',
          interfaceLevel: person.level,
          userId: idFromUuid('usr', uuid()),
          passwordHash: null,
          invitedSource: isByUser ? 'dashboard' : 'api',
          createdAt: at,
          updatedAt: at,
          lastLoginAt: null,
          deactivatedAt: null,
        }
        const invitation: InvitationRecord = {
          ...person,
          invitationId: idFromUuid('inv', uuid()),
          userId: user.userId,
          status: 'sent',
          invitedSource: user.invitedSource,
          inviterId: isByUser ? caller.user.userId : null,
          invitedByApiKeyId: isByUser ? null : caller.apiKeyId,
          tokenHash: hashOfToken(token),
          expiry: instantOf(ms + INVITATION_MS),
          createdAt: at,
          updatedAt: at,
        }
        users.insert(user)
        invitations.insert(invitation)
        note(deps.store, actorOf(caller), 'user.invite', user.userId, {
          invitationId: invitation.invitationId,
          level: person.level,
        })
        return { user, invitation, link: deliver(invitation, token, at) }
      }),

    list(caller, { startDate, endDate, expired = 'all', status, userId }, { after, limit }) {
      demand(caller, 'readStudies')
      const timeZone = timeZoneOf(settings.get('clinic.timeZone'))
      const filters: InvitationFilters = {
        status,
        userId,
        expired: expired === 'all' ? undefined : expired === 'expired',
        from: startDate && instantOf(startOfDay(startDate, timeZone)),
        before: endDate && instantOf(startOfDay(addDays(endDate, 1), timeZone)),
      }
      return partOf(
        invitations.page(filters, now(), after, limit + 1),
        limit,
        ({ createdAt, invitationId }) => ({
          createdAt,
          id: invitationId,
        }),
      )
    },

    read(caller, invitationId) {
      demand(caller, 'readStudies')
      return existing(invitationId)
    },

    update: (caller, invitationId, patch) =>
      database.transaction(() => {
        demand(caller, 'manageUsers')
        const before = existing(invitationId)
        const updatedAt = now()
        if (!isPending(before, updatedAt))
          throw new ApiError('refused', `The invitation cannot be changed: it ${overOf(before)}.`)
        const user = patchedUser(caller, userOf(before.userId), patch)
        const after = { ...merged(before, patch), level: user.interfaceLevel }
        checkPerson(after, patch)
        const changes = differences<PersonFields>(before, after)
        if (Object.keys(changes).length === 0) return before
        const changed = { ...after, updatedAt }
        invitations.update(changed)
        checkPerson(user, patch)
        users.update({ ...user, updatedAt })
        note(deps.store, actorOf(caller), 'invitation.update', invitationId, changes)
        return changed
      }),

    revoke: (caller, { invitationId, userId }) =>
      database.transaction(() => {
        demand(caller, 'manageUsers')
        const named = invitationId === undefined ? undefined : existing(invitationId)
        if (userId === undefined && !named)
          throw unnamed('must be given, or userId', 'invitationId')
        if (userId !== undefined) userOf(userId)
        if (named && userId !== undefined && named.userId !== userId)
          throw unnamed('must be the user of that invitation', 'userId')
        const invitation = named ?? invitations.ofUser(userId ?? '')
        if (!invitation) return { success: false, message: 'The user has no invitation.' }
        demandWindowFor(caller, userOf(invitation.userId))
        if (!isPending(invitation, now()))
          return { success: false, message: `The invitation ${overOf(invitation)}.` }
        end(invitation, 'revoke', actorOf(caller))
        return { success: true, message: 'The invitation was revoked.' }
      }),

    renew: (caller, userId) =>
      database.transaction(() => {
        demand(caller, 'manageUsers')
        const user = userOf(userId)
        const before = invitations.ofUser(userId)
        const at = now()
        if (!before) throw new ApiError('refused', 'The user has no invitation.')
        if (!isPending(before, at))
          throw new ApiError(
            'refused',
            `There is no link to give: the invitation ${overOf(before)}.`,
          )
        if (user.deactivatedAt !== null)
          throw new ApiError('refused', 'The user’s access was taken away: give it back first.')
        const token = mintToken()
        const invitation = { ...before, tokenHash: hashOfToken(token), updatedAt: at }
        invitations.update(invitation)
        note(deps.store, actorOf(caller), 'invitation.renew', invitation.invitationId, { userId })
        return { user, invitation, link: deliver(invitation, token, at) }
      }),

    ofUser: (userId) => invitations.ofUser(userId),
    mailOf(invitationId) {
      const row = outbox.latest(INVITATION_MAIL, invitationId)
      const mail = row && row.state !== 'dropped' ? row.state : 'none'
      return {
        mail,
        fault: mail === 'waiting' || mail === 'failed' ? (row?.lastError ?? null) : null,
      }
    },
    isPending: (invitation) => isPending(invitation, now()),
    inviterName,

    open,

    async accept(token, password, place) {
      // Known to be good before the work of hashing is spent on it.
      const passwordHash = await people.hashPassword(password, open(token))
      return database.transaction(() => {
        const invitation = open(token)
        const at = now()
        const user = { ...userOf(invitation.userId), passwordHash, lastLoginAt: at, updatedAt: at }
        users.update(user)
        users.notePassword(user.userId, at)
        invitations.update({ ...invitation, status: INVITATION_MOVES.accept, updatedAt: at })
        outbox.drop(INVITATION_MAIL, invitation.invitationId, at)
        note(deps.store, userActor(user.userId), 'invitation.accept', invitation.invitationId, {
          userId: user.userId,
        })
        return {
          user,
          signIn: user.hasDashboardAccess
            ? people.beginSession(user, 'invitation', place)
            : undefined,
        }
      })
    },

    reject: (token) =>
      database.transaction(() => {
        const invitation = open(token)
        end(invitation, 'reject', userActor(invitation.userId))
      }),
  }
}

const overOf = ({ status }: InvitationRecord) =>
  status === 'sent'
    ? 'has expired'
    : status === 'accepted'
      ? 'was accepted already'
      : `was ${status}`

const unnamed = (message: string, field: 'invitationId' | 'userId') =>
  new ApiError('malformed', `${field} ${message}.`, {
    errors: [{ path: `body.${field}`, message }],
  })
