import type { FastifyReply, FastifyRequest } from 'fastify'
import type { SignedInUser } from '#shared/contract/people.ts'
import type { Access, Operation, PartnerAccess, WindowAccess } from '#shared/operation.ts'
import type { Caller } from './callers.ts'
import type { HttpApp, SessionUse } from './http-app.ts'
import { admitCaller, PARTNER_ACCESS } from './partner-authentication.ts'
import { admit, requireOwnPage } from './session-authentication.ts'
import { admitView, type OpenView } from './view-authentication.ts'
import { admitWorkstation } from './workstation-authentication.ts'

export type Who = SignedInUser | Caller | OpenView

/** The user that a handler receives: of every call of the window that is not public. */
export type UserFor<A extends Access> = A extends 'public'
  ? SignedInUser | undefined
  : A extends WindowAccess
    ? SignedInUser
    : undefined
/** The caller that a handler of the interface receives. */
export type CallerFor<A extends Access> = A extends PartnerAccess ? Caller : undefined
/** The view that a handler of the viewer receives. */
export type ViewFor<A extends Access> = A extends 'view' ? OpenView : undefined

/** @throws ApiError not-signed-in, locked, workstation-unknown, bad-key, not-permitted, too-many */
export type Admission = (request: FastifyRequest, reply: FastifyReply) => Who | undefined

export const isView = (who: Who | undefined): who is OpenView =>
  who !== undefined && 'viewId' in who
export const isCaller = (who: Who | undefined): who is Caller =>
  who !== undefined && 'kind' in who && !isView(who)

/**
 * `person` or `background`: a page of ours knows whether somebody is at work in it, or it asks by
 * itself. Without it the call's own rule counts. It decides nothing but whether the window stays
 * unlocked, which any call of a person does.
 */
const USE_HEADER = 'x-isthmus-use'
const USES: readonly SessionUse[] = ['person', 'background']
const useOf = ({ headers }: FastifyRequest, use: SessionUse): SessionUse =>
  USES.find((known) => known === headers[USE_HEADER]) ?? use

/** What of an operation decides who may call it. */
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
    if (who) app.noteExpected(request)
    return who
  }
}

const isForPartners = (access: Access): access is PartnerAccess =>
  Object.hasOwn(PARTNER_ACCESS, access)

function viewAdmission({ views, publicUrl }: HttpApp): Admission {
  return (request) => {
    requireOwnPage(request, publicUrl())
    return admitView(request, views, useOf(request, 'person'))
  }
}

function windowAdmission(
  { sessions, approvedWorkstation, publicUrl }: HttpApp,
  access: WindowAccess,
  { use, fromAnyWorkstation }: { readonly use: SessionUse; readonly fromAnyWorkstation: boolean },
): Admission {
  return (request) => {
    requireOwnPage(request, publicUrl())
    if (!fromAnyWorkstation) admitWorkstation(request, approvedWorkstation)
    return admit(request, access, sessions, useOf(request, use))
  }
}

function partnerAdmission(app: HttpApp, access: PartnerAccess, use: SessionUse): Admission {
  const { partners } = app
  if (!partners)
    throw new TypeError(
      'A call of the interface is declared on a server that was opened without `partners`',
    )
  return (request, reply) => admitCaller(request, reply, app, partners, access, useOf(request, use))
}
