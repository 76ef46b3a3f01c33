import type { HandlersOf } from '#gateway/http/operations.ts'
import type { Access } from '#gateway/http/sessions.ts'
import type { dashboardPeople } from '#shared/contract/dashboard-people.ts'

/** Who may make which of these calls. Whoever holds an invitation's link has no account yet: its token is what opens. */
export const PEOPLE_PERMISSIONS = {
  people: 'manage',
  // Users and customers are readable by whoever reads studies (row 52).
  customerUsers: 'signed-in',
  invitePerson: 'manage-confirmed',
  updatePerson: 'manage-confirmed',
  revokePerson: 'manage-confirmed',
  reactivatePerson: 'manage-confirmed',
  renewInvitation: 'manage-confirmed',
  revokeInvitation: 'manage-confirmed',

  invitation: 'public',
  acceptInvitation: 'public',
  rejectInvitation: 'public',

  apiKeys: 'manage',
  createApiKey: 'manage-confirmed',
  changeApiKey: 'manage-confirmed',
  rotateApiKey: 'manage-confirmed',
  revokeApiKey: 'manage-confirmed',

  mail: 'manage',
  setMail: 'manage-confirmed',
  testMail: 'manage',
} as const satisfies { readonly [K in keyof typeof dashboardPeople]: Access }

export type PeopleHandlers = HandlersOf<typeof dashboardPeople, typeof PEOPLE_PERMISSIONS>
