import type { FastifyReply, FastifyRequest } from 'fastify'
import type { SignedInUser } from '#shared/contract/people.ts'
import { type Caller, PARTNER_ACCESS, type PartnerAccess } from './callers.ts'
import type { HttpApp } from './operations.ts'
import { admitCaller } from './partners.ts'
import { type Access, admit, requireOwnPage, type SessionUse } from './sessions.ts'
import { admitView, type OpenView } from './views.ts'

/** Who may make a call: of the window by its session, of the interface by key or session, of the viewer by the cookie of the view. */
export type AnyAccess = Access | PartnerAccess | 'view'

export type Who = SignedInUser | Caller | OpenView
/** @throws ApiError not-signed-in, bad-key, not-permitted, too-many */
export type Admission = (request: FastifyRequest, reply: FastifyReply) => Who | undefined

export const isView = (who: Who | undefined): who is OpenView => who !== undefined && 'viewId' in who
export const isCaller = (who: Who | undefined): who is Caller => who !== undefined && 'kind' in who && !isView(who)

export function admissionOf(app: HttpApp, access: AnyAccess, use: SessionUse): Admission {
  if (isForPartners(access)) return partnerAdmission(app, access, use)
  return access === 'view' ? viewAdmission(app) : windowAdmission(app, access, use)
}

const isForPartners = (access: AnyAccess): access is PartnerAccess => Object.hasOwn(PARTNER_ACCESS, access)

function viewAdmission({ views, publicUrl }: HttpApp): Admission {
  return (request) => {
    requireOwnPage(request, publicUrl())
    return admitView(request, views)
  }
}

function windowAdmission({ sessions, publicUrl }: HttpApp, access: Access, use: SessionUse): Admission {
  return (request) => {
    requireOwnPage(request, publicUrl())
    return admit(request, access, sessions, use)
  }
}

function partnerAdmission({ partners, sessions, publicUrl }: HttpApp, access: PartnerAccess, use: SessionUse): Admission {
  if (!partners) throw new TypeError('A call of the interface is declared on a server that was opened without `partners`')
  const { callers, rateLimit } = partners
  return (request, reply) => admitCaller(request, reply, { access, use }, { callers, rateLimit, sessions, publicUrl: publicUrl() })
}
