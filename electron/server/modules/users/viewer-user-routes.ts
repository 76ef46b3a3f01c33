import { listPage, printTimeKey, readTimeKey } from '#server/http/list-page.ts'
import type { HandlersOf } from '#server/http/operations.ts'
import type { Settings } from '#server/modules/settings/settings.ts'
import type { viewerUsers } from '#shared/contract/users.ts'
import type { InvitationRecord } from './invitation-queries.ts'
import type { Invitations } from './invitations.ts'
import { invitedPerson } from './invited-person.ts'
import { viewerInvitationOf, viewerUserOf } from './user-view.ts'
import type { Users } from './users.ts'

export interface ViewerUserDeps {
  readonly users: Users
  readonly invitations: Invitations
  readonly settings: Pick<Settings, 'get'>
}

/** interface.md, Viewer users; interface-choices §1.2. */
export function viewerUserHandlers({
  users,
  invitations,
  settings,
}: ViewerUserDeps): HandlersOf<typeof viewerUsers> {
  const show = (invitation: InvitationRecord) =>
    viewerInvitationOf(invitation, settings.get('clinic.id') ?? '')
  return {
    invite: ({ caller, body }) =>
      viewerUserOf(invitations.invite(caller, invitedPerson(body)).user),
    list({ caller, query: { cursor, limit, ...filters } }) {
      const { items, next } = users.list(caller, filters, { after: readTimeKey(cursor), limit })
      return listPage('users', items.map(viewerUserOf), printTimeKey(next))
    },
    read: ({ caller, params }) => viewerUserOf(users.read(caller, params.userId)),
    update: ({ caller, params, body }) => viewerUserOf(users.update(caller, params.userId, body)),
    revokeAccess: ({ caller, body }) => users.revokeAccess(caller, body.userId),
    reactivate: ({ caller, body }) => users.reactivate(caller, body.userId),
    invitations({ caller, query: { cursor, limit, ...filters } }) {
      const { items, next } = invitations.list(caller, filters, {
        after: readTimeKey(cursor),
        limit,
      })
      return listPage('invitations', items.map(show), printTimeKey(next))
    },
    invitation: ({ caller, params }) => show(invitations.read(caller, params.invitationId)),
    updateInvitation: ({ caller, params, body }) =>
      show(invitations.update(caller, params.invitationId, body)),
    revokeInvitation: ({ caller, body }) => invitations.revoke(caller, body),
  }
}
