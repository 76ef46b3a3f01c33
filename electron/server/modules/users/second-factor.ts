import { createHmac, randomInt } from 'node:crypto'
import { Secret, TOTP } from 'otpauth'
import { type Actor, note, userActor } from '#server/audit-log/audit.ts'
import type { Context } from '#server/context.ts'
import { instantOf, msOf } from '#server/platform/clock.ts'
import type { SecondFactor } from '#shared/contract/dashboard-security.ts'
import type { SignedInUser } from '#shared/contract/people.ts'
import { ApiError } from '#shared/errors.ts'
import { may } from '#shared/lifecycle.ts'
import { type Message, message } from '#shared/messages/message.ts'
import { findUser } from './queries.ts'
import * as queries from './second-factor-queries.ts'
import { countAttempt, resetAttempts } from './sign-in-throttle.ts'

// Two-factor authentication: time-based codes (RFC 6238), and recovery codes in case the
// authenticator is lost.

// The parameters that all authenticator apps support (RFC 6238): SHA-1, six digits, 30 seconds. The
// clock may differ by one step (§5.2).
const TOTP_OPTIONS = { algorithm: 'SHA1', digits: 6, period: 30 } as const
const MAX_CLOCK_STEPS = 1
/** RFC 4226 §4 requires 128 bits and recommends 160. */
const SECRET_BYTES = 20
/** A new authenticator has to be confirmed within this time. */
const SETUP_LIFETIME_MS = 15 * 60_000
const RECOVERY_CODE_COUNT = 10
/** Without characters that are easily confused. */
const CODE_CHARACTERS = '23456789abcdefghjkmnpqrstuvwxyz'

export function secondFactorOf({ database }: Context, userId: string): SecondFactor {
  const since = queries.findSecondFactor(database, userId)?.since ?? null
  const codesLeft = since === null ? 0 : queries.countRecoveryCodes(database, userId)
  return { isOn: since !== null, since, codesLeft }
}

export const hasSecondFactor = ({ database }: Context, userId: string): boolean =>
  Boolean(queries.findSecondFactor(database, userId)?.secret)

/**
 * Whether the user manages the gateway and signs in with a password only. Excluded are the user of
 * the tray, which has no account, and accounts that sign in at the identity provider.
 */
export const needsSecondFactor = (context: Context, user: SignedInUser): boolean =>
  may(user, 'manageGateway') &&
  (findUser(context.database, user.userId)?.passwordHash ?? null) !== null &&
  !hasSecondFactor(context, user.userId)

/**
 * Starts the setup of an authenticator. One that is in use stays valid until the new one is
 * confirmed.
 */
export function beginSecondFactor(
  context: Context,
  { userId, email }: { readonly userId: string; readonly email: string },
): { readonly uri: string; readonly secret: string } {
  const { database, clock } = context
  const secret = new Secret({ size: SECRET_BYTES })
  const issuer = context.settings.get('clinic.name') || 'Isthmus'
  const emptyRecord = { userId, secret: null, since: null, lastStep: null }
  database.transaction(() => {
    queries.putSecondFactor(database, {
      ...(queries.findSecondFactor(database, userId) ?? emptyRecord),
      ...{ pending: secret.base32, pendingAt: instantOf(clock()) },
    })
    note(context, userActor(userId), 'second-factor.begin', userId)
  })
  const uri = new TOTP({ ...TOTP_OPTIONS, issuer, label: email, secret }).toString()
  return { uri, secret: secret.base32 }
}

/**
 * Confirms the new authenticator and returns the recovery codes, which are stored as hashes only.
 * @throws ApiError refused: setup was not started, or the code is wrong; too-many
 */
export function confirmSecondFactor(context: Context, userId: string, code: string): string[] {
  const { database, clock } = context
  const record = queries.findSecondFactor(database, userId)
  if (!record?.pending || clock() - msOf(record.pendingAt ?? '') >= SETUP_LIFETIME_MS)
    throw new ApiError('refused', message('users.authenticator-not-begun'))
  const codes = limitAttempts(context, userId, () => {
    const { pending = null } = queries.findSecondFactor(database, userId) ?? {}
    const lastStep = pending === null ? undefined : timeStepOf(clock(), pending, code)
    if (lastStep === undefined) return undefined
    const codes = Array.from({ length: RECOVERY_CODE_COUNT }, generateRecoveryCode)
    queries.putSecondFactor(database, {
      ...{ userId, secret: pending, since: instantOf(clock()), lastStep },
      ...{ pending: null, pendingAt: null },
    })
    const hashes = codes.map((one) => hashOf(context, userId, one))
    queries.setRecoveryCodes(database, userId, hashes)
    note(context, userActor(userId), 'second-factor.on', userId)
    return codes
  })
  if (codes) return codes
  throw new ApiError('refused', message('users.authenticator-code-wrong'), {
    errors: [{ path: 'body.code', message: message('users.authenticator-code-wrong-field') }],
  })
}

/** Turns two-factor authentication off. Does nothing if it is off. */
export function disableSecondFactor(context: Context, userId: string, actor: Actor): void {
  context.database.transaction(() => {
    const wasEnabled = hasSecondFactor(context, userId)
    queries.deleteSecondFactor(context.database, userId)
    if (wasEnabled) note(context, actor, 'second-factor.off', userId)
  })
}

/**
 * Redeems an authentication or recovery code. Returns whether it was correct; each code is accepted
 * once.
 * @throws ApiError too-many
 */
export function verifyCode(context: Context, userId: string, code: string): boolean {
  if (limitAttempts(context, userId, () => redeemCode(context, userId, code))) return true
  note(context, userActor(userId), 'user.sign-in-failed', userId, { why: 'code' })
  return false
}

/**
 * Redeems a code.
 * @throws ApiError not-signed-in with the path `body.code`; too-many
 */
export function requireCode(context: Context, userId: string, code: string | undefined): void {
  if (code === undefined || code.trim() === '')
    throw codeRequiredError(message('users.code-needed'))
  if (!verifyCode(context, userId, code)) throw codeRequiredError(message('users.code-wrong'))
}

/**
 * Limits attempts. Wrong codes are counted separately from wrong passwords: otherwise someone who
 * knows the password could reset the count by signing in.
 */
function limitAttempts<T>(
  context: Context,
  userId: string,
  work: () => T | undefined,
): T | undefined {
  const account = `second factor ${userId}`
  countAttempt(context, account, 'codes')
  const result = context.database.transaction(work)
  if (result !== undefined) resetAttempts(context, account)
  return result
}

function redeemCode(context: Context, userId: string, code: string): true | undefined {
  const { database, clock } = context
  const record = queries.findSecondFactor(database, userId)
  if (!record?.secret) return undefined
  const step = timeStepOf(clock(), record.secret, code)
  if (step !== undefined && step > (record.lastStep ?? -1)) {
    queries.putSecondFactor(database, { ...record, lastStep: step })
    return true
  }
  const codeHash = hashOf(context, userId, code)
  if (!queries.takeRecoveryCode(database, userId, codeHash, instantOf(clock()))) return undefined
  const codesLeft = queries.countRecoveryCodes(database, userId)
  note(context, userActor(userId), 'second-factor.recover', userId, { codesLeft })
  return true
}

/** The time step of a correct code; undefined if the code is wrong. */
function timeStepOf(now: number, secret: string, code: string): number | undefined {
  const totp = new TOTP({ ...TOTP_OPTIONS, secret: Secret.fromBase32(secret) })
  const delta = totp.validate({
    token: code.replace(/\s/g, ''),
    timestamp: now,
    window: MAX_CLOCK_STEPS,
  })
  return delta === null ? undefined : Math.floor(now / 1000 / TOTP_OPTIONS.period) + delta
}

/** HMAC-SHA-256 under a key derived from the data key. */
const hashOf = ({ database }: Context, userId: string, code: string) =>
  createHmac('sha256', database.seal.keyFor('codes of second factors'))
    .update(`${userId} ${code.toLowerCase().replace(/[^a-z0-9]/g, '')}`)
    .digest('hex')

const generateRecoveryCode = () => {
  const four = () =>
    Array.from({ length: 4 }, () => CODE_CHARACTERS[randomInt(CODE_CHARACTERS.length)]).join('')
  return `${four()}-${four()}`
}

const codeRequiredError = (why: Message) =>
  new ApiError('not-signed-in', why, { errors: [{ path: 'body.code', message: why }] })
