import { differences, note } from '#server/audit-log/audit.ts'
import type { AuditDetail } from '#server/audit-log/audit-entry.ts'
import type { Context } from '#server/context.ts'
import { actorOf, type Caller, creatorOf, requirePermission } from '#server/modules/users/caller.ts'
import { findUser, type UserRecord } from '#server/modules/users/queries.ts'
import {
  filteredPage,
  type ListPosition,
  pageOfRows,
  personMatcher,
  requireUser,
} from '#server/modules/users/users.ts'
import { instantOf } from '#server/platform/clock.ts'
import type { Outcome } from '#shared/contract/conventions.ts'
import type { Metadata } from '#shared/contract/values.ts'
import { ApiError } from '#shared/errors.ts'
import { idFromUuid } from '#shared/ids.ts'
import { message } from '#shared/messages/message.ts'
import * as queries from './queries.ts'

/**
 * Creates an active customer.
 * @throws ApiError not-permitted
 */
export function createCustomer(
  { database, audit, clock, uuid }: Context,
  caller: Caller,
  {
    expressCustomerName,
    metadata,
  }: { readonly expressCustomerName: string; readonly metadata?: Metadata | undefined },
) {
  return database.transaction(() => {
    requirePermission(caller, 'manageCustomers')
    const now = instantOf(clock())
    const expressCustomerId = idFromUuid('cus', uuid())
    queries.insertCustomer(database, {
      ...{ expressCustomerId, expressCustomerName, isActive: true, metadata },
      ...creatorOf(caller),
      ...{ createdAt: now, updatedAt: now },
    })
    note({ audit }, actorOf(caller), 'customer.create', expressCustomerId, { expressCustomerName })
    return requireCustomer(database, expressCustomerId)
  })
}

/**
 * Lists customers, newest first.
 * @throws ApiError not-permitted
 */
export function listCustomers(
  { database }: Context,
  caller: Caller,
  query: Parameters<typeof queries.listCustomers>[1],
) {
  requirePermission(caller, 'readStudies')
  return queries.listCustomers(database, query)
}

/**
 * Finds a customer.
 * @throws ApiError not-permitted, not-found
 */
export function readCustomer({ database }: Context, caller: Caller, expressCustomerId: string) {
  requirePermission(caller, 'readStudies')
  return requireCustomer(database, expressCustomerId)
}

/**
 * Updates the customer. Omitted fields stay unchanged; `metadata: null` clears the metadata.
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

/**
 * Does nothing if the customer is already deactivated.
 * @throws ApiError not-permitted, not-found
 */
export const deactivateCustomer = (context: Context, caller: Caller, expressCustomerId: string) =>
  change(context, caller, expressCustomerId, 'customer.deactivate', (before) => ({
    ...before,
    isActive: false,
  }))

/**
 * Does nothing if the customer is already active.
 * @throws ApiError not-permitted, not-found
 */
export const reactivateCustomer = (context: Context, caller: Caller, expressCustomerId: string) =>
  change(context, caller, expressCustomerId, 'customer.reactivate', (before) => ({
    ...before,
    isActive: true,
  }))

/**
 * Links a user to an active customer. Does nothing if the user is already linked. If the customer
 * is deactivated, the outcome says so.
 * @throws ApiError not-permitted; not-found if the customer or the user does not exist
 */
export function addCustomerUser(
  context: Context,
  caller: Caller,
  expressCustomerId: string,
  userId: string,
): Outcome {
  const { database, clock } = context
  return database.transaction(() => {
    requireCanLinkUsers(caller)
    const customer = requireCustomer(database, expressCustomerId)
    requireUser(context, userId)
    if (!customer.isActive) return { success: false, message: message('customers.deactivated') }
    const createdAt = instantOf(clock())
    if (!queries.insertCustomerUser(database, { expressCustomerId, userId, createdAt }))
      return { success: true, message: message('customers.linked-already') }
    note(context, actorOf(caller), 'customer.add-user', expressCustomerId, { userId })
    return { success: true, message: message('customers.linked') }
  })
}

/**
 * Unlinks a user from a customer. If the user is not linked, the outcome says so.
 * @throws ApiError not-permitted; not-found if the customer or the user does not exist
 */
export function removeCustomerUser(
  context: Context,
  caller: Caller,
  expressCustomerId: string,
  userId: string,
): Outcome {
  const { database } = context
  return database.transaction(() => {
    requireCanLinkUsers(caller)
    requireCustomer(database, expressCustomerId)
    requireUser(context, userId)
    if (!queries.deleteCustomerUser(database, expressCustomerId, userId))
      return { success: false, message: message('customers.not-linked') }
    note(context, actorOf(caller), 'customer.remove-user', expressCustomerId, { userId })
    return { success: true, message: message('customers.unlinked') }
  })
}

/**
 * The users linked to the customer, most recently linked first. `search` is matched by
 * `personMatcher`.
 * @throws ApiError not-permitted, not-found
 */
export function listCustomerUsers(
  { database }: Context,
  caller: Caller,
  expressCustomerId: string,
  search: string,
  place: ListPosition,
) {
  requirePermission(caller, 'readStudies')
  requireCustomer(database, expressCustomerId)
  const keyOf = ({ user, linkedAt }: LinkedUser) => ({ createdAt: linkedAt, id: user.userId })
  const matchesSearch = personMatcher(search)
  const read = ({ after, limit }: ListPosition) => {
    const linkedUsers = queries
      .listCustomerUsers(database, expressCustomerId, after, limit + 1)
      .flatMap(({ userId, createdAt }) => {
        const user = findUser(database, userId)
        return user ? [{ user, linkedAt: createdAt }] : []
      })
    return pageOfRows(linkedUsers, limit, keyOf)
  }
  return filteredPage(read, keyOf, ({ user }) => matchesSearch(user), place)
}

export interface LinkedUser {
  readonly user: UserRecord
  readonly linkedAt: string
}

/**
 * Creates a legacy organization.
 * @throws ApiError not-permitted
 */
export function createOrganization(
  { database, audit, clock, uuid }: Context,
  caller: Caller,
  { orgName, metadata }: { readonly orgName: string; readonly metadata?: Metadata | undefined },
) {
  return database.transaction(() => {
    requirePermission(caller, 'manageCustomers')
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

function requireCustomer(database: Context['database'], expressCustomerId: string) {
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
    requirePermission(caller, 'manageCustomers')
    const before = requireCustomer(database, expressCustomerId)
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
 * Linking a user to a customer restricts which studies the user sees, so an API key must also have
 * the permission to manage users.
 */
function requireCanLinkUsers(caller: Caller): void {
  requirePermission(caller, 'manageCustomers')
  if (caller.kind === 'api-key') requirePermission(caller, 'manageUsers')
}
