import { z } from 'zod'
import { ExpressCustomerId, InvitationId, UserId } from '../ids.ts'
import { fault } from '../messages/issues.ts'
import { Message } from '../messages/message-schema.ts'
import { operation } from '../operation.ts'
import { Instant, Outcome, Page, pageOf, WindowOutcome } from './conventions.ts'
import { ClinicRole, Email, GivenName, Level, Password, Session } from './people.ts'
import { ExpressCustomerReference } from './references.ts'
import { SETTINGS } from './settings.ts'
import { InvitationStatus, ScribeUser, scribeUsers } from './users.ts'

/**
 * State of the mail of an invitation. `none`: no mail is sent, and the inviter passes the link on.
 */
const MAIL_STATES = ['none', 'waiting', 'sent', 'failed'] as const
export const MailState = z.enum(MAIL_STATES)
export type MailState = z.infer<typeof MailState>

/** The newest invitation of a user. */
const PersonInvitation = z.object({
  invitationId: InvitationId,
  status: InvitationStatus,
  isExpired: z.boolean(),
  expiry: Instant.nullable(),
  createdAt: Instant,
  invitedBy: Message,
  mail: MailState,
  /** Why the mail has not been delivered. */
  mailFault: Message.nullable(),
})

/** A user as the window shows them. invited: has not accepted yet; revoked: has no access. */
export const Person = ScribeUser.extend({
  /**
   * The level that partner systems read and write; `level` determines the permissions in the
   * gateway (decision 0033).
   */
  interfaceLevel: Level,
  state: z.enum(['active', 'invited', 'revoked']),
  invitation: PersonInvitation.nullable(),
  /** By name. */
  expressCustomers: z.array(ExpressCustomerReference),
  /** Since when two-factor authentication is on; null if it is off. */
  secondFactorSince: Instant.nullable(),
})
export type Person = z.infer<typeof Person>

/**
 * Which users are listed. out: without access, or with an invitation that was rejected or revoked.
 */
export const PEOPLE_FILTERS = ['all', 'active', 'invited', 'out'] as const
/**
 * Search text: every word must occur in a name or the e-mail address, ignoring case and accents.
 */
const Search = z.string().trim().max(100).default('')

/** A user linked to an Express customer, as shown to everyone who may use the window. */
export const CustomerUser = z.object({
  userId: UserId,
  name: z.string(),
  email: z.string(),
  clinicRole: ClinicRole,
  state: Person.shape.state,
  linkedAt: Instant,
})
export type CustomerUser = z.infer<typeof CustomerUser>

/** `link` is for the inviter to pass on if no mail is sent; it is shown once. */
const InvitationResult = z.object({
  person: Person,
  link: z.string().nullable(),
  expiry: Instant.nullable(),
})

/** What the invitation page shows to the holder of the link. */
export const OpenInvitation = z.object({
  email: z.string(),
  firstName: z.string(),
  lastName: z.string(),
  clinicRole: ClinicRole,
  level: Level,
  clinicName: z.string(),
  invitedBy: Message,
  expiry: Instant.nullable(),
})
export type OpenInvitation = z.infer<typeof OpenInvitation>

/**
 * What an API key may do by DICOMweb (decision 0057): search and retrieve studies (`read`: QIDO-RS
 * and WADO-RS), store instances (`store`: STOW-RS), both, or nothing.
 */
export const DICOMWEB_RIGHTS = ['none', 'read', 'store', 'read-and-store'] as const
export type DicomwebRight = (typeof DICOMWEB_RIGHTS)[number]

/**
 * What an API key may see of its own events (decision 0076): nothing, the events and attempts
 * without bodies, or with the bodies of requests and responses, which contain patient data.
 */
export const EVENT_ACCESS = ['none', 'without-bodies', 'with-bodies'] as const
export type EventAccess = (typeof EVENT_ACCESS)[number]

/** What an API key may do for itself. */
const selfService = {
  eventAccess: z.enum(EVENT_ACCESS),
  /**
   * Whether its events include those of the clinic that belong to no key, such as worklist requests.
   */
  seesClinicEvents: z.boolean(),
  /** Whether it may add, change and remove its own endpoints. */
  managesEndpoints: z.boolean(),
}

export const ApiKeyRow = z.object({
  apiKeyId: z.uuid(),
  description: z.string(),
  isViewerEnabled: z.boolean(),
  scope: z.enum(['all', 'self']),
  /** Whether it may invite and change users, and link them to customers. */
  managesPeople: z.boolean(),
  dicomweb: z.enum(DICOMWEB_RIGHTS),
  ...selfService,
  last4: z.string(),
  createdAt: Instant,
  lastUsedAt: Instant.nullable(),
  rotatedAt: Instant.nullable(),
  /** The former secret, while it is still valid after a rotation. */
  old: z.object({ last4: z.string(), expiresAt: Instant }).nullable(),
  revokedAt: Instant.nullable(),
})
export type ApiKeyRow = z.infer<typeof ApiKeyRow>
/** `key` is shown once. */
const ApiKeyWithSecret = z.object({ apiKey: ApiKeyRow, key: z.string() })

export const MailConfig = z.object({
  host: SETTINGS['mail.host'].schema,
  port: SETTINGS['mail.port'].schema,
  security: SETTINGS['mail.security'].schema,
  user: SETTINGS['mail.user'].schema,
  from: SETTINGS['mail.from'].schema,
  certificate: SETTINGS['mail.certificate'].schema,
})
export type MailConfig = z.infer<typeof MailConfig>
export const Mail = MailConfig.extend({
  hasPassword: z.boolean(),
  waiting: z.int(),
  failed: z.int(),
  /** Why the newest undelivered mail was not delivered. */
  fault: Message.nullable(),
})
export type Mail = z.infer<typeof Mail>

const token = z.object({ token: z.string().min(20).max(200) })
const userParams = z.object({ userId: UserId })
const keyParams = z.object({ apiKeyId: z.uuid() })

/**
 * The window's calls about users, invitations, API keys and mail; they complement those of
 * `dashboard`.
 */
export const dashboardPeople = {
  people: operation('GET /dashboard/people', {
    access: 'manage',
    summary: 'Users and invited people, newest first',
    query: z.object({ ...Page, search: Search, show: z.enum(PEOPLE_FILTERS).default('all') }),
    reply: pageOf('people', Person),
  }),
  customerUsers: operation('GET /dashboard/customers/:expressCustomerId/users', {
    // The permission to read studies includes the customers and their users.
    access: 'signed-in',
    summary:
      'Users linked to an Express customer, newest link first; linking uses the call of the interface',
    params: z.object({ expressCustomerId: ExpressCustomerId }),
    query: z.object({ ...Page, search: Search }),
    reply: pageOf('users', CustomerUser),
  }),
  invitePerson: operation('POST /dashboard/people', {
    access: 'manage-confirmed',
    summary: 'Invite a user; if no mail server is configured, the link is returned once',
    body: scribeUsers.invite.body,
    reply: InvitationResult,
    status: 201,
  }),
  updatePerson: operation('PATCH /dashboard/people/:userId', {
    access: 'manage-confirmed',
    summary: 'Change a user; only an owner can change or create an owner',
    params: userParams,
    body: z.object({
      firstName: GivenName.optional(),
      lastName: GivenName.optional(),
      middleName: scribeUsers.invite.body.shape.middleName.nullable(),
      suffix1: scribeUsers.invite.body.shape.suffix1.nullable(),
      suffix2: scribeUsers.invite.body.shape.suffix2.nullable(),
      phoneNumber: scribeUsers.invite.body.shape.phoneNumber.nullable(),
      npiNumber: scribeUsers.invite.body.shape.npiNumber.nullable(),
      clinicRole: ClinicRole.optional(),
      level: Level.optional(),
      canManageStudies: z.boolean().optional(),
      canCreateReports: z.boolean().optional(),
      hasDashboardAccess: z.boolean().optional(),
    }),
    reply: Person,
  }),
  revokePerson: operation('POST /dashboard/people/:userId/revoke-access', {
    access: 'manage-confirmed',
    summary: 'Revoke a user’s access immediately; data is preserved',
    params: userParams,
    reply: WindowOutcome,
  }),
  reactivatePerson: operation('POST /dashboard/people/:userId/reactivate', {
    access: 'manage-confirmed',
    summary: 'Restore a user’s access',
    params: userParams,
    reply: WindowOutcome,
  }),
  renewInvitation: operation('POST /dashboard/people/:userId/invitation', {
    access: 'manage-confirmed',
    summary: 'Create a new link for a pending invitation; the former one becomes invalid',
    params: userParams,
    reply: InvitationResult,
  }),
  revokeInvitation: operation('POST /dashboard/people/:userId/invitation/revoke', {
    access: 'manage-confirmed',
    summary: 'Revoke a pending invitation',
    params: userParams,
    reply: WindowOutcome,
  }),

  // The invited person has no account yet and may use any PC; the token of the link authorizes the
  // call.
  invitation: operation('POST /dashboard/invitation', {
    access: 'public',
    fromAnyWorkstation: true,
    summary: 'The invitation of this link',
    body: token,
    reply: OpenInvitation,
  }),
  acceptInvitation: operation('POST /dashboard/invitation/accept', {
    access: 'public',
    fromAnyWorkstation: true,
    summary: 'Accept an invitation and set a password; signs in if the account may use the window',
    body: token.extend({ password: Password }),
    reply: Session,
  }),
  rejectInvitation: operation('POST /dashboard/invitation/reject', {
    access: 'public',
    fromAnyWorkstation: true,
    summary: 'Reject an invitation',
    body: token,
    reply: Outcome,
  }),

  apiKeys: operation('GET /dashboard/api-keys', {
    access: 'manage',
    summary: 'API keys, newest first, including revoked ones',
    reply: z.object({ apiKeys: z.array(ApiKeyRow) }),
  }),
  createApiKey: operation('POST /dashboard/api-keys', {
    access: 'manage-confirmed',
    summary: 'Create an API key; it is shown once',
    body: z.object({
      description: z.string().trim().min(1, fault('values.empty')).max(200),
      isViewerEnabled: z.boolean().default(false),
      scope: z.enum(['all', 'self']).default('self'),
      managesPeople: z.boolean().default(false),
      dicomweb: z.enum(DICOMWEB_RIGHTS).default('none'),
      eventAccess: selfService.eventAccess.default('none'),
      seesClinicEvents: z.boolean().default(false),
      managesEndpoints: z.boolean().default(false),
    }),
    reply: ApiKeyWithSecret,
    status: 201,
  }),
  changeApiKey: operation('PATCH /dashboard/api-keys/:apiKeyId', {
    access: 'manage-confirmed',
    summary:
      'Change what an API key may do: manage users, use DICOMweb, see its own events and manage its own endpoints',
    params: keyParams,
    body: z
      .object({
        managesPeople: z.boolean(),
        dicomweb: z.enum(DICOMWEB_RIGHTS),
        ...selfService,
      })
      .partial(),
    reply: ApiKeyRow,
  }),
  rotateApiKey: operation('POST /dashboard/api-keys/:apiKeyId/rotate', {
    access: 'manage-confirmed',
    summary:
      'Replace the secret of an API key; the former one stays valid for the given number of hours',
    params: keyParams,
    body: z.object({ overlapHours: z.number().min(0).max(720).default(24) }),
    reply: ApiKeyWithSecret,
  }),
  revokeApiKey: operation('POST /dashboard/api-keys/:apiKeyId/revoke', {
    access: 'manage-confirmed',
    summary: 'Revoke an API key immediately; this cannot be undone',
    params: keyParams,
    reply: Outcome,
  }),

  mail: operation('GET /dashboard/mail', {
    access: 'manage',
    summary: 'The mail server for invitations',
    reply: Mail,
  }),
  setMail: operation('PUT /dashboard/mail', {
    access: 'manage-confirmed',
    summary: 'Configure the SMTP server; a null host disables mail',
    /** An absent password keeps the stored one; null deletes it. */
    body: MailConfig.extend({ password: z.string().min(1).max(500).nullable().optional() }),
    reply: Mail,
  }),
  testMail: operation('POST /dashboard/mail/test', {
    access: 'manage',
    summary: 'Send a test message now',
    body: z.object({ to: Email }),
    reply: z.object({ success: z.boolean(), message: Message }),
  }),
} as const
