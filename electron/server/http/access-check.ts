import type { FastifyReply, FastifyRequest } from 'fastify'
import type { SignedInUser } from '#shared/contract/people.ts'
import type { Access, Operation, PartnerAccess, WindowAccess } from '#shared/operation.ts'
import type { Caller, OpenView, SessionUse } from './callers.ts'
import type { HttpApp } from './http-app.ts'
import { admitCaller, PARTNER_ACCESS } from './partner-authentication.ts'
import { admit, requireOwnPage } from './session-authentication.ts'
import { admitView } from './view-authentication.ts'
import { admitWorkstation } from './workstation-authentication.ts'

export type AuthenticatedCaller = SignedInUser | Caller | OpenView

/** The user passed to a handler. Every window request that is not public has one. */
export type UserFor<A extends Access> = A extends 'public'
  ? SignedInUser | undefined
  : A extends WindowAccess
    ? SignedInUser
    : undefined
/** The caller passed to a handler of the partner interface. */
export type CallerFor<A extends Access> = A extends PartnerAccess ? Caller : undefined
/** The view passed to a handler of the viewer. */
export type ViewFor<A extends Access> = A extends 'view' ? OpenView : undefined

/** @throws ApiError not-signed-in, locked, workstation-unknown, bad-key, not-permitted, too-many */
export type Admission = (
  request: FastifyRequest,
  reply: FastifyReply,
) => AuthenticatedCaller | undefined

export const isView = (who: AuthenticatedCaller | undefined): who is OpenView =>
  who !== undefined && 'viewId' in who
export const isCaller = (who: AuthenticatedCaller | undefined): who is Caller =>
  who !== undefined && 'kind' in who && !isView(who)

/**
 * `person` or `background`: whether a user action or polling by the page caused the request.
 * Without the header the operation's default applies. It only decides whether the session stays
 * unlocked, as any user activity does.
 */
const SESSION_USE_HEADER = 'x-isthmus-use'
const SESSION_USES: readonly SessionUse[] = ['person', 'background']
const sessionUseOf = ({ headers }: FastifyRequest, use: SessionUse): SessionUse =>
  SESSION_USES.find((known) => known === headers[SESSION_USE_HEADER]) ?? use

/** The properties of an operation that determine who may call it. */
export type AdmissionRule = Pick<Operation, 'access' | 'background' | 'fromAnyWorkstation'>

export function admissionOf(app: HttpApp, rule: AdmissionRule): Admission {
  const { access, background = false, fromAnyWorkstation = false } = rule
  const use = background ? 'background' : 'person'
  const admitOne = isForPartners(access)
    ? partnerAdmission(app, access, use)
    : access === 'view'
      ? viewAdmission(app)
      : windowAdmission(app, access, { use, fromAnyWorkstation })
  return (request, reply) => {
    const who = admitOne(request, reply)
    if (who) app.noteAuthenticated(request)
    return who
  }
}

const isForPartners = (access: Access): access is PartnerAccess =>
  Object.hasOwn(PARTNER_ACCESS, access)

function viewAdmission(app: HttpApp): Admission {
  return (request) => {
    requireOwnPage(request, app.publicUrl())
    return admitView(request, app.views, sessionUseOf(request, 'person'))
  }
}

function windowAdmission(
  app: HttpApp,
  access: WindowAccess,
  { use, fromAnyWorkstation }: { readonly use: SessionUse; readonly fromAnyWorkstation: boolean },
): Admission {
  return (request) => {
    requireOwnPage(request, app.publicUrl())
    if (!fromAnyWorkstation) admitWorkstation(request, app)
    return admit(request, access, app.sessions, sessionUseOf(request, use))
  }
}

function partnerAdmission(app: HttpApp, access: PartnerAccess, use: SessionUse): Admission {
  const { partners } = app
  if (!partners)
    throw new TypeError('A call of the interface is declared on a server without `partners`')
  return (request, reply) =>
    admitCaller(request, reply, app, partners, access, sessionUseOf(request, use))
}
