import type { Slice } from '#server/database/page.ts'
import { type DomainDeps, differences, note } from '#server/modules/audit/audit.ts'
import type { AuditDetail } from '#server/modules/audit/audit-queries.ts'
import { actorOf, type Caller, demand, makerOf } from '#server/modules/users/caller.ts'
import { personSearch, wantedPart } from '#server/modules/users/people-search.ts'
import type { UserRecord } from '#server/modules/users/user-queries.ts'
import { type ListPart, type ListPlace, partOf } from '#server/modules/users/users.ts'
import { instantOf } from '#server/platform/clock.ts'
import type { Outcome } from '#shared/contract/conventions.ts'
import type { Metadata } from '#shared/contract/values.ts'
import { ApiError } from '#shared/errors.ts'
import { type ExpressCustomerId, idFromUuid } from '#shared/ids.ts'
import type { CustomerName, CustomerQuery, CustomerRecord } from './customer-queries.ts'
import type { OrganizationRecord } from './organization-queries.ts'

export interface NewCustomer {
  readonly expressCustomerName: string
  readonly metadata?: Metadata | undefined
}
/** What is absent stays; `metadata` null clears all. */
export interface CustomerPatch {
  readonly expressCustomerName?: string | undefined
  readonly metadata?: Metadata | null | undefined
}
export interface NewOrganization {
  readonly orgName: string
  readonly metadata?: Metadata | undefined
}

/** A user of a customer, and since when. */
export interface LinkedUser {
  readonly user: UserRecord
  readonly linkedAt: string
}

/**
 * Express customers and legacy organizations (interface.md, Express customers; interface-choices §6
 * rows 20, 39, 40, 44).
 */
export interface Customers {
  create(caller: Caller, customer: NewCustomer): CustomerRecord
  /** Newest first. */
  list(caller: Caller, query: CustomerQuery): Slice<CustomerRecord>
  /** @throws ApiError not-found */
  read(caller: Caller, expressCustomerId: string): CustomerRecord
  /** @throws ApiError not-found */
  update(caller: Caller, expressCustomerId: string, patch: CustomerPatch): CustomerRecord
  /** Again changes nothing. @throws ApiError not-found */
  deactivate(caller: Caller, expressCustomerId: string): CustomerRecord
  /** Again changes nothing. @throws ApiError not-found */
  reactivate(caller: Caller, expressCustomerId: string): CustomerRecord
  /**
   * Refused where the customer is deactivated; again changes nothing. @throws ApiError not-found:
   * the customer or the user
   */
  addUser(caller: Caller, expressCustomerId: string, userId: string): Outcome
  /** Refused where the user is not linked. @throws ApiError not-found: the customer or the user */
  removeUser(caller: Caller, expressCustomerId: string, userId: string): Outcome
  /** The customers that a user is linked to (row 52). */
  idsOf(userId: string): ExpressCustomerId[]
  /** The same with their names, by name. */
  namesOf(userId: string): CustomerName[]
  /**
   * The users linked to the customer, the newest link first; `search` as of `personSearch`. @throws
   * ApiError not-found
   */
  users(
    caller: Caller,
    expressCustomerId: string,
    search: string,
    place: ListPlace,
  ): ListPart<LinkedUser>
  createOrganization(caller: Caller, organization: NewOrganization): OrganizationRecord
}

export function openCustomers(deps: DomainDeps): Customers {
  const { store, clock, uuid } = deps
  const { database, customers, users } = store

  function existing(expressCustomerId: string): CustomerRecord {
    const customer = customers.get(expressCustomerId)
    if (!customer) throw new ApiError('not-found', 'There is no such customer.')
    return customer
  }

  function change(
    caller: Caller,
    expressCustomerId: string,
    action: string,
    of: (before: CustomerRecord) => CustomerRecord,
  ): CustomerRecord {
    return database.transaction(() => {
      demand(caller, 'manageCustomers')
      const before = existing(expressCustomerId)
      const after = of(before)
      const changes = differences(before, after)
      if (Object.keys(changes).length === 0) return before
      const changed = { ...after, updatedAt: instantOf(clock()) }
      customers.update(changed)
      note(deps, actorOf(caller), action, expressCustomerId, changes as AuditDetail)
      return changed
    })
  }

  /** Who is linked to a customer sees its studies alone: a key needs the right to manage people. */
  function demandLinking(caller: Caller): void {
    demand(caller, 'manageCustomers')
    if (caller.kind === 'api-key') demand(caller, 'manageUsers')
  }

  function existingUser(userId: string): void {
    if (!users.get(userId)) throw new ApiError('not-found', 'There is no such user.')
  }

  return {
    create: (caller, { expressCustomerName, metadata }) =>
      database.transaction(() => {
        demand(caller, 'manageCustomers')
        const now = instantOf(clock())
        const expressCustomerId = idFromUuid('cus', uuid())
        const times = { createdAt: now, updatedAt: now }
        customers.insert({
          expressCustomerId,
          expressCustomerName,
          isActive: true,
          metadata,
          ...makerOf(caller),
          ...times,
        })
        note(deps, actorOf(caller), 'customer.create', expressCustomerId, { expressCustomerName })
        return existing(expressCustomerId)
      }),
    list(caller, query) {
      demand(caller, 'readStudies')
      return customers.list(query)
    },
    read(caller, expressCustomerId) {
      demand(caller, 'readStudies')
      return existing(expressCustomerId)
    },
    update: (caller, expressCustomerId, { expressCustomerName, metadata }) =>
      change(caller, expressCustomerId, 'customer.update', (before) => ({
        ...before,
        expressCustomerName: expressCustomerName ?? before.expressCustomerName,
        metadata: metadata === undefined ? before.metadata : (metadata ?? undefined),
      })),
    deactivate: (caller, expressCustomerId) =>
      change(caller, expressCustomerId, 'customer.deactivate', (before) => ({
        ...before,
        isActive: false,
      })),
    reactivate: (caller, expressCustomerId) =>
      change(caller, expressCustomerId, 'customer.reactivate', (before) => ({
        ...before,
        isActive: true,
      })),
    addUser: (caller, expressCustomerId, userId) =>
      database.transaction(() => {
        demandLinking(caller)
        const customer = existing(expressCustomerId)
        existingUser(userId)
        if (!customer.isActive)
          return { success: false, message: 'The customer is deactivated: reactivate it first.' }
        if (!customers.addUser(expressCustomerId, userId, instantOf(clock())))
          return { success: true, message: 'The user was linked to the customer already.' }
        note(deps, actorOf(caller), 'customer.add-user', expressCustomerId, { userId })
        return { success: true, message: 'The user is linked to the customer.' }
      }),
    removeUser: (caller, expressCustomerId, userId) =>
      database.transaction(() => {
        demandLinking(caller)
        existing(expressCustomerId)
        existingUser(userId)
        if (!customers.removeUser(expressCustomerId, userId))
          return { success: false, message: 'The user is not linked to the customer.' }
        note(deps, actorOf(caller), 'customer.remove-user', expressCustomerId, { userId })
        return { success: true, message: 'The user is not linked to the customer any more.' }
      }),
    idsOf: (userId) => customers.idsOf(userId) as ExpressCustomerId[],
    namesOf: customers.namesOf,
    users(caller, expressCustomerId, search, place) {
      demand(caller, 'readStudies')
      existing(expressCustomerId)
      const keyOf = ({ user, linkedAt }: LinkedUser) => ({ createdAt: linkedAt, id: user.userId })
      const isWanted = personSearch(search)
      const read = ({ after, limit }: ListPlace) => {
        const linked = customers
          .links(expressCustomerId, after, limit + 1)
          .flatMap(({ userId, createdAt }) => {
            const user = users.get(userId)
            return user ? [{ user, linkedAt: createdAt }] : []
          })
        return partOf(linked, limit, keyOf)
      }
      return wantedPart(read, keyOf, ({ user }) => isWanted(user), place)
    },
    createOrganization: (caller, { orgName, metadata }) =>
      database.transaction(() => {
        demand(caller, 'manageCustomers')
        const now = instantOf(clock())
        const organization = {
          orgId: idFromUuid('org', uuid()),
          orgName,
          ...makerOf(caller),
          metadata,
          createdAt: now,
          updatedAt: now,
        }
        store.organizations.insert(organization)
        note(deps, actorOf(caller), 'organization.create', organization.orgId, { orgName })
        return organization
      }),
  }
}
