import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Clock } from '#server/platform/clock.ts'

/** How long a link to a report's PDF opens it (interface.md, Limits). */
export const PDF_LINK_SECONDS = 3600

/** The query of a signed link. */
export interface SignedQuery {
  /** Unix seconds at which it ends. */
  readonly expires: string
  /** HMAC-SHA256 of the path and `expires`, base64url. */
  readonly signature: string
}

/**
 * Links that need no row: the path and its end are signed (interface-choices §6 row 24). For GET
 * only.
 */
export interface SignedLinks {
  /** The path with its signed query, open for `seconds`. */
  sign(path: string, seconds: number): string
  /** Whether this gateway signed the path and it has not ended. */
  verify(path: string, query: SignedQuery): boolean
}

/** `key` is a secret of the data folder, for this purpose only. */
export function signedLinks(key: Buffer, clock: Clock): SignedLinks {
  const signatureOf = (path: string, expires: string) =>
    createHmac('sha256', key).update(`GET\n${path}\n${expires}`).digest('base64url')
  return {
    sign(path, seconds) {
      const expires = String(Math.floor(clock() / 1000) + seconds)
      return `${path}?expires=${expires}&signature=${signatureOf(path, expires)}`
    },
    verify(path, { expires, signature }) {
      const [given, ours] = [Buffer.from(signature), Buffer.from(signatureOf(path, expires))]
      return (
        given.length === ours.length &&
        timingSafeEqual(given, ours) &&
        Number(expires) * 1000 > clock()
      )
    },
  }
}
