import type { FastifyReply, FastifyRequest } from 'fastify'
import type { SignedInUser } from '#shared/contract/people.ts'
import { type Caller, PARTNER_ACCESS, type PartnerAccess } from './callers.ts'
import type { HttpApp } from './operations.ts'
import { admitCaller } from './partners.ts'
import { type Access, admit, requireOwnPage, type SessionUse } from './sessions.ts'
import { admitView, type OpenView } from './views.ts'
import { admitWorkstation } from './workstations.ts'

/** Who may make a call: of the window by its session, of the interface by key or session, of the viewer by the cookie of the view. */
export type AnyAccess = Access | PartnerAccess | 'view'

export type Who = SignedInUser | Caller | OpenView
/** @throws ApiError not-signed-in, locked, workstation-unknown, bad-key, not-permitted, too-many */
export type Admission = (request: FastifyRequest, reply: FastifyReply) => Who | undefined

export const isView = (who: Who | undefined): who is OpenView => who !== undefined && 'viewId' in who
export const isCaller = (who: Who | undefined): who is Caller => who !== undefined && 'kind' in who && !isView(who)

/**
 * `person` or `background`: a page of ours knows whether somebody is at work in it, or it asks by itself. Without it the call's own rule counts. It
 * decides nothing but whether the window stays unlocked, which any call of a person does.
 */
const USE_HEADER = 'x-isthmus-use'
const USES: readonly SessionUse[] = ['person', 'background']
const useOf = ({ headers }: FastifyRequest, use: SessionUse): SessionUse => USES.find((known) => known === headers[USE_HEADER]) ?? use

export interface AdmissionRule {
  readonly access: AnyAccess
  readonly use: SessionUse
  /** A call of the window that may come from a PC of the network that nobody has approved, such as one with a link. */
  readonly isFromAnywhere?: boolean
}

export function admissionOf(app: HttpApp, { access, use, isFromAnywhere = false }: AdmissionRule): Admission {
  const admitOne = isForPartners(access)
    ? partnerAdmission(app, access, use)
    : access === 'view'
      ? viewAdmission(app)
      : windowAdmission(app, access, { use, isFromAnywhere })
  return (request, reply) => {
    const who = admitOne(request, reply)
    if (who) app.noteExpected(request)
    return who
  }
}

const isForPartners = (access: AnyAccess): access is PartnerAccess => Object.hasOwn(PARTNER_ACCESS, access)

function viewAdmission({ views, publicUrl }: HttpApp): Admission {
  return (request) => {
    requireOwnPage(request, publicUrl())
    return admitView(request, views, useOf(request, 'person'))
  }
}

function windowAdmission(
  { sessions, workstations, publicUrl }: HttpApp,
  access: Access,
  { use, isFromAnywhere }: Pick<Required<AdmissionRule>, 'use' | 'isFromAnywhere'>,
): Admission {
  return (request) => {
    requireOwnPage(request, publicUrl())
    if (!isFromAnywhere) admitWorkstation(request, workstations)
    return admit(request, access, sessions, useOf(request, use))
  }
}

function partnerAdmission({ partners, sessions, workstations, publicUrl }: HttpApp, access: PartnerAccess, use: SessionUse): Admission {
  if (!partners) throw new TypeError('A call of the interface is declared on a server that was opened without `partners`')
  const { callers, rateLimit, refusedLimit } = partners
  return (request, reply) =>
    admitCaller(
      request,
      reply,
      { access, use: useOf(request, use) },
      { callers, rateLimit, refusedLimit, sessions, workstations, publicUrl: publicUrl() },
    )
}
