import { listPage, printTimeKey, readTimeKey } from '#server/http/list-page.ts'
import type { HandlersOf } from '#server/http/operations.ts'
import type { SessionCookie } from '#server/http/session-authentication.ts'
import { customersOfUser } from '#server/modules/customers/queries.ts'
import { type LinkedUser, listCustomerUsers } from '#server/modules/customers/service.ts'
import type {
  CustomerUser,
  dashboardPeople,
  PEOPLE_SHOWN,
  Person,
} from '#shared/contract/dashboard-people.ts'
import type { SignedInUser } from '#shared/contract/people.ts'
import { ApiError } from '#shared/errors.ts'
import type { InvitationId } from '#shared/ids.ts'
import type { InvitationRecord } from './invitation-queries.ts'
import type { Invited } from './invitations.ts'
import { invitedPerson } from './invited-person.ts'
import type { DashboardPeopleDeps } from './people-routes.ts'
import { personSearch, wantedPart } from './people-search.ts'
import { sessionShown, placeOf as whereFrom } from './session-routes.ts'
import type { TimeKey, UserRecord } from './user-queries.ts'
import { scribeUserOf } from './user-view.ts'

type Served =
  | 'people'
  | 'customerUsers'
  | 'invitePerson'
  | 'updatePerson'
  | 'revokePerson'
  | 'reactivatePerson'
  | 'renewInvitation'
  | 'revokeInvitation'
  | 'invitation'
  | 'acceptInvitation'
  | 'rejectInvitation'

// All that manage people see every customer (row 52).
const callerOf = (user: SignedInUser) =>
  ({ kind: 'user', user: { ...user, customerIds: [] } }) as const

const stateOf = (user: UserRecord): Person['state'] =>
  user.deactivatedAt !== null ? 'revoked' : user.passwordHash === null ? 'invited' : 'active'

const SHOWN: Readonly<Record<(typeof PEOPLE_SHOWN)[number], readonly Person['state'][]>> = {
  all: ['active', 'invited', 'revoked'],
  active: ['active'],
  invited: ['invited'],
  out: ['revoked'],
}

const showLinked = ({ user, linkedAt }: LinkedUser): CustomerUser => ({
  ...{
    userId: user.userId,
    name: `${user.firstName} ${user.lastName}`,
    email: user.email,
    clinicRole: user.clinicRole,
  },
  ...{ state: stateOf(user), linkedAt },
})

function placeOf(cursor: string | undefined): TimeKey | undefined {
  if (cursor === undefined || /^\S{24} usr_[0-9a-f]{32}$/.test(cursor)) return readTimeKey(cursor)
  throw new ApiError('malformed', 'The cursor is not one of this list.', {
    errors: [{ path: 'query.cursor', message: 'must be a cursor given with an earlier page' }],
  })
}

export function peopleHandlers({
  users,
  invitations,
  store,
  people,
  settings,
  version,
  secondFactors,
  workstations,
}: Pick<
  DashboardPeopleDeps,
  | 'users'
  | 'invitations'
  | 'store'
  | 'people'
  | 'settings'
  | 'version'
  | 'secondFactors'
  | 'workstations'
>): Pick<HandlersOf<typeof dashboardPeople>, Served> {
  const showSession = sessionShown({ people, settings, version })
  function show(user: UserRecord): Person {
    const invitation = invitations.ofUser(user.userId)
    return {
      ...scribeUserOf(user),
      level: user.level,
      interfaceLevel: user.interfaceLevel,
      state: stateOf(user),
      invitation: invitation ? showInvitation(invitation) : null,
      expressCustomers: customersOfUser(store.database, user.userId),
      secondFactorSince: secondFactors?.of(user.userId).since ?? null,
    }
  }

  function showInvitation(invitation: InvitationRecord): Person['invitation'] {
    const { status, expiry, createdAt } = invitation
    const { mail, fault } = invitations.mailOf(invitation.invitationId)
    return {
      invitationId: invitation.invitationId as InvitationId,
      ...{ status, expiry, createdAt, mail, mailFault: fault },
      isExpired: status === 'sent' && !invitations.isPending(invitation),
      invitedBy: invitations.inviterName(invitation),
    }
  }

  const showInvited = ({ user, invitation, link }: Invited) => ({
    person: show(user),
    link,
    expiry: invitation.expiry,
  })

  function begin(cookie: SessionCookie, token: string | undefined, user: SignedInUser | null) {
    // Whoever was signed in at this browser is not who accepted.
    if (cookie.token) people.signOut(cookie.token)
    if (token === undefined) cookie.clear()
    else cookie.set(token)
    return showSession(user ?? undefined)
  }

  return {
    people({ query: { cursor, limit, search, show: shown }, user }) {
      const isFound = personSearch(search)
      const { items, next } = wantedPart(
        (place) => users.list(callerOf(user), {}, place),
        ({ createdAt, userId }) => ({ createdAt, id: userId }),
        (one) => SHOWN[shown].includes(stateOf(one)) && isFound(one),
        { after: placeOf(cursor), limit },
      )
      return listPage('people', items.map(show), printTimeKey(next))
    },
    customerUsers({ params, query: { cursor, limit, search }, user }) {
      const place = { after: placeOf(cursor), limit }
      const { items, next } = listCustomerUsers(
        store,
        callerOf(user),
        params.expressCustomerId,
        search,
        place,
      )
      return listPage('users', items.map(showLinked), printTimeKey(next))
    },
    invitePerson: ({ body, user }) =>
      showInvited(invitations.invite(callerOf(user), invitedPerson(body))),
    updatePerson: ({ params, body, user }) =>
      show(users.update(callerOf(user), params.userId, body)),
    revokePerson: ({ params, user }) => users.revokeAccess(callerOf(user), params.userId),
    reactivatePerson: ({ params, user }) => users.reactivate(callerOf(user), params.userId),
    renewInvitation: ({ params, user }) =>
      showInvited(invitations.renew(callerOf(user), params.userId)),
    revokeInvitation: ({ params, user }) =>
      invitations.revoke(callerOf(user), { userId: params.userId }),

    invitation({ body }) {
      const invitation = invitations.open(body.token)
      const { email, firstName, lastName, clinicRole, expiry } = invitation
      const level =
        people.list().find(({ userId }) => userId === invitation.userId)?.level ?? 'member'
      const clinicName = settings.get('clinic.name')
      return {
        email,
        firstName,
        lastName,
        clinicRole,
        level,
        expiry,
        clinicName,
        invitedBy: invitations.inviterName(invitation),
      }
    },
    async acceptInvitation({ body, session, workstation }) {
      const { signIn } = await invitations.accept(
        body.token,
        body.password,
        whereFrom(session, workstation, workstations),
      )
      return begin(session, signIn?.token, signIn?.user ?? null)
    },
    rejectInvitation({ body }) {
      invitations.reject(body.token)
      return { success: true }
    },
  }
}
