import { listPage } from '#server/http/list-page.ts'
import { type HandlersOf, type HttpApp, serveAll } from '#server/http/operations.ts'
import { express } from '#shared/contract/express.ts'
import { customerOf } from './customer.ts'
import type { Customers } from './customers.ts'

export interface ExpressDeps {
  readonly customers: Customers
}

/** Declares the calls of Express customers (interface.md, Express customers). */
export function serveExpress(app: HttpApp, deps: ExpressDeps): void {
  serveAll(app, express, expressHandlers(deps))
}

const expressHandlers = ({ customers }: ExpressDeps): HandlersOf<typeof express> => ({
  create: ({ caller, body }) => customerOf(customers.create(caller, body)),
  list({ caller, query: { cursor, ...query } }) {
    const { items, next } = customers.list(caller, { ...query, after: cursor })
    return listPage('expressCustomers', items.map(customerOf), next)
  },
  read: ({ caller, params }) => customerOf(customers.read(caller, params.expressCustomerId)),
  update: ({ caller, params, body }) =>
    customerOf(customers.update(caller, params.expressCustomerId, body)),
  deactivate: ({ caller, params }) =>
    customerOf(customers.deactivate(caller, params.expressCustomerId)),
  reactivate: ({ caller, params }) =>
    customerOf(customers.reactivate(caller, params.expressCustomerId)),
  addUser: ({ caller, params, body }) =>
    customers.addUser(caller, params.expressCustomerId, body.userId),
  removeUser: ({ caller, params, body }) =>
    customers.removeUser(caller, params.expressCustomerId, body.userId),
})
