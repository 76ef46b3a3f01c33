import { type Actor, note, userActor } from '#server/audit-log/audit.ts'
import type { Context } from '#server/context.ts'
import { instantOf } from '#server/platform/clock.ts'
import { hostOf, isThisPc } from '#server/platform/connection-budget.ts'
import { createToken, hashToken } from '#server/platform/token.ts'
import type { ClinicRole, Level, SignedInUser } from '#shared/contract/people.ts'
import { ApiError } from '#shared/errors.ts'
import { idFromUuid } from '#shared/ids.ts'
import { message } from '#shared/messages/message.ts'
import { Passwords, type ScryptCost } from './password.ts'
import { checkPassword, type PasswordOwner } from './password-rules.ts'
import * as queries from './queries.ts'
import { hasSecondFactor, requireCode } from './second-factor.ts'
import {
  beginSession,
  endSessionsOf,
  type SessionOrigin,
  type SignIn,
  signedInUser,
} from './sessions.ts'
import * as links from './sign-in-queries.ts'
import { countAttempt, resetAttempts } from './sign-in-throttle.ts'
import { requireUser } from './users.ts'
import { deleteViewsOf } from './viewer-queries.ts'

const LINK_LIFETIME_MS = 15 * 60_000

export interface NewUser {
  readonly email: string
  readonly firstName: string
  readonly lastName: string
  readonly level: Level
  readonly clinicRole: ClinicRole
  readonly password: string
}

export interface NewOwner extends Omit<NewUser, 'level'> {
  /** The token of a setup link. */
  readonly token: string
  /** Stored as `clinic.name` unless empty. */
  readonly clinicName: string
}

export type People = ReturnType<typeof openAccounts>

/**
 * Operations on the window's accounts that involve passwords. Arguments have been validated by
 * shared/contract/people.ts.
 */
export function openAccounts(context: Context, passwordCost?: ScryptCost) {
  const passwords = new Passwords(passwordCost)
  return {
    /**
     * Checks and hashes a new password. `path` is the path of its field.
     * @throws ApiError too-many; refused: the password is too easy to guess
     */
    hashPassword: (password: string, owner: PasswordOwner, path?: string) =>
      hashPassword(context, passwords, password, owner, path),

    /**
     * Returns the active user if the password is correct, for a user who is signed in. Wrong
     * passwords are counted separately from sign-ins, so that others cannot block the user's
     * confirmations.
     * @throws ApiError too-many, with Retry-After in seconds
     */
    verifyPassword: (email: string, password: string) =>
      verifySignIn(context, passwords, email, password, sessionAccountOf(email)),

    /**
     * Signs a user in. `code` is the authentication code; it is required once the password is
     * correct and the account has two-factor authentication.
     * @throws ApiError not-signed-in (with the path `body.code` if the code is missing or wrong);
     *   not-permitted: no access to the window; too-many
     */
    async signIn(
      email: string,
      password: string,
      {
        code,
        sessionOrigin: place,
      }: { readonly code?: string | undefined; readonly sessionOrigin?: SessionOrigin } = {},
    ): Promise<SignIn> {
      const user = await verifySignIn(context, passwords, email, password, email, place?.address)
      if (!user) throw new ApiError('not-signed-in', message('users.sign-in-wrong'))
      if (!user.hasDashboardAccess) throw noAccessError()
      const isCodeRequired = hasSecondFactor(context, user.userId)
      if (isCodeRequired) requireCode(context, user.userId, code)
      return beginSession(context, user, isCodeRequired ? 'password and code' : 'password', place)
    },

    /**
     * Creates the first account and signs it in.
     * @throws ApiError refused: the link is invalid, or a user exists already
     */
    createOwner: (owner: NewOwner, place?: SessionOrigin) =>
      createOwner(context, passwords, owner, place),

    /**
     * Creates an account.
     * @throws ApiError refused: the e-mail address is taken, or the password is too easy to guess
     */
    async createUser({ password, ...user }: NewUser, actor: Actor): Promise<SignedInUser> {
      const passwordHash = await hashPassword(context, passwords, password, user)
      return context.database.transaction(() => {
        const made = insertNewUser(context, user, passwordHash)
        note(context, actor, 'user.create', made.userId, { level: made.level })
        return signedInUser(made)
      })
    },

    /**
     * Sets a user's password and ends their sessions.
     * @throws ApiError not-found
     */
    setPassword: (userId: string, password: string, actor: Actor) =>
      setPassword(context, passwords, userId, password, actor),
  }
}

/**
 * Verifies a password.
 * @param account the name under which wrong passwords are counted
 */
async function verifySignIn(
  context: Context,
  passwords: Passwords,
  email: string,
  password: string,
  account: string,
  address?: string,
): Promise<queries.UserRecord | undefined> {
  const { database } = context
  // Many users may connect through a proxy on this PC.
  const host = address === undefined || isThisPc(hostOf(address)) ? undefined : hostOf(address)
  // Checked before the attempt is recorded, so that a flood of attempts does not keep the disk
  // busy.
  passwords.checkCapacity(host)
  countAttempt(context, account)
  const user = queries.userByEmail(database, email)
  const isCorrect = await passwords.verify(password, user?.passwordHash ?? undefined, host)
  // Read again, because the account may have changed in the meantime.
  const now = user && queries.findUser(database, user.userId)
  if (isCorrect && now?.passwordHash === user?.passwordHash && now?.deactivatedAt === null) {
    resetAttempts(context, account)
    return now
  }
  if (user) note(context, userActor(user.userId), 'user.sign-in-failed', user.userId)
  return undefined
}

async function hashPassword(
  { settings }: Context,
  passwords: Passwords,
  password: string,
  owner: PasswordOwner,
  path?: string,
): Promise<string> {
  await checkPassword(password, { clinicName: settings.get('clinic.name'), ...owner }, path)
  return await passwords.hash(password)
}

async function createOwner(
  context: Context,
  passwords: Passwords,
  { token, clinicName, password, ...owner }: NewOwner,
  place?: SessionOrigin,
): Promise<SignIn> {
  const { database, clock, settings } = context
  const tokenHash = hashToken(token)
  const checkLink = () => {
    const link = links.findSignInLink(database, tokenHash, instantOf(clock()))
    if (hasUser(context) || link?.kind !== 'setup') throw usedLinkError()
  }
  checkLink()
  const passwordHash = await hashPassword(context, passwords, password, { ...owner, clinicName })
  return database.transaction(() => {
    checkLink()
    links.redeemSignInLink(database, tokenHash, instantOf(clock()))
    const user = insertNewUser(context, { ...owner, level: 'owner' }, passwordHash)
    const actor = userActor(user.userId)
    note(context, actor, 'user.create', user.userId, { level: 'owner' })
    if (clinicName !== '') {
      const change = { before: settings.get('clinic.name'), after: clinicName }
      settings.set('clinic.name', clinicName)
      note(context, actor, 'setting.change', 'clinic.name', change)
    }
    return beginSession(context, user, 'setup', place)
  })
}

async function setPassword(
  context: Context,
  passwords: Passwords,
  userId: string,
  password: string,
  actor: Actor,
): Promise<void> {
  const owner = requireUser(context, userId)
  const passwordHash = await hashPassword(context, passwords, password, owner)
  context.database.transaction(() => {
    const user = requireUser(context, userId)
    storePassword(context, user, passwordHash)
    endSessionsOf(context, userId)
    deleteViewsOf(context.database, userId, 'window')
    resetAttempts(context, user.email)
    resetAttempts(context, sessionAccountOf(user.email))
    note(context, actor, 'user.set-password', userId)
  })
}

/** Stores a password and deletes the user's sign-in links, within the open transaction. */
export function storePassword(
  { database, clock }: Context,
  user: queries.UserRecord,
  passwordHash: string,
): void {
  const at = instantOf(clock())
  queries.updateUser(database, { ...user, passwordHash, updatedAt: at })
  queries.notePasswordChange(database, user.userId, at)
  links.deleteSignInLinksOf(database, user.userId)
}

/** Whether any user can sign in. Users with a pending invitation do not count. */
export const hasUser = ({ database }: Context): boolean => queries.countUsers(database) > 0

/** Whether the user is a member who sees only the studies of certain customers. */
export const isLimited = (
  { database }: Context,
  { userId, level }: Pick<SignedInUser, 'userId' | 'level'>,
): boolean => level === 'member' && queries.customerIdsOfUser(database, userId).length > 0

/**
 * Creates a link for the first owner that is valid for 15 minutes. The token is not stored.
 * @throws ApiError refused: a user exists already
 */
export function createSetupLink(context: Context, actor: Actor) {
  if (hasUser(context)) throw new ApiError('refused', message('users.account-exists'))
  return createLink(context, 'setup', null, actor)
}

/**
 * Creates a link that signs the user in and is valid for 15 minutes.
 * @throws ApiError not-found, not-permitted; refused: the invitation has not been accepted
 */
export function createSignInLink(context: Context, userId: string, actor: Actor) {
  const user = requireUser(context, userId)
  if (user.deactivatedAt !== null || !user.hasDashboardAccess) throw noAccessError()
  if (user.passwordHash === null)
    throw new ApiError('refused', message('users.invitation-not-accepted'))
  return createLink(context, 'sign-in', userId, actor)
}

/**
 * Follows a link. A sign-in link is redeemed; a setup link is redeemed only by `createOwner`. The
 * authentication code is not required: the link was created at this PC, and it is the recovery path
 * for an owner who lost both factors.
 * @throws ApiError refused: the link was used, has expired or is unknown
 */
export function followLink(
  context: Context,
  token: string,
  place?: SessionOrigin,
): { readonly mayCreateOwner: true } | { readonly mayCreateOwner: false; readonly signIn: SignIn } {
  const { database, clock } = context
  return database.transaction(() => {
    const now = instantOf(clock())
    const link = links.findSignInLink(database, hashToken(token), now)
    if (link?.kind === 'setup' && !hasUser(context)) return { mayCreateOwner: true }
    if (link?.kind !== 'sign-in' || link.userId === null) throw usedLinkError()
    links.redeemSignInLink(database, link.tokenHash, now)
    const user = requireUser(context, link.userId)
    if (user.deactivatedAt !== null || !user.hasDashboardAccess) throw noAccessError()
    return { mayCreateOwner: false, signIn: beginSession(context, user, 'link', place) }
  })
}

function createLink(
  context: Context,
  kind: 'setup' | 'sign-in',
  userId: string | null,
  actor: Actor,
) {
  const { database, clock } = context
  const now = clock()
  const token = createToken()
  const expiresAt = instantOf(now + LINK_LIFETIME_MS)
  database.transaction(() => {
    links.insertSignInLink(database, {
      ...{ tokenHash: hashToken(token), kind, userId },
      ...{ createdAt: instantOf(now), expiresAt, usedAt: null },
    })
    note(context, actor, 'link.mint', userId ?? 'setup', { kind })
  })
  return { token, expiresAt }
}

function insertNewUser(
  { database, clock, uuid }: Context,
  { level, clinicRole, ...person }: Omit<NewUser, 'password'>,
  passwordHash: string,
): queries.UserRecord {
  if (queries.userByEmail(database, person.email))
    throw new ApiError('refused', message('users.email-taken'), {
      errors: [{ path: 'body.email', message: message('users.email-taken-field') }],
    })
  const now = instantOf(clock())
  const user: queries.UserRecord = {
    ...person,
    userId: idFromUuid('usr', uuid()),
    ...{ level, interfaceLevel: level, clinicRole, hasDashboardAccess: true },
    canManageStudies: level !== 'member',
    canCreateReports: clinicRole === 'Radiologist',
    ...{ middleName: null, suffix1: null, suffix2: null, phoneNumber: null, npiNumber: null },
    ...{ invitedSource: 'dashboard', passwordHash },
    ...{ createdAt: now, updatedAt: now, lastLoginAt: null, deactivatedAt: null },
  }
  queries.insertUser(database, user)
  queries.notePasswordChange(database, user.userId, now)
  return user
}

/**
 * The name under which wrong passwords of a signed-in user are counted. It is not an e-mail
 * address, so no sign-in can use it.
 */
const sessionAccountOf = (email: string): string => `session of ${email}`

const usedLinkError = () => new ApiError('refused', message('users.link-used'))
const noAccessError = () => new ApiError('not-permitted', message('users.no-window-access'))
