import type { DomainDeps } from '#server/modules/audit/audit.ts'
import type { UserCaller } from '#server/modules/users/caller.ts'
import { findUser, type UserRecord } from '#server/modules/users/queries.ts'
import type { Draft } from '#shared/contract/reports.ts'
import type { UserId } from '#shared/ids.ts'
import type { SignerRecord } from './report-queries.ts'

/** A person as the window shows them. */
export type Person = Draft['savedBy']

const shortName = ({ firstName, lastName }: Pick<UserRecord, 'firstName' | 'lastName'>) =>
  `${firstName} ${lastName}`

export const callerPerson = ({ user }: UserCaller): Person => ({
  userId: user.userId,
  name: shortName(user),
})

/** The user, whose account may have been revoked since. */
export function personOf({ store }: Pick<DomainDeps, 'store'>, userId: string): Person {
  const user = findUser(store.database, userId)
  return { userId: userId as UserId, name: user ? shortName(user) : userId }
}

/** Whoever signs, as it is frozen with the report and printed: the whole name. */
export function signerOf({
  userId,
  firstName,
  middleName,
  lastName,
  suffix1,
  suffix2,
  clinicRole,
  npiNumber,
}: UserRecord): SignerRecord {
  const name = [firstName, middleName, lastName]
    .filter((part) => part !== null && part !== '')
    .join(' ')
  const suffixes = [suffix1, suffix2].filter((suffix) => suffix !== null && suffix !== '')
  return { userId, name: [name, ...suffixes].join(', '), clinicRole, npiNumber }
}
