import { createHash } from 'node:crypto'
import type { Context } from '#server/context.ts'
import { instantOf, msOf } from '#server/platform/clock.ts'
import { ApiError } from '#shared/errors.ts'
import { message } from '#shared/messages/message.ts'
import { emailKeyOf } from './queries.ts'
import * as queries from './sign-in-queries.ts'

// Slows down guessing, per account and not per address: from the fifth failure on an account waits
// 2 s, then twice as long after each, up to 15 minutes. An address nobody has is treated alike.

/** So many wrong passwords cost nothing: people mistype. */
const FREE_FAILURES = 4
const LONGEST_MS = 15 * 60_000
/** Failures older than this no longer count. */
export const FORGOTTEN_MS = 24 * 60 * 60_000

/**
 * Counts an attempt as failed before its work is done, so that parallel guesses count too.
 * @throws ApiError too-many, with Retry-After
 */
export function countAttempt(
  { database, clock }: Context,
  email: string,
  what: 'passwords' | 'codes' = 'passwords',
): void {
  database.transaction(() => {
    const now = clock()
    const accountHash = accountHashOf(email)
    const last = queries.signInAttempts(database, accountHash)
    const waitMs = last?.blockedUntil ? msOf(last.blockedUntil) - now : 0
    // A block is never longer than the longest: a clock that was set back does not lock anybody
    // out.
    if (waitMs > 0 && waitMs <= LONGEST_MS)
      throw new ApiError('too-many', message('users.attempts-too-many', { what }), {
        headers: { 'retry-after': String(Math.ceil(waitMs / 1000)) },
      })
    const failures = last && now - msOf(last.lastAt) < FORGOTTEN_MS ? last.failures + 1 : 1
    const delayMs =
      failures <= FREE_FAILURES
        ? 0
        : Math.min(LONGEST_MS, 1000 * 2 ** Math.min(20, failures - FREE_FAILURES))
    const blockedUntil = delayMs > 0 ? instantOf(now + delayMs) : null
    const lastAt = instantOf(now)
    queries.putSignInAttempts(database, { accountHash, failures, lastAt, blockedUntil })
  })
}

/** The attempt was right: nothing is counted of the account any more. */
export const forgetAttempts = ({ database }: Context, email: string) =>
  queries.clearSignInAttempts(database, accountHashOf(email))

const accountHashOf = (email: string) =>
  createHash('sha256').update(emailKeyOf(email)).digest('hex')
