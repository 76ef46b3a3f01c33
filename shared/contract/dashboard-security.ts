import { z } from 'zod'
import { UserId } from '../ids.ts'
import { fault } from '../messages/issues.ts'
import { Message } from '../messages/message-schema.ts'
import { operation } from '../operation.ts'
import { Instant, Outcome } from './conventions.ts'
import { GivenName, NamedUser, Password, Session } from './people.ts'
import { PhoneNumber } from './values.ts'

/** Six digits of an authenticator app (RFC 6238), or a recovery code, `xxxx-xxxx`. */
const SecondFactorCode = z.string().trim().min(6).max(20)
const currentPassword = z.object({ password: z.string().max(200) })

/** A session of a window. */
export const OpenSession = z.object({
  /** Identifies the session; grants no access. */
  sessionId: z.string(),
  user: NamedUser,
  /** Name of the browser, such as `Chrome on Windows`; null if unknown. */
  browser: Message.nullable(),
  /** This PC, or the name of an approved workstation. */
  place: Message,
  address: z.string(),
  isThis: z.boolean(),
  isLocked: z.boolean(),
  createdAt: Instant,
  lastUsedAt: Instant,
  expiresAt: Instant,
})
export type OpenSession = z.infer<typeof OpenSession>

export const SecondFactor = z.object({
  isOn: z.boolean(),
  since: Instant.nullable(),
  codesLeft: z.int(),
})
export type SecondFactor = z.infer<typeof SecondFactor>

/** The settings of the user's own account. */
export const Account = z.object({
  hasPassword: z.boolean(),
  passwordChangedAt: Instant.nullable(),
  secondFactor: SecondFactor,
})
export type Account = z.infer<typeof Account>

/**
 * A PC in the clinic's network that may open the window through HTTPS, once a user who manages the
 * gateway has approved it.
 */
export const Workstation = z.object({
  workstationId: z.uuid(),
  name: z.string(),
  state: z.enum(['asking', 'approved']),
  /**
   * Also shown on its screen, so that the right one is approved: two groups of three characters.
   */
  code: z.string(),
  address: z.string(),
  browser: Message.nullable(),
  askedAt: Instant,
  approvedAt: Instant.nullable(),
  approvedBy: z.string(),
  lastSeenAt: Instant.nullable(),
})
export type Workstation = z.infer<typeof Workstation>

/** Access to the window from other workstations, through the HTTPS listener. */
export const LanAccess = z.object({
  isOn: z.boolean(),
  host: z.string(),
  port: z.int(),
  /**
   * URLs to enter on a workstation, such as `https://192.0.2.7:8443/`; empty while the listener is
   * off or down.
   */
  urls: z.array(z.string()),
  isUp: z.boolean(),
  /** Why it is down. */
  detail: Message.nullable(),
  /** SHA-256 of its certificate, to be compared once on the workstation. */
  fingerprint256: z.string(),
  workstations: z.array(Workstation),
})
export type LanAccess = z.infer<typeof LanAccess>

/**
 * The PC on which the page is open, for the page itself. `here`: the gateway's PC; the other states
 * apply to the HTTPS listener.
 */
export const ThisWorkstation = z.object({
  state: z.enum(['here', 'unknown', 'asking', 'approved']),
  name: z.string(),
  code: z.string(),
  clinicName: z.string(),
})
export type ThisWorkstation = z.infer<typeof ThisWorkstation>

/** The user's account, sessions, and workstations. */
export const dashboardSecurity = {
  // `lock` and `unlock` are public, because other calls reject a locked session; their handlers
  // check the session.
  lock: operation('POST /dashboard/session/lock', {
    access: 'public',
    background: true,
    summary:
      'Lock the window: the session continues, but grants no access until the password is entered',
    reply: Outcome,
  }),
  unlock: operation('POST /dashboard/session/unlock', {
    access: 'public',
    background: true,
    summary: 'Unlock the window with the user’s password',
    body: currentPassword,
    reply: Session,
  }),
  confirm: operation('POST /dashboard/session/confirm', {
    access: 'signed-in',
    summary:
      'Confirm the user’s identity by password or authentication code, for privileged actions in the next minutes',
    body: z.object({ password: z.string().max(200).optional(), code: SecondFactorCode.optional() }),
    reply: Outcome,
  }),
  account: operation('GET /dashboard/account', {
    access: 'signed-in',
    summary: 'My account',
    reply: Account,
  }),
  changeAccount: operation('PATCH /dashboard/account', {
    access: 'signed-in',
    summary: 'Change my names and phone number',
    body: z.object({
      firstName: GivenName.optional(),
      lastName: GivenName.optional(),
      phoneNumber: PhoneNumber.nullable().optional(),
    }),
    reply: Session,
  }),
  changePassword: operation('POST /dashboard/account/password', {
    access: 'signed-in',
    summary: 'Change my password; every other session of mine ends',
    body: z.object({ password: z.string().max(200), newPassword: Password }),
    reply: Outcome,
  }),
  beginSecondFactor: operation('POST /dashboard/account/second-factor', {
    access: 'signed-in',
    summary: 'Start the setup of an authenticator app; sign-in does not require it yet',
    body: currentPassword,
    /**
     * `uri` is the content of the QR code (otpauth://totp/…); `secret` is for entering it manually.
     */
    reply: z.object({ uri: z.string(), secret: z.string() }),
  }),
  confirmSecondFactor: operation('POST /dashboard/account/second-factor/confirm', {
    access: 'signed-in',
    summary:
      'Turn two-factor authentication on with a code of the authenticator app; the recovery codes are shown once',
    body: z.object({ code: SecondFactorCode }),
    reply: z.object({ codes: z.array(z.string()) }),
  }),
  endSecondFactor: operation('POST /dashboard/account/second-factor/end', {
    access: 'signed-in',
    summary: 'Turn two-factor authentication off',
    body: currentPassword,
    reply: Outcome,
  }),
  resetSecondFactor: operation('POST /dashboard/people/:userId/second-factor/end', {
    access: 'manage-confirmed',
    summary: 'Remove two-factor authentication from the account of a user who lost it',
    params: z.object({ userId: UserId }),
    reply: Outcome,
  }),
  // A member sees and ends their own sessions; owners and administrators see and end those of
  // everyone.
  sessions: operation('GET /dashboard/sessions', {
    access: 'signed-in',
    background: true,
    summary: 'My sessions, or those of all users for owners and administrators',
    reply: z.object({ sessions: z.array(OpenSession) }),
  }),
  endSession: operation('DELETE /dashboard/sessions/:sessionId', {
    access: 'signed-in',
    summary: 'End a session; its window is signed out at its next call',
    params: z.object({ sessionId: z.string().min(8).max(64) }),
    reply: Outcome,
  }),
  // The page makes this call before a user has signed in.
  thisWorkstation: operation('GET /dashboard/workstation', {
    access: 'public',
    background: true,
    fromAnyWorkstation: true,
    summary: 'Whether the window may be opened on this PC',
    reply: ThisWorkstation,
  }),
  askForWorkstation: operation('POST /dashboard/workstation', {
    access: 'public',
    fromAnyWorkstation: true,
    summary: 'Request access to the window for this PC',
    body: z.object({
      name: z.string().trim().min(2, fault('values.workstation-name')).max(64),
    }),
    reply: ThisWorkstation,
  }),
  lanAccess: operation('GET /dashboard/lan', {
    access: 'manage',
    background: true,
    summary: 'Access from other workstations',
    reply: LanAccess,
  }),
  setLanAccess: operation('PUT /dashboard/lan', {
    access: 'manage-confirmed',
    summary: 'Turn access from other workstations on or off; takes effect immediately',
    body: z.object({
      isOn: z.boolean(),
      host: z.string().min(1).max(253).optional(),
      port: z.int().min(1).max(65_535).optional(),
    }),
    reply: LanAccess,
  }),
  approveWorkstation: operation('POST /dashboard/workstations/:workstationId/approve', {
    access: 'manage-confirmed',
    summary: 'Approve a workstation',
    params: z.object({ workstationId: z.uuid() }),
    body: z.object({ name: z.string().trim().min(2).max(64).optional() }),
    reply: Workstation,
  }),
  removeWorkstation: operation('DELETE /dashboard/workstations/:workstationId', {
    access: 'manage-confirmed',
    summary: 'Revoke the approval of a workstation; its sessions end',
    params: z.object({ workstationId: z.uuid() }),
    reply: Outcome,
  }),
} as const
