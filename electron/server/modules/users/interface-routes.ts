import type { z } from 'zod'
import type { Context } from '#server/context.ts'
import type { HttpApp } from '#server/http/http-app.ts'
import { type Call, serveAll } from '#server/http/operations.ts'
import { decodeTimeKey, encodeTimeKey, listPage } from '#server/http/pagination.ts'
import { scribeUsers, viewerUsers } from '#shared/contract/users.ts'
import * as invitations from './invitations.ts'
import type { InvitationRecord, UserRecord } from './queries.ts'
import * as replies from './replies.ts'
import * as users from './users.ts'

/**
 * Serves the interface calls about users and invitations, in both areas.
 * @param publicBase the base of the links in invitations, without a trailing slash
 */
export function serveInterfaceUsers(
  app: HttpApp,
  context: Context,
  publicBase: () => string,
): void {
  const { viewerUserReply, viewerInvitationReply, scribeUserReply, scribeInvitationReply } = replies
  const clinicId = () => context.settings.get('clinic.id') ?? ''
  serveAll(
    app,
    viewerUsers,
    handlersOf(context, publicBase, viewerUserReply, (one) =>
      viewerInvitationReply(one, clinicId()),
    ),
  )
  serveAll(
    app,
    scribeUsers,
    handlersOf(context, publicBase, scribeUserReply, (one) =>
      scribeInvitationReply(one, clinicId()),
    ),
  )
}

type CallOf<K extends keyof typeof scribeUsers> = Call<(typeof scribeUsers)[K]>
type ListQuery = z.output<typeof viewerUsers.list.query> &
  Partial<z.output<typeof scribeUsers.list.query>>
type InvitationBody = z.output<typeof viewerUsers.invite.body> &
  Partial<z.output<typeof scribeUsers.invite.body>>

/**
 * The handlers of both areas, which differ in their replies; the scribe area has additional fields.
 */
const handlersOf = <User, Invitation>(
  context: Context,
  publicBase: () => string,
  show: (user: UserRecord) => User,
  showInvitation: (invitation: InvitationRecord) => Invitation,
) => ({
  invite: ({
    caller,
    body,
  }: Pick<CallOf<'invite'>, 'caller'> & { readonly body: InvitationBody }) =>
    show(invitations.invite(context, publicBase(), caller, newPersonOf(body)).user),
  list({
    caller,
    query: { cursor, limit, ...filters },
  }: Pick<CallOf<'list'>, 'caller'> & { readonly query: ListQuery }) {
    const usersPosition = { after: decodeTimeKey(cursor), limit }
    const { items, next } = users.listUsers(context, caller, filters, usersPosition)
    return listPage('users', items.map(show), encodeTimeKey(next))
  },
  read: ({ caller, params }: CallOf<'read'>) =>
    show(users.readUser(context, caller, params.userId)),
  update: ({ caller, params, body }: CallOf<'update'>) =>
    show(users.updateUser(context, caller, params.userId, body)),
  revokeAccess: ({ caller, body }: CallOf<'revokeAccess'>) =>
    users.revokeAccess(context, caller, body.userId),
  reactivate: ({ caller, body }: CallOf<'reactivate'>) =>
    users.reactivateUser(context, caller, body.userId),
  invitations({ caller, query: { cursor, limit, ...filters } }: CallOf<'invitations'>) {
    const position = { after: decodeTimeKey(cursor), limit }
    const { items, next } = invitations.listInvitations(context, caller, filters, position)
    return listPage('invitations', items.map(showInvitation), encodeTimeKey(next))
  },
  invitation: ({ caller, params }: CallOf<'invitation'>) =>
    showInvitation(invitations.readInvitation(context, caller, params.invitationId)),
  updateInvitation: ({ caller, params, body }: CallOf<'updateInvitation'>) =>
    showInvitation(invitations.updateInvitation(context, caller, params.invitationId, body)),
  revokeInvitation: ({ caller, body }: CallOf<'revokeInvitation'>) =>
    invitations.revokeInvitation(context, caller, body),
})

/**
 * Converts the body of an invite call of either area. Users invited through the viewer area cannot
 * create reports.
 */
export const newPersonOf = (given: InvitationBody): invitations.NewPerson => ({
  ...given,
  canCreateReports: given.canCreateReports ?? false,
  npiNumber: given.npiNumber ?? null,
  middleName: given.middleName ?? null,
  suffix1: given.suffix1 ?? null,
  suffix2: given.suffix2 ?? null,
  phoneNumber: given.phoneNumber ?? null,
})
