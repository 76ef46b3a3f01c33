import type { HandlersOf } from '#gateway/http/operations.ts'
import type { Access } from '#gateway/http/sessions.ts'
import type { dashboardPeople } from '#shared/contract/dashboard-people.ts'

/** Who may make which of these calls. Whoever holds an invitation's link has no account yet: its token is what opens. */
export const PEOPLE_PERMISSIONS = {
  people: 'manage',
  // Users and customers are readable by whoever reads studies (row 52).
  customerUsers: 'signed-in',
  invitePerson: 'manage',
  updatePerson: 'manage',
  revokePerson: 'manage',
  reactivatePerson: 'manage',
  renewInvitation: 'manage',
  revokeInvitation: 'manage',

  invitation: 'public',
  acceptInvitation: 'public',
  rejectInvitation: 'public',

  apiKeys: 'manage',
  createApiKey: 'manage',
  rotateApiKey: 'manage',
  revokeApiKey: 'manage',

  mail: 'manage',
  setMail: 'manage',
  testMail: 'manage',
} as const satisfies { readonly [K in keyof typeof dashboardPeople]: Access }

export type PeopleHandlers = HandlersOf<typeof dashboardPeople, typeof PEOPLE_PERMISSIONS>
