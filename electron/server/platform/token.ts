import { createHash, randomBytes } from 'node:crypto'

/** 256 random bits, base64url: the value of a session cookie or a one-time link. */
export const mintToken = () => randomBytes(32).toString('base64url')

/**
 * What is stored of a token: SHA-256 in hex. A random token needs no slow hash.
 */
export const hashOfToken = (token: string) => createHash('sha256').update(token).digest('hex')
