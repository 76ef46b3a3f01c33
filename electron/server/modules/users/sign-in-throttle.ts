import { createHash } from 'node:crypto'
import type { Context } from '#server/context.ts'
import { instantOf, msOf } from '#server/platform/clock.ts'
import { ApiError } from '#shared/errors.ts'
import { message } from '#shared/messages/message.ts'
import { emailKeyOf } from './queries.ts'
import * as queries from './sign-in-queries.ts'

// Slows down password guessing, per account and not per address: from the fifth failure on, an
// account is blocked for 2 s, and twice as long after each further failure, up to 15 minutes.
// Unknown addresses are treated the same.

/** Failures without a delay, for typing errors. */
const FAILURES_WITHOUT_DELAY = 4
const MAX_DELAY_MS = 15 * 60_000
/** Failures older than this no longer count. */
export const FAILURES_KEPT_MS = 24 * 60 * 60_000

/**
 * Counts an attempt as failed before it is checked, so that parallel attempts count too.
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
    // A longer block can only result from a clock that was set back; it is ignored.
    if (waitMs > 0 && waitMs <= MAX_DELAY_MS)
      throw new ApiError('too-many', message('users.attempts-too-many', { what }), {
        headers: { 'retry-after': String(Math.ceil(waitMs / 1000)) },
      })
    const failures = last && now - msOf(last.lastAt) < FAILURES_KEPT_MS ? last.failures + 1 : 1
    const delayMs =
      failures <= FAILURES_WITHOUT_DELAY
        ? 0
        : Math.min(MAX_DELAY_MS, 1000 * 2 ** Math.min(20, failures - FAILURES_WITHOUT_DELAY))
    const blockedUntil = delayMs > 0 ? instantOf(now + delayMs) : null
    const lastAt = instantOf(now)
    queries.putSignInAttempts(database, { accountHash, failures, lastAt, blockedUntil })
  })
}

/** Resets the failures of an account after a successful attempt. */
export const resetAttempts = ({ database }: Context, email: string) =>
  queries.clearSignInAttempts(database, accountHashOf(email))

const accountHashOf = (email: string) =>
  createHash('sha256').update(emailKeyOf(email)).digest('hex')
