import type { PartnerAccess } from '#gateway/http/callers.ts'
import type { express } from '#shared/contract/express.ts'

// Any key and any signed-in user get in; what a user may do is the domain's to say (interface-choices §6 rows 26, 52).

export const EXPRESS_ACCESS = {
  create: 'partner',
  list: 'partner',
  read: 'partner',
  update: 'partner',
  deactivate: 'partner',
  reactivate: 'partner',
  addUser: 'partner',
  removeUser: 'partner',
} as const satisfies Record<keyof typeof express, PartnerAccess>
