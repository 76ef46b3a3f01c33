import { type Actor, type DomainDeps, note, userActor } from '#server/modules/audit/audit.ts'
import { customerIdsOfUser } from '#server/modules/customers/queries.ts'
import { instantOf } from '#server/platform/clock.ts'
import { hostOf, isThisPc } from '#server/platform/connection-budget.ts'
import { hashOfToken, mintToken } from '#server/platform/token.ts'
import type { Instant } from '#shared/contract/conventions.ts'
import type { ClinicRole, Level, SignedInUser } from '#shared/contract/people.ts'
import { ApiError } from '#shared/errors.ts'
import { idFromUuid } from '#shared/ids.ts'
import { openPasswords, type ScryptCost } from './password.ts'
import { checkPassword, type PasswordOwner } from './password-rules.ts'
import { needsSecondFactor, openSecondFactors } from './second-factor.ts'
import {
  openSessions,
  type SessionPlace,
  type Sessions,
  type SessionUse,
  type SignIn,
  signedInUser,
} from './sessions.ts'
import { openSignInThrottle } from './sign-in-throttle.ts'
import type { UserRecord } from './user-queries.ts'
import { deleteViewsOf } from './viewer-queries.ts'

export type { SignIn } from './sessions.ts'

const LINK_MS = 15 * 60_000

/** A one-time link; `token` is not kept. */
export interface SignInLink {
  readonly token: string
  readonly expiresAt: Instant
}

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

/**
 * Accounts of the window, their sessions and one-time links. Values have been parsed by
 * shared/contract/people.ts.
 */
export interface People {
  /** Whether somebody can sign in: people who were invited and have not accepted do not count. */
  hasUser(): boolean
  list(): UserRecord[]
  /**
   * Whether the person is a member who is linked to customers, and so sees their studies alone (row
   * 52).
   */
  isLimited(user: Pick<SignedInUser, 'userId' | 'level'>): boolean
  /** Whether the person manages the gateway and has no second factor. */
  needsSecondFactor(user: SignedInUser): boolean
  /**
   * Makes the first account and signs it in. @throws ApiError refused: the link does not hold, or
   * there is a user already
   */
  createOwner(owner: NewOwner, place?: SessionPlace): Promise<SignIn>
  /**
   * @throws ApiError refused: the e-mail is another user's, or the password is too easily guessed
   */
  createUser(user: NewUser, actor: Actor): Promise<SignedInUser>
  /** Ends the user's sessions too. @throws ApiError not-found */
  setPassword(userId: string, password: string, actor: Actor): Promise<void>
  /**
   * The live user, when that is the password: for somebody who is signed in. Wrong ones are counted
   * apart from those of signing in, so that nobody outside can keep the person from confirming.
   * @throws ApiError too-many, with Retry-After in seconds
   */
  verifyPassword(email: string, password: string): Promise<UserRecord | undefined>
  /**
   * `code` is of the second factor, asked for where the account has one and the password is right.
   * @throws ApiError not-signed-in (naming `body.code` where that is what lacks), not-permitted
   *   (no access to the window), too-many
   */
  signIn(
    email: string,
    password: string,
    more?: { readonly code?: string | undefined; readonly place?: SessionPlace },
  ): Promise<SignIn>
  /** The user of a session that runs and is not locked. */
  sessionOf(token: string, use?: SessionUse): SignedInUser | undefined
  readonly sessions: Omit<Sessions, 'begin'>
  signOut(token: string): void
  /**
   * What is kept of a new password; `path` is of the field it was typed in. @throws ApiError
   * too-many, refused: too easily guessed
   */
  hashPassword(password: string, owner: PasswordOwner, path?: string): Promise<string>
  /** Signs in a user whose right to it has just been proven; `how` is for the audit trail. */
  beginSession(user: UserRecord, how: string, place?: SessionPlace): SignIn
  /**
   * A link for the first owner, good for 15 minutes. @throws ApiError refused: there is a user
   * already
   */
  mintSetupLink(actor: Actor): SignInLink
  /**
   * A link that signs the user in, good for 15 minutes. @throws ApiError not-found, not-permitted,
   * refused (only invited so far)
   */
  mintSignInLink(userId: string, actor: Actor): SignInLink
  /**
   * A sign-in link is used up; a set-up link only by `createOwner`. The second factor is not asked
   * for: whoever made the link sits at this PC, and it is the way back for an owner who lost both.
   * @throws ApiError refused: used, expired or unknown
   */
  followLink(
    token: string,
    place?: SessionPlace,
  ): { readonly mayCreateOwner: true } | { readonly mayCreateOwner: false; readonly signIn: SignIn }
}

export function openPeople(deps: DomainDeps & { readonly passwordCost?: ScryptCost }): People {
  const { store, clock, uuid } = deps
  const { database, users, sessions, signInLinks } = store
  const passwords = openPasswords(deps.passwordCost)
  const throttle = openSignInThrottle(deps)
  const running = openSessions(deps)
  const secondFactors = openSecondFactors(deps)

  function insertUser(
    { email, firstName, lastName, level, clinicRole }: Omit<NewUser, 'password'>,
    passwordHash: string,
  ): UserRecord {
    if (users.byEmail(email))
      throw new ApiError('refused', 'Another user has this e-mail address.', {
        errors: [{ path: 'body.email', message: 'must not be the address of another user' }],
      })
    const now = instantOf(clock())
    const user: UserRecord = {
      userId: idFromUuid('usr', uuid()),
      email,
      firstName,
      lastName,
      level,
      interfaceLevel: level,
      clinicRole,
      canManageStudies: level !== 'member',
      canCreateReports: clinicRole === 'Radiologist',
      hasDashboardAccess: true,
      middleName: null,
      suffix1: null,
      suffix2: null,
      phoneNumber: null,
      npiNumber: null,
      invitedSource: 'dashboard',
      passwordHash,
      createdAt: now,
      updatedAt: now,
      lastLoginAt: null,
      deactivatedAt: null,
    }
    users.insert(user)
    users.notePassword(user.userId, now)
    return user
  }

  function existing(userId: string): UserRecord {
    const user = users.get(userId)
    if (!user) throw new ApiError('not-found', 'There is no such user.')
    return user
  }

  /** @param account that wrong passwords are counted for */
  async function verify(
    email: string,
    password: string,
    account: string,
    address?: string,
  ): Promise<UserRecord | undefined> {
    // Behind a proxy of this PC there may be many people.
    const host = address === undefined || isThisPc(hostOf(address)) ? undefined : hostOf(address)
    // Before the attempt is written down: a flood of them must not keep the disk busy.
    passwords.requireRoom(host)
    throttle.enter(account)
    const user = users.byEmail(email)
    const isRight = await passwords.verify(password, user?.passwordHash ?? undefined, host)
    // Read again: the account may have been changed during the work.
    const now = user && users.get(user.userId)
    if (isRight && now?.passwordHash === user?.passwordHash && now?.deactivatedAt === null) {
      throttle.succeed(account)
      return now
    }
    if (user) note(deps.store, userActor(user.userId), 'user.sign-in-failed', user.userId)
    return undefined
  }

  async function hashPassword(
    password: string,
    owner: PasswordOwner,
    path?: string,
  ): Promise<string> {
    await checkPassword(password, { clinicName: store.settings.get('clinic.name'), ...owner }, path)
    return await passwords.hash(password)
  }

  function mintLink(
    link: { kind: 'setup' | 'sign-in'; userId: string | null },
    actor: Actor,
  ): SignInLink {
    const now = clock()
    const token = mintToken()
    const expiresAt = instantOf(now + LINK_MS)
    database.transaction(() => {
      signInLinks.insert({
        tokenHash: hashOfToken(token),
        ...link,
        createdAt: instantOf(now),
        expiresAt,
        usedAt: null,
      })
      note(deps.store, actor, 'link.mint', link.userId ?? 'setup', { kind: link.kind })
    })
    return { token, expiresAt }
  }

  return {
    hasUser: () => users.count() > 0,
    list: () => users.list(),
    isLimited: ({ userId, level }) =>
      level === 'member' && customerIdsOfUser(database, userId).length > 0,
    needsSecondFactor: (user) => needsSecondFactor(store, user),

    async createOwner({ token, clinicName, password, ...owner }, place) {
      const isOpen = () =>
        users.count() === 0 &&
        signInLinks.find(hashOfToken(token), instantOf(clock()))?.kind === 'setup'
      if (!isOpen()) throw badLink()
      const passwordHash = await hashPassword(password, { ...owner, clinicName })
      return database.transaction(() => {
        if (!isOpen()) throw badLink()
        signInLinks.redeem(hashOfToken(token), instantOf(clock()))
        const user = insertUser({ ...owner, level: 'owner' }, passwordHash)
        note(deps.store, userActor(user.userId), 'user.create', user.userId, { level: 'owner' })
        if (clinicName !== '') {
          const change = { before: store.settings.get('clinic.name'), after: clinicName }
          store.settings.set('clinic.name', clinicName)
          note(deps.store, userActor(user.userId), 'setting.change', 'clinic.name', change)
        }
        return running.begin(user, 'setup', place)
      })
    },

    async createUser({ password, ...user }, actor) {
      const passwordHash = await hashPassword(password, user)
      return database.transaction(() => {
        const made = insertUser(user, passwordHash)
        note(deps.store, actor, 'user.create', made.userId, { level: made.level })
        return signedInUser(made)
      })
    },

    async setPassword(userId, password, actor) {
      const passwordHash = await hashPassword(password, existing(userId))
      database.transaction(() => {
        const user = existing(userId)
        const at = instantOf(clock())
        users.update({ ...user, passwordHash, updatedAt: at })
        users.notePassword(userId, at)
        sessions.removeOf(userId)
        deleteViewsOf(store.database, userId, 'window')
        signInLinks.removeOf(userId)
        throttle.succeed(user.email)
        throttle.succeed(withinSession(user.email))
        note(deps.store, actor, 'user.set-password', userId)
      })
    },

    verifyPassword: (email, password) => verify(email, password, withinSession(email)),

    async signIn(email, password, { code, place } = {}) {
      const user = await verify(email, password, email, place?.address)
      if (!user) throw new ApiError('not-signed-in', 'The e-mail address or the password is wrong.')
      if (!user.hasDashboardAccess) throw noAccess()
      const isAsked = secondFactors.isOn(user.userId)
      if (isAsked) secondFactors.demand(user.userId, code)
      return running.begin(user, isAsked ? 'password and code' : 'password', place)
    },

    sessionOf(token, use) {
      const session = running.find(token, use)
      return session?.isLocked ? undefined : session?.user
    },
    sessions: running,
    signOut: (token) => running.end(token),
    hashPassword,
    beginSession: (user, how, place) => running.begin(user, how, place),

    mintSetupLink(actor) {
      if (users.count() > 0)
        throw new ApiError(
          'refused',
          'There is an account already: sign in, or make a sign-in link for it.',
        )
      return mintLink({ kind: 'setup', userId: null }, actor)
    },
    mintSignInLink(userId, actor) {
      const user = existing(userId)
      if (user.deactivatedAt !== null || !user.hasDashboardAccess) throw noAccess()
      if (user.passwordHash === null)
        throw new ApiError('refused', 'The user has not accepted the invitation yet.')
      return mintLink({ kind: 'sign-in', userId }, actor)
    },
    followLink: (token, place) =>
      database.transaction(() => {
        const now = instantOf(clock())
        const link = signInLinks.find(hashOfToken(token), now)
        if (link?.kind === 'setup' && users.count() === 0) return { mayCreateOwner: true }
        if (link?.kind !== 'sign-in' || link.userId === null) throw badLink()
        signInLinks.redeem(link.tokenHash, now)
        const user = existing(link.userId)
        if (user.deactivatedAt !== null || !user.hasDashboardAccess) throw noAccess()
        return { mayCreateOwner: false, signIn: running.begin(user, 'link', place) }
      }),
  }
}

/**
 * What wrong passwords of a signed-in person are counted for: no e-mail address, so nobody can sign
 * in as it.
 */
const withinSession = (email: string): string => `session of ${email}`

const badLink = () =>
  new ApiError('refused', 'This link has been used or has expired. Ask for a new one.')
const noAccess = () => new ApiError('not-permitted', 'This account has no access to the window.')
