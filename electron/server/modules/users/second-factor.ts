import { createHmac, randomInt } from 'node:crypto'
import { Secret, TOTP } from 'otpauth'
import type { Context } from '#server/context.ts'
import { type Actor, type DomainDeps, note, userActor } from '#server/modules/audit/audit.ts'
import { instantOf, msOf } from '#server/platform/clock.ts'
import type { SecondFactor } from '#shared/contract/dashboard-security.ts'
import type { SignedInUser } from '#shared/contract/people.ts'
import { ApiError } from '#shared/errors.ts'
import { may } from '#shared/lifecycle.ts'
import { openSignInThrottle } from './sign-in-throttle.ts'

// RFC 6238 as every authenticator has it: SHA-1, six digits, 30 seconds; a clock may be one step
// off (§5.2).
const RULES = { algorithm: 'SHA1', digits: 6, period: 30 } as const
const WINDOW = 1
/** RFC 4226 §4: at least 128 bits, 160 are recommended. */
const SECRET_BYTES = 20
/** An authenticator that is being set up is proven by then, or is begun again. */
const PENDING_MS = 15 * 60_000
const CODES = 10
/** Without what is easily taken for something else. */
const LETTERS = '23456789abcdefghjkmnpqrstuvwxyz'

/**
 * Authenticators of accounts: time-based codes (RFC 6238), and codes for when the authenticator is
 * lost.
 */
export interface SecondFactors {
  of(userId: string): SecondFactor
  isOn(userId: string): boolean
  /** One that is in use stays so until the new one is confirmed. */
  begin(user: { readonly userId: string; readonly email: string }): {
    readonly uri: string
    readonly secret: string
  }
  /**
   * Gives the codes for when it is lost, which are kept as hashes. @throws ApiError refused:
   * nothing was begun, or the code is wrong; too-many
   */
  confirm(userId: string, code: string): string[]
  /** Again changes nothing. */
  end(userId: string, actor: Actor): void
  /** Whether it is a right code, which is taken, once. @throws ApiError too-many */
  check(userId: string, code: string): boolean
  /** Takes a code, once. @throws ApiError not-signed-in, naming `body.code`; too-many */
  demand(userId: string, code: string | undefined): void
}

export function openSecondFactors(deps: DomainDeps): SecondFactors {
  const { store, clock } = deps
  const { database, secondFactors } = store
  const throttle = openSignInThrottle(deps)
  const key = store.seal.keyFor('codes of second factors')
  const hashOf = (userId: string, code: string) =>
    createHmac('sha256', key)
      .update(`${userId} ${code.toLowerCase().replace(/[^a-z0-9]/g, '')}`)
      .digest('hex')

  /** The step of time of a right code. */
  function stepOf(secret: string, code: string): number | undefined {
    const now = clock()
    const totp = new TOTP({ ...RULES, secret: Secret.fromBase32(secret) })
    const delta = totp.validate({ token: code.replace(/\s/g, ''), timestamp: now, window: WINDOW })
    return delta === null ? undefined : Math.floor(now / 1000 / RULES.period) + delta
  }

  /**
   * Wrong codes count by themselves: who knows the password would else clear them by signing in.
   */
  function guarded<T>(userId: string, work: () => T | undefined): T | undefined {
    const account = `second factor ${userId}`
    throttle.enter(account, 'codes')
    const result = database.transaction(work)
    if (result !== undefined) throttle.succeed(account)
    return result
  }

  function take(userId: string, code: string): true | undefined {
    const record = secondFactors.get(userId)
    if (!record?.secret) return undefined
    const step = stepOf(record.secret, code)
    if (step !== undefined && step > (record.lastStep ?? -1)) {
      secondFactors.put({ ...record, lastStep: step })
      return true
    }
    if (!secondFactors.takeCode(userId, hashOf(userId, code), instantOf(clock()))) return undefined
    note(deps.store, userActor(userId), 'second-factor.recover', userId, {
      codesLeft: secondFactors.codesLeft(userId),
    })
    return true
  }

  function check(userId: string, code: string): boolean {
    if (guarded(userId, () => take(userId, code))) return true
    note(deps.store, userActor(userId), 'user.sign-in-failed', userId, { why: 'code' })
    return false
  }

  return {
    check,
    of(userId) {
      const since = secondFactors.get(userId)?.since ?? null
      return {
        isOn: since !== null,
        since,
        codesLeft: since === null ? 0 : secondFactors.codesLeft(userId),
      }
    },
    isOn: (userId) => Boolean(secondFactors.get(userId)?.secret),

    begin({ userId, email }) {
      const secret = new Secret({ size: SECRET_BYTES })
      const issuer = store.settings.get('clinic.name') || 'Isthmus'
      const before = secondFactors.get(userId) ?? {
        userId,
        secret: null,
        since: null,
        lastStep: null,
      }
      database.transaction(() => {
        secondFactors.put({ ...before, pending: secret.base32, pendingAt: instantOf(clock()) })
        note(deps.store, userActor(userId), 'second-factor.begin', userId)
      })
      return {
        uri: new TOTP({ ...RULES, issuer, label: email, secret }).toString(),
        secret: secret.base32,
      }
    },

    confirm(userId, code) {
      const begun = secondFactors.get(userId)
      if (!begun?.pending || clock() - msOf(begun.pendingAt ?? '') >= PENDING_MS)
        throw new ApiError(
          'refused',
          'No authenticator is being set up. Begin again, and enter its code within 15 minutes.',
        )
      const codes = guarded(userId, () => {
        const record = secondFactors.get(userId)
        const step = record?.pending ? stepOf(record.pending, code) : undefined
        if (!record || step === undefined) return undefined
        const made = Array.from({ length: CODES }, mintCode)
        secondFactors.put({
          userId,
          secret: record.pending,
          since: instantOf(clock()),
          lastStep: step,
          pending: null,
          pendingAt: null,
        })
        secondFactors.setCodes(
          userId,
          made.map((one) => hashOf(userId, one)),
        )
        note(deps.store, userActor(userId), 'second-factor.on', userId)
        return made
      })
      if (codes) return codes
      throw new ApiError(
        'refused',
        'This code is not right. Enter the six digits that your authenticator shows now.',
        {
          errors: [
            {
              path: 'body.code',
              message: 'must be the six digits that the authenticator shows now',
            },
          ],
        },
      )
    },

    end: (userId, actor) =>
      database.transaction(() => {
        const wasOn = secondFactors.get(userId)?.secret
        if (secondFactors.remove(userId) && wasOn)
          note(deps.store, actor, 'second-factor.off', userId)
      }),

    demand(userId, code) {
      if (code === undefined || code.trim() === '')
        throw codeNeeded('Enter the six digits of your authenticator.')
      if (check(userId, code)) return
      throw codeNeeded('This code is not right or was used.')
    },
  }
}

/**
 * Whether the person manages the gateway and signs in by password alone; the tray asks for nobody.
 */
export const needsSecondFactor = (
  store: Pick<Context, 'users' | 'secondFactors'>,
  user: SignedInUser,
): boolean =>
  may(user, 'manageGateway') &&
  store.users.get(user.userId) !== undefined &&
  !store.secondFactors.get(user.userId)?.secret

const mintCode = () => {
  const four = () => Array.from({ length: 4 }, () => LETTERS[randomInt(LETTERS.length)]).join('')
  return `${four()}-${four()}`
}

const codeNeeded = (message: string) =>
  new ApiError('not-signed-in', message, { errors: [{ path: 'body.code', message }] })
