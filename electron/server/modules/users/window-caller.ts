import type { SignedInUser } from '#shared/contract/people.ts'
import type { ExpressCustomerId, UserId } from '#shared/ids.ts'
import type { UserCaller } from './caller.ts'

/** Port: the Express customers a person is linked to (interface-choices §6 row 52). */
export type CustomersOf = (userId: UserId) => readonly ExpressCustomerId[]

/** The person at the window as the rules about studies know them. */
export const windowCaller =
  (customersOf: CustomersOf) =>
  (user: SignedInUser): UserCaller => ({
    kind: 'user',
    user: { ...user, customerIds: customersOf(user.userId) },
  })
