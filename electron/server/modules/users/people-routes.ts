import type { Context } from '#server/context.ts'
import { badCursor, type TimeKey } from '#server/database/page.ts'
import type { HttpApp } from '#server/http/http-app.ts'
import { serveAll } from '#server/http/operations.ts'
import { decodeTimeKey, encodeTimeKey, listPage } from '#server/http/pagination.ts'
import type { SessionCookie } from '#server/http/session-authentication.ts'
import { windowCaller } from '#server/modules/users/caller.ts'
import { instantOf } from '#server/platform/clock.ts'
import {
  dashboardPeople,
  type PEOPLE_FILTERS,
  type Person,
} from '#shared/contract/dashboard-people.ts'
import type { SignedInUser } from '#shared/contract/people.ts'
import type { InvitationId } from '#shared/ids.ts'
import { newPersonOf } from './interface-routes.ts'
import * as invitations from './invitations.ts'
import type { People } from './people.ts'
import {
  customersOfUser,
  findUser,
  type InvitationRecord,
  invitationOfUser,
  type UserRecord,
} from './queries.ts'
import { scribeUserReply } from './replies.ts'
import { secondFactorOf } from './second-factor.ts'
import { sessionOriginOf, type sessionReply } from './session-routes.ts'
import { signOut } from './sessions.ts'
import * as users from './users.ts'

const { people, invitePerson, updatePerson, revokePerson, reactivatePerson } = dashboardPeople
const { renewInvitation, revokeInvitation } = dashboardPeople
const { invitation, acceptInvitation, rejectInvitation } = dashboardPeople
const OPERATIONS = {
  ...{ people, invitePerson, updatePerson, revokePerson, reactivatePerson },
  ...{ renewInvitation, revokeInvitation, invitation, acceptInvitation, rejectInvitation },
}

/**
 * Serves the window's calls about users and their invitations.
 * @param publicBase the base of the links in invitations, without a trailing slash
 */
export function serveDashboardPeople(
  app: HttpApp,
  context: Context,
  accounts: People,
  publicBase: () => string,
  showSession: ReturnType<typeof sessionReply>,
): void {
  const { database } = context
  const callerOf = windowCaller(context)
  const show = (user: UserRecord) => personReply(context, user)

  const invitationResultReply = ({
    user,
    invitation: { expiry },
    link,
  }: invitations.InvitationResult) => ({
    ...{ person: show(user), link, expiry },
  })

  function beginSession(
    cookie: SessionCookie,
    token: string | undefined,
    user: SignedInUser | undefined,
  ) {
    // The user signed in on this browser may be another one.
    if (cookie.token) signOut(context, cookie.token)
    if (token === undefined) cookie.clear()
    else cookie.set(token)
    return showSession(user)
  }

  serveAll(app, OPERATIONS, {
    people({ query: { cursor, limit, search, show: shown }, user }) {
      const matchesSearch = users.personMatcher(search)
      const { items, next } = users.filteredPage(
        (place) => users.listUsers(context, callerOf(user), {}, place),
        ({ createdAt, userId }) => ({ createdAt, id: userId }),
        (one) => SHOWN_STATES[shown].includes(stateOf(context, one)) && matchesSearch(one),
        { after: readPeopleCursor(cursor), limit },
      )
      return listPage('people', items.map(show), encodeTimeKey(next))
    },
    invitePerson: ({ body, user }) =>
      invitationResultReply(
        invitations.invite(context, publicBase(), callerOf(user), newPersonOf(body)),
      ),
    updatePerson: ({ params, body, user }) =>
      show(users.updateUser(context, callerOf(user), params.userId, body)),
    revokePerson: ({ params, user }) => users.revokeAccess(context, callerOf(user), params.userId),
    reactivatePerson: ({ params, user }) =>
      users.reactivateUser(context, callerOf(user), params.userId),
    renewInvitation: ({ params, user }) =>
      invitationResultReply(
        invitations.renewInvitation(context, publicBase(), callerOf(user), params.userId),
      ),
    revokeInvitation: ({ params, user }) =>
      invitations.revokeInvitation(context, callerOf(user), { userId: params.userId }),

    invitation({ body }) {
      const found = invitations.openInvitation(context, body.token)
      const { email, firstName, lastName, clinicRole, expiry } = found
      return {
        ...{ email, firstName, lastName, clinicRole, expiry },
        level: findUser(database, found.userId)?.level ?? 'member',
        clinicName: context.settings.get('clinic.name'),
        invitedBy: invitations.inviterOf(context, found),
      }
    },
    async acceptInvitation({ body: { token, password }, session, workstation }) {
      const sessionOrigin = sessionOriginOf(context, session, workstation)
      const { signIn } = await invitations.acceptInvitation(
        context,
        accounts,
        token,
        password,
        sessionOrigin,
      )
      return beginSession(session, signIn?.token, signIn?.user)
    },
    rejectInvitation({ body }) {
      invitations.rejectInvitation(context, body.token)
      return { success: true }
    },
  })
}

export function stateOf(context: Context, user: UserRecord): Person['state'] {
  if (user.deactivatedAt !== null) return 'revoked'
  return users.canSignIn(context, user) ? 'active' : 'invited'
}

const SHOWN_STATES: Readonly<Record<(typeof PEOPLE_FILTERS)[number], readonly Person['state'][]>> =
  {
    all: ['active', 'invited', 'revoked'],
    active: ['active'],
    invited: ['invited'],
    out: ['revoked'],
  }

/**
 * Reads the cursor of a list of users.
 * @throws ApiError malformed
 */
export function readPeopleCursor(cursor: string | undefined): TimeKey | undefined {
  if (cursor === undefined || /^\S{24} usr_[0-9a-f]{32}$/.test(cursor)) return decodeTimeKey(cursor)
  throw badCursor()
}

function personReply(context: Context, user: UserRecord): Person {
  const { userId, level, interfaceLevel } = user
  const invitation = invitationOfUser(context.database, userId)
  return {
    ...scribeUserReply(user),
    ...{ level, interfaceLevel, state: stateOf(context, user) },
    invitation: invitation ? invitationReply(context, invitation) : null,
    expressCustomers: customersOfUser(context.database, userId),
    secondFactorSince: secondFactorOf(context, userId).since,
  }
}

function invitationReply(context: Context, invitation: InvitationRecord): Person['invitation'] {
  const { invitationId, status, expiry, createdAt } = invitation
  const { mail, fault } = invitations.mailStateOf(context, invitationId)
  const isExpired = status === 'sent' && !users.isPending(invitation, instantOf(context.clock()))
  return {
    invitationId: invitationId as InvitationId,
    ...{ status, expiry, createdAt, mail, mailFault: fault, isExpired },
    invitedBy: invitations.inviterOf(context, invitation),
  }
}
