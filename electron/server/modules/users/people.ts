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
import { demandCode, hasSecondFactor } from './second-factor.ts'
import {
  beginSession,
  endSessionsOf,
  type SessionPlace,
  type SignIn,
  signedInUser,
} from './sessions.ts'
import * as links from './sign-in-queries.ts'
import { countAttempt, forgetAttempts } from './sign-in-throttle.ts'
import { existingUser } from './users.ts'
import { deleteViewsOf } from './viewer-queries.ts'

const LINK_MS = 15 * 60_000

export interface NewUser {
  readonly email: string
  readonly firstName: string
  readonly lastName: string
  readonly level: Level
  readonly clinicRole: ClinicRole
  readonly password: string
}

export interface NewOwner extends Omit<NewUser, 'level'> {
  /** Of a set-up link. */
  readonly token: string
  /** Kept as `clinic.name` unless empty. */
  readonly clinicName: string
}

export type People = ReturnType<typeof openPeople>

/**
 * What is done with passwords of the window's accounts; a worker hashes them. Values have been
 * parsed by shared/contract/people.ts.
 */
export function openPeople(context: Context, passwordCost?: ScryptCost) {
  const passwords = new Passwords(passwordCost)
  return {
    /**
     * What is kept of a new password; `path` is of the field it was typed in. @throws ApiError
     * too-many, refused: too easily guessed
     */
    hashPassword: (password: string, owner: PasswordOwner, path?: string) =>
      hashPassword(context, passwords, password, owner, path),

    /**
     * The live user, when that is the password: for somebody who is signed in. Wrong ones are
     * counted apart from those of signing in, so that nobody outside can keep the person from
     * confirming.
     * @throws ApiError too-many, with Retry-After in seconds
     */
    verifyPassword: (email: string, password: string) =>
      verify(context, passwords, email, password, withinSession(email)),

    /**
     * `code` is of the second factor, asked for where the account has one and the password is
     * right.
     * @throws ApiError not-signed-in (naming `body.code` where that is what lacks), not-permitted
     *   (no access to the window), too-many
     */
    async signIn(
      email: string,
      password: string,
      { code, place }: { readonly code?: string | undefined; readonly place?: SessionPlace } = {},
    ): Promise<SignIn> {
      const user = await verify(context, passwords, email, password, email, place?.address)
      if (!user) throw new ApiError('not-signed-in', message('users.sign-in-wrong'))
      if (!user.hasDashboardAccess) throw noAccess()
      const isAsked = hasSecondFactor(context, user.userId)
      if (isAsked) demandCode(context, user.userId, code)
      return beginSession(context, user, isAsked ? 'password and code' : 'password', place)
    },

    /**
     * Makes the first account and signs it in. @throws ApiError refused: the link does not hold,
     * or there is a user already
     */
    createOwner: (owner: NewOwner, place?: SessionPlace) =>
      createOwner(context, passwords, owner, place),

    /**
     * @throws ApiError refused: the e-mail is another user's, or the password is too easily guessed
     */
    async createUser({ password, ...user }: NewUser, actor: Actor): Promise<SignedInUser> {
      const passwordHash = await hashPassword(context, passwords, password, user)
      return context.database.transaction(() => {
        const made = insertNewUser(context, user, passwordHash)
        note(context, actor, 'user.create', made.userId, { level: made.level })
        return signedInUser(made)
      })
    },

    /** Ends the user's sessions too. @throws ApiError not-found */
    setPassword: (userId: string, password: string, actor: Actor) =>
      setPassword(context, passwords, userId, password, actor),
  }
}

/** @param account that wrong passwords are counted for */
async function verify(
  context: Context,
  passwords: Passwords,
  email: string,
  password: string,
  account: string,
  address?: string,
): Promise<queries.UserRecord | undefined> {
  const { database } = context
  // Behind a proxy of this PC there may be many people.
  const host = address === undefined || isThisPc(hostOf(address)) ? undefined : hostOf(address)
  // Before the attempt is written down: a flood of them must not keep the disk busy.
  passwords.requireRoom(host)
  countAttempt(context, account)
  const user = queries.userByEmail(database, email)
  const isRight = await passwords.verify(password, user?.passwordHash ?? undefined, host)
  // Read again: the account may have been changed during the work.
  const now = user && queries.findUser(database, user.userId)
  if (isRight && now?.passwordHash === user?.passwordHash && now?.deactivatedAt === null) {
    forgetAttempts(context, account)
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
  place?: SessionPlace,
): Promise<SignIn> {
  const { database, clock, settings } = context
  const tokenHash = hashToken(token)
  const demandLink = () => {
    const link = links.findSignInLink(database, tokenHash, instantOf(clock()))
    if (hasUser(context) || link?.kind !== 'setup') throw badLink()
  }
  demandLink()
  const passwordHash = await hashPassword(context, passwords, password, { ...owner, clinicName })
  return database.transaction(() => {
    demandLink()
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
  const owner = existingUser(context, userId)
  const passwordHash = await hashPassword(context, passwords, password, owner)
  context.database.transaction(() => {
    const user = existingUser(context, userId)
    storePassword(context, user, passwordHash)
    endSessionsOf(context, userId)
    deleteViewsOf(context.database, userId, 'window')
    forgetAttempts(context, user.email)
    forgetAttempts(context, withinSession(user.email))
    note(context, actor, 'user.set-password', userId)
  })
}

/** Keeps the password and ends the user's sign-in links; within the caller's transaction. */
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

/** Whether somebody can sign in: people who were invited and have not accepted do not count. */
export const hasUser = ({ database }: Context): boolean => queries.countUsers(database) > 0

/**
 * Whether the person is a member who is linked to customers, and so sees their studies alone.
 */
export const isLimited = (
  { database }: Context,
  { userId, level }: Pick<SignedInUser, 'userId' | 'level'>,
): boolean => level === 'member' && queries.customerIdsOfUser(database, userId).length > 0

/**
 * A link for the first owner, good for 15 minutes; the token is not kept. @throws ApiError refused:
 * there is a user already
 */
export function mintSetupLink(context: Context, actor: Actor) {
  if (hasUser(context)) throw new ApiError('refused', message('users.account-exists'))
  return mintLink(context, 'setup', null, actor)
}

/**
 * A link that signs the user in, good for 15 minutes. @throws ApiError not-found, not-permitted,
 * refused (only invited so far)
 */
export function mintSignInLink(context: Context, userId: string, actor: Actor) {
  const user = existingUser(context, userId)
  if (user.deactivatedAt !== null || !user.hasDashboardAccess) throw noAccess()
  if (user.passwordHash === null)
    throw new ApiError('refused', message('users.invitation-not-accepted'))
  return mintLink(context, 'sign-in', userId, actor)
}

/**
 * A sign-in link is used up; a set-up link only by `createOwner`. The second factor is not asked
 * for: whoever made the link sits at this PC, and it is the way back for an owner who lost both.
 * @throws ApiError refused: used, expired or unknown
 */
export function followLink(
  context: Context,
  token: string,
  place?: SessionPlace,
): { readonly mayCreateOwner: true } | { readonly mayCreateOwner: false; readonly signIn: SignIn } {
  const { database, clock } = context
  return database.transaction(() => {
    const now = instantOf(clock())
    const link = links.findSignInLink(database, hashToken(token), now)
    if (link?.kind === 'setup' && !hasUser(context)) return { mayCreateOwner: true }
    if (link?.kind !== 'sign-in' || link.userId === null) throw badLink()
    links.redeemSignInLink(database, link.tokenHash, now)
    const user = existingUser(context, link.userId)
    if (user.deactivatedAt !== null || !user.hasDashboardAccess) throw noAccess()
    return { mayCreateOwner: false, signIn: beginSession(context, user, 'link', place) }
  })
}

function mintLink(
  context: Context,
  kind: 'setup' | 'sign-in',
  userId: string | null,
  actor: Actor,
) {
  const { database, clock } = context
  const now = clock()
  const token = createToken()
  const expiresAt = instantOf(now + LINK_MS)
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
 * What wrong passwords of a signed-in person are counted for: no e-mail address, so nobody can sign
 * in as it.
 */
const withinSession = (email: string): string => `session of ${email}`

const badLink = () => new ApiError('refused', message('users.link-used'))
const noAccess = () => new ApiError('not-permitted', message('users.no-window-access'))
