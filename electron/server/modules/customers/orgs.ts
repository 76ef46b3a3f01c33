import { type HttpApp, serveAll } from '#server/http/operations.ts'
import { orgs } from '#shared/contract/express.ts'
import type { Customers } from './customers.ts'
import { organizationOf } from './organization.ts'

export interface OrgsDeps {
  readonly customers: Pick<Customers, 'createOrganization'>
}

/** Declares the legacy call that makes an organization (interface.md, Express customers). */
export function serveOrgs(app: HttpApp, { customers }: OrgsDeps): void {
  serveAll(app, orgs, {
    create: ({ caller, body }) => organizationOf(customers.createOrganization(caller, body)),
  })
}
