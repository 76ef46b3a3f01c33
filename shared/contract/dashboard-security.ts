import { z } from 'zod'
import { UserId } from '../ids.ts'
import { fault } from '../messages/issues.ts'
import { Message } from '../messages/message-schema.ts'
import { operation } from '../operation.ts'
import { Instant, Outcome } from './conventions.ts'
import { GivenName, NamedUser, Password, Session } from './people.ts'
import { PhoneNumber } from './values.ts'

/**
 * Six digits of an authenticator (RFC 6238), or one of the codes for when it is lost, `xxxx-xxxx`.
 */
const SecondFactorCode = z.string().trim().min(6).max(20)
const currentPassword = z.object({ password: z.string().max(200) })

/** A window that is signed in somewhere. */
export const OpenSession = z.object({
  /** Tells sessions apart; opens nothing. */
  sessionId: z.string(),
  user: NamedUser,
  /** Of the browser, in short, e.g. `Chrome on Windows`; null where it did not say. */
  browser: Message.nullable(),
  /** Where it came from: this PC, or an approved workstation by name. */
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

/** What a person may see and change of their own account. */
export const Account = z.object({
  hasPassword: z.boolean(),
  passwordChangedAt: Instant.nullable(),
  secondFactor: SecondFactor,
})
export type Account = z.infer<typeof Account>

/**
 * A PC of the clinic's network that may open the window by HTTPS, approved once by somebody who
 * manages the gateway.
 */
export const Workstation = z.object({
  workstationId: z.uuid(),
  name: z.string(),
  state: z.enum(['asking', 'approved']),
  /** What its screen shows too, so that the right one is approved: two groups of three. */
  code: z.string(),
  address: z.string(),
  browser: Message.nullable(),
  askedAt: Instant,
  approvedAt: Instant.nullable(),
  approvedBy: z.string(),
  lastSeenAt: Instant.nullable(),
})
export type Workstation = z.infer<typeof Workstation>

/** The window from other workstations, by the HTTPS listener. */
export const LanAccess = z.object({
  isOn: z.boolean(),
  host: z.string(),
  port: z.int(),
  /**
   * Addresses to type at a workstation, e.g. `https://192.0.2.7:8443/`; empty while it is off or
   * down.
   */
  urls: z.array(z.string()),
  isUp: z.boolean(),
  /** Why it is down. */
  detail: Message.nullable(),
  /** SHA-256 of its certificate, to be compared once at the workstation. */
  fingerprint256: z.string(),
  workstations: z.array(Workstation),
})
export type LanAccess = z.infer<typeof LanAccess>

/**
 * Where this page is shown, for the page itself. `here`: on this PC; the others by the HTTPS
 * listener.
 */
export const ThisWorkstation = z.object({
  state: z.enum(['here', 'unknown', 'asking', 'approved']),
  name: z.string(),
  code: z.string(),
  clinicName: z.string(),
})
export type ThisWorkstation = z.infer<typeof ThisWorkstation>

/** The account of who is signed in, sessions, and workstations. */
export const dashboardSecurity = {
  // `lock` and `unlock` are public because a locked session is refused elsewhere; their handlers
  // check it.
  lock: operation('POST /dashboard/session/lock', {
    access: 'public',
    background: true,
    summary: 'Lock the window: the session goes on, and opens nothing until its password is given',
    reply: Outcome,
  }),
  unlock: operation('POST /dashboard/session/unlock', {
    access: 'public',
    background: true,
    summary: 'Unlock the window with the password of who is signed in',
    body: currentPassword,
    reply: Session,
  }),
  confirm: operation('POST /dashboard/session/confirm', {
    access: 'signed-in',
    summary:
      'Confirm who is there, by the password or a code of the second factor, for privileged actions of the next minutes',
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
    summary: 'Begin to set up an authenticator; nothing is asked for yet at sign-in',
    body: currentPassword,
    /** `uri` is what the QR code holds (otpauth://totp/…), `secret` the same for typing. */
    reply: z.object({ uri: z.string(), secret: z.string() }),
  }),
  confirmSecondFactor: operation('POST /dashboard/account/second-factor/confirm', {
    access: 'signed-in',
    summary:
      'Turn it on with a code of the authenticator; the codes for when it is lost are shown once',
    body: z.object({ code: SecondFactorCode }),
    reply: z.object({ codes: z.array(z.string()) }),
  }),
  endSecondFactor: operation('POST /dashboard/account/second-factor/end', {
    access: 'signed-in',
    summary: 'Sign in by password alone again',
    body: currentPassword,
    reply: Outcome,
  }),
  resetSecondFactor: operation('POST /dashboard/people/:userId/second-factor/end', {
    access: 'manage-confirmed',
    summary: 'Take the second factor off a person’s account who lost it',
    params: z.object({ userId: UserId }),
    reply: Outcome,
  }),
  // A member sees and ends their own sessions; owners and administrators those of everybody.
  sessions: operation('GET /dashboard/sessions', {
    access: 'signed-in',
    background: true,
    summary: 'Where I am signed in; who manages the gateway sees everybody',
    reply: z.object({ sessions: z.array(OpenSession) }),
  }),
  endSession: operation('DELETE /dashboard/sessions/:sessionId', {
    access: 'signed-in',
    summary: 'End a session; its window is out at its next call',
    params: z.object({ sessionId: z.string().min(8).max(64) }),
    reply: Outcome,
  }),
  // The page of a PC asks this before anybody has signed in there.
  thisWorkstation: operation('GET /dashboard/workstation', {
    access: 'public',
    background: true,
    fromAnyWorkstation: true,
    summary: 'Whether the window opens on this PC',
    reply: ThisWorkstation,
  }),
  askForWorkstation: operation('POST /dashboard/workstation', {
    access: 'public',
    fromAnyWorkstation: true,
    summary: 'Ask that the window may be opened on this PC',
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
    summary: 'Open or close the window to other workstations; at once, without a restart',
    body: z.object({
      isOn: z.boolean(),
      host: z.string().min(1).max(253).optional(),
      port: z.int().min(1).max(65_535).optional(),
    }),
    reply: LanAccess,
  }),
  approveWorkstation: operation('POST /dashboard/workstations/:workstationId/approve', {
    access: 'manage-confirmed',
    summary: 'Let the window be opened on a workstation',
    params: z.object({ workstationId: z.uuid() }),
    body: z.object({ name: z.string().trim().min(2).max(64).optional() }),
    reply: Workstation,
  }),
  removeWorkstation: operation('DELETE /dashboard/workstations/:workstationId', {
    access: 'manage-confirmed',
    summary: 'No longer let the window be opened on a workstation; sessions there end',
    params: z.object({ workstationId: z.uuid() }),
    reply: Outcome,
  }),
} as const
