import { z } from 'zod'
import { InvitationId, UserId } from '../ids.ts'
import { operation } from '../operation.ts'
import { Day, Instant, Outcome, Page, pageOf } from './conventions.ts'
import { ClinicRole, Email, GivenName, Level } from './people.ts'
import {
  choices,
  Flag,
  InvitationSource,
  NpiNumber,
  orEmpty,
  orNull,
  PhoneNumber,
  SubstringFilter,
} from './values.ts'

// Users and invitations of both areas, which share one table.

const Suffix = z.string().trim().min(1).max(100)
const record = {
  userId: UserId,
  email: z.string(),
  firstName: z.string(),
  lastName: z.string(),
  middleName: z.string().optional(),
  suffix1: z.string().optional(),
  suffix2: z.string().optional(),
  phoneNumber: z.string().optional(),
  clinicRole: ClinicRole,
  level: Level,
  canManageStudies: z.boolean(),
  hasDashboardAccess: z.boolean(),
  invitedSource: InvitationSource,
  lastLoginAt: Instant.nullable(),
  createdAt: Instant,
}
export const ViewerUser = z.object(record).meta({ id: 'ViewerUser' })
export type ViewerUser = z.infer<typeof ViewerUser>
export const ScribeUser = z
  .object({ ...record, canCreateReports: z.boolean(), npiNumber: z.string().optional() })
  .meta({ id: 'ScribeUser' })
export type ScribeUser = z.infer<typeof ScribeUser>

const INVITATION_STATUSES = ['sent', 'accepted', 'rejected', 'revoked'] as const
export const InvitationStatus = z.enum(INVITATION_STATUSES)
export type InvitationStatus = z.infer<typeof InvitationStatus>

const invitation = {
  invitationId: InvitationId,
  userId: UserId,
  clinicId: z.uuid(),
  email: z.string(),
  firstName: z.string(),
  lastName: z.string(),
  middleName: z.string().nullable().optional(),
  phoneNumber: z.string().nullable().optional(),
  suffix1: z.string().nullable().optional(),
  suffix2: z.string().nullable().optional(),
  clinicRole: ClinicRole,
  level: Level,
  canManageStudies: z.boolean(),
  hasDashboardAccess: z.boolean(),
  status: InvitationStatus,
  invitedSource: InvitationSource,
  inviterId: UserId.nullable(),
  invitedByApiKeyId: z.uuid().nullable().optional(),
  expiry: Instant.nullable(),
  createdAt: Instant,
  updatedAt: Instant,
}
export const ViewerInvitation = z.object(invitation).meta({ id: 'ViewerInvitation' })
export type ViewerInvitation = z.infer<typeof ViewerInvitation>
export const ScribeInvitation = z
  .object({
    ...invitation,
    canCreateReports: z.boolean(),
    npiNumber: z.string().nullable().optional(),
  })
  .meta({ id: 'ScribeInvitation' })
export type ScribeInvitation = z.infer<typeof ScribeInvitation>

const AssignableLevel = z.enum(['admin', 'member'])
const invite = {
  email: Email,
  firstName: GivenName,
  lastName: GivenName,
  level: AssignableLevel,
  clinicRole: ClinicRole,
  canManageStudies: z.boolean(),
  hasDashboardAccess: z.boolean(),
  middleName: orNull(GivenName),
  phoneNumber: orNull(PhoneNumber),
  suffix1: orNull(Suffix),
  suffix2: orNull(Suffix),
}
const reporting = { canCreateReports: z.boolean(), npiNumber: orNull(NpiNumber) }
const clearableFields = {
  middleName: GivenName.nullable(),
  phoneNumber: PhoneNumber.nullable(),
  suffix1: Suffix.nullable(),
  suffix2: Suffix.nullable(),
}
const patch = {
  firstName: GivenName,
  lastName: GivenName,
  level: AssignableLevel,
  clinicRole: ClinicRole,
  canManageStudies: z.boolean(),
  hasDashboardAccess: z.boolean(),
  ...clearableFields,
}
const reportingPatch = { canCreateReports: z.boolean(), npiNumber: NpiNumber.nullable() }

const userList = {
  ...Page,
  email: z
    .string()
    .max(254)
    .transform((text) => text || undefined)
    .optional(),
  firstName: SubstringFilter,
  lastName: SubstringFilter,
  level: z.preprocess((given) => given || undefined, Level.optional()),
  invitedSource: z.preprocess((given) => given || undefined, InvitationSource.optional()),
}
const DayFilter = z.preprocess((given) => given || undefined, Day.optional())
const invitationList = z.object({
  ...Page,
  startDate: DayFilter,
  endDate: DayFilter,
  expired: z.preprocess(
    (given) => given || undefined,
    z.enum(['all', 'expired', 'not-expired']).default('all'),
  ),
  status: choices(INVITATION_STATUSES),
  userId: z.preprocess((given) => given || undefined, UserId.optional()),
})

const userParams = z.object({ userId: UserId })
const invitationParams = z.object({ invitationId: InvitationId })
const one = z.object({ userId: UserId })
/** The invitation ID, the user ID, or both, which must belong together. */
const eitherInvitation = orEmpty(
  z.object({ invitationId: InvitationId.optional(), userId: UserId.optional() }),
)

export const viewerUsers = {
  invite: operation('POST /v1/viewer/users', {
    access: 'viewer-people',
    summary: 'Invite a user and send the invitation',
    body: z.object(invite),
    reply: ViewerUser,
    status: 201,
  }),
  list: operation('GET /v1/viewer/users', {
    access: 'viewer',
    summary: 'List users, newest first',
    query: z.object(userList),
    reply: pageOf('users', ViewerUser),
  }),
  read: operation('GET /v1/viewer/users/:userId', {
    access: 'viewer',
    summary: 'Read a user',
    params: userParams,
    reply: ViewerUser,
  }),
  update: operation('PATCH /v1/viewer/users/:userId', {
    access: 'viewer-people',
    summary: 'Update a user; the e-mail address cannot be changed',
    params: userParams,
    body: orEmpty(z.object(patch).partial()),
    reply: ViewerUser,
  }),
  revokeAccess: operation('POST /v1/viewer/users/revoke-access', {
    access: 'viewer-people',
    summary: 'Revoke a user’s access; data is preserved',
    body: one,
    reply: Outcome,
  }),
  reactivate: operation('POST /v1/viewer/users/reactivate', {
    access: 'viewer-people',
    summary: 'Restore a user’s access',
    body: one,
    reply: Outcome,
  }),
  invitations: operation('GET /v1/viewer/users/invitations', {
    access: 'viewer',
    summary: 'List invitations, newest first',
    query: invitationList,
    reply: pageOf('invitations', ViewerInvitation),
  }),
  invitation: operation('GET /v1/viewer/users/invitations/:invitationId', {
    access: 'viewer',
    summary: 'Read an invitation',
    params: invitationParams,
    reply: ViewerInvitation,
  }),
  updateInvitation: operation('PATCH /v1/viewer/users/invitations/:invitationId', {
    access: 'viewer-people',
    summary: 'Update an invitation that has neither expired nor been processed',
    params: invitationParams,
    body: orEmpty(z.object(patch).partial()),
    reply: ViewerInvitation,
  }),
  revokeInvitation: operation('POST /v1/viewer/users/invitations/revoke', {
    access: 'viewer-people',
    summary: 'Revoke a pending invitation',
    body: eitherInvitation,
    reply: Outcome,
  }),
} as const

export const scribeUsers = {
  invite: operation('POST /v1/scribe/users', {
    access: 'people',
    summary: 'Invite a user of the reporting area, and send the invitation',
    body: z.object({ ...invite, ...reporting }),
    reply: ScribeUser,
    status: 201,
  }),
  list: operation('GET /v1/scribe/users', {
    access: 'partner',
    summary: 'List users, newest first',
    query: z.object({ ...userList, canCreateReports: Flag }),
    reply: pageOf('users', ScribeUser),
  }),
  read: operation('GET /v1/scribe/users/:userId', {
    access: 'partner',
    summary: 'Read a user',
    params: userParams,
    reply: ScribeUser,
  }),
  update: operation('PATCH /v1/scribe/users/:userId', {
    access: 'people',
    summary: 'Update a user; the e-mail address cannot be changed',
    params: userParams,
    body: orEmpty(z.object({ ...patch, ...reportingPatch }).partial()),
    reply: ScribeUser,
  }),
  revokeAccess: operation('POST /v1/scribe/users/revoke-access', {
    access: 'people',
    summary: 'Revoke a user’s access; data is preserved',
    body: one,
    reply: Outcome,
  }),
  reactivate: operation('POST /v1/scribe/users/reactivate', {
    access: 'people',
    summary: 'Restore a user’s access',
    body: one,
    reply: Outcome,
  }),
  invitations: operation('GET /v1/scribe/users/invitations', {
    access: 'partner',
    summary: 'List invitations, newest first',
    query: invitationList,
    reply: pageOf('invitations', ScribeInvitation),
  }),
  invitation: operation('GET /v1/scribe/users/invitations/:invitationId', {
    access: 'partner',
    summary: 'Read an invitation',
    params: invitationParams,
    reply: ScribeInvitation,
  }),
  updateInvitation: operation('PATCH /v1/scribe/users/invitations/:invitationId', {
    access: 'people',
    summary: 'Update an invitation that has neither expired nor been processed',
    params: invitationParams,
    body: orEmpty(z.object({ ...patch, ...reportingPatch }).partial()),
    reply: ScribeInvitation,
  }),
  revokeInvitation: operation('POST /v1/scribe/users/invitations/revoke', {
    access: 'people',
    summary: 'Revoke a pending invitation',
    body: eitherInvitation,
    reply: Outcome,
  }),
} as const
