import { createApiKey } from '#server/modules/api-keys/api-keys.ts'
import type { Caller } from '#server/modules/users/caller.ts'
import { newPersonOf } from '#server/modules/users/interface-routes.ts'
import * as invitationService from '#server/modules/users/invitations.ts'
import { findUser, updateUser } from '#server/modules/users/queries.ts'
import type { SessionOrigin } from '#server/modules/users/sessions.ts'
import { signedInUser } from '#server/modules/users/sessions.ts'
import * as userService from '#server/modules/users/users.ts'
import type { Level } from '#shared/contract/people.ts'
import { bound } from '../../../../support/bound.ts'
import { peopleOf } from '../../../../support/people.ts'
import { tempStore } from '../../../../support/temp-store.ts'

export const PASSWORD = 'a long and quiet evening'
export const INVITED = {
  email: 'Maja@partner.example',
  firstName: 'Maja',
  lastName: 'Novák',
  level: 'member',
  clinicRole: 'Imaging Technologist',
  canManageStudies: true,
  hasDashboardAccess: true,
} as const
type Wanted = Partial<Parameters<typeof newPersonOf>[0]>
export const person = (more: Wanted = {}) => newPersonOf({ ...INVITED, ...more })

/** Users and invitations on a real store with a standing clock. */
export function peopleFixture() {
  const temp = tempStore()
  const people = peopleOf(temp.store)
  const users = bound(userService, temp.store)
  const bare = bound(invitationService, temp.store)
  const BASE = 'https://gateway.clinic.example'
  const invitations = {
    ...bare,
    invite: (caller: Caller, person: invitationService.NewPerson) =>
      bare.invite(BASE, caller, person),
    renew: (caller: Caller, userId: string) => bare.renewInvitation(BASE, caller, userId),
    accept: (token: string, password: string, place?: SessionOrigin) =>
      bare.acceptInvitation(people, token, password, place),
  }
  const { apiKey } = createApiKey(
    temp.store,
    { description: 'Cloud RIS', isViewerEnabled: true, scope: 'all' },
    'command-line',
  )

  return {
    ...temp,
    ...{ store: temp.store, people, users, invitations, apiKeyId: apiKey.apiKeyId },
    key: {
      kind: 'api-key',
      apiKeyId: apiKey.apiKeyId,
      scope: 'all',
      isViewerEnabled: true,
      managesPeople: true,
    } as Caller,
    /** Somebody at the window; each call makes another account. */
    async at(
      level: Level,
      more: { readonly canManageStudies?: boolean; readonly hasDashboardAccess?: boolean } = {},
    ) {
      const email = `${level}-${temp.uuid()}@clinic.example`
      const made = await people.createUser(
        {
          email,
          firstName: 'Olga',
          lastName: level,
          level,
          clinicRole: 'Other',
          password: PASSWORD,
        },
        'command-line',
      )
      const record = findUser(temp.store.database, made.userId)
      if (!record) throw new Error('no record')
      updateUser(temp.store.database, { ...record, ...more })
      const caller: Caller = {
        kind: 'user',
        user: { ...signedInUser({ ...record, ...more }), customerIds: [] },
      }
      return { caller, userId: made.userId, email }
    },
    /** What was audited, newest first. */
    trail: () =>
      temp.store.audit
        .list({ limit: 100 })
        .items.map(({ actor, action, target }) => `${actor} ${action} ${target}`),
    tokenOf: (link: string | null) => new URLSearchParams(link?.split('?')[1]).get('token') ?? '',
    [Symbol.dispose]: () => temp[Symbol.dispose](),
  }
}
