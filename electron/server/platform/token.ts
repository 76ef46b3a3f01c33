import { createHash, randomBytes } from 'node:crypto'

/** A random token of 256 bits, base64url: a session cookie or a one-time link. */
export const createToken = () => randomBytes(32).toString('base64url')

/** The stored form of a token: SHA-256 in hex. Random tokens need no slow hash. */
export const hashToken = (token: string) => createHash('sha256').update(token).digest('hex')
