import { differences, note } from '#server/audit-log/audit.ts'
import type { AuditDetail } from '#server/audit-log/audit-entry.ts'
import type { Context } from '#server/context.ts'
import { actorOf, type Caller, creatorOf, demand } from '#server/modules/users/caller.ts'
import { findUser, type UserRecord } from '#server/modules/users/queries.ts'
import {
  existingUser,
  filteredPage,
  type ListPlace,
  pageOfRows,
  personSearch,
} from '#server/modules/users/users.ts'
import { instantOf } from '#server/platform/clock.ts'
import type { Outcome } from '#shared/contract/conventions.ts'
import type { Metadata } from '#shared/contract/values.ts'
import { ApiError } from '#shared/errors.ts'
import { idFromUuid } from '#shared/ids.ts'
import { message } from '#shared/messages/message.ts'
import * as queries from './queries.ts'

/** @throws ApiError not-permitted */
export function createCustomer(
  { database, audit, clock, uuid }: Context,
  caller: Caller,
  {
    expressCustomerName,
    metadata,
  }: { readonly expressCustomerName: string; readonly metadata?: Metadata | undefined },
) {
  return database.transaction(() => {
    demand(caller, 'manageCustomers')
    const now = instantOf(clock())
    const expressCustomerId = idFromUuid('cus', uuid())
    queries.insertCustomer(database, {
      ...{ expressCustomerId, expressCustomerName, isActive: true, metadata },
      ...creatorOf(caller),
      ...{ createdAt: now, updatedAt: now },
    })
    note({ audit }, actorOf(caller), 'customer.create', expressCustomerId, { expressCustomerName })
    return existing(database, expressCustomerId)
  })
}

/** Newest first. @throws ApiError not-permitted */
export function listCustomers(
  { database }: Context,
  caller: Caller,
  query: Parameters<typeof queries.listCustomers>[1],
) {
  demand(caller, 'readStudies')
  return queries.listCustomers(database, query)
}

/** @throws ApiError not-permitted, not-found */
export function readCustomer({ database }: Context, caller: Caller, expressCustomerId: string) {
  demand(caller, 'readStudies')
  return existing(database, expressCustomerId)
}

/**
 * Omitted fields are unchanged; `metadata: null` clears the metadata.
 * @throws ApiError not-permitted, not-found
 */
export const updateCustomer = (
  context: Context,
  caller: Caller,
  expressCustomerId: string,
  {
    expressCustomerName,
    metadata,
  }: {
    readonly expressCustomerName?: string | undefined
    readonly metadata?: Metadata | null | undefined
  },
) =>
  change(context, caller, expressCustomerId, 'customer.update', (before) => ({
    ...before,
    expressCustomerName: expressCustomerName ?? before.expressCustomerName,
    metadata: metadata === undefined ? before.metadata : (metadata ?? undefined),
  }))

/** Changes nothing when it is deactivated already. @throws ApiError not-permitted, not-found */
export const deactivateCustomer = (context: Context, caller: Caller, expressCustomerId: string) =>
  change(context, caller, expressCustomerId, 'customer.deactivate', (before) => ({
    ...before,
    isActive: false,
  }))

/** Changes nothing when it is active already. @throws ApiError not-permitted, not-found */
export const reactivateCustomer = (context: Context, caller: Caller, expressCustomerId: string) =>
  change(context, caller, expressCustomerId, 'customer.reactivate', (before) => ({
    ...before,
    isActive: true,
  }))

/**
 * Not possible while the customer is deactivated; changes nothing when the user is linked already.
 * @throws ApiError not-permitted; not-found: the customer or the user
 */
export function addCustomerUser(
  context: Context,
  caller: Caller,
  expressCustomerId: string,
  userId: string,
): Outcome {
  const { database, clock } = context
  return database.transaction(() => {
    demandLinking(caller)
    const customer = existing(database, expressCustomerId)
    existingUser(context, userId)
    if (!customer.isActive) return { success: false, message: message('customers.deactivated') }
    const createdAt = instantOf(clock())
    if (!queries.insertCustomerUser(database, { expressCustomerId, userId, createdAt }))
      return { success: true, message: message('customers.linked-already') }
    note(context, actorOf(caller), 'customer.add-user', expressCustomerId, { userId })
    return { success: true, message: message('customers.linked') }
  })
}

/**
 * Not possible where the user is not linked.
 * @throws ApiError not-permitted; not-found: the customer or the user
 */
export function removeCustomerUser(
  context: Context,
  caller: Caller,
  expressCustomerId: string,
  userId: string,
): Outcome {
  const { database } = context
  return database.transaction(() => {
    demandLinking(caller)
    existing(database, expressCustomerId)
    existingUser(context, userId)
    if (!queries.deleteCustomerUser(database, expressCustomerId, userId))
      return { success: false, message: message('customers.not-linked') }
    note(context, actorOf(caller), 'customer.remove-user', expressCustomerId, { userId })
    return { success: true, message: message('customers.unlinked') }
  })
}

/**
 * The users linked to the customer and since when, the newest link first; `search` as of
 * `personSearch`.
 * @throws ApiError not-permitted, not-found
 */
export function listCustomerUsers(
  { database }: Context,
  caller: Caller,
  expressCustomerId: string,
  search: string,
  place: ListPlace,
) {
  demand(caller, 'readStudies')
  existing(database, expressCustomerId)
  const keyOf = ({ user, linkedAt }: LinkedUser) => ({ createdAt: linkedAt, id: user.userId })
  const isWanted = personSearch(search)
  const read = ({ after, limit }: ListPlace) => {
    const linked = queries
      .listCustomerUsers(database, expressCustomerId, after, limit + 1)
      .flatMap(({ userId, createdAt }) => {
        const user = findUser(database, userId)
        return user ? [{ user, linkedAt: createdAt }] : []
      })
    return pageOfRows(linked, limit, keyOf)
  }
  return filteredPage(read, keyOf, ({ user }) => isWanted(user), place)
}

export interface LinkedUser {
  readonly user: UserRecord
  readonly linkedAt: string
}

/** @throws ApiError not-permitted */
export function createOrganization(
  { database, audit, clock, uuid }: Context,
  caller: Caller,
  { orgName, metadata }: { readonly orgName: string; readonly metadata?: Metadata | undefined },
) {
  return database.transaction(() => {
    demand(caller, 'manageCustomers')
    const now = instantOf(clock())
    const orgId = idFromUuid('org', uuid())
    const organization = {
      ...{ orgId, orgName, ...creatorOf(caller), metadata },
      ...{ createdAt: now, updatedAt: now },
    }
    queries.insertOrganization(database, organization)
    note({ audit }, actorOf(caller), 'organization.create', orgId, { orgName })
    return organization
  })
}

function existing(database: Context['database'], expressCustomerId: string) {
  const customer = queries.findCustomer(database, expressCustomerId)
  if (!customer) throw new ApiError('not-found', message('customers.no-customer'))
  return customer
}

function change(
  { database, audit, clock }: Context,
  caller: Caller,
  expressCustomerId: string,
  action: string,
  changed: (before: queries.CustomerRecord) => queries.CustomerRecord,
) {
  return database.transaction(() => {
    demand(caller, 'manageCustomers')
    const before = existing(database, expressCustomerId)
    const after = changed(before)
    const changes = differences(before, after)
    if (Object.keys(changes).length === 0) return before
    const updated = { ...after, updatedAt: instantOf(clock()) }
    queries.updateCustomer(database, updated)
    note({ audit }, actorOf(caller), action, expressCustomerId, changes as AuditDetail)
    return updated
  })
}

/**
 * A user linked to a customer sees its studies alone, so a key needs the right to manage people.
 */
function demandLinking(caller: Caller): void {
  demand(caller, 'manageCustomers')
  if (caller.kind === 'api-key') demand(caller, 'manageUsers')
}
