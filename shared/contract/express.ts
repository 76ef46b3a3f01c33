import { z } from 'zod'
import { ExpressCustomerId, OrganizationId, UserId } from '../ids.ts'
import { fault } from '../messages/issues.ts'
import { operation } from '../operation.ts'
import { Instant, Outcome, Page, pageOf } from './conventions.ts'
import { Metadata, orEmpty, orNull, SubstringFilter } from './values.ts'

const Name = z
  .string()
  .trim()
  .min(1, { error: fault('values.empty') })
  .max(500)

/** Fields of both kinds of customer besides ID and name. */
const commonFields = {
  isActive: z.boolean(),
  createdAt: Instant,
  updatedAt: Instant,
  userCount: z.int().min(0),
  createdByApiKeyId: z.uuid().optional(),
  createdByUserId: UserId.nullable(),
  metadata: Metadata.optional(),
}

/** */
export const ExpressCustomer = z
  .object({
    expressCustomerId: ExpressCustomerId,
    expressCustomerName: z.string(),
    ...commonFields,
  })
  .meta({ id: 'ExpressCustomer' })
export type ExpressCustomer = z.infer<typeof ExpressCustomer>

/**
 * A legacy organization: it has the same fields as an Express customer, but is not interchangeable
 * with one.
 */
export const Organization = z
  .object({ orgId: OrganizationId, orgName: z.string(), ...commonFields })
  .meta({ id: 'Organization' })
export type Organization = z.infer<typeof Organization>

const params = z.object({ expressCustomerId: ExpressCustomerId })
const member = z.object({ userId: UserId })

export const express = {
  create: operation('POST /v1/express', {
    access: 'partner',
    summary: 'Create an Express customer',
    body: z.object({ expressCustomerName: Name, metadata: orNull(Metadata) }),
    reply: ExpressCustomer,
    status: 201,
  }),
  list: operation('GET /v1/express', {
    access: 'partner',
    summary: 'List Express customers, newest first',
    query: z.object({ ...Page, expressCustomerName: SubstringFilter }),
    reply: pageOf('expressCustomers', ExpressCustomer),
  }),
  read: operation('GET /v1/express/:expressCustomerId', {
    access: 'partner',
    summary: 'Read an Express customer',
    params,
    reply: ExpressCustomer,
  }),
  update: operation('PATCH /v1/express/:expressCustomerId', {
    access: 'partner',
    summary: 'Update an Express customer; `metadata: null` removes all metadata',
    params,
    body: orEmpty(
      z.object({ expressCustomerName: Name.optional(), metadata: Metadata.nullable().optional() }),
    ),
    reply: ExpressCustomer,
  }),
  deactivate: operation('POST /v1/express/:expressCustomerId/deactivate', {
    access: 'partner',
    summary: 'Block new studies and new users for a customer; existing data is preserved',
    params,
    reply: ExpressCustomer,
  }),
  reactivate: operation('POST /v1/express/:expressCustomerId/reactivate', {
    access: 'partner',
    summary: 'Reactivate a customer',
    params,
    reply: ExpressCustomer,
  }),
  addUser: operation('POST /v1/express/:expressCustomerId/users', {
    access: 'people',
    summary: 'Associate an existing user with the customer',
    params,
    body: member,
    reply: Outcome,
  }),
  removeUser: operation('DELETE /v1/express/:expressCustomerId/users', {
    access: 'people',
    summary: 'Remove the association; the account stays active',
    params,
    body: member,
    reply: Outcome,
  }),
} as const

export const orgs = {
  create: operation('POST /v1/orgs', {
    access: 'partner',
    summary: 'Create an organization (legacy)',
    body: z.object({ orgName: Name, metadata: orNull(Metadata) }),
    reply: Organization,
    status: 201,
  }),
} as const
