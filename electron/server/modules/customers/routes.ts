import type { Context } from '#server/context.ts'
import type { HttpApp } from '#server/http/http-app.ts'
import { serve, serveAll } from '#server/http/operations.ts'
import { encodeTimeKey, listPage } from '#server/http/pagination.ts'
import { windowCaller } from '#server/modules/users/caller.ts'
import { readPeopleCursor, stateOf } from '#server/modules/users/people-routes.ts'
import { type CustomerUser, dashboardPeople } from '#shared/contract/dashboard-people.ts'
import { type ExpressCustomer, express, type Organization, orgs } from '#shared/contract/express.ts'
import type { ExpressCustomerId, OrganizationId, UserId } from '#shared/ids.ts'
import type { CustomerRecord, OrganizationRecord } from './queries.ts'
import * as customers from './service.ts'

/** Registers the `/v1` operations for Express customers and legacy organizations. */
export function serveCustomers(app: HttpApp, context: Context): void {
  serveAll(app, express, {
    create: ({ caller, body }) => customerReply(customers.createCustomer(context, caller, body)),
    list({ caller, query: { cursor, ...query } }) {
      const { items, next } = customers.listCustomers(context, caller, { ...query, after: cursor })
      return listPage('expressCustomers', items.map(customerReply), next)
    },
    read: ({ caller, params }) =>
      customerReply(customers.readCustomer(context, caller, params.expressCustomerId)),
    update: ({ caller, params, body }) =>
      customerReply(customers.updateCustomer(context, caller, params.expressCustomerId, body)),
    deactivate: ({ caller, params }) =>
      customerReply(customers.deactivateCustomer(context, caller, params.expressCustomerId)),
    reactivate: ({ caller, params }) =>
      customerReply(customers.reactivateCustomer(context, caller, params.expressCustomerId)),
    addUser: ({ caller, params, body }) =>
      customers.addCustomerUser(context, caller, params.expressCustomerId, body.userId),
    removeUser: ({ caller, params, body }) =>
      customers.removeCustomerUser(context, caller, params.expressCustomerId, body.userId),
  })
  serveAll(app, orgs, {
    create: ({ caller, body }) =>
      organizationReply(customers.createOrganization(context, caller, body)),
  })
}

/** Registers the window's list of the users of a customer. */
export function serveCustomerUsers(app: HttpApp, context: Context): void {
  const callerOf = windowCaller(context)
  serve(
    app,
    dashboardPeople.customerUsers,
    ({ params: { expressCustomerId }, query: { cursor, limit, search }, user }) => {
      const position = { after: readPeopleCursor(cursor), limit }
      const caller = callerOf(user)
      const found = customers.listCustomerUsers(
        context,
        caller,
        expressCustomerId,
        search,
        position,
      )
      return listPage(
        'users',
        found.items.map((one) => customerUserReply(context, one)),
        encodeTimeKey(found.next),
      )
    },
  )
}

const customerUserReply = (
  context: Context,
  { user, linkedAt }: customers.LinkedUser,
): CustomerUser => ({
  ...{ userId: user.userId, name: `${user.firstName} ${user.lastName}`, email: user.email },
  ...{ clinicRole: user.clinicRole, state: stateOf(context, user), linkedAt },
})

function customerReply({
  seq,
  createdByApiKeyId,
  createdByUserId,
  metadata,
  ...customer
}: CustomerRecord): ExpressCustomer {
  return {
    ...customer,
    expressCustomerId: customer.expressCustomerId as ExpressCustomerId,
    ...creatorReply({ createdByApiKeyId, createdByUserId, metadata }),
  }
}

/** An organization is always active and has no users. */
function organizationReply({
  createdByApiKeyId,
  createdByUserId,
  metadata,
  ...organization
}: OrganizationRecord): Organization {
  return {
    ...organization,
    orgId: organization.orgId as OrganizationId,
    isActive: true,
    userCount: 0,
    ...creatorReply({ createdByApiKeyId, createdByUserId, metadata }),
  }
}

/**
 * `createdByUserId` is null if an API key created the record; `createdByApiKeyId` is absent if a
 * user did.
 */
const creatorReply = ({
  createdByApiKeyId,
  createdByUserId,
  metadata,
}: Pick<CustomerRecord, 'createdByApiKeyId' | 'createdByUserId' | 'metadata'>) => ({
  ...(createdByApiKeyId !== null && { createdByApiKeyId }),
  createdByUserId: createdByUserId as UserId | null,
  ...(metadata && { metadata }),
})
